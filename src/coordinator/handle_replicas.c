/* handle_replicas.c: when a replication makes replicas, and what follows from their ends. */
#include <math.h>
#include <stdlib.h>

#include "coordinator/coordinator_private.h"

/* Losses per second and worker, declared or measured. */
static double measure_losses(const struct ls_coordinator *c) {
  double up_s = c->record.earlier_up_seconds + c->roster.up_seconds;
  if (c->config.loss_rate > 0) return c->config.loss_rate;
  return up_s > 0 ? (double)c->roster.losses / up_s : 0;
}

/* What the unit is expected to take at the worker; NAN: not known. */
static double expect(const struct ls_coordinator *c, uint64_t unit, uint32_t slot) {
  double seconds = ls_record_expect(&c->record, unit);
  /* In a first iteration all tasks look like those that are done. */
  if (isnan(seconds) && c->ledger.done > 0 && c->record.working_seconds > 0)
    seconds = c->record.working_seconds / (double)c->ledger.done;
  return seconds / ls_step_speed(c, slot);
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

void ls_replica_open(struct ls_coordinator *c) {
  size_t active = ls_roster_active(&c->roster), wanted = c->roster.wanted;
  struct ls_replication_view view = {
      .units = c->ledger.waiting.units,
      .workers_wanted = wanted > c->config.extra ? wanted - c->config.extra : 1,
      .workers_present = active > wanted ? active : wanted,
      .loss_rate = measure_losses(c),
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

static bool serve_due(struct ls_coordinator *c, uint32_t slot) {
  struct ls_replica replica;
  if (c->replicas.due_count == 0 ||
      !ls_replicas_take_due(&c->replicas, &c->ledger, slot, c->config.retries, &replica))
    return false;
  send_replica(c, &replica);
  return true;
}

/* What a replica at the slot of the unit that another one runs is worth; <= 0: nothing. */
static double weigh(const struct ls_coordinator *c, uint32_t holder, uint32_t slot,
                    uint64_t *unit) {
  const struct ls_ledger_slot *at = &c->ledger.slots[holder];
  if (at->chunks == 0) return 0;
  const struct ls_chunk *chunk = &c->ledger.chunks[at->first];
  if (chunk->is_cancelled) return 0;
  *unit = chunk->range.first;
  if (ls_replicas_have(&c->replicas, *unit) ||
      ls_ledger_failures(&c->ledger, *unit) > c->config.retries)
    return 0;
  double begun_s = fmax(chunk->sent_s, c->record.slots[holder].result_s);
  struct ls_replica_facts facts = {.elapsed_s = c->now_s - begun_s,
                                   .expected_s = expect(c, *unit, holder),
                                   .copy_s = expect(c, *unit, slot),
                                   .loss_rate = measure_losses(c),
                                   .arguments = c->replication};
  return c->config.replication->worth(&facts);
}

static bool serve_spare(struct ls_coordinator *c, uint32_t slot) {
  struct ls_replica best = {.slots = {LS_WORKER_NONE, slot}, .is_spare = true};
  double most = 0;
  uint64_t unit = 0;
  if (c->config.replication->worth == NULL || c->ledger.slots[slot].units > 0 || !c->is_open)
    return false;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (i == slot || !c->roster.is_present[i]) continue;
    double worth = weigh(c, i, slot, &unit);
    if (!(worth > most)) continue;
    most = worth;
    best.slots[0] = i;
    best.unit = unit;
  }
  if (best.slots[0] == LS_WORKER_NONE) return false;
  send_replica(c, &best);
  return true;
}

bool ls_replica_serve(struct ls_coordinator *c, uint32_t slot, bool is_idle) {
  return is_idle ? serve_spare(c, slot) : serve_due(c, slot);
}

/* The replica at `index` leaves the slot `which`; the policy hears if it had sent it there. */
static void end_replica(struct ls_coordinator *c, size_t index, int which, bool cancels) {
  struct ls_replica_end end;
  enum ls_status status = ls_replicas_end(&c->replicas, &c->ledger, index, which, &end);
  ls_step_fail(c, status);
  if (status != LS_OK) return;
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

/* Time makes replicas worth their price: who waits in vain is looked at again. */
static void serve_parked(struct ls_coordinator *c) {
  uint32_t slot = c->roster.parked_first;
  while (slot != LS_WORKER_NONE && !c->has_failed) {
    uint32_t next = c->roster.slots[slot].parked_next;
    bool may_serve = !ls_advice_is_surplus(c, slot);
    if (may_serve && (serve_due(c, slot) || serve_spare(c, slot)))
      ls_roster_unpark(&c->roster, slot);
    slot = next;
  }
}

void ls_replica_continue(struct ls_coordinator *c) {
  if (!c->is_open || c->config.chunking->is_pushed) return;
  if (c->ledger.waiting.units == 0) {
    if (c->ledger.sent > 0) serve_parked(c);
  } else if (c->has_returned && c->replicas.count > 0) {
    make_room(c);
  }
}
