#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/results_table.h"

static const char *const values[] = {"a b", "c,\"d\""};

static struct ls_joblog_entry make_line(uint64_t sequence) {
  return (struct ls_joblog_entry){.sequence = sequence,
                                  .host = ":",
                                  .start_s = 1000.5,
                                  .seconds = 1.25,
                                  .received = 3,
                                  .exit_code = 2,
                                  .command = "echo a",
                                  .command_length = 6};
}

static void fill(enum ls_table_form form, struct ls_bytes *out) {
  const struct ls_joblog_entry line = make_line(7);
  const struct ls_output output = {"x\ty\n", 4, -1}, error_output = {"\0z", 2, -1};
  const struct ls_table_entry entry = {&line, values, 2, 3, {&output, &error_output}};
  ls_results_table_heading(form, &(struct ls_table_columns){.count = 3}, out);
  assert_int_equal(ls_results_table_row(form, &entry, out, NULL), LS_OK);
}

/* The member's text, or "none"; of a list its first item. */
static const char *find(const json_t *row, const char *name) {
  const json_t *member = json_object_get(row, name);
  if (json_is_array(member)) member = json_array_get(member, 0);
  return json_is_string(member) ? json_string_value(member) : "none";
}

static void what_json_cannot_hold_is_there_in_base64(void **state) {
  (void)state;
  static const struct {
    const char *bytes, *expected;
  } cases[] = {{"\xff", "/w=="},        {"a\xe9", "Yek="},
               {"a\xe9\n", "YekK"},     {"caf\xe9 fermi", "Y2Fm6SBmZXJtaQ=="},
               {"caf\xc3\xa9", "none"}, {"", "none"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_joblog_entry line = make_line(7);
    const char *const value[] = {cases[i].bytes};
    const struct ls_output output = {cases[i].bytes, strlen(cases[i].bytes), -1};
    const struct ls_output nothing = {"", 0, -1};
    const struct ls_table_entry entry = {&line, value, 1, 1, {&output, &nothing}};
    struct ls_bytes out = {0};
    line.command = cases[i].bytes;
    line.command_length = strlen(cases[i].bytes);
    assert_int_equal(ls_results_table_row(LS_TABLE_JSON, &entry, &out, NULL), LS_OK);
    json_t *row = json_loadb(out.data, out.length, 0, NULL);
    assert_non_null(row);
    assert_string_equal(find(row, "Stdout_base64"), cases[i].expected);
    assert_string_equal(find(row, "Command_base64"), cases[i].expected);
    assert_string_equal(find(row, "V_base64"), cases[i].expected);
    assert_string_equal(find(row, "Stderr_base64"), "none");
    json_decref(row);
    ls_bytes_close(&out);
  }
}

static void the_name_tells_the_form(void **state) {
  (void)state;
  assert_int_equal(ls_results_table_form("a.csv"), LS_TABLE_CSV);
  assert_int_equal(ls_results_table_form("a/b.tsv"), LS_TABLE_TSV);
  assert_int_equal(ls_results_table_form("-.json"), LS_TABLE_JSON);
  assert_int_equal(ls_results_table_form("csv"), LS_TABLE_NONE);
  assert_int_equal(ls_results_table_form(".csv"), LS_TABLE_NONE);
  assert_int_equal(ls_results_table_form("a.csv.d"), LS_TABLE_NONE);
}

static void fields_are_quoted_where_they_must(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  fill(LS_TABLE_CSV, &out);
  static const char expected[] =
      "Seq,Host,Starttime,JobRuntime,Send,Receive,Exitval,Signal,Command,V1,V2,V3,Stdout,Stderr\n"
      "7,:,1000.500,1.250,0,3,2,0,\"echo a\",\"a b\",\"c,\"\"d\"\"\",,\"x\ty\n\",\0z\n";
  assert_int_equal(out.length, sizeof expected - 1);
  assert_memory_equal(out.data, expected, out.length);
  ls_bytes_clear(&out);
  fill(LS_TABLE_TSV, &out);
  assert_non_null(strstr(out.data, "7\t:\t1000.500\t1.250\t0\t3\t2\t0\t\"echo a\"\t"));
  ls_bytes_close(&out);
}

static void objects_hold_all_bytes(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  fill(LS_TABLE_JSON, &out);
  json_error_t error;
  json_t *row = json_loadb(out.data, out.length, JSON_ALLOW_NUL, &error);
  if (row == NULL) fail_msg("%s in %s", error.text, out.data);
  assert_int_equal(json_integer_value(json_object_get(row, "Seq")), 7);
  json_t *list = json_object_get(row, "V");
  assert_int_equal(json_array_size(list), 2);
  assert_string_equal(json_string_value(json_array_get(list, 1)), "c,\"d\"");
  json_t *text = json_object_get(row, "Stderr");
  assert_int_equal(json_string_length(text), 2);
  assert_memory_equal(json_string_value(text), "\0z", 2);
  json_decref(row);
  ls_bytes_close(&out);
}

/* Half a row that a killed master left goes; whole ones stay, and their tasks get no other. */
static void a_table_goes_on(void **state) {
  (void)state;
  char path[] = "/tmp/test-table-XXXXXX.csv", text[512];
  close(mkstemps(path, 4));
  const struct ls_output output = {"a\n", 2, -1}, nothing = {.file = -1};
  struct ls_table_setup setup = {.path = path, .columns = {.count = 1}};
  size_t length = 0;
  for (int session = 0; session < 2; session++) {
    struct ls_results_table *table = NULL;
    assert_int_equal(ls_results_table_open(&setup, &table, NULL), LS_OK);
    for (uint64_t task = 1; task <= 2 + (uint64_t)session; task++) {
      const struct ls_joblog_entry line = make_line(task);
      const struct ls_table_entry entry = {&line, values, 1, 1, {&output, &nothing}};
      assert_int_equal(ls_results_table_add(table, &entry, NULL), LS_OK);
    }
    ls_results_table_close(table);
    FILE *file = fopen(path, "r+");
    length = fread(text, 1, sizeof text - 1, file);
    if (session == 0) fputs("3,:,1000,1,0,2,0,0,\"half\n", file);
    fclose(file);
    setup.goes_on = true;
  }
  text[length] = '\0';
  assert_null(strstr(text, "half"));
  int rows = 0;
  for (const char *at = text; (at = strstr(at, "echo a")) != NULL; at++) rows++;
  assert_int_equal(rows, 3);
  unlink(path);
  struct ls_results_table *table = NULL;
  struct ls_error err = {0};
  setup.path = "/nowhere/x.csv";
  assert_int_equal(ls_results_table_open(&setup, &table, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--results /nowhere/x.csv"));
}

/* Where rows are read on the way, the first one of a later session may be another one. */
static void a_table_goes_on_with_the_columns_of_its_heading(void **state) {
  (void)state;
  static const size_t counts[] = {2, 1, 3};
  static const char *const parts[] = {"a", "b", "c"};
  char path[] = "/tmp/test-table-XXXXXX.csv", text[512];
  close(mkstemps(path, 4));
  const struct ls_output output = {"o", 1, -1}, nothing = {.file = -1};
  struct ls_table_setup setup = {.path = path};
  for (size_t session = 0; session < 3; session++) {
    struct ls_results_table *table = NULL;
    assert_int_equal(ls_results_table_open(&setup, &table, NULL), LS_OK);
    const struct ls_joblog_entry line = make_line(session + 1);
    const struct ls_table_entry entry = {
        &line, parts, counts[session], counts[session], {&output, &nothing}};
    assert_int_equal(ls_results_table_add(table, &entry, NULL), LS_OK);
    ls_results_table_close(table);
    setup.goes_on = true;
  }
  FILE *file = fopen(path, "r");
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  unlink(path);
  assert_non_null(strstr(text, ",Command,V1,V2,Stdout,Stderr\n"));
  assert_non_null(strstr(text, ",a,b,o,\n"));
  assert_non_null(strstr(text, ",a,,o,\n"));
  assert_non_null(strstr(text, ",a,\"b,c\",o,\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_json_cannot_hold_is_there_in_base64),
      cmocka_unit_test(the_name_tells_the_form),
      cmocka_unit_test(fields_are_quoted_where_they_must),
      cmocka_unit_test(objects_hold_all_bytes),
      cmocka_unit_test(a_table_goes_on),
      cmocka_unit_test(a_table_goes_on_with_the_columns_of_its_heading),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
