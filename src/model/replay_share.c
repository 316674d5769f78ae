/* replay_share.c: k transfers in progress at once, each at 1/k^alpha of its rate (section 6.4 of
 * Yang and Casanova, 2002).  Latencies overlap and use no bandwidth, as in the paper's formula
 * nLat + (W/B) N^(alpha-1) for N equal messages sent at once.
 *
 * All transfers that move data are equally fast, so one "virtual" second per second of full rate
 * suffices: it runs at 1/k^alpha, and a transfer ends when it has advanced by the transfer's work.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "model/replay_private.h"

/* The way to a worker, and what waits for it. */
struct link {
  bool is_busy;
  size_t first, last; /* SIZE_MAX: nothing waits */
};

struct sharing {
  struct ls_shared_transfer *transfers;
  size_t count, next;    /* the first `next` have started, or wait for their links */
  struct link *links;    /* by worker */
  size_t *behind;        /* by transfer: the next one that waits for the same link */
  struct ls_heap let_go; /* whose links are free again, by number */
  double alpha;
  uint64_t limit, in_progress;
  double now_s, virtual_s;
  struct ls_heap latencies; /* ends of latencies, in seconds */
  struct ls_heap data;      /* ends of data, in virtual seconds */
};

static double find_slowdown(const struct sharing *sharing) {
  assert(sharing->data.count > 0);
  return pow((double)sharing->data.count, sharing->alpha);
}

/* When the next transfer may start: now or at its ready time, once there is a free place. */
static double find_next_start(const struct sharing *sharing) {
  assert(sharing->next <= sharing->count);
  if (sharing->limit > 0 && sharing->in_progress >= sharing->limit) return (double)INFINITY;
  if (sharing->let_go.count > 0) return sharing->now_s;
  if (sharing->next == sharing->count) return (double)INFINITY;
  return fmax(sharing->now_s, sharing->transfers[sharing->next].ready_s);
}

static double find_next_data_end(const struct sharing *sharing) {
  const struct ls_heap_item *first = ls_heap_first(&sharing->data);
  if (first == NULL) return (double)INFINITY;
  assert(first->time_s >= 0);
  return sharing->now_s + fmax(0, first->time_s - sharing->virtual_s) * find_slowdown(sharing);
}

static void advance_to(struct sharing *sharing, double time_s) {
  assert(time_s >= sharing->now_s);
  if (sharing->data.count > 0) {
    sharing->virtual_s += (time_s - sharing->now_s) / find_slowdown(sharing);
  } else {
    sharing->virtual_s = 0; /* an idle network forgets, and with it the rounding of its sums */
  }
  sharing->now_s = time_s;
}

static enum ls_status end_transfer(struct sharing *sharing) {
  struct ls_heap_item item;
  bool is_there = ls_heap_pop(&sharing->data, &item);
  assert(is_there);
  (void)is_there;
  sharing->virtual_s = item.time_s;
  sharing->transfers[item.payload].end_s = sharing->now_s;
  assert(sharing->in_progress > 0 && item.payload < sharing->next);
  sharing->in_progress--;
  struct link *link = &sharing->links[sharing->transfers[item.payload].worker];
  size_t number = link->first;
  link->is_busy = false;
  if (number == SIZE_MAX) return LS_OK;
  link->first = sharing->behind[number];
  return ls_heap_push(&sharing->let_go, (double)number, 0, number);
}

static void wait_for_link(struct sharing *sharing, struct link *link, size_t number) {
  sharing->behind[number] = SIZE_MAX;
  if (link->first == SIZE_MAX)
    link->first = number;
  else
    sharing->behind[link->last] = number;
  link->last = number;
}

static enum ls_status start_transfer(struct sharing *sharing) {
  struct ls_heap_item item;
  size_t number = ls_heap_pop(&sharing->let_go, &item) ? item.payload : sharing->next++;
  struct ls_shared_transfer *transfer = &sharing->transfers[number];
  struct link *link = &sharing->links[transfer->worker];
  assert(sharing->limit == 0 || sharing->in_progress < sharing->limit);
  assert(!(sharing->now_s < transfer->ready_s));
  if (link->is_busy) {
    wait_for_link(sharing, link, number);
    return LS_OK;
  }
  link->is_busy = true;
  transfer->start_s = sharing->now_s;
  sharing->in_progress++;
  return ls_heap_push(&sharing->latencies, sharing->now_s + transfer->latency_s, 0, number);
}

static enum ls_status start_data(struct sharing *sharing) {
  struct ls_heap_item item;
  bool is_there = ls_heap_pop(&sharing->latencies, &item);
  assert(is_there);
  (void)is_there;
  assert(item.payload < sharing->next && sharing->data.count < sharing->in_progress);
  double end_virtual_s = sharing->virtual_s + sharing->transfers[item.payload].work_s;
  return ls_heap_push(&sharing->data, end_virtual_s, 0, item.payload);
}

/* One event: an end before the end of a latency before a start, so that a place that becomes free
 * is taken at once. */
static enum ls_status play_next(struct sharing *sharing) {
  const struct ls_heap_item *latency = ls_heap_first(&sharing->latencies);
  double latency_end_s = latency == NULL ? (double)INFINITY : latency->time_s;
  double data_end_s = find_next_data_end(sharing);
  double start_s = find_next_start(sharing);
  /* Costs that overflow would never come to an end. */
  if (!isfinite(fmin(data_end_s, fmin(latency_end_s, start_s)))) return LS_EINVAL;
  if (data_end_s <= latency_end_s && data_end_s <= start_s) {
    advance_to(sharing, data_end_s);
    return end_transfer(sharing);
  }
  if (latency_end_s <= start_s) {
    advance_to(sharing, latency_end_s);
    return start_data(sharing);
  }
  advance_to(sharing, start_s);
  return start_transfer(sharing);
}

static bool open_links(struct sharing *sharing) {
  size_t workers = 0;
  for (size_t i = 0; i < sharing->count; i++)
    if (sharing->transfers[i].worker >= workers) workers = sharing->transfers[i].worker + 1;
  sharing->links = calloc(workers + 1, sizeof *sharing->links);
  sharing->behind = calloc(sharing->count + 1, sizeof *sharing->behind);
  for (size_t i = 0; i < workers && sharing->links != NULL; i++) sharing->links[i].first = SIZE_MAX;
  return sharing->links != NULL && sharing->behind != NULL;
}

enum ls_status ls_replay_share(struct ls_shared_transfer *transfers, size_t count, double alpha,
                               uint64_t limit, struct ls_error *err) {
  struct sharing sharing = {.transfers = transfers, .count = count, .alpha = alpha, .limit = limit};
  enum ls_status status = open_links(&sharing) ? LS_OK : LS_ENOMEM;
  while (status == LS_OK &&
         (sharing.next < count || sharing.in_progress > 0 || sharing.let_go.count > 0)) {
    status = play_next(&sharing);
  }
  assert(status != LS_OK || (sharing.data.count == 0 && sharing.latencies.count == 0));
  ls_heap_close(&sharing.latencies);
  ls_heap_close(&sharing.data);
  ls_heap_close(&sharing.let_go);
  free(sharing.behind);
  free(sharing.links);
  if (status == LS_EINVAL) return ls_fail(err, status, "a transfer takes no finite time");
  if (status != LS_OK) return ls_fail(err, status, "no memory to replay %zu transfers", count);
  return LS_OK;
}
