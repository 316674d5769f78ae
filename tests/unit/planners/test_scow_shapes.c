#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scow_scene.h"

/* 6.1: whole sizes whose round is no longer than the period. */
static void a_round_fits_into_its_period(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "shapes");
  for (int turn = 0; turn < 100; turn++) {
    struct scene scene;
    double period_s = star_draw(&random, 1, 30);
    open_scene(&scene, &random, (enum scow_kind)(turn % 3), 500, true);
    assert_int_equal(ls_scow_search_period(&scene.search, period_s, SIZE_MAX, true, NULL), LS_OK);
    if (isfinite(scene.search.best_s)) {
      const struct ls_scow_schedule *best = &scene.search.best;
      struct ls_scow_load load = ls_scow_load_of(scene.star.items, scene.star.count, best->units);
      assert_true(load.period_s <= period_s * (1 + 1e-9));
      double total = 0;
      for (size_t i = 0; i < best->count; i++) {
        assert_true(floor(best->units[i]) >= best->units[i]);
        total += (double)best->keep * best->units[i] + best->last[i] + best->auxiliary[i];
      }
      expect_near(total, 500, 0);
    }
    close_scene(&scene);
  }
}

/* 6.6: each growing round is computed while the next one is sent. */
static void growing_rounds_end_when_the_next_one_is_sent(void **state) {
  struct ls_random random;
  size_t found = 0;
  (void)state;
  ls_random_init(&random, 2, "ramp");
  for (int turn = 0; turn < 60; turn++) {
    struct scene scene;
    open_scene(&scene, &random, SCOW_IDENTICAL, 2000, true);
    for (size_t i = 0; i < scene.star.count; i++) {
      scene.star.items[i].send.per_unit_s *= 0.3;
      scene.star.items[i].link.per_unit_s *= 0.3;
    }
    double period_s = ls_cost_time(&scene.star.items[0].compute, 60);
    assert_int_equal(ls_scow_search_ramp(&scene.search, period_s, SIZE_MAX, NULL), LS_OK);
    const struct ls_scow_schedule *best = &scene.search.best;
    for (size_t row = 0; row < best->ramp_rounds; row++) {
      const double *after = row == 0 ? best->units : best->ramp + (row - 1) * best->count;
      double sent_s = 0, own = best->ramp[row * best->count];
      for (size_t i = 0; i < best->count; i++)
        sent_s += ls_cost_time(&scene.star.items[i].send, after[i]);
      assert_true(own >= 1 && own < after[0]);
      assert_true(ls_cost_time(&scene.star.items[0].compute, own) <= sent_s * (1 + 1e-9));
      assert_true(ls_cost_time(&scene.star.items[0].compute, own + 1) > sent_s * (1 - 1e-9));
      found++;
    }
    close_scene(&scene);
  }
  assert_true(found > 20);
}

/* 6.2: rounds of equal units; what differs in speed gets the period that produces as much. */
static void a_number_of_rounds_gives_its_period(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "rounds");
  for (int turn = 0; turn < 60; turn++) {
    struct scene scene;
    enum scow_kind kind = (enum scow_kind)(turn % 3);
    open_scene(&scene, &random, kind, 800, false);
    assert_int_equal(ls_scow_search_rounds(&scene.search, 8, LS_SCOW_MP, NULL), LS_OK);
    const struct ls_scow_schedule *best = &scene.search.best;
    double units = 0;
    for (size_t i = 0; i < best->count; i++) units += best->units[i];
    assert_true(isfinite(scene.search.best_s));
    expect_near(units, 100, 1e-6);
    assert_true(best->keep >= 6 && best->keep <= 8);
    close_scene(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_fits_into_its_period),
      cmocka_unit_test(growing_rounds_end_when_the_next_one_is_sent),
      cmocka_unit_test(a_number_of_rounds_gives_its_period),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
