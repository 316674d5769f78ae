#include "model/replay.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "model/replay_private.h"

/* What the outward stations hold between two chunks. */
struct stations {
  double master_s, network_s;
  double *free_s; /* by worker */
};

/* Where a chunk was, and when. */
struct passage {
  double send_start_s, send_end_s;
  double transfer_start_s, transfer_end_s;
  double compute_start_s, compute_end_s;
};

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* Every chunk has units > 0, so the test of ls_cost_time is not needed here. */
static inline double cost_of(const struct ls_cost *cost, double units) {
  return cost->latency_s + cost->per_unit_s * units;
}

static inline void pass_master(struct stations *stations, const struct ls_platform *platform,
                               const struct ls_plan_chunk *chunk, struct passage *passage) {
  const struct ls_worker_model *worker = &platform->workers[chunk->worker];
  passage->send_start_s = stations->master_s;
  stations->master_s +=
      cost_of(&platform->prepare, chunk->units) + cost_of(&worker->send, chunk->units);
  passage->send_end_s = stations->master_s;
}

static inline void pass_network(struct stations *stations, const struct ls_platform *platform,
                                const struct ls_plan_chunk *chunk, struct passage *passage) {
  const struct ls_worker_model *worker = &platform->workers[chunk->worker];
  passage->transfer_start_s = larger(stations->network_s, passage->send_end_s);
  stations->network_s = passage->transfer_start_s + cost_of(&worker->transfer, chunk->units);
  passage->transfer_end_s = stations->network_s;
}

static inline void pass_worker(struct stations *stations, const struct ls_platform *platform,
                               const struct ls_plan_chunk *chunk, struct passage *passage) {
  const struct ls_worker_model *worker = &platform->workers[chunk->worker];
  double *free_s = &stations->free_s[chunk->worker];
  double start_s = larger(passage->transfer_end_s + worker->delay_s, *free_s);
  passage->compute_start_s = start_s + cost_of(&worker->receive, chunk->units);
  passage->compute_end_s = passage->compute_start_s + cost_of(&worker->compute, chunk->units);
  *free_s = passage->compute_end_s;
}

static inline void note_passage(struct ls_plan_chunk *chunk, const struct passage *passage) {
  chunk->send_start_s = passage->send_start_s;
  chunk->transfer_start_s = passage->transfer_start_s;
  chunk->transfer_end_s = passage->transfer_end_s;
  chunk->compute_start_s = passage->compute_start_s;
  chunk->compute_end_s = passage->compute_end_s;
  chunk->reply_start_s = (double)NAN;
  chunk->reply_end_s = (double)NAN;
}

static inline bool is_playable(const struct ls_plan_chunk *chunk,
                               const struct ls_platform *platform) {
  return chunk->worker < platform->workers_count && chunk->units > 0 && chunk->units <= DBL_MAX;
}

static enum ls_status refuse_chunk(const struct ls_plan *plan, const struct ls_platform *platform,
                                   size_t index, struct ls_error *err) {
  const struct ls_plan_chunk *chunk = &plan->chunks[index];
  if (chunk->worker >= platform->workers_count) {
    return ls_fail(err, LS_EINVAL, "chunk %zu: worker is %u, must be below %zu", index,
                   chunk->worker, platform->workers_count);
  }
  return ls_fail(err, LS_EINVAL, "chunk %zu: units is %g, must be finite and > 0", index,
                 chunk->units);
}

/* Does anything ever come back? */
static bool has_replies(const struct ls_plan *plan, const struct ls_platform *platform) {
  if (plan->has_returns) return plan->returns_count > 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_cost *reply = &platform->workers[i].reply;
    if (reply->latency_s > 0 || reply->per_unit_s > 0) return true;
  }
  return false;
}

/* Without an order, a chunk replies when its reply costs something. */
static bool does_reply(const struct ls_platform *platform, const struct ls_plan_chunk *chunk) {
  return cost_of(&platform->workers[chunk->worker].reply, chunk->units) > 0;
}

