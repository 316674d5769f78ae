/* handle_replicas.c: when a replication makes replicas, and what follows from their ends. */
#include <math.h>
#include <stdlib.h>

#include "coordinator/handlers_private.h"

/* Half a loss in so many seconds of a worker is believed before any is seen: one in 25 hours. */
static const double PRIOR_LOSSES = 0.5, PRIOR_UP_S = 45000;

/* Losses per second and worker, declared or measured. */
static double measure_losses(const struct ls_coordinator *c) {
  double up_s = c->record.earlier_up_seconds + c->roster.up_seconds;
  if (c->config.loss_rate > 0) return c->config.loss_rate;
  return ((double)c->roster.losses + PRIOR_LOSSES) / (up_s + PRIOR_UP_S);
}

/* What the unit is expected to take at a worker of speed 1; NAN: not known. */
static double expect(const struct ls_coordinator *c, uint64_t unit) {
  double seconds = ls_record_expect(&c->record, unit);
  /* In a first iteration all tasks look like those that were timed. */
  if (isnan(seconds) && c->record.working_seconds > 0)
    seconds = c->record.working_seconds / c->record.working_units;
  return seconds;
}

/* So many times what is expected of the unit at the slot's worker; not > 0: not known. */
static double find_ratio(const struct ls_coordinator *c, uint32_t slot, uint64_t unit,
                         double seconds) {
  return seconds * ls_step_speed(c, slot) / expect(c, unit);
}

void ls_replica_learn(struct ls_coordinator *c, uint32_t slot, uint64_t unit, double seconds) {
  double ratio = find_ratio(c, slot, unit, seconds);
  if (c->config.replication->learns && ratio > 0) ls_slowness_end(&c->slowness, ratio);
}

/* The unit is stopped there: what began would have lasted longer. */
static void learn_stop(struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  if (c->config.replication == NULL || !c->config.replication->learns || at->chunks == 0) return;
  const struct ls_chunk *chunk = &c->ledger.chunks[at->first];
  if (chunk->range.first != unit) return;
  double begun_s = fmax(chunk->sent_s, c->record.slots[slot].result_s);
  double ratio = find_ratio(c, slot, unit, c->now_s - begun_s);
  if (ratio > 0) ls_slowness_censor(&c->slowness, ratio);
}

/* Expected seconds of all units that wait, or NULL where one is not known or the run is over for
 * want of memory; the caller frees them. */
static double *expect_waiting(struct ls_coordinator *c) {
  const struct ls_ledger *ledger = &c->ledger;
  double *seconds = calloc(ledger->units, sizeof *seconds);
  uint64_t count = 0;
  if (seconds == NULL) {
    ls_step_fail(c, LS_ENOMEM);
    return NULL;
  }
  for (uint64_t i = 0; i < ledger->units; i++) {
    if (ledger->state[i] != LS_UNIT_WAITING) continue;
    seconds[count] = ls_record_expect(&c->record, i);
    if (!isnan(seconds[count])) count++;
  }
  if (count == ledger->waiting.units) return seconds;
  free(seconds);
  return NULL;
}

size_t ls_replica_choose_extra(struct ls_coordinator *c, size_t workers_wanted) {
  const struct ls_replication *replication = c->config.replication;
  if (replication == NULL || replication->extra == NULL) return c->config.extra;
  double *seconds = c->ledger.waiting.units > 0 ? expect_waiting(c) : NULL;
  struct ls_replication_view view = {.units = c->ledger.waiting.units,
                                     .workers_wanted = workers_wanted,
                                     .loss_rate = measure_losses(c),
                                     .seconds = seconds,
                                     .memory = &c->replication_memory,
                                     .arguments = c->replication};
  size_t extra = replication->extra(&view, c->config.extra);
  free(seconds);
  if (extra == LS_EXTRA_NO_MEMORY) ls_step_fail(c, LS_ENOMEM);
  return extra < c->config.extra ? extra : c->config.extra;
}

