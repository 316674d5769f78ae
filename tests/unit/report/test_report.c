#include "report_fixture.h"

static void every_format_is_listed_once_and_described(void **state) {
  (void)state;
  size_t count = 0;
  for (; ls_report_formats[count] != NULL; count++) {
    assert_true(strlen(ls_report_formats[count]->name) > 0);
    assert_true(strlen(ls_report_formats[count]->summary) > 0);
    for (size_t k = 0; k < count; k++)
      assert_string_not_equal(ls_report_formats[k]->name, ls_report_formats[count]->name);
  }
  assert_int_equal(count, 6);
}

/* No work, no workers, spans of strangers, and times that make no sense: nothing crashes. */
static void every_format_copes_with_odd_timelines(void **state) {
  (void)state;
  for (size_t i = 0; ls_report_formats[i] != NULL; i++)
    for (int kind = 0; kind < 4; kind++)
      for (int columns = 0; columns < 200; columns += 66) {
        struct ls_timeline timeline;
        struct ls_bytes out = {0};
        ls_timeline_init(&timeline);
        if (kind >= 1) ls_timeline_add_worker(&timeline, "", 0, 0);
        if (kind >= 2) fixture_span(&timeline, 9, 0, 1, LS_OUTCOME_DONE);
        if (kind >= 3) fixture_span(&timeline, 0, 2, 2, LS_OUTCOME_LOST);
        struct ls_report_options options = {.title = NULL, .columns = columns};
        ls_report_formats[i]->write(&timeline, &options, &out);
        assert_false(out.failed);
        assert_true(out.length > 0);
        ls_bytes_close(&out);
        ls_timeline_close(&timeline);
      }
}

/* A timeline may hold every outcome: what timed out has failed, all else without a result is lost.
 */
static void every_format_copes_with_every_outcome(void **state) {
  (void)state;
  for (size_t i = 0; ls_report_formats[i] != NULL; i++)
    for (int is_crowd = 0; is_crowd < 2; is_crowd++) {
      struct ls_timeline timeline;
      struct ls_bytes out = {0};
      struct ls_report_options options = {.title = "t"};
      ls_timeline_init(&timeline);
      ls_timeline_add_worker(&timeline, "alpha", 0, (double)INFINITY);
      for (int k = 0; k < (is_crowd != 0 ? 30000 : 6); k++)
        fixture_span(&timeline, 0, k, k + 0.5, (enum ls_outcome)(k % LS_OUTCOME_COUNT));
      ls_report_formats[i]->write(&timeline, &options, &out);
      assert_false(out.failed);
      bool is_summary = ls_report_formats[i] == &ls_report_summary && is_crowd == 0;
      if (is_summary) assert_non_null(strstr(ls_bytes_text(&out), "6 units tried and wasted"));
      if (is_summary) assert_non_null(strstr(ls_bytes_text(&out), "9 units tried and wasted"));
      ls_bytes_close(&out);
      ls_timeline_close(&timeline);
    }
}

static void every_format_gives_the_same_text_twice(void **state) {
  (void)state;
  for (size_t i = 0; ls_report_formats[i] != NULL; i++) {
    struct ls_timeline timeline;
    struct ls_bytes one = {0}, two = {0};
    struct ls_report_options options = {.title = "t"};
    fixture_timeline(&timeline);
    ls_report_formats[i]->write(&timeline, &options, &one);
    ls_report_formats[i]->write(&timeline, &options, &two);
    assert_string_equal(ls_bytes_text(&one), ls_bytes_text(&two));
    ls_bytes_close(&one);
    ls_bytes_close(&two);
    ls_timeline_close(&timeline);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_is_listed_once_and_described),
      cmocka_unit_test(every_format_copes_with_odd_timelines),
      cmocka_unit_test(every_format_copes_with_every_outcome),
      cmocka_unit_test(every_format_gives_the_same_text_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
