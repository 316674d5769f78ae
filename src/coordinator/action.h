/* action.h: what the coordinator wants done, and the notes that say why. */
#ifndef LS_COORDINATOR_ACTION_H
#define LS_COORDINATOR_ACTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"

enum ls_action_kind {
  LS_ACTION_SEND,            /* worker, chunk, ranges: send these units as one message */
  LS_ACTION_FETCH,           /* worker, chunk: ask for a result that it holds */
  LS_ACTION_CANCEL,          /* worker, chunk: forget it, stop it if it runs */
  LS_ACTION_RELEASE,         /* worker: no more work, good-bye; count: 1 if it was silent */
  LS_ACTION_REQUEST_WORKERS, /* count: so many more workers are wanted */
  LS_ACTION_SET_PREFETCH,    /* count: units that may wait at each worker */
  LS_ACTION_WAKE_AT,         /* time_s: send TIMER then (replaces an earlier wish) */
  LS_ACTION_SETTLE, /* worker, chunk, range, verdict: these units are final, count them once;
                       count: which attempt at the first of them it was */
  LS_ACTION_ITERATION_DONE, /* count: number of the iteration; answer with ITERATION */
  LS_ACTION_FINISH,         /* the run is over */
  LS_ACTION_COUNT
};

enum ls_verdict {
  LS_VERDICT_DONE,
  LS_VERDICT_FAILED,   /* failed, and its retries are used up */
  LS_VERDICT_GIVEN_UP, /* lost its worker too often; no result exists */
  LS_VERDICT_COUNT
};

struct ls_action {
  enum ls_action_kind kind;
  enum ls_verdict verdict; /* SETTLE */
  uint32_t worker;
  uint64_t chunk;
  uint64_t count;
  double time_s;
  struct ls_range range;            /* SETTLE */
  size_t first_range, ranges_count; /* SEND: into ls_actions.ranges */
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
  LS_NOTE_DROPPED, /* a result that nobody waits for */
  LS_NOTE_LOST,
  LS_NOTE_SILENT, /* lost, because nothing was heard for too long */
  LS_NOTE_BACK,   /* units returned to the pool */
  LS_NOTE_SUSPENDED,
  LS_NOTE_RESUMED,
  LS_NOTE_STOPPING,
  LS_NOTE_ITERATION,
  LS_NOTE_FINISHED,
  LS_NOTE_WANTED,   /* workers requested */
  LS_NOTE_RELEASED, /* not wanted any more */
  LS_NOTE_COPIED,   /* a second copy of a running unit was sent */
  LS_NOTE_ADVISED,
  LS_NOTE_POLICY,  /* another policy goes on with what waits */
  LS_NOTE_IGNORED, /* an event from a worker that is not there */
  LS_NOTE_COUNT
};

/* A decision and the numbers that made it; words are made by ls_note_write, outside the step. */
struct ls_note {
  enum ls_note_kind kind;
  uint32_t worker;
  double now_s;
  uint64_t chunk, units,
      extra; /* extra: what the kind says (waiting units, attempt, iteration, ...) */
};

/* Filled by a step; cleared by the next. Starts as {0}; owned by the driver. */
struct ls_actions {
  struct ls_action *items;
  size_t count, capacity;
  struct ls_range *ranges;
  size_t ranges_count, ranges_capacity;
  struct ls_note *notes;
  size_t notes_count, notes_capacity;
  int wants_notes; /* set by the driver; 0: none are made */
};

void ls_actions_close(struct ls_actions *actions);
const char *ls_action_name(enum ls_action_kind kind);
const char *ls_verdict_name(enum ls_verdict verdict);
/* "[  3.00] worker 1 lost: chunk 7, 40 units, to be sent again" (no newline). */
void ls_note_write(const struct ls_note *note, struct ls_bytes *out);
/* One line per action in words, for traces ("send worker 0 chunk 3: 12+4"). */
void ls_action_write(const struct ls_actions *actions, const struct ls_action *action,
                     struct ls_bytes *out);

#endif
