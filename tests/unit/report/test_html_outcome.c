#include "report_fixture.h"

#include "report/page_private.h"

static bool holds(const struct ls_bytes *page, const char *part) {
  return strstr(ls_bytes_text(page), part) != NULL;
}

static void describe(void *context, uint64_t task, struct ls_bytes *out) {
  ls_bytes_printf(out, "%s%llu", (const char *)context, (unsigned long long)task);
}

static void write_outcome(const struct ls_report_options *options, struct ls_bytes *out) {
  struct ls_timeline timeline;
  fixture_timeline(&timeline);
  const struct ls_page page = {
      .timeline = &timeline, .options = options, .out = out, .noun = "task"};
  ls_page_outcome(&page);
  ls_page_failures(&page);
  assert_false(out->failed);
  ls_timeline_close(&timeline);
}

static void a_sentence_and_a_bar_say_what_became_of_the_tasks(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_account account = {.makespan_s = 10, .workers = 2};
  account.parts_s[LS_ACCOUNT_WORK] = 4.5;
  const struct ls_report_run run = {
      .units = 300, .done = 285, .failed = 12, .timed_out = 2, .abandoned = 1};
  write_outcome(&(struct ls_report_options){.run = &run, .account = &account}, &out);
  assert_true(holds(&out,
                    "300 tasks in 10 s: <b>285</b> done, <b>10</b> failed, <b>2</b> timed out, "
                    "<b>1</b> abandoned, <b>2</b> remaining."));
  assert_true(holds(&out, "the same work would have taken 4.5 s on these 2 workers."));
  assert_true(holds(&out, "<title>10 failed</title>"));
  assert_false(holds(&out, "What failed"));
  ls_bytes_close(&out);
}

static void a_simulation_counts_its_own_units(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  write_outcome(&(struct ls_report_options){.is_running = false}, &out);
  assert_true(holds(&out, "3 tasks in 10 s: <b>3</b> done."));
  ls_bytes_close(&out);
}

static void failures_that_ended_alike_are_one_group(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  char word[] = "<i>";
  const struct ls_report_failure failures[] = {{1, 1, "exit code 3", "no </td> frame"},
                                               {4, 2, "exit code 3", "no </td> frame"},
                                               {7, 1, "timed out", ""},
                                               {8, 1, "exit code 3", "no </td> frame"},
                                               {9, 1, "exit code 3", "no </td> frame"}};
  const struct ls_report_run run = {.units = 9,
                                    .failed = 6,
                                    .timed_out = 1,
                                    .failures = failures,
                                    .failures_count = 5,
                                    .repeat = "loadstar run --resume-failed --journal <j>",
                                    .describe = describe,
                                    .context = word};
  write_outcome(&(struct ls_report_options){.run = &run, .is_running = true}, &out);
  assert_true(holds(&out, "9 tasks in 10 s so far, and it goes on: "));
  assert_true(holds(&out,
                    "<td data-s=\"5\">5</td><td>exit code 3</td><td>no &lt;/td&gt; frame</td><td>1 "
                    "<code>&lt;i&gt;1</code><br>4 to 5 <code>&lt;i&gt;4</code><br>8 "
                    "<code>&lt;i&gt;8</code><br>and more</td>"));
  assert_int_equal(fixture_count(ls_bytes_text(&out), "timed out</td>"), 1);
  assert_true(holds(&out, "--journal &lt;j&gt;</code>"));
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sentence_and_a_bar_say_what_became_of_the_tasks),
      cmocka_unit_test(a_simulation_counts_its_own_units),
      cmocka_unit_test(failures_that_ended_alike_are_one_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
