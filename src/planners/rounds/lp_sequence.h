/* lp_sequence.h: the best sizes for a given sequence of messages, by linear programming.
 *
 * The sequence fixes the worker of each message; the program finds how many units each takes.
 * Every message of the sequence is charged its latencies, also one that ends up empty, which is
 * then not sent: so the sizes of those that are sent may not be the best for them alone.
 */
#ifndef LS_PLANNERS_ROUNDS_LP_SEQUENCE_H
#define LS_PLANNERS_ROUNDS_LP_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "planners/budget.h"
#include "planners/planner.h"

/* One message of a sequence, before its size is known. */
struct ls_message {
  uint32_t worker, round;
};

struct ls_messages {
  const struct ls_message *items; /* borrowed */
  size_t count;
};

/* Adds the chunks of the best plan with this sequence to the empty `plan` (of `setup->load` > 0
 * units), or refuses when the solver finds no optimum.  Sets the parameter "predicted_makespan":
 * the optimum of the program, s. */
LS_CHECKED enum ls_status ls_lp_plan(const struct ls_planner_setup *setup,
                                     const struct ls_message *messages, size_t count,
                                     struct ls_plan *plan, struct ls_error *err);

/* The same, then again without the messages that got nothing until none is left without: the
 * shortest of these plans. A program is one work of the budget (NULL: nobody counts); spent, the
 * rest is left out. */
LS_CHECKED enum ls_status ls_lp_plan_sent(const struct ls_planner_setup *setup,
                                          const struct ls_messages *messages,
                                          struct ls_budget *budget, struct ls_plan *plan,
                                          struct ls_error *err);

/* The makespan that ls_planner_run will give such a plan, in whole units where those are asked for;
 * INFINITY of one that was refused. */
LS_CHECKED enum ls_status ls_lp_makespan(const struct ls_planner_setup *setup,
                                         const struct ls_plan *plan, double *makespan_s,
                                         struct ls_error *err);

#endif
