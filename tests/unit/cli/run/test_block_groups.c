#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/block_groups.h"

static struct ls_error failure;

static void expect_groups(const struct ls_block_options *options, const char *header_text,
                          const char *text, const char *expected) {
  struct ls_block_groups groups = {.column = 0};
  struct ls_bytes header = {0}, got = {0};
  struct ls_error err = {0};
  failure = (struct ls_error){0};
  if (ls_block_groups_open(&groups, options, &header, &failure, &err) != LS_OK)
    fail_msg("%s", err.text);
  ls_bytes_append_text(&header, header_text);
  struct ls_cutter cutter = {.records = ls_block_groups_records(&groups), .records_max = 1};
  size_t length = strlen(text), at = 0, block;
  while ((block = ls_cutter_cut(&cutter, text + at, length - at, true)) > 0) {
    ls_bytes_printf(&got, "%.*s|", (int)block, text + at);
    at += block;
  }
  assert_string_equal(ls_bytes_text(&got), expected);
  ls_block_groups_close(&groups);
  ls_bytes_close(&header);
  ls_bytes_close(&got);
}

static void lines_with_one_value_are_a_record(void **state) {
  (void)state;
  struct ls_block_options options = {.group_by = "2", .columns = ","};
  expect_groups(&options, "", "1,a\n2, a \n3,b\n4\n5,\n6,a", "1,a\n2, a \n|3,b\n|4\n5,\n|6,a|");
  expect_groups(&options, "", "1,a\n2,a", "1,a\n2,a|");
  expect_groups(&options, "", "", "");
  options.group_by = "2 s/[0-9]+//";
  expect_groups(&options, "", "1,a1\n2,a22\n3,b\n", "1,a1\n2,a22\n|3,b\n|");
}

static void name_stands_in_the_header(void **state) {
  (void)state;
  const struct ls_block_options options = {.group_by = "who", .columns = ";", .header = ":"};
  expect_groups(&options, "n;who\n", "1;a\n2;a\n3;b\n", "1;a\n2;a\n|3;b\n|");
  assert_int_equal(failure.status, LS_OK);
  expect_groups(&options, "n;whom\n", "1;a\n", "1;a\n|");
  assert_int_equal(failure.status, LS_EINVAL);
  assert_non_null(strstr(failure.text, "--group-by is 'who'"));
}

static void rows_of_csv_are_whole(void **state) {
  (void)state;
  const struct ls_block_options options = {.group_by = "1",
                                           .csv = {.is_csv = true, .csv_separator = ';'}};
  expect_groups(&options, "", "\"a\nb\";1\n\"a\nb\";2\nc;\"\n\"\n",
                "\"a\nb\";1\n\"a\nb\";2\n|c;\"\n\"\n|");
  expect_groups(&options, "", "\"a\"b\n", "\"a\"b\n|");
  assert_non_null(strstr(failure.text, "is no row of CSV"));
}

/* Of a group that goes on, or whose next line has not come whole, no end is known. */
static void group_ends_with_the_next_whole_line(void **state) {
  (void)state;
  const struct ls_block_options options = {.group_by = "1", .columns = ","};
  struct ls_block_groups groups = {.column = 0};
  struct ls_bytes header = {0};
  assert_int_equal(ls_block_groups_open(&groups, &options, &header, &failure, NULL), LS_OK);
  struct ls_records records = ls_block_groups_records(&groups);
  assert_int_equal(records.find(records.context, "a,1\na,2\n", 8, 0, false), LS_RECORD_NONE);
  assert_int_equal(records.find(records.context, "a,1\nb", 5, 0, false), LS_RECORD_NONE);
  assert_int_equal(records.find(records.context, "a,1\nb", 5, 0, true), 4);
  assert_int_equal(records.find(records.context, "a,1\nb\n", 6, 0, false), 4);
  assert_int_equal(records.find(records.context, "a\0\n", 3, 0, true), LS_RECORD_NONE);
  assert_non_null(strstr(failure.text, "zero byte"));
  ls_block_groups_close(&groups);
}

static void what_is_no_column_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"0", "x", "", "1 $_++", "1 s/(/x/"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const struct ls_block_options options = {.group_by = wrong[i], .columns = ","};
    struct ls_block_groups groups = {.column = 0};
    struct ls_bytes header = {0};
    struct ls_error err = {0};
    assert_int_equal(ls_block_groups_open(&groups, &options, &header, &failure, &err), LS_EINVAL);
    if (strstr(err.text, "--group-by") == NULL) fail_msg("'%s': '%s'", wrong[i], err.text);
    ls_block_groups_close(&groups);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_with_one_value_are_a_record),
      cmocka_unit_test(name_stands_in_the_header),
      cmocka_unit_test(rows_of_csv_are_whole),
      cmocka_unit_test(group_ends_with_the_next_whole_line),
      cmocka_unit_test(what_is_no_column_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
