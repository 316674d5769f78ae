/* Which trend the times of units have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/time_trend.h"

enum { WORKERS = 3, UNITS = 400 };

/* Half of a run of UNITS is recorded. `law` says the seconds of a unit. */
static void record_half(struct ls_time_record *record, double noise,
                        double (*law)(size_t worker, double order, double begin_s)) {
  struct ls_random random;
  double free_s[WORKERS] = {0}, order[WORKERS] = {0};
  ls_random_init(&random, 7, "trend");
  for (size_t i = 0; i < UNITS / 2; i++) {
    size_t worker = 0;
    for (size_t k = 1; k < WORKERS; k++)
      if (free_s[k] < free_s[worker]) worker = k;
    double seconds =
        law(worker, order[worker] / UNITS, free_s[worker]) * exp(noise * ls_trend_normal(&random));
    free_s[worker] += seconds;
    ls_time_record_add(record, (uint32_t)worker, 1, seconds, free_s[worker]);
    order[worker] = (double)(i + 1);
  }
}

static double steady(size_t worker, double order, double begin_s) {
  (void)order, (void)begin_s;
  return 1 + (double)worker;
}
static double ramp(size_t worker, double order, double begin_s) {
  (void)worker, (void)begin_s;
  return 1 + 2 * order;
}
static double drift(size_t worker, double order, double begin_s) {
  (void)order;
  return 1 / (worker == 1 ? 1 - begin_s / 200 : 1);
}

static void without_a_trend_the_levels_of_workers_are_found(void **state) {
  struct ls_time_record record = {.count = 0};
  struct ls_time_trend trend;
  struct ls_trend_draw draw;
  (void)state;
  record_half(&record, 0.1, steady);
  ls_time_trend_fit(&record, UNITS, &trend);
  assert_true(trend.probability[LS_TREND_NONE] > 0.9);
  assert_true(fabs(sqrt(trend.variance) - 0.1) < 0.03);
  ls_time_trend_centre(&trend, LS_TREND_NONE, &draw);
  for (size_t i = 0; i < WORKERS; i++)
    assert_true(fabs(ls_trend_draw_log(&draw, i, 0, 0) - log(1 + (double)i)) < 0.05);
  ls_time_record_close(&record);
}

static void a_ramp_is_found_and_goes_on(void **state) {
  struct ls_time_record record = {.count = 0};
  struct ls_time_trend trend;
  struct ls_trend_draw draw;
  (void)state;
  record_half(&record, 0.02, ramp);
  ls_time_trend_fit(&record, UNITS, &trend);
  assert_true(trend.probability[LS_TREND_ORDER] > 0.9);
  assert_true(fabs(trend.ramp - log(3.0)) < 0.1);
  ls_time_trend_centre(&trend, LS_TREND_ORDER, &draw);
  assert_true(fabs(exp(ls_trend_draw_log(&draw, 0, 0.9 * UNITS, 0)) - 2.8) < 0.1);
  ls_time_record_close(&record);
}

static void a_speed_that_drifts_is_found_at_its_worker(void **state) {
  struct ls_time_record record = {.count = 0};
  struct ls_time_trend trend;
  (void)state;
  record_half(&record, 0.02, drift);
  ls_time_trend_fit(&record, UNITS, &trend);
  assert_true(trend.probability[LS_TREND_OWN] > 0.9);
  assert_true(trend.workers[LS_TREND_OWN][1].slope > 0.3);
  assert_true(fabs(trend.workers[LS_TREND_OWN][0].slope) < 0.05);
  ls_time_record_close(&record);
}

/* It is the speed that changes evenly, not the logarithm of the time. */
static void a_speed_that_falls_to_half_is_found_exactly(void **state) {
  struct ls_time_record record = {.count = 0};
  struct ls_time_trend trend;
  struct ls_trend_draw draw;
  (void)state;
  record_half(&record, 0.001, drift);
  ls_time_trend_fit(&record, UNITS, &trend);
  ls_time_trend_centre(&trend, LS_TREND_OWN, &draw);
  for (double at_s = 0; at_s <= 150; at_s += 50)
    assert_true(fabs(ls_trend_draw_log(&draw, 1, 0, at_s) - log(drift(1, 0, at_s))) < 0.005);
  ls_time_record_close(&record);
}

/* Draws differ as the deviations say, and stand around the most probable course. */
static void draws_stand_around_the_centre(void **state) {
  struct ls_time_record record = {.count = 0};
  struct ls_time_trend trend;
  struct ls_random random;
  (void)state;
  record_half(&record, 0.05, ramp);
  ls_time_trend_fit(&record, UNITS, &trend);
  ls_random_init(&random, 1, "draws");
  for (int kind = 0; kind < LS_TRENDS; kind++) {
    struct ls_trend_draw centre, draw;
    double sum = 0;
    enum { DRAWS = 400 };
    ls_time_trend_centre(&trend, (enum ls_trend)kind, &centre);
    for (size_t i = 0; i < DRAWS; i++) {
      ls_time_trend_draw(&trend, (enum ls_trend)kind, &random, &draw);
      sum += ls_trend_draw_log(&draw, 0, UNITS / 4.0, 60) / DRAWS;
    }
    assert_true(fabs(sum - ls_trend_draw_log(&centre, 0, UNITS / 4.0, 60)) < 0.05);
  }
  ls_time_record_close(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_trend_the_levels_of_workers_are_found),
      cmocka_unit_test(a_ramp_is_found_and_goes_on),
      cmocka_unit_test(a_speed_that_drifts_is_found_at_its_worker),
      cmocka_unit_test(a_speed_that_falls_to_half_is_found_exactly),
      cmocka_unit_test(draws_stand_around_the_centre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
