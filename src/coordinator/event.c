/* event.c: the names of events and outcomes. */
#include "coordinator/event.h"

#include <assert.h>

static const char *const event_names[LS_EVENT_COUNT] = {
    [LS_EVENT_JOINED] = "JOINED",       [LS_EVENT_READY] = "READY",
    [LS_EVENT_RESULT] = "RESULT",       [LS_EVENT_REPORT] = "REPORT",
    [LS_EVENT_HEARTBEAT] = "HEARTBEAT", [LS_EVENT_LOST] = "LOST",
    [LS_EVENT_SUSPENDED] = "SUSPENDED", [LS_EVENT_RESUMED] = "RESUMED",
    [LS_EVENT_GRANTED] = "GRANTED",     [LS_EVENT_ADVICE] = "ADVICE",
    [LS_EVENT_TIMER] = "TIMER",         [LS_EVENT_ITERATION] = "ITERATION",
    [LS_EVENT_FREE] = "FREE",           [LS_EVENT_STOP] = "STOP",
};

static const char *const outcome_names[LS_OUTCOME_COUNT] = {
    [LS_OUTCOME_DONE] = "done",
    [LS_OUTCOME_FAILED] = "failed",
    [LS_OUTCOME_TIMED_OUT] = "timed out",
    [LS_OUTCOME_CANCELLED] = "cancelled",
};

const char *ls_event_name(enum ls_event_kind kind) {
  assert((unsigned)kind < LS_EVENT_COUNT);
  return event_names[kind];
}

const char *ls_outcome_name(enum ls_outcome outcome) {
  assert((unsigned)outcome < LS_OUTCOME_COUNT);
  return outcome_names[outcome];
}
