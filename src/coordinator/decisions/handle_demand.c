/* handle_demand.c: how many workers are wanted, asked for, granted and refused.
 *
 * A refusal is a fact: the missing are asked for again, later each time.  Nobody is asked for when
 * the run is about to end, since a worker would come too late; if it has not ended when that worker
 * would have come, its last units are not like those before, and nothing is put off any more.
 */
#include <math.h>
#include <stdlib.h>

#include "coordinator/handlers_private.h"

void ls_worker_await(struct ls_coordinator *c) {
  uint32_t slot;
  if (c->policy == NULL) return;
  while ((slot = ls_roster_find_forsaken(&c->roster)) != LS_WORKER_NONE) {
    (void)ls_roster_stop_awaiting(&c->roster, slot);
    c->has_returned = true;
    ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
  }
}

bool ls_worker_may_begin(struct ls_coordinator *c) {
  if (ls_roster_active(&c->roster) < c->config.workers_min) return false;
  c->is_manned = true;
  c->has_returned = true; /* those that asked before are served now */
  return true;
}

/* Will those that are there have done all before another one comes? */
static bool is_ending(const struct ls_coordinator *c) {
  double units = (double)c->record.seen.units, grant_s = ls_patience_grant(&c->patience);
  double workers = (double)ls_roster_active(&c->roster);
  if (!(grant_s > 0) || !(units > 0) || !(workers > 0) || c->is_incomplete) return false;
  double left = (double)(ls_ledger_waiting(&c->ledger) + c->ledger.sent + c->ledger.paused);
  return left * (c->record.seen.seconds / units) < grant_s * workers;
}

/* Nobody is asked for now, but where the next iteration begins. */
static bool waits_for_next(const struct ls_coordinator *c) {
  bool is_within = c->has_started && c->now_s > c->opened_s;
  return c->config.replacing == LS_REPLACING_BETWEEN && is_within &&
         ls_roster_active(&c->roster) > 0;
}

void ls_worker_request(struct ls_coordinator *c) {
  size_t missing = ls_roster_missing(&c->roster);
  if (c->is_finished || c->is_stopping || missing == 0 || waits_for_next(c)) return;
  if (c->has_started && !c->is_incomplete && ls_ledger_is_settled(&c->ledger)) return;
  if (c->patience.ask_again_s > c->now_s) {
    ls_step_wake(c, c->patience.ask_again_s);
    return;
  }
  if (c->config.replacing != LS_REPLACING_BETWEEN && is_ending(c) &&
      !ls_patience_is_overdue(&c->patience, c->now_s)) {
    ls_patience_put_off(&c->patience, c->now_s);
    ls_step_wake(c, c->patience.put_off_s);
    return;
  }
  c->roster.requested += missing;
  ls_patience_ask(&c->patience, missing, c->now_s);
  ls_step_act(c, LS_ACTION_REQUEST_WORKERS, LS_WORKER_NONE)->workers = missing;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_WANTED,
                                    .worker = LS_WORKER_NONE,
                                    .units = missing,
                                    .extra = c->roster.wanted});
}

void ls_worker_on_granted(struct ls_coordinator *c, uint64_t workers) {
  if (workers > c->config.workers_max) workers = c->config.workers_max;
  size_t coming = ls_roster_grant(&c->roster, (size_t)workers);
  if (coming == 0) return;
  ls_patience_grant_workers(&c->patience, coming, c->now_s);
  ls_step_wake(c, ls_patience_give_up_s(&c->patience));
}

void ls_worker_on_refused(struct ls_coordinator *c, uint64_t workers) {
  ls_roster_refuse(&c->roster, workers < SIZE_MAX ? (size_t)workers : SIZE_MAX);
  ls_patience_refuse(&c->patience, workers, c->now_s);
  ls_worker_await(c);
  if (ls_patience_grant(&c->patience) > 0) ls_worker_request(c);
}

