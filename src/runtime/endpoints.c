/* endpoints.c: sending, receiving and waiting at several ends as at one. */
#include "runtime/endpoints.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "runtime/clock.h"

/* With several ends one is waited at, and the others are looked at so often. */
static const double TURN_S = 0.005;

enum ls_status ls_endpoints_listen(struct ls_endpoints *endpoints,
                                   const struct ls_transport *transport, const char *address,
                                   struct ls_error *err) {
  struct ls_endpoints_item item = {.transport = transport};
  if (ls_array_reserve((void **)&endpoints->items, &endpoints->capacity, endpoints->count + 1,
                       sizeof *endpoints->items) != LS_OK) {
    return ls_fail(err, LS_ENOMEM, "out of memory to listen at %s", address);
  }
  enum ls_status status = transport->listen(address, &item.endpoint, err);
  if (status == LS_OK) endpoints->items[endpoints->count++] = item;
  return status;
}

const char *ls_endpoints_address(const struct ls_endpoints *endpoints, uint32_t index) {
  assert(index < endpoints->count);
  const struct ls_endpoints_item *item = &endpoints->items[index];
  return item->transport->address(item->endpoint);
}

enum ls_status ls_endpoints_send(struct ls_endpoints *endpoints, struct ls_peer to,
                                 const void *data, size_t length, struct ls_error *err) {
  assert(to.endpoint < endpoints->count);
  const struct ls_endpoints_item *item = &endpoints->items[to.endpoint];
  const struct ls_frame frame = {to.number, data, length};
  return item->transport->send(item->endpoint, &frame, 0, err);
}

bool ls_endpoints_receive(struct ls_endpoints *endpoints, struct ls_peer *from,
                          struct ls_frame *frame) {
  for (size_t i = 0; i < endpoints->count; ++i) {
    size_t index = (endpoints->next + i) % endpoints->count;
    const struct ls_endpoints_item *item = &endpoints->items[index];
    if (!item->transport->receive(item->endpoint, frame)) continue;
    *from = (struct ls_peer){(uint32_t)index, frame->peer};
    endpoints->next = index + 1;
    return true;
  }
  return false;
}

static bool is_any_ready(const bool *ready, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (ready[i]) return true;
  }
  return false;
}

/* The ends but the first, which was waited at. */
static bool has_frame_elsewhere(const struct ls_endpoints *endpoints) {
  for (size_t i = 1; i < endpoints->count; ++i) {
    const struct ls_endpoints_item *item = &endpoints->items[i];
    if (item->transport->wait(item->endpoint, NULL, 0, NULL, 0)) return true;
  }
  return false;
}

void ls_endpoints_wait(struct ls_endpoints *endpoints, const int *files, size_t files_count,
                       bool *ready, double seconds) {
  assert(endpoints->count > 0);
  const struct ls_endpoints_item *first = &endpoints->items[0];
  double until_s = ls_clock_s() + seconds;
  bool has_others = endpoints->count > 1, is_over = false;
  while (!is_over) {
    double left_s = fmax(0, until_s - ls_clock_s());
    is_over = !has_others || left_s <= TURN_S;
    bool has_frame = has_frame_elsewhere(endpoints);
    double turn_s = has_frame ? 0 : is_over ? left_s : TURN_S;
    has_frame |= first->transport->wait(first->endpoint, files, files_count, ready, turn_s);
    if (has_frame || is_any_ready(ready, files_count)) return;
  }
}

void ls_endpoints_close(struct ls_endpoints *endpoints, double linger_s) {
  for (size_t i = 0; i < endpoints->count; ++i) {
    endpoints->items[i].transport->close(endpoints->items[i].endpoint, linger_s);
  }
  free(endpoints->items);
  *endpoints = (struct ls_endpoints){0};
}
