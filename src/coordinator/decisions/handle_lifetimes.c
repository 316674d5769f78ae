/* handle_lifetimes.c: workers that live for so long only, and the units that outlast them.
 *
 * A unit goes to a worker that has as long as the unit takes, and the margin in which its result
 * arrives.  One that an end of time stopped goes only to workers that have twice as long as it ran.
 * Where nobody has who is there or away for a while, a fresh worker tries, since nobody lives
 * longer, and after three such ends the unit is given up.  A worker whose time is too short for the
 * unit that is next gets a later one that it has the time for.
 */
#include <math.h>

#include "coordinator/handlers_private.h"

/* Beside the time in which a worker is noticed to be silent, and that of its largest output, what
 * remains of its lifetime for a result to arrive. */
#define MARGIN_S 1.0
/* A worker counts its own time, and knows the silence of its margin, a little otherwise than we do:
 * it may stop so much before our margin begins, at most. */
#define SLACK_MAX_S 10.0
/* At the very instant somebody still has the time. */
#define TURN_S 1e-3

/* So many of the units that wait are looked at for one that a worker has the time for. */
enum { LOOKS_MAX = 4096 };

static double find_margin(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_visit *visit = &c->visits[slot];
  double silence_s = ls_patience_silence(&c->patience, visit->answer_s);
  return MARGIN_S + visit->send_s + (isfinite(silence_s) ? silence_s : 0);
}

/* Seconds in which a unit can run there. */
static double find_left(const struct ls_coordinator *c, uint32_t slot) {
  return c->visits[slot].ends_s - find_margin(c, slot) - c->now_s;
}

/* Also one that is away for a while, in whose place nobody else was asked for. */
static bool is_kept(const struct ls_coordinator *c, uint32_t slot) {
  return c->roster.is_present[slot] || (ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED) &&
                                        !c->roster.slots[slot].is_replaced);
}

/* Seconds that the unit needs there by what is known of the unit itself: twice as long as it ran
 * before an end of time, and what was told or learnt of it. NAN: nothing is known. */
static double find_need(const struct ls_coordinator *c, uint32_t slot, uint64_t unit,
                        const struct ls_expiry *expiry) {
  double own_s = ls_record_expect(&c->record, unit) / ls_step_speed(c, slot);
  return expiry != NULL ? fmax(2 * expiry->ran_s, own_s) : own_s;
}

/* Until when somebody has as long as the unit needs; before now: nobody has. */
static double find_lasting_s(const struct ls_coordinator *c, uint64_t unit,
                             const struct ls_expiry *expiry) {
  double until_s = -HUGE_VAL;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    double need_s = find_need(c, i, unit, expiry);
    if (is_kept(c, i)) until_s = fmax(until_s, c->now_s + find_left(c, i) - fmax(need_s, 0));
  }
  return until_s;
}

static bool does_anybody_last(const struct ls_coordinator *c, double seconds) {
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (is_kept(c, i) && find_left(c, i) >= seconds) return true;
  return false;
}

/* May it have the unit?  Of what is not known it is assumed that there is time for it; of what is
 * expected of any unit, that a fresh worker may be luckier. */
static bool suffices(const struct ls_coordinator *c, uint32_t slot, uint64_t unit,
                     const struct ls_expiry *expiry) {
  double left_s = find_left(c, slot), need_s = find_need(c, slot, unit, expiry);
  if (c->visits[slot].has_worked) return !(fmax(need_s, ls_absence_expect(c, slot, unit)) > left_s);
  return !(need_s > left_s) || find_lasting_s(c, unit, expiry) < c->now_s;
}

bool ls_lifetime_measure_unit(const struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  return suffices(c, slot, unit, ls_expiries_find(&c->expiries, unit));
}

/* The first of the units that wait for which the worker, whose time is too short for the one that
 * is next, has the time; false: it has for none that was looked at. */
