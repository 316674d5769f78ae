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
  assert_false(holds(&out, "<script>x") || holds(&out, "Where the time went"));
  /* Only this script, and nothing from elsewhere. */
  assert_true(holds(&out, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
  assert_false(holds(&out, "src=") || holds(&out, "<link"));
  ls_bytes_close(&out);
}

static void a_long_command_is_no_title(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  char title[400] = "convert";
  for (int i = 0; i < 30; i++) strcat(title, " --option");
  write_page(&(struct ls_report_options){.title = title}, &out);
  assert_true(holds(&out, " --option …</title>"));
  assert_false(holds(&out, title));
  ls_bytes_close(&out);
}

static void advice_says_what_it_assumes(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  const struct ls_report_run run = {.advice = "Take <12> workers.\nOr fewer."};
  write_page(
      &(struct ls_report_options){
          .perfect_workers = 3, .ideal_from = 2, .ideal_to = 4, .has_tasks = true, .run = &run},
      &out);
  assert_true(holds(&out, "<b>3</b> (2 to 4 nearly as good), if tasks take as long as these did."));
  assert_true(holds(&out, "<p>Take &lt;12&gt; workers.</p>\n<p>Or fewer.</p>"));
  ls_bytes_close(&out);
}

static void how_it_ran_is_told(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  const struct ls_report_fact facts[] = {{"command", "echo </dd>"}};
  const struct ls_report_run run = {.facts = facts, .facts_count = 1};
  write_page(&(struct ls_report_options){.run = &run}, &out);
  assert_true(holds(&out, "<dt>command</dt><dd>echo &lt;/dd&gt;</dd>"));
  assert_true(holds(&out, "<dt>seed</dt><dd>0</dd>"));
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_is_whole_and_safe),
      cmocka_unit_test(a_long_command_is_no_title),
      cmocka_unit_test(advice_says_what_it_assumes),
      cmocka_unit_test(how_it_ran_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