/* The order of returns must name chunks, each at most once. */
static enum ls_status check_returns(const struct ls_plan *plan, struct ls_error *err) {
  if (!plan->has_returns || plan->returns_count == 0) return LS_OK;
  bool *is_seen = calloc(plan->chunks_count + 1, sizeof *is_seen);
  if (is_seen == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the order of returns");
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->returns_count && status == LS_OK; i++) {
    size_t chunk = plan->returns[i];
    if (chunk >= plan->chunks_count) {
      status = ls_fail(err, LS_EINVAL, "returns[%zu] is %zu, must be below %zu, the chunks", i,
                       chunk, plan->chunks_count);
    } else if (is_seen[chunk]) {
      status = ls_fail(err, LS_EINVAL, "returns[%zu]: chunk %zu is listed twice", i, chunk);
    } else {
      is_seen[chunk] = true;
    }
  }
  free(is_seen);
  return status;
}

static void play_reply(const struct ls_platform *platform, struct ls_plan_chunk *chunk,
                       double *port_s) {
  assert(!isnan(chunk->compute_end_s));
  chunk->reply_start_s = larger(*port_s, chunk->compute_end_s);
  chunk->reply_end_s =
      chunk->reply_start_s + cost_of(&platform->workers[chunk->worker].reply, chunk->units);
  *port_s = chunk->reply_end_s;
}

/* The next reply: by the plan's order, or the one whose computing ended first. */
struct replies {
  const struct ls_plan *plan;
  const struct ls_platform *platform;
  struct ls_plan_chunk *chunks;
  size_t sent; /* chunks before this index have been computed (their times are known) */
  size_t next_return;
  struct ls_heap computed; /* unused with an order */
};

static enum ls_status note_computed(struct replies *replies, size_t index) {
  replies->sent = index + 1;
  const struct ls_plan_chunk *chunk = &replies->chunks[index];
  if (replies->plan->has_returns || !does_reply(replies->platform, chunk)) return LS_OK;
  /* Pushes come in the order of the chunks, which thereby decides ties. */
  return ls_heap_push(&replies->computed, chunk->compute_end_s, 0, index);
}

/* The chunk that may reply next, NULL when there is none yet. */
static struct ls_plan_chunk *find_reply(const struct replies *replies) {
  if (replies->plan->has_returns) {
    if (replies->next_return == replies->plan->returns_count) return NULL;
    size_t index = replies->plan->returns[replies->next_return];
    return index < replies->sent ? &replies->chunks[index] : NULL;
  }
  const struct ls_heap_item *first = ls_heap_first(&replies->computed);
  return first == NULL ? NULL : &replies->chunks[first->payload];
}

static void take_reply(struct replies *replies) {
  struct ls_heap_item item;
  if (replies->plan->has_returns) {
    replies->next_return++;
  } else {
    bool is_there = ls_heap_pop(&replies->computed, &item);
    assert(is_there);
    (void)is_there;
  }
}

/* One network in each direction, or one for both: with one, what was ready first goes first, and of
 * equals what is sent. */
static enum ls_status play_ports(struct stations *stations, struct replies *replies) {
  const struct ls_plan *plan = replies->plan;
  const struct ls_platform *platform = replies->platform;
  double back_s = 0;
  bool is_shared = platform->ports == LS_PORTS_ONE;
  double *port_s = is_shared ? &stations->network_s : &back_s;
  enum ls_status status = LS_OK;
  struct ls_plan_chunk *reply;
  for (size_t i = 0; i < plan->chunks_count && status == LS_OK; i++) {
    struct passage passage;
    pass_master(stations, platform, &replies->chunks[i], &passage);
    while (is_shared && (reply = find_reply(replies)) != NULL &&
           reply->compute_end_s < passage.send_end_s) {
      play_reply(platform, reply, port_s);
      take_reply(replies);
    }
    pass_network(stations, platform, &replies->chunks[i], &passage);
    pass_worker(stations, platform, &replies->chunks[i], &passage);
    note_passage(&replies->chunks[i], &passage);
    status = note_computed(replies, i);
  }
  while (status == LS_OK && (reply = find_reply(replies)) != NULL) {
    play_reply(platform, reply, port_s);
    take_reply(replies);
  }
  return status;
}

/* A chunk by the time at which it reaches a station, ties by number. */
struct arrival {
  double time_s;
  size_t chunk;
};

