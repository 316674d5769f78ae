/* replay_storage.c: readers that wait for a place at the storage, first come first served.
 *
 * A reader asks for a place when it could begin its next chunk.  Whoever asks later can only ask at
 * a later time: a worker's next chunk is asked for when the one before has been staged, at the
 * earliest.  So requests are served in the order of their times, equal ones by the number of the
 * chunk, each at the place that is free first.  A chunk that needs no staging asks too, to keep its
 * turn among its worker's, and takes no place.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "model/replay_private.h"

struct ls_storage {
  const struct ls_platform *platform;
  struct ls_plan_chunk *chunks;
  struct ls_stations *stations;
  size_t none;           /* no chunk */
  size_t *next;          /* of each chunk, the one that arrived behind it at its worker */
  size_t *first, *last;  /* by worker: its chunks that have arrived and are not staged */
  struct ls_heap asked;  /* the first of each worker */
  struct ls_heap places; /* when those that were ever taken are free */
};

enum ls_status ls_storage_create(const struct ls_platform *platform, struct ls_plan_chunk *chunks,
                                 size_t count, struct ls_stations *stations,
                                 struct ls_storage **out) {
  *out = NULL;
  if (!ls_platform_shares_storage(platform)) return LS_OK;
  size_t workers = platform->workers_count;
  struct ls_storage *storage = calloc(1, sizeof *storage);
  if (storage == NULL) return LS_ENOMEM;
  *storage = (struct ls_storage){.platform = platform,
                                 .chunks = chunks,
                                 .stations = stations,
                                 .none = count,
                                 .next = calloc(count + 1, sizeof(size_t)),
                                 .first = calloc(workers, sizeof(size_t)),
                                 .last = calloc(workers, sizeof(size_t))};
  if (storage->next == NULL || storage->first == NULL || storage->last == NULL) {
    ls_storage_destroy(storage);
    return LS_ENOMEM;
  }
  for (size_t i = 0; i < workers; i++) storage->first[i] = storage->last[i] = count;
  *out = storage;
  return LS_OK;
}

void ls_storage_destroy(struct ls_storage *storage) {
  if (storage == NULL) return;
  ls_heap_close(&storage->asked);
  ls_heap_close(&storage->places);
  free(storage->next);
  free(storage->first);
  free(storage->last);
  free(storage);
}

static enum ls_status ask(struct ls_storage *storage, size_t index, double least_s) {
  const struct ls_plan_chunk *chunk = &storage->chunks[index];
  double arrival_s = chunk->transfer_end_s + storage->platform->workers[chunk->worker].delay_s;
  double ready_s = ls_larger(ls_reader_ready(storage->stations, chunk, arrival_s), least_s);
  uint32_t rank = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
  return ls_heap_push(&storage->asked, ready_s, rank, index);
}

enum ls_status ls_storage_arrive(struct ls_storage *storage, size_t index) {
  uint32_t worker = storage->chunks[index].worker;
  bool is_first = storage->first[worker] == storage->none;
  storage->next[index] = storage->none;
  if (is_first)
    storage->first[worker] = index;
  else
    storage->next[storage->last[worker]] = index;
  storage->last[worker] = index;
  return is_first ? ask(storage, index, 0) : LS_OK;
}

/* From when on there is a place; the one that is free first is taken. */
static double take_place(struct ls_storage *storage, double asked_s) {
  struct ls_heap_item free;
  if (storage->places.count < storage->platform->storage_readers) return asked_s;
  bool is_there = ls_heap_pop(&storage->places, &free);
  assert(is_there);
  (void)is_there;
  return ls_larger(free.time_s, asked_s);
}

enum ls_status ls_storage_next(struct ls_storage *storage, double until_s, size_t *index) {
  const struct ls_heap_item *first = ls_heap_first(&storage->asked);
  struct ls_heap_item item;
  *index = SIZE_MAX;
  if (first == NULL || !(first->time_s < until_s) || !ls_heap_pop(&storage->asked, &item))
    return LS_OK;
  size_t found = (size_t)item.payload;
  struct ls_plan_chunk *chunk = &storage->chunks[found];
  const struct ls_cost *costs =
      ls_worker_costs(&storage->platform->workers[chunk->worker], chunk->units);
  double stage_s = ls_cost_of(&costs[LS_OPERATION_STAGE], chunk->units);
  struct ls_passage passage = {.send_start_s = chunk->send_start_s,
                               .transfer_start_s = chunk->transfer_start_s,
                               .transfer_end_s = chunk->transfer_end_s};
  enum ls_status status = LS_OK;
  if (stage_s > 0) {
    double place_s = take_place(storage, item.time_s);
    storage->stations->staging->place_s = place_s;
    status = ls_heap_push(&storage->places, place_s + stage_s, 0, 0);
  }
  ls_pass_worker(storage->stations, storage->platform, costs, chunk, &passage);
  ls_note_passage(chunk, &passage);
  storage->first[chunk->worker] = storage->next[found];
  if (status == LS_OK && storage->next[found] != storage->none)
    status = ask(storage, storage->next[found], item.time_s);
  if (status == LS_OK) *index = found;
  return status;
}
