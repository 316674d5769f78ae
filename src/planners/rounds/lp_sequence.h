/* lp_sequence.h: the best sizes for a given sequence of messages, by linear programming.
 *
 * The sequence fixes the worker of each message; the program finds how many units each takes.
 * Every message of the sequence is charged its latencies, also one that ends up empty, which is
 * then not sent.
 */
#ifndef LS_PLANNERS_ROUNDS_LP_SEQUENCE_H
#define LS_PLANNERS_ROUNDS_LP_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "planners/planner.h"

/* One message of a sequence, before its size is known. */
struct ls_message {
  uint32_t worker, round;
};

/* Adds the chunks of the best plan with this sequence to the empty `plan` (of `setup->load` > 0
 * units), or refuses when the solver finds no optimum.  Sets the parameter "predicted_makespan":
 * the optimum of the program, s. */
LS_CHECKED enum ls_status ls_lp_plan(const struct ls_planner_setup *setup,
                                     const struct ls_message *messages, size_t count,
                                     struct ls_plan *plan, struct ls_error *err);

#endif