static int compare_arrivals(const void *left, const void *right) {
  const struct arrival *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

/* The way out under multi-port: transfers overtake each other, so the worker serves in the order of
 * arrival. */
static enum ls_status play_shared_out(struct stations *stations, struct replies *replies,
                                      struct ls_shared_transfer *transfers,
                                      struct arrival *arrivals, struct ls_error *err) {
  const struct ls_platform *platform = replies->platform;
  size_t count = replies->plan->chunks_count;
  for (size_t i = 0; i < count; i++) {
    struct ls_plan_chunk *chunk = &replies->chunks[i];
    const struct ls_cost *transfer = &platform->workers[chunk->worker].transfer;
    struct passage passage;
    pass_master(stations, platform, chunk, &passage);
    chunk->send_start_s = passage.send_start_s;
    transfers[i] = (struct ls_shared_transfer){.ready_s = passage.send_end_s,
                                               .latency_s = transfer->latency_s,
                                               .work_s = transfer->per_unit_s * chunk->units};
  }
  enum ls_status status =
      ls_replay_share(transfers, count, platform->ports_alpha, platform->ports_limit, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < count; i++) {
    arrivals[i] = (struct arrival){.time_s = transfers[i].end_s, .chunk = i};
  }
  qsort(arrivals, count, sizeof *arrivals, compare_arrivals);
  for (size_t i = 0; i < count; i++) {
    struct ls_plan_chunk *chunk = &replies->chunks[arrivals[i].chunk];
    const struct ls_shared_transfer *transfer = &transfers[arrivals[i].chunk];
    struct passage passage = {.send_start_s = chunk->send_start_s,
                              .transfer_start_s = transfer->start_s,
                              .transfer_end_s = transfer->end_s};
    pass_worker(stations, platform, chunk, &passage);
    note_passage(chunk, &passage);
  }
  return LS_OK;
}

/* The way back under multi-port. */
static enum ls_status play_shared_back(struct replies *replies,
                                       struct ls_shared_transfer *transfers,
                                       struct arrival *arrivals, struct ls_error *err) {
  const struct ls_platform *platform = replies->platform;
  const struct ls_plan *plan = replies->plan;
  size_t count = 0;
  if (plan->has_returns) {
    for (; count < plan->returns_count; count++) arrivals[count].chunk = plan->returns[count];
  } else {
    for (size_t i = 0; i < plan->chunks_count; i++) {
      if (!does_reply(platform, &replies->chunks[i])) continue;
      arrivals[count++] = (struct arrival){.time_s = replies->chunks[i].compute_end_s, .chunk = i};
    }
    qsort(arrivals, count, sizeof *arrivals, compare_arrivals);
  }
  for (size_t i = 0; i < count; i++) {
    const struct ls_plan_chunk *chunk = &replies->chunks[arrivals[i].chunk];
    const struct ls_cost *reply = &platform->workers[chunk->worker].reply;
    transfers[i] = (struct ls_shared_transfer){.ready_s = chunk->compute_end_s,
                                               .latency_s = reply->latency_s,
                                               .work_s = reply->per_unit_s * chunk->units};
  }
  enum ls_status status =
      ls_replay_share(transfers, count, platform->ports_alpha, platform->ports_limit, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    replies->chunks[arrivals[i].chunk].reply_start_s = transfers[i].start_s;
    replies->chunks[arrivals[i].chunk].reply_end_s = transfers[i].end_s;
  }
  return status;
}

static enum ls_status play_multi(struct stations *stations, struct replies *replies,
                                 struct ls_error *err) {
  size_t count = replies->plan->chunks_count + 1;
  struct ls_shared_transfer *transfers = calloc(count, sizeof *transfers);
  struct arrival *arrivals = calloc(count, sizeof *arrivals);
  enum ls_status status = LS_OK;
  if (transfers == NULL || arrivals == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory to replay %zu chunks", count - 1);
  }
  if (status == LS_OK) status = play_shared_out(stations, replies, transfers, arrivals, err);
  if (status == LS_OK) status = play_shared_back(replies, transfers, arrivals, err);
  free(arrivals);
  free(transfers);
  return status;
}

/* Any plan on any platform; `chunks` is where the times go. */
static enum ls_status play(const struct ls_plan *plan, const struct ls_platform *platform,
                           struct ls_plan_chunk *chunks, struct ls_error *err) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    if (!is_playable(&chunks[i], platform)) return refuse_chunk(plan, platform, i, err);
  }
  enum ls_status status = check_returns(plan, err);
  if (status != LS_OK) return status;
  struct stations stations = {.free_s = calloc(platform->workers_count, sizeof(double))};
  if (stations.free_s == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to replay %zu workers", platform->workers_count);
  }
  struct replies replies = {.plan = plan, .platform = platform, .chunks = chunks};
  if (platform->ports == LS_PORTS_MULTI) {
    status = play_multi(&stations, &replies, err);
  } else {
    status = play_ports(&stations, &replies);
    if (status != LS_OK) {
      status = ls_fail(err, status, "no memory to replay %zu chunks", plan->chunks_count);
    }
  }
  ls_heap_close(&replies.computed);
  free(stations.free_s);
  return status;
}

