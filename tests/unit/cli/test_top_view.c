/* The picture of a run in a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/top_view.h"

static struct ls_top_worker workers[] = {
    {.name = "here", .is_there = true, .tasks = 4, .seconds = 8, .present_s = 10},
    {.name = "there",
     .is_there = true,
     .is_busy = true,
     .task = 77,
     .age_s = 5,
     .tasks = 2,
     .seconds = 10,
     .present_s = 10,
     .course = {0, 0, 0, 0, 0, 0, 0.5, 1}},
    {.name = "lost", .present_s = 10}};

static const struct ls_top_facts facts = {.command = "sleep",
                                          .state = "running",
                                          .units = 10,
                                          .done = 6,
                                          .failed = 1,
                                          .now_s = 12,
                                          .p90_s = 3,
                                          .rate = 0.5,
                                          .present = 2,
                                          .busy = 1,
                                          .latest = {{.chunk = 9, .units = 2, .worker = 1}},
                                          .latest_count = 1,
                                          .workers = workers,
                                          .workers_count = 3};

static const char *write_view(const struct ls_top_view *view, struct ls_bytes *out) {
  ls_bytes_clear(out);
  ls_top_view_write(view, &facts, out);
  assert_false(out->failed);
  return ls_bytes_text(out);
}

static void the_run_stands_above_and_its_workers_below(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  const char *text = write_view(&(struct ls_top_view){.columns = 100, .is_ascii = true}, &out);
  assert_string_equal(
      text,
      "sleep  (running, 12.0 s)\n"
      "[##################xxx.........] 6 of 10 done, 1 failed, 3 left, 0.5/s, about 6 s left\n"
      "workers: 2 there, 1 busy; 9 of 10 tasks take at most 3 s\n"
      "sent: chunk 9, 2 to there\n"
      "\n"
      "worker                   task         for     done    s each   idle  of late\n"
      "here                     idle                    4         2    20%          \n"
      "there                      77       5.0 s!       2         5     0%        =#\n"
      "lost                     gone                    0             100%          \n");
  ls_bytes_close(&out);
}

static void no_row_is_wider_than_the_terminal_and_all_fit(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  const char *text = write_view(&(struct ls_top_view){.rows = 8, .columns = 30}, &out);
  size_t rows = 0;
  for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1, rows++)
    assert_true((size_t)(strchr(line, '\n') - line) <= 60); /* blocks take three bytes each */
  assert_true(rows <= 8);
  ls_bytes_close(&out);
}

static void the_longest_and_the_idlest_come_first_when_asked_for(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_top_view view = {.columns = 90, .is_ascii = true, .order = LS_TOP_BY_AGE};
  const char *text = write_view(&view, &out);
  assert_true(strstr(text, "\nthere") < strstr(text, "\nhere"));
  view.order = LS_TOP_BY_IDLE;
  text = write_view(&view, &out);
  assert_true(strstr(text, "\nlost") < strstr(text, "\nhere"));
  view.has_colour = true;
  view.first = 2;
  text = write_view(&view, &out);
  assert_non_null(strstr(text, "\033[31mthere"));
  assert_null(strstr(text, "\nhere"));
  view.wants_help = true;
  assert_non_null(strstr(write_view(&view, &out), "q      leave; the run goes on\n"));
  ls_bytes_close(&out);
}

static void a_line_says_as_much_in_a_file(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_top_view_line(&facts, &out);
  assert_string_equal(
      ls_bytes_text(&out),
      "12.0 s: running, 6 of 10 done, 1 failed, 3 left, 0.5/s, about 6 s left, 1 of "
      "2 workers busy\n");
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_run_stands_above_and_its_workers_below),
      cmocka_unit_test(no_row_is_wider_than_the_terminal_and_all_fit),
      cmocka_unit_test(the_longest_and_the_idlest_come_first_when_asked_for),
      cmocka_unit_test(a_line_says_as_much_in_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
