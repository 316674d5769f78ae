/* coordinator_private.h: the state of a coordinator, seen by this folder only.
 *
 * Everything is an index or a value; nothing is allocated once a step has begun to decide.  A piece
 * is a range of units in a singly linked list; lists belong either to the waiting units or to one
 * live chunk, so that units move by moving pieces.  `state` holds one byte per unit.
 */
#ifndef LS_COORDINATOR_COORDINATOR_PRIVATE_H
#define LS_COORDINATOR_COORDINATOR_PRIVATE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/coordinator.h"

#define LS_INDEX_NONE UINT32_MAX

enum {
  LS_REQUEST_CHUNKS_MAX = 4096, /* one request is answered with at most so many chunks */
  LS_RETRIES_MAX = 65533,       /* failures, at most two more, are counted in 16 bits */
  LS_KILLS_MAX = 255            /* kills in 8 */
};

enum ls_unit_state {
  LS_UNIT_WAITING,
  LS_UNIT_SENT,
  LS_UNIT_DONE,
  LS_UNIT_FAILED,
  LS_UNIT_GIVEN_UP,
  LS_UNIT_STATES
};

struct ls_piece {
  struct ls_range units;
  uint32_t next;
};

/* All pieces: the ones never used begin at `used`, the ones given back hang on `free_first`. */
struct ls_piece_store {
  struct ls_piece *items;
  size_t capacity;
  uint32_t used, free_first;
  size_t live; /* in some list */
};

struct ls_piece_list {
  uint32_t first, last;
  uint64_t pieces;
};

/* The units that wait: what came back first, then the order of the iteration from `cursor` on. */
struct ls_waiting {
  struct ls_piece_list front;
  uint64_t *order; /* NULL: the units as numbered */
  uint64_t cursor, end;
  uint64_t units; /* in all */
};

struct ls_live_chunk {
  uint64_t id;
  double sent_s;
  uint64_t units; /* without a result yet, all in `pieces` */
  struct ls_piece_list pieces;
  uint32_t next, previous; /* at the same worker, in the order of sending */
  bool is_cancelled;
  bool is_copy; /* of a unit that another worker has: the policy does not know of it */
};

enum ls_presence {
  LS_PRESENCE_UNKNOWN,
  LS_PRESENCE_ACTIVE,
  LS_PRESENCE_SUSPENDED,
  LS_PRESENCE_LOST,
  LS_PRESENCE_RELEASED /* not wanted any more, and gone */
};

/* What every request and result touches comes first, in two cache lines. */
struct ls_member {
  enum ls_presence presence;
  bool is_parked;
  bool has_asked;  /* since it came or came back */
  bool is_awaited; /* of the platform, not joined yet: a policy may keep a share for it */
  uint32_t first_chunk, last_chunk;
  size_t chunks;
  uint64_t units; /* sent to it and without a result */
  double heard_s, reported_s;
  double result_s;                  /* its last result */
  uint64_t results;                 /* finished units whose seconds came with their results */
  struct ls_chunking_report report; /* gathered for the policy since `reported_s` */
  double suspended_s;
  uint32_t parked_next, parked_previous;
  uint64_t parked_units; /* asked for by the parked request */
};

/* Task times, for the orders, sizings and replications that learn. */
struct ls_learning {
  bool learns;
  struct ls_task_history *history; /* seconds on a machine of speed 1 */
  double *seconds;                 /* by unit of this iteration, wall clock; NAN: not yet */
  uint64_t seconds_count;
  double *expected, *actual; /* declared */
  uint64_t declared_count;
  struct ls_task_facts facts; /* of the iteration that ended last */
  bool was_changed;           /* workers came or went in this iteration */
  struct ls_sizing_memory memory;
  struct ls_arguments ordering, sizing, replication;
  double *speeds;        /* of the workers that are there, relative; NULL: not known */
  uint64_t losses;       /* workers lost that were there */
  double all_up_seconds; /* of all iterations before this one */
};

