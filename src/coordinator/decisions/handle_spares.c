/* handle_spares.c: who is idle runs again what is worth it.
 *
 * One pass looks at each running unit for the fastest idle worker; the others need to look at those
 * only that are worth something to it.
 */
#include "coordinator/decisions/handle_spares_private.h"

#include <math.h>

#include "coordinator/handlers_private.h"

/* What the unit is expected to take at a worker of speed 1; NAN: not known. */
static double expect(const struct ls_coordinator *c, uint64_t unit) {
  double seconds = ls_record_expect(&c->record, unit);
  /* In a first iteration all tasks look like those that were timed. */
  if (isnan(seconds) && c->record.normal_seconds > 0)
    seconds = c->record.normal_seconds / c->record.working_units;
  return seconds;
}

/* So many times what is expected of the unit at the slot's worker; not > 0: not known. */
static double find_ratio(const struct ls_coordinator *c, uint32_t slot, uint64_t unit,
                         double seconds) {
  return seconds * ls_step_speed(c, slot) / expect(c, unit);
}

void ls_replica_learn(struct ls_coordinator *c, uint32_t slot, uint64_t unit, double seconds) {
  if (c->config.replication->learns) ls_spares_end(&c->spares, find_ratio(c, slot, unit, seconds));
}

void ls_spare_learn_stop(struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  if (c->config.replication == NULL || !c->config.replication->learns || at->chunks == 0) return;
  const struct ls_chunk *chunk = &c->ledger.chunks[at->first];
  if (chunk->range.first != unit) return;
  double begun_s = fmax(chunk->sent_s, c->record.slots[slot].result_s);
  ls_spares_stop(&c->spares, find_ratio(c, slot, unit, c->now_s - begun_s));
}

/* ---- facts ---- */

/* The facts that are the same for all units that run. */
static struct ls_replica_facts gather_facts(struct ls_coordinator *c) {
  const struct ls_ledger *ledger = &c->ledger;
  uint64_t left = ls_ledger_waiting(ledger) + ledger->sent + ledger->paused;
  uint64_t tasks = ledger->units - c->idle_units;
  return (struct ls_replica_facts){.loss_rate = ls_replica_loss_rate(c),
                                   .units = c->is_incomplete ? 0 : tasks,
                                   .units_ended = c->is_incomplete ? 0 : tasks - left,
                                   .workers = ls_roster_active(&c->roster),
                                   .replicas = c->replicas.count,
                                   .law = ls_spares_law(&c->spares),
                                   .arguments = c->replication};
}

static const struct ls_chunk *find_running(const struct ls_coordinator *c, uint32_t holder) {
  return &c->ledger.chunks[c->ledger.slots[holder].first];
}

/* Those of the unit that the holder runs, where a replica would run at the speed; what it is
 * weighed as. */
static struct ls_spare_case describe(const struct ls_coordinator *c, uint32_t holder, double speed,
                                     struct ls_replica_facts *facts) {
  const struct ls_chunk *chunk = find_running(c, holder);
  double begun_s = fmax(chunk->sent_s, c->record.slots[holder].result_s);
  double seconds = expect(c, chunk->range.first);
  facts->elapsed_s = c->now_s - begun_s;
  facts->expected_s = seconds / ls_step_speed(c, holder);
  facts->replica_s = seconds / speed;
  return (struct ls_spare_case){chunk->range.first, begun_s, facts->expected_s, c->roster.losses};
}

/* Does the holder run a unit that it may be told to give up, and that may get a replica? */
static bool may_replicate(const struct ls_coordinator *c, uint32_t holder) {
  if (!c->roster.is_present[holder] || c->ledger.slots[holder].chunks == 0) return false;
  const struct ls_chunk *chunk = find_running(c, holder);
  return !chunk->is_cancelled && c->spares.looks[holder].doubled != c->spares.pass &&
         ls_ledger_failures(&c->ledger, chunk->range.first) <= c->config.retries;
}

/* When time changes what a replica of it is worth. */
static double find_again_s(const struct ls_coordinator *c, const struct ls_spare_case *of,
                           const struct ls_replica_facts *facts) {
  const struct ls_replication *replication = c->config.replication;
  if (replication->weigh_again_s == NULL) return (double)INFINITY;
  double from_s = replication->weigh_again_s(facts), time_s = of->begun_s + from_s;
  /* Rounded down, it would come to nothing then. */
  return time_s - of->begun_s < from_s ? nextafter(time_s, (double)INFINITY) : time_s;
}

/* What a replica of the holder's unit is worth to a worker of the speed; as few questions to the
 * replication as can be. */
