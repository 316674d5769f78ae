#include <math.h>

#include "model/replay.h"

static const double WHOLE_MOST = 9007199254740992.0; /* 2^53 */

/* Adds a span, but none that takes no time: except the computing, every chunk's proof of work. */
static void add_span(struct ls_timeline *timeline, struct ls_span span, enum ls_resource resource,
                     enum ls_operation operation, double start_s, double end_s) {
  if (!(end_s > start_s) && operation != LS_OPERATION_COMPUTE) return;
  span.resource = resource;
  span.operation = operation;
  span.start_s = start_s;
  span.end_s = end_s;
  ls_timeline_add_span(timeline, &span);
}

static void add_chunk(struct ls_timeline *timeline, const struct ls_platform *platform,
                      const struct ls_plan_chunk *chunk, uint64_t index) {
  const struct ls_worker_model *worker = &platform->workers[chunk->worker];
  bool is_whole = chunk->units <= WHOLE_MOST && !(chunk->units - floor(chunk->units) > 0);
  struct ls_span span = {.worker = chunk->worker,
                         .chunk = index,
                         .units = is_whole ? (uint64_t)chunk->units : 0,
                         .mark = LS_SPAN_GOOD};
  enum ls_resource back =
      platform->ports == LS_PORTS_ONE ? LS_RESOURCE_NETWORK : LS_RESOURCE_RETURN;
  double prepare_s = ls_cost_time(&platform->prepare, chunk->units);
  double send_s = ls_cost_time(&worker->send, chunk->units);
  double prepared_s = chunk->send_start_s + prepare_s;
  /* The sum as the replay makes it, so that the next chunk starts where this one ends. */
  double sent_s = chunk->send_start_s + (prepare_s + send_s);
  double receive_start_s = chunk->compute_start_s - ls_cost_time(&worker->receive, chunk->units);
  ls_timeline_add_decision(timeline, chunk->worker, chunk->units);
  add_span(timeline, span, LS_RESOURCE_MASTER, LS_OPERATION_PREPARE, chunk->send_start_s,
           fmin(prepared_s, sent_s));
  add_span(timeline, span, LS_RESOURCE_MASTER, LS_OPERATION_SEND, fmin(prepared_s, sent_s), sent_s);
  add_span(timeline, span, LS_RESOURCE_NETWORK, LS_OPERATION_TRANSFER, chunk->transfer_start_s,
           chunk->transfer_end_s);
  add_span(timeline, span, LS_RESOURCE_WORKER, LS_OPERATION_RECEIVE, receive_start_s,
           chunk->compute_start_s);
  add_span(timeline, span, LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, chunk->compute_start_s,
           chunk->compute_end_s);
  if (!isnan(chunk->reply_start_s)) {
    add_span(timeline, span, back, LS_OPERATION_REPLY, chunk->reply_start_s, chunk->reply_end_s);
  }
}

enum ls_status ls_replay_timeline(const struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_timeline *timeline, struct ls_error *err) {
  if (!isfinite(plan->makespan_s)) {
    return ls_fail(err, LS_EINVAL, "a plan that is not replayed has no timeline");
  }
  struct ls_timeline made;
  ls_timeline_init(&made);
  made.makespan_s = plan->makespan_s;
  made.has_shared_network = platform->ports == LS_PORTS_MULTI;
  for (size_t i = 0; i < platform->workers_count; i++) {
    ls_timeline_add_worker(&made, platform->workers[i].name, 0, (double)INFINITY);
  }
  for (size_t i = 0; i < plan->chunks_count; i++) add_chunk(&made, platform, &plan->chunks[i], i);
  enum ls_status status = ls_timeline_finish(&made, err);
  if (status == LS_OK) {
    *timeline = made;
  } else {
    ls_timeline_close(&made);
  }
  return status;
}
