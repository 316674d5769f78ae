#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/block_edges.h"

static struct ls_block_edges open_edges(const char *end, const char *start) {
  struct ls_block_edges edges = {0};
  struct ls_error err = {0};
  ls_bytes_append_text(&edges.end, end);
  ls_bytes_append_text(&edges.start, start);
  if (ls_block_edges_compile(&edges, &err) != LS_OK) fail_msg("%s", err.text);
  return edges;
}

static void expect_blocks(struct ls_block_edges *edges, const char *text, const char *expected) {
  struct ls_cutter cutter = {.records = ls_block_edges_records(edges), .records_max = 1};
  struct ls_bytes got = {0};
  size_t length = strlen(text), at = 0, block;
  while ((block = ls_cutter_cut(&cutter, text + at, length - at, true)) > 0) {
    ls_bytes_printf(&got, "%.*s|", (int)block, text + at);
    at += block;
  }
  assert_string_equal(ls_bytes_text(&got), expected);
  ls_bytes_close(&got);
}

static void expressions_find_edges(void **state) {
  (void)state;
  struct ls_block_edges edges = open_edges("\\n+", "");
  expect_blocks(&edges, "a\n\n\nb\nc", "a\n\n\n|b\n|c|");
  ls_block_edges_close(&edges);
  edges = open_edges("", "[>#]");
  expect_blocks(&edges, ">a#b>c", ">a|#b|>c|");
  ls_block_edges_close(&edges);
  /* What stands within the start of a record begins no other, though it would match alone. */
  edges = open_edges("", "[A-Z]+:");
  expect_blocks(&edges, "x\nFOO: 1\nBAR: B\nC: 3", "x\n|FOO: 1\n|BAR: B\n|C: 3|");
  expect_blocks(&edges, "FOO:BAR:", "FOO:|BAR:|");
  ls_block_edges_close(&edges);
  edges = open_edges("", "(?=>)");
  expect_blocks(&edges, ">a>b", ">a|>b|");
  ls_block_edges_close(&edges);
  edges = open_edges("\\n", "From ");
  expect_blocks(&edges, "From a\nx\nFrom b\n", "From a\nx\n|From b\n|");
  ls_block_edges_close(&edges);
}

static void row_ends_outside_of_quotes(void **state) {
  (void)state;
  const struct ls_input_form rows = {.is_csv = true, .csv_separator = ';'};
  struct ls_block_edges edges = {.rows = &rows};
  expect_blocks(&edges, "a;\"x\ny\"\nb\"\nc\n", "a;\"x\ny\"\n|b\"\n|c\n|");
  expect_blocks(&edges, "\"\"\"\n\"\n\"open\n", "\"\"\"\n\"\n|\"open\n|");
  struct ls_records records = ls_block_edges_records(&edges);
  assert_int_equal(records.find(records.context, "a\n\"b\n", 5, 2, false), LS_RECORD_NONE);
  assert_int_equal(records.find(records.context, "a\n\"b\n", 5, 0, false), 2);
  ls_block_edges_close(&edges);
}

/* What more bytes could change is no edge yet. */
static void match_near_the_end_is_not_believed(void **state) {
  (void)state;
  struct ls_block_edges edges = open_edges("\\n+", "");
  struct ls_records records = ls_block_edges_records(&edges);
  char *data = calloc(1, 2 * LS_BLOCK_EDGE_BYTES);
  memcpy(data, "a\n\n", 3);
  size_t enough = 3 + LS_BLOCK_EDGE_BYTES;
  assert_int_equal(records.find(records.context, data, 3, 0, false), LS_RECORD_NONE);
  assert_int_equal(records.find(records.context, data, enough - 1, 0, false), LS_RECORD_NONE);
  assert_int_equal(records.find(records.context, data, enough, 0, false), 3);
  assert_int_equal(records.find(records.context, data, 3, 0, true), 3);
  assert_int_equal(records.find(records.context, data, enough, 3, true), LS_RECORD_NONE);
  free(data);
  ls_block_edges_close(&edges);
}

static void expect_rest(struct ls_block_edges *edges, const char *text, const char *expected) {
  struct ls_bytes out = {0};
  assert_int_equal(ls_block_edges_remove(edges, text, strlen(text), &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void separators_are_removed(void **state) {
  (void)state;
  struct ls_block_edges edges = {0};
  ls_bytes_append_text(&edges.end, ";");
  ls_bytes_append_text(&edges.start, "<>");
  /* Records begin and end only where both meet: what stands alone is theirs. */
  expect_rest(&edges, "<>a;<>b<>;;c;", "ab<>;;c");
  expect_rest(&edges, "a;<>;<>b", "ab");
  expect_rest(&edges, "<>;", "");
  expect_rest(&edges, "<<>>", "<<>>");
  expect_rest(&edges, "", "");
  expect_rest(&edges, "<", "<");
  ls_block_edges_close(&edges);
  edges = open_edges("x+", "[0-9]+");
  expect_rest(&edges, "7axx12xb3xcx3x", "axb3xc");
  expect_rest(&edges, "plain", "plain");
  ls_block_edges_close(&edges);
  edges = open_edges("x*", "");
  expect_rest(&edges, "axxbx", "ab");
  ls_block_edges_close(&edges);
}

static void wrong_expression_is_named(void **state) {
  (void)state;
  struct ls_block_edges edges = {0};
  struct ls_error err = {0};
  ls_bytes_append_text(&edges.start, "a(");
  assert_int_equal(ls_block_edges_compile(&edges, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--recstart is 'a('"));
  ls_block_edges_close(&edges);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_find_edges),
      cmocka_unit_test(row_ends_outside_of_quotes),
      cmocka_unit_test(match_near_the_end_is_not_believed),
      cmocka_unit_test(separators_are_removed),
      cmocka_unit_test(wrong_expression_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