void ls_replica_open(struct ls_coordinator *c) {
  size_t active = ls_roster_active(&c->roster), wanted = c->roster.wanted;
  if (c->ledger.waiting.units == 0) {
    ls_step_fail(c, ls_replicas_open(&c->replicas, &c->ledger, 0));
    return;
  }
  struct ls_replication_view view = {.units = c->ledger.waiting.units,
                                     .workers_wanted = wanted > c->extra ? wanted - c->extra : 1,
                                     .workers_present = active > wanted ? active : wanted,
                                     .loss_rate = measure_losses(c),
                                     .memory = &c->replication_memory,
                                     .arguments = c->replication};
  double *seconds = c->config.replication->learns ? expect_waiting(c) : NULL;
  view.seconds = seconds;
  uint64_t replicas = c->config.replication->replicas(&view);
  free(seconds);
  if (replicas == LS_REPLICAS_NO_MEMORY) {
    ls_step_fail(c, LS_ENOMEM);
    return;
  }
  ls_step_fail(
      c, ls_replicas_open(&c->replicas, &c->ledger, replicas < view.units ? replicas : view.units));
}

static void send_replica(struct ls_coordinator *c, const struct ls_replica *replica) {
  uint32_t chunk;
  enum ls_status status = ls_replicas_send(&c->replicas, &c->ledger, replica, c->now_s, &chunk);
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  c->is_free = false;
  ls_request_dispatch(c, chunk);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_REPLICA,
                                    .worker = replica->slots[1],
                                    .chunk = c->ledger.chunks[chunk].id,
                                    .units = replica->unit,
                                    .extra = replica->slots[0]});
}

/* Does nobody work on another machine than the slot's worker, as far as machines are known? */
static bool is_only_place(const struct ls_coordinator *c, uint64_t place) {
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (c->roster.is_present[i] && c->visits[i].place != place) return false;
  return true;
}

/* A replica on the machine of the original would be lost with it: another one is used, if there is
 * one. */
static bool is_apart(const struct ls_coordinator *c, uint32_t holder, uint32_t slot) {
  uint64_t place = c->visits[slot].place;
  return place == 0 || c->visits[holder].place != place || is_only_place(c, place);
}

static bool suits(const void *context, uint32_t holder, uint32_t slot, uint64_t unit) {
  const struct ls_coordinator *c = context;
  return is_apart(c, holder, slot) && ls_lifetime_suffices(c, slot, unit);
}

static bool serve_due(struct ls_coordinator *c, uint32_t slot) {
  struct ls_replica replica;
  const struct ls_replica_asker asker = {slot, c->config.retries, suits, c};
  if (c->replicas.due_count == 0 ||
      !ls_replicas_take_due(&c->replicas, &c->ledger, &asker, &replica))
    return false;
  send_replica(c, &replica);
  return true;
}

/* The facts that are the same for all units that run. */
static struct ls_replica_facts gather_facts(const struct ls_coordinator *c) {
  const struct ls_ledger *ledger = &c->ledger;
  uint64_t left = ledger->waiting.units + ledger->sent;
  return (struct ls_replica_facts){.loss_rate = measure_losses(c),
                                   .units = c->is_incomplete ? 0 : ledger->units,
                                   .units_ended = c->is_incomplete ? 0 : ledger->units - left,
                                   .workers = ls_roster_active(&c->roster),
                                   .replicas = c->replicas.count,
                                   .slowness = &c->slowness,
                                   .arguments = c->replication};
}

/* Those of the unit that the holder runs, where a replica would run at the speed; since when it
 * runs. */
static double describe(const struct ls_coordinator *c, uint32_t holder, double speed,
                       struct ls_replica_facts *facts) {
  const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[holder].first];
  double begun_s = fmax(chunk->sent_s, c->record.slots[holder].result_s);
  double seconds = expect(c, chunk->range.first);
  facts->elapsed_s = c->now_s - begun_s;
  facts->expected_s = seconds / ls_step_speed(c, holder);
  facts->replica_s = seconds / speed;
  return begun_s;
}