static double find_makespan(const struct ls_plan_chunk *chunks, size_t count) {
  double makespan_s = 0;
  for (size_t i = 0; i < count; i++) {
    makespan_s = larger(makespan_s, chunks[i].compute_end_s);
    if (chunks[i].reply_end_s > makespan_s) makespan_s = chunks[i].reply_end_s;
  }
  return makespan_s;
}

static enum ls_status check_makespan(double makespan_s, struct ls_error *err) {
  if (isfinite(makespan_s)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "the replay's makespan is %g, must be finite", makespan_s);
}

enum ls_status ls_replay(struct ls_plan *plan, const struct ls_platform *platform,
                         struct ls_error *err) {
  enum ls_status status = ls_plan_finish(plan, err);
  if (status == LS_OK) status = play(plan, platform, plan->chunks, err);
  if (status != LS_OK) return status;
  double makespan_s = find_makespan(plan->chunks, plan->chunks_count);
  status = check_makespan(makespan_s, err);
  if (status == LS_OK) plan->makespan_s = makespan_s;
  return status;
}

/* Nothing comes back and one transfer runs at a time: a pass over the chunks that keeps nothing. */
static enum ls_status play_outward(const struct ls_plan *plan, const struct ls_platform *platform,
                                   double *makespan_s, struct ls_error *err) {
  struct stations stations = {.free_s = calloc(platform->workers_count, sizeof(double))};
  if (stations.free_s == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to replay %zu workers", platform->workers_count);
  }
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (!is_playable(chunk, platform)) {
      status = refuse_chunk(plan, platform, i, err);
      break;
    }
    struct passage passage;
    pass_master(&stations, platform, chunk, &passage);
    pass_network(&stations, platform, chunk, &passage);
    pass_worker(&stations, platform, chunk, &passage);
  }
  double found_s = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    found_s = larger(found_s, stations.free_s[i]);
  }
  free(stations.free_s);
  if (status == LS_OK) status = check_makespan(found_s, err);
  if (status == LS_OK) *makespan_s = found_s;
  return status;
}

enum ls_status ls_replay_makespan(const struct ls_plan *plan, const struct ls_platform *platform,
                                  double *makespan_s, struct ls_error *err) {
  enum ls_status status = ls_plan_finish(plan, err);
  if (status != LS_OK) return status;
  if (platform->ports != LS_PORTS_MULTI && !has_replies(plan, platform)) {
    return play_outward(plan, platform, makespan_s, err);
  }
  struct ls_plan_chunk *chunks = calloc(plan->chunks_count + 1, sizeof *chunks);
  if (chunks == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to replay %zu chunks", plan->chunks_count);
  }
  for (size_t i = 0; i < plan->chunks_count; i++) chunks[i] = plan->chunks[i];
  status = play(plan, platform, chunks, err);
  double found_s = find_makespan(chunks, plan->chunks_count);
  if (status == LS_OK) status = check_makespan(found_s, err);
  if (status == LS_OK) *makespan_s = found_s;
  free(chunks);
  return status;
}
