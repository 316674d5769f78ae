/* handle_recalls.c: no worker is idle while a unit waits behind another one's.
 *
 * When nothing waits at the master and an idle worker asks, a worker that has more than it runs is
 * told to give back what has not begun.  Its units come as results that are CANCELLED, wait again
 * before all others and go to the idle worker; those that it has just begun stay, and run there
 * once.  Half of what came back is left for who gave it, so that large chunks do not wander.
 * A recall is not repeated for the same units: a connection keeps the order of messages.  None is
 * made for a worker whose lifetime ends before the unit could be done.
 *
 * Behind the last chunk of a plan nobody asks: whoever has no unit seeks, and what comes back goes
 * to who is idle, a share each.  So the rest of a plan whose worker has become slow, or whose way
 * has, is planned again.  Results that a plan wants in an order are left where they are.
 *
 * Units may wait at the master all the same: those that the end of a lifetime stopped, for one that
 * lives long enough, and those that a policy keeps for a worker that is still to come.  What comes
 * back is not among the latter; who was refused even that is not helped by more of it.
 */
#include <math.h>

#include "coordinator/handlers_private.h"

/* So many ranges of a worker's chunks are looked at for a unit that an idle worker has the time
 * for. */
enum { LOOKS_MAX = 16 };

/* Those that get nothing though there is nothing to do. */
struct seekers {
  size_t count;
  uint32_t fastest;
};

/* Whom a plan leaves out gets nothing of it. */
static bool is_idle(struct ls_coordinator *c, uint32_t slot) {
  if (c->config.chunking->is_pushed && !c->visits[slot].has_worked) return false;
  return c->ledger.slots[slot].units == 0 && ls_request_has_room(c, slot) &&
         !ls_advice_is_surplus(c, slot);
}

/* It was asked again when units came back: what waits is not for it. */
static bool is_seeking(struct ls_coordinator *c, uint32_t slot) {
  return c->visits[slot].refused_by != c->policies && is_idle(c, slot) &&
         !ls_lifetime_may_have_back(c, slot);
}

/* Seconds of the unit at the slot.  Where none were measured there, those of the other one and the
 * speeds that were told say it; NAN: nothing does. */
static double expect(const struct ls_coordinator *c, uint32_t slot, uint32_t other, uint64_t unit) {
  bool is_foreign = c->record.slots[slot].units <= 0 && isnan(ls_record_expect(&c->record, unit));
  if (!is_foreign) return ls_absence_expect(c, slot, unit);
  return ls_absence_expect(c, other, unit) * ls_step_speed(c, other) / ls_step_speed(c, slot);
}

/* Of those that asked, or where nobody asks of all that are there: the first behind the slot;
 * LS_WORKER_NONE: the first of all, or there is none. */
static uint32_t find_next(const struct ls_coordinator *c, uint32_t slot) {
  if (!c->config.chunking->is_pushed)
    return slot == LS_WORKER_NONE ? c->roster.parked_first : c->roster.slots[slot].parked_next;
  uint32_t next = slot == LS_WORKER_NONE ? 0 : slot + 1;
  while (next < c->roster.count && !ls_roster_is(&c->roster, next, LS_PRESENCE_ACTIVE)) next++;
  return next < c->roster.count ? next : LS_WORKER_NONE;
}

/* `unit`: of those that have the time for it; NULL: of all. */
static struct seekers find_fastest(struct ls_coordinator *c, const uint64_t *unit,
                                   bool (*is_one)(struct ls_coordinator *, uint32_t)) {
  struct seekers seekers = {0, LS_WORKER_NONE};
  double best_s = HUGE_VAL;
  uint32_t first = find_next(c, LS_WORKER_NONE);
  for (uint32_t slot = first; slot != LS_WORKER_NONE; slot = find_next(c, slot)) {
    if (!is_one(c, slot) || (unit != NULL && !ls_lifetime_suffices(c, slot, *unit))) continue;
    double unit_s = expect(c, slot, first, 0);
    if (isnan(unit_s)) unit_s = 1 / ls_step_speed(c, slot);
    if (seekers.count++ == 0 || unit_s < best_s) {
      seekers.fastest = slot;
      best_s = unit_s;
    }
  }
  return seekers;
}

