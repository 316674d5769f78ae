#include "report_fixture.h"

#include "report/text_private.h"

static void expect_clean(const char *text, bool is_ascii, size_t columns, const char *expected) {
  struct ls_bytes out = {0};
  ls_report_clean(text, is_ascii, columns, &out);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void what_could_harm_a_terminal_becomes_a_question_mark(void **state) {
  (void)state;
  expect_clean("plain", false, 0, "plain");
  expect_clean("a\033[31mb\n\x7f", false, 0, "a?[31mb??");
  expect_clean("M\xc3\xbcller", false, 0, "M\xc3\xbcller");
  expect_clean("M\xc3\xbcller", true, 0, "M?ller");
  /* C1 control, stray byte, overlong slash, surrogate, beyond Unicode, cut short. */
  expect_clean("\xc2\x9b", false, 0, "??");
  expect_clean("\xff", false, 0, "?");
  expect_clean("\xc0\xaf", false, 0, "??");
  expect_clean("\xed\xa0\x80", false, 0, "???");
  expect_clean("\xf4\x90\x80\x80", false, 0, "????");
  expect_clean("\xf0\x80\x80\x80", false, 0, "????");
  expect_clean("\xe0\x80\x80", false, 0, "???");
  expect_clean("\xe2\x82", false, 0, "??");
}

static void text_is_cut_by_characters_and_padded(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  expect_clean("\xc3\xbc\xc3\xbc\xc3\xbc", false, 2, "\xc3\xbc\xc3\xbc");
  ls_report_pad("\xc3\xbc", false, 3, &out);
  ls_report_pad("abcdef", false, 2, &out);
  ls_report_pad("x", false, 0, &out);
  assert_string_equal(ls_bytes_text(&out), "\xc3\xbc  ab");
  ls_bytes_close(&out);
}

static void markup_is_escaped(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_report_xml("<a href=\"x\">&'\001", &out);
  assert_string_equal(ls_bytes_text(&out), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;?");
  ls_bytes_close(&out);
}

static void rows_are_the_used_resources_then_the_workers(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_report_rows rows;
  char buffer[LS_REPORT_NAME_BYTES];
  fixture_timeline(&timeline);
  ls_report_rows(&timeline, &rows);
  assert_int_equal(rows.count, 3);
  assert_string_equal(ls_report_row_name(&timeline, &rows, 0, buffer), "network");
  assert_string_equal(ls_report_row_name(&timeline, &rows, 1, buffer), "alpha");
  assert_null(ls_report_row_worker(&timeline, &rows, 0));
  assert_ptr_equal(ls_report_row_worker(&timeline, &rows, 2), &timeline.workers[1]);
  assert_int_equal(ls_report_row(&rows, &timeline.spans[3]), 0);
  assert_int_equal(ls_report_row(&rows, &timeline.spans[2]), 2);
  struct ls_span stranger = {.resource = LS_RESOURCE_WORKER, .worker = 7};
  assert_int_equal(ls_report_row(&rows, &stranger), 3);
  assert_string_equal(ls_report_worker(&timeline, 7, buffer), "worker-7");
  ls_timeline_close(&timeline);
}

/* A reader's row stands above its worker's, as soon as anybody's reader did anything. */
static void readers_have_rows_of_their_own(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_report_rows rows;
  char buffer[LS_REPORT_NAME_BYTES];
  fixture_timeline(&timeline);
  struct ls_span staged = {.resource = LS_RESOURCE_READER, .operation = LS_OPERATION_STAGE};
  ls_timeline_add_span(&timeline, &staged);
  ls_report_rows(&timeline, &rows);
  assert_int_equal(rows.count, 5);
  assert_string_equal(ls_report_row_name(&timeline, &rows, 0, buffer), "network");
  assert_string_equal(ls_report_row_name(&timeline, &rows, 1, buffer), "alpha reader");
  assert_string_equal(ls_report_row_name(&timeline, &rows, 2, buffer), "alpha");
  assert_ptr_equal(ls_report_row_worker(&timeline, &rows, 1), &timeline.workers[0]);
  assert_ptr_equal(ls_report_row_worker(&timeline, &rows, 4), &timeline.workers[1]);
  assert_int_equal(ls_report_row(&rows, &staged), 1);
  assert_int_equal(ls_report_row(&rows, &timeline.spans[0]), 2);
  assert_int_equal(ls_report_row(&rows, &timeline.spans[2]), 4);
  staged.worker = 7;
  assert_int_equal(ls_report_row(&rows, &staged), 5);
  ls_timeline_close(&timeline);
}

static void ticks_are_round_and_no_more_than_wanted(void **state) {
  (void)state;
  assert_near(ls_report_tick(100, 10), 10, 1e-9);
  assert_near(ls_report_tick(101, 10), 20, 1e-9);
  assert_near(ls_report_tick(0.0042, 10), 0.0005, 1e-12);
  for (double end_s = 1e-9; end_s < 1e9; end_s *= 1.37)
    for (size_t count = 1; count < 20; count++) {
      double tick_s = ls_report_tick(end_s, count);
      assert_true(tick_s * (double)count >= end_s * (1 - 1e-6));
      assert_true(tick_s * (double)count <= end_s * 10.001);
    }
}

static void the_axis_of_nothing_has_a_length(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  assert_true(ls_report_end(&timeline) > 0);
  timeline.makespan_s = (double)NAN;
  assert_true(ls_report_end(&timeline) > 0);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_could_harm_a_terminal_becomes_a_question_mark),
      cmocka_unit_test(text_is_cut_by_characters_and_padded),
      cmocka_unit_test(markup_is_escaped),
      cmocka_unit_test(rows_are_the_used_resources_then_the_workers),
      cmocka_unit_test(readers_have_rows_of_their_own),
      cmocka_unit_test(ticks_are_round_and_no_more_than_wanted),
      cmocka_unit_test(the_axis_of_nothing_has_a_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
