#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/chart_options.h"

/* A worker that computes for 4 s. */
static void make_timeline(struct ls_timeline *timeline) {
  ls_timeline_init(timeline);
  ls_timeline_add_worker(timeline, "w", 0, (double)INFINITY);
  ls_timeline_add_decision(timeline, 0, 1);
  struct ls_span span = {
      .resource = LS_RESOURCE_WORKER, .operation = LS_OPERATION_COMPUTE, .units = 1, .end_s = 4};
  ls_timeline_add_span(timeline, &span);
  timeline->makespan_s = 4;
}

static void a_summary_is_what_nobody_asked_for(void **state) {
  (void)state;
  struct ls_chart_options options = {0};
  assert_true(ls_chart_is_summary(&options));
  options.columns = 100;
  assert_true(ls_chart_is_summary(&options));
  options.wants_gantt = true;
  assert_false(ls_chart_is_summary(&options));
  options = (struct ls_chart_options){.wants_json = true};
  assert_false(ls_chart_is_summary(&options));
  options = (struct ls_chart_options){.files = {NULL, "x", NULL}};
  assert_false(ls_chart_is_summary(&options));
}

static void the_style_is_that_of_the_reader(void **state) {
  (void)state;
  struct ls_chart_options options = {.columns = 120};
  setenv("LC_ALL", "de_DE.utf8", 1);
  struct ls_report_options style = ls_chart_style(&options, "title");
  assert_int_equal(style.columns, 120);
  assert_false(style.is_ascii);
  assert_string_equal(style.title, "title");
  setenv("LC_ALL", "C", 1);
  setenv("NO_COLOR", "1", 1);
  style = ls_chart_style(&options, "");
  assert_true(style.is_ascii);
  assert_false(style.has_colour);
  unsetenv("NO_COLOR");
  unsetenv("LC_ALL");
}

static void each_format_goes_to_its_file(void **state) {
  (void)state;
  char folder[] = "/tmp/chart-test-XXXXXX", paths[LS_CHART_FILES][64];
  static const char *const begins[] = {"<svg ", "resource,", "{\"display", "<!DOCTYPE html"};
  struct ls_chart_options options = {0};
  struct ls_timeline timeline;
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  assert_non_null(mkdtemp(folder));
  make_timeline(&timeline);
  for (size_t i = 0; i < LS_CHART_FILES; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/%zu", folder, i);
    options.files[i] = paths[i];
  }
  assert_int_equal(ls_chart_write(&options, &timeline, "t", &text, &err), LS_OK);
  for (size_t i = 0; i < LS_CHART_FILES; i++) {
    char begin[16] = "";
    FILE *file = fopen(paths[i], "r");
    assert_non_null(file);
    assert_non_null(fgets(begin, sizeof begin, file));
    fclose(file);
    assert_int_equal(strncmp(begin, begins[i], strlen(begins[i])), 0);
    unlink(paths[i]);
  }
  options.files[0] = "/nowhere/x";
  assert_int_equal(ls_chart_write(&options, &timeline, "t", &text, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nowhere/x: cannot be written"));
  text.failed = true;
  assert_int_equal(ls_chart_write(&options, &timeline, "t", &text, &err), LS_ENOMEM);
  assert_int_equal(rmdir(folder), 0);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_summary_is_what_nobody_asked_for),
                                     cmocka_unit_test(the_style_is_that_of_the_reader),
                                     cmocka_unit_test(each_format_goes_to_its_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
