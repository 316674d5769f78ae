#include "report_fixture.h"

#include "report/page_private.h"

static bool holds(const struct ls_bytes *page, const char *part) {
  return strstr(ls_bytes_text(page), part) != NULL;
}

static void write_account(const struct ls_report_options *options, struct ls_bytes *out) {
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 3;
  const struct ls_page page = {
      .timeline = &timeline, .options = options, .out = out, .noun = "unit"};
  ls_page_account(&page);
  assert_false(out->failed);
  ls_timeline_close(&timeline);
}

static void an_account_stands_alone_where_nothing_was_predicted(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_account account = {.makespan_s = 3, .workers = 1};
  account.parts_s[LS_ACCOUNT_WORK] = 2;
  account.parts_s[LS_ACCOUNT_TAIL] = 1;
  write_account(&(struct ls_report_options){.account = &account}, &out);
  assert_true(holds(&out, "<td>work</td><td data-s=\"2\">2</td>"));
  assert_true(holds(&out, "<td>makespan</td><td data-s=\"3\">3</td>"));
  assert_true(holds(&out, "<td>on work that counted</td>"));
  /* The waterfall: the tail begins where the work ends. */
  assert_int_equal(fixture_count(ls_bytes_text(&out), "<rect"), 3);
  assert_false(holds(&out, "predicted") || holds(&out, "losses"));
  ls_bytes_close(&out);
}

static void a_difference_is_positive_where_it_took_longer(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_comparison comparison = {.has_happened = true, .basis = "ss on <x>"};
  comparison.predicted = (struct ls_account){.makespan_s = 2, .workers = 1};
  comparison.happened = (struct ls_account){.makespan_s = 3, .workers = 1};
  comparison.predicted.parts_s[LS_ACCOUNT_WORK] = 2;
  comparison.happened.parts_s[LS_ACCOUNT_WORK] = 2.5;
  comparison.happened.parts_s[LS_ACCOUNT_TAIL] = 0.5;
  write_account(&(struct ls_report_options){.comparison = &comparison}, &out);
  assert_true(holds(&out, "Predicted: 2 s by ss on &lt;x&gt;"));
  assert_true(holds(&out, "<td data-s=\"2\">2</td><td data-s=\"1\">+1</td><td>their sum</td>"));
  assert_true(holds(&out, "<td data-s=\"0\">0</td><td data-s=\"0.5\">+0.5</td>"));
  ls_bytes_close(&out);
}

static void nothing_is_said_of_nobody(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_account account = {.makespan_s = 1};
  write_account(&(struct ls_report_options){.account = &account}, &out);
  assert_int_equal(out.length, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_account_stands_alone_where_nothing_was_predicted),
      cmocka_unit_test(a_difference_is_positive_where_it_took_longer),
      cmocka_unit_test(nothing_is_said_of_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
