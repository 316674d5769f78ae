/* The generator of task times: shares, laws within a group, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "theory/workload.h"

static void the_large_fifth_carries_its_share(void **state) {
  (void)state;
  for (size_t tasks = 3; tasks <= 300; tasks += 33) {
    for (int kind = 0; kind < 4; kind++) {
      double work[300], large = 0, total = 0;
      struct ls_workload workload = {tasks, 70, kind & 1, kind & 2, 100};
      assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
      size_t count = (size_t)floor(0.2 * (double)tasks + 0.5);
      for (size_t i = 0; i < tasks; i++) {
        assert_true(work[i] > 0);
        if (i < count) large += work[i];
        total += work[i];
      }
      assert_true(fabs(large - 70) < 1e-9);
      assert_true(fabs(total - 100) < 1e-9);
    }
  }
}

static void different_times_grow_as_one_two_three(void **state) {
  double work[10];
  struct ls_workload workload = {10, 30, true, false, 30};
  (void)state;
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  assert_true(fabs(work[1] - 2 * work[0]) < 1e-12);
  for (size_t i = 3; i < 10; i++) assert_true(fabs(work[i] - work[2]) < 1e-12);
}

/* nint(0.2 * 2) is 0: no task could carry the share. */
static void a_group_without_tasks_leaves_its_share_to_the_other(void **state) {
  double work[2];
  struct ls_workload workload = {2, 80, false, false, 10};
  (void)state;
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  assert_true(fabs(work[0] + work[1] - 10) < 1e-12);
}

static void impossible_workloads_are_refused_by_field(void **state) {
  double work[1];
  struct ls_error err = {0};
  struct ls_workload none = {0, 30, true, true, 100}, over = {1, 101, true, true, 100},
                     empty = {1, 30, true, true, 0}, unknown = {1, (double)NAN, true, true, 1};
  (void)state;
  assert_int_equal(ls_workload_make(&none, work, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tasks is 0"));
  assert_int_equal(ls_workload_make(&over, work, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "share_percent is 101"));
  assert_int_equal(ls_workload_make(&empty, work, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "total is 0"));
  assert_int_equal(ls_workload_make(&unknown, work, &err), LS_EINVAL);
}

static void variation_stays_within_its_limits(void **state) {
  (void)state;
  assert_true(fabs(ls_workload_vary(10, 0, 0.3) - 10) < 1e-12);
  assert_true(fabs(ls_workload_vary(10, 0.3, 0) - 7) < 1e-12);
  assert_true(ls_workload_vary(10, 0.3, 0.999999) < 13);
  /* A deviation of 1 would make a task last nothing. */
  assert_true(fabs(ls_workload_vary(10, 1, 0) - 0.01) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_large_fifth_carries_its_share),
      cmocka_unit_test(different_times_grow_as_one_two_three),
      cmocka_unit_test(a_group_without_tasks_leaves_its_share_to_the_other),
      cmocka_unit_test(impossible_workloads_are_refused_by_field),
      cmocka_unit_test(variation_stays_within_its_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
