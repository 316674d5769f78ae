/* coordinator_private.h: the state that a step works on, seen by step.c and the handlers only.
 *
 * The ledger, the roster, the record, the replicas and the rooms are values that know nothing of
 * each other but the ledger; here they meet the policies, the actions and the notes.  Lack of
 * memory is sticky: a step that could not be done ends the run (docs/decisions/0002), so no handler
 * has a way back.
 */
#ifndef LS_COORDINATOR_COORDINATOR_PRIVATE_H
#define LS_COORDINATOR_COORDINATOR_PRIVATE_H

#include <assert.h>

#include "base/arena.h"
#include "coordinator/coordinator.h"
#include "coordinator/late.h"
#include "coordinator/ledger.h"
#include "coordinator/patience.h"
#include "coordinator/record.h"
#include "coordinator/replicas.h"
#include "coordinator/rooms.h"
#include "coordinator/roster.h"
#include "coordinator/visit.h"

_Static_assert(LS_WORKER_NONE == LS_SLOT_NONE && LS_WORKER_NONE == LS_INDEX_NONE, "nobody");

/* One request is answered with at most so many chunks. */
enum { LS_REQUEST_CHUNKS_MAX = 4096 };

/* A policy at work. Stays where it is: the policy knows its arena. */
struct ls_policy {
  struct ls_arena arena;
  const struct ls_chunking *chunking;
  void *state;
};

/* The order in which the results of a plan's chunks are fetched; the plan has it. */
struct ls_fetching {
  size_t at;        /* of the order: the next one to be fetched */
  size_t *ranks;    /* by chunk of the plan: its place in the order plus 1; 0: it is not held */
  uint64_t *sent;   /* by chunk of the plan: its number plus 1; 0: not sent */
  uint32_t *slots;  /* where */
  size_t pushed;    /* so many chunks of the plan were handed out */
  bool is_fetching; /* the one at `at` was asked for */
};

/* The faster one comes first; of equal ones the lower slot. */
struct ls_rank {
  double rate;
  uint32_t slot;
};

struct ls_coordinator {
  struct ls_coordinator_config config; /* its pointers are the coordinator's own copies */
  struct ls_plan plan;                 /* to be followed: chunks and returns, copied */
  struct ls_coordinator_past past;     /* ranges copied; emptied by the first iteration */
  bool has_past, has_started, has_failed;
  struct ls_arguments ordering, sizing, replication;
  struct ls_sizing_memory sizing_memory;

  struct ls_ledger ledger;
  struct ls_roster roster;
  struct ls_record record;
  struct ls_replicas replicas;
  struct ls_rooms rooms;
  struct ls_late late;
  struct ls_patience patience;
  struct ls_visit *visits; /* by slot */
  size_t visits_capacity;
  struct ls_fetching fetching;

  struct ls_policy *policy; /* of the iteration; NULL: there is none */
  struct ls_chunking_view view;
  double *weights; /* by slot: told, measured, or newcomer_weight */
  size_t weights_capacity;
  double newcomer_weight;
  bool is_weighed; /* told or measured */
  /* While more workers are there than advised: room to rank them in, by slot, and the first one
   * that is to go, if `is_ranked`: no worker came, went or was measured since. */
  struct ls_rank *ranks;
  size_t ranks_capacity;
  struct ls_rank first_surplus;
  bool is_ranked;

  double now_s;
  struct ls_actions *actions; /* of the running step */
  struct ls_action spare;     /* for an action without memory */
  bool has_returned; /* units came back in this step, or a share is free: the parked ask again */
  size_t idle;       /* parked from the one that is due on, with nothing */
  bool is_free;      /* FREE came, and nothing was sent since */
  bool awaits_free;  /* AWAIT_FREE was said, and FREE has not come */

  uint32_t iteration;
  bool is_open;            /* an iteration has unsettled units, or is incomplete */
  bool is_incomplete;      /* units may be added to it */
  bool was_changed;        /* workers came or went in this iteration */
  double opened_s, wake_s; /* wake_s: the earliest WAKE_AT that is pending; infinite: none */
  uint64_t requests, results_dropped, results_late, units_retried, lost;
  bool is_stopping, is_finished;
};

/* ---- step.c ---- */