/* Does another one than the slot's worker run a unit there that it may be told to give up? */
static bool is_running(const struct ls_coordinator *c, uint32_t holder, uint32_t slot) {
  if (holder == slot || !c->roster.is_present[holder] || c->ledger.slots[holder].chunks == 0)
    return false;
  return !c->ledger.chunks[c->ledger.slots[holder].first].is_cancelled;
}

/* May the unit that the holder runs get a replica? */
static bool may_replicate(const struct ls_coordinator *c, uint32_t holder) {
  const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[holder].first];
  return !ls_replicas_have(&c->replicas, chunk->range.first) &&
         ls_ledger_failures(&c->ledger, chunk->range.first) <= c->config.retries;
}

/* The replica for the slot that is worth most; of no worth: no unit of another one. */
static struct ls_replica find_spare(const struct ls_coordinator *c, uint32_t slot) {
  struct ls_replica best = {.slots = {LS_WORKER_NONE, slot}, .is_spare = true};
  struct ls_replica_facts facts = gather_facts(c);
  double most = 0, speed = ls_step_speed(c, slot);
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!is_running(c, i, slot)) continue;
    const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[i].first];
    (void)describe(c, i, speed, &facts);
    double worth = c->config.replication->worth(&facts);
    if (!(worth > most) || !may_replicate(c, i) || !suits(c, i, slot, chunk->range.first)) continue;
    most = worth;
    best.slots[0] = i;
    best.unit = chunk->range.first;
  }
  return best;
}

static bool may_get_spare(const struct ls_coordinator *c, uint32_t slot) {
  return c->config.replication != NULL && c->config.replication->worth != NULL &&
         c->ledger.slots[slot].units == 0 && c->is_open && !ls_recall_is_awaited(c);
}

static bool serve_spare(struct ls_coordinator *c, uint32_t slot) {
  if (!may_get_spare(c, slot)) return false;
  struct ls_replica best = find_spare(c, slot);
  if (best.slots[0] == LS_WORKER_NONE) return false;
  send_replica(c, &best);
  return true;
}

/* Away first, then leaving; of either the one that has been so for longest. */
static bool is_more_forsaken(const struct ls_coordinator *c, uint32_t slot, uint32_t than) {
  const struct ls_roster_slot *a = &c->roster.slots[slot], *b = &c->roster.slots[than];
  return a->presence != b->presence ? a->presence == LS_PRESENCE_SUSPENDED : a->away_s < b->away_s;
}

static bool is_forsaken(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  bool is_absent = ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED) ||
                   ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING);
  return is_absent && at->chunks > 0 && !c->ledger.chunks[at->first].is_cancelled &&
         may_replicate(c, slot);
}

bool ls_replica_serve_forsaken(struct ls_coordinator *c, uint32_t slot) {
  const size_t *present = c->roster.present;
  struct ls_replica replica = {.slots = {LS_WORKER_NONE, slot}};
  if (present[LS_PRESENCE_SUSPENDED] + present[LS_PRESENCE_LEAVING] == 0) return false;
  if (c->config.homes > 0) return false;
  if (c->ledger.slots[slot].units > 0 || !c->is_open || !ls_request_has_room(c, slot)) return false;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!is_forsaken(c, i)) continue;
    if (replica.slots[0] != LS_WORKER_NONE && !is_more_forsaken(c, i, replica.slots[0])) continue;
    uint64_t unit = c->ledger.chunks[c->ledger.slots[i].first].range.first;
    if (!ls_lifetime_suffices(c, slot, unit)) continue;
    replica.slots[0] = i;
    replica.unit = unit;
  }
  if (replica.slots[0] == LS_WORKER_NONE) return false;
  send_replica(c, &replica);
  return true;
}

