#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/scow/scow_optimum.h"
#include "planners/scow/scow_production.h"
#include "scow_fixture.h"

/* mu of one period, computed from what it produces. */
static double find_mu(const struct ls_scow_star *star, double load, double period_s,
                      size_t full_most, bool has_partial) {
  struct ls_scow_production made =
      ls_scow_produce(star->items, star->count, period_s, full_most, NULL);
  double total = has_partial ? made.total : made.total - made.partial;
  size_t first = 0;
  while (first < star->count && !(ls_scow_chunk(&star->items[first], period_s) > 0)) first++;
  if (!(total > 0) || first == star->count || total > load || made.full == 0)
    return (double)INFINITY;
  for (size_t i = 0; i < star->count; i++) {
    double chunk = ls_scow_chunk(&star->items[i], period_s);
    if (chunk > 0 && chunk < 1) return (double)INFINITY;
  }
  return ls_scow_model_makespan(&star->items[first], load, total, period_s);
}

/* Clipped stationary points against a fine grid of periods and numbers of full workers. */
static void no_period_of_a_grid_is_better(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "optimum");
  for (int turn = 0; turn < 60; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    struct ls_scow_optimum mp, pwu;
    double load = star_draw(&random, 50, 3000);
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    scow_star(&platform, &star);
    struct ls_scow_question question = {load, LS_SCOW_MP, SIZE_MAX, 1};
    assert_int_equal(ls_scow_optimize(&star, &question, &mp, NULL), LS_OK);
    question.constraint = LS_SCOW_PWU;
    assert_int_equal(ls_scow_optimize(&star, &question, &pwu, NULL), LS_OK);
    assert_true(mp.makespan_s <= pwu.makespan_s * (1 + 1e-12));
    /* Fewer sets are plans of fewer workers: never better. */
    struct ls_scow_optimum rough;
    question.sets_most = 2;
    assert_int_equal(ls_scow_optimize(&star, &question, &rough, NULL), LS_OK);
    assert_true(rough.makespan_s >= pwu.makespan_s * (1 - 1e-12));
    for (int step = 1; step <= 3000; step++) {
      double period_s = 60.0 * step / 3000;
      assert_true(mp.makespan_s <= find_mu(&star, load, period_s, SIZE_MAX, true) + 1e-6);
      for (size_t full = 1; full <= star.count; full++)
        assert_true(pwu.makespan_s <= find_mu(&star, load, period_s, full, false) + 1e-6);
    }
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

static void the_published_platform_wants_20_workers(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_scow_optimum found;
  (void)state;
  scow_published(&platform, 60, 22);
  scow_star(&platform, &star);
  struct ls_scow_question question = {1000, LS_SCOW_PWU, SIZE_MAX, 1};
  assert_int_equal(ls_scow_optimize(&star, &question, &found, NULL), LS_OK);
  expect_near(found.makespan_s, 53.70423444976075, 1e-9);
  assert_int_equal(found.full, 20);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

/* Without latencies of sending the shortest period is the best: one unit each. */
static void without_latencies_chunks_are_units(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_scow_optimum found;
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){0, 0.1}, (struct ls_cost){0, 1});
  scow_star(&platform, &star);
  struct ls_scow_question question = {1000, LS_SCOW_MP, SIZE_MAX, 1};
  assert_int_equal(ls_scow_optimize(&star, &question, &found, NULL), LS_OK);
  expect_near(found.chunk, 1, 1e-9);
  question.load = 0.5;
  assert_int_equal(ls_scow_optimize(&star, &question, &found, NULL), LS_OK);
  assert_true(isinf(found.makespan_s));
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_period_of_a_grid_is_better),
      cmocka_unit_test(the_published_platform_wants_20_workers),
      cmocka_unit_test(without_latencies_chunks_are_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