static double weigh(struct ls_coordinator *c, uint32_t holder, double speed,
                    struct ls_replica_facts *facts) {
  const struct ls_replication *replication = c->config.replication;
  struct ls_spare_case now = describe(c, holder, speed, facts);
  struct ls_look *look = ls_spares_look(&c->spares, holder, &now);
  if (speed <= look->vain_speed) return -1;
  bool is_faster = speed > look->speed;
  if (!is_faster && !(speed < look->speed)) return look->worth;
  double worth = replication->worth(facts);
  if (is_faster) {
    look->speed = speed;
    look->worth = worth;
    if (replication->is_dear) look->again_s = find_again_s(c, &now, facts);
  }
  if (!(worth > 0)) look->vain_speed = speed;
  return worth;
}

/* ---- passes ---- */

/* The slots where the unit of a replica is the one that runs: it gets no further one. */
static void mark_doubled(struct ls_coordinator *c, const struct ls_replica *replica) {
  for (int k = 0; k < 2; k++) {
    uint32_t slot = replica->slots[k];
    bool has_any = slot < c->spares.slots && c->ledger.slots[slot].chunks > 0;
    if (has_any && find_running(c, slot)->range.first == replica->unit)
      c->spares.looks[slot].doubled = c->spares.pass;
  }
}

static void begin_pass(struct ls_coordinator *c) {
  c->spares.pass++;
  c->spares.now_s = c->now_s;
  c->spares.is_dear = c->config.replication->is_dear;
  c->spares.is_one_place = ls_replica_is_one_place(c);
  for (size_t i = 0; i < c->replicas.count; i++) mark_doubled(c, &c->replicas.items[i]);
}

/* The units that are worth a replica to a worker of the speed. */
static void find_candidates(struct ls_coordinator *c, double speed,
                            struct ls_replica_facts *facts) {
  struct ls_spares *spares = &c->spares;
  spares->candidates_count = 0;
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (may_replicate(c, i) && weigh(c, i, speed, facts) > 0)
      spares->candidates[spares->candidates_count++] =
          (struct ls_spare_candidate){i, find_running(c, i)->range.first};
}

/* The candidate that suits the slot and may be worth most to it: none is worth more than at a
 * higher speed; their number: none suits. */
static size_t find_promising(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_spares *spares = &c->spares;
  size_t best = spares->candidates_count;
  double most = -(double)INFINITY;
  for (size_t i = 0; i < spares->candidates_count; i++) {
    const struct ls_spare_candidate *candidate = &spares->candidates[i];
    double worth = spares->looks[candidate->holder].worth;
    if (!(worth > most) ||
        !ls_replica_suits(c, candidate->holder, slot, candidate->unit, spares->is_one_place))
      continue;
    most = worth;
    best = i;
  }
  return best;
}

/* The candidate that is worth most to the slot's worker; their number: none is worth anything. */
static size_t find_best(struct ls_coordinator *c, uint32_t slot, struct ls_replica_facts *facts) {
  const struct ls_spares *spares = &c->spares;
  size_t promising = find_promising(c, slot), best = spares->candidates_count;
  double most = 0, speed = ls_step_speed(c, slot);
  if (promising == spares->candidates_count) return promising;
  double worth = weigh(c, spares->candidates[promising].holder, speed, facts);
  if (worth > most) {
    most = worth;
    best = promising;
  }
  for (size_t i = 0; i < spares->candidates_count; i++) {
    const struct ls_spare_candidate *candidate = &spares->candidates[i];
    bool may_be_best = i != promising && spares->looks[candidate->holder].worth > most;
    if (!may_be_best ||
        !ls_replica_suits(c, candidate->holder, slot, candidate->unit, spares->is_one_place))
      continue;
    worth = weigh(c, candidate->holder, speed, facts);
    if (!(worth > most)) continue;
    most = worth;
    best = i;
  }
  return best;
}

static bool serve_best(struct ls_coordinator *c, uint32_t slot, struct ls_replica_facts *facts) {
  struct ls_spares *spares = &c->spares;
  if (!ls_start_is_free(c)) return false;
  size_t best = find_best(c, slot, facts);
  if (best == spares->candidates_count) return false;
  struct ls_spare_candidate candidate = spares->candidates[best];
  const struct ls_replica replica = {
      .unit = candidate.unit, .slots = {candidate.holder, slot}, .is_spare = true};
  /* Those that are left keep their order: of equal ones the lowest slot goes first. */
  for (size_t i = best + 1; i < spares->candidates_count; i++)
    spares->candidates[i - 1] = spares->candidates[i];
  spares->candidates_count--;
  ls_replica_send(c, &replica);
  spares->sent++;
  mark_doubled(c, &replica);
  facts->replicas = c->replicas.count;
  return true;
}

