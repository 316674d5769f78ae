/* Ends of work under speeds that change, solved exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "theory/speed.h"

#define assert_near(got, expected, tolerance)                                \
  do {                                                                       \
    double got_ = (got), expected_ = (expected);                             \
    if (!(fabs(got_ - expected_) <= (tolerance)*fmax(1.0, fabs(expected_)))) \
      fail_msg("%s is %.17g, expected %.17g", #got, got_, expected_);        \
  } while (0)

static double draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

static const struct ls_availability PIECES[] = {{2, 0.5}, {4, 0}, {5, 2}};

static void nominal_work_keeps_its_digits(void **state) {
  (void)state;
  struct ls_speed speed = {.factor = 1};
  assert_true(ls_speed_end(&speed, 0.1, 0.7) >= 0.1 + 0.7);
  assert_true(ls_speed_end(&speed, 0.1, 0.7) <= 0.1 + 0.7);
}

static void work_before_the_first_piece_runs_at_full_speed(void **state) {
  (void)state;
  struct ls_speed speed = {PIECES, 3, 1};
  assert_near(ls_speed_end(&speed, 0, 1.5), 1.5, 1e-15);
}

static void work_across_pieces_is_solved_in_each(void **state) {
  (void)state;
  struct ls_speed speed = {PIECES, 3, 1};
  /* 2 until 2 s, 1 until 4 s, nothing until 5 s, then 2 a second. */
  assert_near(ls_speed_end(&speed, 0, 2.5), 3, 1e-15);
  assert_near(ls_speed_end(&speed, 0, 3), 4, 1e-15);
  assert_near(ls_speed_end(&speed, 0, 5), 6, 1e-15);
  assert_near(ls_speed_end(&speed, 4.5, 1), 5.5, 1e-15);
}

static void a_share_of_zero_for_ever_never_ends(void **state) {
  (void)state;
  struct ls_speed speed = {PIECES, 2, 1};
  assert_true(isinf(ls_speed_end(&speed, 0, 3.5)));
  assert_near(ls_speed_end(&speed, 4.5, 0), 4.5, 0);
}

static void the_factor_applies_on_top(void **state) {
  (void)state;
  struct ls_speed speed = {PIECES, 1, 0.5};
  assert_near(ls_speed_end(&speed, 0, 1.5), 4, 1e-15);
}

static void end_and_work_are_inverse(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "speed");
  for (int round = 0; round < 1000; round++) {
    struct ls_availability pieces[5];
    double from_s = 0;
    for (size_t i = 0; i < 5; i++) {
      from_s += draw(&random, 0.1, 2);
      pieces[i] = (struct ls_availability){from_s, draw(&random, 0.1, 1.5)};
    }
    struct ls_speed speed = {pieces, 5, draw(&random, 0.2, 1)};
    double start_s = draw(&random, 0, 8), work_s = draw(&random, 0, 6);
    double end_s = ls_speed_end(&speed, start_s, work_s);
    assert_near(ls_speed_work(&speed, start_s, end_s), work_s, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nominal_work_keeps_its_digits),
      cmocka_unit_test(work_before_the_first_piece_runs_at_full_speed),
      cmocka_unit_test(work_across_pieces_is_solved_in_each),
      cmocka_unit_test(a_share_of_zero_for_ever_never_ends),
      cmocka_unit_test(the_factor_applies_on_top),
      cmocka_unit_test(end_and_work_are_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
