#include "model/replay.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "model/plan_repeat.h"
#include "model/replay_private.h"

static inline bool is_playable(const struct ls_plan_chunk *chunk,
                               const struct ls_platform *platform) {
  return chunk->worker < platform->workers_count && chunk->units > 0 && chunk->units <= DBL_MAX;
}

static enum ls_status refuse_chunk(const struct ls_plan *plan, const struct ls_platform *platform,
                                   size_t index, struct ls_error *err) {
  const struct ls_plan_chunk *chunk = &plan->chunks[index];
  assert(index < plan->chunks_count && !is_playable(chunk, platform));
  if (chunk->worker >= platform->workers_count) {
    return ls_fail(err, LS_EINVAL, "chunk %zu: worker is %u, must be below %zu", index,
                   chunk->worker, platform->workers_count);
  }
  return ls_fail(err, LS_EINVAL, "chunk %zu: units is %g, must be finite and > 0", index,
                 chunk->units);
}

/* What is so nowhere on a platform need not be looked for at each chunk. */
struct survey {
  bool has_replies; /* does anything ever come back? */
  bool has_windows, has_stages, shares_storage;
};

static struct survey survey_platform(const struct ls_plan *plan,
                                     const struct ls_platform *platform) {
  struct survey found = {.has_windows = ls_platform_has_windows(platform),
                         .has_stages = ls_platform_has_cost(platform, LS_OPERATION_STAGE)};
  found.shares_storage = found.has_stages && ls_platform_shares_storage(platform);
  if (plan->has_returns) found.has_replies = plan->returns_count > 0;
  for (size_t i = 0; !plan->has_returns && i < platform->workers_count; i++) {
    found.has_replies = ls_worker_has_cost(&platform->workers[i], LS_OPERATION_REPLY);
    if (found.has_replies) break;
  }
  return found;
}

static void play_reply(const struct ls_platform *platform, struct ls_plan_chunk *chunk,
                       double *port_s) {
  assert(!isnan(chunk->compute_end_s));
  chunk->reply_start_s = ls_larger(*port_s, chunk->compute_end_s);
  const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
  chunk->reply_end_s = chunk->reply_start_s + ls_cost_of(&costs[LS_OPERATION_REPLY], chunk->units);
  *port_s = chunk->reply_end_s;
  assert(!(chunk->reply_end_s < chunk->compute_end_s));
}

/* The next reply: by the plan's order, or the one whose computing ended first. */
struct replies {
  const struct ls_plan *plan;
  const struct ls_platform *platform;
  struct ls_plan_chunk *chunks;
  struct ls_storage *storage; /* NULL: no reader waits for another */
  size_t sent; /* chunks before this index have been sent, and but for a storage computed */
  size_t next_return;
  struct ls_heap computed; /* unused with an order */
};

static enum ls_status note_computed(struct replies *replies, size_t index) {
  const struct ls_plan_chunk *chunk = &replies->chunks[index];
  if (replies->plan->has_returns || !ls_does_reply(replies->platform, chunk)) return LS_OK;
  /* The order of the chunks decides ties. */
  uint32_t rank = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
  return ls_heap_push(&replies->computed, chunk->compute_end_s, rank, index);
}

/* All chunks that come to be staged before `until_s`. */
static enum ls_status stage(struct replies *replies, double until_s) {
  size_t index = 0;
  enum ls_status status = LS_OK;
  while (status == LS_OK && index != SIZE_MAX) {
    status = ls_storage_next(replies->storage, until_s, &index);
    if (status == LS_OK && index != SIZE_MAX) status = note_computed(replies, index);
  }
  return status;
}

/* The chunk that may reply next, NULL when there is none yet. */
static struct ls_plan_chunk *find_reply(const struct replies *replies) {
  if (replies->plan->has_returns) {
    assert(replies->next_return <= replies->plan->returns_count);
    if (replies->next_return == replies->plan->returns_count) return NULL;
    size_t index = replies->plan->returns[replies->next_return];
    bool is_computed = index < replies->sent && !isnan(replies->chunks[index].compute_end_s);
    return is_computed ? &replies->chunks[index] : NULL;
  }
  const struct ls_heap_item *first = ls_heap_first(&replies->computed);
  assert(first == NULL || first->payload < replies->sent);
  return first == NULL ? NULL : &replies->chunks[first->payload];
}

static void take_reply(struct replies *replies) {
  struct ls_heap_item item;
  if (replies->plan->has_returns) {
    assert(replies->next_return < replies->plan->returns_count);
    replies->next_return++;
  } else {
    bool is_there = ls_heap_pop(&replies->computed, &item);
    assert(is_there);
    (void)is_there;
  }
}

