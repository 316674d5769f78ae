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
#include "coordinator/books/expiries.h"
#include "coordinator/books/late.h"
#include "coordinator/books/ledger.h"
#include "coordinator/books/needs.h"
#include "coordinator/books/patience.h"
#include "coordinator/books/pauses.h"
#include "coordinator/books/recalls.h"
#include "coordinator/books/record.h"
#include "coordinator/books/replicas.h"
#include "coordinator/books/rooms.h"
#include "coordinator/books/roster.h"
#include "coordinator/books/spares.h"
#include "coordinator/books/visit.h"
#include "coordinator/coordinator.h"
#include "model/plan_repeat.h"

_Static_assert(LS_WORKER_NONE == LS_SLOT_NONE && LS_WORKER_NONE == LS_INDEX_NONE, "nobody");

/* One request is answered with at most so many chunks. */
enum { LS_REQUEST_CHUNKS_MAX = 4096 };

/* A policy at work. Stays where it is: the policy knows its arena. */
struct ls_policy {
  struct ls_arena arena;
  const struct ls_chunking *chunking;
  void *state;
};

/* Lines that one worker may have units of. */
enum { LS_LANES_MAX = LS_NEEDS_MAX + 1 };

/* Who may have the units of a lane: the seats by which its policy knows them. */
struct ls_lane_crew {
  struct ls_policy
      *policy;     /* NULL: the lane had no units when the iteration, or this load, began */
  uint64_t units;  /* that it had then */
  uint32_t *slots; /* by seat; LS_SLOT_NONE: nobody yet, and the only one */
  uint32_t seats;
  size_t capacity;
};

/* By seat, of the lane that was looked at last. */
struct ls_seat_facts {
  double *weights;
  bool *is_present, *is_counted;
  uint64_t *units_free;
  size_t capacities[4];
};

/* Units and the labels that they need. */
struct ls_event_needs {
  const struct ls_event_need *items;
  size_t count;
};

/* The order in which the results of a plan's chunks are fetched; the plan has it. */
struct ls_fetching {
  size_t at;       /* of the order: the next one to be fetched */
  size_t *ranks;   /* by chunk of the plan: its place in the order plus 1; 0: it is not held */
  uint64_t *sent;  /* by chunk of the plan: its number plus 1; 0: not sent */
  uint32_t *slots; /* where */
  bool *was_asked; /* by chunk of the plan: FETCH was said */
  struct ls_plan_cursor cursor; /* at the chunk of the plan that is handed out next */
  uint64_t settled;             /* units, when a worker lost all that it had last, being away */
  uint64_t vain;                /* so often that happened since one was settled */
  bool is_abandoned;            /* results come as they end, for the rest of the iteration */
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
  struct ls_spares spares;
  struct ls_replication_memory replication_memory;
  size_t extra; /* workers wanted above those of the sizing */
  struct ls_rooms rooms;
  struct ls_late late;
  struct ls_expiries expiries;
  uint64_t *lasting; /* by slot, for a policy that pushes: as view.units_lasting */
  size_t lasting_capacity;
  double outlast_s; /* then nobody has the time any more for some unit; HUGE_VAL: nobody waits so */
  struct ls_patience patience;
  struct ls_pauses pauses;
  struct ls_recalls recalls;
  struct ls_visit *visits; /* by slot */
  size_t visits_capacity;
  struct ls_fetching fetching;

  struct ls_policy *policy; /* of the iteration, or its lane in focus; NULL: there is none */
  uint64_t policies;        /* that have begun: the number of this one */
  struct ls_chunking_view view;
  struct ls_needs needs;
  struct ls_lane_crew
      *crews; /* by lane of the ledger, which own the policies; NULL: there is one lane */
  uint32_t crews_count;
  struct ls_seat_facts seat_facts;
  struct ls_chunking_view seat_view;
  double *weights; /* by slot: told, measured, or newcomer_weight */
  size_t weights_capacity;
  double newcomer_weight;
  size_t weighed;       /* results since the weights were learnt last */
  bool has_weight_news; /* a worker has just become known */
  bool is_weighed;      /* told or measured */
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
  bool is_idle_counted;
  uint64_t idle;     /* parked from the one that is due on, with nothing */
  bool was_crowded;  /* behind the last step: units waited at busy workers */
  double start_s;    /* nothing is sent to a worker before; -infinite: no delay is told */
  bool awaits_start; /* somebody was not served for its sake */
  bool is_manned;    /* workers_min were there at once */
  bool has_results;  /* a unit has ended: the beginning is over */
  bool is_free;      /* FREE came, and nothing was sent since */
  bool awaits_free;  /* AWAIT_FREE was said, and FREE has not come */

  uint32_t iteration;
  uint64_t idle_units;     /* of the iteration: they had nothing to do */
  bool is_open;            /* an iteration has unsettled units, or is incomplete */
  bool is_incomplete;      /* units may be added to it */
  bool was_changed;        /* workers came or went in this iteration */
  double opened_s, wake_s; /* wake_s: the earliest WAKE_AT that is pending; infinite: none */
  uint64_t requests, results_dropped, results_late, units_retried, lost;
  uint64_t chunks_unbegun, units_unbegun; /* whole chunks that came back before they began */
  bool is_stopping, is_finished;
  bool has_leases; /* a worker that costs has joined */
};

/* ---- step.c ---- */

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
/* The weight that was told of the slot, or the speed that its worker has shown; 1: neither. */
static inline double ls_step_speed(const struct ls_coordinator *c, uint32_t slot) {
  bool is_told = slot < c->config.weights_count && c->config.weights[slot] > 0;
  if (is_told) return c->config.weights[slot];
  bool is_shown = slot < c->record.count && c->record.slots[slot].alpha > 0;
  return is_shown ? c->record.slots[slot].alpha : 1;
}
/* The weight of the slot's next worker: the one told of the slot, or that of any newcomer. */
static inline double ls_step_weight(const struct ls_coordinator *c, uint32_t slot) {
  return slot < c->config.weights_count ? c->config.weights[slot] : c->newcomer_weight;
}
/* Room for slots below `slots` in every book. */
LS_CHECKED enum ls_status ls_step_add_slots(struct ls_coordinator *c, size_t slots);

/* ---- policy.c ---- */

/* The facts that a policy begins with. */
struct ls_policy_start {
  struct ls_coordinator_choice choice;
  const double *weights;           /* by slot; NULL: not known */
  uint64_t units;                  /* that wait, >= 1 */
  const struct ls_lane_crew *crew; /* by whose seats it knows workers; NULL: by their slots */
};
/* With the facts known by now; the caller's (destroy). LS_EINVAL: the policy refuses. */
LS_CHECKED enum ls_status ls_policy_create(const struct ls_coordinator *c,
                                           const struct ls_policy_start *start,
                                           struct ls_policy **out, struct ls_error *err);
void ls_policy_destroy(struct ls_policy *policy);
/* The record gathers what the policy of the config wants to hear, and as often. */
void ls_policy_listen(struct ls_coordinator *c);

/* ---- handle_lanes.c ---- */

/* What the policy of the lane in focus sees, by seat. */
const struct ls_chunking_view *ls_lane_view(struct ls_coordinator *c);

/* The facts of this instant. */
static inline const struct ls_chunking_view *ls_policy_view(struct ls_coordinator *c) {
  if (c->crews != NULL) return ls_lane_view(c);
  c->view.now_s = c->now_s;
  c->view.units_unassigned = c->ledger.waiting.units;
  c->view.workers_present = ls_roster_active(&c->roster);
  return &c->view;
}

#endif
