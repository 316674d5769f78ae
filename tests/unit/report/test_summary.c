#include "report_fixture.h"

static void write_with(const struct ls_timeline *timeline, struct ls_report_options options,
                       struct ls_bytes *out) {
  ls_bytes_clear(out);
  ls_report_summary.write(timeline, &options, out);
}

static void totals_and_waste_are_told(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  write_with(&timeline,
             (struct ls_report_options){
                 .title = "my run", .perfect_workers = 3, .ideal_from = 2, .ideal_to = 4},
             &out);
  const char *text = ls_bytes_text(&out);
  assert_int_equal(strncmp(text, "my run\n", 7), 0);
  assert_non_null(strstr(text, "makespan     10 s\n"));
  assert_non_null(strstr(text, "efficiency   57.1 %\n")); /* 8 of 10 + 4 seconds */
  assert_non_null(strstr(text, "units done   3\n"));
  assert_non_null(strstr(text, "failed       3 units tried and wasted, 2 s\n"));
  assert_non_null(strstr(text, "lost         3 units tried and wasted, 2 s\n"));
  assert_non_null(strstr(text, "network      10.0 %\n"));
  assert_null(strstr(text, "master busy"));
  assert_non_null(
      strstr(text, "EER          17.5 s (makespan / efficiency)\n")); /* 10 / (8 / 14) */
  assert_non_null(strstr(text,
                         "workers that would pay: 3 (2 to 4 nearly as good), "
                         "if units take as long as these did\n"));
  assert_null(strstr(text, "price"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

/* As the summary of the run calls them. */
static void units_of_commands_are_tasks(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  write_with(&timeline, (struct ls_report_options){.has_tasks = true}, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "tasks done   3\n"));
  assert_non_null(strstr(text, "failed       3 tasks tried and wasted, 2 s\n"));
  assert_non_null(strstr(text, " chunks    tasks\n"));
  assert_null(strstr(text, "unit"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void each_worker_has_its_line_within_the_width(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  ls_timeline_add_worker(
      &timeline, "a-name-that-is-longer-than-anybody-has-a-right-to-and-longer-still", 0, 1);
  write_with(&timeline, (struct ls_report_options){.columns = 80, .is_ascii = 1}, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "\nalpha "));
  assert_non_null(strstr(text, "\na-name-that"));
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    assert_true(strcspn(line, "\n") <= 80);
  }
  assert_null(strchr(text, '\033'));
  for (const char *c = text; *c != '\0'; c++) assert_true((unsigned char)*c < 0x80);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void a_narrow_table_loses_columns_before_names(void **state) {
  (void)state;
  for (int columns = 48; columns <= 90; columns++)
    for (int is_priced = 0; is_priced < 2; is_priced++) {
      struct ls_timeline timeline;
      struct ls_bytes out = {0};
      fixture_timeline(&timeline);
      if (is_priced) timeline.workers[0].price_per_s = 2;
      ls_timeline_add_worker(&timeline, "local-1", 0, 1);
      write_with(&timeline, (struct ls_report_options){.columns = columns, .is_ascii = 1}, &out);
      const char *table = strstr(ls_bytes_text(&out), "\nworker ");
      assert_non_null(table);
      bool has_room = columns >= (is_priced ? 56 : 48);
      if (has_room) assert_non_null(strstr(table, "\nlocal-1 "));
      for (const char *line = table + 1; has_room && *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= (size_t)columns);
      ls_bytes_close(&out);
      ls_timeline_close(&timeline);
    }
}

static void staging_is_told_where_some_is(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  write_with(&timeline, (struct ls_report_options){.columns = 90}, &out);
  assert_null(strstr(ls_bytes_text(&out), "hidden"));
  ls_timeline_add_span(
      &timeline, &(struct ls_span){
                     .resource = LS_RESOURCE_READER, .operation = LS_OPERATION_STAGE, .end_s = 2});
  timeline.workers[0].exposed_s = 0.5;
  write_with(&timeline, (struct ls_report_options){.columns = 90}, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "  units  staged s  hidden\n"));
  assert_non_null(strstr(text, "         2   75.0%\n"));
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    assert_true(strcspn(line, "\n") <= 90);
  }
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void price_is_told_where_a_worker_has_one_of_its_own(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  timeline.workers[0].price_per_s = 2; /* up for all of the 10 s, the other for 4 */
  write_with(&timeline, (struct ls_report_options){.title = ""}, &out);
  assert_non_null(strstr(ls_bytes_text(&out), "price        24 (cost x seconds up)\n"));
  assert_non_null(strstr(ls_bytes_text(&out), " % (each second at its cost)\n"));
  assert_non_null(strstr(ls_bytes_text(&out), "units      price\n"));
  assert_non_null(strstr(ls_bytes_text(&out), "         20\n")); /* 10 s at 2 */
  assert_null(strstr(ls_bytes_text(&out), "perfect"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(totals_and_waste_are_told),
      cmocka_unit_test(units_of_commands_are_tasks),
      cmocka_unit_test(each_worker_has_its_line_within_the_width),
      cmocka_unit_test(a_narrow_table_loses_columns_before_names),
      cmocka_unit_test(staging_is_told_where_some_is),
      cmocka_unit_test(price_is_told_where_a_worker_has_one_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
