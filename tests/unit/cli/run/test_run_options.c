#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run_options.h"

enum { WORDS_MAX = 40 };

/* Reads a line of words separated by spaces; -1: it was good. What is printed is not looked at. */
static int read_line(struct ls_run_options *options, const char *line, const struct ls_app *app) {
  static char copy[512];
  static char *words[WORDS_MAX];
  int count = 0;
  strcpy(copy, line);
  words[count++] = (char *)"test run";
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
  int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  int result = ls_run_options_read(options, count, words, app, LS_RUN_ALL_NAMES);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(null);
  return result;
}

static void defaults_are_those_of_the_manual(void **state) {
  (void)state;
  struct ls_run_options options;
  assert_int_equal(read_line(&options, "-- echo", NULL), -1);
  assert_int_equal(options.workers, 0);
  assert_int_equal(options.prefetch, 1);
  assert_int_equal(options.retries, 0);
  assert_int_equal(options.losses, 3);
  assert_true(options.silence_s == 0 && options.patience_s == 0);
  assert_int_equal(options.seed, 0);
  assert_null(options.policy);
  assert_string_equal(options.order, "fifo");
  assert_int_equal(options.halt.reason, LS_HALT_NEVER);
  assert_int_equal(options.inputs.form.stop_length, 0);
  ls_run_options_close(&options);
}

static void the_command_is_left_alone(void **state) {
  (void)state;
  struct ls_run_options options;
  static const char *const lines[] = {"-j2 -- echo -k --foo ::: -j 3",
                                      "-j2 echo -k --foo ::: -j 3"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(read_line(&options, lines[i], NULL), -1);
    assert_int_equal(options.workers, 2);
    assert_false(options.keeps_order);
    assert_int_equal(options.words_count, 6);
    assert_string_equal(options.words[0], "echo");
    assert_string_equal(options.words[5], "3");
    ls_run_options_close(&options);
  }
  assert_int_equal(read_line(&options, "-k ::: a b", NULL), -1);
  assert_string_equal(options.words[0], ":::");
  ls_run_options_close(&options);
  assert_int_equal(read_line(&options, "-k --", NULL), -1);
  assert_int_equal(options.words_count, 0);
  ls_run_options_close(&options);
}

static void every_option_arrives(void **state) {
  (void)state;
  struct ls_run_options options;
  assert_int_equal(
      read_line(
          &options,
          "-a f --arg-file g -0 --link --shell --dry-run --workers 3 --speeds 1,0.5 --prefetch 0 "
          "--listen tcp://127.0.0.1:* --policy gss:2 --set a=1 --set b=2 --arguments x.json "
          "--order random --seed 9",
          NULL),
      -1);
  assert_int_equal(options.files_count, 2);
  assert_int_equal(options.inputs.form.stop_length, 1);
  assert_int_equal(options.inputs.form.stop[0], '\0');
  assert_true(options.inputs.is_linked && options.is_shell && options.is_dry);
  assert_int_equal(options.workers, 3);
  assert_int_equal(options.speeds_count, 2);
  assert_true(options.speeds[1] < 0.51);
  assert_int_equal(options.prefetch, 0);
  assert_true(options.has_prefetch && !options.chooses_prefetch);
  assert_string_equal(options.policy, "gss:2");
  assert_int_equal(options.settings_count, 2);
  assert_int_equal(options.seed, 9);
  ls_run_options_close(&options);
  assert_int_equal(
      read_line(
          &options,
          "--prefetch auto --retries 2 --timeout 1.5 --silence 7 --patience 8 --losses 0 --halt "
          "now,fail=1 -k --results d --joblog l --progress "
          "--json=out -q --journal j --resume-failed --sync --plan p",
          NULL),
      -1);
  assert_true(options.has_prefetch && options.chooses_prefetch);
  assert_int_equal(options.prefetch, 1);
  assert_int_equal(options.retries, 2);
  assert_int_equal(options.losses, 0);
  assert_true(options.silence_s == 7 && options.patience_s == 8);
  assert_true(options.timeout_s > 1.4 && options.timeout_s < 1.6);
  assert_true(options.halt.is_hard);
  assert_true(options.keeps_order && options.wants_progress && options.is_quiet);
  assert_true(options.wants_json && options.repeats_failures && options.is_synced);
  assert_string_equal(options.json, "out");
  ls_run_options_close(&options);
}