static bool find_fitting(const struct ls_coordinator *c, uint32_t slot, uint64_t *unit) {
  struct ls_waiting_walk walk = ls_ledger_walk_begin(&c->ledger);
  bool is_idle = c->ledger.slots[slot].units == 0;
  uint64_t most = is_idle ? c->ledger.waiting.units : ls_ledger_count_sure(&c->ledger);
  /* What is expected of any unit is the same for all, but for those that were not set aside. */
  bool is_any_kept = c->expiries.count > 0 && c->ledger.doubts.units > 0;
  if (!ls_record_tells_units_apart(&c->record) && !is_any_kept) return false;
  for (uint64_t i = 0; i < LOOKS_MAX && i < most && ls_ledger_walk(&c->ledger, &walk, unit); i++)
    if (ls_lifetime_suffices(c, slot, *unit)) return true;
  /* Where the longest go first, the last one is the shortest. */
  *unit = ls_ledger_peek_last(&c->ledger);
  return ls_lifetime_suffices(c, slot, *unit);
}

uint64_t ls_lifetime_choose(struct ls_coordinator *c, uint32_t slot) {
  struct ls_piece_list chosen;
  uint64_t unit;
  if (ls_lifetime_suffices(c, slot, ls_ledger_peek(&c->ledger))) return UINT64_MAX;
  if (!find_fitting(c, slot, &unit)) return 0;
  ls_piece_list_init(&chosen);
  enum ls_status status = ls_ledger_set_aside(&c->ledger, unit, &chosen);
  ls_step_fail(c, status);
  if (status == LS_OK) ls_ledger_put_back(&c->ledger, &chosen);
  return status == LS_OK ? 1 : 0;
}

/* They keep their place behind the others, and go one by one; a policy that pushes has sizes. */
static bool is_last(const struct ls_coordinator *c, uint64_t unit) {
  return !c->config.chunking->is_pushed && ls_ledger_is_doubtful(&c->ledger, unit);
}

static bool is_kept_from(const struct ls_coordinator *c, uint32_t slot,
                         const struct ls_expiry *expiry) {
  return c->ledger.state[expiry->unit] == LS_UNIT_WAITING && ls_lane_may(c, slot, expiry->unit) &&
         !suffices(c, slot, expiry->unit, expiry);
}

void ls_lifetime_set_aside_kept(struct ls_coordinator *c, uint32_t slot,
                                struct ls_piece_list *aside) {
  for (size_t i = 0; i < c->expiries.count && !c->has_failed; i++) {
    const struct ls_expiry *expiry = &c->expiries.items[i];
    if (is_kept_from(c, slot, expiry) && !is_last(c, expiry->unit))
      ls_step_fail(c, ls_ledger_set_aside(&c->ledger, expiry->unit, aside));
  }
}

/* So many of `waiting` units, all that an end of time stopped among them, are not kept from the
 * worker by that. */
static uint64_t count_for(const struct ls_coordinator *c, uint32_t slot, uint64_t waiting) {
  for (size_t i = 0; i < c->expiries.count && waiting > 0 && ls_lifetime_is_limited(c, slot); i++)
    waiting -= is_kept_from(c, slot, &c->expiries.items[i]);
  return waiting;
}

bool ls_lifetime_may_have(const struct ls_coordinator *c, uint32_t slot) {
  return count_for(c, slot, ls_lane_count_waiting(c, slot)) > 0;
}

bool ls_lifetime_may_have_back(const struct ls_coordinator *c, uint32_t slot) {
  return count_for(c, slot, ls_ledger_count_back(&c->ledger)) > 0;
}

/* Seconds for which what is at the slot keeps it busy, where units take so long. Results that are
 * held for their turn look as if they waited. */
