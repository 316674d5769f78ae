/* test_compare_ways.c: what a front tries where nothing is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "cli/compare_ways.h"

static struct capture capture;

static void planners_that_ask_others_are_tried_only_when_named(void **state) {
  (void)state;
  assert_true(ls_front_tries(ls_planner_find("umr")));
  assert_true(ls_front_tries(ls_planner_find("one-round")));
  assert_false(ls_front_tries(ls_planner_find("best")));
  assert_false(ls_front_tries(ls_planner_find("lp")));
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"2x(compute=1x, transfer=0.1x)",
          (char *)"-l", (char *)"9", (char *)"--front");
  assert_int_equal(capture.exit_status, 0);
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"2x(compute=1x, transfer=0.1x)",
          (char *)"-l", (char *)"9", (char *)"--front", (char *)"-a", (char *)"lp:2");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "lp:2"));
}

/* Each order of each policy is a way of its own. */
static void orders_stand_beside_policies(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"2x(compute=1x)", (char *)"-l",
          (char *)"9", (char *)"--front", (char *)"--policies=ss", (char *)"--order=fifo,random",
          (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "\"ss, fifo\""));
  assert_non_null(strstr(capture.output, "\"tried\": 4,"));
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"2x(compute=1x)", (char *)"-l",
          (char *)"9", (char *)"--front", (char *)"--policies=ss", (char *)"--and-platform",
          (char *)"3x(compute=1x)");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--front goes with one platform"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planners_that_ask_others_are_tried_only_when_named),
      cmocka_unit_test(orders_stand_beside_policies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
