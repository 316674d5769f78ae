#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/scow/scow_utilization.h"
#include "scow_fixture.h"

/* U of one subset with one network: a fractional knapsack with weights h + c/k by h. */
static double utilize_subset(const struct ls_scow_star *star, unsigned subset, double period_s) {
  double left_s = period_s, value = 0, k = 0;
  bool is_taken[8] = {false};
  for (size_t i = 0; i < star->count; i++) k += subset >> i & 1;
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_scow_worker *worker = &star->items[i];
    if (!(subset >> i & 1)) continue;
    if (!(ls_scow_chunk(worker, period_s) > 0)) return 0;
    left_s -= worker->link.latency_s;
    value += worker->link.latency_s / period_s + worker->compute.latency_s / (k * period_s);
  }
  if (left_s < 0) return 0;
  for (size_t turn = 0; turn < star->count; turn++) {
    size_t best = star->count;
    double best_gain = 0;
    for (size_t i = 0; i < star->count; i++) {
      const struct ls_scow_worker *worker = &star->items[i];
      double gain = 1 + worker->compute.per_unit_s / (k * worker->link.per_unit_s);
      if (!(subset >> i & 1) || is_taken[i] || !(gain > best_gain)) continue;
      best = i;
      best_gain = gain;
    }
    if (best == star->count) break;
    const struct ls_scow_worker *worker = &star->items[best];
    double chunk = fmin(ls_scow_chunk(worker, period_s), left_s / worker->link.per_unit_s);
    is_taken[best] = true;
    left_s -= chunk * worker->link.per_unit_s;
    value +=
        chunk * (worker->link.per_unit_s / period_s + worker->compute.per_unit_s / (k * period_s));
  }
  return value;
}

static void the_best_is_that_of_all_subsets(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "utilization");
  for (int turn = 0; turn < 40; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    struct ls_budget budget = {0};
    double units[8], best = 0;
    struct ls_scow_utilization found = {.units = units};
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 6);
    scow_star(&platform, &star);
    double period_s = star_draw(&random, 0.1, 4);
    assert_int_equal(ls_scow_utilize(&star, period_s, &budget, &found, NULL), LS_OK);
    for (unsigned subset = 1; subset < 1U << star.count; subset++)
      best = fmax(best, utilize_subset(&star, subset, period_s));
    expect_near(found.value, best, 1e-7);
    assert_true(found.value <= 2 + 1e-9);
    if (star.is_identical)
      assert_true(ls_scow_utilize_by_rule(star.items, star.count, period_s) <= best + 1e-9);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

/* The printed rule is up to 0.2 % low where the partial worker gets nothing. */
static void six_that_share_beat_five_that_are_full(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_budget budget = {0};
  double units[8];
  struct ls_scow_utilization found = {.units = units};
  (void)state;
  scow_grid(&platform, 8, (struct ls_cost){1, 0.5}, (struct ls_cost){10, 1});
  scow_star(&platform, &star);
  assert_int_equal(ls_scow_utilize(&star, 12.9, &budget, &found, NULL), LS_OK);
  expect_near(found.value, 1.9534883720930232, 1e-12);
  expect_near(ls_scow_utilize_by_rule(star.items, 8, 12.9), 1.949612403100775, 1e-12);
  assert_true(units[5] > 0 && units[6] <= 0);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

static bool stop_at_once(void *context) {
  (void)context;
  return true;
}

static void the_clock_stops_the_search(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_scow_star star;
  double units[8];
  (void)state;
  ls_random_init(&random, 1, "clock");
  scow_open(&platform, &random, (enum scow_kind)2, 8);
  scow_star(&platform, &star);
  assert_false(star.is_identical);
  struct ls_budget budget = {.stop = stop_at_once};
  struct ls_scow_utilization found = {.units = units};
  assert_int_equal(ls_scow_utilize(&star, 10, &budget, &found, NULL), LS_OK);
  assert_true(budget.is_stopped);
  assert_true(found.value <= 0);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_clock_stops_the_search),
      cmocka_unit_test(the_best_is_that_of_all_subsets),
      cmocka_unit_test(six_that_share_beat_five_that_are_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