/* The chunk has come to its worker. */
static inline enum ls_status pass_worker(struct ls_stations *stations, struct replies *replies,
                                         const struct ls_cost *costs, size_t index,
                                         struct ls_passage *passage) {
  struct ls_plan_chunk *chunk = &replies->chunks[index];
  if (replies->storage == NULL) {
    ls_pass_worker(stations, replies->platform, costs, chunk, passage);
    ls_note_passage(chunk, passage);
    return note_computed(replies, index);
  }
  passage->compute_start_s = passage->compute_end_s = passage->stage_start_s = (double)NAN;
  ls_note_passage(chunk, passage);
  return ls_storage_arrive(replies->storage, index);
}

/* One network in each direction, or one for both: with one, what was ready first goes first, and of
 * equals what is sent. */
static enum ls_status play_ports(struct ls_stations *stations, struct replies *replies) {
  const struct ls_plan *plan = replies->plan;
  const struct ls_platform *platform = replies->platform;
  double back_s = 0;
  bool is_shared = platform->ports == LS_PORTS_ONE;
  double *port_s = is_shared ? &stations->network_s : &back_s;
  enum ls_status status = LS_OK;
  struct ls_plan_chunk *reply;
  for (size_t i = 0; i < plan->chunks_count && status == LS_OK; i++) {
    struct ls_passage passage;
    const struct ls_plan_chunk *chunk = &replies->chunks[i];
    const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
    ls_pass_master(stations, platform, costs, chunk->units, &passage);
    if (is_shared && replies->storage != NULL) status = stage(replies, passage.send_end_s);
    while (is_shared && status == LS_OK && (reply = find_reply(replies)) != NULL &&
           ls_reply_turn_s(reply->compute_end_s) < passage.send_end_s) {
      play_reply(platform, reply, port_s);
      take_reply(replies);
    }
    if (status != LS_OK) break;
    ls_pass_network(stations, costs, chunk->units, &passage);
    replies->sent = i + 1;
    status = pass_worker(stations, replies, costs, i, &passage);
  }
  if (status == LS_OK && replies->storage != NULL) status = stage(replies, (double)INFINITY);
  while (status == LS_OK && (reply = find_reply(replies)) != NULL) {
    play_reply(platform, reply, port_s);
    take_reply(replies);
  }
  /* All results that were to come back have come. */
  assert(status != LS_OK || replies->computed.count == 0);
  assert(status != LS_OK || !plan->has_returns || replies->next_return == plan->returns_count);
  return status;
}

/* Any plan on any platform; `chunks` is where the times go. */
static enum ls_status play(const struct ls_plan *plan, const struct ls_platform *platform,
                           struct ls_plan_chunk *chunks, struct ls_error *err) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    if (!is_playable(&chunks[i], platform)) return refuse_chunk(plan, platform, i, err);
  }
  enum ls_status status = ls_plan_check_returns(plan, err);
  if (status != LS_OK) return status;
  struct ls_stations stations = {.free_s = calloc(platform->workers_count, sizeof(double))};
  if (stations.free_s == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to replay %zu workers", platform->workers_count);
  }
  status = ls_staging_create(platform, &stations.staging, err);
  struct replies replies = {.plan = plan, .platform = platform, .chunks = chunks};
  if (status == LS_OK && platform->ports == LS_PORTS_MULTI) {
    status = ls_replay_multi(plan, platform, chunks, &stations, err);
  } else if (status == LS_OK) {
    status = ls_storage_create(platform, chunks, plan->chunks_count, &stations, &replies.storage);
    if (status == LS_OK) status = play_ports(&stations, &replies);
    if (status != LS_OK) {
      status = ls_fail(err, status, "no memory to replay %zu chunks", plan->chunks_count);
    }
  }
  ls_heap_close(&replies.computed);
  ls_storage_destroy(replies.storage);
  ls_staging_destroy(stations.staging);
  free(stations.free_s);
  return status;
}

static double find_makespan(const struct ls_plan_chunk *chunks, size_t count) {
  double makespan_s = 0;
  for (size_t i = 0; i < count; i++) {
    makespan_s = ls_larger(makespan_s, chunks[i].compute_end_s);
    if (chunks[i].reply_end_s > makespan_s) makespan_s = chunks[i].reply_end_s;
  }
  assert(!(makespan_s < 0));
  return makespan_s;
}

static enum ls_status check_makespan(double makespan_s, struct ls_error *err) {
  if (isfinite(makespan_s)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "the replay's makespan is %g, must be finite", makespan_s);
}

static enum ls_status play_repeat(struct ls_plan *plan, const struct ls_platform *platform,
                                  double *makespan_s, struct ls_error *err) {
  double found_s = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    if (!is_playable(&plan->chunks[i], platform)) return refuse_chunk(plan, platform, i, err);
  }
  enum ls_status status = ls_replay_repeat(plan, platform, &found_s, err);
  if (status == LS_OK) status = check_makespan(found_s, err);
  if (status == LS_OK) *makespan_s = found_s;
  return status;
}

