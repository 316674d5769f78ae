/* replay_multi.c: plans on networks that several transfers share. */
#include <assert.h>
#include <stdlib.h>

#include "model/replay_private.h"

/* A chunk by the time at which it reaches a station, ties by number. */
struct arrival {
  double time_s;
  size_t chunk;
};

/* One replay on its way. */
struct playing {
  const struct ls_plan *plan;
  const struct ls_platform *platform;
  struct ls_plan_chunk *chunks;
  struct ls_stations *stations;
  struct ls_shared_transfer *transfers;
  struct arrival *arrivals;
};

static int compare_arrivals(const void *left, const void *right) {
  const struct arrival *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

/* The way out under multi-port: transfers to different workers overtake each other. */
static enum ls_status play_out(struct playing *playing, struct ls_error *err) {
  const struct ls_platform *platform = playing->platform;
  struct ls_stations *stations = playing->stations;
  struct ls_shared_transfer *transfers = playing->transfers;
  struct arrival *arrivals = playing->arrivals;
  size_t count = playing->plan->chunks_count;
  for (size_t i = 0; i < count; i++) {
    struct ls_plan_chunk *chunk = &playing->chunks[i];
    const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
    const struct ls_cost *transfer = &costs[LS_OPERATION_TRANSFER];
    struct ls_passage passage;
    ls_pass_master(stations, platform, costs, chunk->units, &passage);
    chunk->send_start_s = passage.send_start_s;
    transfers[i] = (struct ls_shared_transfer){.worker = chunk->worker,
                                               .ready_s = passage.send_end_s,
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
  struct ls_storage *storage = NULL;
  status = ls_storage_create(platform, playing->chunks, count, stations, &storage);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_plan_chunk *chunk = &playing->chunks[arrivals[i].chunk];
    const struct ls_shared_transfer *transfer = &transfers[arrivals[i].chunk];
    assert(!(transfer->start_s < transfer->ready_s) && transfer->end_s >= transfer->start_s);
    struct ls_passage passage = {.send_start_s = chunk->send_start_s,
                                 .transfer_start_s = transfer->start_s,
                                 .transfer_end_s = transfer->end_s};
    const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
    if (storage == NULL) ls_pass_worker(stations, platform, costs, chunk, &passage);
    ls_note_passage(chunk, &passage);
    if (storage != NULL) status = ls_storage_arrive(storage, arrivals[i].chunk);
  }
  size_t index = 0;
  while (storage != NULL && status == LS_OK && index != SIZE_MAX)
    status = ls_storage_next(storage, (double)INFINITY, &index);
  ls_storage_destroy(storage);
  return status == LS_OK ? LS_OK : ls_fail(err, status, "no memory to replay %zu chunks", count);
}

/* The way back under multi-port. */
static enum ls_status play_back(struct playing *playing, struct ls_error *err) {
  const struct ls_platform *platform = playing->platform;
  const struct ls_plan *plan = playing->plan;
  struct ls_shared_transfer *transfers = playing->transfers;
  struct arrival *arrivals = playing->arrivals;
  size_t count = 0;
  if (plan->has_returns) {
    for (; count < plan->returns_count; count++) arrivals[count].chunk = plan->returns[count];
  } else {
    for (size_t i = 0; i < plan->chunks_count; i++) {
      if (!ls_does_reply(platform, &playing->chunks[i])) continue;
      arrivals[count++] = (struct arrival){.time_s = playing->chunks[i].compute_end_s, .chunk = i};
    }
    qsort(arrivals, count, sizeof *arrivals, compare_arrivals);
  }
  assert(count <= plan->chunks_count);
  for (size_t i = 0; i < count; i++) {
    const struct ls_plan_chunk *chunk = &playing->chunks[arrivals[i].chunk];
    const struct ls_cost *reply =
        &ls_worker_costs(&platform->workers[chunk->worker], chunk->units)[LS_OPERATION_REPLY];
    transfers[i] = (struct ls_shared_transfer){.worker = chunk->worker,
                                               .ready_s = chunk->compute_end_s,
                                               .latency_s = reply->latency_s,
                                               .work_s = reply->per_unit_s * chunk->units};
  }
  enum ls_status status =
      ls_replay_share(transfers, count, platform->ports_alpha, platform->ports_limit, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    assert(!(transfers[i].start_s < transfers[i].ready_s));
    playing->chunks[arrivals[i].chunk].reply_start_s = transfers[i].start_s;
    playing->chunks[arrivals[i].chunk].reply_end_s = transfers[i].end_s;
  }
  return status;
}

enum ls_status ls_replay_multi(const struct ls_plan *plan, const struct ls_platform *platform,
                               struct ls_plan_chunk *chunks, struct ls_stations *stations,
                               struct ls_error *err) {
  size_t count = plan->chunks_count + 1;
  struct playing playing = {.plan = plan,
                            .platform = platform,
                            .chunks = chunks,
                            .stations = stations,
                            .transfers = calloc(count, sizeof *playing.transfers),
                            .arrivals = calloc(count, sizeof *playing.arrivals)};
  enum ls_status status = LS_OK;
  assert(platform->ports == LS_PORTS_MULTI && plan->returns_count < count);
  if (playing.transfers == NULL || playing.arrivals == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory to replay %zu chunks", count - 1);
  }
  if (status == LS_OK) status = play_out(&playing, err);
  if (status == LS_OK) status = play_back(&playing, err);
  free(playing.arrivals);
  free(playing.transfers);
  return status;
}