bool ls_replica_serve(struct ls_coordinator *c, uint32_t slot, bool is_idle) {
  if (!ls_request_has_room(c, slot)) return false;
  return is_idle ? serve_spare(c, slot) : serve_due(c, slot);
}

/* The replica at `index` leaves the slot `which`; the policy hears if it had sent it there. */
static void end_replica(struct ls_coordinator *c, size_t index, int which, bool cancels) {
  struct ls_replica_end end;
  const struct ls_replica *replica = &c->replicas.items[index];
  if (cancels) learn_stop(c, replica->slots[which], replica->unit);
  enum ls_status status = ls_replicas_end(&c->replicas, &c->ledger, index, which, &end);
  if (status == LS_OK && cancels)
    status = ls_rooms_keep(&c->rooms, &(struct ls_remnant){end.chunk, end.unit, end.slot});
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  ls_request_reconsider_kept(c, end.slot);
  if (end.was_original) c->record.slots[end.slot].report.units_gone++;
  if (cancels && end.is_chunk_over) ls_step_act(c, LS_ACTION_CANCEL, end.slot)->chunk = end.chunk;
}

void ls_replica_settle(struct ls_coordinator *c, uint32_t slot, const struct ls_range *units) {
  size_t i = 0;
  while (i < c->replicas.count && !c->has_failed) {
    const struct ls_replica *replica = &c->replicas.items[i];
    if (replica->unit < units->first || replica->unit - units->first >= units->count) {
      i++;
    } else {
      end_replica(c, i, replica->slots[1] == slot ? 0 : 1, true);
    }
  }
}

bool ls_replica_withdraw(struct ls_coordinator *c, uint64_t unit) {
  size_t index = ls_replicas_find(&c->replicas, unit);
  if (index == c->replicas.count) return false;
  ls_replicas_forget(&c->replicas, index);
  return true;
}

void ls_replica_leave(struct ls_coordinator *c, uint32_t slot) {
  size_t i = 0;
  while (i < c->replicas.count && !c->has_failed) {
    const struct ls_replica *replica = &c->replicas.items[i];
    if (replica->slots[0] != slot && replica->slots[1] != slot) {
      i++;
    } else {
      end_replica(c, i, replica->slots[0] == slot ? 0 : 1, false);
    }
  }
}

void ls_replica_leave_waiting(struct ls_coordinator *c, uint32_t slot) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  size_t i = 0;
  if (at->chunks == 0) return;
  uint64_t running = c->ledger.chunks[at->first].range.first;
  while (i < c->replicas.count && !c->has_failed) {
    const struct ls_replica *replica = &c->replicas.items[i];
    bool is_here = replica->slots[0] == slot || replica->slots[1] == slot;
    if (!is_here || replica->unit == running) {
      i++;
    } else {
      end_replica(c, i, replica->slots[0] == slot ? 0 : 1, false);
    }
  }
}

/* For each unit that waits and that nobody took, one spare replica is stopped: its worker asks
 * anew.
 */
static void make_room(struct ls_coordinator *c) {
  uint64_t wanted = c->ledger.waiting.units;
  size_t i = 0;
  while (i < c->replicas.count && wanted > 0 && !c->has_failed) {
    if (!c->replicas.items[i].is_spare) {
      i++;
      continue;
    }
    end_replica(c, i, 1, true);
    wanted--;
  }
}

/* The fastest of those that wait in vain and run nothing; LS_WORKER_NONE: there is none. */
static uint32_t find_fastest_idle(const struct ls_coordinator *c) {
  uint32_t fastest = LS_WORKER_NONE;
  for (uint32_t slot = c->roster.parked_first; slot != LS_WORKER_NONE;
       slot = c->roster.slots[slot].parked_next) {
    if (!may_get_spare(c, slot)) continue;
    if (fastest == LS_WORKER_NONE || ls_step_speed(c, slot) > ls_step_speed(c, fastest))
      fastest = slot;
  }
  return fastest;
}

