#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "star_fixture.h"

/* What the analysis says is what the planner then does. */
static void the_rounds_are_those_of_umr(void **state) {
  struct ls_random random;
  size_t compared = 0;
  (void)state;
  ls_random_init(&random, 1, "rounds");
  for (int turn = 0; turn < 200; turn++) {
    struct ls_platform platform;
    struct ls_planner_reason why;
    struct ls_plan plan;
    star_open(&platform, &random, turn % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, 6);
    double load = star_draw(&random, 10, 1000);
    star_plan(&platform, load, "umr", &plan);
    json_t *findings = analyse_platform(&platform, load, "rounds", &why);
    assert_non_null(findings);
    if (plan.outcome == LS_PLAN_OK) {
      static const char *const names[] = {"theta", "rounds_real", "predicted_makespan"};
      for (size_t i = 0; i < 3; i++) {
        double planned = ls_plan_get(&plan, names[i], (double)NAN);
        if (isfinite(planned)) expect_number(findings, names[i], planned);
      }
      compared++;
    }
    json_decref(findings);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(compared > 100);
}

static void free_sending_has_no_number_of_rounds(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  assert_null(analyse_platform(&platform, 10, "rounds", &why));
  assert_non_null(strstr(why.text, "sending costs nothing"));
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rounds_are_those_of_umr),
      cmocka_unit_test(free_sending_has_no_number_of_rounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
