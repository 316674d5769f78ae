/* event.h: the coordinator's input.
 *
 * An event is plain data and carries `now_s`, seconds since the start of the run; time never goes
 * back.  The same events in the same order give the same actions: the journal of a run is the
 * list of its events.
 *
 * Seconds of a RESULT that is done reach the policy when the worker's next request is handled, or
 * as soon as it has finished the number of units after which the policy wants to hear.
 */
#ifndef LS_COORDINATOR_EVENT_H
#define LS_COORDINATOR_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "model/outcome.h"

/* Of the speeds of benchmarks: no machine is farther from another one. */
#define LS_EVENT_SPEED_LEAST 1e-4
#define LS_EVENT_SPEED_MOST  1e4
/* Of events that concern no worker, or an unknown one. */
#define LS_WORKER_NONE UINT32_MAX
/* Of a RESULT: the chunk was sent by an earlier session of the run. */
#define LS_CHUNK_NONE UINT64_MAX

enum ls_event_kind {
  LS_EVENT_JOINED,    /* worker: in a slot without a worker */
  LS_EVENT_READY,     /* worker asks: for one chunk, or for chunks of so many units in all if > 1 */
  LS_EVENT_RESULT,    /* worker: part of a chunk has ended */
  LS_EVENT_HEARTBEAT, /* worker is alive */
  LS_EVENT_LEAVING,   /* worker takes nothing more; it goes when the running units have ended */
  LS_EVENT_LOST,      /* worker is gone, and why */
  LS_EVENT_SUSPENDED, /* worker is away, and may come back */
  LS_EVENT_RESUMED,   /* it is back */
  LS_EVENT_GRANTED,   /* some of the requested workers were granted */
  LS_EVENT_REFUSED,   /* some of the requested workers will not come */
  LS_EVENT_ADVICE,    /* from an adviser or the driver: policy, prefetch, workers, heartbeat */
  LS_EVENT_TIMER,     /* the time asked for by WAKE_AT has come */
  LS_EVENT_ITERATION, /* the next iteration has so many units; 0: there is none */
  LS_EVENT_FREE,      /* the master can send; a paced one, or for a policy that pushes */
  LS_EVENT_STOP,      /* stop handing out; if `is_hard`, cancel the running units, too */
  LS_EVENT_ADDED,     /* an iteration that is not complete has more units */
  LS_EVENT_COUNT
};

/* Why a worker is gone. Only a crash says something of the unit that ran. */
enum ls_loss {
  LS_LOSS_CRASHED, /* its process died by itself, or with its computer */
  LS_LOSS_SILENT,  /* nothing was heard of it for too long */
  LS_LOSS_RECLAIMED,
  LS_LOSS_LEFT, /* it said so */
  LS_LOSS_NEVER_CAME,
  LS_LOSS_COUNT
};

/* Units of a chunk that a worker has: running, waiting, or done, with their RESULT on its way. */
struct ls_event_held {
  uint64_t chunk;
  struct ls_range units;
};

/* These units are for workers that have the label. */
struct ls_event_need {
  struct ls_range units;
  const char *label;
};

/* What a worker says of itself. */
struct ls_event_joined {
  double lifetime_s;  /* seconds left to it, by its own clock; 0 or infinite: not known */
  uint64_t place;     /* of its machine: equal for workers of one; 0: not known */
  uint64_t lease;     /* what costs as long as one of its workers is there, such as a job: equal for
                         those of one; 0: it costs nothing */
  bool has_lifeline;  /* its end is noticed by itself: its silence says nothing */
  const char *labels; /* what it has (base/labels.h); NULL: nothing; borrowed during the step */
  /* What one has that was lost before, in another slot; borrowed during the step. */
  const struct ls_event_held *held;
  size_t held_count;
};

/* Why a worker is away. */
enum ls_away {
  LS_AWAY_TOLD,    /* it said so, or its pool */
  LS_AWAY_STOPPED, /* its process is stopped */
  LS_AWAY_SILENT,  /* nothing was heard of it for too long; the coordinator itself says so */
  LS_AWAY_CUT,     /* its connection is gone */
  LS_AWAY_COUNT
};

struct ls_event_suspended {
  enum ls_away reason;
  bool is_vacated; /* what ran there is gone; else it may go on, and is a possible result */
};

/* What a worker that is back still has.  `is_told`: its connection is a new one, and all that it
 * has is in the list, also what it has done: those RESULTs come behind this.  What is not there
 * never arrived, or is settled.  Else it has all that it was sent. */
struct ls_event_resumed {
  const struct ls_event_held *held; /* borrowed during the step */
  size_t held_count;
  bool is_told;
  double
      stood_s; /* it was stopped by force up to now, which nobody may have noticed; 0: it was not */
};

/* The content of a RESULT: a range of a chunk, its outcome, and how long it took there.
 *
 * One of units that its worker does not owe any more, since it was away or lost, is late: it counts
 * while they are not settled, as done or as one more failure.  A lost worker that came back in
 * another slot delivers there what it did before; with LS_CHUNK_NONE the driver vouches that the
 * units are of this iteration. */
struct ls_event_result {
  uint64_t chunk;
  struct ls_range units;
  enum ls_outcome outcome; /* DONE, FAILED, TIMED_OUT or CANCELLED */
  bool is_whole;           /* one output for all its units: all of them count, or none */
  double seconds, squares; /* sums over the range; squares 0: its units count as equal */
  const double *latest;    /* of its last units one by one, in order; borrowed during the step */
  size_t latest_count;
};

/* The advice of an adviser, or what the driver has measured; 0: nothing on it. */
struct ls_event_advice {
  size_t policy; /* 1 + its index in the config's choices */
  uint64_t prefetch, workers;
  double heartbeat_s; /* workers beat so often from now on; counts where it was told at first */
};

/* More units of the open iteration, numbered behind the others. */
struct ls_event_added {
  uint64_t units;
  bool is_last; /* no more will be added */
  /* Of these units; all others are for any worker; borrowed during the step. */
  const struct ls_event_need *needs;
  size_t needs_count;
};

struct ls_event {
  enum ls_event_kind kind;
  uint32_t worker; /* of the events of a worker */
  double now_s;
  union { /* by kind; the others have no more to say */
    struct ls_event_joined joined;
    uint64_t ready_units; /* READY: wanted; 0 counts as 1 */
    struct {              /* HEARTBEAT; 0: as told before */
      double answer_s;    /* after so long it has answered for sure */
      double send_s;      /* its largest output took so long to leave */
      double speed;       /* a benchmark took the master so many times as long; in the limits */
    };
    struct ls_event_result result;
    enum ls_loss lost;
    struct ls_event_suspended suspended;
    struct ls_event_resumed resumed;
    uint64_t granted, refused; /* workers */
    struct ls_event_advice advice;
    struct {
      uint64_t iteration_units; /* ITERATION */
      bool is_incomplete;       /* more units may be ADDED to it: it is not done before the last */
      /* Units that have nothing to do: done at the opening; borrowed during the step. */
      const struct ls_range *idle;
      size_t idle_count;
      /* As in ADDED. */
      const struct ls_event_need *needs;
      size_t needs_count;
    };
    struct ls_event_added added;
    bool is_hard; /* STOP */
  };
};

/* "READY" and so on. */
const char *ls_event_name(enum ls_event_kind kind);
/* "crashed", "silent", "reclaimed", "left", "never came". */
const char *ls_loss_name(enum ls_loss cause);
/* "told", "stopped", "silent", "cut". */
const char *ls_away_name(enum ls_away reason);

#endif
