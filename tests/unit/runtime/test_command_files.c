#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cache_fixture.h"
#include "runtime/files/command_files.h"

static struct ls_command_rooms rooms = {.sandboxing = LS_SANDBOX_REMOVED,
                                        .scratch = &fixture_scratch};

/* A command with one output: what it leaves is made by the test. */
static struct ls_command_files enter(const struct ls_staging *staging) {
  struct ls_command_files files = ls_command_files_make();
  struct ls_error err = {0};
  if (ls_command_files_enter(&files, &rooms, staging, &err) != LS_OK) fail_msg("%s", err.text);
  return files;
}

static void write_file(const struct ls_command_files *files, const char *name, const char *data) {
  int file = openat(files->sandbox.folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  assert_true(file >= 0);
  assert_int_equal(write(file, data, strlen(data)), strlen(data));
  assert_int_equal(close(file), 0);
}

static void outputs_are_opened_before_their_folder_goes(void **state) {
  (void)state;
  static const char *const names[] = {"out", "d/empty"};
  const struct ls_staging staging = {.outputs = names, .outputs_count = 2};
  struct ls_command_files files = enter(&staging);
  struct ls_command_end end = {.outcome = LS_OUTCOME_DONE, .number = 1};
  char data[8] = "";
  write_file(&files, "out", "data");
  assert_int_equal(mkdirat(files.sandbox.folder, "d", 0700), 0);
  write_file(&files, "d/empty", "");
  ls_command_files_leave(&files, &staging, &end);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_equal(end.words.length, 0);
  assert_int_equal(files.sandbox.folder, -1);
  assert_int_equal(files.outputs_count, 2);
  assert_true(files.outputs[0].is_there && files.outputs[0].bytes == 4);
  assert_int_equal(files.outputs[0].mode, 0640);
  assert_int_equal(pread(files.outputs[0].file, data, sizeof data, 0), 4);
  assert_string_equal(data, "data");
  assert_int_equal(close(files.outputs[0].file), 0);
  assert_true(files.outputs[1].is_there && files.outputs[1].file == -1);
}

/* Each by its name; a pipe is not waited for. */
static void what_is_no_file_inside_fails_the_command(void **state) {
  (void)state;
  static const char *const names[] = {"missing", "link", "pipe", "folder", "../x", "up/x"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const struct ls_staging staging = {.outputs = &names[i], .outputs_count = 1};
    struct ls_command_files files = enter(&staging);
    struct ls_command_end end = {.outcome = LS_OUTCOME_DONE, .number = 1};
    int folder = files.sandbox.folder;
    assert_int_equal(symlinkat("/etc/passwd", folder, "link"), 0);
    assert_int_equal(symlinkat("..", folder, "up"), 0);
    assert_int_equal(mkfifoat(folder, "pipe", 0600), 0);
    assert_int_equal(mkdirat(folder, "folder", 0700), 0);
    ls_command_files_leave(&files, &staging, &end);
    assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
    assert_int_equal(files.outputs_count, 0);
    assert_non_null(strstr(ls_bytes_text(&end.words), "loadstar: output '"));
    assert_non_null(strstr(ls_bytes_text(&end.words), names[i]));
    ls_bytes_close(&end.words);
  }
}

static void a_failed_command_returns_what_it_made_if_that_is_wanted(void **state) {
  (void)state;
  static const char *const names[] = {"missing", "out"};
  for (int wanted = 0; wanted < 2; ++wanted) {
    const struct ls_staging staging = {
        .outputs = names, .outputs_count = 2, .returns_failed = wanted == 1};
    struct ls_command_files files = enter(&staging);
    struct ls_command_end end = {.outcome = LS_OUTCOME_FAILED, .number = 1};
    write_file(&files, "out", "half");
    ls_command_files_leave(&files, &staging, &end);
    assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
    assert_int_equal(end.words.length, 0);
    assert_int_equal(files.outputs_count, wanted == 1 ? 2 : 0);
    if (wanted == 0) continue;
    assert_false(files.outputs[0].is_there);
    assert_true(files.outputs[1].is_there);
    assert_int_equal(close(files.outputs[1].file), 0);
  }
}

static void inputs_are_there_and_a_command_without_them_does_not_run(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_staged_input inputs[2] = {fixture_bring(&cache, "d/in", "data")};
  struct ls_staging staging = {.inputs = inputs, .inputs_count = 1};
  struct stat facts;
  rooms.cache = &cache;
  struct ls_command_files files = enter(&staging);
  assert_int_equal(fstatat(files.sandbox.folder, "d/in", &facts, 0), 0);
  ls_command_files_close(&files);
  struct ls_error err = {0};
  inputs[1] = fixture_input("other", "not there");
  staging.inputs_count = 2;
  files = ls_command_files_make();
  assert_int_equal(ls_command_files_enter(&files, &rooms, &staging, &err), LS_EIO);
  assert_non_null(strstr(err.text, "input 'other'"));
  ls_command_files_close(&files);
  rooms.cache = NULL;
  fixture_close(&cache);
}

static void without_sandboxes_nothing_is_opened(void **state) {
  (void)state;
  const struct ls_command_rooms none = {.sandboxing = LS_SANDBOX_NONE};
  struct ls_command_files files = ls_command_files_make();
  struct ls_command_end end = {.outcome = LS_OUTCOME_DONE, .number = 1};
  const struct ls_staging staging = {.inputs_count = 0};
  assert_int_equal(ls_command_files_enter(&files, &none, &staging, NULL), LS_OK);
  assert_int_equal(files.sandbox.folder, -1);
  assert_null(files.sandbox.path);
  ls_command_files_leave(&files, &staging, &end);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_are_opened_before_their_folder_goes),
      cmocka_unit_test(what_is_no_file_inside_fails_the_command),
      cmocka_unit_test(a_failed_command_returns_what_it_made_if_that_is_wanted),
      cmocka_unit_test(inputs_are_there_and_a_command_without_them_does_not_run),
      cmocka_unit_test(without_sandboxes_nothing_is_opened),
  };
  return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