/* A unit that runs at two workers: both have it in a chunk, `sent` counts it once. */
struct ls_twin {
  uint64_t unit;
  uint32_t workers[2]; /* that of the copy second */
  bool is_spare;       /* made for an idle worker, and given up when units come back */
};

struct ls_twins {
  struct ls_twin *items; /* room for one of every worker */
  size_t count, capacity;
  uint64_t *due; /* units that are to get a copy with the first request behind their sending */
  size_t due_count, due_capacity;
  uint64_t copies, copies_won;
};

/* What the next iteration needs, made before anything of the present one is touched. */
struct ls_prepared {
  double *seconds; /* by unit; NULL: nothing learns */
  uint8_t *state;
  uint64_t *order;
  uint64_t order_count;
  void *policy_state;
  uint64_t units, done, failed;
};

/* What was seen of tasks and requests so far in the session: the facts that nobody told. */
struct ls_observed {
  uint64_t units, reports;
  double seconds, squares, overhead_s;
};

struct ls_coordinator {
  struct ls_coordinator_config config; /* its pointers are the coordinator's own copies */
  double *weights;
  struct ls_planned_chunk *plan;
  struct ls_coordinator_choice *choices;
  double *measured;    /* weights for an advised policy, workers_max; NULL: none was advised */
  size_t workers_most; /* advised; more are released; SIZE_MAX: any number is welcome */
  struct ls_coordinator_past past; /* ranges copied; emptied by the first iteration */
  bool has_past, has_started;

  double now_s;
  struct ls_actions *actions; /* of the running step */
  bool has_returned;          /* units came back in this step: parked requests are served */

  uint32_t iteration;
  bool is_open; /* an iteration has unsettled units */
  bool
      is_usual; /* it is open, nobody stops it, and its requests and results may go the short way */
  uint64_t units, sent, done, failed, given_up;
  uint8_t *state;
  uint16_t *failures; /* per unit; NULL until a task fails */
  uint8_t *kills;     /* per unit; NULL until a worker is lost with units */
  struct ls_waiting waiting;
  struct ls_piece_store pieces;
  void *policy_state;
  struct ls_chunking_view view;
  struct ls_chunking_earlier *earlier; /* workers_max; counts this iteration, too */
  struct ls_observed observed;
  uint32_t iterations_opened; /* in this session */
  uint64_t report_every;      /* results that make a report of their own; 0: none */

  struct ls_live_chunk *chunks;
  size_t chunks_capacity;
  uint32_t chunks_used, chunks_free;
  size_t chunks_live;
  uint64_t next_chunk;

  struct ls_member *members; /* workers_max */
  bool *is_active;           /* workers_max: what the policies see */
  uint32_t members_seen;     /* numbers below were heard of */
  size_t active, suspended, lost;
  size_t newcomers; /* active, and have not asked yet */
  size_t idle;      /* parked with nothing, and about to be served in this step */
  uint32_t parked_first, parked_last;
  size_t parked_chunks; /* most chunks that serving all parked requests makes */
  bool is_port_free;    /* pushed policies: FREE came and nothing was sent since */

  struct ls_learning learning;
  struct ls_twins twins;

  size_t wanted;          /* workers */
  size_t requested;       /* asked for, and not granted yet */
  size_t expected;        /* started or granted, and not joined yet */
  size_t awaited;         /* members of which `is_awaited` */
  double wake_s;          /* the earliest WAKE_AT that is pending; infinite: none */
  double opened_s;        /* begin of the iteration */
  double counted_s;       /* up_seconds is counted up to here */
  double up_seconds;      /* of all active workers, in this iteration */
  double working_seconds; /* of the units done in this iteration */

  uint64_t requests, results_dropped, units_retried, units_returned;
  bool is_stopping, is_finished;
};

/* Holds after every move of units. */
static inline void ls_coordinator_check(const struct ls_coordinator *c) {
  assert(c->waiting.units + c->sent + c->done + c->failed + c->given_up == c->units);
  assert(c->active + c->suspended <= c->members_seen);
}

