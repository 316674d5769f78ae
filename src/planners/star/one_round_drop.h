/* one_round_drop.h: which workers stay out of one round. */
#ifndef LS_PLANNERS_STAR_ONE_ROUND_DROP_H
#define LS_PLANNERS_STAR_ONE_ROUND_DROP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "planners/star/reduced_star.h"

/* Which of many different workers ls_one_round_sizes would drop, in less time: fills `is_dropped`,
 * `count` entries. Where chunks are 0 but for rounding, ls_one_round_sizes has the last word. */
LS_CHECKED enum ls_status ls_one_round_drop(const struct ls_star_worker *workers, size_t count,
                                            double load, bool *is_dropped, struct ls_error *err);

#endif
