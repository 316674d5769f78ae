/* handle_replicas.c: when a replication makes replicas, and what follows from their ends. */
#include <math.h>
#include <stdlib.h>

#include "coordinator/decisions/handle_spares_private.h"
#include "coordinator/handlers_private.h"

/* Half a loss in so many seconds of a worker is believed before any is seen: one in 25 hours. */
static const double PRIOR_LOSSES = 0.5, PRIOR_UP_S = 45000;

double ls_replica_loss_rate(const struct ls_coordinator *c) {
  double up_s = c->record.earlier_up_seconds + c->roster.up_seconds;
  if (c->config.loss_rate > 0) return c->config.loss_rate;
  double losses = (double)c->roster.losses + c->config.past_losses;
  return (losses + PRIOR_LOSSES) / (up_s + c->config.past_up_s + PRIOR_UP_S);
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
  if (count == ls_ledger_waiting(ledger)) return seconds;
  free(seconds);
  return NULL;
}

size_t ls_replica_choose_extra(struct ls_coordinator *c, size_t workers_wanted) {
  const struct ls_replication *replication = c->config.replication;
  if (replication == NULL || replication->extra == NULL) return c->config.extra;
  double *seconds = ls_ledger_waiting(&c->ledger) > 0 ? expect_waiting(c) : NULL;
  struct ls_replication_view view = {.units = ls_ledger_waiting(&c->ledger),
                                     .workers_wanted = workers_wanted,
                                     .loss_rate = ls_replica_loss_rate(c),
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
  if (ls_ledger_waiting(&c->ledger) == 0) {
    ls_step_fail(c, ls_replicas_open(&c->replicas, &c->ledger, 0));
    return;
  }
  struct ls_replication_view view = {.units = ls_ledger_waiting(&c->ledger),
                                     .workers_wanted = wanted > c->extra ? wanted - c->extra : 1,
                                     .workers_present = active > wanted ? active : wanted,
                                     .loss_rate = ls_replica_loss_rate(c),
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
  if (replicas > view.units) replicas = view.units;
  if (c->config.replication->extra != NULL)
    ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_REPLICATION,
                                      .worker = LS_WORKER_NONE,
                                      .units = replicas,
                                      .extra = c->extra});
  ls_step_fail(c, ls_replicas_open(&c->replicas, &c->ledger, replicas));
}

void ls_replica_send(struct ls_coordinator *c, const struct ls_replica *replica) {
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

bool ls_replica_is_one_place(const struct ls_coordinator *c) {
  uint32_t first = 0;
  while (first < c->roster.count && !c->roster.is_present[first]) first++;
  for (uint32_t i = first; i < c->roster.count; i++)
    if (c->roster.is_present[i] && c->visits[i].place != c->visits[first].place) return false;
  return true;
}

/* A replica on the machine of the original would be lost with it: another one is used, if there is
 * one. */
bool ls_replica_suits(const struct ls_coordinator *c, uint32_t holder, uint32_t slot, uint64_t unit,
                      bool is_one_place) {
  uint64_t place = c->visits[slot].place;
  bool is_apart = place == 0 || c->visits[holder].place != place || is_one_place;
  return is_apart && ls_lifetime_suffices(c, slot, unit);
}

struct suitor {
  const struct ls_coordinator *coordinator;
  bool is_one_place;
};

static bool suits(const void *context, uint32_t holder, uint32_t slot, uint64_t unit) {
  const struct suitor *suitor = context;
  return ls_replica_suits(suitor->coordinator, holder, slot, unit, suitor->is_one_place);
}

bool ls_replica_serve_due(struct ls_coordinator *c, uint32_t slot) {
  struct ls_replica replica;
  if (c->replicas.due_count == 0 || !ls_start_is_free(c)) return false;
  const struct suitor suitor = {c, ls_replica_is_one_place(c)};
  const struct ls_replica_asker asker = {slot, c->config.retries, suits, &suitor};
  if (!ls_replicas_take_due(&c->replicas, &c->ledger, &asker, &replica)) return false;
  ls_replica_send(c, &replica);
  return true;
}

/* May the unit that the holder runs get a replica? */
static bool may_replicate(const struct ls_coordinator *c, uint32_t holder) {
  const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[holder].first];
  return !ls_replicas_have(&c->replicas, chunk->range.first) &&
         ls_ledger_failures(&c->ledger, chunk->range.first) <= c->config.retries;
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
  if (c->config.is_once || !ls_start_is_free(c)) return false;
  if (c->ledger.slots[slot].units > 0 || !c->is_open || !ls_request_has_room(c, slot)) return false;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!is_forsaken(c, i)) continue;
    if (replica.slots[0] != LS_WORKER_NONE && !is_more_forsaken(c, i, replica.slots[0])) continue;
    uint64_t unit = c->ledger.chunks[c->ledger.slots[i].first].range.first;
    if (!ls_lane_may(c, slot, unit) || !ls_lifetime_suffices(c, slot, unit)) continue;
    replica.slots[0] = i;
    replica.unit = unit;
  }
  if (replica.slots[0] == LS_WORKER_NONE) return false;
  ls_replica_send(c, &replica);
  return true;
}

