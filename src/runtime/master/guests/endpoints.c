/* endpoints.c: sending, receiving and waiting at several ends as at one. */
#include "runtime/master/guests/endpoints.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/transport/transport_wait.h"

enum ls_status ls_endpoints_listen(struct ls_endpoints *endpoints,
                                   const struct ls_transport *transport, const char *address,
                                   const struct ls_curve *curve, struct ls_error *err) {
  struct ls_endpoints_item item = {.transport = transport};
  if (ls_array_reserve((void **)&endpoints->items, &endpoints->capacity, endpoints->count + 1,
                       sizeof *endpoints->items) != LS_OK) {
    return ls_fail(err, LS_ENOMEM, "out of memory to listen at %s", address);
  }
  enum ls_status status = transport->listen(address, curve, &item.endpoint, err);
  if (status == LS_OK) endpoints->items[endpoints->count++] = item;
  return status;
}

const char *ls_endpoints_address(const struct ls_endpoints *endpoints, uint32_t index) {
  assert(index < endpoints->count);
  const struct ls_endpoints_item *item = &endpoints->items[index];
  return item->transport->address(item->endpoint);
}

bool ls_endpoints_is_far(const struct ls_endpoints *endpoints, uint32_t index) {
  return strncmp(ls_endpoints_address(endpoints, index), "tcp:", 4) == 0;
}

enum ls_status ls_endpoints_send(struct ls_endpoints *endpoints, struct ls_peer to,
                                 const void *data, size_t length, struct ls_error *err) {
  assert(to.endpoint < endpoints->count);
  const struct ls_endpoints_item *item = &endpoints->items[to.endpoint];
  const struct ls_frame frame = {to.number, data, length};
  return item->transport->send(item->endpoint, &frame, 0, err);
}

enum ls_status ls_endpoints_lend(struct ls_endpoints *endpoints, struct ls_peer to,
                                 const struct ls_blob *data, const struct ls_loan *loan,
                                 struct ls_error *err) {
  assert(to.endpoint < endpoints->count);
  const struct ls_endpoints_item *item = &endpoints->items[to.endpoint];
  const struct ls_frame frame = {to.number, data->data, data->length};
  if (item->transport->lend != NULL)
    return item->transport->lend(item->endpoint, &frame, loan, err);
  enum ls_status status = item->transport->send(item->endpoint, &frame, 0, err);
  loan->release(loan->context);
  return status;
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

void ls_endpoints_admit(struct ls_endpoints *endpoints, struct ls_peer peer) {
  const struct ls_endpoints_item *item = &endpoints->items[peer.endpoint];
  item->transport->admit(item->endpoint, peer.number);
}

void ls_endpoints_give_up(struct ls_endpoints *endpoints, struct ls_peer peer) {
  const struct ls_endpoints_item *item = &endpoints->items[peer.endpoint];
  if (item->transport->give_up != NULL) item->transport->give_up(item->endpoint, peer.number);
}

struct ls_strangers ls_endpoints_strangers(const struct ls_endpoints *endpoints) {
  struct ls_strangers strangers = {0};
  for (size_t i = 0; i < endpoints->count; ++i) {
    const struct ls_endpoints_item *item = &endpoints->items[i];
    if (item->transport->count_strangers == NULL) continue;
    item->transport->count_strangers(item->endpoint, &strangers);
  }
  return strangers;
}

static bool look_at_all(void *context, struct ls_watch *watch) {
  const struct ls_endpoints *endpoints = context;
  bool has_frame = false;
  for (size_t i = 0; i < endpoints->count; ++i) {
    const struct ls_endpoints_item *item = &endpoints->items[i];
    has_frame |= item->transport->look(item->endpoint, watch);
  }
  return has_frame;
}

void ls_endpoints_wait(struct ls_endpoints *endpoints, const int *files, size_t files_count,
                       bool *ready, double seconds) {
  assert(endpoints->count > 0);
  const struct ls_wait_files waited = {.files = files, .ready = ready, .count = files_count};
  const struct ls_endpoints_item *first = &endpoints->items[0];
  if (endpoints->count == 1) {
    (void)ls_transport_wait(first->transport, first->endpoint, &waited, seconds);
  } else {
    (void)ls_wait_for(look_at_all, endpoints, &waited, seconds);
  }
}

void ls_endpoints_close(struct ls_endpoints *endpoints, double linger_s) {
  for (size_t i = 0; i < endpoints->count; ++i) {
    endpoints->items[i].transport->close(endpoints->items[i].endpoint, linger_s);
  }
  free(endpoints->items);
  *endpoints = (struct ls_endpoints){0};
}
