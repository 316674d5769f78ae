#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "fit_fixture.h"

/* The load is possible when some numbers of messages are at least and at most as much. */
static bool has_counts(const struct ls_platform *platform, double load) {
  const struct ls_worker_model *workers = platform->workers;
  for (int a = 0; a * workers[0].window_from <= load && a <= 60; a++)
    for (int b = 0; b * workers[1].window_from <= load && b <= 60; b++)
      for (int c = 0; c * workers[2].window_from <= load && c <= 60; c++) {
        double least =
            a * workers[0].window_from + b * workers[1].window_from + c * workers[2].window_from;
        double most =
            a * workers[0].window_to + b * workers[1].window_to + c * workers[2].window_to;
        if (least <= load && load <= most) return true;
      }
  return false;
}

/* Windows of exactly 10 and exactly 7 units: 27 is two of the one and one of the other. */
static void mixtures_of_windows_are_found(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 2);
  platform.workers[0].window_from = platform.workers[0].window_to = 10;
  platform.workers[1].window_from = platform.workers[1].window_to = 7;
  open_plan(&plan, (const double[]){14, 13}, 2);
  require_fitted(&plan, &platform, false);
  assert_int_equal(plan.chunks_count, 3);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Of three narrow windows, every load that is a sum of chunks gets them, and of no other the reason
 * says that some might have been found. */
static void a_load_is_refused_only_where_no_chunks_are_it(void **state) {
  struct ls_random random;
  size_t possible = 0, impossible = 0;
  (void)state;
  ls_random_init(&random, 2, "fit");
  for (int turn = 0; turn < 400; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double units[3];
    struct ls_error err;
    open_platform(&platform, 3);
    for (size_t i = 0; i < 3; i++) {
      double from = 6 + (double)ls_random_below(&random, 30);
      platform.workers[i].window_from = from;
      platform.workers[i].window_to = from + (double)ls_random_below(&random, 3);
      units[i] = (double)ls_random_below(&random, 30);
    }
    units[0] += 1;
    bool is_whole = turn % 2 == 0;
    open_plan(&plan, units, 3);
    bool has = has_counts(&platform, plan.load);
    if (ls_fit_replay(&plan, &platform, is_whole, &err) != LS_OK) fail_msg("%s", err.text);
    if (has != (plan.outcome == LS_PLAN_OK))
      fail_msg("turn %d: load %g, %s", turn, plan.load, plan.why);
    if (has && ls_validate_plan(&plan, &platform, &err) != LS_OK) fail_msg("%s", err.text);
    if (!has) assert_non_null(strstr(plan.why, "no other sizes are the load"));
    has ? possible++ : impossible++;
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(possible > 50 && impossible > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixtures_of_windows_are_found),
      cmocka_unit_test(a_load_is_refused_only_where_no_chunks_are_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
