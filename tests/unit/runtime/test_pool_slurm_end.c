/* Nothing is left of a pool of jobs. */
#include "pool_slurm_fixture.h"

static void jobs_come_and_are_cancelled_in_the_end(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  char file[200], script[1000];
  (void)snprintf(file, sizeof file, "loadstar-%s/run.key", keys.run);
  struct stat facts;
  assert_int_equal(stat(name(file), &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0600);
  (void)snprintf(file, sizeof file, "loadstar-%s/job.sh", keys.run);
  (void)snprintf(script, sizeof script, "%s", read_text(file));
  assert_non_null(strstr(script, "'/bin/true' worker --workers 2 --key '"));
  write_text("queue", "7_1 RUNNING 0:01 N/A None\n7_2 PENDING 0:00 N/A Priority\n");
  ls_pool_slurm.request(pool, 4);
  struct ls_pool_news news = hear(pool);
  assert_int_equal(news.kind, LS_POOL_GRANTED);
  assert_int_equal(news.slot, 3);
  assert_int_equal(hear(pool).slot, 4);
  assert_int_equal(claim(pool, "slurm:7_1/0.2"), 4);
  assert_int_equal(claim(pool, "slurm:9_1/0"), 7);
  struct ls_pool_counts counts = ls_pool_slurm.counts(pool);
  assert_int_equal(counts.granted, 4);
  assert_non_null(strstr(read_text("sbatch.log"), "--array=1-2 --no-requeue --job-name=loadstar-"));
  ls_pool_slurm.close(pool, 0);
  assert_non_null(strstr(read_text("scancel.log"), keys.run));
  (void)snprintf(file, sizeof file, "loadstar-%s", keys.run);
  assert_int_not_equal(access(name(file), F_OK), 0);
  assert_string_equal(warnings, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {IN_FOLDER(jobs_come_and_are_cancelled_in_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
