#include "study_fixture.h"

#include "lab/studies/side_by_side.h"

static struct ls_study_beside make_row(void) {
  return (struct ls_study_beside){.name = "four workers: time",
                                  .printed = 9,
                                  .specified = 8,
                                  .near = 0.5,
                                  .expected = 8.4,
                                  .measured = (double)NAN,
                                  .tolerance = 1};
}

static void what_is_not_there_is_no_figure(void **state) {
  (void)state;
  struct ls_study_beside row = make_row();
  struct ls_study_report report = {0};
  assert_int_equal(ls_study_beside_read(NULL, &row, 1, NULL), LS_OK);
  assert_true(isnan(row.measured));
  ls_study_beside_report(&row, 1, "it is old", &report);
  assert_int_equal(report.figures_count, 2);
  assert_int_equal(count_judged(&report), 1);
  assert_non_null(strstr(ls_bytes_text(&report.text), "time         9       8.4         -"));
  assert_string_equal(report.figures[1].expected.why_not, "it is old");
  ls_study_report_close(&report);
  row.printed = row.specified = (double)NAN;
  ls_study_beside_report(&row, 1, "it is old", &report);
  assert_int_equal(report.figures_count, 1);
  assert_int_equal(count_judged(&report), 0);
  ls_study_report_close(&report);
}

static void measured_figures_are_held_against_the_expectation(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"four workers: time\": 9.3}",
                                      "{\"four workers: time\": 9.5}"};
  for (size_t missed = 0; missed < 2; missed++) {
    struct ls_study_beside row = make_row();
    struct ls_study_report report = {0};
    struct ls_error err = {0};
    json_t *document = NULL;
    const struct ls_text text = {texts[missed], strlen(texts[missed]), "m.json"};
    assert_int_equal(ls_json_parse(text, &document, &err), LS_OK);
    struct ls_json place = ls_json_top(document, "m.json");
    assert_int_equal(ls_study_beside_read(&place, &row, 1, &err), LS_OK);
    json_decref(document);
    ls_study_beside_report(&row, 1, "it is old", &report);
    assert_int_equal(ls_study_missed(&report), missed);
    assert_true(find_figure(&report, "four workers: time, measured") > 9);
    ls_study_report_close(&report);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_there_is_no_figure),
      cmocka_unit_test(measured_figures_are_held_against_the_expectation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
