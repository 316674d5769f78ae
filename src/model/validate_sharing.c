/* validate_sharing.c: do shared transfers take the time they must?
 *
 * With k(t) transfers moving data at t, G(t) = integral of 1/k^alpha is what each of them has moved
 * (in seconds at full rate), so G(end) - G(end of its latency) must be its work.  This is another
 * way than the replay's, which follows events; here all times are given.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/validate_private.h"
#include "model/windows.h"

static const double TOLERANCE = 1e-9;

/* A transfer begins, begins to move data, or ends. */
struct edge {
  double time_s;
  double moved_s; /* G at this time */
  size_t transfer;
  int data;     /* change of k */
  int progress; /* change of the transfers in progress */
};

struct transfer {
  size_t chunk;
  double start_s, end_s, latency_s, work_s;
  double moved_at_start_s, moved_s;
};

static int compare_edges(const void *left, const void *right) {
  const struct edge *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  /* Ends first: a place that becomes free is taken at the same instant. */
  return a->progress < b->progress ? -1 : a->progress > b->progress;
}

static size_t list_edges(const struct transfer *transfers, size_t count, struct edge *edges) {
  size_t edges_count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct transfer *transfer = &transfers[i];
    double data_s = fmin(transfer->start_s + transfer->latency_s, transfer->end_s);
    edges[edges_count++] = (struct edge){.time_s = transfer->start_s, .transfer = i, .progress = 1};
    edges[edges_count++] = (struct edge){.time_s = data_s, .transfer = i, .data = 1};
    edges[edges_count++] =
        (struct edge){.time_s = transfer->end_s, .transfer = i, .data = -1, .progress = -1};
  }
  qsort(edges, edges_count, sizeof *edges, compare_edges);
  assert(edges_count == 3 * count);
  return edges_count;
}

/* A transfer that neither waits nor works ends at the instant it starts, and its edges may stand in
 * any order; so places are counted just after all edges of an instant. */
static enum ls_status sweep(struct transfer *transfers, struct edge *edges, size_t edges_count,
                            const struct ls_platform *platform, struct ls_error *err) {
  double moved_s = 0, now_s = 0;
  long data = 0, progress = 0;
  for (size_t i = 0; i < edges_count; i++) {
    struct edge *edge = &edges[i];
    if (data > 0) {
      moved_s += (edge->time_s - now_s) / pow((double)data, platform->ports_alpha);
    }
    now_s = edge->time_s;
    data += edge->data;
    progress += edge->progress;
    struct transfer *transfer = &transfers[edge->transfer];
    if (edge->data > 0) transfer->moved_at_start_s = moved_s;
    if (edge->data < 0) transfer->moved_s = moved_s;
    bool is_last = i + 1 == edges_count || edges[i + 1].time_s > now_s + TOLERANCE * fmax(1, now_s);
    if (is_last && platform->ports_limit > 0 && progress > 0 &&
        (uint64_t)progress > platform->ports_limit) {
      return ls_fail(err, LS_EINVAL, "%ld transfers at %.17g, the limit is %llu", progress, now_s,
                     (unsigned long long)platform->ports_limit);
    }
  }
  assert(progress == 0 && data == 0);
  assert(moved_s >= 0);
  return LS_OK;
}

static enum ls_status check_direction(struct transfer *transfers, size_t count,
                                      const struct ls_platform *platform, struct ls_error *err) {
  struct edge *edges = calloc(3 * count + 1, sizeof *edges);
  if (edges == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate transfers");
  size_t edges_count = list_edges(transfers, count, edges);
  enum ls_status status = sweep(transfers, edges, edges_count, platform, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    const struct transfer *transfer = &transfers[i];
    double least_s = transfer->start_s + transfer->latency_s;
    double moved_s = transfer->moved_s - transfer->moved_at_start_s;
    double scale = fmax(1, transfer->end_s);
    if (!ls_validate_before(least_s, transfer->end_s) ||
        !(fabs(moved_s - transfer->work_s) <= 4 * TOLERANCE * scale)) {
      status =
          ls_fail(err, LS_EINVAL, "chunk %zu: its transfer moves %.17g s of data, must be %.17g",
                  transfer->chunk, moved_s, transfer->work_s);
    }
  }
  free(edges);
  return status;
}

/* What waits for a worker's link gets it in the order of the plan. */
static enum ls_status check_links(const struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_error *err) {
  double *last_s = calloc(platform->workers_count + 1, sizeof *last_s);
  if (last_s == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate transfers");
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->chunks_count && status == LS_OK; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (!ls_validate_before(last_s[chunk->worker], chunk->transfer_start_s))
      status = ls_fail(err, LS_EINVAL, "chunk %zu goes to worker %u before an earlier one", i,
                       (unsigned)chunk->worker);
    last_s[chunk->worker] = chunk->transfer_start_s;
  }
  free(last_s);
  return status;
}

enum ls_status ls_validate_sharing(const struct ls_plan *plan, const struct ls_platform *platform,
                                   struct ls_error *err) {
  assert(platform->ports == LS_PORTS_MULTI);
  struct transfer *transfers = calloc(plan->chunks_count + 1, sizeof *transfers);
  if (transfers == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate transfers");
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    const struct ls_cost *cost =
        &ls_worker_costs(&platform->workers[chunk->worker], chunk->units)[LS_OPERATION_TRANSFER];
    transfers[i] = (struct transfer){.chunk = i,
                                     .start_s = chunk->transfer_start_s,
                                     .end_s = chunk->transfer_end_s,
                                     .latency_s = cost->latency_s,
                                     .work_s = cost->per_unit_s * chunk->units};
  }
  enum ls_status status = check_direction(transfers, plan->chunks_count, platform, err);
  if (status == LS_OK) status = check_links(plan, platform, err);
  size_t count = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    const struct ls_cost *cost =
        &ls_worker_costs(&platform->workers[chunk->worker], chunk->units)[LS_OPERATION_REPLY];
    if (isnan(chunk->reply_start_s)) continue;
    transfers[count++] = (struct transfer){.chunk = i,
                                           .start_s = chunk->reply_start_s,
                                           .end_s = chunk->reply_end_s,
                                           .latency_s = cost->latency_s,
                                           .work_s = cost->per_unit_s * chunk->units};
  }
  assert(count <= plan->chunks_count);
  if (status == LS_OK) status = check_direction(transfers, count, platform, err);
  free(transfers);
  return status;
}
