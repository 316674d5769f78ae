/* Setups of which no run can be made are refused by name. */
#include "support.h"

static void a_bad_platform_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  platform.workers[1].delay_s = -1;
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  assert_refused(&setup, "delay");
  setup.platform = NULL;
  assert_refused(&setup, "platform is missing");
  ls_platform_close(&platform);
}

static void a_missing_policy_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  setup.config.chunking = NULL;
  assert_refused(&setup, "chunking");
  ls_platform_close(&platform);
}

static void bad_changes_are_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  struct ls_simulated_change changes[2] = {{2, 1}, {1, 2}};
  setup.leave = changes;
  setup.leave_count = 1;
  assert_refused(&setup, "leave[0].worker is 2");
  changes[0] = (struct ls_simulated_change){1, (double)NAN};
  assert_refused(&setup, "leave[0].time");
  changes[0].time_s = 3;
  setup.leave_count = 2;
  assert_refused(&setup, "leave[1].worker is 1");
  setup.leave_count = 0;
  setup.join = changes;
  setup.join_count = 1;
  changes[0].time_s = -1;
  assert_refused(&setup, "join[0].time");
  ls_platform_close(&platform);
}

static void leaving_before_joining_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  struct ls_simulated_change leave = {1, 2}, join = {1, 2};
  setup.leave = &leave;
  setup.join = &join;
  setup.leave_count = setup.join_count = 1;
  assert_refused(&setup, "joins at 2");
  ls_platform_close(&platform);
}

static void bad_availability_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  struct ls_availability pieces[2] = {{1, 1}, {1, 0.5}};
  const struct ls_availability *availability[2] = {NULL, pieces};
  size_t counts[2] = {0, 2};
  setup.availability = availability;
  assert_refused(&setup, "availability_count");
  setup.availability_count = counts;
  assert_refused(&setup, "availability[1][1].from is 1");
  pieces[1] = (struct ls_availability){2, -0.5};
  assert_refused(&setup, "availability[1][1].share is -0.5");
  ls_platform_close(&platform);
}

static void bad_work_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 2);
  double work[2] = {1, (double)NAN};
  setup.task_work = work;
  assert_refused(&setup, "task_work[1]");
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bad_platform_is_refused),
      cmocka_unit_test(a_missing_policy_is_refused),
      cmocka_unit_test(bad_changes_are_refused),
      cmocka_unit_test(leaving_before_joining_is_refused),
      cmocka_unit_test(bad_availability_is_refused),
      cmocka_unit_test(bad_work_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
