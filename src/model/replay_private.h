/* replay_private.h: the stations of the replay, and its pieces that stand in their own files.
 *
 * replay.c plays one network or one for each direction, replay_repeat.c plans that repeat,
 * replay_multi.c shared networks, whose transfers replay_share.c times, replay_stage.c the readers,
 * replay_storage.c those that wait for a storage.  The passes are inline: searches replay millions
 * of plans.
 */
#ifndef LS_MODEL_REPLAY_PRIVATE_H
#define LS_MODEL_REPLAY_PRIVATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/windows.h"

/* What the outward stations hold between two chunks. */
struct ls_stations {
  double master_s, network_s;
  double *free_s;             /* by worker */
  struct ls_staging *staging; /* NULL: nobody stages */
};

/* Where a chunk was, and when. */
struct ls_passage {
  double send_start_s, send_end_s;
  double transfer_start_s, transfer_end_s;
  double stage_start_s; /* NAN: nothing is staged */
  double compute_start_s, compute_end_s;
};

static inline double ls_larger(double a, double b) {
  return a > b ? a : b;
}

/* Every chunk has units > 0, so the test of ls_cost_time is not needed here. */
static inline double ls_cost_of(const struct ls_cost *cost, double units) {
  return cost->latency_s + cost->per_unit_s * units;
}

/* `costs` are those of the chunk: ls_worker_costs, found once for all stations. */
static inline void ls_pass_master(struct ls_stations *stations, const struct ls_platform *platform,
                                  const struct ls_cost *costs, double units,
                                  struct ls_passage *passage) {
  passage->send_start_s = stations->master_s;
  stations->master_s +=
      ls_cost_of(&platform->prepare, units) + ls_cost_of(&costs[LS_OPERATION_SEND], units);
  passage->send_end_s = stations->master_s;
}

static inline void ls_pass_network(struct ls_stations *stations, const struct ls_cost *costs,
                                   double units, struct ls_passage *passage) {
  passage->transfer_start_s = ls_larger(stations->network_s, passage->send_end_s);
  stations->network_s =
      passage->transfer_start_s + ls_cost_of(&costs[LS_OPERATION_TRANSFER], units);
  passage->transfer_end_s = stations->network_s;
}

/* The readers of the workers, between two chunks. */
struct ls_staging {
  size_t ahead;
  double *reader_s; /* by worker: its reader is busy until then */
  double *begun_s;  /* by worker, of its `ahead` latest chunks when they began, as a ring */
  uint64_t *passed; /* chunks by worker */
  double place_s;   /* the storage has a place for the next chunk from then on */
};

/* *out is NULL where nothing is to be staged. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_staging_create(const struct ls_platform *platform,
                                            struct ls_staging **out, struct ls_error *err);
void ls_staging_destroy(struct ls_staging *staging);
/* When the reader of its worker could begin a chunk that is there from `arrival_s` on. */
double ls_reader_ready(const struct ls_stations *stations, const struct ls_plan_chunk *chunk,
                       double arrival_s);
/* A chunk that its worker has from `arrival_s` on: when it is staged. */
double ls_pass_reader(struct ls_stations *stations, const struct ls_cost *costs,
                      const struct ls_plan_chunk *chunk, double arrival_s,
                      struct ls_passage *passage);

static inline void ls_pass_worker(struct ls_stations *stations, const struct ls_platform *platform,
                                  const struct ls_cost *costs, const struct ls_plan_chunk *chunk,
                                  struct ls_passage *passage) {
  const struct ls_worker_model *worker = &platform->workers[chunk->worker];
  double *free_s = &stations->free_s[chunk->worker];
  double ready_s = passage->transfer_end_s + worker->delay_s;
  passage->stage_start_s = (double)NAN;
  if (stations->staging != NULL) ready_s = ls_pass_reader(stations, costs, chunk, ready_s, passage);
  double start_s = ls_larger(ready_s, *free_s);
  passage->compute_start_s = start_s + ls_cost_of(&costs[LS_OPERATION_RECEIVE], chunk->units);
  passage->compute_end_s =
      passage->compute_start_s + ls_cost_of(&costs[LS_OPERATION_COMPUTE], chunk->units);
  *free_s = passage->compute_end_s;
}

/* The readers of all workers and the storage, which has places for some of them; chunks come to it
 * as they arrive at their workers, and are computed behind it. */
struct ls_storage;

/* *out is NULL where everybody may read at any time; `chunks` and the stations, which have readers,
 * are borrowed. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_storage_create(const struct ls_platform *platform,
                                            struct ls_plan_chunk *chunks, size_t count,
                                            struct ls_stations *stations, struct ls_storage **out);
void ls_storage_destroy(struct ls_storage *storage);
/* The chunk at `index` has arrived; its transfer is known. */
LS_CHECKED enum ls_status ls_storage_arrive(struct ls_storage *storage, size_t index);
/* Finds the times of the next chunk that comes to be staged before `until_s`, before which no other
 * one will arrive; *index: its number, SIZE_MAX: there is none. */
LS_CHECKED enum ls_status ls_storage_next(struct ls_storage *storage, double until_s,
                                          size_t *index);

static inline void ls_note_passage(struct ls_plan_chunk *chunk, const struct ls_passage *passage) {
  chunk->send_start_s = passage->send_start_s;
  chunk->transfer_start_s = passage->transfer_start_s;
  chunk->transfer_end_s = passage->transfer_end_s;
  chunk->compute_start_s = passage->compute_start_s;
  chunk->compute_end_s = passage->compute_end_s;
  chunk->stage_start_s = passage->stage_start_s;
  chunk->reply_start_s = (double)NAN;
  chunk->reply_end_s = (double)NAN;
}

/* Without an order, a chunk replies when its reply costs something. */
static inline bool ls_does_reply(const struct ls_platform *platform,
                                 const struct ls_plan_chunk *chunk) {
  const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
  return ls_cost_of(&costs[LS_OPERATION_REPLY], chunk->units) > 0;
}

/* One message on a network that several share: it waits for `ready_s`, spends `latency_s` without
 * using bandwidth, then moves `work_s` seconds' worth of data (at full rate). */
struct ls_shared_transfer {
  uint32_t worker; /* whose link carries it */
  double ready_s, latency_s, work_s;
  double start_s, end_s; /* found */
};

/* Plays `count` transfers that start in the order of the array, at most `limit` (0: any number) at
 * once from start to end, of which those that move data run at 1/k^alpha of their rate each.  A
 * worker's link carries one at a time: what finds it busy waits for it, and lets others pass.
 * O(n log n). */
LS_CHECKED enum ls_status ls_replay_share(struct ls_shared_transfer *transfers, size_t count,
                                          double alpha, uint64_t limit, struct ls_error *err);

/* A plan that repeats, whose chunks are playable: their times, and the makespan. */
LS_CHECKED enum ls_status ls_replay_repeat(struct ls_plan *plan, const struct ls_platform *platform,
                                           double *makespan_s, struct ls_error *err);

/* Under multi-port: the times of all chunks, which are playable; the stations are new. */
LS_CHECKED enum ls_status ls_replay_multi(const struct ls_plan *plan,
                                          const struct ls_platform *platform,
                                          struct ls_plan_chunk *chunks,
                                          struct ls_stations *stations, struct ls_error *err);

#endif
