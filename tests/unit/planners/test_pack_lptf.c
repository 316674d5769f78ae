#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"

static void the_guarantees_hold(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  ls_random_init(&random, 2, "cases");
  for (int i = 0; i < 300; i++) {
    size_t shards = 1 + ls_random_below(&random, 4);
    draw_case(&drawn, &random, 1 + ls_random_below(&random, 8), shards, i % 2 == 0);
    double optimum = find_optimum(&drawn.problem);
    double makespan = divide_by(&ls_pack_lptf, &drawn.problem);
    double most = i % 2 == 0 ? 2 : 4.0 / 3 - 1 / (3.0 * (double)shards);
    assert_true(makespan <= most * optimum * (1 + 1e-9));
  }
}

/* Graham's example: 5 5 4 4 3 3 3 on 3 workers attains 11/9. */
static void the_worst_case_is_attained(void **state) {
  (void)state;
  const double seconds[] = {5, 5, 4, 4, 3, 3, 3}, ones[] = {1, 1, 1};
  const struct ls_pack_problem problem = {seconds, 7, ones, 3};
  assert_true(fabs(divide_by(&ls_pack_lptf, &problem) - 11) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_guarantees_hold),
      cmocka_unit_test(the_worst_case_is_attained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
