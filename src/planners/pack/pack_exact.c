/* pack_exact.c: the optimum by bisection over makespans, each decided by a search in depth.
 *
 * Reference:  martello1990, 8.5, for the dominance; dellamico1995 for branch and bound of this
 *             problem.
 * Assumes:    few tasks, or times that fill shards easily.
 * Answers:    a better division or a higher bound for each question that is answered within its
 *             share of the budget; equal both: the optimum.
 * Cost:       exponential at worst; the budget ends it.
 * Symbols:    none.
 */
#include <string.h>

#include "planners/pack/pack_fit.h"
#include "planners/pack/pack_list.h"

enum { TASKS_MAX = 4096, QUESTIONS = 32, FEWER = 16 };

static uint64_t cost(const struct ls_pack_problem *problem) {
  return problem->tasks <= TASKS_MAX ? 2 * (uint64_t)problem->tasks * problem->shards : UINT64_MAX;
}

static enum ls_pack_answer ask(struct ls_pack_search *search, struct ls_pack_fit *fit,
                               double makespan_s, uint64_t work_max) {
  const struct ls_pack_problem *problem = search->problem;
  struct ls_budget part = ls_budget_part(&search->budget, work_max);
  enum ls_pack_answer answer = ls_pack_fit_ask(fit, makespan_s, problem->tasks, &part);
  ls_budget_spend(&search->budget, part.work);
  if (answer == LS_PACK_FITS) {
    memcpy(search->trial.shard_of, fit->shard_of, problem->tasks * sizeof *fit->shard_of);
    ls_pack_offer(search, ls_pack_exact.name);
  }
  return answer;
}

static uint64_t budget_left(const struct ls_pack_search *search) {
  const struct ls_budget *budget = &search->budget;
  if (budget->work_max == 0) return UINT64_MAX;
  return budget->work < budget->work_max ? budget->work_max - budget->work : 0;
}

/* The bound, then what lies between; a question without an answer is taken for a no, but raises no
 * bound. */
static void bisect(struct ls_pack_search *search, struct ls_pack_fit *fit) {
  double from_s = search->bound_s;
  uint64_t share = budget_left(search) / FEWER + 1;
  for (int question = 0; question < QUESTIONS && !ls_pack_is_enough(search); question++) {
    double to_s = search->best.makespan_s * (1 - LS_PACK_ROUNDING);
    if (!(to_s > from_s) || budget_left(search) == 0) return;
    double middle_s =
        question == 0 ? from_s * (1 + LS_PACK_ROUNDING / 2) : from_s + (to_s - from_s) / 2;
    enum ls_pack_answer answer = ask(search, fit, middle_s, share);
    if (answer == LS_PACK_FITS) continue;
    from_s = middle_s;
    if (answer == LS_PACK_FITS_NOT && middle_s > search->bound_s) search->bound_s = middle_s;
  }
}

static enum ls_status divide(struct ls_pack_search *search) {
  struct ls_pack_fit fit;
  enum ls_status status = ls_pack_fit_init(&fit, search->problem);
  if (status != LS_OK) return status;
  bisect(search, &fit);
  /* Nothing shorter: then it is the optimum. */
  double below_s = search->best.makespan_s * (1 - LS_PACK_ROUNDING);
  while (!ls_pack_is_enough(search) && budget_left(search) > 0) {
    enum ls_pack_answer answer = ask(search, &fit, below_s, budget_left(search));
    if (answer == LS_PACK_FITS_NOT) search->bound_s = search->best.makespan_s;
    if (answer != LS_PACK_FITS) break;
    below_s = search->best.makespan_s * (1 - LS_PACK_ROUNDING);
  }
  ls_pack_fit_close(&fit);
  return LS_OK;
}

const struct ls_pack_algorithm ls_pack_exact = {
    .name = "exact",
    .summary = "the optimum by bisection and a search in depth, within the budget",
    .reference = "martello1990",
    .cost = cost,
    .divide = divide,
};
