#include "planners/pack/pack_relaxation.h"

#include "planners/pack/pack_fit.h"

enum { LARGE_FIRST = 4, LARGE_MAX = 4096, STEPS = 14, SHARES = 24 };

/* One question, of at most so much work; what it does not answer may be. */
static bool can_fit(struct ls_pack_search *search, struct ls_pack_fit *fit, double makespan_s,
                    size_t large, uint64_t work_max) {
  struct ls_budget part = ls_budget_part(&search->budget, work_max);
  enum ls_pack_answer answer = ls_pack_fit_ask(fit, makespan_s, large, &part);
  ls_budget_spend(&search->budget, part.work);
  return answer != LS_PACK_FITS_NOT;
}

static void raise_bound(struct ls_pack_search *search, struct ls_pack_fit *fit, size_t large,
                        uint64_t work_max) {
  double below_s = search->best.makespan_s * (1 - LS_PACK_ROUNDING);
  double to_s = below_s;
  if (!can_fit(search, fit, below_s, large, work_max)) {
    search->bound_s = search->best.makespan_s;
    return;
  }
  for (int step = 0; step < STEPS && to_s > search->bound_s * (1 + LS_PACK_ROUNDING); step++) {
    double middle_s = search->bound_s + (to_s - search->bound_s) / 2;
    if (step == 0) middle_s = search->bound_s * (1 + LS_PACK_ROUNDING / 2);
    if (can_fit(search, fit, middle_s, large, work_max)) {
      to_s = middle_s;
      /* The bound is met by these tasks. */
      if (step == 0) return;
    } else {
      search->bound_s = middle_s;
    }
  }
}

enum ls_status ls_pack_relax(struct ls_pack_search *search, uint64_t work_max) {
  const struct ls_pack_problem *problem = search->problem;
  struct ls_pack_fit fit;
  uint64_t end = search->budget.work + work_max;
  enum ls_status status = ls_pack_fit_init(&fit, problem);
  if (status != LS_OK) return status;
  size_t most = problem->tasks < LARGE_MAX ? problem->tasks : LARGE_MAX;
  for (size_t large = LARGE_FIRST; !ls_pack_is_enough(search); large *= 2) {
    if (large > most) large = most;
    raise_bound(search, &fit, large, work_max / SHARES + 1);
    if (large == most || search->budget.work >= end) break;
  }
  ls_pack_fit_close(&fit);
  return LS_OK;
}