static inline bool ls_range_is_within(const struct ls_range *range, uint64_t units) {
  return range->first < units && range->count <= units - range->first;
}

/* Room is reserved before the step decides (asserted). */
static inline struct ls_action *ls_actions_add(struct ls_coordinator *c, enum ls_action_kind kind,
                                               uint32_t worker) {
  struct ls_actions *actions = c->actions;
  assert(actions->count < actions->capacity);
  struct ls_action *action = &actions->items[actions->count++];
  *action = (struct ls_action){.kind = kind, .worker = worker};
  return action;
}

/* note.c: nothing when the driver wants no notes. */
void ls_note_make(struct ls_coordinator *c, const struct ls_note *note);
static inline void ls_note_add(struct ls_coordinator *c, const struct ls_note *note) {
  if (c->actions->wants_notes) ls_note_make(c, note);
}

/* waiting.c: pieces and the units that wait. */
enum ls_status ls_pieces_reserve(struct ls_piece_store *store, size_t more);
void ls_piece_list_init(struct ls_piece_list *list);
uint32_t ls_piece_take(struct ls_piece_store *store, uint64_t first, uint64_t count);
void ls_piece_drop(struct ls_piece_store *store, uint32_t piece);
/* Appends; a piece that continues the last one is joined to it. */
void ls_piece_append(struct ls_piece_store *store, struct ls_piece_list *list, uint64_t first,
                     uint64_t count);
/* Puts `tail` behind `list` and empties it. */
void ls_piece_splice(struct ls_piece_store *store, struct ls_piece_list *list,
                     struct ls_piece_list *tail);
/* Moves the first `units` waiting units into the empty `list`, in order; they become sent. */
void ls_waiting_take(struct ls_coordinator *c, uint64_t units, struct ls_piece_list *list);
/* The sent units of `list` wait again, in front of all others; the list is emptied. */
void ls_waiting_return(struct ls_coordinator *c, struct ls_piece_list *list, uint64_t units);

/* Takes the units of `taken` out of the piece `index` of the list, which contains them and stands
 * behind `previous`; the piece to go on with. At most one new piece. */
uint32_t ls_piece_cut(struct ls_coordinator *c, struct ls_piece_list *list, uint32_t previous,
                      uint32_t index, const struct ls_range *taken);

/* chunks.c: what is at the workers. */
enum ls_status ls_chunks_reserve(struct ls_coordinator *c, size_t more);
/* A chunk of the first `units` waiting units for an active worker; makes the SEND. */
void ls_chunk_send(struct ls_coordinator *c, uint32_t worker, uint64_t units);
/* A chunk of one unit that is already at another worker; makes the SEND. */
void ls_chunk_send_copy(struct ls_coordinator *c, uint32_t worker, uint64_t unit);
/* The live chunk of the worker that holds the unit, or LS_INDEX_NONE. */
uint32_t ls_chunk_holding(const struct ls_coordinator *c, uint32_t worker, uint64_t unit);
/* The unit leaves the worker's chunk; an emptied chunk is forgotten, with a CANCEL if wanted. */
void ls_chunk_drop_unit(struct ls_coordinator *c, uint32_t worker, uint64_t unit, bool cancels);
/* Index of the live chunk `id` of the worker, or LS_INDEX_NONE. */
uint32_t ls_chunk_find(const struct ls_coordinator *c, uint32_t worker, uint64_t id);
/* Forgets a chunk; its pieces are already elsewhere. */
void ls_chunk_remove(struct ls_coordinator *c, uint32_t worker, uint32_t chunk);
/* CANCEL for every live chunk of the worker that was not cancelled yet. */
void ls_chunks_cancel(struct ls_coordinator *c, uint32_t worker);

/* requests.c: who gets units. */
/* The policy hears that a worker came or went, or that units came back. */
void ls_request_tell_worker(struct ls_coordinator *c, uint32_t worker,
                            enum ls_chunking_change change, uint64_t units_back);