bool ls_replica_serve(struct ls_coordinator *c, uint32_t slot, bool is_idle) {
  if (!ls_request_has_room(c, slot)) return false;
  return is_idle ? ls_spare_serve(c, slot) : ls_replica_serve_due(c, slot);
}

/* For so long the unit has run there; 0: it waits. */
static double find_run_s(const struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  if (at->chunks == 0 || c->ledger.chunks[at->first].range.first != unit) return 0;
  double begun_s = fmax(c->ledger.chunks[at->first].sent_s, c->record.slots[slot].result_s);
  return fmax(0, c->now_s - begun_s);
}

/* The replica at `index` leaves the slot `which`; the policy hears if it had sent it there. */
static void end_replica(struct ls_coordinator *c, size_t index, int which, bool cancels) {
  struct ls_replica_end end;
  const struct ls_replica *replica = &c->replicas.items[index];
  if (cancels) {
    c->replicas.lost_s += find_run_s(c, replica->slots[which], replica->unit);
    ls_spare_learn_stop(c, replica->slots[which], replica->unit);
  }
  enum ls_status status = ls_replicas_end(&c->replicas, &c->ledger, index, which, &end);
  if (status == LS_OK && cancels)
    status = ls_rooms_keep(&c->rooms, &(struct ls_remnant){end.chunk, end.unit, end.slot});
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  if (c->config.spares_newcomers) ls_request_reconsider(c, end.slot);
  ls_recall_reconsider(c, end.slot);
  ls_request_reconsider_kept(c, end.slot);
  if (end.was_original) ls_lane_turn(c, end.slot, end.unit);
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
 * anew, or is served at once where it has asked already.  While nothing may be sent, or others are
 * still to be asked, that would be in vain.
 */
static void make_room(struct ls_coordinator *c) {
  if (!ls_start_is_free(c) || c->roster.due != LS_WORKER_NONE) return;
  uint64_t wanted = ls_ledger_waiting(&c->ledger), before = wanted;
  size_t i = 0;
  while (i < c->replicas.count && wanted > 0 && !c->has_failed) {
    if (!c->replicas.items[i].is_spare) {
      i++;
      continue;
    }
    end_replica(c, i, 1, true);
    wanted--;
  }
  if (wanted < before && !c->has_failed) ls_request_serve(c);
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
  if (ls_ledger_waiting(&c->ledger) == 0) {
    if (c->ledger.sent > 0 && c->config.replication != NULL) ls_spare_continue(c);
  } else if (c->has_returned && c->replicas.count > 0) {
    make_room(c);
  }
  /* What an end of time stopped waits, and is not for all; nor is what needs a label. */
  bool is_for_all = c->expiries.count == 0 && c->crews == NULL;
  if (c->ledger.sent > 0 && (ls_ledger_waiting(&c->ledger) == 0 || !is_for_all)) serve_forsaken(c);
}
