#include "report_fixture.h"

#include "report/page_private.h"

static bool holds(const struct ls_bytes *page, const char *part) {
  return strstr(ls_bytes_text(page), part) != NULL;
}

static void each_worker_has_a_row_with_what_it_wasted(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  const struct ls_report_options options = {.has_tasks = true};
  fixture_timeline(&timeline);
  fixture_span(&timeline, 0, 10, 16, LS_OUTCOME_DONE);
  timeline.spans[0].peak_kib = 2048;
  const struct ls_page page = {
      .timeline = &timeline, .options = &options, .out = &out, .noun = "task"};
  ls_page_workers(&page);
  assert_false(out.failed);
  assert_true(holds(&out,
                    "<tr><td>alpha</td><td data-s=\"16\">16</td><td data-s=\"16\">16</td>"
                    "<td data-s=\"2\">2</td><td data-s=\"0\">0</td>"));
  /* 3 units in 8 s, 3 in 6: the mean of 2.667 and 2 s, and Student's 6.314 with one degree. */
  assert_true(holds(&out, ">2.333 &#177; 2.1</td><td data-s=\"2\">2</td></tr>"));
  assert_true(holds(&out, "<tr><td>&lt;be&quot;t&amp;a,???[1m</td>"));
  assert_true(holds(&out, "<td data-s=\"-1\"></td><td data-s=\"-1\"></td></tr>"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_worker_has_a_row_with_what_it_wasted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
