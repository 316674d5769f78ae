/* throughput_bound.h: what workers and shared stations together let through. */
#ifndef LS_MODEL_THROUGHPUT_BOUND_H
#define LS_MODEL_THROUGHPUT_BOUND_H

#include "model/metrics.h"

/* A bound above `known_s`, itself one and > 0; 0 where it finds none. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_throughput_bound(const struct ls_platform *platform, double load,
                                              double known_s, struct ls_lower_bound *found);

#endif
