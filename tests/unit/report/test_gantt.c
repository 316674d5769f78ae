#include "report_fixture.h"

static void write_with(const struct ls_timeline *timeline, struct ls_report_options options,
                       struct ls_bytes *out) {
  ls_bytes_clear(out);
  ls_report_gantt.write(timeline, &options, out);
}

/* The characters between the bars of the row that begins with `name`. */
static void find_row(const char *text, const char *name, char *row, size_t row_bytes) {
  const char *line = strstr(text, name);
  assert_non_null(line);
  const char *from = strchr(line, '|');
  assert_non_null(from);
  size_t length = strcspn(from + 1, "|");
  assert_true(length < row_bytes);
  memcpy(row, from + 1, length);
  row[length] = '\0';
}

static void a_row_shows_use_failure_loss_idleness_and_absence(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  char row[200];
  fixture_timeline(&timeline);
  free(timeline.workers[1].name);
  timeline.workers[1].name = strdup("beta");
  /* 60 columns: 7 for "network", 3 for the frame and 50 for ten seconds. */
  write_with(&timeline, (struct ls_report_options){.columns = 60, .is_ascii = 1}, &out);
  find_row(ls_bytes_text(&out), "network", row, sizeof row);
  assert_string_equal(row, "#####.............................................");
  find_row(ls_bytes_text(&out), "alpha", row, sizeof row);
  assert_string_equal(row, "########################################xxxxxxxxxx");
  find_row(ls_bytes_text(&out), "beta", row, sizeof row);
  assert_string_equal(row, "                         .....!!!!!!!!!!.....     ");
  assert_non_null(strstr(ls_bytes_text(&out), "x failed  ! lost  . idle"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void rows_show_messages_where_each_worker_has_one(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  char row[200];
  ls_timeline_init(&timeline);
  ls_timeline_add_worker(&timeline, "alpha", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "beta", 0, (double)INFINITY);
  fixture_round_trip(&timeline, 0, 0);
  fixture_round_trip(&timeline, 1, 2);
  /* 60 columns, of which 50 for the ten seconds. */
  write_with(&timeline, (struct ls_report_options){.columns = 60, .is_ascii = 1}, &out);
  find_row(ls_bytes_text(&out), "alpha", row, sizeof row);
  assert_string_equal(row, ">>>>>>>>>>###############.....<<<<<<<<<<..........");
  find_row(ls_bytes_text(&out), "beta", row, sizeof row);
  assert_string_equal(row, "..........>>>>>>>>>>###############.....<<<<<<<<<<");
  assert_non_null(strstr(ls_bytes_text(&out), "> sent  < returned"));
  /* With a second chunk messages and computing would overlap: each keeps its own row. */
  fixture_round_trip(&timeline, 0, 10);
  write_with(&timeline, (struct ls_report_options){.columns = 60, .is_ascii = 1}, &out);
  assert_null(strchr(ls_bytes_text(&out), '>'));
  assert_null(strstr(ls_bytes_text(&out), "sent"));
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void partly_used_columns_are_lighter(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  char row[200];
  ls_timeline_init(&timeline);
  ls_timeline_add_worker(&timeline, "work", 0, (double)INFINITY);
  /* 53 columns of one second; each second is used a little longer than the one before. */
  for (int k = 0; k < 53; k++) fixture_span(&timeline, 0, k, k + (k + 1) / 53.0, LS_OUTCOME_DONE);
  write_with(&timeline, (struct ls_report_options){.columns = 60, .is_ascii = 1}, &out);
  find_row(ls_bytes_text(&out), "work", row, sizeof row);
  const char *order = "-=+#";
  size_t last = 0;
  for (const char *c = row; *c != '\0'; c++) {
    const char *place = strchr(order, *c);
    assert_non_null(place);
    assert_true((size_t)(place - order) >= last);
    last = (size_t)(place - order);
  }
  assert_int_equal(row[0], '-');
  assert_int_equal(last, 3);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static size_t count_characters(const char *line, size_t bytes) {
  size_t count = 0;
  for (size_t i = 0; i < bytes; i++) count += ((unsigned char)line[i] & 0xc0) != 0x80;
  return count;
}

static void no_line_is_wider_than_asked(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  ls_timeline_add_worker(&timeline, "a-very-long-name-for-a-worker-of-any-kind", 0, 1);
  for (int columns = 48; columns <= 300; columns += 7)
    for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
      write_with(&timeline, (struct ls_report_options){.columns = columns, .is_ascii = is_ascii},
                 &out);
      const char *line = ls_bytes_text(&out);
      for (; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(count_characters(line, strcspn(line, "\n")) <= (size_t)columns);
    }
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

static void colour_and_other_alphabets_only_when_asked(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes out = {0};
  fixture_timeline(&timeline);
  write_with(&timeline, (struct ls_report_options){.is_ascii = 1}, &out);
  for (const char *c = ls_bytes_text(&out); *c != '\0'; c++)
    assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
  write_with(&timeline, (struct ls_report_options){.has_colour = 1}, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "\033[36m"));
  assert_non_null(strstr(text, "█"));
  /* Every line with a colour ends without one. */
  const char *last = strrchr(text, '\033');
  assert_non_null(last);
  assert_int_equal(strncmp(last, "\033[0m", 4), 0);
  ls_bytes_close(&out);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_shows_use_failure_loss_idleness_and_absence),
      cmocka_unit_test(rows_show_messages_where_each_worker_has_one),
      cmocka_unit_test(partly_used_columns_are_lighter),
      cmocka_unit_test(no_line_is_wider_than_asked),
      cmocka_unit_test(colour_and_other_alphabets_only_when_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
