#include <assert.h>
#include <math.h>

#include "model/load.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/windows.h"

static void add_chunk(struct ls_timeline *timeline, const struct ls_platform *platform,
                      const struct ls_plan_chunk *chunk, uint64_t index) {
  assert(chunk->worker < platform->workers_count && chunk->units > 0);
  const struct ls_worker_model *worker = &platform->workers[chunk->worker];
  const struct ls_cost *costs = ls_worker_costs(worker, chunk->units);
  bool is_whole = ls_load_is_whole(chunk->units);
  enum ls_resource back =
      platform->ports == LS_PORTS_ONE ? LS_RESOURCE_NETWORK : LS_RESOURCE_RETURN;
  double prepare_s = ls_cost_time(&platform->prepare, chunk->units);
  double send_s = ls_cost_time(&costs[LS_OPERATION_SEND], chunk->units);
  /* The sum as the replay makes it, so that the next chunk starts where this one ends. */
  double sent_s = chunk->send_start_s + (prepare_s + send_s);
  double prepared_s = fmin(chunk->send_start_s + prepare_s, sent_s);
  assert(prepared_s >= chunk->send_start_s && prepared_s <= sent_s);
  double received_s = chunk->compute_start_s;
  double stage_s = ls_cost_time(&costs[LS_OPERATION_STAGE], chunk->units);
  double receive_start_s = received_s - ls_cost_time(&costs[LS_OPERATION_RECEIVE], chunk->units);
  const struct {
    enum ls_resource resource;
    enum ls_operation operation;
    double start_s, end_s;
  } stations[] = {
      {LS_RESOURCE_MASTER, LS_OPERATION_PREPARE, chunk->send_start_s, prepared_s},
      {LS_RESOURCE_MASTER, LS_OPERATION_SEND, prepared_s, sent_s},
      {LS_RESOURCE_NETWORK, LS_OPERATION_TRANSFER, chunk->transfer_start_s, chunk->transfer_end_s},
      {LS_RESOURCE_READER, LS_OPERATION_STAGE, chunk->stage_start_s,
       chunk->stage_start_s + stage_s},
      {LS_RESOURCE_WORKER, LS_OPERATION_RECEIVE, receive_start_s, received_s},
      {LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, received_s, chunk->compute_end_s},
      {back, LS_OPERATION_REPLY, chunk->reply_start_s, chunk->reply_end_s}};
  assert(received_s >= receive_start_s && chunk->compute_end_s >= received_s);
  ls_timeline_add_decision(timeline, chunk->worker, chunk->units);
  for (size_t i = 0; i < sizeof stations / sizeof *stations; i++) {
    /* An operation that takes no time (or is NAN: no reply, nothing staged) leaves no span; but
     * computing is the proof of work.
     */
    if (!(stations[i].end_s > stations[i].start_s) &&
        stations[i].operation != LS_OPERATION_COMPUTE) {
      continue;
    }
    struct ls_span span = {.resource = stations[i].resource,
                           .operation = stations[i].operation,
                           .outcome = LS_OUTCOME_DONE,
                           .worker = chunk->worker,
                           .chunk = index,
                           .units = is_whole ? (uint64_t)chunk->units : 0,
                           .start_s = stations[i].start_s,
                           .end_s = stations[i].end_s};
    ls_timeline_add_span(timeline, &span);
  }
}

static enum ls_status unfold_timeline(const struct ls_plan *plan,
                                      const struct ls_platform *platform,
                                      struct ls_timeline *timeline, struct ls_error *err) {
  struct ls_plan flat;
  enum ls_status status = ls_plan_unfolded(plan, UINT64_MAX, &flat, err);
  if (status != LS_OK) return status;
  status = ls_replay(&flat, platform, err);
  if (status == LS_OK) status = ls_replay_timeline(&flat, platform, timeline, err);
  ls_plan_close(&flat);
  return status;
}

/* A plan takes the workers that get a chunk. */
static void note_taken(const struct ls_plan *plan, struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->workers_count; i++) timeline->workers[i].is_untaken = true;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    size_t worker = plan->chunks[i].worker;
    /* Else there was no memory for it. */
    if (worker < timeline->workers_count) timeline->workers[worker].is_untaken = false;
  }
}

enum ls_status ls_replay_timeline(const struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_timeline *timeline, struct ls_error *err) {
  if (!isfinite(plan->makespan_s)) {
    return ls_fail(err, LS_EINVAL, "a plan that is not replayed has no timeline");
  }
  /* A timeline holds every span, so the chunks are written out for it. */
  if (ls_plan_repeats(plan)) return unfold_timeline(plan, platform, timeline, err);
  struct ls_timeline made;
  assert(plan->makespan_s >= 0);
  ls_timeline_init(&made);
  made.makespan_s = plan->makespan_s;
  made.has_shared_network = platform->ports == LS_PORTS_MULTI;
  for (size_t i = 0; i < platform->workers_count; i++) {
    ls_timeline_add_worker(&made, platform->workers[i].name, 0, (double)INFINITY);
    ls_timeline_price_worker(&made, platform->workers[i].price_per_s);
  }
  note_taken(plan, &made);
  for (size_t i = 0; i < plan->chunks_count; i++) add_chunk(&made, platform, &plan->chunks[i], i);
  enum ls_status status = ls_timeline_finish(&made, err);
  if (status == LS_OK) {
    assert(made.decisions_count == plan->chunks_count);
    assert(made.spans_count >= plan->chunks_count);
    *timeline = made;
  } else {
    ls_timeline_close(&made);
  }
  return status;
}