void ls_request_tell_return(struct ls_coordinator *c, uint64_t units_back);
void ls_request_on_ready(struct ls_coordinator *c, const struct ls_event *event);
void ls_request_on_report(struct ls_coordinator *c, const struct ls_event *event);
void ls_request_on_free(struct ls_coordinator *c);
void ls_request_park(struct ls_coordinator *c, uint32_t worker, uint64_t wanted);
void ls_request_unpark(struct ls_coordinator *c, uint32_t worker);
/* Serves parked requests in the order of refusal, or pushes if the port is free. */
void ls_request_serve(struct ls_coordinator *c);

/* results.c */
void ls_result_on_result(struct ls_coordinator *c, const struct ls_event *event);
/* Most SETTLE actions and new pieces of this RESULT. */
size_t ls_result_runs_max(const struct ls_coordinator *c, const struct ls_event *event);
/* The units are final now: counts them and makes the SETTLE. They were sent. */
void ls_result_settle(struct ls_coordinator *c, uint32_t worker, uint64_t chunk,
                      const struct ls_range *range, enum ls_verdict verdict);

/* workers.c: who is there. */
void ls_worker_on_joined(struct ls_coordinator *c, uint32_t worker);
/* `is_overdue`: the coordinator itself noticed it; the worker is then released, too. */
void ls_worker_on_lost(struct ls_coordinator *c, uint32_t worker, bool is_overdue);
void ls_worker_on_suspended(struct ls_coordinator *c, uint32_t worker);
void ls_worker_on_resumed(struct ls_coordinator *c, uint32_t worker);
void ls_worker_on_timer(struct ls_coordinator *c);
/* Asks for a TIMER at `time_s` unless one comes earlier. */
void ls_worker_wake(struct ls_coordinator *c, double time_s);
void ls_worker_on_granted(struct ls_coordinator *c, uint64_t count);
/* Requests the workers that are wanted and neither there nor on their way. */
void ls_worker_request(struct ls_coordinator *c);
/* Of the workers that policies keep a share for, no more are awaited than are on their way: the
 * others are told to be lost, the highest numbers first. */
void ls_worker_await(struct ls_coordinator *c);
/* Counts the time that workers were there up to now. */
void ls_worker_count_time(struct ls_coordinator *c);
/* The worker, which has nothing, is not wanted any more. */
void ls_worker_release(struct ls_coordinator *c, uint32_t worker);
/* Lets the slowest workers go that are above the wanted number; nobody has work. */
void ls_worker_release_surplus(struct ls_coordinator *c);
/* Tells a fresh policy who is there and who will not come back. */
void ls_worker_introduce(struct ls_coordinator *c);

/* usual.c: the two steps that a run mostly consists of. */
/* Can the steps of this iteration be usual? */
bool ls_usual_is_possible(const struct ls_coordinator *c);
/* A RESULT and a READY; whatever is not usual goes the long way. */
LS_CHECKED enum ls_status ls_usual_on_result(struct ls_coordinator *c, const struct ls_event *event,
                                             struct ls_actions *actions, struct ls_error *err);
LS_CHECKED enum ls_status ls_usual_on_ready(struct ls_coordinator *c, const struct ls_event *event,
                                            struct ls_actions *actions, struct ls_error *err);

/* coordinator.c: any step, with cleared actions. */
LS_CHECKED enum ls_status ls_step_long(struct ls_coordinator *c, const struct ls_event *event,
                                       struct ls_actions *actions, struct ls_error *err);

/* iteration.c: begin and end. */
enum ls_status ls_iteration_prepare(struct ls_coordinator *c, uint64_t units,
                                    struct ls_prepared *prepared, struct ls_error *err);
void ls_iteration_discard(struct ls_prepared *prepared);
void ls_iteration_open(struct ls_coordinator *c, struct ls_prepared *prepared);
void ls_iteration_stop(struct ls_coordinator *c, bool is_hard);
void ls_iteration_finish(struct ls_coordinator *c);
/* What follows from the event: the iteration is done, the run is over, parked requests are served.
 */
