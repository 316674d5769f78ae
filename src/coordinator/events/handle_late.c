/* handle_late.c: results that come after their units were taken from the worker.
 *
 * The worker was away, or lost, and did what it had all the same.  While a unit is not settled its
 * result counts, wherever the unit is by now: it waits no more, and who else runs it is told to
 * stop.  The ledger, not the sender, says what is settled.  A failure counts as one, too.
 */
#include "coordinator/handlers_private.h"

static bool is_wanted(const struct ls_coordinator *c, uint64_t unit) {
  return c->is_open && !c->is_finished && c->ledger.state[unit] < LS_UNIT_DONE;
}

bool ls_result_may_be_late(const struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_result *result, uint64_t unit) {
  if (result->outcome != LS_OUTCOME_DONE || !is_wanted(c, unit)) return false;
  return result->chunk == LS_CHUNK_NONE || ls_late_has(&c->late, slot, result->chunk, unit);
}

/* Of an earlier session nobody knows whether it was counted; what the dead say is no failure. */
bool ls_result_may_fail_late(const struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_result *result, uint64_t unit) {
  bool is_failure = result->outcome == LS_OUTCOME_FAILED || result->outcome == LS_OUTCOME_TIMED_OUT;
  return is_failure && is_wanted(c, unit) && ls_late_is_known(&c->late, slot, result->chunk, unit);
}

/* The unit leaves the chunk of the slot, whose worker may have it still. */
static void take_from(struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  uint32_t index = ls_ledger_holding(&c->ledger, slot, unit);
  const struct ls_chunk *chunk = &c->ledger.chunks[index];
  struct ls_remnant remnant = {chunk->id, unit, slot};
  struct ls_range range = {unit, 1}, taken;
  bool is_over = chunk->units == 1 && !chunk->is_cancelled;
  if (!chunk->is_replica) c->record.slots[slot].report.units_gone++;
  enum ls_status status = ls_ledger_take(&c->ledger, index, &range, &taken);
  if (status == LS_OK) status = ls_rooms_keep(&c->rooms, &remnant);
  ls_step_fail(c, status);
  ls_request_reconsider(c, slot);
  ls_recall_reconsider(c, slot);
  if (status == LS_OK && is_over) ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = remnant.chunk;
}

bool ls_result_accept_late(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_result *result, uint64_t unit) {
  if (!ls_result_may_be_late(c, slot, result, unit)) return false;
  struct ls_range range = {unit, 1};
  if (c->ledger.state[unit] == LS_UNIT_WAITING) {
    ls_step_fail(c, ls_ledger_claim(&c->ledger, unit));
  } else if (c->ledger.state[unit] == LS_UNIT_PAUSED) {
    ls_ledger_resume(&c->ledger, unit);
  } else if (!ls_replicas_have(&c->replicas, unit)) {
    take_from(c, ls_replicas_find_holder(&c->ledger, unit), unit);
  } else {
    /* Nobody is named as the winner of the two: the second goes first, the first is left alone. */
    size_t index = ls_replicas_find(&c->replicas, unit);
    uint32_t original = c->replicas.items[index].slots[0];
    ls_replica_settle(c, original, &range);
    if (!c->has_failed) take_from(c, original, unit);
  }
  if (c->has_failed) return false;
  ls_result_settle(c, slot, result->chunk, &range, LS_OUTCOME_DONE);
  c->results_late++;
  return true;
}
