/* A process knows for how long it was stopped, from its looks at the clock and from SIGCONT. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/os/standstill.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-9;
}

static struct ls_stop look(struct ls_standstill *standstill, double now_s, double due_s,
                           int continuations) {
  const struct ls_standstill_look look = {now_s, due_s, (double)NAN, continuations};
  return ls_standstill_look(standstill, &look);
}

static void a_stop_began_between_a_look_and_the_next(void **state) {
  struct ls_standstill standstill = {0};
  (void)state;
  (void)look(&standstill, 10, 10.02, 0);
  struct ls_stop stop = look(&standstill, 13, 13.02, 1);
  assert_true(is_near(stop.seconds, 2.99) && is_near(stop.slack_s, 0.01));
  /* It is told once. */
  assert_true(is_near(look(&standstill, 13.02, 13.04, 1).seconds, 0));
}

/* A machine that is busy is late, too. */
static void lateness_without_a_continuation_is_no_stop(void **state) {
  struct ls_standstill standstill = {0};
  (void)state;
  (void)look(&standstill, 10, 10.02, 4);
  assert_true(is_near(look(&standstill, 13, 13, 4).seconds, 0));
}

static void a_continuation_in_time_is_no_stop(void **state) {
  struct ls_standstill standstill = {0};
  (void)state;
  (void)look(&standstill, 10, 10.02, 0);
  assert_true(is_near(look(&standstill, 10.01, 10.03, 1).seconds, 0));
}

/* Behind the stop it had to wait for a processor as everybody. */
static void a_wait_for_a_processor_is_none_of_the_stop(void **state) {
  struct ls_standstill standstill = {0};
  (void)state;
  assert_true(ls_standstill_needs_delay(&standstill, 10, 0));
  (void)ls_standstill_look(&standstill, &(struct ls_standstill_look){10, 10.02, 4, 0});
  assert_false(ls_standstill_needs_delay(&standstill, 10.01, 0));
  assert_true(ls_standstill_needs_delay(&standstill, 10.01, 1));
  assert_true(ls_standstill_needs_delay(&standstill, 10.02, 0));
  struct ls_stop stop =
      ls_standstill_look(&standstill, &(struct ls_standstill_look){13, 13, 4.5, 1});
  assert_true(is_near(stop.seconds, 2.49));
}

static void looks_are_a_hundredth_of_what_runs_apart(void **state) {
  struct ls_standstill standstill = {0};
  (void)state;
  ls_standstill_begin(&standstill, 5);
  assert_true(is_near(ls_standstill_patience_s(&standstill, 5), 0.02));
  assert_true(is_near(ls_standstill_patience_s(&standstill, 15), 0.1));
  assert_true(is_near(ls_standstill_patience_s(&standstill, 5000), 1));
  ls_standstill_begin(&standstill, 5000);
  assert_true(is_near(ls_standstill_patience_s(&standstill, 5000), 0.02));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stop_began_between_a_look_and_the_next),
      cmocka_unit_test(lateness_without_a_continuation_is_no_stop),
      cmocka_unit_test(a_continuation_in_time_is_no_stop),
      cmocka_unit_test(a_wait_for_a_processor_is_none_of_the_stop),
      cmocka_unit_test(looks_are_a_hundredth_of_what_runs_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