static void forget_times(struct ls_plan *plan) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    plan->chunks[i] = ls_plan_chunk_unplayed(chunk->worker, chunk->round, chunk->units);
  }
  free(plan->repeat.last_end_s);
  plan->repeat.last_end_s = NULL;
  plan->makespan_s = (double)NAN;
}

enum ls_status ls_replay(struct ls_plan *plan, const struct ls_platform *platform,
                         struct ls_error *err) {
  double makespan_s = 0;
  enum ls_status status = ls_plan_finish(plan, err);
  if (status == LS_OK && ls_plan_repeats(plan)) {
    status = play_repeat(plan, platform, &makespan_s, err);
  } else if (status == LS_OK) {
    status = play(plan, platform, plan->chunks, err);
    if (status == LS_OK) makespan_s = find_makespan(plan->chunks, plan->chunks_count);
    if (status == LS_OK) status = check_makespan(makespan_s, err);
  }
  assert(status != LS_OK || makespan_s >= 0);
  if (status == LS_OK)
    plan->makespan_s = makespan_s;
  else
    forget_times(plan);
  return status;
}

/* The chunks that are playable, all if `*refused` is their number. `has_windows` is known where
 * this is called: a chunk takes a few nanoseconds. */
static inline void pass_outward(const struct ls_plan *plan, const struct ls_platform *platform,
                                bool has_windows, struct ls_stations *stations, size_t *refused) {
  size_t i = 0;
  for (; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (!is_playable(chunk, platform)) break;
    struct ls_passage passage;
    const struct ls_worker_model *worker = &platform->workers[chunk->worker];
    const struct ls_cost *costs =
        has_windows ? ls_worker_costs(worker, chunk->units) : worker->costs;
    ls_pass_master(stations, platform, costs, chunk->units, &passage);
    ls_pass_network(stations, costs, chunk->units, &passage);
    ls_pass_worker(stations, platform, costs, chunk, &passage);
  }
  *refused = i;
}

/* Nothing comes back and one transfer runs at a time: a pass over the chunks that keeps nothing. */
static enum ls_status play_outward(const struct ls_plan *plan, const struct ls_platform *platform,
                                   const struct survey *survey, double *makespan_s,
                                   struct ls_error *err) {
  struct ls_stations stations = {.free_s = calloc(platform->workers_count, sizeof(double))};
  if (stations.free_s == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to replay %zu workers", platform->workers_count);
  }
  enum ls_status status = LS_OK;
  if (survey->has_stages) status = ls_staging_create(platform, &stations.staging, err);
  if (status != LS_OK) {
    free(stations.free_s);
    return status;
  }
  size_t refused;
  if (survey->has_windows)
    pass_outward(plan, platform, true, &stations, &refused);
  else
    pass_outward(plan, platform, false, &stations, &refused);
  status = refused < plan->chunks_count ? refuse_chunk(plan, platform, refused, err) : LS_OK;
  double found_s = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    found_s = ls_larger(found_s, stations.free_s[i]);
  }
  /* Stations follow each other: none is free before the one in front of it. */
  assert(!(stations.network_s < stations.master_s));
  assert(status != LS_OK || !(found_s < stations.network_s));
  ls_staging_destroy(stations.staging);
  free(stations.free_s);
  if (status == LS_OK) status = check_makespan(found_s, err);
  if (status == LS_OK) *makespan_s = found_s;
  return status;
}

enum ls_status ls_replay_makespan(const struct ls_plan *plan, const struct ls_platform *platform,
                                  double *makespan_s, struct ls_error *err) {
  enum ls_status status = ls_plan_finish(plan, err);
  if (status != LS_OK) return status;
  struct survey survey = survey_platform(plan, platform);
  bool is_outward = platform->ports != LS_PORTS_MULTI && !survey.has_replies;
  if (!ls_plan_repeats(plan) && is_outward && !survey.shares_storage) {
    return play_outward(plan, platform, &survey, makespan_s, err);
  }
  struct ls_plan_chunk *chunks = calloc(plan->chunks_count + 1, sizeof *chunks);
  if (chunks == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to replay %zu chunks", plan->chunks_count);
  }
  for (size_t i = 0; i < plan->chunks_count; i++) chunks[i] = plan->chunks[i];
  if (ls_plan_repeats(plan)) {
    struct ls_plan own = *plan;
    own.chunks = chunks;
    own.repeat.last_end_s = NULL;
    status = play_repeat(&own, platform, makespan_s, err);
    free(own.repeat.last_end_s);
    free(chunks);
    return status;
  }
  status = play(plan, platform, chunks, err);
  double found_s = find_makespan(chunks, plan->chunks_count);
  if (status == LS_OK) status = check_makespan(found_s, err);
  assert(status != LS_OK || found_s >= 0);
  if (status == LS_OK) *makespan_s = found_s;
  free(chunks);
  return status;
}
