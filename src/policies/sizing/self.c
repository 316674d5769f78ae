/* self.c: the self-adjusting number of workers.
 *
 * Reference:  heymann2001, section 4.4 and figure 4-7, corrected: the coarse step is also made
 *             after the first iteration (the literal figure releases one worker per iteration when
 *             all were granted at once, against the text and figure 4-8b).
 * Assumes:    iterations that resemble each other; figures of the wall clock.
 * Answers:    coarse: ceil(asp) + 1; fine: one more when the iteration lasted longer than
 *             max t + max(min t, slack max t), else one less when the efficiency is below its
 *             least.  Only iterations with an unchanged set of workers count.
 * Cost:       O(1).
 * Symbols:    t -> tasks, E -> efficiency, 0.15 -> slack, 0.8 -> efficiency_least.
 */
#include <math.h>

#include "policies/sizing.h"

static const struct ls_parameter self_parameters[] = {
    {"efficiency", "the least efficiency that is accepted", LS_PARAMETER_REAL, 0.8, 0, 1, NULL},
    {"slack", "share of the largest task that an iteration may last longer than it",
     LS_PARAMETER_REAL, 0.15, 0, 10, NULL},
    {"literal", "1: the coarse step as figure 4-7 prints it, only while workers are missing",
     LS_PARAMETER_WHOLE, 0, 0, 1, NULL},
    {0}};

size_t ls_sizing_self_step(const struct ls_self_step *step) {
  const struct ls_task_facts *tasks = &step->tasks;
  bool is_missing = step->current < step->wanted;
  if (is_missing || (step->is_first && !step->is_literal)) {
    return (size_t)ceil(tasks->asp - 1e-9) + 1;
  }
  double allowed_s = tasks->largest_s + fmax(tasks->least_s, step->slack * tasks->largest_s);
  if (step->iteration_seconds > allowed_s) return step->wanted + 1;
  if (step->efficiency < step->efficiency_least) return step->wanted > 1 ? step->wanted - 1 : 1;
  return step->wanted;
}

static size_t want_adjusted(const struct ls_sizing_view *view, size_t given) {
  /* At the start nothing is known: as many as there are tasks. */
  if (view->is_start) return ls_sizing_clamp((size_t)view->units, view->units, given);
  bool is_first = view->iteration == 0;
  bool is_unsteady = view->was_changed && !is_first && view->current >= view->wanted;
  if (view->tasks.tasks == 0 || is_unsteady) {
    return ls_sizing_clamp(view->wanted, view->units, given);
  }
  struct ls_self_step step = {
      .wanted = view->wanted,
      .current = view->current,
      .tasks = view->tasks,
      .iteration_seconds = view->iteration_seconds,
      .efficiency = view->efficiency,
      .is_first = is_first,
      .is_literal = ls_arguments_get(&view->arguments, self_parameters, "literal") > 0,
      .slack = ls_arguments_get(&view->arguments, self_parameters, "slack"),
      .efficiency_least = ls_arguments_get(&view->arguments, self_parameters, "efficiency")};
  return ls_sizing_clamp(ls_sizing_self_step(&step), view->units, given);
}

const struct ls_sizing ls_sizing_self = {
    .name = "self",
    .summary = "self-adjusting: sum of the tasks / largest at first, then one more or less",
    .reference = "Heymann 2001",
    .parameters = self_parameters,
    .learns = true,
    .wanted = want_adjusted,
};
