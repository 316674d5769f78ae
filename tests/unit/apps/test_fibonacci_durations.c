/* Durations of units: even, on a ramp, and workloads, which vary as those of the simulator do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "durations.h"

enum { TASKS = 28, ITERATIONS = 5 };

static void assert_near(double got, double expected) {
  if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
    fail_msg("%.17g is not %.17g", got, expected);
}

static void units_last_alike_or_on_a_ramp(void **state) {
  struct durations durations = {.units = 5, .seconds = 2, .ramp = 3};
  (void)state;
  assert_int_equal(durations_open(&durations, NULL), LS_OK);
  for (uint64_t unit = 0; unit < 5; unit++)
    assert_near(durations_find(&durations, 7, unit), 2 * (1 + 3 * (double)unit / 4));
  durations_close(&durations);
  struct durations one = {.units = 1, .seconds = 2, .ramp = 3};
  assert_int_equal(durations_open(&one, NULL), LS_OK);
  assert_near(durations_find(&one, 0, 0), 2);
  durations_close(&one);
}

static void open_workload(const char *text, double variation, uint64_t seed,
                          struct durations *durations) {
  *durations = (struct durations){.units = 3, .variation = variation, .seed = seed};
  assert_int_equal(durations_read_workload(text, &durations->workload, NULL), LS_OK);
  assert_int_equal(durations_open(durations, NULL), LS_OK);
  assert_int_equal(durations->units, TASKS);
}

static void a_workload_has_its_total_and_its_large_tasks(void **state) {
  struct durations durations;
  double all = 0, large = 0;
  (void)state;
  open_workload("28,50,1,0,14", 0, 0, &durations);
  for (uint64_t unit = 0; unit < TASKS; unit++) {
    double seconds = durations_find(&durations, 0, unit);
    all += seconds;
    if (unit < 6) large += seconds; /* the fifth of 28, to the nearest */
  }
  assert_near(all, 14);
  assert_near(large, 7);
  assert_near(durations_find(&durations, 2, 5), 6 * durations_find(&durations, 1, 0));
  assert_near(durations_find(&durations, 0, 27), 7.0 / 22);
  durations_close(&durations);
}

static void units_last_as_told_one_by_one(void **state) {
  struct durations durations = {.units = 100, .variation = 0.5, .seed = 3};
  (void)state;
  assert_int_equal(durations_read_list("7", &durations, NULL), LS_OK);
  assert_int_equal(durations_read_list("0.5,0,2e1", &durations, NULL), LS_OK);
  assert_int_equal(durations_open(&durations, NULL), LS_OK);
  assert_int_equal(durations.units, 3);
  assert_near(durations_find(&durations, 4, 1), 0);
  assert_true(fabs(durations_find(&durations, 4, 2) - 20) <= 10);
  durations.variation = 0;
  assert_near(durations_find(&durations, 5, 0), 0.5);
  static const char *const bad[][2] = {
      {"", "number 1"}, {"1,", "number 2"}, {"1,x,2", "number 2"}, {"1,-1", "number 2"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_error err = {0};
    assert_int_equal(durations_read_list(bad[i][0], &durations, &err), LS_EINVAL);
    if (strstr(err.text, bad[i][1]) == NULL) fail_msg("%s: %s", bad[i][0], err.text);
    assert_int_equal(durations.units, 3);
  }
  durations_close(&durations);
}

/* Of iterations in any order, each has the draws that the simulator makes for it. */
static void times_vary_as_simulated_ones_do(void **state) {
  static const uint32_t visited[] = {0, 1, 4, 2, 2, 0, 3};
  struct durations durations;
  struct ls_random random;
  double usual[TASKS], expected[ITERATIONS][TASKS];
  struct ls_workload workload = {
      .tasks = TASKS, .share_percent = 30, .large_differ = true, .small_differ = true, .total = 28};
  (void)state;
  assert_int_equal(ls_workload_make(&workload, usual, NULL), LS_OK);
  ls_random_init(&random, 11, "workload");
  for (size_t k = 0; k < ITERATIONS; k++) {
    for (size_t i = 0; i < TASKS; i++)
      expected[k][i] = ls_workload_vary(usual[i], 0.3, ls_random_real(&random));
  }
  open_workload("28,30,1,1,28", 0.3, 11, &durations);
  for (size_t i = 0; i < sizeof visited / sizeof *visited; i++) {
    for (uint64_t unit = TASKS; unit-- > 0;)
      assert_near(durations_find(&durations, visited[i], unit), expected[visited[i]][unit]);
  }
  durations_close(&durations);
}

static void even_units_vary_too(void **state) {
  struct durations durations = {.units = 50, .seconds = 2, .variation = 0.5, .seed = 3};
  double least = 10, most = 0;
  (void)state;
  assert_int_equal(durations_open(&durations, NULL), LS_OK);
  for (uint64_t unit = 0; unit < 50; unit++) {
    least = fmin(least, durations_find(&durations, 0, unit));
    most = fmax(most, durations_find(&durations, 0, unit));
  }
  assert_true(least >= 1 && least < 1.3 && most > 2.7 && most <= 3);
  durations_close(&durations);
}

static void bad_workloads_are_named(void **state) {
  static const char *const bad[][2] = {{"", "TASKS"},
                                       {"28", "TASKS"},
                                       {"0,50,1,1,28", "TASKS"},
                                       {"2.5,50,1,1,28", "TASKS"},
                                       {"28,101,1,1,28", "W, a percentage"},
                                       {"28,nan,1,1,28", "W, a percentage"},
                                       {"28,50,2,1,28", "LARGE"},
                                       {"28,50,1,x,28", "SMALL"},
                                       {"28,50,1,1,0", "TOTAL"},
                                       {"28,50,1,1,inf", "TOTAL"},
                                       {"28,50,1,1,28,", "TOTAL"}};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_workload workload = {.tasks = 7};
    struct ls_error err = {0};
    assert_int_equal(durations_read_workload(bad[i][0], &workload, &err), LS_EINVAL);
    assert_int_equal(workload.tasks, 7);
    if (strstr(err.text, bad[i][1]) == NULL) fail_msg("%s: %s", bad[i][0], err.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_last_alike_or_on_a_ramp),
      cmocka_unit_test(a_workload_has_its_total_and_its_large_tasks),
      cmocka_unit_test(units_last_as_told_one_by_one),
      cmocka_unit_test(times_vary_as_simulated_ones_do),
      cmocka_unit_test(even_units_vary_too),
      cmocka_unit_test(bad_workloads_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
