#include "report_fixture.h"

static void there_is_one_row_per_span_with_exact_times(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {0};
  fixture_crowd(&timeline, 1, 0);
  fixture_span(&timeline, 0, 0.1, 1.0 / 3, LS_OUTCOME_FAILED);
  ls_report_csv.write(&timeline, &options, &out);
  unsigned worker = 9;
  unsigned long long chunk = 9, units = 0;
  double start_s = 0, end_s = 0, third = 1.0 / 3, tenth = 0.1;
  const char *row = strchr(ls_bytes_text(&out), '\n') + 1;
  assert_int_equal(sscanf(row, "worker,compute,failed,%u,node-0,%llu,%llu,%lf,%lf,,", &worker,
                          &chunk, &units, &start_s, &end_s),
                   5);
  assert_true(worker == 0 && chunk == 0 && units == 3);
  assert_memory_equal(&start_s, &tenth, sizeof tenth);
  assert_memory_equal(&end_s, &third, sizeof third);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void names_that_would_break_the_table_are_quoted(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  struct ls_report_options options = {0};
  fixture_timeline(&timeline);
  ls_report_csv.write(&timeline, &options, &out);
  const char *text = ls_bytes_text(&out);
  static const char header[] =
      "resource,operation,outcome,worker,name,chunk,units,start_s,end_s,"
      "task,attempt,exit,peak_kib,running\n";
  assert_int_equal(strncmp(text, header, strlen(header)), 0);
  assert_non_null(strstr(text, ",1,\"<be\"\"t&a,???[1m\",2,3,6,8,,,,,0\n"));
  assert_non_null(strstr(text, "network,transfer,done,0,alpha,0,3,0,1,,,,,0\n"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_is_one_row_per_span_with_exact_times),
      cmocka_unit_test(names_that_would_break_the_table_are_quoted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
