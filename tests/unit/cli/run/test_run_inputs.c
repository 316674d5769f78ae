#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/run_inputs.h"

static char folder[] = "/tmp/test-inputs-XXXXXX";
static char small[64], large[64], queue[64];

static int make_files(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(small, sizeof small, "%s/small", folder);
  snprintf(large, sizeof large, "%s/large", folder);
  snprintf(queue, sizeof queue, "%s/queue", folder);
  FILE *file = fopen(small, "w");
  if (file == NULL || fputs("a\nb\nc\n", file) < 0 || fclose(file) != 0) return -1;
  file = fopen(large, "w");
  for (int i = 0; file != NULL && i < 600000; i++) fputs("0123456\n", file);
  if (file == NULL || fclose(file) != 0) return -1;
  return mkfifo(queue, 0600);
}

static int remove_files(void **state) {
  (void)state;
  unlink(small);
  unlink(large);
  unlink(queue);
  return rmdir(folder);
}

/* Reads the inputs that the options name: as a stream? */
static bool streams(struct ls_run_options *options, uint64_t tasks) {
  struct ls_task_source source = {0};
  options->is_quiet = true;
  if (options->order == NULL) options->order = "fifo";
  assert_int_equal(ls_run_inputs_read(options, "run", &source, NULL), LS_OK);
  bool is_stream = source.stream != NULL;
  assert_int_equal(source.tasks, tasks);
  ls_task_source_close(&source);
  return is_stream;
}

static void only_a_large_file_is_worth_a_stream(void **state) {
  (void)state;
  struct ls_run_options options = {.files = {small}, .files_count = 1};
  assert_false(streams(&options, 3));
  options.files[0] = large;
  assert_true(streams(&options, 1 << 16));
  options.journal = "x";
  assert_true(streams(&options, 1 << 16));
  options.policy = "auto";
  assert_true(streams(&options, 1 << 16));
  /* Whoever chooses a policy, or lets knowledge choose it, wants it to share all tasks. */
  options.policy = "gss";
  assert_false(streams(&options, 600000));
  options = (struct ls_run_options){.files = {large}, .files_count = 1, .platform = "x"};
  assert_false(streams(&options, 600000));
}

static void what_has_to_know_all_tasks_reads_them_first(void **state) {
  (void)state;
  struct ls_run_options plain = {.files = {large}, .files_count = 1}, options = plain;
  options.times = "x";
  assert_false(streams(&options, 600000));
  options = plain;
  options.plan = "x";
  assert_false(streams(&options, 600000));
  options = plain;
  options.order = "random";
  assert_false(streams(&options, 600000));
  options = plain;
  options.is_dry = true;
  assert_false(streams(&options, 600000));
  options = plain;
  options.halt.percent = 10;
  assert_false(streams(&options, 600000));
}

static void one_source_may_be_named_in_every_way(void **state) {
  (void)state;
  char *words[] = {(char *)"echo", (char *)"::::", large, (char *)":::", (char *)"x", NULL};
  struct ls_run_options options = {.words = words, .words_count = 3};
  assert_int_equal(ls_run_inputs_mark(&options), 1);
  assert_true(streams(&options, 1 << 16));
  /* All combinations need all values. */
  options.words_count = 5;
  assert_false(streams(&options, 600000));
  options.words_count = 1;
  assert_int_equal(ls_run_inputs_mark(&options), 1);
  options.files[0] = large;
  options.files[1] = small;
  options.files_count = 2;
  assert_false(streams(&options, 1800000));
}

/* A pipe that is written slowly holds nobody up, one that is written at once is known whole. */
static void a_pipe_is_not_waited_for(void **state) {
  (void)state;
  struct ls_run_options options = {.files = {queue}, .files_count = 1};
  int writer = open(queue, O_RDWR);
  assert_int_equal(write(writer, "a\nb\nc", 5), 5);
  assert_true(streams(&options, 2));
  close(writer);
}

static void a_file_that_is_missing_is_named(void **state) {
  (void)state;
  struct ls_run_options options = {.files = {"/nowhere/x"}, .files_count = 1, .order = "fifo"};
  struct ls_task_source source = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_run_inputs_read(&options, "run", &source, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nowhere/x"));
  ls_task_source_close(&source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_a_large_file_is_worth_a_stream),
      cmocka_unit_test(what_has_to_know_all_tasks_reads_them_first),
      cmocka_unit_test(one_source_may_be_named_in_every_way),
      cmocka_unit_test(a_pipe_is_not_waited_for),
      cmocka_unit_test(a_file_that_is_missing_is_named),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
