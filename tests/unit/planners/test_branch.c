#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "branch_fixture.h"
#include "planners/returns/branch.h"
#include "planners/returns/dual_simplex.h"

static void the_search_finds_the_best_pair(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 91, "branch");
  for (size_t kind = 0; kind < 60; kind++) {
    struct branch_sample sample;
    sample_open(&sample, &random, 2 + kind % 3, kind);
    /* From nothing, so that the search finds the pair itself; subsets included. */
    sample.branch.best_value = 0;
    sample.branch.is_full = false;
    ls_branch_solve(&sample.branch);
    expect_near(sample.branch.best_value, sample.best, 1e-9);
    expect_near(ls_pair_value(&sample.branch.small, &sample.branch.best, NULL), sample.best, 1e-9);
    sample_close(&sample);
  }
}

static void rows_without_idle_time_lose_nothing(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 92, "branch");
  for (size_t kind = 0; kind < 60; kind++) {
    struct branch_sample sample;
    sample_open(&sample, &random, 2 + kind % 3, kind);
    double smaller = sample.branch.best_value; /* of the subsets: is_full looks beyond it */
    ls_branch_solve(&sample.branch);
    expect_near(sample.branch.best_value, fmax(sample.best, smaller), 1e-9);
    sample_close(&sample);
  }
}

static void a_spent_search_keeps_a_bound(void **state) {
  (void)state;
  struct ls_random random;
  size_t stopped = 0;
  ls_random_init(&random, 93, "branch");
  for (size_t kind = 0; kind < 30; kind++) {
    struct branch_sample sample;
    sample_open(&sample, &random, 4, kind);
    sample.branch.best_value = ls_pair_value(&sample.branch.small, &sample.branch.best, NULL);
    sample.branch.is_full = false;
    struct ls_budget budget = {.work_max = 1 + kind % 5};
    sample.branch.budget = &budget;
    ls_branch_solve(&sample.branch);
    if (budget.is_stopped) {
      stopped++;
      assert_true(fmax(sample.branch.open_bound, sample.branch.best_value) >= sample.best - 1e-9);
    } else {
      expect_near(sample.branch.best_value, sample.best, 1e-9);
    }
    sample_close(&sample);
  }
  assert_true(stopped > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_search_finds_the_best_pair),
      cmocka_unit_test(rows_without_idle_time_lose_nothing),
      cmocka_unit_test(a_spent_search_keeps_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
