#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run/task_files.h"

static const struct ls_grammar grammar = {.sources_count = 1};

static enum ls_status check(const char *a, const char *b, struct ls_error *err) {
  static char *words[] = {(char *)"x", (char *)"y", (char *)"./x"};
  struct ls_task_source source = {0};
  struct ls_task_files files = {0};
  const struct ls_file_options options = {.outputs = {{a, b}, b != NULL ? 2 : 1}};
  assert_int_equal(ls_task_source_add_words(&source, words, 3, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  enum ls_status status = ls_task_files_open(&files, &options, &source, &grammar, err);
  ls_task_files_close(&files);
  ls_task_source_close(&source);
  return status;
}

static void every_task_makes_files_of_its_own(void **state) {
  (void)state;
  assert_int_equal(check("{#}", NULL, NULL), LS_OK);
  assert_int_equal(check("{#}", "{#}.log", NULL), LS_OK);
  assert_int_equal(check("d{#}/out", "/tmp/{#}/out", NULL), LS_OK);
}

static void equal_ones_are_refused_by_task_and_name(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(check("out", NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tasks 1 and 2 both make 'out'"));
  assert_int_equal(check("{}.out", NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tasks 1 and 3 both make 'x.out'"));
  assert_int_equal(check("d//{#}", "./d/./{#}", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tasks 1 and 1 both make 'd/1'"));
  assert_int_equal(check(".", NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is no name of a file"));
}

static void places_that_are_no_files_are_refused(void **state) {
  (void)state;
  struct ls_error err = {0};
  char folder[] = "/tmp/loadstar-test-XXXXXX", words[64], place[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(words, sizeof words, "%s/{#}", folder);
  (void)snprintf(place, sizeof place, "%s/2", folder);
  assert_int_equal(check(words, NULL, &err), LS_OK);
  assert_int_equal(mkfifo(place, 0600), 0);
  assert_int_equal(check(words, NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--stage-out of task 2: '/tmp/loadstar-test-"));
  assert_non_null(strstr(err.text, "is no ordinary file, expected an ordinary file or none"));
  assert_int_equal(unlink(place), 0);
  assert_int_equal(mkdir(place, 0700), 0);
  assert_int_equal(check(words, NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is a folder"));
  assert_int_equal(rmdir(place) + rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_task_makes_files_of_its_own),
      cmocka_unit_test(equal_ones_are_refused_by_task_and_name),
      cmocka_unit_test(places_that_are_no_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
