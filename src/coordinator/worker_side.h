/* worker_side.h: the worker's side in the same shape: events in, actions out.
 *
 * It owns the units that wait at the worker and the progress of those that run, the rule of asking,
 * and when finished units are told.  Real workers and simulated ones drive it, and nothing else
 * decides for a worker; ls_worker_side_step is the only place where its state changes.  It knows no
 * clock: a driver says when messages that are held back for a moment have to leave.
 *
 * Asking: one request is outstanding; the next one leaves as soon as fewer than `prefetch` units
 * wait, those that run not counted (prefetch 0: when nothing waits and nothing runs), and never for
 * more than `room` leaves.  Units that the worker finished before are told first.
 */
#ifndef LS_COORDINATOR_WORKER_SIDE_H
#define LS_COORDINATOR_WORKER_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"
#include "coordinator/job_queue.h"
#include "coordinator/side_settings.h"
#include "model/outcome.h"

enum ls_side_event_kind {
  LS_SIDE_EVENT_JOINED,   /* the worker is there, or there again: no request is outstanding */
  LS_SIDE_EVENT_CHUNK,    /* a chunk, or a part of it, arrived */
  LS_SIDE_EVENT_BEGUN,    /* the started units are received, and compute */
  LS_SIDE_EVENT_TAKEN,    /* so many of the started units run together; the others wait again */
  LS_SIDE_EVENT_ENDED,    /* the next running units ended */
  LS_SIDE_EVENT_CANCEL,   /* a chunk is not wanted any more */
  LS_SIDE_EVENT_RECALL,   /* units that have not begun are not wanted any more */
  LS_SIDE_EVENT_FETCH,    /* the results of a chunk that are held may leave, or will when it ends */
  LS_SIDE_EVENT_PREFETCH, /* so many units may wait from now on */
  LS_SIDE_EVENT_DUE,      /* messages that were held back must leave */
  LS_SIDE_EVENT_LEAVE,    /* the worker goes when the running units have ended */
  LS_SIDE_EVENT_RELEASE,  /* the master says good-bye */
  LS_SIDE_EVENT_COUNT
};

struct ls_side_chunk {
  uint64_t chunk, payload;
  const struct ls_range *ranges; /* borrowed during the step */
  size_t ranges_count;
  bool is_held;
  bool is_followed; /* by another chunk of the same answer, which is on its way */
};

struct ls_side_ended {
  uint64_t units;
  enum ls_outcome outcome;
  double seconds, squares; /* sums over the units of their times and of the squares of these */
  const double *times;     /* of the last `times_count` units, borrowed; NULL: the mean each */
  size_t times_count;      /* min(units, history) or more */
  bool has_output;         /* told by itself, since the driver has something to add */
};

struct ls_side_event {
  enum ls_side_event_kind kind;
  bool is_held_back; /* no request now; DUE will follow */
  union {            /* by kind */
    struct ls_side_chunk arrived;
    struct ls_side_ended ended;
    uint64_t chunk;    /* CANCEL, FETCH */
    uint64_t taken;    /* TAKEN: >= 1 */
    uint64_t prefetch; /* PREFETCH */
  };
};

enum ls_side_action_kind {
  LS_SIDE_ACTION_START,  /* run `side.running`; nothing runs */
  LS_SIDE_ACTION_STOP,   /* stop the running units; they end as CANCELLED */
  LS_SIDE_ACTION_ASK,    /* for so many units */
  LS_SIDE_ACTION_TELL,   /* tell the master a result; one that is held is kept, by its chunk */
  LS_SIDE_ACTION_LET_GO, /* the results kept of this chunk leave */
  LS_SIDE_ACTION_DROP,   /* so many units of a payload are of no use any more */
  LS_SIDE_ACTION_BYE,    /* the worker has left in order */
  LS_SIDE_ACTION_COUNT
};

struct ls_side_result {
  uint64_t chunk;
  struct ls_range units;
  enum ls_outcome outcome;
  bool is_held;
  double seconds, squares;
  size_t first_time, times_count; /* a part of ls_side_actions.times */
};

struct ls_side_drop {
  uint64_t payload, units;
};

struct ls_side_let_go {
  uint64_t chunk, payload;
};

struct ls_side_action {
  enum ls_side_action_kind kind;
  union {           /* by kind */
    uint64_t units; /* ASK */
    struct ls_side_result result;
    struct ls_side_let_go let_go;
    struct ls_side_drop drop;
  };
};

/* Filled by a step; cleared by the next. Starts as {0}; owned by the driver. */
struct ls_side_actions {
  struct ls_side_action *items;
  size_t count, capacity;
  double *times;
  size_t times_count, times_capacity;
};

/* A chunk whose results stay here. */
struct ls_side_held {
  uint64_t chunk, payload;
  bool is_fetched;
};

struct ls_worker_side {
  struct ls_side_settings settings;
  struct ls_job_queue queue;
  struct ls_job running; /* its units: those that have not ended */
  bool is_running, has_begun;
  bool is_leaving, is_released;
  uint64_t finished;            /* units done, of the run */
  struct ls_side_result merged; /* done, and not told; no units: nothing */
  /* A request is outstanding. It changes with every chunk, so it stands apart from those that are
   * looked at together: such a look would wait for the change. */
  bool is_asking;
  double *times; /* of the last units of `merged` */
  size_t times_count, times_capacity;
  struct ls_side_held *held;
  size_t held_count, held_capacity;
};

void ls_side_actions_close(struct ls_side_actions *actions);

void ls_worker_side_init(struct ls_worker_side *side, const struct ls_side_settings *settings);
void ls_worker_side_close(struct ls_worker_side *side);
/* Forgets all but the settings and the finished units: the worker is gone, and may come back. */
void ls_worker_side_clear(struct ls_worker_side *side);
/* The only place where the state changes. `actions` is cleared, then filled, in the order in which
 * they are to be done.  LS_ENOMEM: nothing has changed. */
LS_CHECKED enum ls_status ls_worker_side_step(struct ls_worker_side *side,
                                              const struct ls_side_event *event,
                                              struct ls_side_actions *actions);
/* How many running units may end before anything else happens than their end: a request, a
 * result, the end of the job. Something has begun, and the driver knows how far it is. */
uint64_t ls_worker_side_milestone(const struct ls_worker_side *side);
/* Units that are here and do not run. */
static inline uint64_t ls_worker_side_waiting(const struct ls_worker_side *side) {
  uint64_t waiting = side->queue.units;
  if (!side->is_running) return waiting;
  if (!side->has_begun) return waiting + side->running.units.count;
  return side->settings.has_progress ? waiting + side->running.units.count - 1 : waiting;
}

#endif
