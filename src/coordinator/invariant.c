/* invariant.c: the whole invariant, recounted from the parts. */
#include <stdlib.h>

#include "coordinator/coordinator_private.h"

/* Every unit of the list is in `state` and was not met before; counts them and the pieces. */
static bool is_list_sound(const struct ls_coordinator *c, const struct ls_piece_list *list,
                          uint8_t state, uint8_t *met, uint64_t *units) {
  uint64_t pieces = 0;
  assert(units != NULL);
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = c->pieces.items[i].next) {
    const struct ls_range *range = &c->pieces.items[i].units;
    if (i >= c->pieces.used || range->count == 0 || !ls_range_is_within(range, c->units)) {
      return false;
    }
    if (++pieces > list->pieces) return false;
    for (uint64_t j = range->first; j < range->first + range->count; j++) {
      /* A twin is at two workers. */
      if (c->state[j] != state || met[j] > (ls_twins_has(c, j) ? 1 : 0)) return false;
      met[j]++;
    }
    *units += range->count;
    if (c->pieces.items[i].next == LS_INDEX_NONE && list->last != i) return false;
  }
  return pieces == list->pieces;
}

static bool is_waiting_sound(const struct ls_coordinator *c, uint8_t *met, uint64_t *pieces) {
  const struct ls_waiting *waiting = &c->waiting;
  uint64_t units = 0;
  assert(pieces != NULL);
  if (!is_list_sound(c, &waiting->front, LS_UNIT_WAITING, met, &units)) return false;
  for (uint64_t i = waiting->cursor; i < waiting->end; i++) {
    uint64_t unit = waiting->order != NULL ? waiting->order[i] : i;
    if (unit >= c->units || c->state[unit] != LS_UNIT_WAITING || met[unit]) return false;
    met[unit] = 1;
    units++;
  }
  *pieces += waiting->front.pieces;
  return units == waiting->units;
}

static bool is_member_sound(const struct ls_coordinator *c, uint32_t worker, uint8_t *met,
                            uint64_t *pieces) {
  const struct ls_member *member = &c->members[worker];
  uint64_t units = 0;
  size_t chunks = 0;
  assert(worker < c->config.workers_max);
  for (uint32_t i = member->first_chunk; i != LS_INDEX_NONE; i = c->chunks[i].next) {
    const struct ls_live_chunk *chunk = &c->chunks[i];
    uint64_t before = units;
    if (!is_list_sound(c, &chunk->pieces, LS_UNIT_SENT, met, &units)) return false;
    if (chunk->units == 0 || units - before != chunk->units) return false;
    *pieces += chunk->pieces.pieces;
    chunks++;
  }
  bool is_active = member->presence == LS_PRESENCE_ACTIVE;
  if (c->is_active[worker] != is_active || (member->is_parked && !is_active)) return false;
  return units == member->units && chunks == member->chunks && (units == 0 || is_active);
}

static bool is_parking_sound(const struct ls_coordinator *c) {
  size_t parked = 0, listed = 0;
  assert(c->members != NULL);
  for (uint32_t i = 0; i < c->config.workers_max; i++) parked += c->members[i].is_parked;
  for (uint32_t i = c->parked_first; i != LS_INDEX_NONE; i = c->members[i].parked_next) {
    if (!c->members[i].is_parked || ++listed > parked) return false;
    if (c->members[i].parked_next == LS_INDEX_NONE && c->parked_last != i) return false;
  }
  return listed == parked;
}

static bool are_counts_sound(const struct ls_coordinator *c) {
  uint64_t counts[LS_UNIT_STATES] = {0};
  size_t active = 0, suspended = 0, lost = 0;
  for (uint64_t i = 0; i < c->units; i++) {
    if (c->state[i] >= LS_UNIT_STATES) return false;
    counts[c->state[i]]++;
  }
  for (uint32_t i = 0; i < c->config.workers_max; i++) {
    active += c->members[i].presence == LS_PRESENCE_ACTIVE;
    suspended += c->members[i].presence == LS_PRESENCE_SUSPENDED;
    lost += c->members[i].presence == LS_PRESENCE_LOST;
  }
  assert(active <= c->config.workers_max);
  return counts[LS_UNIT_WAITING] == c->waiting.units && counts[LS_UNIT_SENT] == c->sent &&
         counts[LS_UNIT_DONE] == c->done && counts[LS_UNIT_FAILED] == c->failed &&
         counts[LS_UNIT_GIVEN_UP] == c->given_up && active == c->active &&
         suspended == c->suspended && lost == c->lost;
}

/* A unit of which two copies run is sent, and no failure of one of them was the last. */
static bool are_twins_sound(const struct ls_coordinator *c) {
  assert(c->twins.count <= c->twins.capacity);
  for (size_t i = 0; i < c->twins.count; i++) {
    const struct ls_twin *twin = &c->twins.items[i];
    if (twin->unit >= c->units || c->state[twin->unit] != LS_UNIT_SENT) return false;
    if (c->failures != NULL && c->failures[twin->unit] > c->config.retries) return false;
    for (size_t j = 0; j < 2; j++) {
      if (ls_chunk_holding(c, twin->workers[j], twin->unit) == LS_INDEX_NONE) return false;
    }
  }
  return true;
}

/* No policy keeps anything for a worker that will not come. */
static bool is_awaiting_sound(const struct ls_coordinator *c) {
  size_t awaited = 0;
  for (size_t i = 0; i < c->config.workers_max; i++) {
    if (!c->members[i].is_awaited) continue;
    if (c->members[i].presence != LS_PRESENCE_UNKNOWN || i >= c->config.workers) return false;
    awaited++;
  }
  assert(c->expected <= SIZE_MAX - c->requested);
  return awaited == c->awaited &&
         (!c->is_open || c->policy_state == NULL || awaited <= c->expected + c->requested);
}

bool ls_coordinator_is_sound(const struct ls_coordinator *c) {
  uint64_t pieces = 0;
  size_t chunks = 0;
  if (!are_counts_sound(c) || !is_parking_sound(c) || !are_twins_sound(c) || !is_awaiting_sound(c))
    return false;
  uint8_t *met = calloc(c->units + 1, 1);
  assert(met != NULL);
  bool is_sound = is_waiting_sound(c, met, &pieces);
  for (uint32_t i = 0; is_sound && i < c->config.workers_max; i++) {
    is_sound = is_member_sound(c, i, met, &pieces);
    chunks += c->members[i].chunks;
  }
  /* A waiting or sent unit that no list holds would never be settled. */
  for (uint64_t i = 0; is_sound && i < c->units; i++) {
    is_sound = met[i] || c->state[i] >= LS_UNIT_DONE;
  }
  free(met);
  return is_sound && pieces == c->pieces.live && chunks == c->chunks_live;
}
