/* roster.c: workers come and go. */
#include "coordinator/books/roster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* [from][to] */
static const bool transitions[LS_PRESENCE_COUNT][LS_PRESENCE_COUNT] = {
    [LS_PRESENCE_ABSENT] =
        {[LS_PRESENCE_ACTIVE] = true, [LS_PRESENCE_LOST] = true, [LS_PRESENCE_RELEASED] = true},
    [LS_PRESENCE_ACTIVE] = {[LS_PRESENCE_SUSPENDED] = true,
                            [LS_PRESENCE_LEAVING] = true,
                            [LS_PRESENCE_LOST] = true,
                            [LS_PRESENCE_RELEASED] = true},
    [LS_PRESENCE_SUSPENDED] = {[LS_PRESENCE_ACTIVE] = true,
                               [LS_PRESENCE_LEAVING] = true,
                               [LS_PRESENCE_LOST] = true,
                               [LS_PRESENCE_RELEASED] = true},
    [LS_PRESENCE_LEAVING] = {[LS_PRESENCE_LOST] = true, [LS_PRESENCE_RELEASED] = true},
    [LS_PRESENCE_LOST] = {[LS_PRESENCE_ACTIVE] = true, [LS_PRESENCE_RELEASED] = true},
    [LS_PRESENCE_RELEASED] = {[LS_PRESENCE_ACTIVE] = true, [LS_PRESENCE_RELEASED] = true},
};

void ls_roster_init(struct ls_roster *roster) {
  *roster = (struct ls_roster){.parked_first = LS_SLOT_NONE,
                               .parked_last = LS_SLOT_NONE,
                               .due = LS_SLOT_NONE,
                               .most = SIZE_MAX};
}

void ls_roster_close(struct ls_roster *roster) {
  free(roster->slots);
  free(roster->is_present);
  free(roster->is_counted);
  ls_roster_init(roster);
}

enum ls_status ls_roster_add_slots(struct ls_roster *roster, size_t slots) {
  void *items = roster->slots, *present = roster->is_present, *counted = roster->is_counted;
  if (slots <= roster->count) return LS_OK;
  enum ls_status status =
      ls_array_reserve(&items, &roster->capacities[0], slots, sizeof *roster->slots);
  roster->slots = items;
  if (status == LS_OK)
    status = ls_array_reserve(&present, &roster->capacities[1], slots, sizeof(bool));
  roster->is_present = present;
  if (status == LS_OK)
    status = ls_array_reserve(&counted, &roster->capacities[2], slots, sizeof(bool));
  roster->is_counted = counted;
  for (size_t i = roster->count; i < slots && status == LS_OK; i++) {
    roster->slots[i] = (struct ls_roster_slot){.presence = LS_PRESENCE_ABSENT};
    roster->is_present[i] = roster->is_counted[i] = false;
    roster->present[LS_PRESENCE_ABSENT]++;
  }
  if (status == LS_OK) roster->count = slots;
  return status;
}

bool ls_roster_may_move(enum ls_presence from, enum ls_presence to) {
  return transitions[from][to];
}

/* One that leaves by itself is lost to the run already; who never came was not there. */
static bool is_loss(enum ls_presence before, enum ls_presence after) {
  bool was_there = before == LS_PRESENCE_ACTIVE || before == LS_PRESENCE_SUSPENDED;
  return was_there && (after == LS_PRESENCE_LOST || after == LS_PRESENCE_LEAVING);
}

static void end_suspension(const struct ls_roster *roster, struct ls_roster_slot *at,
                           double now_s) {
  if (at->late_mark_s < roster->mark_s) {
    at->late_s = 0;
    at->late_mark_s = roster->mark_s;
  }
  at->suspended_s += now_s - at->away_s;
  at->late_s += now_s - fmax(at->away_s, roster->mark_s);
  at->gone_s = at->away_s;
  at->back_s = now_s;
}

void ls_roster_move(struct ls_roster *roster, uint32_t slot, enum ls_presence presence,
                    double now_s) {
  struct ls_roster_slot *at = &roster->slots[slot];
  enum ls_presence before = at->presence;
  assert(slot < roster->count && ls_roster_may_move(before, presence));
  ls_roster_count_time(roster, now_s);
  at->owed_units = 0;
  if (before == LS_PRESENCE_ACTIVE) {
    if (at->is_parked && presence == LS_PRESENCE_SUSPENDED) at->owed_units = at->parked_units;
    ls_roster_unpark(roster, slot);
    roster->newcomers -= !at->has_asked;
  }
  if (before == LS_PRESENCE_SUSPENDED) end_suspension(roster, at, now_s);
  roster->losses += is_loss(before, presence);
  roster->present[before]--;
  roster->present[presence]++;
  at->presence = presence;
  bool is_active = presence == LS_PRESENCE_ACTIVE;
  roster->is_present[slot] = is_active;
  roster->is_counted[slot] = is_active || at->is_awaited;
  if (before == LS_PRESENCE_SUSPENDED && at->is_replaced) {
    at->is_replaced = false;
    roster->replaced--;
  }
  if (presence == LS_PRESENCE_SUSPENDED || presence == LS_PRESENCE_LEAVING) at->away_s = now_s;
  if (!is_active) return;
  at->heard_s = now_s;
  at->has_asked = false;
  roster->newcomers++;
}

