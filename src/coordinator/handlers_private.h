/* handlers_private.h: the handlers of events, as step.c and they themselves call each other.
 *
 * None of them has a way back: lack of memory is noted (ls_step_fail), and ends the run.
 */
#ifndef LS_COORDINATOR_HANDLERS_PRIVATE_H
#define LS_COORDINATOR_HANDLERS_PRIVATE_H

#include "coordinator/coordinator_private.h"
#include "coordinator/decisions/handle_lifetimes_private.h"

/* ---- handle_demand.c ---- */

/* Were there ever as many workers as the units wait for? */
bool ls_worker_may_begin(struct ls_coordinator *c);
static inline bool ls_worker_are_enough(struct ls_coordinator *c) {
  return c->is_manned || ls_worker_may_begin(c);
}
/* Requests the workers that are wanted and neither there nor on their way. */
void ls_worker_request(struct ls_coordinator *c);
/* No more workers are awaited than are on their way: the others are lost to the policy. */
void ls_worker_await(struct ls_coordinator *c);
void ls_worker_on_granted(struct ls_coordinator *c, uint64_t workers);
void ls_worker_on_refused(struct ls_coordinator *c, uint64_t workers);
/* Asks again for what was refused or did not come; when the next thing is due. */
double ls_worker_look_at_demand(struct ls_coordinator *c);
/* Does a sizing want fewer workers by now than are there? */
bool ls_worker_is_surplus(const struct ls_coordinator *c);
/* Those above the wanted number are released, the slowest first, then those that live shortest,
 * then whole leases; no worker has work. */
void ls_worker_release_surplus(struct ls_coordinator *c);

/* ---- handle_requests.c: units for workers ---- */

void ls_request_on_ready(struct ls_coordinator *c, uint32_t slot, uint64_t units);
/* The units that the worker finished are reported to the policy. */
void ls_request_report(struct ls_coordinator *c, uint32_t slot);
/* The policy hears that a worker came or went, with the units that came back. */
void ls_request_tell(struct ls_coordinator *c, uint32_t slot, enum ls_chunking_change change,
                     uint64_t units_back);
/* Has the slot's worker room for a unit? */
static inline bool ls_request_has_room(struct ls_coordinator *c, uint32_t slot) {
  return !ls_rooms_are_limited(&c->rooms) ||
         ls_rooms_measure(&c->rooms, slot, c->ledger.slots[slot].units) > 0;
}
/* A unit left the slot: its worker may have been refused what would have waited behind it. */
static inline void ls_request_reconsider(struct ls_coordinator *c, uint32_t slot) {
  if (c->roster.slots[slot].is_parked && c->ledger.slots[slot].units == 0) c->has_returned = true;
}
/* ... or what it does not live long enough for, so that it goes, or gets another one; or what one
 * that is away may have, which is for those that are idle. */
static inline void ls_request_reconsider_kept(struct ls_coordinator *c, uint32_t slot) {
  bool is_any_kept = c->visits[slot].ends_s < HUGE_VAL || ls_ledger_doubtful(&c->ledger) > 0;
  if (is_any_kept) ls_request_reconsider(c, slot);
}
/* The policy hears of units that came back without a change of their worker. */
void ls_request_return(struct ls_coordinator *c, uint64_t units_back);
/* Are the units of a task that died sent one by one?  A plan's chunks leave as planned. */
static inline bool ls_request_isolates(const struct ls_coordinator *c) {
  return c->config.isolates_lost && !c->config.chunking->is_pushed;
}
/* A chunk that the ledger made leaves. */
void ls_request_dispatch(struct ls_coordinator *c, uint32_t chunk);
/* Parked requests that are due, or the next chunk of a policy that pushes. */
void ls_request_serve_due(struct ls_coordinator *c);
static inline void ls_request_serve(struct ls_coordinator *c) {
  if (c->policy == NULL || !ls_worker_are_enough(c)) return;
  bool is_any_due = c->config.chunking->is_pushed || c->has_returned || c->awaits_start ||
                    c->roster.due != LS_WORKER_NONE;
  if (is_any_due)
    ls_request_serve_due(c);
  else
    c->is_idle_counted = false;
}

