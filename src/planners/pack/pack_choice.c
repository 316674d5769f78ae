#include "planners/pack/pack_choice.h"

#include "planners/pack/pack_bound.h"
#include "planners/pack/pack_list.h"
#include "planners/pack/pack_relaxation.h"

const struct ls_pack_algorithm *const ls_pack_algorithms[] = {
    &ls_pack_lptf, &ls_pack_multifit, &ls_pack_differencing, &ls_pack_pairs, &ls_pack_exact, NULL};

/* Of many tasks the last digits of a makespan are not worth a search. */
enum { FEW_TASKS = 8192 };
#define TOLERANCE_OF_MANY 1e-5

/* Of what is left of the budget, so many parts go to each of these. */
enum { RELAXING = 4, PAIRING = 2 };

static uint64_t budget_left(const struct ls_budget *budget) {
  if (budget->work_max == 0) return UINT64_MAX;
  return budget->work < budget->work_max ? budget->work_max - budget->work : 0;
}

static bool is_worth_trying(const struct ls_pack_search *search,
                            const struct ls_pack_algorithm *algorithm) {
  if (algorithm->needs_equal_speeds && !ls_pack_is_uniform(search->problem)) return false;
  return algorithm->cost(search->problem) <= budget_left(&search->budget);
}

/* Within a part of the budget. */
static enum ls_status try_algorithm(struct ls_pack_search *search,
                                    const struct ls_pack_algorithm *algorithm, uint64_t share) {
  struct ls_budget whole = search->budget;
  uint64_t left = budget_left(&whole);
  if (!is_worth_trying(search, algorithm)) return LS_OK;
  search->budget = ls_budget_part(&whole, left == UINT64_MAX ? 0 : left / share + 1);
  enum ls_status status = algorithm->divide(search);
  struct ls_budget part = search->budget;
  search->budget = whole;
  ls_budget_spend(&search->budget, part.work);
  return status;
}

static void raise_bound(struct ls_pack_search *search) {
  if (!ls_pack_is_uniform(search->problem) || ls_pack_is_enough(search)) return;
  if (budget_left(&search->budget) < 64 * (uint64_t)search->problem->tasks) return;
  ls_budget_spend(&search->budget, 64 * (uint64_t)search->problem->tasks);
  search->bound_s =
      ls_pack_bound_of_bins(search->problem, search->bound_s, search->best.makespan_s);
}

static enum ls_status search_best(struct ls_pack_search *search) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; ls_pack_algorithms[i] != NULL && status == LS_OK; i++) {
    const struct ls_pack_algorithm *algorithm = ls_pack_algorithms[i];
    if (search->found_by != NULL && ls_pack_is_enough(search)) break;
    /* Before a long search begins it should know what there is to find. */
    if (algorithm == &ls_pack_pairs) {
      raise_bound(search);
      if (!ls_pack_is_enough(search))
        status = ls_pack_relax(search, budget_left(&search->budget) / RELAXING);
      if (status != LS_OK || ls_pack_is_enough(search)) continue;
    }
    status = try_algorithm(search, algorithm, algorithm == &ls_pack_pairs ? PAIRING : 1);
  }
  return status;
}

double ls_pack_gap(const struct ls_pack_result *result) {
  if (!(result->bound_s > 0)) return 0;
  double gap = (result->packing.makespan_s - result->bound_s) / result->bound_s;
  return gap > 0 ? gap : 0;
}

enum ls_status ls_pack_choose(const struct ls_pack_problem *problem, const struct ls_budget *budget,
                              struct ls_pack_result *result, struct ls_error *err) {
  struct ls_pack_search search = {
      .problem = problem,
      .budget = budget != NULL ? *budget : (struct ls_budget){.work_max = LS_PACK_WORK},
      .tolerance = problem->tasks > FEW_TASKS ? TOLERANCE_OF_MANY : 0,
      .bound_s = ls_pack_bound(problem)};
  enum ls_status status = ls_packing_init(&search.best, problem);
  if (status == LS_OK) {
    status = ls_packing_init(&search.trial, problem);
    if (status == LS_OK) status = search_best(&search);
    ls_packing_close(&search.trial);
    if (status != LS_OK) ls_packing_close(&search.best);
  }
  if (status != LS_OK)
    return ls_fail(err, status, "out of memory for %zu tasks in %zu shards", problem->tasks,
                   problem->shards);
  search.tolerance = 0;
  bool is_optimal = ls_pack_is_enough(&search);
  *result = (struct ls_pack_result){
      .packing = search.best,
      .algorithm = search.found_by,
      .bound_s = is_optimal ? search.best.makespan_s : search.bound_s,
      .is_optimal = is_optimal,
      .is_cut = budget_left(&search.budget) == 0 || search.budget.is_stopped};
  return LS_OK;
}

void ls_pack_result_close(struct ls_pack_result *result) {
  ls_packing_close(&result->packing);
}
