/* validate.c: checks a replayed plan against the cost model, independently of the replay: only
 * durations, orders and overlaps are looked at, never how the replay came to them.
 */
#include "model/validate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/validate_private.h"
#include "model/windows.h"

static const double TOLERANCE = 1e-9;

static bool is_near(double a, double b) {
  return fabs(a - b) <= TOLERANCE * fmax(1, fmax(fabs(a), fabs(b)));
}

static const struct ls_worker_model *worker_of(const struct ls_platform *platform,
                                               const struct ls_plan_chunk *chunk) {
  assert(chunk->worker < platform->workers_count);
  return &platform->workers[chunk->worker];
}

static const struct ls_cost *cost_of(const struct ls_platform *platform,
                                     const struct ls_plan_chunk *chunk,
                                     enum ls_operation operation) {
  return &ls_worker_costs(worker_of(platform, chunk), chunk->units)[operation];
}

/* When the worker takes up the chunk: the time of receiving is not among the plan's times. */
static double find_receive_start(const struct ls_platform *platform,
                                 const struct ls_plan_chunk *chunk) {
  assert(chunk->units > 0);
  return chunk->compute_start_s -
         ls_cost_time(cost_of(platform, chunk, LS_OPERATION_RECEIVE), chunk->units);
}

static double find_stage_s(const struct ls_platform *platform, const struct ls_plan_chunk *chunk) {
  return ls_cost_time(cost_of(platform, chunk, LS_OPERATION_STAGE), chunk->units);
}

static double find_send_end(const struct ls_platform *platform, const struct ls_plan_chunk *chunk) {
  assert(chunk->units > 0);
  return chunk->send_start_s + ls_cost_time(&platform->prepare, chunk->units) +
         ls_cost_time(cost_of(platform, chunk, LS_OPERATION_SEND), chunk->units);
}

static enum ls_status check_sizes(const struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_error *err) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (chunk->worker >= platform->workers_count) {
      return ls_fail(err, LS_EINVAL, "chunk %zu: worker is %u, must be below %zu", i, chunk->worker,
                     platform->workers_count);
    }
    if (!(isfinite(chunk->units) && chunk->units > 0)) {
      return ls_fail(err, LS_EINVAL, "chunk %zu: units is %g, must be finite and > 0", i,
                     chunk->units);
    }
    ls_sum_add(&sum, (double)ls_plan_times(plan, i) * chunk->units);
  }
  double total = ls_sum_value(&sum);
  assert(total >= 0);
  if (!(fabs(total - plan->load) <= TOLERANCE * fmax(total, plan->load))) {
    return ls_fail(err, LS_EINVAL, "the chunks are %.17g units together, the load is %.17g", total,
                   plan->load);
  }
  return LS_OK;
}

/* A time with its name. */
struct moment {
  const char *name;
  double time_s;
};

static enum ls_status check_order(size_t index, struct moment first, struct moment second,
                                  struct ls_error *err) {
  if (ls_validate_before(first.time_s, second.time_s)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "chunk %zu: %s is %.17g, %s is %.17g, must not be earlier", index,
                 first.name, first.time_s, second.name, second.time_s);
}

static enum ls_status check_duration(size_t index, const char *what, double seconds,
                                     double expected_s, struct ls_error *err) {
  assert(expected_s >= 0);
  if (is_near(seconds, expected_s)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "chunk %zu: %s takes %.17g s, the platform says %.17g s", index,
                 what, seconds, expected_s);
}

