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

static char folder[] = "/tmp/loadstar-test-XXXXXX";

static int set_up(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
  for (int i = 0; i < 4; i++) {
    static const char *const names[] = {"a.in", "b.in", "model", "d/model"};
    if (i == 3 && mkdir("d", 0700) != 0) return -1;
    FILE *file = fopen(names[i], "w");
    if (file == NULL || fputs(names[i], file) < 0 || fclose(file) != 0) return -1;
  }
  return chmod("model", 0755);
}

static int tear_down(void **state) {
  (void)state;
  return unlink("a.in") + unlink("b.in") + unlink("model") + unlink("d/model") + rmdir("d") +
         chdir("/") + rmdir(folder);
}

static void make_source(struct ls_task_source *source) {
  static char *words[] = {(char *)"a", (char *)"b"};
  assert_int_equal(ls_task_source_add_words(source, words, 2, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(source, NULL), LS_OK);
}

static void a_task_has_its_own_files_and_those_of_all(void **state) {
  (void)state;
  struct ls_task_source source = {0};
  struct ls_task_files files = {0};
  struct ls_staging staging;
  struct ls_error err = {0};
  const struct ls_file_options options = {.inputs = {{"{}.in"}, 1}, .common = {{"model"}, 1}};
  make_source(&source);
  if (ls_task_files_open(&files, &options, &source, &grammar, &err) != LS_OK)
    fail_msg("%s", err.text);
  for (uint64_t task = 0; task < 2; task++) {
    assert_int_equal(ls_task_files_of(&files, task, &staging, NULL), LS_OK);
    assert_int_equal(staging.inputs_count, 2);
    assert_string_equal(staging.inputs[0].name, task == 0 ? "a.in" : "b.in");
    assert_true(staging.inputs[0].bytes == 4 && !staging.inputs[0].is_executable);
    assert_string_equal(staging.inputs[1].name, "model");
    assert_true(staging.inputs[1].bytes == 5 && staging.inputs[1].is_executable);
    assert_memory_equal(staging.inputs[1].content,
                        ls_file_table_find(&files.table, "model")->content, LS_CONTENT_BYTES);
  }
  assert_int_equal(files.table.count, 3);
  ls_task_files_close(&files);
  ls_task_source_close(&source);
}

static void what_is_wrong_is_found_before_the_run(void **state) {
  (void)state;
  static const struct {
    const char *input, *common, *words;
  } bad[] = {{"{}", "model", "--stage-in 'a': No such file"},
             {"model", "d/./model", "both are 'model' in its sandbox"},
             {"d/model", "/d", "--stage-common '/d': No such file"},
             {"d/model", "d/./model", "--stage-in and --stage-common"},
             {"{%}.in", "model", "not known before the run"},
             {"{3}.in", "model", "--stage-in: {3}"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_task_source source = {0};
    struct ls_task_files files = {0};
    struct ls_error err = {0};
    const struct ls_file_options options = {.inputs = {{bad[i].input}, 1},
                                            .common = {{bad[i].common}, 1}};
    make_source(&source);
    bool is_fine = i == 3; /* d/model and model */
    assert_int_equal(ls_task_files_open(&files, &options, &source, &grammar, &err),
                     is_fine ? LS_OK : LS_EINVAL);
    if (!is_fine && strstr(err.text, bad[i].words) == NULL)
      fail_msg("'%s' lacks '%s'", err.text, bad[i].words);
    ls_task_files_close(&files);
    ls_task_source_close(&source);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_has_its_own_files_and_those_of_all),
      cmocka_unit_test(what_is_wrong_is_found_before_the_run),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