static double find_busy(const struct ls_coordinator *c, uint32_t slot, double unit_s) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  if (at->chunks == 0 || ls_return_is_ordered(c)) return 0;
  double begun_s = fmax(c->ledger.chunks[at->first].sent_s, c->record.slots[slot].result_s);
  return (double)at->units * unit_s - fmin(c->now_s - begun_s, unit_s);
}

/* So many of the units that wait can be done there. */
static uint64_t count_lasting(const struct ls_coordinator *c, uint32_t slot) {
  uint64_t waiting = count_for(c, slot, c->ledger.waiting.units);
  if (!ls_lifetime_is_limited(c, slot) || waiting == 0) return waiting;
  uint64_t next = ls_ledger_peek(&c->ledger);
  double unit_s = ls_absence_expect(c, slot, next);
  double units = floor((find_left(c, slot) - find_busy(c, slot, unit_s)) / unit_s);
  if (!(units < (double)waiting)) return waiting; /* also when nothing is known */
  if (units >= 1) return (uint64_t)units;
  return !c->visits[slot].has_worked && ls_lifetime_suffices(c, slot, next) ? 1 : 0;
}

void ls_lifetime_measure(struct ls_coordinator *c) {
  bool is_anybody_mortal = false;
  for (uint32_t i = 0; i < c->roster.count; i++)
    is_anybody_mortal |= c->roster.is_present[i] && ls_lifetime_is_limited(c, i);
  c->view.units_lasting = is_anybody_mortal ? c->lasting : NULL;
  for (uint32_t i = 0; i < c->roster.count && is_anybody_mortal; i++)
    c->lasting[i] = c->roster.is_present[i] ? count_lasting(c, i) : 0;
}

void ls_lifetime_refuse_idle(struct ls_coordinator *c) {
  for (uint32_t i = 0; i < c->roster.count && c->view.units_lasting != NULL; i++)
    if (c->roster.is_present[i] && c->lasting[i] == 0) ls_lifetime_on_refusal(c, i);
}

/* Does it have the time for a unit like those that were seen? */
static bool lasts_for_another(const struct ls_coordinator *c, uint32_t slot) {
  double units = (double)c->record.seen.units;
  return !(c->record.seen.seconds / units > find_left(c, slot)); /* unknown: it has */
}

/* Does a unit of the lane in focus wait that it has the time for? */
static bool is_of_use_here(struct ls_coordinator *c, uint32_t slot) {
  struct ls_piece_list aside;
  uint64_t unit;
  ls_piece_list_init(&aside);
  ls_lifetime_set_aside(c, slot, &aside);
  bool has_any = c->ledger.waiting.units > 0 && !c->has_failed;
  bool is_useful = has_any && (ls_lifetime_suffices(c, slot, ls_ledger_peek(&c->ledger)) ||
                               find_fitting(c, slot, &unit));
  ls_lifetime_put_back(c, &aside);
  return is_useful;
}

/* Does a unit wait that it has the time for? */
static bool is_of_use(struct ls_coordinator *c, uint32_t slot) {
  uint32_t lanes[LS_LANES_MAX], focus = c->ledger.lane;
  bool is_useful = false;
  if (c->crews == NULL) return is_of_use_here(c, slot);
  size_t count = ls_lane_list(c, slot, lanes);
  for (size_t i = 0; i < count && !is_useful; i++) {
    (void)ls_lane_focus(c, lanes[i]);
    is_useful = is_of_use_here(c, slot);
  }
  (void)ls_lane_focus(c, focus);
  return is_useful;
}

