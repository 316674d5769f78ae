#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/temporary.h"
#include "runtime/output/output_files.h"

/* A target that keeps what it was told. */
static size_t kept, kept_files;

static int open_file(void *context, uint64_t unit, size_t index, struct ls_error *err) {
  (void)context;
  if (unit == 13 || index > 2) return (void)!ls_fail(err, LS_ECORRUPT, "there is none"), -1;
  if (unit == 14) return (void)!ls_fail(err, LS_EIO, "no space"), -1;
  return ls_temporary_file(err);
}

static enum ls_status keep(void *context, uint64_t unit, const struct ls_output_file *files,
                           size_t count, struct ls_error *err) {
  (void)context;
  (void)err;
  assert_true(unit == 7);
  kept = count;
  for (size_t i = 0; i < count; ++i) kept_files += files[i].file >= 0;
  return LS_OK;
}

static const struct ls_output_target target = {.open = open_file, .keep = keep};

static enum ls_status add(struct ls_output_files *files, uint64_t unit, size_t index,
                          uint64_t offset) {
  struct ls_error err = {0};
  const struct ls_message piece = {.kind = LS_MESSAGE_OUTPUT,
                                   .range = {unit, 1},
                                   .stream = (uint8_t)(LS_STREAM_FILE + index),
                                   .offset = offset,
                                   .output = {"12345", 5}};
  return ls_output_files_add(files, &target, &piece, &err);
}

static struct ls_message tell(const struct ls_message_file *files, size_t count) {
  return (struct ls_message){
      .kind = LS_MESSAGE_RESULT, .range = {7, 1}, .files = files, .files_count = count};
}

static void pieces_become_files_and_the_result_says_which(void **state) {
  (void)state;
  struct ls_output_files files = {0};
  const struct ls_message_file told[] = {{10, 0644, true}, {0, 0, false}, {5, 0600, true}};
  struct ls_message result = tell(told, 3), none = tell(NULL, 0);
  assert_true(ls_output_files_are_whole(&files, &none));
  assert_false(ls_output_files_are_whole(&files, &result));
  assert_int_equal(add(&files, 7, 0, 0), LS_OK);
  assert_int_equal(add(&files, 7, 0, 5), LS_OK);
  assert_int_equal(add(&files, 7, 2, 0), LS_OK);
  assert_true(ls_output_files_are_whole(&files, &result));
  assert_false(ls_output_files_are_whole(&files, &none));
  kept = kept_files = 0;
  assert_int_equal(ls_output_files_keep(&files, &target, &result, NULL), LS_OK);
  assert_int_equal(kept, 3);
  assert_int_equal(kept_files, 2);
  /* Sent again from the beginning. */
  assert_int_equal(add(&files, 7, 2, 0), LS_OK);
  assert_true(ls_output_files_are_whole(&files, &result));
  ls_output_files_drop(&files);
  assert_true(ls_output_files_are_whole(&files, &none));
  ls_output_files_close(&files);
}

static void what_no_worker_sends_is_refused(void **state) {
  (void)state;
  struct ls_output_files files = {0};
  struct ls_error err = {0};
  const struct ls_message piece = {
      .kind = LS_MESSAGE_OUTPUT, .range = {7, 1}, .stream = LS_STREAM_FILE, .output = {"1", 1}};
  assert_int_equal(add(&files, 7, 0, 5), LS_ECORRUPT);
  assert_int_equal(add(&files, 13, 0, 0), LS_ECORRUPT);
  assert_int_equal(add(&files, 7, 3, 0), LS_ECORRUPT);
  assert_int_equal(ls_output_files_add(&files, NULL, &piece, &err), LS_ECORRUPT);
  assert_int_equal(add(&files, 14, 0, 0), LS_EIO);
  ls_output_files_close(&files);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_become_files_and_the_result_says_which),
      cmocka_unit_test(what_no_worker_sends_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
