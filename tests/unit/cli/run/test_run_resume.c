#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run/run_resume.h"

/* A start of a run: its command line, and the inputs that it read. */
struct start {
  struct ls_run_options options;
  struct ls_task_source source;
  size_t command_count;
};

static enum ls_status keep(void *context, struct ls_journal *journal, struct ls_error *err) {
  struct start *start = context;
  ls_run_resume_record(journal, &start->options, start->command_count);
  return ls_run_resume_agree(journal, &start->source, err);
}

static enum ls_status begin(struct start *start, const char *path, struct ls_error *err) {
  struct ls_journal *journal = NULL;
  struct ls_journal_job job = {.application = "run",
                               .command = "echo",
                               .directory = "/",
                               .policy = "ss",
                               .has_inputs = true};
  struct ls_journal_request request = {
      .path = path, .mode = LS_JOURNAL_RESUME, .job = &job, .inputs = keep, .context = start};
  enum ls_status status = ls_journal_open(&request, &journal, err);
  ls_journal_close(journal);
  return status;
}

static void read_line(struct start *start, int count, char **words, size_t command_count) {
  *start = (struct start){.command_count = command_count};
  assert_int_equal(ls_run_options_read(&start->options, count, words, NULL, LS_RUN_ALL_NAMES), -1);
  assert_int_equal(ls_task_source_add_marked(&start->source, start->options.words + command_count,
                                             start->options.words_count - command_count,
                                             &start->options.inputs.marks, NULL),
                   LS_OK);
  assert_int_equal(ls_task_source_finish(&start->source, NULL), LS_OK);
}

#define READ_LINE(start, command, ...)                                                          \
  do {                                                                                          \
    static const char *const line[] = {"loadstar run", __VA_ARGS__, NULL};                      \
    read_line(start, (int)(sizeof line / sizeof *line) - 1, (char **)(uintptr_t)line, command); \
  } while (0)

static void close_start(struct start *start) {
  ls_run_options_close(&start->options);
  ls_task_source_close(&start->source);
}

static char folder[64], path[96];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test-resume-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/j", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void the_journal_alone_gives_back_options_command_and_inputs(void **state) {
  (void)state;
  struct start start;
  READ_LINE(&start, 2, "-j3", "-k", "--set", "weights=1", "--set=first=2", "-q", "-a", "/dev/null",
            "--journal", "x", "--", "sort", "-n", ":::", "a", "b", ":::+", "c", "");
  assert_int_equal(begin(&start, path, NULL), LS_OK);
  close_start(&start);
  struct ls_run_options options;
  struct ls_run_resume resume = {0};
  struct ls_task_source source = {0};
  char *line[] = {"loadstar run", "--resume", "--journal", path, "-j5", NULL};
  assert_int_equal(ls_run_options_read(&options, 5, line, NULL, LS_RUN_ALL_NAMES), -1);
  assert_int_equal(ls_run_resume_options(&resume, &options, 5, line, NULL), -1);
  assert_true(resume.takes_tasks && options.is_resumed && options.keeps_order);
  assert_false(options.is_quiet);
  assert_int_equal(options.workers, 5);
  assert_int_equal(options.settings_count, 2);
  assert_string_equal(options.settings[0], "weights=1");
  assert_string_equal(options.settings[1], "first=2");
  assert_true(options.files_count == 0 && options.words_count == 2);
  assert_string_equal(options.words[1], "-n");
  assert_int_equal(ls_run_resume_inputs(path, &source, NULL), LS_OK);
  assert_true(source.tasks == 2 && source.lists_count == 2);
  const char *values[2];
  assert_int_equal(ls_task_source_values(&source, 1, values, NULL), LS_OK);
  assert_string_equal(values[0], "b");
  assert_string_equal(values[1], "");
  ls_task_source_close(&source);
  ls_run_options_close(&options);
  ls_run_resume_close(&resume);
}

