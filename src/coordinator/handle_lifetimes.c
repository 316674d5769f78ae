/* handle_lifetimes.c: workers that live for so long only, and the units that outlast them.
 *
 * A unit goes to a worker that has as long as the unit takes, and the margin in which its result
 * arrives.  One that an end of time stopped goes only to workers that have twice as long as it ran;
 * where nobody has who is there or away for a while, a fresh worker tries, since nobody lives
 * longer, and after three such ends the unit is given up.
 */
#include <math.h>

#include "coordinator/handlers_private.h"

/* Beside the time in which a worker is noticed to be silent, and that of its largest output, what
 * remains of its lifetime for a result to arrive. */
#define MARGIN_S 1.0

static bool is_mortal(const struct ls_coordinator *c, uint32_t slot) {
  return isfinite(c->visits[slot].ends_s);
}

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

static bool does_anybody_last(const struct ls_coordinator *c, double seconds) {
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (is_kept(c, i) && find_left(c, i) >= seconds) return true;
  return false;
}

/* May it have the unit that ends of time stopped? */
static bool outlasts(const struct ls_coordinator *c, uint32_t slot,
                     const struct ls_expiry *expiry) {
  if (find_left(c, slot) >= 2 * expiry->ran_s) return true;
  return !c->visits[slot].has_worked && !does_anybody_last(c, 2 * expiry->ran_s);
}

bool ls_lifetime_suffices(const struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  if (!is_mortal(c, slot)) return true;
  const struct ls_expiry *expiry = ls_expiries_find(&c->expiries, unit);
  if (expiry != NULL && !outlasts(c, slot, expiry)) return false;
  /* A fresh one gets it whatever is expected: nobody lives longer. */
  if (!c->visits[slot].has_worked) return true;
  return !(ls_absence_expect(c, slot, unit) > find_left(c, slot)); /* unknown: it does */
}

void ls_lifetime_set_aside(struct ls_coordinator *c, uint32_t slot, struct ls_piece_list *aside) {
  if (!is_mortal(c, slot)) return;
  for (size_t i = 0; i < c->expiries.count && !c->has_failed; i++) {
    const struct ls_expiry *expiry = &c->expiries.items[i];
    if (c->ledger.state[expiry->unit] != LS_UNIT_WAITING || outlasts(c, slot, expiry)) continue;
    ls_step_fail(c, ls_ledger_set_aside(&c->ledger, expiry->unit, aside));
  }
}

bool ls_lifetime_may_have(const struct ls_coordinator *c, uint32_t slot) {
  uint64_t waiting = c->ledger.waiting.units;
  if (!is_mortal(c, slot)) return waiting > 0;
  for (size_t i = 0; i < c->expiries.count && waiting > 0; i++) {
    const struct ls_expiry *expiry = &c->expiries.items[i];
    waiting -= c->ledger.state[expiry->unit] == LS_UNIT_WAITING && !outlasts(c, slot, expiry);
  }
  return waiting > 0;
}

void ls_lifetime_put_back(struct ls_coordinator *c, struct ls_piece_list *aside) {
  if (aside->count > 0) ls_ledger_put_back(&c->ledger, aside);
}

void ls_lifetime_dismiss(struct ls_coordinator *c, uint32_t slot) {
  struct ls_piece_list aside;
  bool may_go = is_mortal(c, slot) && c->visits[slot].has_worked && c->ledger.waiting.units > 0 &&
                c->ledger.slots[slot].units == 0 && !c->is_stopping;
  /* What waits at a busy worker may be recalled for it. */
  if (!may_go || (c->config.recalls && c->ledger.crowded > 0 && !ls_lifetime_may_have(c, slot)))
    return;
  ls_piece_list_init(&aside);
  ls_lifetime_set_aside(c, slot, &aside);
  bool is_of_use =
      c->ledger.waiting.units > 0 && ls_lifetime_suffices(c, slot, ls_ledger_peek(&c->ledger));
  ls_lifetime_put_back(c, &aside);
  if (!is_of_use && !c->has_failed) ls_absence_on_leaving(c, slot);
}

bool ls_lifetime_is_over(const struct ls_coordinator *c, uint32_t slot) {
  return c->now_s >= c->visits[slot].ends_s;
}

/* Seconds behind CANCELLED mean that the first unit ran.  The worker counts its time, and knows the
 * silence of its margin, a little otherwise than we do. */
bool ls_lifetime_has_stopped(const struct ls_coordinator *c, uint32_t slot, uint32_t chunk,
                             const struct ls_event_result *result) {
  bool is_owed = ls_ledger_holding(&c->ledger, slot, result->units.first) == chunk;
  bool is_stopped = is_owed && result->outcome == LS_OUTCOME_CANCELLED && result->seconds > 0 &&
                    !c->ledger.chunks[chunk].is_cancelled && !c->is_stopping;
  return is_stopped && ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING) &&
         c->now_s >= c->visits[slot].ends_s - 2 * find_margin(c, slot) + c->visits[slot].send_s;
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
