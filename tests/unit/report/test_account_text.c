#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/report.h"

static struct ls_account make_account(double work_s, double tail_s) {
  struct ls_account account = {.makespan_s = work_s + tail_s, .workers = 3};
  account.parts_s[LS_ACCOUNT_WORK] = work_s;
  account.parts_s[LS_ACCOUNT_TAIL] = tail_s;
  account.parts_s[LS_ACCOUNT_AWAY] = 1e-17; /* rounding */
  return account;
}

static void only_what_took_time_is_shown(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_account account = make_account(3, 1);
  ls_report_account(&account, &out);
  assert_non_null(strstr(ls_bytes_text(&out), "  work                3 s  75.0 %"));
  assert_non_null(strstr(ls_bytes_text(&out), "  tail                1 s  25.0 %"));
  assert_null(strstr(ls_bytes_text(&out), "away"));
  ls_bytes_close(&out);
}

static void nobody_has_nothing_to_show(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_account account = {.makespan_s = 1};
  ls_report_account(&account, &out);
  assert_int_equal(out.length, 0);
}

static void a_comparison_shows_where_the_difference_went(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_comparison comparison = {.predicted = make_account(4, 0),
                                     .happened = make_account(4.5, 0.5),
                                     .has_happened = true,
                                     .basis = "gss on c.json"};
  ls_report_comparison(&comparison, &out);
  const char *text = ls_bytes_text(&out);
  assert_ptr_equal(strstr(text, "predicted  4 s by gss on c.json"), text);
  assert_non_null(strstr(text, "  makespan             4           5          +1  +25.0 %\n"));
  assert_non_null(strstr(text, "  work                 4         4.5        +0.5  on work"));
  assert_non_null(strstr(text, "  tail                 0         0.5        +0.5  until all"));
  assert_null(strstr(text, "losses"));
  ls_bytes_close(&out);
}

static void a_difference_of_rounding_is_none(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_comparison comparison = {.predicted = make_account(0.3, 0),
                                     .happened = make_account(0.1 + 0.2, 0),
                                     .has_happened = true,
                                     .basis = "gss on c.json"};
  ls_report_comparison(&comparison, &out);
  assert_non_null(
      strstr(ls_bytes_text(&out), "  work               0.3         0.3          +0  on"));
  ls_bytes_close(&out);
}

static void a_run_that_goes_on_has_its_prediction(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_comparison comparison = {.predicted = make_account(4, 0), .basis = "gss on c.json"};
  ls_report_comparison(&comparison, &out);
  assert_string_equal(ls_bytes_text(&out), "predicted  4 s by gss on c.json\n");
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_took_time_is_shown),
      cmocka_unit_test(nobody_has_nothing_to_show),
      cmocka_unit_test(a_comparison_shows_where_the_difference_went),
      cmocka_unit_test(a_difference_of_rounding_is_none),
      cmocka_unit_test(a_run_that_goes_on_has_its_prediction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
