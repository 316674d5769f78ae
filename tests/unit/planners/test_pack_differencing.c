#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"

/* Times the optimum, on equal and on unequal workers. */
static void makespans_are_within_the_guarantee(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  ls_random_init(&random, 3, "cases");
  for (int i = 0; i < 200; i++) {
    bool has_speeds = i % 2 == 0 && !ls_pack_differencing.needs_equal_speeds;
    draw_case(&drawn, &random, 1 + ls_random_below(&random, 8), 1 + ls_random_below(&random, 4),
              has_speeds);
    double most = has_speeds ? 0 : 4.0 / 3;
    assert_true(divide_by(&ls_pack_differencing, &drawn.problem) <=
                most * find_optimum(&drawn.problem) * (1 + 1e-8));
  }
}

/* More tasks than can be tried: still a division, never worse than the one before. */
static void larger_divisions_are_whole(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  ls_random_init(&random, 4, "cases");
  for (int i = 0; i < 20; i++) {
    draw_case(&drawn, &random, TASKS_MAX, 2 + ls_random_below(&random, SHARDS_MAX - 1),
              i % 2 == 0 && !ls_pack_differencing.needs_equal_speeds);
    (void)divide_by(&ls_pack_differencing, &drawn.problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(makespans_are_within_the_guarantee),
      cmocka_unit_test(larger_divisions_are_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