static void bad_values_are_bad_usage(void **state) {
  (void)state;
  static const char *const bad[] = {"-j 1.5",
                                    "-j 5000",
                                    "-j x",
                                    "-j 99999999",
                                    "--speeds ,",
                                    "--speeds 0",
                                    "--speeds 1,nan",
                                    "--speeds 1.5",
                                    "--load-pattern eight",
                                    "--load-pattern seven:0",
                                    "--load-pattern seven:",
                                    "--load-pattern sevens:3",
                                    "--load-pattern seven --busy 0",
                                    "--load-pattern seven --busy 1.1",
                                    "--load-pattern seven --slot 0",
                                    "--prefetch -1",
                                    "--prefetch some",
                                    "--seed 1.5",
                                    "--retries -1",
                                    "--timeout 0",
                                    "--silence 0",
                                    "--patience -1",
                                    "--losses x",
                                    "--timeout nan",
                                    "--timeout inf",
                                    "--halt x",
                                    "--set x",
                                    "--set =1",
                                    "--set a=",
                                    "--listen x",
                                    "--listen tcp://",
                                    "--listen tcp://h",
                                    "--listen tcp://h:0",
                                    "--listen tcp://h:65536",
                                    "--listen ipc://x",
                                    "--listen tcp://h:1 --key -"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_run_options options;
    assert_int_equal(read_line(&options, bad[i], NULL), 2);
  }
}

static void options_that_do_not_go_together_are_bad_usage(void **state) {
  (void)state;
  struct ls_run_options options;
  assert_int_equal(read_line(&options, "--resume", NULL), 2);
  assert_int_equal(read_line(&options, "--load-pattern random:1e6 --slot 1", NULL), 2);
}

static void an_application_has_its_own_words(void **state) {
  (void)state;
  static const struct ls_app app = {.name = "app", .summary = "an app", .usage = "--units N"};
  struct ls_run_options options;
  assert_int_equal(read_line(&options, "-j2 --seed 3 -- --units 5 ::: x", &app), -1);
  assert_int_equal(options.workers, 2);
  assert_int_equal(options.words_count, 4);
  assert_string_equal(options.words[0], "--units");
  ls_run_options_close(&options);
}

static enum ls_status stage(void *state, const struct ls_work *work, struct ls_bytes *staged,
                            struct ls_error *err) {
  (void)state, (void)work, (void)staged, (void)err;
  return LS_OK;
}

static void an_application_that_stages_may_stage_ahead(void **state) {
  (void)state;
  static const struct ls_app staging = {.name = "staging", .summary = "an app", .stage = stage};
  struct ls_run_options options;
  assert_int_equal(read_line(&options, "-j2 --stage-ahead 3 --", &staging), -1);
  assert_int_equal(options.stage_ahead, 3);
  ls_run_options_close(&options);
  assert_int_equal(read_line(&options, "-j2 --", &staging), -1);
  assert_int_equal(options.stage_ahead, 1);
  ls_run_options_close(&options);
  assert_int_equal(read_line(&options, "--stage-ahead 65 --", &staging), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_manual),
      cmocka_unit_test(the_command_is_left_alone),
      cmocka_unit_test(every_option_arrives),
      cmocka_unit_test(bad_values_are_bad_usage),
      cmocka_unit_test(options_that_do_not_go_together_are_bad_usage),
      cmocka_unit_test(an_application_has_its_own_words),
      cmocka_unit_test(an_application_that_stages_may_stage_ahead)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
