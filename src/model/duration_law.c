#include "model/duration_law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *ls_duration_law_name(enum ls_duration_law law) {
  static const char *const names[LS_DURATION_LAWS] = {
      "constant", "normal",    "gamma", "lognormal", "exponential", "shifted-exponential",
      "pareto",   "stragglers"};
  assert((unsigned)law < LS_DURATION_LAWS);
  return names[law];
}

bool ls_duration_law_find(const char *name, enum ls_duration_law *law) {
  for (unsigned i = 0; i < LS_DURATION_LAWS; i++) {
    if (strcmp(ls_duration_law_name((enum ls_duration_law)i), name) != 0) continue;
    *law = (enum ls_duration_law)i;
    return true;
  }
  return false;
}

bool ls_duration_law_is_fixed(enum ls_duration_law law) {
  return law == LS_DURATION_CONSTANT || law == LS_DURATION_EXPONENTIAL;
}

double ls_duration_law_variation_most(enum ls_duration_law law) {
  if (law == LS_DURATION_SHIFTED_EXPONENTIAL) return 1;
  /* That of a share of one in nine. */
  if (law == LS_DURATION_STRAGGLERS) return 49 / sqrt(1568);
  return 1e6;
}
