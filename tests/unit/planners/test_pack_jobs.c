#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"
#include "planners/pack/pack_jobs.h"

static void expect_jobs(const double *seconds, size_t tasks, double room_s,
                        const struct ls_pack_jobs *jobs) {
  double work[TASKS_MAX] = {0};
  for (size_t i = 0; i < tasks; i++) {
    assert_true(jobs->job_of[i] < jobs->jobs);
    work[jobs->job_of[i]] += seconds[i];
  }
  for (size_t k = 0; k < jobs->jobs; k++) {
    assert_true(fabs(work[k] - jobs->seconds[k]) < 1e-9);
    if (k >= jobs->too_long) assert_true(work[k] <= room_s * (1 + 1e-8));
  }
  assert_true(jobs->least <= jobs->jobs);
}

static void no_job_is_longer_than_its_room(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  struct ls_pack_jobs jobs;
  const struct ls_budget budget = {.work_max = 200000};
  ls_random_init(&random, 9, "cases");
  for (int i = 0; i < 100; i++) {
    size_t tasks = 1 + ls_random_below(&random, TASKS_MAX);
    draw_case(&drawn, &random, tasks, 1, false);
    double room_s = 2 + 10 * ls_random_real(&random);
    assert_int_equal(ls_pack_jobs_make(drawn.seconds, tasks, room_s, &budget, &jobs), LS_OK);
    expect_jobs(drawn.seconds, tasks, room_s, &jobs);
    /* First fit decreasing is at most 11/9 of the fewest and 6/9 of a job away. */
    assert_true((double)jobs.jobs <= 11.0 / 9 * (double)(jobs.least) + 1.7 || !jobs.is_optimal);
    ls_pack_jobs_close(&jobs);
  }
}

/* First fit decreasing takes three jobs of 10 for these; the search finds two. */
static void a_search_finds_fewer(void **state) {
  (void)state;
  const double seconds[] = {4, 4, 3, 3, 3, 3};
  struct ls_pack_jobs jobs;
  assert_int_equal(ls_pack_jobs_make(seconds, 6, 10, NULL, &jobs), LS_OK);
  assert_int_equal(jobs.jobs, 2);
  assert_true(jobs.is_optimal);
  expect_jobs(seconds, 6, 10, &jobs);
  ls_pack_jobs_close(&jobs);
}

static void what_has_no_room_is_a_job_of_its_own(void **state) {
  (void)state;
  const double seconds[] = {50, 20, 4, 3};
  struct ls_pack_jobs jobs;
  assert_int_equal(ls_pack_jobs_make(seconds, 4, 10, NULL, &jobs), LS_OK);
  assert_int_equal(jobs.too_long, 2);
  assert_int_equal(jobs.jobs, 3);
  ls_pack_jobs_close(&jobs);
  assert_int_equal(ls_pack_jobs_make(seconds, 2, 10, NULL, &jobs), LS_OK);
  assert_int_equal(jobs.jobs, 2);
  ls_pack_jobs_close(&jobs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_job_is_longer_than_its_room),
      cmocka_unit_test(a_search_finds_fewer),
      cmocka_unit_test(what_has_no_room_is_a_job_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