/* Lack of memory: the run is over. */
/* Without memory the run is over. */
static inline void ls_step_fail(struct ls_coordinator *c, enum ls_status status) {
  if (status != LS_OK) c->has_failed = true;
}
/* Where the next action is written, when the list is full. */
struct ls_action *ls_step_make_room(struct ls_coordinator *c);
/* One more action, of which the caller tells the rest. */
static inline struct ls_action *ls_step_act(struct ls_coordinator *c, enum ls_action_kind kind,
                                            uint32_t worker) {
  struct ls_actions *actions = c->actions;
  struct ls_action *action =
      actions->count < actions->capacity ? &actions->items[actions->count++] : ls_step_make_room(c);
  action->kind = kind;
  action->worker = worker;
  return action;
}
void ls_step_write_note(struct ls_coordinator *c, const struct ls_note *note);
static inline void ls_step_note(struct ls_coordinator *c, const struct ls_note *note) {
  if (c->actions->wants_notes) ls_step_write_note(c, note);
}
/* A TIMER is wanted at `time_s`, unless one comes earlier. */
void ls_step_wake(struct ls_coordinator *c, double time_s);
/* The weight that was told of the slot; 1: none. */
static inline double ls_step_speed(const struct ls_coordinator *c, uint32_t slot) {
  bool is_told = slot < c->config.weights_count && c->config.weights[slot] > 0;
  return is_told ? c->config.weights[slot] : 1;
}
/* The weight of the slot's next worker: the one told of the slot, or that of any newcomer. */
static inline double ls_step_weight(const struct ls_coordinator *c, uint32_t slot) {
  return slot < c->config.weights_count ? c->config.weights[slot] : c->newcomer_weight;
}
/* Room for slots below `slots` in every book. */
LS_CHECKED enum ls_status ls_step_add_slots(struct ls_coordinator *c, size_t slots);

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
/* ... or what it does not live long enough for: it goes, or gets another one. */
static inline void ls_request_reconsider_mortal(struct ls_coordinator *c, uint32_t slot) {
  if (c->visits[slot].ends_s < HUGE_VAL) ls_request_reconsider(c, slot);
}
/* The policy hears of units that came back without a change of their worker. */
void ls_request_return(struct ls_coordinator *c, uint64_t units_back);
/* A chunk that the ledger made leaves. */
void ls_request_dispatch(struct ls_coordinator *c, uint32_t chunk);
/* Parked requests that are due, or the next chunk of a policy that pushes. */
void ls_request_serve(struct ls_coordinator *c);

/* ---- handle_results.c ---- */

void ls_result_on_result(struct ls_coordinator *c, uint32_t slot,
                         const struct ls_event_result *result);
/* The units, which left their chunk, are final at the slot: counted, and no replica goes on. */
void ls_result_settle(struct ls_coordinator *c, uint32_t slot, uint64_t chunk,
                      struct ls_range units, enum ls_outcome outcome);

/* ---- handle_replicas.c ---- */

/* A new iteration, of which nothing was sent. */
void ls_replica_open(struct ls_coordinator *c);
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
/* The slot is looked at when the next limit of its worker is over. */
void ls_absence_wake(struct ls_coordinator *c, uint32_t slot);
/* Does what is due of all slots; when the next thing is. */
double ls_absence_look(struct ls_coordinator *c);
/* Seconds that the unit is expected to take there; NAN: not known. */
double ls_absence_expect(const struct ls_coordinator *c, uint32_t slot, uint64_t unit);

/* ---- handle_resumed.c ---- */

void ls_absence_on_resumed(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_resumed *resumed);

/* ---- handle_demand.c ---- */

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
/* The slowest above the wanted number are released; no worker has work. */
void ls_worker_release_surplus(struct ls_coordinator *c);

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
/* Is the worker one of the slowest, which are to go? It then gets nothing more. */
bool ls_advice_is_surplus(struct ls_coordinator *c, uint32_t slot);
/* Releases the workers that are to go and have nothing. */
void ls_advice_release(struct ls_coordinator *c);

/* ---- handle_returns.c: results in a planned order ---- */

/* Of a new iteration nothing was handed out. */
void ls_return_open(struct ls_coordinator *c);
/* The next chunk of the plan was handed out, to this slot or another: how does its result come? */
enum ls_result_way ls_return_on_push(struct ls_coordinator *c, const struct ls_chunk *chunk,
                                     uint64_t units);
/* Does the plan say in which order results come? */
static inline bool ls_return_is_ordered(const struct ls_coordinator *c) {
  return c->plan.has_returns;
}
/* A chunk waits for room: asks for a held result that has to come before it, if there is one. */
void ls_return_make_room(struct ls_coordinator *c);
/* Asks for the next result in order, if its chunk is out and no other is asked for. */
void ls_return_continue(struct ls_coordinator *c);

/* ---- policy.c ---- */

/* The facts that a policy begins with. */
struct ls_policy_start {
  struct ls_coordinator_choice choice;
  const double *weights; /* by slot; NULL: not known */
  uint64_t units;        /* that wait, >= 1 */
};
/* With the facts known by now; the caller's (destroy). LS_EINVAL: the policy refuses. */
LS_CHECKED enum ls_status ls_policy_create(const struct ls_coordinator *c,
                                           const struct ls_policy_start *start,
                                           struct ls_policy **out, struct ls_error *err);
void ls_policy_destroy(struct ls_policy *policy);
/* The record gathers what the policy of the config wants to hear, and as often. */
void ls_policy_listen(struct ls_coordinator *c);

/* The facts of this instant. */
static inline const struct ls_chunking_view *ls_policy_view(struct ls_coordinator *c) {
  c->view.now_s = c->now_s;
  c->view.units_unassigned = c->ledger.waiting.units;
  c->view.workers_present = ls_roster_active(&c->roster);
  return &c->view;
}

#endif