/* ---- handle_lanes.c ---- */

/* LS_EINVAL: something in the config contradicts its homes or needs. */
LS_CHECKED enum ls_status ls_lane_check(const struct ls_coordinator_config *config,
                                        struct ls_error *err);
/* LS_EINVAL: the units of the iteration cannot be divided among the homes, or may not need labels.
 */
LS_CHECKED enum ls_status ls_lane_check_iteration(const struct ls_coordinator *c,
                                                  const struct ls_event *event,
                                                  struct ls_error *err);
/* Says of the page which of its units are in which lane, if there is more than one. LS_EINVAL: a
 * need is none, or of no unit. */
LS_CHECKED enum ls_status ls_lane_divide(struct ls_coordinator *c, const struct ls_event *event,
                                         struct ls_ledger_page *page, struct ls_error *err);
/* Crews with policies for the lanes of the page; NULL: there is one lane. The caller's. */
LS_CHECKED enum ls_status ls_lane_begin(struct ls_coordinator *c, const struct ls_ledger_page *page,
                                        struct ls_lane_crew **crews, struct ls_error *err);
void ls_lane_close(struct ls_lane_crew *crews, uint32_t count);
/* The crews, for the lanes of the ledger, take the place of the former ones. */
void ls_lane_put(struct ls_coordinator *c, struct ls_lane_crew *crews);
/* More units, for policies that begin anew. */
LS_CHECKED enum ls_status ls_lane_add(struct ls_coordinator *c, const struct ls_event_added *added,
                                      struct ls_error *err);
/* Room for these slots in every crew. */
LS_CHECKED enum ls_status ls_lane_add_slots(struct ls_coordinator *c, size_t slots);
/* A worker with these labels is in the slot. */
void ls_lane_admit(struct ls_coordinator *c, uint32_t slot, const char *labels);

/* Policy and ledger are those of this lane; the lane that was in focus. */
uint32_t ls_lane_focus(struct ls_coordinator *c, uint32_t lane);
/* As its policy in focus knows the slot. */
uint32_t ls_lane_find_seat(const struct ls_coordinator *c, uint32_t slot);
static inline uint32_t ls_lane_seat(const struct ls_coordinator *c, uint32_t slot) {
  return c->crews != NULL ? ls_lane_find_seat(c, slot) : slot;
}
bool ls_lane_may(const struct ls_coordinator *c, uint32_t slot, uint64_t unit);
/* The lanes with units that wait and that the slot may have, the one for the fewest first. */
size_t ls_lane_list(const struct ls_coordinator *c, uint32_t slot, uint32_t lanes[LS_LANES_MAX]);
/* The units that wait and that the slot may have. */
uint64_t ls_lane_count_waiting(const struct ls_coordinator *c, uint32_t slot);
/* Workers that may have units of the lane in focus, and have none or have not asked yet. */
uint64_t ls_lane_count_eager(const struct ls_coordinator *c);

/* There are several lanes: their policies hear what ls_request_tell and its like say. */
void ls_lane_introduce(struct ls_coordinator *c);
void ls_lane_tell(struct ls_coordinator *c, uint32_t slot, enum ls_chunking_change change);
void ls_lane_tell_returned(struct ls_coordinator *c);
void ls_lane_report(struct ls_coordinator *c, struct ls_chunking_report *report);
/* The unit ended at the slot: what is reported with it is of its lane alone. */
void ls_lane_change(struct ls_coordinator *c, uint32_t slot, uint64_t unit);
static inline void ls_lane_turn(struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  if (c->crews != NULL) ls_lane_change(c, slot, unit);
}

/* ---- handle_weights.c ---- */

