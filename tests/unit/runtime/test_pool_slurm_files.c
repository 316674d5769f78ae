/* The files of a pool of jobs. */
#include "pool_slurm_fixture.h"

static void the_log_of_a_failed_job_is_kept_and_shown(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  char log[200];
  (void)snprintf(log, sizeof log, "loadstar-%s/7_1.log", keys.run);
  write_text(log, "one\ntwo\nthree\nno such\033 file\n");
  write_text("queue", "7_1 FAILED 0:01 N/A NonZeroExitCode\n");
  ls_pool_slurm.request(pool, 2);
  for (double until_s = ls_clock_s() + 60; warnings[0] == '\0' && ls_clock_s() < until_s;) {
    struct ls_pool_news news;
    (void)ls_pool_slurm.poll(pool, &news);
    (void)poll(NULL, 0, 5);
  }
  assert_non_null(strstr(warnings, "job 7_1: FAILED, NonZeroExitCode"));
  assert_non_null(strstr(warnings, "two\nthree\nno such? file"));
  assert_null(strstr(warnings, "one\n"));
  ls_pool_slurm.close(pool, 0);
  assert_int_equal(access(name(log), F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {IN_FOLDER(the_log_of_a_failed_job_is_kept_and_shown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
