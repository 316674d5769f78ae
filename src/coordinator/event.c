/* event.c: the names of events, and of reasons. */
#include "coordinator/event.h"

#include <assert.h>

static const char *const event_names[LS_EVENT_COUNT] = {
    [LS_EVENT_JOINED] = "JOINED",       [LS_EVENT_READY] = "READY",
    [LS_EVENT_RESULT] = "RESULT",       [LS_EVENT_HEARTBEAT] = "HEARTBEAT",
    [LS_EVENT_LEAVING] = "LEAVING",     [LS_EVENT_LOST] = "LOST",
    [LS_EVENT_SUSPENDED] = "SUSPENDED", [LS_EVENT_RESUMED] = "RESUMED",
    [LS_EVENT_GRANTED] = "GRANTED",     [LS_EVENT_REFUSED] = "REFUSED",
    [LS_EVENT_ADVICE] = "ADVICE",       [LS_EVENT_TIMER] = "TIMER",
    [LS_EVENT_ITERATION] = "ITERATION", [LS_EVENT_FREE] = "FREE",
    [LS_EVENT_STOP] = "STOP",           [LS_EVENT_ADDED] = "ADDED",
};

static const char *const loss_names[LS_LOSS_COUNT] = {
    [LS_LOSS_CRASHED] = "crashed",       [LS_LOSS_SILENT] = "silent",
    [LS_LOSS_RECLAIMED] = "reclaimed",   [LS_LOSS_LEFT] = "left",
    [LS_LOSS_NEVER_CAME] = "never came",
};

static const char *const away_names[LS_AWAY_COUNT] = {
    [LS_AWAY_TOLD] = "told",
    [LS_AWAY_STOPPED] = "stopped",
    [LS_AWAY_SILENT] = "silent",
    [LS_AWAY_CUT] = "cut",
};

const char *ls_event_name(enum ls_event_kind kind) {
  assert((unsigned)kind < LS_EVENT_COUNT);
  return event_names[kind];
}

const char *ls_loss_name(enum ls_loss cause) {
  assert((unsigned)cause < LS_LOSS_COUNT);
  return loss_names[cause];
}

const char *ls_away_name(enum ls_away reason) {
  assert((unsigned)reason < LS_AWAY_COUNT);
  return away_names[reason];
}