/* A worker counts once it has ended so many units. */
#define LS_WEIGHT_UNITS 3.0
/* Units of the slot's worker ended, and their seconds are known. */
static inline void ls_weight_note(struct ls_coordinator *c, uint32_t slot, double units_before) {
  if (units_before < LS_WEIGHT_UNITS && c->record.slots[slot].units >= LS_WEIGHT_UNITS)
    c->has_weight_news = true;
  c->weighed++;
}
/* Weights that are learnt are those of all that is known. */
void ls_weight_learn(struct ls_coordinator *c);
static inline void ls_weight_renew(struct ls_coordinator *c) {
  bool is_due = c->has_weight_news || (c->is_weighed && c->weighed >= c->view.slots);
  if (is_due) ls_weight_learn(c);
}
/* Do workers show how fast they are?  Only what knows units apart can tell. */
bool ls_speed_is_learnt(const struct ls_coordinator *c);
/* An iteration has ended. */
void ls_speed_renew(struct ls_coordinator *c);
/* A worker has joined whose machine may be known. */
void ls_speed_recall(struct ls_coordinator *c, uint32_t slot, uint64_t place);
/* A worker's benchmark: its speed until its units show one. */
void ls_speed_hear(struct ls_coordinator *c, uint32_t slot, double speed);

/* ---- handle_pauses.c ---- */

/* May anything be sent to a worker by now? */
static inline bool ls_start_is_free(const struct ls_coordinator *c) {
  return !(c->now_s < c->start_s);
}
/* Something is sent: the next start is later. */
static inline void ls_start_note(struct ls_coordinator *c) {
  if (c->config.start_delay_s > 0) c->start_s = c->now_s + c->config.start_delay_s;
}
/* A TIMER for those that are parked until then. */
static inline void ls_start_await(struct ls_coordinator *c) {
  if (ls_start_is_free(c)) return;
  if (c->roster.parked_first != LS_WORKER_NONE && c->is_open) ls_step_wake(c, c->start_s);
}
/* The unit, which failed and is in no chunk, is to wait for its next attempt. */
void ls_retry_pause(struct ls_coordinator *c, uint64_t unit);
/* Units that have waited long enough come back. */
void ls_retry_take_up(struct ls_coordinator *c);
static inline void ls_retry_continue(struct ls_coordinator *c) {
  if (c->pauses.count > 0) ls_retry_take_up(c);
}

/* ---- handle_results.c ---- */

void ls_result_on_result(struct ls_coordinator *c, uint32_t slot,
                         const struct ls_event_result *result);
/* The units, which left their chunk, are final at the slot: counted, and no replica goes on. */
void ls_result_settle(struct ls_coordinator *c, uint32_t slot, uint64_t chunk,
                      const struct ls_range *units, enum ls_outcome outcome);
/* The same of one that has no result; `is_outlasted`: ends of lifetimes stopped it too often. */
void ls_result_give_up(struct ls_coordinator *c, uint32_t slot, uint64_t chunk,
                       struct ls_range units, bool is_outlasted);

/* ---- handle_recalls.c ---- */

/* Nothing waits for the slot's worker, which is idle while others have more than they run. */
bool ls_recall_may_help(const struct ls_coordinator *c, uint32_t slot);
/* Is there anybody who may seek? */
static inline bool ls_recall_may_seek(const struct ls_coordinator *c) {
  if (c->config.chunking->is_pushed)
    return !c->plan.has_returns && ls_ledger_waiting(&c->ledger) == 0 && !c->is_stopping;
  /* Some of the parked were not asked again yet. */
  return c->roster.parked_first != LS_WORKER_NONE && c->roster.due == LS_WORKER_NONE;
}
/* Takes back what waits at busy workers, as far as those who seek are worth it. */
void ls_recall_look(struct ls_coordinator *c);
static inline void ls_recall_continue(struct ls_coordinator *c) {
  bool may_recall = c->config.recalls && c->ledger.crowded > 0 && !c->has_failed;
  if (may_recall && ls_recall_may_seek(c)) ls_recall_look(c);
}
/* The fastest that has nothing to do, and the number of those; LS_WORKER_NONE: there is none. */
uint32_t ls_recall_find_idle(struct ls_coordinator *c, size_t *count);
/* Something may be recalled for it, or from it. */
static inline void ls_recall_reconsider(struct ls_coordinator *c, uint32_t slot) {
  if (c->ledger.slots[slot].units != 1) c->recalls.is_due = true;
}
/* Units for those that are idle are on their way back. */
static inline bool ls_recall_is_awaited(const struct ls_coordinator *c) {
  return c->config.recalls && c->now_s < c->recalls.answered_s && c->ledger.crowded > 0;
}

