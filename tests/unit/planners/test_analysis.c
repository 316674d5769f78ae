#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/analysis.h"

static void every_analysis_is_found_by_its_name(void **state) {
  (void)state;
  for (size_t i = 0; ls_analyses[i] != NULL; i++) {
    assert_ptr_equal(ls_analysis_find(ls_analyses[i]->name), ls_analyses[i]);
    assert_true(strlen(ls_analyses[i]->summary) > 0 && strlen(ls_analyses[i]->reference) > 0);
    assert_non_null(ls_analyses[i]->analyse);
  }
  assert_null(ls_analysis_find("no-such-analysis"));
}

static void findings_are_lines_and_one_object(void **state) {
  struct ls_findings findings = {0};
  const uint32_t order[] = {2, 0};
  (void)state;
  ls_findings_number(&findings, "speed", 2.5, "units/s");
  ls_findings_number(&findings, "none", (double)NAN, "not known");
  ls_findings_flag(&findings, "exact", true, "or not");
  ls_findings_text(&findings, "bound", "a \"word\"", "its name");
  ls_findings_list(&findings, "order", order, 2, "workers");
  assert_string_equal(ls_bytes_text(&findings.json),
                      "\"speed\": 2.5, \"none\": null, \"exact\": true, "
                      "\"bound\": \"a \\\"word\\\"\", \"order\": [2, 0]");
  assert_non_null(strstr(ls_bytes_text(&findings.lines), "2.5            units/s\n"));
  assert_non_null(strstr(ls_bytes_text(&findings.lines), "2, 0           workers\n"));
  ls_findings_close(&findings);
}

/* Bounds count what is read; all else would say something of another platform. */
static void only_bounds_know_workers_that_read_their_input(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[1].costs[LS_OPERATION_STAGE].per_unit_s = 2;
  struct ls_planner_setup setup = {.platform = &platform, .load = 30};
  for (size_t i = 0; ls_analyses[i] != NULL; i++) {
    struct ls_findings findings = {0};
    struct ls_planner_reason why;
    bool is_bounds = strcmp(ls_analyses[i]->name, "bounds") == 0;
    assert_int_equal(ls_analysis_run(ls_analyses[i], &setup, &findings, &why, NULL), LS_OK);
    if (is_bounds) assert_non_null(strstr(ls_bytes_text(&findings.json), "\"lower_bound\": 20,"));
    assert_true(is_bounds == (strstr(why.text, "stage") == NULL));
    ls_findings_close(&findings);
  }
  ls_platform_close(&platform);
}

static void a_load_is_asked_for_where_it_is_needed(void **state) {
  struct ls_platform platform;
  struct ls_findings findings = {0};
  struct ls_planner_reason why;
  struct ls_error err;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  struct ls_planner_setup setup = {.platform = &platform};
  for (size_t i = 0; ls_analyses[i] != NULL; i++) {
    enum ls_status expected = ls_analyses[i]->needs_load ? LS_EINVAL : LS_OK;
    assert_int_equal(ls_analysis_run(ls_analyses[i], &setup, &findings, &why, &err), expected);
  }
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = -1;
  setup.load = 1;
  assert_int_equal(ls_analysis_run(ls_analyses[0], &setup, &findings, &why, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "compute"));
  ls_findings_close(&findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_analysis_is_found_by_its_name),
      cmocka_unit_test(findings_are_lines_and_one_object),
      cmocka_unit_test(only_bounds_know_workers_that_read_their_input),
      cmocka_unit_test(a_load_is_asked_for_where_it_is_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
