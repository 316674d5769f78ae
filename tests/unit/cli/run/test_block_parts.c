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
#include "cli/run/block_edges.h"
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
/* Wherever a stretch begins, also within the start of a record. */
static void starts_by_expression_are_cut_as_in_a_stream(void **state) {
  enum { BYTES = 20000 };
  static const char letters[] = "AB::c\n";
  struct ls_random random;
  struct ls_block_edges edges = {.rows = NULL};
  char *data = malloc(BYTES);
  (void)state;
  assert_non_null(data);
  ls_bytes_append_text(&edges.start, "[A-Z]+:");
  assert_int_equal(ls_block_edges_compile(&edges, NULL), LS_OK);
  const struct ls_records records = ls_block_edges_records(&edges);
  ls_random_init(&random, 3, "starts");
  for (size_t i = 0; i < BYTES; i++) data[i] = letters[ls_random_below(&random, 6)];
  write_file(data, BYTES);
  for (uint64_t stretch = 1; stretch < 40; stretch += 1 + stretch / 4) {
    struct ls_block_parts parts = {.file = -1};
    struct ls_error err = {0};
    const struct ls_block_cut cut = {.records = &records, .stretch = stretch};
    if (ls_block_parts_open(&parts, path, &err) != LS_OK) fail_msg("%s", err.text);
    if (ls_block_parts_cut(&parts, &cut, &err) != LS_OK) fail_msg("%s", err.text);
    size_t block = 0, last = 0;
    for (size_t at = 0; at < BYTES; at = records.find(records.context, data, BYTES, at, true)) {
      if (at > 0 && at / stretch == last / stretch) continue;
      assert_true(block < parts.count);
      assert_int_equal(parts.edges[block++], at);
      last = at;
    }
    assert_int_equal(block, parts.count);
    ls_block_parts_close(&parts);
  }
  ls_block_edges_close(&edges);
  free(data);
}

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

/* Edge by edge from the beginning, as a stream is cut. */
static void compare_rows(const struct ls_block_cut *cut, const char *data, size_t length) {
  struct ls_block_parts parts = {.file = -1};
  struct ls_error err = {0};
  write_file(data, length);
  if (ls_block_parts_open(&parts, path, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_block_parts_cut(&parts, cut, &err) != LS_OK) fail_msg("%s", err.text);
  size_t block = 0, last = 0, at = 0;
  while (at < length) {
    if (at == 0 || at / cut->stretch != last / cut->stretch) {
      assert_true(block < parts.count);
      assert_int_equal(parts.edges[block++], at);
      last = at;
    }
    at = cut->records->find(cut->records->context, data, length, at, true);
  }
  assert_int_equal(block, parts.count);
  if (parts.count > 0) assert_int_equal(parts.edges[parts.count], length);
  ls_block_parts_close(&parts);
}

static size_t find_row(void *context, const char *data, size_t length, size_t from, bool is_end) {
  struct ls_input_search search = {0};
  size_t row = 0;
  (void)is_end;
  return ls_input_form_cut(context, data + from, length - from, &search, &row) ? from + row + 1
                                                                               : LS_RECORD_NONE;
}

/* The first byte of a row says to which group it belongs. */
static size_t find_group(void *context, const char *data, size_t length, size_t from, bool is_end) {
  for (size_t at = from; at < length;) {
    if (data[at] != data[from]) return at;
    at = find_row(context, data, length, at, is_end);
  }
  return LS_RECORD_NONE;
}

/* Wherever quotes stand, also alone. */
static void rows_and_groups_are_cut_as_in_a_stream(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "rows");
  for (size_t round = 0; round < 2000; round++) {
    char data[200];
    size_t length = (size_t)ls_random_below(&random, sizeof data);
    bool has_quotes = round % 4 < 2;
    for (size_t i = 0; i < length; i++)
      data[i] = (has_quotes ? "a,\"\n\"b\n\"" : "a,a\nab\na")[ls_random_below(&random, 8)];
    struct ls_input_form rows = {.is_csv = has_quotes};
    const struct ls_records records = {.find = round % 2 == 0 ? find_row : find_group,
                                       .context = &rows};
    const struct ls_block_cut cut = {.records = &records,
                                     .stretch = 1 + ls_random_below(&random, 40),
                                     .rows = &rows,
                                     .is_grouped = round % 2 == 1};
    compare_rows(&cut, data, length);
  }
}

/* Longer than what is read at once, both the rows and the groups. */
static void long_rows_and_groups_are_cut_as_in_a_stream(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 6, "long rows");
  size_t length = 4 << 20;
  char *data = malloc(length);
  for (size_t round = 0; round < 8; round++) {
    size_t at = 0;
    while (at < length) {
      size_t row =
          (size_t)ls_random_below(&random, ls_random_below(&random, 10) == 0 ? 900000 : 90);
      char kind = "ab"[ls_random_below(&random, 50) == 0];
      for (size_t i = 0; i <= row && at < length; i++) data[at++] = i < row ? kind : '\n';
    }
    /* Between quotes: a row of its own over many lines. */
    for (size_t i = 1500000; round % 4 < 2 && i < 1500000 + 2 * 700000; i += 700000)
      memcpy(data + i, "\n,\"\n", 4);
    struct ls_input_form rows = {.is_csv = round % 4 < 2};
    const struct ls_records records = {.find = round % 2 == 0 ? find_row : find_group,
                                       .context = &rows};
    const struct ls_block_cut cut = {.records = &records,
                                     .stretch = round < 4 ? 5000 : 300000,
                                     .rows = &rows,
                                     .is_grouped = round % 2 == 1};
    compare_rows(&cut, data, length);
  }
  free(data);
}

static void search_that_fails_ends_the_cutting(void **state) {
  (void)state;
  struct ls_block_parts parts = {.file = -1};
  struct ls_error err = {0};
  const struct ls_error failure = {LS_EINVAL, "a line is none"};
  struct ls_input_form rows = {.is_csv = false};
  const struct ls_records records = {.find = find_group, .context = &rows};
  const struct ls_block_cut cut = {
      .records = &records, .stretch = 2, .rows = &rows, .is_grouped = true, .failure = &failure};
  write_file("a\na\na\n", 6);
  assert_int_equal(ls_block_parts_open(&parts, path, NULL), LS_OK);
  assert_int_equal(ls_block_parts_cut(&parts, &cut, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, ": a line is none"));
  ls_block_parts_close(&parts);
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
      cmocka_unit_test(starts_by_expression_are_cut_as_in_a_stream),
      cmocka_unit_test(long_records_leave_stretches_without_a_block),
      cmocka_unit_test(rows_and_groups_are_cut_as_in_a_stream),
      cmocka_unit_test(long_rows_and_groups_are_cut_as_in_a_stream),
      cmocka_unit_test(search_that_fails_ends_the_cutting),
      cmocka_unit_test(what_is_no_file_is_refused),
      cmocka_unit_test(file_that_changes_meanwhile_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
