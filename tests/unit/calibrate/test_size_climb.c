/* Climbing task sizes on the test curve: the published best, second valleys, noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "calibrate/size_climb.h"

enum { SIZES = 11, BEST = 6 };
static const double sizes[SIZES] = {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

/* Seconds per pixel of s x s blocks with border 10. */
static double measure(size_t index) {
  double s = sizes[index], e = s + 20;
  return 1e-6 * (e > 90 ? 1.25 : 1) + 2e-8 * e * e / (s * s) + 2e-4 / (s * s);
}

static size_t climb_from(size_t start, struct ls_random *noise, size_t *measurements) {
  struct ls_size_climb climb;
  size_t index;
  ls_size_climb_init(&climb, SIZES, start, 0);
  *measurements = 0;
  while (ls_size_climb_next(&climb, &index)) {
    double seconds = measure(index);
    if (noise != NULL) {
      double mean = 0;
      for (int i = 0; i < 5; i++) mean += (1 + 0.05 * (2 * ls_random_real(noise) - 1)) / 5;
      seconds *= mean;
    }
    assert_true(++*measurements <= SIZES);
    ls_size_climb_measured(&climb, index, seconds);
  }
  return climb.at;
}

static void the_best_size_is_found_from_the_small_end(void **state) {
  size_t measurements;
  (void)state;
  assert_int_equal(climb_from(0, NULL, &measurements), BEST);
  assert_int_equal(measurements, 8);
}

static void a_second_valley_holds_the_climb(void **state) {
  size_t measurements;
  (void)state;
  assert_int_equal(climb_from(SIZES - 1, NULL, &measurements), SIZES - 1);
  assert_int_equal(measurements, 2);
}

static void noise_moves_the_end_by_one_step_at_most(void **state) {
  size_t near = 0, measurements;
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct ls_random noise;
    ls_random_init(&noise, seed, "measurements");
    size_t end = climb_from(0, &noise, &measurements);
    near += end + 1 >= BEST && end <= BEST + 1;
  }
  assert_true(near >= 95);
}

static void a_plateau_ends_the_climb_and_tolerance_makes_one(void **state) {
  struct ls_size_climb climb;
  size_t index;
  (void)state;
  ls_size_climb_init(&climb, 3, 1, 0.1);
  const double seconds[] = {1.0, 1.05, 1.02};
  while (ls_size_climb_next(&climb, &index)) ls_size_climb_measured(&climb, index, seconds[index]);
  assert_int_equal(climb.at, 1);
  ls_size_climb_init(&climb, 1, 0, 0);
  assert_true(ls_size_climb_next(&climb, &index));
  ls_size_climb_measured(&climb, 0, (double)INFINITY);
  assert_false(ls_size_climb_next(&climb, &index));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_size_is_found_from_the_small_end),
      cmocka_unit_test(a_second_valley_holds_the_climb),
      cmocka_unit_test(noise_moves_the_end_by_one_step_at_most),
      cmocka_unit_test(a_plateau_ends_the_climb_and_tolerance_makes_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
