/* event.h: what the coordinator hears.
 *
 * An event is plain data and carries `now_s`, seconds since the start of the run; time never goes
 * back.  The same events in the same order give the same actions: the journal of a run is the
 * list of its events.
 *
 * Seconds of a RESULT that is done reach the policy with the worker's next READY or REPORT,
 * together with what the REPORT itself says; a driver that reports by REPORT alone gives its
 * RESULTs the seconds NAN. `squares` and `last_seconds` of a RESULT may be 0: its units then count
 * as equal.
 */
#ifndef LS_COORDINATOR_EVENT_H
#define LS_COORDINATOR_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"

enum ls_event_kind {
  LS_EVENT_JOINED,    /* worker: a new number, never used before in this run */
  LS_EVENT_READY,     /* worker asks: for one chunk, or for chunks of `units` in all if units > 1 */
  LS_EVENT_RESULT,    /* worker, chunk, units, outcome, durations */
  LS_EVENT_REPORT,    /* worker: finished units and their seconds, for the policy */
  LS_EVENT_HEARTBEAT, /* worker is alive */
  LS_EVENT_LOST,      /* worker is gone: a connection broke, a process died */
  LS_EVENT_SUSPENDED, /* worker was reclaimed by its owner, and may come back */
  LS_EVENT_RESUMED,
  LS_EVENT_GRANTED,   /* `count` of the requested workers were granted */
  LS_EVENT_ADVICE,    /* from an adviser: prefetch (units.count), the policy (units.first: 1 + its
                         index in the config's choices), workers (count); 0: no advice on it */
  LS_EVENT_TIMER,     /* the time asked for by WAKE_AT has come */
  LS_EVENT_ITERATION, /* the next iteration has `units` units; 0: there is none */
  LS_EVENT_FREE,      /* the master's port is free: pushed policies send their next chunk */
  LS_EVENT_STOP,      /* stop handing out; if `is_hard`, cancel what runs, too */
  LS_EVENT_COUNT
};

enum ls_outcome {
  LS_OUTCOME_DONE,      /* computed; for a command: exit 0 */
  LS_OUTCOME_FAILED,    /* the task itself failed; for a command: exit not 0, killed by a signal */
  LS_OUTCOME_TIMED_OUT, /* stopped at its time limit; counts as a failure */
  LS_OUTCOME_CANCELLED, /* stopped because the master said so, or never started: back to the pool */
  LS_OUTCOME_COUNT
};

struct ls_event {
  enum ls_event_kind kind;
  enum ls_outcome outcome; /* RESULT */
  bool is_hard;            /* STOP */
  uint32_t worker;
  double now_s;
  uint64_t chunk;        /* RESULT */
  struct ls_range units; /* RESULT, ADVICE; READY, ITERATION use units.count only */
  uint64_t count;        /* REPORT: finished units; GRANTED, ADVICE: workers */
  double seconds, squares,
      last_seconds; /* RESULT: seconds of the range; REPORT: sums and the last */
};

/* "READY" and so on. */
const char *ls_event_name(enum ls_event_kind kind);
const char *ls_outcome_name(
    enum ls_outcome outcome); /* "done", "failed", "timed out", "cancelled" */

#endif