/* The stations of one chunk. Shared networks have their own check of durations. */
static enum ls_status check_chunk(const struct ls_plan *plan, const struct ls_platform *platform,
                                  size_t i, struct ls_error *err) {
  assert(i < plan->chunks_count);
  const struct ls_plan_chunk *chunk = &plan->chunks[i];
  const struct ls_worker_model *worker = worker_of(platform, chunk);
  bool is_alone = platform->ports != LS_PORTS_MULTI;
  struct moment send_start = {"send_start", chunk->send_start_s};
  struct moment sent = {"the end of sending", find_send_end(platform, chunk)};
  struct moment transfer_start = {"transfer_start", chunk->transfer_start_s};
  struct moment arrival = {"arrival", chunk->transfer_end_s + worker->delay_s};
  double stage_s = find_stage_s(platform, chunk);
  struct moment stage_start = {"stage_start", stage_s > 0 ? chunk->stage_start_s : arrival.time_s};
  struct moment staged = {"the end of staging", stage_start.time_s + stage_s};
  if (!(stage_s > 0)) staged = arrival;
  struct moment receive_start = {"the start of receiving", find_receive_start(platform, chunk)};
  struct moment compute_end = {"compute_end", chunk->compute_end_s};
  struct moment reply_start = {"reply_start", chunk->reply_start_s};
  enum ls_status status = check_order(i, (struct moment){"the start", 0}, send_start, err);
  if (status == LS_OK) status = check_order(i, sent, transfer_start, err);
  if (status == LS_OK && is_alone) {
    status = check_duration(
        i, ls_operation_name(LS_OPERATION_TRANSFER),
        chunk->transfer_end_s - chunk->transfer_start_s,
        ls_cost_time(cost_of(platform, chunk, LS_OPERATION_TRANSFER), chunk->units), err);
  }
  if (status == LS_OK) status = check_order(i, arrival, stage_start, err);
  if (status == LS_OK) status = check_order(i, staged, receive_start, err);
  if (status == LS_OK) {
    status = check_duration(
        i, ls_operation_name(LS_OPERATION_COMPUTE), chunk->compute_end_s - chunk->compute_start_s,
        ls_cost_time(cost_of(platform, chunk, LS_OPERATION_COMPUTE), chunk->units), err);
  }
  if (status != LS_OK || isnan(chunk->reply_start_s)) return status;
  status = check_order(i, compute_end, reply_start, err);
  if (status == LS_OK && is_alone) {
    status = check_duration(
        i, ls_operation_name(LS_OPERATION_REPLY), chunk->reply_end_s - chunk->reply_start_s,
        ls_cost_time(cost_of(platform, chunk, LS_OPERATION_REPLY), chunk->units), err);
  }
  return status;
}

/* Which chunks must reply, and in which order their replies start. */
static enum ls_status check_returns(const struct ls_plan *plan, const struct ls_platform *platform,
                                    struct ls_error *err) {
  size_t replies = 0, expected = plan->has_returns ? plan->returns_count : 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    bool does_reply = !isnan(chunk->reply_start_s);
    replies += does_reply;
    if (plan->has_returns) continue;
    bool must_reply = ls_cost_time(cost_of(platform, chunk, LS_OPERATION_REPLY), chunk->units) > 0;
    expected += must_reply;
    if (does_reply != must_reply) {
      return ls_fail(err, LS_EINVAL, "chunk %zu: reply_start is %g, a reply costs %g s", i,
                     chunk->reply_start_s,
                     ls_cost_time(cost_of(platform, chunk, LS_OPERATION_REPLY), 1));
    }
  }
  assert(replies <= plan->chunks_count);
  if (replies != expected) {
    return ls_fail(err, LS_EINVAL, "%zu chunks reply, %zu must", replies, expected);
  }
  double last_s = 0;
  for (size_t i = 0; plan->has_returns && i < plan->returns_count; i++) {
    if (plan->returns[i] >= plan->chunks_count) {
      return ls_fail(err, LS_EINVAL, "returns[%zu] is %zu, must be below %zu", i, plan->returns[i],
                     plan->chunks_count);
    }
    double start_s = plan->chunks[plan->returns[i]].reply_start_s;
    if (platform->ports != LS_PORTS_MULTI && !ls_validate_before(last_s, start_s)) {
      return ls_fail(err, LS_EINVAL, "returns[%zu] starts at %.17g, the one before at %.17g", i,
                     start_s, last_s);
    }
    last_s = start_s;
  }
  return LS_OK;
}

static enum ls_status check_makespan(const struct ls_plan *plan, struct ls_error *err) {
  double end_s = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    end_s = fmax(end_s, fmax(plan->chunks[i].compute_end_s, plan->chunks[i].reply_end_s));
  }
  assert(end_s >= 0);
  if (is_near(end_s, plan->makespan_s)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "makespan is %.17g, the last chunk ends at %.17g",
                 plan->makespan_s, end_s);
}

/* At most so many intervals a chunk: master, network, reader, worker, reply. */
enum { INTERVALS = 5 };