/* ---- handle_replicas.c ---- */

/* A new iteration, of which nothing was sent. */
void ls_replica_open(struct ls_coordinator *c);
/* How many extra workers an iteration that needs so many is to have. */
size_t ls_replica_choose_extra(struct ls_coordinator *c, size_t workers_wanted);
/* The unit ended at the slot's worker after so many seconds, which nobody has learnt yet. */
void ls_replica_learn(struct ls_coordinator *c, uint32_t slot, uint64_t unit, double seconds);
/* A replica for the worker that asks: one that is due, or (`is_idle`) one that is worth it. */
bool ls_replica_serve(struct ls_coordinator *c, uint32_t slot, bool is_idle);
/* Units are final at the slot: the others are cancelled. */
void ls_replica_settle(struct ls_coordinator *c, uint32_t slot, const struct ls_range *units);
/* The unit came to nothing at the slot; true: it goes on at another. */
bool ls_replica_withdraw(struct ls_coordinator *c, uint64_t unit);
/* The worker is gone: its units that also run elsewhere run there alone now. */
void ls_replica_leave(struct ls_coordinator *c, uint32_t slot);
/* The same, but for the unit that runs there. */
void ls_replica_leave_waiting(struct ls_coordinator *c, uint32_t slot);
/* A replica for an idle worker of what runs at one that is away, or leaves. */
bool ls_replica_serve_forsaken(struct ls_coordinator *c, uint32_t slot);
void ls_replica_continue(struct ls_coordinator *c);

/* ---- handle_late.c ---- */

/* May the result settle the unit, which its worker does not owe any more? */
bool ls_result_may_be_late(const struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_result *result, uint64_t unit);
/* May it count as one more failure of it? */
bool ls_result_may_fail_late(const struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_result *result, uint64_t unit);
/* It does, if it may: nobody else has the unit any more. */
bool ls_result_accept_late(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_result *result, uint64_t unit);

/* ---- handle_workers.c: workers come and go ---- */

void ls_worker_on_joined(struct ls_coordinator *c, uint32_t slot,
                         const struct ls_event_joined *joined);
void ls_worker_on_lost(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause);
void ls_worker_on_timer(struct ls_coordinator *c);
/* The coordinator itself noticed it; the worker may hang, and is told to go. */
void ls_worker_lose(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause);
void ls_worker_move(struct ls_coordinator *c, uint32_t slot, enum ls_presence presence);
/* The units of the slot's worker wait again, but for those that run elsewhere, too; their number.
 * `may_come`: a result may come all the same. */
uint64_t ls_worker_withdraw(struct ls_coordinator *c, uint32_t slot, bool may_come);
/* The units of the list, which left the slot, wait again: before all others, or, if its worker may
 * have them, behind. */
void ls_worker_take_back(struct ls_coordinator *c, uint32_t slot, struct ls_piece_list *units,
                         bool is_doubtful);
/* CANCEL for every chunk of the slot that was not cancelled yet. */
void ls_worker_cancel(struct ls_coordinator *c, uint32_t slot);
/* The worker, which has nothing, is not wanted any more. */
void ls_worker_release(struct ls_coordinator *c, uint32_t slot);
/* Releases a worker that leaves and has nothing. */
void ls_worker_release_leaving(struct ls_coordinator *c, uint32_t slot);
/* A fresh policy hears which slots have no worker and await none. */
void ls_worker_introduce(struct ls_coordinator *c);

/* ---- handle_absence.c ---- */

void ls_absence_on_suspended(struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_suspended *suspended);
/* One that is away already is so for another reason, or what it had is gone now. */
void ls_absence_on_changed(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_suspended *suspended);
void ls_absence_on_leaving(struct ls_coordinator *c, uint32_t slot);
/* All that is at the slot leaves it without a result, which may come late. */
void ls_absence_remember(struct ls_coordinator *c, uint32_t slot);
/* What runs at the slot waits again; it may go on there. */
void ls_absence_give_back(struct ls_coordinator *c, uint32_t slot);
/* May the worker go on with what it has? One that fell silent, or was cut off, does so until it
 * notices; one that was told to stand still, or stopped, does nothing meanwhile. */
