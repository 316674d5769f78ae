/* rounds_bound.h: what the number of chunks costs, one way or the other. */
#ifndef LS_MODEL_ROUNDS_BOUND_H
#define LS_MODEL_ROUNDS_BOUND_H

#include "model/metrics.h"

/* A bound above `known_s`, itself one and > 0; 0 where it finds none. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_rounds_bound(const struct ls_platform *platform, double load,
                                          double known_s, struct ls_lower_bound *found);

#endif