static bool may_get_spare(const struct ls_coordinator *c, uint32_t slot) {
  return c->config.replication != NULL && c->config.replication->worth != NULL &&
         c->ledger.slots[slot].units == 0 && c->is_open && !ls_recall_is_awaited(c);
}

bool ls_spare_serve(struct ls_coordinator *c, uint32_t slot) {
  if (!may_get_spare(c, slot) || !ls_start_is_free(c)) return false;
  begin_pass(c);
  struct ls_replica_facts facts = gather_facts(c);
  find_candidates(c, ls_step_speed(c, slot), &facts);
  return serve_best(c, slot, &facts);
}

/* Who waits in vain and may run a replica. */
static void list_idle(struct ls_coordinator *c) {
  struct ls_spares *spares = &c->spares;
  spares->idle_count = 0;
  for (uint32_t slot = c->roster.parked_first; slot != LS_WORKER_NONE;
       slot = c->roster.slots[slot].parked_next) {
    if (!may_get_spare(c, slot) || ls_advice_is_surplus(c, slot) || !ls_request_has_room(c, slot))
      continue;
    uint32_t rank = (uint32_t)spares->idle_count;
    spares->idle[spares->idle_count++] = (struct ls_spare_idle){ls_step_speed(c, slot), slot, rank};
  }
  ls_spares_rank_idle(spares);
}

static void serve_parked_due(struct ls_coordinator *c) {
  uint32_t slot = c->roster.parked_first;
  while (slot != LS_WORKER_NONE && c->replicas.due_count > 0 && !c->has_failed) {
    uint32_t next = c->roster.slots[slot].parked_next;
    bool may_serve = !ls_advice_is_surplus(c, slot) && ls_request_has_room(c, slot);
    if (may_serve && ls_replica_serve_due(c, slot)) ls_roster_unpark(&c->roster, slot);
    slot = next;
  }
}

/* The fastest first; they stay in the list that were not served. */
static void serve_idle(struct ls_coordinator *c, struct ls_replica_facts *facts) {
  struct ls_spares *spares = &c->spares;
  size_t kept = 0;
  for (size_t i = 0; i < spares->idle_count && !c->has_failed; i++) {
    struct ls_spare_idle idle = spares->idle[i];
    if (spares->candidates_count > 0 && serve_best(c, idle.slot, facts)) {
      ls_roster_unpark(&c->roster, idle.slot);
    } else {
      spares->idle[kept++] = idle;
    }
  }
  spares->idle_count = kept;
}

/* The fastest idle worker that the holder's unit suits; 0: it suits none. */
static double find_suited_speed(const struct ls_coordinator *c, uint32_t holder) {
  const struct ls_spares *spares = &c->spares;
  uint64_t unit = find_running(c, holder)->range.first;
  for (size_t i = 0; i < spares->idle_count; i++)
    if (ls_replica_suits(c, holder, spares->idle[i].slot, unit, spares->is_one_place))
      return spares->idle[i].speed;
  return 0;
}

/* When the unit is to be weighed again, for the fastest idle worker that it suits. */
static double find_wake_s(struct ls_coordinator *c, uint32_t holder,
                          struct ls_replica_facts *facts) {
  double speed = find_suited_speed(c, holder);
  if (!(speed > 0)) return (double)INFINITY;
  struct ls_spare_case now = describe(c, holder, speed, facts);
  if (!c->config.replication->is_dear) return find_again_s(c, &now, facts);
  return ls_spares_look(&c->spares, holder, &now)->again_s;
}

static void await_worth(struct ls_coordinator *c, struct ls_replica_facts *facts) {
  double first_s = (double)INFINITY;
  if (c->config.replication->weigh_again_s == NULL || c->spares.idle_count == 0) return;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!may_replicate(c, i)) continue;
    double time_s = find_wake_s(c, i, facts);
    if (time_s > c->now_s) first_s = fmin(first_s, time_s);
  }
  if (isfinite(first_s)) ls_step_wake(c, first_s);
}

void ls_spare_continue(struct ls_coordinator *c) {
  serve_parked_due(c);
  if (c->config.replication->worth == NULL || c->has_failed) return;
  list_idle(c);
  if (c->spares.idle_count == 0) return;
  begin_pass(c);
  struct ls_replica_facts facts = gather_facts(c);
  find_candidates(c, c->spares.idle[0].speed, &facts);
  if (c->spares.candidates_count > 0) serve_idle(c, &facts);
  if (!c->has_failed) await_worth(c, &facts);
}