/* Time makes replicas worth their price: who waits in vain is looked at again.  Where nothing is
 * worth it at one speed, nothing is at a lower one on the same machine, and no replica sent
 * meanwhile changes that: so the holders are mostly weighed once, for the fastest. */
static void serve_parked(struct ls_coordinator *c) {
  uint32_t slot = c->roster.parked_first, fastest = find_fastest_idle(c);
  double vain_speed = -1;
  uint64_t vain_place = 0;
  if (fastest != LS_WORKER_NONE && find_spare(c, fastest).slots[0] == LS_WORKER_NONE) {
    vain_speed = ls_step_speed(c, fastest);
    vain_place = c->visits[fastest].place;
  }
  if (!(vain_speed < 0) && c->replicas.due_count == 0 && is_only_place(c, vain_place)) return;
  while (slot != LS_WORKER_NONE && !c->has_failed) {
    uint32_t next = c->roster.slots[slot].parked_next;
    bool may_serve = !ls_advice_is_surplus(c, slot) && ls_request_has_room(c, slot);
    bool is_served = may_serve && serve_due(c, slot);
    bool is_vain = ls_step_speed(c, slot) <= vain_speed && c->visits[slot].place == vain_place;
    if (may_serve && !is_served && !is_vain) {
      is_served = serve_spare(c, slot);
      if (!is_served && may_get_spare(c, slot)) {
        vain_speed = ls_step_speed(c, slot);
        vain_place = c->visits[slot].place;
      }
    }
    if (is_served) ls_roster_unpark(&c->roster, slot);
    slot = next;
  }
}

/* When time alone makes some replica worth its price for the fastest that idles. */
static void await_worth(struct ls_coordinator *c) {
  const struct ls_replication *replication = c->config.replication;
  uint32_t slot = replication->weigh_again_s != NULL ? find_fastest_idle(c) : LS_WORKER_NONE;
  if (slot == LS_WORKER_NONE || c->has_failed) return;
  struct ls_replica_facts facts = gather_facts(c);
  double first_s = (double)INFINITY, speed = ls_step_speed(c, slot);
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!is_running(c, i, slot) || !may_replicate(c, i)) continue;
    double begun_s = describe(c, i, speed, &facts);
    double from_s = replication->weigh_again_s(&facts), time_s = begun_s + from_s;
    /* Rounded down, it would come to nothing then. */
    if (time_s - begun_s < from_s) time_s = nextafter(time_s, (double)INFINITY);
    if (time_s > c->now_s) first_s = fmin(first_s, time_s);
  }
  if (isfinite(first_s)) ls_step_wake(c, first_s);
}

/* Who waits in vain gets what runs at those who are away. */
static void serve_forsaken(struct ls_coordinator *c) {
  uint32_t slot = c->roster.parked_first;
  while (slot != LS_WORKER_NONE && !c->has_failed) {
    uint32_t next = c->roster.slots[slot].parked_next;
    bool may_serve = !ls_advice_is_surplus(c, slot) && !ls_lifetime_may_have(c, slot);
    if (may_serve && ls_replica_serve_forsaken(c, slot)) ls_roster_unpark(&c->roster, slot);
    slot = next;
  }
}

void ls_replica_continue(struct ls_coordinator *c) {
  if (!c->is_open || c->config.chunking->is_pushed) return;
  if (c->ledger.waiting.units == 0) {
    if (c->ledger.sent > 0 && c->config.replication != NULL) {
      serve_parked(c);
      await_worth(c);
    }
  } else if (c->has_returned && c->replicas.count > 0) {
    make_room(c);
  }
  /* What an end of time stopped waits, and is not for all. */
  if (c->ledger.sent > 0 && (c->ledger.waiting.units == 0 || c->expiries.count > 0))
    serve_forsaken(c);
}