static void a_command_line_with_a_command_is_taken_as_it_is(void **state) {
  (void)state;
  struct ls_run_options options;
  struct ls_run_resume resume = {0};
  char *line[] = {"loadstar run", "--resume", "--journal", path, "true", NULL};
  assert_int_equal(ls_run_options_read(&options, 5, line, NULL, LS_RUN_ALL_NAMES), -1);
  assert_int_equal(ls_run_resume_options(&resume, &options, 5, line, NULL), -1);
  assert_true(resume.words == NULL && !resume.takes_tasks);
  ls_run_options_close(&options);
  ls_run_resume_close(&resume);
}

static void expect(struct start *start, const char *words) {
  struct ls_error err = {0};
  enum ls_status status = begin(start, path, &err);
  close_start(start);
  if (words == NULL && status != LS_OK) fail_msg("%s", err.text);
  if (words == NULL) return;
  assert_int_equal(status, LS_EMISMATCH);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
}

static void appended_inputs_are_taken_on_and_others_refused(void **state) {
  (void)state;
  struct start start;
  READ_LINE(&start, 1, "echo", ":::", "a", "b", ":::", "1", "2");
  expect(&start, NULL);
  READ_LINE(&start, 1, "echo", ":::", "a", "b", "c", ":::", "1", "2");
  expect(&start, NULL); /* the first source varies slowest */
  READ_LINE(&start, 1, "echo", ":::", "a", "b", ":::", "1", "2");
  expect(&start, "the run has 4 tasks, the journal has 6");
  READ_LINE(&start, 1, "echo", ":::", "a", "b", "c", ":::", "1", "2", "3");
  expect(&start, "task 3 is 'a 3' now, was 'b 1'");
  READ_LINE(&start, 1, "echo", ":::", "a", "b", "c", ":::", "1", "x");
  expect(&start, "task 2 is 'a x' now, was 'a 2'");
  READ_LINE(&start, 1, "echo", ":::", "a", "b", "c", "d", "e", "f");
  expect(&start, "the run has 1 input sources, the journal has 2");
}

static void many_inputs_come_back_in_their_order(void **state) {
  (void)state;
  enum { MANY = 10000 };
  struct start start = {.command_count = 0};
  struct ls_task_source source = {0};
  char **words = calloc(MANY, sizeof *words);
  for (size_t i = 0; i < MANY; i++) assert_true(asprintf(&words[i], "input-%zu", i * i) > 0);
  assert_int_equal(ls_task_source_add_words(&start.source, words, MANY, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&start.source, NULL), LS_OK);
  assert_int_equal(begin(&start, path, NULL), LS_OK);
  assert_int_equal(ls_run_resume_inputs(path, &source, NULL), LS_OK);
  assert_int_equal(source.tasks, MANY);
  for (size_t i = 0; i < MANY; i++) {
    const char *value;
    assert_int_equal(ls_task_source_values(&source, i, &value, NULL), LS_OK);
    assert_string_equal(value, words[i]);
    free(words[i]);
  }
  free(words);
  ls_task_source_close(&source);
  ls_task_source_close(&start.source);
}

static void a_run_without_tasks_is_one_of_no_tasks(void **state) {
  (void)state;
  struct start start;
  READ_LINE(&start, 1, "echo", ":::");
  expect(&start, NULL);
  READ_LINE(&start, 1, "echo", ":::", "a");
  expect(&start, NULL);
  struct ls_task_source source = {0};
  assert_int_equal(ls_run_resume_inputs(path, &source, NULL), LS_OK);
  assert_int_equal(source.tasks, 1);
  ls_task_source_close(&source);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_journal_alone_gives_back_options_command_and_inputs),
      TEST(a_command_line_with_a_command_is_taken_as_it_is),
      TEST(appended_inputs_are_taken_on_and_others_refused),
      TEST(many_inputs_come_back_in_their_order),
      TEST(a_run_without_tasks_is_one_of_no_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
