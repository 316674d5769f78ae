/* What Slurm's commands print, as seen with Slurm 22.05, and what they might print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "protocol/slurm_text.h"

static struct ls_slurm_line read_line(const char *text) {
  struct ls_slurm_line line;
  if (!ls_slurm_line_read(text, strlen(text), &line)) fail_msg("refused: %s", text);
  return line;
}

static void a_line_of_squeue_is_read(void **state) {
  (void)state;
  struct ls_slurm_line line = read_line("12_3 RUNNING 1-02:03:04 2026-11-23T10:04:53 None");
  assert_int_equal(line.job, 12);
  assert_int_equal(line.task, 3);
  assert_int_equal(line.state, LS_SLURM_RUNNING);
  assert_string_equal(line.word, "RUNNING");
  assert_true(line.used_s >= 93784 && line.used_s <= 93784);
  assert_string_equal(line.start, "2026-11-23T10:04:53");
  assert_string_equal(line.reason, "");
  line = read_line("2_1 PENDING 0:00 N/A Nodes required for job are DOWN, DRAINED or more  ");
  assert_string_equal(line.start, "");
  assert_string_equal(line.reason, "Nodes required for job are DOWN, DRAINED or more");
}

/* An array of which nothing began is one line, also when it was cancelled. */
static void the_rest_of_an_array_is_one_line(void **state) {
  (void)state;
  assert_true(read_line("2 CANCELLED 0:00 N/A None").task == LS_SLURM_TASKS_LEFT);
  assert_true(read_line("2_[1-3%2] PENDING 0:00 N/A Priority").task == LS_SLURM_TASKS_LEFT);
}

static void each_state_means_something(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum ls_slurm_state state;
  } rows[] = {{"1_1 CONFIGURING 0:01 N/A None", LS_SLURM_RUNNING},
              {"1_1 SUSPENDED 0:01 N/A None", LS_SLURM_SUSPENDED},
              {"1_1 STOPPED 0:01 N/A None", LS_SLURM_SUSPENDED},
              {"1_1 PREEMPTED 0:01 N/A None", LS_SLURM_TAKEN},
              {"1_1 NODE_FAIL 0:01 N/A None", LS_SLURM_NODE_FAIL},
              {"1_1 TIMEOUT 0:01 N/A TimeLimit", LS_SLURM_TAKEN},
              {"1_1 FAILED 0:01 N/A NonZeroExitCode", LS_SLURM_FAILED},
              {"1_1 OUT_OF_MEMORY 0:01 N/A None", LS_SLURM_FAILED},
              {"1_1 COMPLETED 0:01 N/A None", LS_SLURM_COMPLETED},
              {"1_1 COMPLETING 0:01 N/A None", LS_SLURM_ENDING},
              {"1_1 PENDING 0:00 N/A launch failed requeued held", LS_SLURM_HELD},
              {"1_1 PENDING 0:00 N/A launch_failed_requeued_held", LS_SLURM_HELD},
              {"1_1 SPECIAL_EXIT 0:00 N/A None", LS_SLURM_HELD},
              {"1_1 PENDING 0:00 N/A JobHeldUser", LS_SLURM_PENDING},
              {"1_1 PENDING INVALID N/A Priority", LS_SLURM_PENDING}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ls_slurm_line line = read_line(rows[i].text);
    if (line.state != rows[i].state) fail_msg("%s: %d", rows[i].text, (int)line.state);
    assert_true(ls_slurm_state_is_final(line.state) == (line.state >= LS_SLURM_TAKEN));
  }
}

static void what_is_no_line_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    " ",
                                    "slurm_load_jobs error: Unable to contact slurm controller",
                                    "1_1",
                                    "1_1 RUNNING",
                                    "1_1 RUNNING 0:01",
                                    "1_1 DREAMING 0:01 N/A None",
                                    "1_1 running 0:01 N/A None",
                                    "x_1 RUNNING 0:01 N/A None",
                                    "1_x RUNNING 0:01 N/A None",
                                    "1_ RUNNING 0:01 N/A None",
                                    "1_[3 RUNNING 0:01 N/A None",
                                    "1_1 RUNNING 15 N/A None",
                                    "1_1 RUNNING soon N/A None",
                                    "99999999999999999999_1 RUNNING 0:01 N/A None",
                                    "1_1 RUNNING 0:01 2026-11-23T10:04:53.000000000000 None"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_slurm_line line = {.job = 7};
    if (ls_slurm_line_read(bad[i], strlen(bad[i]), &line)) fail_msg("taken: %s", bad[i]);
    assert_int_equal(line.job, 7);
  }
}