double ls_worker_look_at_demand(struct ls_coordinator *c) {
  uint64_t late = ls_patience_give_up(&c->patience, c->now_s);
  bool is_due = c->patience.ask_again_s > 0 && c->patience.ask_again_s <= c->now_s;
  if (late > 0) {
    c->lost += late;
    for (uint64_t i = 0; i < late; i++) (void)ls_roster_expect_fewer(&c->roster);
    ls_step_note(
        c, &(struct ls_note){.kind = LS_NOTE_NEVER_CAME, .worker = LS_WORKER_NONE, .units = late});
  }
  bool is_overdue = ls_patience_is_overdue(&c->patience, c->now_s);
  if (is_due) c->patience.ask_again_s = 0;
  if (is_due || is_overdue || late > 0) {
    ls_worker_request(c);
    ls_worker_await(c);
  }
  if (is_overdue) c->patience.put_off_s = 0; /* also where nobody is missing any more */
  return ls_patience_ask_s(&c->patience, c->now_s);
}

bool ls_worker_is_surplus(const struct ls_coordinator *c) {
  return c->config.sizing != NULL && c->is_open && !c->is_stopping &&
         ls_roster_active(&c->roster) >= c->roster.wanted;
}

/* Who is there between two iterations, and how soon it is to go. */
struct parting {
  double speed, ends_s;
  uint64_t lease, workers; /* of the lease, that are there */
  uint32_t slot;
};

static int compare_leases(const void *left, const void *right) {
  const struct parting *a = left, *b = right;
  return (a->lease > b->lease) - (a->lease < b->lease);
}

/* The slowest first; then who lives shortest; then who costs, the smallest lease first, so that
 * whole ones go; of equal ones the highest slot. */
static int compare_partings(const void *left, const void *right) {
  const struct parting *a = left, *b = right;
  if (a->speed < b->speed || a->speed > b->speed) return a->speed < b->speed ? -1 : 1;
  if (a->ends_s < b->ends_s || a->ends_s > b->ends_s) return a->ends_s < b->ends_s ? -1 : 1;
  if (a->workers != b->workers) return a->workers < b->workers ? -1 : 1;
  if (a->lease != b->lease) return a->lease > b->lease ? -1 : 1;
  return (a->slot < b->slot) - (a->slot > b->slot);
}

/* A lease that could not go whole, and what costs nothing, goes last. */
static void count_leases(struct parting *partings, size_t count, size_t surplus) {
  qsort(partings, count, sizeof *partings, compare_leases);
  for (size_t i = 0, next = 0; i < count; i = next) {
    while (next < count && partings[next].lease == partings[i].lease) next++;
    bool goes_whole = partings[i].lease != 0 && next - i <= surplus;
    for (size_t k = i; k < next; k++) partings[k].workers = goes_whole ? next - i : UINT64_MAX;
  }
}

void ls_worker_release_surplus(struct ls_coordinator *c) {
  assert(c->ledger.sent == 0);
  size_t active = ls_roster_active(&c->roster), count = 0;
  if (c->config.sizing == NULL || active <= c->roster.wanted) return;
  struct parting *partings = calloc(active, sizeof *partings);
  ls_step_fail(c, partings != NULL ? LS_OK : LS_ENOMEM);
  for (uint32_t i = 0; i < c->roster.count && partings != NULL; i++)
    if (c->roster.is_present[i])
      partings[count++] = (struct parting){.speed = ls_step_speed(c, i),
                                           .ends_s = c->visits[i].ends_s,
                                           .lease = c->visits[i].lease,
                                           .slot = i};
  if (count > 0) count_leases(partings, count, active - c->roster.wanted);
  if (count > 1) qsort(partings, count, sizeof *partings, compare_partings);
  for (size_t i = 0; i < count && ls_roster_active(&c->roster) > c->roster.wanted; i++)
    ls_worker_release(c, partings[i].slot);
  free(partings);
}
