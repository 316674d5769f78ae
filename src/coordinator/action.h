/* action.h: the orders of the coordinator, and the notes that say why. */
#ifndef LS_COORDINATOR_ACTION_H
#define LS_COORDINATOR_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "model/outcome.h"

enum ls_action_kind {
  LS_ACTION_SEND,            /* send these units to the worker as one message */
  LS_ACTION_FETCH,           /* ask the worker for the result of a chunk that it holds */
  LS_ACTION_CANCEL,          /* the worker is to forget the chunk, and to stop it if it runs */
  LS_ACTION_RECALL,          /* the worker is to forget all units that have not begun */
  LS_ACTION_RELEASE,         /* no more work for the worker, good-bye */
  LS_ACTION_REQUEST_WORKERS, /* so many more workers are wanted */
  LS_ACTION_SET_PREFETCH,    /* units that may wait at each worker */
  LS_ACTION_WAKE_AT,         /* send TIMER then (replaces an earlier wish) */
  LS_ACTION_SETTLE,          /* units are final, count them once */
  LS_ACTION_ITERATION_DONE,  /* all units of the iteration are final; answer with ITERATION */
  LS_ACTION_AWAIT_FREE,      /* the worker's parked request is next: answer with FREE */
  LS_ACTION_FINISH,          /* the run is over */
  LS_ACTION_COUNT
};

/* How the result of a chunk comes back. */
enum ls_result_way {
  LS_RESULT_AS_COMPUTED, /* when it is computed */
  LS_RESULT_HELD,        /* the worker keeps it until FETCH */
  LS_RESULT_WEIGHTLESS   /* as computed; its plan has no reply for it, which takes no time */
};

/* A chunk of so many units in all, and its ranges: a part of ls_actions.ranges. */
struct ls_action_send {
  uint64_t chunk, units;
  size_t first_range, ranges_count;
  enum ls_result_way way;
};

/* These units of the chunk are final. */
struct ls_action_settle {
  uint64_t chunk;
  struct ls_range units;
  enum ls_outcome outcome; /* a final one */
  uint64_t attempt;        /* at the first of them: 1 is the first */
  /* Why the unit is given up: one of the two is not 0. */
  uint64_t ends;  /* of lifetimes that stopped it, each after at most `ran_s` */
  uint64_t kills; /* workers that died while it ran */
  double ran_s;
};

/* A unit, of the chunk that it was sent in; attempt 1 is the first. */
struct ls_running {
  uint64_t chunk, unit, attempt;
};

/* Of a worker that was not heard for too long, its last unit is known by nobody else. */
struct ls_action_release {
  bool was_silent; /* it may hang */
  bool has_run;
  struct ls_running running; /* when it was heard last */
};

struct ls_action {
  enum ls_action_kind kind;
  uint32_t worker; /* of the actions that concern one; else LS_WORKER_NONE */
  union {          /* by kind; the others have no more to say */
    struct ls_action_send send;
    uint64_t chunk; /* FETCH, CANCEL */
    struct ls_action_settle settle;
    struct ls_action_release release;
    uint64_t workers;          /* REQUEST_WORKERS */
    uint64_t prefetch;         /* SET_PREFETCH */
    double time_s;             /* WAKE_AT */
    uint32_t iteration_number; /* ITERATION_DONE */
  };
};

enum ls_note_kind {
  LS_NOTE_JOINED,
  LS_NOTE_ASKED_NOTHING, /* a request was parked */
  LS_NOTE_SENT,
  LS_NOTE_DONE,
  LS_NOTE_FAILED, /* to be tried again */
  LS_NOTE_LEFT,   /* failed, and another worker runs them, too */
  LS_NOTE_FAILED_FINALLY,
  LS_NOTE_GIVEN_UP,
  LS_NOTE_DROPPED, /* a result that is not waited for */
  LS_NOTE_LOST,    /* extra: enum ls_loss */
  LS_NOTE_LEAVING,
  LS_NOTE_BACK, /* units wait again */
  LS_NOTE_SUSPENDED,
  LS_NOTE_RESUMED,
  LS_NOTE_STOPPING,
  LS_NOTE_NEVER_CAME, /* workers that were granted */
  LS_NOTE_ITERATION,
  LS_NOTE_ADDED, /* more units for the iteration */
  LS_NOTE_FINISHED,
  LS_NOTE_WANTED,      /* workers requested */
  LS_NOTE_RELEASED,    /* not wanted any more */
  LS_NOTE_RECALLED,    /* what waits at the worker, for another one, which is idle */
  LS_NOTE_REPLICA,     /* a running unit was sent to another worker, too */
  LS_NOTE_REPLICATION, /* that was chosen for the iteration; extra: workers, units: replicas */
  LS_NOTE_ADVISED,
  LS_NOTE_POLICY,    /* another policy goes on with the waiting units */
  LS_NOTE_OUTLASTED, /* the end of its worker's time stopped a unit; extra: the how manieth */
  LS_NOTE_OUTLASTED_FINALLY, /* ... and it is given up */
  LS_NOTE_NOBODY_LASTS,      /* as long as the unit needs, in seconds: extra */
  LS_NOTE_IGNORED,           /* an event from a worker that is not there */
  LS_NOTE_COUNT
};

/* A decision and the numbers that made it; words are made by ls_note_write, outside the step. */
struct ls_note {
  enum ls_note_kind kind;
  uint32_t worker;
  double now_s;
  uint64_t chunk, units, extra; /* extra: by kind (waiting units, attempt, iteration, ...) */
};

/* Filled by a step; cleared by the next. Starts as {0}; owned by the driver. */
struct ls_actions {
  struct ls_action *items;
  size_t count, capacity;
  struct ls_range *ranges;
  size_t ranges_count, ranges_capacity;
  uint64_t units_dropped; /* of a result: nobody waits for them any more */
  struct ls_note *notes;
  size_t notes_count, notes_capacity;
  int wants_notes; /* set by the driver; 0: none are made */
};

void ls_actions_close(struct ls_actions *actions);
const char *ls_action_name(enum ls_action_kind kind);
/* "[  3.00] worker 1 lost: chunk 7, 40 units, to be sent again" (no newline). `noun`: what the user
 * calls a unit, "task" or "unit"; their numbers count from 1. */
void ls_note_write(const struct ls_note *note, const char *noun, struct ls_bytes *out);
/* One line per action in words, for traces ("send worker 0 chunk 3: 12+4"). */
void ls_action_write(const struct ls_actions *actions, const struct ls_action *action,
                     struct ls_bytes *out);

#endif
