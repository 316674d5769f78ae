#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"

/* Each run starts this very program as its workers. */
static struct capture capture;

#define RUN(input, ...) CAPTURE(&capture, input, (char *)"run", (char *)"-q", __VA_ARGS__)
#define W(text)         (char *)(text)

static void outputs_and_order_are_kept(void **state) {
  (void)state;
  RUN("", W("-k"), W("-j2"), W("--"), W("printf"), W("%s.\n"), W(":::"), W("c"), W("a b"),
      W("it's"));
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output, "c.\na b.\nit's.\n");
  assert_string_equal(capture.error, "");
}

/* Each of the files that a run writes is opened before it begins: nothing runs when one cannot be
 * had, and all say so alike. */
static void a_file_that_cannot_be_had_is_told_before_anything_runs(void **state) {
  (void)state;
  static const char *const words[] = {"--json=/nowhere/x", "--joblog=/nowhere/x",
                                      "--results=/nowhere/x", "--journal=/nowhere/x"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    RUN("", W(words[i]), W("--"), W("echo"), W(":::"), W("a"));
    assert_int_equal(capture.exit_status, 2);
    assert_non_null(strstr(capture.error, "/nowhere/x"));
    assert_string_equal(capture.output, "");
  }
}

static void a_run_that_never_began_leaves_no_summary(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "--json=/tmp/test-run-%d.json", (int)getpid());
  RUN("", W(path), W("--journal=/nowhere/x"), W("--"), W("echo"), W(":::"), W("a"));
  assert_int_equal(capture.exit_status, 2);
  assert_int_not_equal(access(strchr(path, '/'), F_OK), 0);
  RUN("", W(path), W("--"), W("echo"), W(":::"), W("a"));
  assert_int_equal(capture.exit_status, 0);
  assert_int_equal(access(strchr(path, '/'), F_OK), 0);
  unlink(strchr(path, '/'));
}

/* An application whose unit i has the output "i\n". */
static unsigned merged;
static enum ls_status open_app(int argc, char **argv, void **state, struct ls_error *err) {
  if (argc != 2 || strcmp(argv[1], "word") != 0)
    return ls_fail(err, LS_EINVAL, "app: expected the word 'word'");
  *state = &merged;
  return LS_OK;
}
/* Nobody closes what was not opened. */
static void close_app(void *state) {
  *(unsigned *)state = 0;
}
/* The inputs as a variable of the environment has them. */
static enum ls_status take_fingerprint(void *state, struct ls_bytes *bytes, struct ls_error *err) {
  const char *inputs = getenv("TEST_RUN_INPUTS");
  (void)state, (void)err;
  ls_bytes_append_text(bytes, inputs != NULL ? inputs : "");
  return LS_OK;
}
static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  static uint32_t asked;
  (void)state;
  if (iteration != asked++)
    return ls_fail(err, LS_EINVAL, "iteration %u is asked for twice", iteration);
  *units = iteration < 2 ? 10 : 0;
  return LS_OK;
}
static enum ls_status merge(void *state, const struct ls_unit_result *result,
                            struct ls_error *err) {
  (void)err;
  *(unsigned *)state += (unsigned)result->units.count;
  if (*(unsigned *)state == 20) puts("all merged");
  return LS_OK;
}
static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state;
  (void)err;
  ls_bytes_printf(output, "%llu", (unsigned long long)work->units.first);
  return LS_OK;
}
static const struct ls_app app = {.name = "app",
                                  .summary = "an app",
                                  .usage = "word",
                                  .open = open_app,
                                  .close = close_app,
                                  .fingerprint = take_fingerprint,
                                  .units = count_units,
                                  .merge = merge,
                                  .compute = compute};

static void an_application_runs_its_iterations(void **state) {
  (void)state;
  capture_app(&capture, &app,
              (char *[]){W("app"), W("run"), W("-q"), W("-j2"), W("--"), W("word"), NULL}, "");
  assert_string_equal(capture.error, "");
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output, "all merged\n");
}