static inline bool ls_absence_is_doubtful(const struct ls_coordinator *c, uint32_t slot) {
  return ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED) &&
         c->visits[slot].reason >= LS_AWAY_SILENT;
}
/* The worker is lost, but may come back with what it has in another slot. */
void ls_absence_orphan(struct ls_coordinator *c, uint32_t slot);
/* The slot is looked at when the next limit of its worker is over. */
void ls_absence_wake(struct ls_coordinator *c, uint32_t slot);
/* Workers beat so often from now on: what follows from h does so of this one. */
void ls_absence_on_heartbeat(struct ls_coordinator *c, double heartbeat_s);
/* Does what is due of all slots; when the next thing is. */
double ls_absence_look(struct ls_coordinator *c);
/* Seconds that the unit is expected to take there; NAN: not known. */
double ls_absence_expect(const struct ls_coordinator *c, uint32_t slot, uint64_t unit);

/* ---- handle_resumed.c ---- */

void ls_absence_on_resumed(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_resumed *resumed);
/* One that was lost before has joined, and tells what it has. */
void ls_absence_on_returned(struct ls_coordinator *c, uint32_t slot,
                            const struct ls_event_joined *joined);

/* ---- handle_iterations.c ---- */

LS_CHECKED enum ls_status ls_iteration_on_iteration(struct ls_coordinator *c,
                                                    const struct ls_event *event,
                                                    struct ls_error *err);
LS_CHECKED enum ls_status ls_iteration_on_added(struct ls_coordinator *c,
                                                const struct ls_event_added *added,
                                                struct ls_error *err);
void ls_iteration_stop(struct ls_coordinator *c, bool is_hard);
/* The consequences of any event: an end, parked requests, replicas. */
void ls_iteration_continue(struct ls_coordinator *c);

/* ---- handle_advice.c ---- */

/* The policy, begun on the units that wait, takes the place of the present one; the caller's until
 * then. */
void ls_advice_put(struct ls_coordinator *c, struct ls_policy *policy);

LS_CHECKED enum ls_status ls_advice_on_advice(struct ls_coordinator *c,
                                              const struct ls_event_advice *advice,
                                              struct ls_error *err);
/* Is the worker one of the slowest, where more are there than advised? */
bool ls_advice_is_slowest(struct ls_coordinator *c, uint32_t slot);
/* Is the worker one of the slowest, which are to go? It then gets nothing more. */
static inline bool ls_advice_is_surplus(struct ls_coordinator *c, uint32_t slot) {
  return ls_roster_active(&c->roster) > c->roster.most && ls_advice_is_slowest(c, slot);
}
/* Releases the workers that are to go and have nothing. */
void ls_advice_release(struct ls_coordinator *c);

/* ---- handle_returns.c: results in a planned order ---- */

/* Of a new iteration nothing was handed out. */
void ls_return_open(struct ls_coordinator *c);
/* The next chunk of the plan was handed out, to this slot or another: how does its result come? */
enum ls_result_way ls_return_on_push(struct ls_coordinator *c, const struct ls_chunk *chunk,
                                     uint64_t units);
/* Does the plan say in which order results come, and is that still kept? */
static inline bool ls_return_is_ordered(const struct ls_coordinator *c) {
  return c->plan.has_returns && !c->fetching.is_abandoned;
}
/* All was taken from a worker that is away, so that nobody waits for it. */
void ls_return_on_vacated(struct ls_coordinator *c);
/* A chunk waits for room: asks for a held result that has to come before it, if there is one. */
void ls_return_make_room(struct ls_coordinator *c);
/* Asks for the next result in order, if its chunk is out and no other is asked for. */
void ls_return_continue(struct ls_coordinator *c);
/* The worker has a new connection: what it was asked for before, it is asked for again. */
void ls_return_repeat(struct ls_coordinator *c, uint32_t slot);

/* handle_leases.c: workers that cost and have nothing more to do are released. */
void ls_lease_look_for(struct ls_coordinator *c);
static inline void ls_lease_look(struct ls_coordinator *c) {
  if (c->has_leases) ls_lease_look_for(c);
}

#endif