void ls_iteration_continue(struct ls_coordinator *c);

/* policy.c: with what a policy begins. */
struct ls_policy_start {
  struct ls_coordinator_choice choice;
  const double *weights; /* workers_max, borrowed by the state; NULL: not known */
  uint64_t units;        /* that wait, >= 1 */
};
/* Its state, with what is known by now; the caller's (free). LS_EINVAL: the policy refuses. */
LS_CHECKED enum ls_status ls_policy_prepare(const struct ls_coordinator *c,
                                            const struct ls_policy_start *start, void **state,
                                            struct ls_error *err);

/* advice.c: an adviser's word. */
struct ls_advised {
  const struct ls_coordinator_choice *choice; /* NULL: the policy stays */
  void *policy_state;                         /* NULL: no iteration is open */
  double *measured;                           /* weights for it; NULL: some are declared */
};
/* All that can fail. */
LS_CHECKED enum ls_status ls_advice_prepare(const struct ls_coordinator *c,
                                            const struct ls_event *event,
                                            struct ls_advised *advised, struct ls_error *err);
void ls_advice_follow(struct ls_coordinator *c, const struct ls_event *event,
                      struct ls_advised *advised);
/* Is the worker one of the slowest, which are to go? It then gets nothing more. */
bool ls_advice_is_surplus(const struct ls_coordinator *c, uint32_t worker);
/* Releases the workers that are to go and have nothing. */
void ls_advice_release(struct ls_coordinator *c);

/* learning.c: what tasks took. */
enum ls_status ls_learning_init(struct ls_coordinator *c,
                                const struct ls_coordinator_config *config, struct ls_error *err);
void ls_learning_close(struct ls_coordinator *c);
/* The iteration that ended joins the history; then room for the next. Repeated without harm. */
enum ls_status ls_learning_prepare(struct ls_coordinator *c, struct ls_prepared *prepared,
                                   struct ls_error *err);
/* The new iteration begins: measures from here. */
void ls_learning_open(struct ls_coordinator *c, struct ls_prepared *prepared);
/* Units of the range are done, each after so many seconds at the worker. */
void ls_learning_observe(struct ls_coordinator *c, uint32_t worker, const struct ls_range *range,
                         double seconds);
/* What the unit is expected to take at the worker; NAN: not known. */
double ls_learning_expect(const struct ls_coordinator *c, uint64_t unit, uint32_t worker);
/* Losses per second and worker, declared or measured. */
double ls_learning_loss_rate(const struct ls_coordinator *c);

/* twins.c: second copies of running units; called only where a replication is at work. */
/* Room for a copy at every worker, before the step decides. */
enum ls_status ls_twins_reserve(struct ls_coordinator *c);
/* A new iteration, of which nothing was sent: which units of its list stand twice. */
void ls_twins_open(struct ls_coordinator *c);
/* A copy for the worker that asks: one that is due, or (`is_idle`) one that is worth it. */
bool ls_twins_serve(struct ls_coordinator *c, uint32_t worker, bool is_idle);
/* Units of the range are final at the worker: other copies are cancelled. */
void ls_twins_settle(struct ls_coordinator *c, uint32_t worker, const struct ls_range *range);
/* The unit's copy at the worker came to nothing; true: another copy goes on. */
bool ls_twins_withdraw(struct ls_coordinator *c, uint32_t worker, uint64_t unit);
/* The worker is gone: its twins are at the others alone now. */
void ls_twins_leave(struct ls_coordinator *c, uint32_t worker);
/* Spare copies give way to units that wait; idle workers get what is worth a copy by now. */
void ls_twins_continue(struct ls_coordinator *c);
bool ls_twins_has(const struct ls_coordinator *c, uint64_t unit);

/* reserve.c: memory for all that the event can cause. */
enum ls_status ls_step_reserve(struct ls_coordinator *c, const struct ls_event *event,
                               struct ls_actions *actions);

#endif