static void an_application_may_refuse_its_words(void **state) {
  (void)state;
  capture_app(&capture, &app, (char *[]){W("app"), W("run"), W("-q"), W("--"), W("x"), NULL}, "");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "expected the word 'word'"));
}

/* A file that changed since is another job's. */
static void a_changed_input_is_refused_on_resume(void **state) {
  (void)state;
  static char journal[] = "/tmp/loadstar-test-run-XXXXXX";
  assert_non_null(mkdtemp(journal));
  char path[64];
  (void)snprintf(path, sizeof path, "%s/journal", journal);
  setenv("TEST_RUN_INPUTS", "old", 1);
  capture_app(
      &capture, &app,
      (char *[]){W("app"), W("run"), W("-q"), W("--journal"), path, W("--"), W("word"), NULL}, "");
  assert_int_equal(capture.exit_status, 0);
  char *again[] = {W("app"), W("run"), W("-q"),   W("--resume"), W("--journal"),
                   path,     W("--"),  W("word"), NULL};
  setenv("TEST_RUN_INPUTS", "new", 1);
  capture_app(&capture, &app, again, "");
  assert_int_equal(capture.exit_status, 2);
  setenv("TEST_RUN_INPUTS", "old", 1);
  capture_app(&capture, &app, again, "");
  assert_string_equal(capture.error, "");
  assert_int_equal(capture.exit_status, 0);
  unsetenv("TEST_RUN_INPUTS");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(journal), 0);
}

static enum ls_status compute_badly(void *state, const struct ls_work *work,
                                    struct ls_bytes *output, struct ls_error *err) {
  return work->units.first == 4 ? ls_fail(err, LS_EINVAL, "no luck with row 5")
                                : compute(state, work, output, err);
}
static struct ls_app bad_app;

static void the_reason_of_a_failed_unit_reaches_the_user(void **state) {
  (void)state;
  capture_app(&capture, &bad_app,
              (char *[]){W("bad"), W("run"), W("-j2"), W("--json"), W("--"), W("word"), NULL}, "");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.error, "failed     task 5: failed: bad: no luck with row 5\n"));
  assert_non_null(strstr(capture.output, "\"reason\": \"bad: no luck with row 5\""));
}

static enum ls_status compute_by_luck(void *state, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  bool is_bad = work->iteration == 0 && work->units.first == 4 && getenv("TEST_RUN_LUCK") == NULL;
  return is_bad ? ls_fail(err, LS_EINVAL, "no luck") : compute(state, work, output, err);
}
static struct ls_app luck_app;

/* The second iteration was made of the first one with its failure. */
static void what_failed_in_an_earlier_iteration_is_repeated(void **state) {
  (void)state;
  static char folder[] = "/tmp/loadstar-test-luck-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  capture_app(
      &capture, &luck_app,
      (char *[]){W("luck"), W("run"), W("-q"), W("--journal"), path, W("--"), W("word"), NULL}, "");
  assert_int_equal(capture.exit_status, 1);
  setenv("TEST_RUN_LUCK", "1", 1);
  capture_app(&capture, &luck_app,
              (char *[]){W("luck"), W("run"), W("--resume-failed"), W("--journal"), path,
                         W("--json"), NULL},
              "");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "all merged\n"));
  unsetenv("TEST_RUN_LUCK");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* Nothing is known at the beginning; then three units come, and no more. */
static enum ls_status know_nothing(void *state, uint32_t iteration, uint64_t *units,
                                   struct ls_error *err) {
  (void)state, (void)iteration, (void)err;
  *units = 0;
  return LS_OK;
}
static enum ls_status bring_three(void *state, struct ls_more *more, struct ls_error *err) {
  (void)state, (void)err;
  more->units = 3;
  more->is_last = true;
  return LS_OK;
}
static struct ls_app late_app;

