#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "lab/studies/planning.h"

static void a_plan_gives_its_makespan_and_rounds(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_study_plan plan;
  struct ls_cost transfer = {0, 0.25}, compute = {0.5, 2};
  assert_int_equal(ls_study_identical(&platform, 1, transfer, compute, NULL), LS_OK);
  assert_int_equal(platform.workers_count, 1);
  /* One worker, one message: 10 * 0.25 + 0.5 + 10 * 2. */
  assert_int_equal(ls_study_plan(&platform, 10, "one-round", &plan, NULL), LS_OK);
  assert_true(fabs(plan.makespan_s - 23) < 1e-12);
  assert_int_equal(plan.rounds, 1);
  assert_int_equal(ls_study_plan(&platform, 10, "mi:3", &plan, NULL), LS_OK);
  assert_int_equal(plan.rounds, 3);
  assert_true(isnan(plan.predicted_s));
  ls_platform_close(&platform);
}

static void a_plan_tells_who_works_and_what_was_predicted(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_study_plan plan;
  /* The master sends as fast as two workers compute: the third and all others get nothing. */
  assert_int_equal(
      ls_study_identical(&platform, 9, (struct ls_cost){0.1, 1}, (struct ls_cost){0.1, 2}, NULL),
      LS_OK);
  assert_int_equal(ls_study_plan(&platform, 100, "scow-pwu", &plan, NULL), LS_OK);
  assert_true(plan.workers >= 1 && plan.workers <= 3);
  assert_true(fabs(plan.predicted_s - plan.makespan_s) < 0.02 * plan.makespan_s);
  ls_platform_close(&platform);
}

static void what_cannot_be_planned_says_why(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_study_plan plan;
  struct ls_error err = {0};
  struct ls_cost cost = {0, 1};
  assert_int_equal(ls_study_identical(&platform, 2, cost, cost, &err), LS_OK);
  assert_int_equal(ls_study_plan(&platform, 10, "no-such", &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no-such"));
  assert_int_equal(ls_study_plan(&platform, -1, "one-round", &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "load"));
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s =
      3; /* installments need identical workers */
  assert_int_equal(ls_study_plan(&platform, 10, "mi:2", &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "mi:2 does not apply"));
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_gives_its_makespan_and_rounds),
      cmocka_unit_test(a_plan_tells_who_works_and_what_was_predicted),
      cmocka_unit_test(what_cannot_be_planned_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
