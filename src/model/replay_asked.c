/* replay_asked.c: chunks that their workers ask for, as they did once. */
#include "model/replay_asked.h"

#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/replay_private.h"

/* What a worker has been sent so far, and what it will ask for next. */
struct worker {
  size_t next;   /* chunk; count: none any more */
  size_t at;     /* the chunk that computes the unit it waits for; count: none was sent */
  double before; /* units of its chunks in front of that one */
  size_t latest; /* its last chunk that was sent; count: none */
};

struct work {
  struct ls_plan *plan;
  const struct ls_platform *platform;
  const double *asked_units;
  struct worker *workers;
  size_t *following; /* of each chunk, the next one of its worker; count: none */
  struct ls_stations stations;
  struct ls_heap asks; /* by time, of equals by the order of the plan */
};

bool ls_replay_can_ask(const struct ls_plan *plan, const struct ls_platform *platform) {
  if (ls_plan_repeats(plan) || plan->has_returns || platform->ports == LS_PORTS_MULTI) return false;
  if (ls_platform_shares_storage(platform)) return false;
  for (size_t i = 0; i < platform->workers_count; i++) {
    if (ls_worker_has_cost(&platform->workers[i], LS_OPERATION_REPLY)) return false;
  }
  return true;
}

/* When its worker has computed what it had when it asked for this chunk. */
static double find_ask(struct work *work, size_t chunk) {
  const struct ls_plan_chunk *chunks = work->plan->chunks;
  struct worker *worker = &work->workers[chunks[chunk].worker];
  size_t none = work->plan->chunks_count;
  double units = work->asked_units[chunk];
  if (worker->at == none || !(units > 0)) return 0;
  while (worker->at != worker->latest && units >= worker->before + chunks[worker->at].units) {
    worker->before += chunks[worker->at].units;
    worker->at = work->following[worker->at];
  }
  const struct ls_plan_chunk *at = &chunks[worker->at];
  double share = fmin(fmax((units - worker->before) / at->units, 0), 1);
  if (!(share > 0)) return at->compute_start_s;
  const struct ls_cost *costs = ls_worker_costs(&work->platform->workers[at->worker], at->units);
  return at->compute_end_s - (1 - share) * costs[LS_OPERATION_COMPUTE].per_unit_s * at->units;
}

static enum ls_status push_ask(struct work *work, size_t chunk) {
  if (chunk == work->plan->chunks_count) return LS_OK;
  return ls_heap_push(&work->asks, find_ask(work, chunk), (uint32_t)chunk, chunk);
}

static void list_chunks(struct work *work) {
  size_t count = work->plan->chunks_count;
  for (size_t i = 0; i < work->platform->workers_count; i++)
    work->workers[i] = (struct worker){.next = count, .at = count, .latest = count};
  for (size_t i = count; i-- > 0;) {
    struct worker *worker = &work->workers[work->plan->chunks[i].worker];
    work->following[i] = worker->next;
    worker->next = i;
  }
}

static enum ls_status play(struct work *work) {
  struct ls_heap_item ask;
  enum ls_status status = LS_OK;
  list_chunks(work);
  for (size_t i = 0; i < work->platform->workers_count && status == LS_OK; i++)
    status = push_ask(work, work->workers[i].next);
  while (status == LS_OK && ls_heap_pop(&work->asks, &ask)) {
    struct ls_plan_chunk *chunk = &work->plan->chunks[ask.payload];
    struct worker *worker = &work->workers[chunk->worker];
    struct ls_passage passage;
    const struct ls_cost *costs =
        ls_worker_costs(&work->platform->workers[chunk->worker], chunk->units);
    work->stations.master_s = ls_larger(work->stations.master_s, ask.time_s);
    ls_pass_master(&work->stations, work->platform, costs, chunk->units, &passage);
    ls_pass_network(&work->stations, costs, chunk->units, &passage);
    ls_pass_worker(&work->stations, work->platform, costs, chunk, &passage);
    ls_note_passage(chunk, &passage);
    worker->latest = ask.payload;
    if (worker->at == work->plan->chunks_count) worker->at = ask.payload;
    status = push_ask(work, work->following[ask.payload]);
  }
  return status;
}

static enum ls_status check_workers(const struct ls_plan *plan, const struct ls_platform *platform,
                                    struct ls_error *err) {
  for (size_t i = 0; i < plan->chunks_count; i++)
    if (plan->chunks[i].worker >= platform->workers_count)
      return ls_fail(err, LS_EINVAL, "chunk %zu: worker is %u, must be below %zu", i,
                     plan->chunks[i].worker, platform->workers_count);
  return LS_OK;
}

enum ls_status ls_replay_asked(struct ls_plan *plan, const struct ls_platform *platform,
                               const double *asked_units, struct ls_error *err) {
  if (asked_units == NULL || !ls_replay_can_ask(plan, platform))
    return ls_replay(plan, platform, err);
  enum ls_status status = ls_plan_finish(plan, err);
  if (status == LS_OK) status = check_workers(plan, platform, err);
  if (status != LS_OK) return status;
  size_t workers = platform->workers_count;
  struct work work = {.plan = plan,
                      .platform = platform,
                      .asked_units = asked_units,
                      .workers = calloc(workers, sizeof *work.workers),
                      .following = calloc(plan->chunks_count + 1, sizeof *work.following),
                      .stations = {.free_s = calloc(workers, sizeof(double))}};
  bool is_had = work.workers != NULL && work.following != NULL && work.stations.free_s != NULL;
  status = is_had ? ls_staging_create(platform, &work.stations.staging, NULL) : LS_ENOMEM;
  if (status == LS_OK) status = play(&work);
  double makespan_s = 0;
  for (size_t i = 0; i < workers && is_had; i++)
    makespan_s = ls_larger(makespan_s, work.stations.free_s[i]);
  ls_heap_close(&work.asks);
  ls_staging_destroy(work.stations.staging);
  free(work.stations.free_s);
  free(work.following);
  free(work.workers);
  if (status != LS_OK)
    return ls_fail(err, status, "no memory to replay %zu chunks", plan->chunks_count);
  if (!isfinite(makespan_s))
    return ls_fail(err, LS_EINVAL, "the replay's makespan is %g, must be finite", makespan_s);
  plan->makespan_s = makespan_s;
  return LS_OK;
}
