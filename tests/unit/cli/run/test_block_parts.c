/* The places of blocks are compared with those of a search in the whole file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/run/block_parts.h"

static char path[] = "/tmp/ls-block-parts-XXXXXX";

static int set_up(void **state) {
  (void)state;
  return close(mkstemp(path));
}

static int tear_down(void **state) {
  (void)state;
  return unlink(path);
}

static void write_file(const char *data, size_t length) {
  assert_int_equal(truncate(path, 0), 0);
  FILE *file = fopen(path, "w");
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static bool meets(const struct ls_records *records, const char *data, size_t length, size_t at) {
  return at >= records->end_length && length - at >= records->start_length &&
         memcmp(data + at - records->end_length, records->end, records->end_length) == 0 &&
         memcmp(data + at, records->start, records->start_length) == 0;
}

/* Record by record: a block begins where the first record of its stretch does. */
static void compare(const struct ls_records *records, const char *data, size_t length,
                    uint64_t stretch) {
  struct ls_block_parts parts = {.file = -1};
  struct ls_error err = {0};
  if (ls_block_parts_open(&parts, path, &err) != LS_OK) fail_msg("%s", err.text);
  const struct ls_block_cut cut = {.records = records, .stretch = stretch};
  if (ls_block_parts_cut(&parts, &cut, &err) != LS_OK) fail_msg("%s", err.text);
  size_t block = 0, last = 0;
  for (size_t at = 0; at < length; at++) {
    bool is_record = at == 0 || meets(records, data, length, at);
    if (!is_record || (at > 0 && at / stretch == last / stretch)) {
      continue;
    }
    assert_true(block < parts.count);
    assert_int_equal(parts.edges[block++], at);
    last = at;
  }
  assert_int_equal(block, parts.count);
  if (parts.count > 0) assert_int_equal(parts.edges[parts.count], length);
  ls_block_parts_close(&parts);
}

static void each_record_is_in_the_block_of_its_begin(void **state) {
  (void)state;
  static const char *const ends[] = {"\n", "", "\r\n", "ab", "", "\n"};
  static const char *const starts[] = {"", ">", "", "", "ab", ">"};
  struct ls_random random;
  ls_random_init(&random, 3, "parts");
  for (size_t round = 0; round < 1200; round++) {
    size_t kind = round % 6;
    char data[200];
    size_t length = (size_t)ls_random_below(&random, sizeof data);
    for (size_t i = 0; i < length; i++) data[i] = "xx\nx\r>ab"[ls_random_below(&random, 8)];
    write_file(data, length);
    const struct ls_records records = {ends[kind],           starts[kind], strlen(ends[kind]),
                                       strlen(starts[kind]), NULL,         NULL};
    compare(&records, data, length, 1 + ls_random_below(&random, 40));
  }
}

/* Longer than what is read around a cut at first. */
static void long_records_leave_stretches_without_a_block(void **state) {
  (void)state;
  size_t length = 3 << 20;
  char *data = malloc(length);
  memset(data, 'x', length);
  data[10] = data[20] = data[2500000] = '\n';
  write_file(data, length);
  const struct ls_records lines = {"\n", "", 1, 0, NULL, NULL};
  compare(&lines, data, length, 100);
  compare(&lines, data, length, 70000);
  free(data);
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  struct ls_block_parts parts = {.file = -1};
  struct ls_error err;
  assert_int_equal(ls_block_parts_open(&parts, "/", &err), LS_EINVAL);
  assert_string_equal(err.text, "--pipe-part: /: is a folder, expected a regular file");
  ls_block_parts_close(&parts);
  assert_int_equal(ls_block_parts_open(&parts, "/no/such", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/no/such: No such file"));
  ls_block_parts_close(&parts);
}

static void file_that_changes_meanwhile_is_refused(void **state) {
  (void)state;
  struct ls_block_parts parts = {.file = -1};
  struct ls_error err;
  const struct ls_records lines = {"\n", "", 1, 0, NULL, NULL};
  const struct ls_block_cut cut = {.records = &lines, .stretch = 2};
  write_file("a\nb\nc\n", 6);
  assert_int_equal(ls_block_parts_open(&parts, path, NULL), LS_OK);
  assert_int_equal(truncate(path, 3), 0);
  assert_int_equal(ls_block_parts_cut(&parts, &cut, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "it was 6 bytes"));
  ls_block_parts_close(&parts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_record_is_in_the_block_of_its_begin),
      cmocka_unit_test(long_records_leave_stretches_without_a_block),
      cmocka_unit_test(what_is_no_file_is_refused),
      cmocka_unit_test(file_that_changes_meanwhile_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
