/* outcome.h: what becomes of units: the one vocabulary, from the worker's word to the reports. */
#ifndef LS_MODEL_OUTCOME_H
#define LS_MODEL_OUTCOME_H

#include <stdbool.h>

#include "base/linkage.h"

LS_C_BEGIN

enum ls_outcome {
  LS_OUTCOME_DONE,      /* computed; for a command: exit 0 */
  LS_OUTCOME_FAILED,    /* the task itself failed; for a command: exit not 0, killed by a signal */
  LS_OUTCOME_GIVEN_UP,  /* lost its worker, or outlasted it, too often; no result exists */
  LS_OUTCOME_LOST,      /* its worker was lost while it ran there */
  LS_OUTCOME_TIMED_OUT, /* stopped at its time limit; counts as a failure */
  LS_OUTCOME_CANCELLED, /* stopped because the master said so, or never started: waits again */
  LS_OUTCOME_COUNT
};

/* "done", "failed", "given up", "lost", "timed out", "cancelled". */
const char *ls_outcome_name(enum ls_outcome outcome);
/* Can a unit stay so for ever? Done, failed, given up. */
bool ls_outcome_is_final(enum ls_outcome outcome);
/* Failed or timed out: counts against the retries. */
static inline bool ls_outcome_is_failure(enum ls_outcome outcome) {
  return outcome == LS_OUTCOME_FAILED || outcome == LS_OUTCOME_TIMED_OUT;
}
/* Can a worker say so of what it had to compute? Done, failed, timed out, cancelled. */
static inline bool ls_outcome_is_result(enum ls_outcome outcome) {
  return outcome == LS_OUTCOME_DONE || outcome == LS_OUTCOME_CANCELLED ||
         ls_outcome_is_failure(outcome);
}

LS_C_END

#endif
