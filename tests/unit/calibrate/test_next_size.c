#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/next_size.h"
#include "measured_fixture.h"

enum { NEXT = 6 };

/* All chunks of 100 units: what tells latency and rate apart is far away from there. */
static void after_one_size_another_one_is_worth_most(void **state) {
  (void)state;
  double units[30], seconds[30], sizes[NEXT];
  struct ls_random random;
  struct ls_affine_fit fit;
  ls_random_init(&random, 1, "sizes");
  for (size_t i = 0; i < 30; i++) {
    units[i] = 100;
    seconds[i] =
        measure_law(&(struct ls_cost){0.5, 0.01}, 100, &(struct noise){0.02, 0, 0}, &random);
  }
  struct ls_points points = {units, seconds, 30};
  assert_int_equal(ls_affine_fit(&points, &fit, NULL), LS_OK);
  struct ls_size_range range = ls_size_range_around(&fit, true);
  assert_true(range.least >= 10 && range.least <= 10 && range.most >= 1000);
  ls_next_sizes(&points, &fit, &range, sizes, NEXT);
  assert_true(sizes[0] <= 20 || sizes[0] >= 500);
  for (size_t i = 0; i < NEXT; i++) {
    assert_true(sizes[i] >= range.least && sizes[i] <= range.most);
    assert_true(fabs(sizes[i] - round(sizes[i])) <= 0);
  }
}

/* Of a line, its two ends tell most; so many measurements there as at random sizes tell more. */
static void chosen_sizes_leave_less_variance_than_random_ones(void **state) {
  (void)state;
  struct ls_affine_fit fit = {
      .law = {0.2, 0.01}, .noise_share = 0.02, .count = 1, .units_least = 1, .units_most = 1000};
  struct ls_points none = {NULL, NULL, 0};
  struct ls_size_range range = {1, 1000, false};
  struct noise noise = {0.02, 0, 0};
  double sizes[20], errors[2] = {0, 0};
  ls_next_sizes(&none, &fit, &range, sizes, 20);
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct ls_random random;
    ls_random_init(&random, seed, "designs");
    for (size_t design = 0; design < 2; design++) {
      double units[20], seconds[20], weights[20];
      for (size_t i = 0; i < 20; i++) {
        units[i] = design == 0 ? sizes[i] : 1 + 999 * ls_random_real(&random);
        seconds[i] = measure_law(&fit.law, units[i], &noise, &random);
        weights[i] = 1 / (seconds[i] * seconds[i]);
      }
      struct ls_points points = {units, seconds, 20};
      struct ls_cost law = ls_least_squares(&points, weights);
      for (double x = 1; x <= 1000; x *= 2) {
        double error = (law.latency_s + law.per_unit_s * x) / (0.2 + 0.01 * x) - 1;
        errors[design] += error * error;
      }
    }
  }
  assert_true(errors[0] < 0.5 * errors[1]);
}

static void a_range_of_one_size_gives_that_size(void **state) {
  (void)state;
  struct ls_affine_fit fit = {.law = {0.2, 0.01}, .count = 1};
  struct ls_points none = {NULL, NULL, 0};
  double sizes[2];
  ls_next_sizes(&none, &fit, &(struct ls_size_range){7, 7, true}, sizes, 2);
  assert_true(sizes[0] >= 7 && sizes[0] <= 7 && sizes[1] >= 7 && sizes[1] <= 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_one_size_another_one_is_worth_most),
      cmocka_unit_test(chosen_sizes_leave_less_variance_than_random_ones),
      cmocka_unit_test(a_range_of_one_size_gives_that_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
