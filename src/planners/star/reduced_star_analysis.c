/* reduced_star_analysis.c: a platform as the theory of rounds sees it.
 *
 * Reference:  yang2002, section 6.3 (selection); docs/theory/umr.md, 1 and 3.6.
 * Assumes:    nothing.
 * Answers:    whether the reduction leaves a station out, whether the workers are alike, the order
 *             by S/B and the workers that the master can keep busy.
 * Cost:       O(p log p).
 * Symbols:    S/B -> ratio, theta -> theta.
 */
#include <stdlib.h>

#include "base/statistics.h"
#include "planners/analysis.h"
#include "planners/star/reduced_star.h"

static enum ls_status list_workers(const struct ls_reduced_star *workers, const char *name,
                                   const char *meaning, struct ls_findings *findings,
                                   struct ls_error *err) {
  uint32_t *numbers = calloc(workers->count, sizeof *numbers);
  if (numbers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers->count);
  for (size_t i = 0; i < workers->count; i++) numbers[i] = workers->items[i].number;
  ls_findings_list(findings, name, numbers, workers->count, meaning);
  free(numbers);
  return LS_OK;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  struct ls_reduced_star workers;
  struct ls_sum slowness = {0};
  enum ls_status status = ls_reduced_star_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < workers.count; i++) ls_sum_add(&slowness, workers.items[i].ratio);
  ls_findings_flag(findings, "exact", workers.is_exact,
                   "nothing that the replay charges is left out");
  ls_findings_flag(findings, "identical", ls_star_is_identical(workers.items, workers.count),
                   "all workers cost the same");
  ls_findings_number(findings, "theta", 1 / ls_sum_value(&slowness),
                     "growth of rounds with all workers; below 1 the master is too slow for all");
  ls_reduced_star_take(&workers, LS_STAR_SORTED);
  status = list_workers(&workers, "by_ratio", "workers by S/B, the best link for its speed first",
                        findings, err);
  ls_reduced_star_take(&workers, LS_STAR_SELECTED);
  if (status == LS_OK)
    status =
        list_workers(&workers, "selected", "workers that the master can keep busy", findings, err);
  ls_reduced_star_close(&workers);
  return status;
}

const struct ls_analysis ls_analysis_reduced_star = {
    .name = "reduced-star",
    .summary = "the platform as the theory of rounds sees it, and the workers it selects",
    .reference = "yang2002, section 6.3",
    .analyse = analyse,
};
