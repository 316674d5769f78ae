/* outcome.c: names and kinds of outcomes. */
#include "model/outcome.h"

#include <assert.h>

static const char *const names[LS_OUTCOME_COUNT] = {
    [LS_OUTCOME_DONE] = "done",           [LS_OUTCOME_FAILED] = "failed",
    [LS_OUTCOME_GIVEN_UP] = "given up",   [LS_OUTCOME_LOST] = "lost",
    [LS_OUTCOME_TIMED_OUT] = "timed out", [LS_OUTCOME_CANCELLED] = "cancelled",
};

const char *ls_outcome_name(enum ls_outcome outcome) {
  assert((unsigned)outcome < LS_OUTCOME_COUNT);
  return names[outcome];
}

bool ls_outcome_is_final(enum ls_outcome outcome) {
  return outcome == LS_OUTCOME_DONE || outcome == LS_OUTCOME_FAILED ||
         outcome == LS_OUTCOME_GIVEN_UP;
}
