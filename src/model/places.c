#include "model/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum ls_status ls_places_pool(struct ls_places *places, const char *name, uint32_t *pool,
                              struct ls_error *err) {
  char cut[LS_PLACES_NAME_BYTES];
  (void)snprintf(cut, sizeof cut, "%s", name);
  for (size_t i = 0; i < places->pools_count; i++) {
    if (strcmp(places->pools[i], cut) != 0) continue;
    *pool = (uint32_t)i;
    return LS_OK;
  }
  void *pools = places->pools;
  enum ls_status status = ls_array_reserve(&pools, &places->pools_capacity, places->pools_count + 1,
                                           sizeof *places->pools);
  places->pools = pools;
  if (status != LS_OK) return ls_fail(err, status, "out of memory for pool '%s'", cut);
  memcpy(places->pools[places->pools_count], cut, sizeof cut);
  *pool = (uint32_t)places->pools_count++;
  return LS_OK;
}

enum ls_status ls_places_add(struct ls_places *places, const struct ls_place_change *change,
                             struct ls_error *err) {
  void *changes = places->changes;
  enum ls_status status =
      ls_array_reserve(&changes, &places->capacity, places->count + 1, sizeof *places->changes);
  places->changes = changes;
  if (status != LS_OK)
    return ls_fail(err, status, "out of memory for %zu changes of workers", places->count + 1);
  places->changes[places->count] = *change;
  places->changes[places->count].order = places->count;
  places->count++;
  return LS_OK;
}

static int compare(const void *left, const void *right) {
  const struct ls_place_change *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  return a->order < b->order ? -1 : 1;
}

void ls_places_sort(struct ls_places *places) {
  if (places->count > 0) qsort(places->changes, places->count, sizeof *places->changes, compare);
}

/* Never below 0: what a pool has told twice, or not at all, breaks no count. */
static void take(uint64_t *from, uint64_t workers) {
  *from -= workers < *from ? workers : *from;
}

void ls_places_follow(struct ls_places_counts *counts, const struct ls_place_change *change) {
  uint64_t workers = change->workers;
  switch (change->kind) {
    case LS_PLACE_WANTED:
      counts->wanted = workers;
      break;
    case LS_PLACE_PENDING:
      counts->pending += workers;
      break;
    case LS_PLACE_GRANTED:
      take(&counts->pending, workers);
      counts->coming += workers;
      counts->granted += workers;
      break;
    case LS_PLACE_REFUSED:
      take(&counts->pending, workers);
      break;
    case LS_PLACE_MISSED:
      take(&counts->coming, workers);
      break;
    case LS_PLACE_JOINED:
      take(&counts->coming, workers);
      counts->working += workers;
      counts->joined += workers;
      break;
    case LS_PLACE_ARRIVED:
      counts->working += workers;
      counts->joined += workers;
      break;
    case LS_PLACE_SUSPENDED:
      take(&counts->working, workers);
      counts->suspended += workers;
      counts->suspensions += workers;
      break;
    case LS_PLACE_RESUMED:
      take(&counts->suspended, workers);
      counts->working += workers;
      break;
    case LS_PLACE_LEFT:
      take(&counts->working, workers);
      counts->left += workers;
      break;
    case LS_PLACE_LOST:
      take(&counts->working, workers);
      counts->lost += workers;
      break;
    case LS_PLACE_LOST_SUSPENDED:
      take(&counts->suspended, workers);
      counts->lost += workers;
      break;
    case LS_PLACE_KIND_COUNT:
      break;
  }
}

struct ls_places_counts ls_places_at(const struct ls_places *places, uint32_t pool, double time_s) {
  struct ls_places_counts counts = {0};
  for (size_t i = 0; i < places->count && places->changes[i].time_s <= time_s; i++) {
    const struct ls_place_change *change = &places->changes[i];
    if (pool == LS_PLACES_ALL || change->kind == LS_PLACE_WANTED || change->pool == pool)
      ls_places_follow(&counts, change);
  }
  return counts;
}

void ls_places_close(struct ls_places *places) {
  free(places->pools);
  free(places->changes);
  *places = (struct ls_places){0};
}
