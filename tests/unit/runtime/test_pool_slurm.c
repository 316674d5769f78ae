/* The pool of jobs: tests/cli/test-slurm-pool has the real commands. */
#include "pool_slurm_fixture.h"

/* Nobody ever asked for a worker. */
static void slurm_is_left_alone_without_a_request(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  idle(pool, 0.1);
  ls_pool_slurm.close(pool, 0);
  assert_string_equal(read_text("sbatch.log"), "");
  assert_string_equal(read_text("scancel.log"), "");
}

static void a_wrong_wish_is_told_in_its_words(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  write_command("sbatch",
                "echo 'sbatch: error: Batch job submission failed: Invalid partition name "
                "specified' >&2; exit 1");
  ls_pool_slurm.request(pool, 4);
  struct ls_pool_news news = hear(pool);
  assert_int_equal(news.kind, LS_POOL_REFUSED);
  assert_true(news.is_final && news.is_wrong);
  assert_string_equal(news.words, "Invalid partition name specified");
  ls_pool_slurm.close(pool, 0);
}

static void who_hangs_or_raves_makes_nobody_wait(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  write_command("sbatch", "sleep 1000");
  write_command("squeue", "echo what a day");
  ls_pool_slurm.request(pool, 4);
  struct ls_pool_counts counts = ls_pool_slurm.counts(pool);
  for (double until_s = ls_clock_s() + 60;
       counts.why == NULL || strstr(counts.why, "sbatch did") == NULL;) {
    idle(pool, 0.05);
    assert_true(ls_clock_s() < until_s);
    counts = ls_pool_slurm.counts(pool);
  }
  assert_int_equal(counts.wanted, 4);
  assert_non_null(strstr(counts.why, "sbatch did not answer in 1.5 s"));
  assert_non_null(strstr(counts.why, "squeue has not answered yet"));
  write_command("squeue", "true");
  ls_pool_slurm.close(pool, 0);
}

/* States of which nothing new is known are old, and no news. */
static void nobody_is_lost_while_squeue_fails(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  write_text("queue", "7_1 RUNNING 0:01 N/A None\n");
  ls_pool_slurm.request(pool, 2);
  (void)hear(pool);
  (void)hear(pool);
  write_command("squeue",
                "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; "
                "exit 1");
  ls_pool_slurm.see(pool, 3, LS_POOL_SAW_END);
  idle(pool, 0.5);
  write_command("squeue", "echo 7_1 PREEMPTED 0:01 N/A None");
  struct ls_pool_news news = hear(pool);
  assert_int_equal(news.kind, LS_POOL_LOST);
  assert_int_equal(news.cause, LS_LOSS_RECLAIMED);
  ls_pool_slurm.close(pool, 0);
}

static void a_pool_of_jobs_needs_keys_and_slots(void **state) {
  (void)state;
  struct ls_pool *pool = NULL;
  struct ls_error err = {0};
  struct ls_pool_setup setup = {.first_slot = 1, .slots = 6, .own = &own};
  assert_int_equal(ls_pool_slurm.open(&setup, &pool, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no keys"));
  setup.keys = &keys;
  setup.slots = 5;
  assert_int_equal(ls_pool_slurm.open(&setup, &pool, &err), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(slurm_is_left_alone_without_a_request),
      IN_FOLDER(a_wrong_wish_is_told_in_its_words), IN_FOLDER(who_hangs_or_raves_makes_nobody_wait),
      IN_FOLDER(nobody_is_lost_while_squeue_fails), IN_FOLDER(a_pool_of_jobs_needs_keys_and_slots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
