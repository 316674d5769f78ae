#include "report_fixture.h"

static void write_page(const struct ls_report_options *options, struct ls_bytes *out) {
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  ls_timeline_add_worker(&timeline, "<a&b>", 0, (double)INFINITY);
  fixture_span(&timeline, 0, 0, 2, LS_OUTCOME_DONE);
  timeline.makespan_s = 2;
  ls_report_html.write(&timeline, options, out);
  assert_false(out->failed);
  ls_timeline_close(&timeline);
}

static bool holds(const struct ls_bytes *page, const char *part) {
  return strstr(ls_bytes_text(page), part) != NULL;
}

static void a_page_is_whole_and_safe(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  write_page(&(struct ls_report_options){.title = "<script>x</script>"}, &out);
  assert_ptr_equal(strstr(ls_bytes_text(&out), "<!DOCTYPE html>"), ls_bytes_text(&out));
  assert_true(holds(&out, "<h1>&lt;script&gt;x&lt;/script&gt;</h1>"));
  assert_true(holds(&out, "&lt;a&amp;b&gt;"));
  assert_true(holds(&out, "<svg ") && holds(&out, "</html>"));
  assert_false(holds(&out, "<script>") || holds(&out, "Where the makespan went"));
  ls_bytes_close(&out);
}

static void an_account_stands_alone_where_nothing_was_predicted(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_account account = {.makespan_s = 2, .workers = 1};
  account.parts_s[LS_ACCOUNT_WORK] = 2;
  write_page(&(struct ls_report_options){.account = &account}, &out);
  assert_true(holds(&out, "<td>work</td><td>2</td><td>on work that counted</td>"));
  assert_false(holds(&out, "predicted") || holds(&out, "losses"));
  ls_bytes_close(&out);
}

static void a_prediction_stands_beside_what_happened(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_comparison comparison = {.has_happened = true, .basis = "ss on <x>"};
  comparison.predicted = (struct ls_account){.makespan_s = 2, .workers = 1};
  comparison.happened = (struct ls_account){.makespan_s = 3, .workers = 1};
  comparison.predicted.parts_s[LS_ACCOUNT_WORK] = 2;
  comparison.happened.parts_s[LS_ACCOUNT_WORK] = 2.5;
  comparison.happened.parts_s[LS_ACCOUNT_TAIL] = 0.5;
  write_page(&(struct ls_report_options){.comparison = &comparison}, &out);
  assert_true(holds(&out, "Predicted: 2 s by ss on &lt;x&gt;"));
  assert_true(holds(&out, "<td>makespan</td><td>2</td><td>3</td><td>+1</td>"));
  assert_true(holds(&out, "<td>tail</td><td>0</td><td>0.5</td><td>+0.5</td>"));
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_is_whole_and_safe),
      cmocka_unit_test(an_account_stands_alone_where_nothing_was_predicted),
      cmocka_unit_test(a_prediction_stands_beside_what_happened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