static void the_answer_of_sbatch_is_a_number(void **state) {
  (void)state;
  static const char *const good[] = {"123\n", "123", "123;cluster\n", "123 \n"};
  static const char *const bad[] = {"",     "\n",     "0",       "Submitted batch job 123", "12x",
                                    "-123", "123\nx", "123 456", "1234567890123456789012"};
  uint64_t job = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    job = 0;
    assert_true(ls_slurm_reply_read(good[i], strlen(good[i]), &job));
    assert_int_equal(job, 123);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (ls_slurm_reply_read(bad[i], strlen(bad[i]), &job)) fail_msg("taken: '%s'", bad[i]);
}

static void refusals_are_told_apart(void **state) {
  (void)state;
  static const struct {
    enum ls_slurm_refusal refusal;
    const char *text, *words;
  } rows[] = {
      {LS_SLURM_NEVER,
       "sbatch: error: invalid partition specified: none\n"
       "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
       "Invalid partition name specified"},
      {LS_SLURM_NEVER,
       "sbatch: error: Batch job submission failed: Required partition not available (inactive or "
       "drain)\n",
       "Required partition not available (inactive or drain)"},
      {LS_SLURM_NEVER,
       "sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or "
       "exceeds some limit)",
       "Requested time limit is invalid (missing or exceeds some limit)"},
      {LS_SLURM_NEVER,
       "sbatch: error: Batch job submission failed: More processors requested than permitted\n",
       "More processors requested than permitted"},
      {LS_SLURM_NEVER, "sbatch: error: Memory specification can not be satisfied\n",
       "Memory specification can not be satisfied"},
      {LS_SLURM_NEVER,
       "sbatch: error: Batch job submission failed: Invalid account or account/partition "
       "combination specified\n",
       "Invalid account or account/partition combination specified"},
      {LS_SLURM_NEVER, "sbatch: unrecognized option '--bogus'\nTry \"sbatch --help\" for more\n",
       "unrecognized option '--bogus'"},
      {LS_SLURM_NOT_NOW,
       "sbatch: error: QOSMaxSubmitJobPerUserLimit\n"
       "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "
       "limit, user's size and/or time limits)\n",
       "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"},
      {LS_SLURM_NOT_NOW, "sbatch: error: QOSMaxSubmitJobPerUserLimit\n",
       "QOSMaxSubmitJobPerUserLimit"},
      {LS_SLURM_NOT_NOW, "sbatch: error: AssocMaxSubmitJobLimit\n", "AssocMaxSubmitJobLimit"},
      {LS_SLURM_NOT_NOW,
       "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n",
       "Socket timed out on send/recv operation"},
      {LS_SLURM_NOT_NOW,
       "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
       "failure)\n",
       "Unable to contact slurm controller (connect failure)"},
      {LS_SLURM_NOT_NOW, "Slurm temporarily unable to accept job, sleeping and retrying\n",
       "Slurm temporarily unable to accept job, sleeping and retrying"},
      {LS_SLURM_UNCLEAR, "Segmentation fault\n", "Segmentation fault"},
      {LS_SLURM_UNCLEAR, "", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char words[96];
    ls_slurm_last_words(rows[i].text, strlen(rows[i].text), words, sizeof words);
    if (strcmp(words, rows[i].words) != 0) fail_msg("'%s': '%s'", rows[i].text, words);
    if (ls_slurm_refusal_of(words) != rows[i].refusal) fail_msg("'%s'", words);
  }
}

/* They go to a terminal. */
static void words_are_cut_and_clean(void **state) {
  (void)state;
  char words[8];
  ls_slurm_last_words("sbatch: error: a\033[2Jbcdefgh\n\n", 29, words, sizeof words);
  assert_string_equal(words, "a?[2Jbc");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_of_squeue_is_read),
                                     cmocka_unit_test(the_rest_of_an_array_is_one_line),
                                     cmocka_unit_test(each_state_means_something),
                                     cmocka_unit_test(what_is_no_line_is_refused),
                                     cmocka_unit_test(the_answer_of_sbatch_is_a_number),
                                     cmocka_unit_test(refusals_are_told_apart),
                                     cmocka_unit_test(words_are_cut_and_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