static size_t list_intervals(const struct ls_plan *plan, const struct ls_platform *platform,
                             struct ls_interval *intervals) {
  size_t count = 0;
  bool has_links = platform->ports == LS_PORTS_MULTI;
  enum ls_resource back =
      platform->ports == LS_PORTS_ONE ? LS_RESOURCE_NETWORK : LS_RESOURCE_RETURN;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    intervals[count++] = (struct ls_interval){LS_RESOURCE_MASTER, 0, i, chunk->send_start_s,
                                              find_send_end(platform, chunk)};
    intervals[count++] =
        (struct ls_interval){LS_RESOURCE_WORKER, chunk->worker, i,
                             find_receive_start(platform, chunk), chunk->compute_end_s};
    double stage_s = find_stage_s(platform, chunk);
    if (stage_s > 0)
      intervals[count++] =
          (struct ls_interval){LS_RESOURCE_READER, chunk->worker, i, chunk->stage_start_s,
                               chunk->stage_start_s + stage_s};
    uint32_t link = has_links ? chunk->worker : 0;
    intervals[count++] = (struct ls_interval){LS_RESOURCE_NETWORK, link, i, chunk->transfer_start_s,
                                              chunk->transfer_end_s};
    if (isnan(chunk->reply_start_s)) continue;
    intervals[count++] =
        (struct ls_interval){back, link, i, chunk->reply_start_s, chunk->reply_end_s};
  }
  assert(count <= INTERVALS * plan->chunks_count);
  return count;
}

/* Chunks go out in the plan's order, but for those that wait for a link of their own. */
static enum ls_status check_sending_order(const struct ls_plan *plan, bool has_links,
                                          struct ls_error *err) {
  for (size_t i = 1; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *before = &plan->chunks[i - 1], *chunk = &plan->chunks[i];
    if (!ls_validate_before(before->send_start_s, chunk->send_start_s) ||
        (!has_links && !ls_validate_before(before->transfer_start_s, chunk->transfer_start_s))) {
      return ls_fail(err, LS_EINVAL, "chunk %zu goes out before chunk %zu", i, i - 1);
    }
  }
  return LS_OK;
}

static enum ls_status check_flat(const struct ls_plan *plan, const struct ls_platform *platform,
                                 struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->chunks_count && status == LS_OK; i++) {
    status = check_chunk(plan, platform, i, err);
  }
  if (status == LS_OK) status = check_returns(plan, platform, err);
  if (status == LS_OK) status = ls_validate_limits(plan, platform, err);
  if (status == LS_OK) status = ls_validate_storage(plan, platform, err);
  if (status == LS_OK) status = check_makespan(plan, err);
  if (status == LS_OK) status = check_sending_order(plan, platform->ports == LS_PORTS_MULTI, err);
  if (status != LS_OK) return status;
  struct ls_interval *intervals = calloc(INTERVALS * plan->chunks_count + 1, sizeof *intervals);
  if (intervals == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate a plan");
  size_t count = list_intervals(plan, platform, intervals);
  assert(count >= 2 * plan->chunks_count);
  status = ls_validate_intervals(intervals, count, err);
  free(intervals);
  if (status == LS_OK && platform->ports == LS_PORTS_MULTI) {
    status = ls_validate_sharing(plan, platform, err);
  }
  return status;
}

/* A plan that repeats is checked written out, over its first plays if there are many: the times
 * that it stores are those of its prologue and its first play. */
static enum ls_status check_repeat(const struct ls_plan *plan, const struct ls_platform *platform,
                                   struct ls_error *err) {
  const uint64_t chunks_most = 1000000;
  uint64_t plays = chunks_most / (plan->repeat.to - plan->repeat.from);
  struct ls_plan flat;
  enum ls_status status = ls_plan_unfolded(plan, plays, &flat, err);
  if (status != LS_OK) return status;
  status = ls_replay(&flat, platform, err);
  for (size_t i = 0; i < plan->repeat.to && status == LS_OK; i++) {
    double end_s = plan->chunks[i].compute_end_s, flat_s = flat.chunks[i].compute_end_s;
    if (!is_near(end_s, flat_s))
      status = ls_fail(err, LS_EINVAL, "chunk %zu: compute_end is %.17g, must be %.17g", i, end_s,
                       flat_s);
  }
  bool is_whole = plays >= plan->repeat.times;
  if (status == LS_OK && is_whole && !is_near(plan->makespan_s, flat.makespan_s))
    status = ls_fail(err, LS_EINVAL, "makespan is %.17g, of the chunks written out it is %.17g",
                     plan->makespan_s, flat.makespan_s);
  if (status == LS_OK) status = check_flat(&flat, platform, err);
  ls_plan_close(&flat);
  return status;
}

enum ls_status ls_validate_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                                struct ls_error *err) {
  enum ls_status status = ls_plan_finish(plan, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  status = check_sizes(plan, platform, err);
  if (status != LS_OK) return status;
  return ls_plan_repeats(plan) ? check_repeat(plan, platform, err)
                               : check_flat(plan, platform, err);
}
