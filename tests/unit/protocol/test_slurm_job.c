/* What sbatch is given. tests/cli/test-slurm-pool gives it to a real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "protocol/slurm_job.h"

static bool has_word(char *const *list, const char *word) {
  for (; *list != NULL; ++list)
    if (strcmp(*list, word) == 0) return true;
  return false;
}

static void all_wishes_reach_sbatch(void **state) {
  (void)state;
  static const char *const expected[] = {
      "--parsable",        "--array=1-3",       "--no-requeue", "--job-name=loadstar-r",
      "--nodes=2",         "--cpus-per-task=8", "--output=l",   "--partition=main",
      "--account=me",      "--qos=low",         "--mem=4G",     "--constraint=a&b",
      "--time=1-00:00:00", "--signal=URG@60",   "--exclusive",  "--comment=x"};
  struct ls_slurm_wish wish;
  struct ls_slurm_words words = {.count = 0};
  assert_int_equal(
      ls_slurm_wish_read("partition=main,account=me,qos=low,mem=4G,constraint=a&b,time=24:00:00,"
                         "notice=60,cpus=8,nodes=6,per-job=2",
                         &wish, NULL),
      LS_OK);
  ls_slurm_submission_write(&(struct ls_slurm_submission){.wish = &wish,
                                                          .workers = 4,
                                                          .jobs = 3,
                                                          .name = "loadstar-r",
                                                          .log = "l",
                                                          .script = "job.sh",
                                                          .more = "  --exclusive\t--comment=x "},
                            &words);
  char **list = ls_slurm_words_list(&words);
  assert_non_null(list);
  assert_string_equal(list[0], "sbatch");
  assert_string_equal(list[words.count - 1], "job.sh");
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    if (!has_word(list, expected[i])) fail_msg("%s is missing", expected[i]);
  assert_false(has_word(list, "--test-only"));
  free(list);
  ls_slurm_words_close(&words);
}

/* Where nothing is said each worker has a processor of its own. */
static void little_is_said_where_little_is_wished(void **state) {
  (void)state;
  struct ls_slurm_wish wish;
  struct ls_slurm_words words = {.count = 0};
  assert_int_equal(ls_slurm_wish_read("requeue", &wish, NULL), LS_OK);
  ls_slurm_submission_write(&(struct ls_slurm_submission){.wish = &wish,
                                                          .workers = 4,
                                                          .jobs = 1,
                                                          .name = "n",
                                                          .log = "l",
                                                          .script = "s",
                                                          .is_test = true},
                            &words);
  char **list = ls_slurm_words_list(&words);
  assert_non_null(list);
  assert_true(has_word(list, "--test-only"));
  assert_true(has_word(list, "--requeue"));
  assert_true(has_word(list, "--cpus-per-task=4"));
  for (char **word = list; *word != NULL; ++word) {
    assert_int_not_equal(strncmp(*word, "--partition", 11), 0);
    assert_int_not_equal(strncmp(*word, "--time", 6), 0);
    assert_int_not_equal(strncmp(*word, "--signal", 8), 0);
  }
  free(list);
  ls_slurm_words_close(&words);
}

static void the_script_starts_a_step_of_workers(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  ls_slurm_script_write(&(struct ls_slurm_script){.program = "/opt/it's here/loadstar",
                                                  .key = "/home/a b/run.key",
                                                  .workers = 4,
                                                  .wait_s = 30},
                        &text);
  const char *script = ls_bytes_text(&text);
  assert_int_equal(strncmp(script, "#!/bin/sh\n", 10), 0);
  assert_non_null(strstr(script, "exec srun --kill-on-bad-exit=0 "));
  assert_non_null(strstr(script,
                         "'/opt/it'\\''s here/loadstar' worker --workers 4 --key "
                         "'/home/a b/run.key' --wait 30"));
  assert_non_null(strstr(script, "--lifetime \"$left\""));
  assert_non_null(strstr(script, "job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"));
  ls_bytes_close(&text);
}

static void what_is_the_pools_own_is_refused(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(ls_slurm_extra_check("--exclusive --reservation=r", &err), LS_OK);
  assert_int_equal(ls_slurm_extra_check("-A me -x n1", &err), LS_OK);
  static const char *const bad[] = {"",       "  ",         "--array=1-4", "-J name", "exclusive",
                                    "--hold", "-x n1 -a 2", "--wrap=true", "--wait",  "-d after:1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(ls_slurm_extra_check(bad[i], &err), LS_EINVAL);
    assert_int_equal(strncmp(err.text, "--slurm-extra", 13), 0);
  }
  assert_int_equal(ls_slurm_extra_check("--arrayed", &err), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_wishes_reach_sbatch),
                                     cmocka_unit_test(little_is_said_where_little_is_wished),
                                     cmocka_unit_test(the_script_starts_a_step_of_workers),
                                     cmocka_unit_test(what_is_the_pools_own_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
