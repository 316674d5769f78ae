#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"
#include "planners/pack/pack_relaxation.h"

/* 10 and 9 on speeds 1, 1/2, 1/2: 18 on the slow one is best, which no formula says. */
static void long_tasks_on_slow_workers_are_seen(void **state) {
  (void)state;
  const double seconds[] = {10, 9, 0.1, 0.1, 0.1}, speeds[] = {1, 0.5, 0.5};
  const struct ls_pack_problem problem = {seconds, 5, speeds, 3};
  struct ls_pack_search search;
  open_search(&search, &problem, 1000000);
  assert_int_equal(ls_pack_lptf.divide(&search), LS_OK);
  assert_true(search.bound_s < 15);
  assert_int_equal(ls_pack_relax(&search, 100000), LS_OK);
  assert_true(fabs(search.bound_s - 18) < 1e-6);
  close_search(&search);
}

static void no_optimum_is_below(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  ls_random_init(&random, 6, "cases");
  for (int i = 0; i < 200; i++) {
    struct ls_pack_search search;
    draw_case(&drawn, &random, 1 + ls_random_below(&random, 8), 1 + ls_random_below(&random, 4),
              i % 2 == 0);
    open_search(&search, &drawn.problem, 1000000);
    assert_int_equal(ls_pack_lptf.divide(&search), LS_OK);
    assert_int_equal(ls_pack_relax(&search, 100000), LS_OK);
    assert_true(search.bound_s <= find_optimum(&drawn.problem) * (1 + 1e-8));
    close_search(&search);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_tasks_on_slow_workers_are_seen),
      cmocka_unit_test(no_optimum_is_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
