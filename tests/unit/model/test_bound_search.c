#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/bound_search.h"

static double distance_to(void *context, double value) {
  return fabs(value - *(double *)context);
}

static void the_least_of_a_line_is_found(void **state) {
  (void)state;
  const double places[] = {0, 0.3, 1.9, 2};
  for (size_t i = 0; i < 4; i++) {
    double place = places[i];
    assert_true(fabs(ls_bound_least(distance_to, &place, 2, 40) - place) < 1e-7);
  }
}

/* |x - 0.7| + 3 |x + y - 1|: an edge, along which coordinates alone get stuck. */
static struct ls_bound_point edge(void *context, const double at[2]) {
  double near = at[0] - 0.7, across = at[0] + at[1] - 1;
  (void)context;
  return (struct ls_bound_point){fabs(near) + 3 * fabs(across),
                                 {copysign(1, near) + copysign(3, across), copysign(3, across)}};
}

static void the_least_of_a_plane_is_found(void **state) {
  (void)state;
  const double to[2] = {2, 5};
  double least[2];
  ls_bound_least_of_two(edge, NULL, to, 60, least);
  assert_true(fabs(least[0] - 0.7) < 1e-3 && fabs(least[1] - 0.3) < 1e-3);
}

static double square(void *context, double value) {
  (void)context;
  return value * value;
}

static double level(void *context, double value) {
  (void)context;
  return value * 0;
}

static void the_time_is_found_from_below(void **state) {
  (void)state;
  double time_s = ls_bound_time(square, NULL, 81, 0.01);
  assert_true(time_s <= 9 && time_s > 9 * (1 - 1e-11));
  assert_true(fabs(ls_bound_time(square, NULL, 81, 10) - 10) < 1e-12); /* reached before */
  assert_true(fabs(ls_bound_time(level, NULL, 81, 3) - 3) < 1e-12);    /* never */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_of_a_line_is_found),
      cmocka_unit_test(the_least_of_a_plane_is_found),
      cmocka_unit_test(the_time_is_found_from_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
