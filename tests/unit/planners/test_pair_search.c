#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/dual_simplex.h"
#include "planners/returns/pair_search.h"
#include "planners/returns/returns.h"
#include "returns_fixture.h"

static void nothing_nearby_is_better(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 51, "local");
  for (size_t kind = 0; kind < 30; kind++) {
    struct ls_returns returns;
    struct ls_small small;
    struct ls_pair pair;
    struct ls_budget budget = {0};
    const uint32_t workers[] = {0, 1, 2, 3, 4};
    returns_make(&returns, &random, 5, kind, kind % 2 == 1);
    ls_small_init(&small, &returns, workers, 5);
    ls_pair_shuffle(&pair, 5, &random);
    double before = ls_pair_value(&small, &pair, NULL);
    double value = ls_pair_climb(&small, &pair, &budget);
    assert_true(value >= before);
    assert_true(budget.work > 0 && !budget.is_stopped);
    expect_near(ls_pair_value(&small, &pair, NULL), value, 1e-15);
    assert_true(value * small.unit <= returns_enumerate(&returns, RETURNS_ANY) * (1 + 1e-9));
    for (int side = 0; side < 2; side++) {
      for (size_t i = 0; i < 5; i++) {
        for (size_t j = i + 1; j < 5; j++) {
          struct ls_pair next = pair;
          next.order[side][i] = pair.order[side][j];
          next.order[side][j] = pair.order[side][i];
          assert_true(ls_pair_value(&small, &next, NULL) <= value + 1e-11);
        }
      }
    }
    ls_returns_close(&returns);
  }
}

static bool stop_at_once(void *context) {
  (*(int *)context)++;
  return true;
}

static void a_climb_stops_when_told_or_spent(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  struct ls_small small;
  struct ls_pair pair, start;
  const uint32_t workers[] = {0, 1, 2, 3, 4, 5};
  int asked = 0;
  ls_random_init(&random, 52, "local");
  returns_make(&returns, &random, 6, 1, false);
  ls_small_init(&small, &returns, workers, 6);
  ls_pair_shuffle(&start, 6, &random);
  pair = start;
  struct ls_budget spent = {.work_max = 3};
  assert_true(ls_pair_climb(&small, &pair, &spent) >= ls_pair_value(&small, &start, NULL));
  assert_true(spent.is_stopped);
  assert_int_equal(spent.work, 3);
  pair = start;
  struct ls_budget told = {.stop = stop_at_once, .stop_context = &asked};
  expect_near(ls_pair_climb(&small, &pair, &told), ls_pair_value(&small, &start, NULL), 0);
  assert_true(told.is_stopped);
  assert_int_equal(asked, 1);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_nearby_is_better),
      cmocka_unit_test(a_climb_stops_when_told_or_spent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