bool ls_roster_greet(struct ls_roster *roster, uint32_t slot) {
  struct ls_roster_slot *at = &roster->slots[slot];
  if (at->has_asked) return false;
  assert(at->presence == LS_PRESENCE_ACTIVE && roster->newcomers > 0);
  at->has_asked = true;
  roster->newcomers--;
  return true;
}

void ls_roster_owe(struct ls_roster *roster, uint32_t slot, uint64_t units) {
  struct ls_roster_slot *at = &roster->slots[slot];
  assert(at->presence == LS_PRESENCE_SUSPENDED && units > 0);
  at->owed_units = units;
}

void ls_roster_replace(struct ls_roster *roster, uint32_t slot) {
  struct ls_roster_slot *at = &roster->slots[slot];
  assert(at->presence == LS_PRESENCE_SUSPENDED && !at->is_replaced);
  at->is_replaced = true;
  roster->replaced++;
}

void ls_roster_park(struct ls_roster *roster, uint32_t slot, uint64_t units) {
  struct ls_roster_slot *at = &roster->slots[slot];
  assert(at->presence == LS_PRESENCE_ACTIVE && units > 0);
  at->parked_units = units;
  if (at->is_parked) return;
  at->is_parked = true;
  at->parked_next = LS_SLOT_NONE;
  at->parked_previous = roster->parked_last;
  if (roster->parked_last != LS_SLOT_NONE) {
    roster->slots[roster->parked_last].parked_next = slot;
  } else {
    roster->parked_first = slot;
  }
  roster->parked_last = slot;
}

void ls_roster_unpark(struct ls_roster *roster, uint32_t slot) {
  struct ls_roster_slot *at = &roster->slots[slot];
  if (!at->is_parked) return;
  if (roster->due == slot) roster->due = at->parked_next;
  if (at->parked_previous != LS_SLOT_NONE) {
    roster->slots[at->parked_previous].parked_next = at->parked_next;
  } else {
    roster->parked_first = at->parked_next;
  }
  if (at->parked_next != LS_SLOT_NONE) {
    roster->slots[at->parked_next].parked_previous = at->parked_previous;
  } else {
    roster->parked_last = at->parked_previous;
  }
  at->is_parked = false;
}

struct waiting {
  double key;
  size_t place;
  uint32_t slot;
};

static int compare_waiting(const void *left, const void *right) {
  const struct waiting *a = left, *b = right;
  if (a->key < b->key || a->key > b->key) return a->key > b->key ? -1 : 1;
  return a->place < b->place ? -1 : 1;
}

enum ls_status ls_roster_order_parked(struct ls_roster *roster, const double *keys) {
  size_t count = 0;
  struct waiting *waiting = calloc(roster->count + 1, sizeof *waiting);
  if (waiting == NULL) return LS_ENOMEM;
  uint32_t slot = roster->parked_first;
  for (; slot != LS_SLOT_NONE; slot = roster->slots[slot].parked_next) {
    waiting[count] = (struct waiting){keys[slot], count, slot};
    count++;
  }
  qsort(waiting, count, sizeof *waiting, compare_waiting);
  for (size_t i = 0; i < count; i++) {
    ls_roster_unpark(roster, waiting[i].slot);
    ls_roster_park(roster, waiting[i].slot, roster->slots[waiting[i].slot].parked_units);
  }
  roster->due = LS_SLOT_NONE;
  free(waiting);
  return LS_OK;
}

void ls_roster_await(struct ls_roster *roster, size_t slots) {
  assert(slots <= roster->count);
  for (uint32_t i = 0; i < slots; i++) {
    struct ls_roster_slot *at = &roster->slots[i];
    if (at->presence != LS_PRESENCE_ABSENT || at->is_awaited) continue;
    at->is_awaited = roster->is_counted[i] = true;
    roster->awaited++;
  }
}

bool ls_roster_stop_awaiting(struct ls_roster *roster, uint32_t slot) {
  struct ls_roster_slot *at = &roster->slots[slot];
  if (!at->is_awaited) return false;
  assert(roster->awaited > 0);
  at->is_awaited = false;
  roster->is_counted[slot] = at->presence == LS_PRESENCE_ACTIVE;
  roster->awaited--;
  return true;
}

uint32_t ls_roster_find_forsaken(const struct ls_roster *roster) {
  if (roster->awaited <= roster->expected + roster->requested) return LS_SLOT_NONE;
  uint32_t slot = (uint32_t)roster->count;
  while (slot > 0 && !roster->slots[slot - 1].is_awaited) slot--;
  assert(slot > 0);
  return slot - 1;
}

