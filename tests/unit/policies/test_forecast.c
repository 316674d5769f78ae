#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "policies/forecast.h"

static void observe(struct ls_forecast *forecast, size_t times, double seconds) {
  for (size_t i = 0; i < times; i++) ls_forecast_observe(forecast, seconds);
}

static void nothing_is_known_at_first(void **state) {
  (void)state;
  const struct ls_forecast forecast = {0};
  assert_true(isnan(ls_forecast_seconds(&forecast)));
  assert_int_equal(ls_forecast_length(&forecast), 20);
}

/* All lengths forecast alike: the thesis' own stays. */
static void constant_times_change_nothing(void **state) {
  (void)state;
  struct ls_forecast forecast = {0};
  for (int i = 0; i < 300; i++) {
    ls_forecast_observe(&forecast, 0.1);
    assert_int_equal(ls_forecast_length(&forecast), 20);
    assert_true(ls_forecast_seconds(&forecast) == 0.1);
  }
}

/* A speed that changes every 20 units: the last time alone is right 19 times of 20. */
static void stepped_times_choose_the_last_one(void **state) {
  (void)state;
  struct ls_forecast forecast = {0};
  for (int step = 0; step < 10; step++) observe(&forecast, 20, step % 2 == 0 ? 1 : 2);
  assert_int_equal(ls_forecast_length(&forecast), 1);
  observe(&forecast, 1, 7);
  assert_true(ls_forecast_seconds(&forecast) == 7);
}

/* Times that vary and mean the same: the more of them the better. */
static void noisy_times_choose_many(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_forecast forecast = {0};
  int many = 0;
  ls_random_init(&random, 5, "noise");
  for (int i = 0; i < 2000; i++) {
    ls_forecast_observe(&forecast, 0.5 + ls_random_real(&random));
    many += i >= 200 && ls_forecast_length(&forecast) >= 10;
  }
  assert_true(many > 1800 * 8 / 10);
  assert_true(fabs(ls_forecast_seconds(&forecast) - 1) < 0.2);
}

/* The one long step of a worker that others begin to use is forgotten 50 forecasts later. */
static void the_choice_follows_what_the_times_do_now(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_forecast forecast = {0};
  ls_random_init(&random, 6, "noise");
  observe(&forecast, 60, 1);
  assert_int_equal(ls_forecast_length(&forecast), 20);
  observe(&forecast, 10, 3);
  assert_int_equal(ls_forecast_length(&forecast), 1);
  for (int i = 0; i < 300; i++) ls_forecast_observe(&forecast, 0.5 + ls_random_real(&random));
  assert_true(ls_forecast_length(&forecast) >= 10);
}

/* Another length must be 2 % better, once there are 50 forecasts, by the rule itself over random
 * times: a second computation that keeps all times and all errors. */
static void the_choice_is_that_of_the_rule(void **state) {
  (void)state;
  enum { TIMES = 600, LENGTHS = 6, ERRORS = 50 };
  static const size_t lengths[LENGTHS] = {1, 2, 5, 10, 20, 50};
  static double times[TIMES], errors[LENGTHS][TIMES];
  struct ls_random random;
  struct ls_forecast forecast = {0};
  size_t chosen = 4, changes = 0;
  double level = 1;
  ls_random_init(&random, 7, "walk");
  for (size_t n = 0; n < TIMES; n++) {
    if (ls_random_below(&random, 40) == 0) level = 0.2 + 3 * ls_random_real(&random);
    times[n] = level * (0.8 + 0.4 * ls_random_real(&random));
    double mean_errors[LENGTHS] = {0};
    for (size_t i = 0; n > 0 && i < LENGTHS; i++) {
      size_t from = n > lengths[i] ? n - lengths[i] : 0, first = n > ERRORS ? n + 1 - ERRORS : 1;
      double sum = 0;
      for (size_t k = from; k < n; k++) sum += times[k];
      errors[i][n] = fabs(sum / (double)(n - from) - times[n]);
      for (size_t k = first; k <= n; k++) mean_errors[i] += errors[i][k];
    }
    size_t before = chosen;
    for (size_t i = 0; n >= ERRORS && i < LENGTHS; i++) {
      double to_beat = chosen == before ? 0.98 * mean_errors[before] : mean_errors[chosen];
      if (mean_errors[i] < to_beat * (1 - 1e-12)) chosen = i;
    }
    changes += chosen != before;
    ls_forecast_observe(&forecast, times[n]);
    assert_int_equal(ls_forecast_length(&forecast), lengths[chosen]);
  }
  assert_true(changes > 5);
}

/* A choice after a few times would be one by chance. */
static void too_few_forecasts_choose_nothing(void **state) {
  (void)state;
  struct ls_forecast forecast = {0};
  for (int i = 0; i < LS_FORECAST_ERRORS; i++) {
    ls_forecast_observe(&forecast, i < 25 ? 1 : 2);
    assert_int_equal(ls_forecast_length(&forecast), 20);
  }
  ls_forecast_observe(&forecast, 2);
  assert_int_equal(ls_forecast_length(&forecast), 1);
}

/* And times of hardly less than a double holds. */
static void tiny_times_do_no_harm(void **state) {
  (void)state;
  struct ls_forecast forecast = {0};
  for (int i = 0; i < 200; i++) ls_forecast_observe(&forecast, i % 3 == 0 ? 1e-9 : 1e300);
  assert_true(isfinite(ls_forecast_seconds(&forecast)));
  for (int i = 0; i < 60; i++) ls_forecast_observe(&forecast, 1);
  assert_true(ls_forecast_seconds(&forecast) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_known_at_first),
      cmocka_unit_test(constant_times_change_nothing),
      cmocka_unit_test(stepped_times_choose_the_last_one),
      cmocka_unit_test(noisy_times_choose_many),
      cmocka_unit_test(the_choice_follows_what_the_times_do_now),
      cmocka_unit_test(the_choice_is_that_of_the_rule),
      cmocka_unit_test(too_few_forecasts_choose_nothing),
      cmocka_unit_test(tiny_times_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