/* A fresh one tries as soon as those who have the time now have it no more. */
static void await_turn(struct ls_coordinator *c, uint32_t slot) {
  for (size_t i = 0; i < c->expiries.count; i++) {
    const struct ls_expiry *expiry = &c->expiries.items[i];
    if (is_kept_from(c, slot, expiry))
      c->outlast_s = fmin(c->outlast_s, find_lasting_s(c, expiry->unit, expiry) + TURN_S);
  }
  uint32_t lanes[LS_LANES_MAX] = {0}, focus = c->ledger.lane;
  size_t count = c->crews != NULL ? ls_lane_list(c, slot, lanes) : 1;
  for (size_t i = 0; i < count; i++) {
    (void)ls_lane_focus(c, lanes[i]);
    uint64_t next = ls_ledger_peek(&c->ledger);
    if (!ls_lifetime_suffices(c, slot, next))
      c->outlast_s = fmin(c->outlast_s,
                          find_lasting_s(c, next, ls_expiries_find(&c->expiries, next)) + TURN_S);
  }
  (void)ls_lane_focus(c, focus);
  if (isfinite(c->outlast_s)) ls_step_wake(c, c->outlast_s);
}

void ls_lifetime_on_refusal(struct ls_coordinator *c, uint32_t slot) {
  bool is_idle = ls_lifetime_is_limited(c, slot) && ls_lane_count_waiting(c, slot) > 0 &&
                 c->ledger.slots[slot].units == 0 && !c->is_stopping;
  if (!is_idle) return;
  if (!c->visits[slot].has_worked) {
    await_turn(c, slot);
    return;
  }
  /* What waits at a busy worker may be recalled for it, and more units may come. */
  if (c->config.recalls && c->ledger.crowded > 0 && !ls_lifetime_may_have(c, slot)) return;
  if (c->is_incomplete && lasts_for_another(c, slot)) return;
  if (!is_of_use(c, slot) && !c->has_failed) ls_absence_on_leaving(c, slot);
}

double ls_lifetime_look(struct ls_coordinator *c) {
  if (c->outlast_s > c->now_s) return c->outlast_s;
  c->outlast_s = HUGE_VAL;
  c->has_returned = true;
  return HUGE_VAL;
}

bool ls_lifetime_is_over(const struct ls_coordinator *c, uint32_t slot) {
  return c->now_s >= c->visits[slot].ends_s;
}

/* Seconds behind CANCELLED mean that the first unit ran. */
bool ls_lifetime_has_stopped(const struct ls_coordinator *c, uint32_t slot, uint32_t chunk,
                             const struct ls_event_result *result) {
  if (result->outcome != LS_OUTCOME_CANCELLED || !(result->seconds > 0)) return false;
  bool is_owed = ls_ledger_holding(&c->ledger, slot, result->units.first) == chunk;
  bool is_stopped = is_owed && !c->ledger.chunks[chunk].is_cancelled && !c->is_stopping;
  double slack_s = fmin(find_margin(c, slot) - c->visits[slot].send_s, SLACK_MAX_S);
  return is_stopped && ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING) &&
         find_left(c, slot) <= slack_s;
}

/* The number of seconds in a note. */
static uint64_t round_up(double seconds) {
  return seconds < 1e18 ? (uint64_t)ceil(seconds) : (uint64_t)1e18;
}

bool ls_lifetime_note_end(struct ls_coordinator *c, uint32_t slot, uint64_t unit, double ran_s) {
  struct ls_expiry *expiry;
  enum ls_status status = ls_expiries_add(&c->expiries, unit, ran_s, &expiry);
  ls_step_fail(c, status);
  if (status != LS_OK) return false;
  expiry->is_lacking = !does_anybody_last(c, 2 * expiry->ran_s);
  bool is_last = expiry->ends >= LS_EXPIRIES_MAX && !ls_replicas_have(&c->replicas, unit);
  struct ls_note note = {.kind = is_last ? LS_NOTE_OUTLASTED_FINALLY : LS_NOTE_OUTLASTED,
                         .worker = slot,
                         .units = unit,
                         .extra = expiry->ends};
  ls_step_note(c, &note);
  if (is_last || !expiry->is_lacking) return is_last;
  note.kind = LS_NOTE_NOBODY_LASTS;
  note.extra = round_up(2 * expiry->ran_s);
  ls_step_note(c, &note);
  return false;
}
