/* duration_law.h: the laws by which times of single units are spread around their mean. */
#ifndef LS_MODEL_DURATION_LAW_H
#define LS_MODEL_DURATION_LAW_H

#include <stdbool.h>

#include "base/linkage.h"

LS_C_BEGIN

enum ls_duration_law {
  LS_DURATION_CONSTANT, /* all times are the mean, or as good as it */
  LS_DURATION_NORMAL,
  LS_DURATION_GAMMA,
  LS_DURATION_LOGNORMAL,
  LS_DURATION_EXPONENTIAL,
  LS_DURATION_SHIFTED_EXPONENTIAL, /* the deviation in exponential times, the rest for all alike */
  LS_DURATION_PARETO,              /* with the tail that has this deviation */
  LS_DURATION_STRAGGLERS, /* a share of them, by chance, eight times as long as the others */
  LS_DURATION_LAWS
};

const char *ls_duration_law_name(enum ls_duration_law law); /* "gamma" */
/* False: there is no such law. */
bool ls_duration_law_find(const char *name, enum ls_duration_law *law);
/* Does the mean alone say how the times are spread? */
bool ls_duration_law_is_fixed(enum ls_duration_law law);
/* The greatest deviation / mean that the law can have. */
double ls_duration_law_variation_most(enum ls_duration_law law);

LS_C_END

#endif