static void units_that_come_later_are_told_of_and_have_no_journal(void **state) {
  (void)state;
  capture_app(&capture, &late_app,
              (char *[]){W("late"), W("run"), W("-j2"), W("--"), W("word"), NULL}, "");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.error, "3 tasks done in "));
  assert_non_null(strstr(capture.error, " busy\n"));
  assert_null(strstr(capture.error, "no tasks"));
  capture_app(
      &capture, &late_app,
      (char *[]){W("late"), W("run"), W("--journal"), W("none.db"), W("--"), W("word"), NULL}, "");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--journal none.db: units of late come while it runs"));
  assert_int_not_equal(access("none.db", F_OK), 0);
}

/* No more than an application must have. */
static enum ls_status know_three(void *state, uint32_t iteration, uint64_t *units,
                                 struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration == 0 ? 3 : 0;
  return LS_OK;
}
static enum ls_status compute_nothing(void *state, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  (void)work, (void)output;
  return state == NULL ? LS_OK : ls_fail(err, LS_EINVAL, "nobody opened it");
}
static const struct ls_app bare_app = {
    .name = "bare", .units = know_three, .compute = compute_nothing};

static void an_application_needs_a_name_units_and_compute_only(void **state) {
  (void)state;
  capture_app(&capture, &bare_app, (char *[]){W("bare"), W("run"), W("-j2"), W("--"), NULL}, "");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.error, "3 tasks done in "));
  assert_non_null(strstr(capture.error, " busy\n"));
  capture_app(&capture, &bare_app, (char *[]){W("bare"), W("run"), W("--"), W("a b"), NULL}, "");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "bare takes no words of its own, and got 'a b'"));
}

int main(int argc, char **argv) {
  /* Workers of the applications are told apart by a variable: all kinds run here. */
  bad_app = app;
  bad_app.name = "bad";
  bad_app.compute = compute_badly;
  luck_app = app;
  luck_app.name = "luck";
  luck_app.compute = compute_by_luck;
  late_app = app;
  late_app.name = "late";
  late_app.units = know_nothing;
  late_app.more = bring_three;
  const char *name = getenv("TEST_RUN_APP");
  const struct ls_app *own = name == NULL                ? NULL
                             : strcmp(name, "bad") == 0  ? &bad_app
                             : strcmp(name, "luck") == 0 ? &luck_app
                             : strcmp(name, "bare") == 0 ? &bare_app
                                                         : &app;
  if (IS_WORKER(argc, argv)) return ls_cli_main(argc, argv, own);
  const struct CMUnitTest commands[] = {
      cmocka_unit_test(outputs_and_order_are_kept),
      cmocka_unit_test(a_file_that_cannot_be_had_is_told_before_anything_runs),
      cmocka_unit_test(a_run_that_never_began_leaves_no_summary)};
  const struct CMUnitTest applications[] = {cmocka_unit_test(an_application_runs_its_iterations),
                                            cmocka_unit_test(an_application_may_refuse_its_words),
                                            cmocka_unit_test(a_changed_input_is_refused_on_resume)};
  int failed = cmocka_run_group_tests(commands, NULL, NULL);
  setenv("TEST_RUN_APP", "1", 1);
  failed += cmocka_run_group_tests(applications, NULL, NULL);
  setenv("TEST_RUN_APP", "bad", 1);
  const struct CMUnitTest bad[] = {cmocka_unit_test(the_reason_of_a_failed_unit_reaches_the_user)};
  failed += cmocka_run_group_tests(bad, NULL, NULL);
  setenv("TEST_RUN_APP", "luck", 1);
  const struct CMUnitTest luck[] = {
      cmocka_unit_test(what_failed_in_an_earlier_iteration_is_repeated),
      cmocka_unit_test(units_that_come_later_are_told_of_and_have_no_journal)};
  failed += cmocka_run_group_tests(luck, NULL, NULL);
  setenv("TEST_RUN_APP", "bare", 1);
  const struct CMUnitTest bare[] = {
      cmocka_unit_test(an_application_needs_a_name_units_and_compute_only)};
  return failed + cmocka_run_group_tests(bare, NULL, NULL);
}