static struct seekers find_seekers(struct ls_coordinator *c, const uint64_t *unit) {
  return find_fastest(c, unit, is_seeking);
}

/* The fastest one that has the time for one of the last units of the holder, where `fastest` is of
 * all.  What an end of time stopped stands beside other units, as it comes, and in chunks of its
 * own.  The very first unit runs. */
static uint32_t choose_seeker(struct ls_coordinator *c, uint32_t holder, uint32_t fastest) {
  const struct ls_ledger_slot *at = &c->ledger.slots[holder];
  uint32_t seeker = LS_WORKER_NONE;
  int looks = 0;
  for (uint32_t i = at->last; i != LS_INDEX_NONE; i = c->ledger.chunks[i].previous) {
    uint32_t cursor = LS_INDEX_NONE;
    struct ls_range range;
    bool has_running = i == at->first;
    while (looks < LOOKS_MAX &&
           ls_ledger_next_range(&c->ledger, &c->ledger.chunks[i], &cursor, &range)) {
      uint64_t unit = range.first + has_running;
      bool is_any = range.count > has_running;
      has_running = false;
      if (!is_any) continue;
      looks++;
      if (ls_lifetime_suffices(c, fastest, unit)) return fastest;
      if (seeker == LS_WORKER_NONE) seeker = find_seekers(c, &unit).fastest;
    }
  }
  return seeker;
}

/* A plan knows better than the times of units what a chunk costs: it is left alone unless a worker
 * is late by so much of the run, and by more than a unit's time for the chunk that it would be. */
static const double LATE = 0.05, LATE_UNITS = 2;

static double find_least(const struct ls_coordinator *c, double unit_s) {
  if (!c->config.chunking->is_pushed) return 0;
  return fmax(LATE * (c->now_s - c->opened_s), LATE_UNITS * unit_s);
}

/* Was all that waits there recalled? */
static bool is_recalled(const struct ls_coordinator *c, uint32_t slot) {
  return c->visits[slot].recalled > c->ledger.chunks[c->ledger.slots[slot].last].id;
}

static struct ls_recall_facts gather_facts(const struct ls_coordinator *c, uint32_t holder,
                                           uint32_t seeker) {
  const struct ls_ledger_slot *at = &c->ledger.slots[holder];
  const struct ls_chunk *running = &c->ledger.chunks[at->first];
  uint64_t last = c->ledger.chunks[at->last].range.first;
  double running_s = expect(c, holder, seeker, running->range.first);
  double last_s = expect(c, holder, seeker, last), unit_s = expect(c, seeker, holder, last);
  struct ls_recall_facts facts = {.begun_s =
                                      fmax(running->sent_s, c->record.slots[holder].result_s)};
  if (isnan(running_s) || isnan(last_s) || isnan(unit_s)) {
    /* Before anybody has done anything, only a faster one is known to be better. */
    bool is_slower = ls_step_speed(c, seeker) < ls_step_speed(c, holder);
    facts.unit_s = is_slower ? HUGE_VAL : 0;
    facts.least_s = find_least(c, 0);
    return facts;
  }
  facts.running_s = running_s + (double)(running->units - 1) * last_s;
  facts.behind_s = (double)(at->units - running->units) * last_s;
  facts.unit_s = unit_s;
  facts.least_s = find_least(c, unit_s);
  return facts;
}

/* Who has units, and who could have them. */
struct transfer {
  uint32_t holder, seeker;
};

/* The holder whose units would wait longest, of those of which it is worth it; LS_WORKER_NONE: of
 * none.  Notes when it will be of the others. */
