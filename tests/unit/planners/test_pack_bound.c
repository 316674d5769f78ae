#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"

/* Work over speeds, the longest tasks on the fastest, three tasks on two workers, whole tenths. */
static void each_kind_of_bound_is_attained(void **state) {
  (void)state;
  const double ones[] = {1, 1, 1}, speeds[] = {2, 1};
  const struct {
    double seconds[4];
    size_t tasks;
    const double *speeds;
    size_t shards;
    double bound_s;
  } cases[] = {{{2, 2, 2, 2}, 4, ones, 2, 4},
               {{9, 1, 1}, 3, ones, 3, 9},
               {{5, 5, 5}, 3, ones, 2, 10},
               {{6, 6}, 2, speeds, 2, 4},
               {{0.1, 0.1, 0.1, 0.1}, 4, ones, 3, 0.2},
               {{0, 0}, 2, ones, 2, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ls_pack_problem problem = {cases[i].seconds, cases[i].tasks, cases[i].speeds,
                                            cases[i].shards};
    assert_true(fabs(ls_pack_bound(&problem) - cases[i].bound_s) < 1e-9);
  }
}

static void no_optimum_is_below_the_bounds(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  ls_random_init(&random, 1, "cases");
  for (int i = 0; i < 300; i++) {
    draw_case(&drawn, &random, 1 + ls_random_below(&random, 8), 1 + ls_random_below(&random, 4),
              i % 2 == 0);
    double optimum = find_optimum(&drawn.problem), bound = ls_pack_bound(&drawn.problem);
    assert_true(bound <= optimum * (1 + 1e-9));
    if (ls_pack_is_uniform(&drawn.problem) && i % 2 == 1)
      assert_true(ls_pack_bound_of_bins(&drawn.problem, bound, 2 * optimum + 1) <=
                  optimum * (1 + 1e-8));
  }
}

/* The example of the book: L2 sees that two of 6 and more need bins of their own. */
static void bins_are_counted_by_what_does_not_fit_together(void **state) {
  (void)state;
  const double large[] = {7, 7, 7, 6, 6, 6}, mixed[] = {8, 7, 5, 5, 5}, small[] = {1, 1, 1};
  assert_int_equal(ls_pack_bins_least(large, 6, 10), 6);
  assert_int_equal(ls_pack_bins_least(mixed, 5, 10), 4);
  assert_int_equal(ls_pack_bins_least(small, 3, 10), 1);
  assert_int_equal(ls_pack_bins_least(small, 3, 1), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_of_bound_is_attained),
      cmocka_unit_test(no_optimum_is_below_the_bounds),
      cmocka_unit_test(bins_are_counted_by_what_does_not_fit_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
