#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"
#include "planners/pack/pack_fit.h"

/* Just at the optimum tasks fit, just below it they do not. */
static void the_optimum_is_the_edge(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  struct ls_pack_fit fit;
  ls_random_init(&random, 5, "cases");
  for (int i = 0; i < 200; i++) {
    draw_case(&drawn, &random, 1 + ls_random_below(&random, 8), 1 + ls_random_below(&random, 4),
              i % 2 == 0);
    const struct ls_pack_problem *problem = &drawn.problem;
    double optimum = find_optimum(problem);
    struct ls_budget budget = {.work_max = 1000000};
    assert_int_equal(ls_pack_fit_init(&fit, problem), LS_OK);
    assert_int_equal(ls_pack_fit_ask(&fit, optimum * (1 + 1e-9), problem->tasks, &budget),
                     LS_PACK_FITS);
    struct ls_packing packing = {fit.shard_of, drawn.speeds, 0};
    double work[SHARDS_MAX];
    packing.seconds = work;
    ls_packing_measure(&packing, problem);
    assert_true(packing.makespan_s <= optimum * (1 + 2e-9));
    if (optimum > 0)
      assert_int_equal(ls_pack_fit_ask(&fit, optimum * (1 - 1e-6), problem->tasks, &budget),
                       LS_PACK_FITS_NOT);
    /* With sand in place of the shorter ones more fits, never less. */
    assert_int_equal(ls_pack_fit_ask(&fit, optimum * (1 + 1e-9), 1, &budget), LS_PACK_FITS);
    ls_pack_fit_close(&fit);
  }
}

static void a_spent_budget_says_nothing(void **state) {
  (void)state;
  const double seconds[] = {3, 3, 2, 2, 2}, ones[] = {1, 1};
  const struct ls_pack_problem problem = {seconds, 5, ones, 2};
  struct ls_pack_fit fit;
  struct ls_budget budget = {.work_max = 1};
  assert_int_equal(ls_pack_fit_init(&fit, &problem), LS_OK);
  assert_int_equal(ls_pack_fit_ask(&fit, 6, 5, &budget), LS_PACK_UNKNOWN);
  ls_pack_fit_close(&fit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_optimum_is_the_edge),
      cmocka_unit_test(a_spent_budget_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