static struct transfer find_transfer(struct ls_coordinator *c, uint32_t fastest) {
  struct transfer best = {LS_WORKER_NONE, LS_WORKER_NONE};
  double most_s = 0;
  for (uint32_t slot = 0; slot < c->roster.count; slot++) {
    if (!c->roster.is_present[slot] || c->ledger.slots[slot].units < 2) continue;
    if (is_recalled(c, slot)) continue;
    uint32_t seeker = choose_seeker(c, slot, fastest);
    if (seeker == LS_WORKER_NONE) continue;
    struct ls_recall_facts facts = gather_facts(c, slot, seeker);
    double due_s = ls_recalls_due(&c->recalls, &facts, c->now_s);
    double stay_s = ls_recalls_stay(&facts, c->now_s);
    if (due_s > c->now_s) {
      c->recalls.look_s = fmin(c->recalls.look_s, due_s);
    } else if (best.holder == LS_WORKER_NONE || stay_s > most_s) {
      best = (struct transfer){slot, seeker};
      most_s = stay_s;
    }
  }
  return best;
}

/* The units that wait there are to come back; their number. */
static uint64_t recall(struct ls_coordinator *c, struct transfer transfer) {
  uint32_t holder = transfer.holder;
  const struct ls_ledger_slot *at = &c->ledger.slots[holder];
  struct ls_visit *visit = &c->visits[holder];
  visit->recalled = c->ledger.chunks[at->last].id + 1;
  visit->recalled_s = c->now_s;
  c->recalls.answered_s = c->now_s + ls_recalls_answer(&c->recalls);
  c->recalls.count++;
  (void)ls_step_act(c, LS_ACTION_RECALL, holder);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_RECALLED,
                                    .worker = holder,
                                    .units = at->units - 1,
                                    .extra = transfer.seeker});
  return at->units - 1;
}

/* Units that were recalled, and may still come. */
static uint64_t count_awaited(struct ls_coordinator *c) {
  double answer_s = ls_recalls_answer(&c->recalls);
  uint64_t units = 0;
  if (!(c->now_s < c->recalls.answered_s)) return 0;
  for (uint32_t slot = 0; slot < c->roster.count; slot++) {
    if (!c->roster.is_present[slot] || c->ledger.slots[slot].units < 2) continue;
    double answered_s = c->visits[slot].recalled_s + answer_s;
    if (!is_recalled(c, slot) || !(c->now_s < answered_s)) continue;
    c->recalls.look_s = fmin(c->recalls.look_s, answered_s);
    units += c->ledger.slots[slot].units - 1;
  }
  return units;
}

bool ls_recall_may_help(const struct ls_coordinator *c, uint32_t slot) {
  return c->config.recalls && c->ledger.crowded > 0 && c->ledger.slots[slot].units == 0 &&
         !ls_lifetime_may_have(c, slot);
}

uint32_t ls_recall_find_idle(struct ls_coordinator *c, size_t *count) {
  struct seekers idle = find_fastest(c, NULL, is_idle);
  *count = idle.count;
  return idle.fastest;
}

void ls_recall_look(struct ls_coordinator *c) {
  /* Nobody could begin what comes back. */
  if (!ls_start_is_free(c)) return;
  if (!c->recalls.is_due && c->now_s < c->recalls.look_s) return;
  /* When nothing that came back waits any more, others seek. */
  c->recalls.is_due = c->expiries.count > 0 && ls_ledger_count_back(&c->ledger) > 0;
  c->recalls.look_s = HUGE_VAL;
  struct seekers seekers = find_seekers(c, NULL);
  if (seekers.count == 0) return;
  uint64_t coming = count_awaited(c);
  while (coming < seekers.count) {
    struct transfer transfer = find_transfer(c, seekers.fastest);
    if (transfer.holder == LS_WORKER_NONE) break;
    coming += recall(c, transfer);
    /* Its answer, or that there is none, is worth a look. */
    c->recalls.look_s = fmin(c->recalls.look_s, c->recalls.answered_s);
  }
  if (isfinite(c->recalls.look_s)) ls_step_wake(c, c->recalls.look_s);
}