bool ls_roster_expect_fewer(struct ls_roster *roster) {
  bool is_early = roster->expected == 0;
  size_t *coming = is_early ? &roster->requested : &roster->expected;
  if (*coming == 0) return false;
  (*coming)--;
  roster->early += is_early;
  return true;
}

size_t ls_roster_grant(struct ls_roster *roster, size_t workers) {
  size_t there = workers < roster->early ? workers : roster->early, coming = workers - there;
  assert(coming <= SIZE_MAX - roster->expected);
  roster->early -= there;
  roster->requested -= coming < roster->requested ? coming : roster->requested;
  roster->expected += coming; /* a worker that was not asked for is welcome */
  return coming;
}

/* A pool refuses workers that it has not started: those that are still asked for come first. */
void ls_roster_refuse(struct ls_roster *roster, size_t workers) {
  size_t open = workers < roster->requested ? workers : roster->requested, rest = workers - open;
  roster->requested -= open;
  roster->early -= rest < roster->early ? rest : roster->early;
}

size_t ls_roster_missing(const struct ls_roster *roster) {
  size_t there = roster->present[LS_PRESENCE_ACTIVE] + roster->present[LS_PRESENCE_SUSPENDED] +
                 roster->expected + roster->requested - roster->replaced;
  if (roster->keeps_empty) there += (size_t)roster->losses;
  return roster->wanted > there ? roster->wanted - there : 0;
}

void ls_roster_mark(struct ls_roster *roster, double now_s) {
  assert(roster->mark_s <= now_s);
  roster->mark_s = now_s;
}

double ls_roster_suspended_s(const struct ls_roster *roster, uint32_t slot, double until_s) {
  if (slot >= roster->count) return 0;
  const struct ls_roster_slot *at = &roster->slots[slot];
  double suspended_s = at->suspended_s;
  if (!(until_s > roster->mark_s) && !(at->late_mark_s < roster->mark_s)) suspended_s -= at->late_s;
  if (at->presence == LS_PRESENCE_SUSPENDED) suspended_s += fmax(0, until_s - at->away_s);
  return fmax(0, suspended_s);
}

/* All that it says was before the next result, so that none of it lies behind the mark. */
void ls_roster_stood(struct ls_roster *roster, uint32_t slot, double seconds, double now_s) {
  struct ls_roster_slot *at = &roster->slots[slot];
  assert(slot < roster->count && at->presence != LS_PRESENCE_SUSPENDED && seconds >= 0);
  ls_roster_count_time(roster, now_s);
  double from_s = fmax(now_s - seconds, 0);
  double known_s = fmax(0, fmin(at->back_s, now_s) - fmax(at->gone_s, from_s));
  double more_s = fmax(0, now_s - from_s - known_s);
  at->suspended_s += more_s;
  if (at->presence == LS_PRESENCE_ACTIVE) roster->up_seconds = fmax(0, roster->up_seconds - more_s);
}

void ls_roster_count_time(struct ls_roster *roster, double now_s) {
  assert(roster->counted_s <= now_s);
  roster->up_seconds += (double)ls_roster_active(roster) * (now_s - roster->counted_s);
  roster->counted_s = now_s;
}

bool ls_roster_is_sound(const struct ls_roster *roster) {
  size_t present[LS_PRESENCE_COUNT] = {0}, newcomers = 0, awaited = 0, parked = 0, listed = 0;
  size_t replaced = 0;
  for (size_t i = 0; i < roster->count; i++) {
    const struct ls_roster_slot *at = &roster->slots[i];
    bool is_active = at->presence == LS_PRESENCE_ACTIVE;
    present[at->presence]++;
    newcomers += is_active && !at->has_asked;
    awaited += at->is_awaited;
    parked += at->is_parked;
    replaced += at->is_replaced;
    bool is_suspended = at->presence == LS_PRESENCE_SUSPENDED;
    if (!is_suspended && (at->is_replaced || at->owed_units > 0)) return false;
    if (roster->is_present[i] != is_active || (at->is_parked && !is_active)) return false;
    if (roster->is_counted[i] != (is_active || at->is_awaited)) return false;
  }
  uint32_t previous = LS_SLOT_NONE, slot = roster->parked_first;
  for (; slot != LS_SLOT_NONE && listed <= parked; slot = roster->slots[slot].parked_next) {
    if (!roster->slots[slot].is_parked || roster->slots[slot].parked_previous != previous)
      return false;
    previous = slot;
    listed++;
  }
  for (size_t i = 0; i < LS_PRESENCE_COUNT; i++)
    if (present[i] != roster->present[i]) return false;
  return newcomers == roster->newcomers && replaced == roster->replaced &&
         awaited == roster->awaited && listed == parked && roster->parked_last == previous;
}
