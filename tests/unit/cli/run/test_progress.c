#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/progress.h"

static struct ls_master_progress facts = {
    .now_s = 12,
    .totals = {.units = 100,
               .waiting = 45,
               .sent = 5,
               .workers_present = 2,
               .done = 47,
               .failed = 2,
               .given_up = 1},
    .efficiency = {.useful_price = {.total = 18}, .up_s = {.total = 20}, .price = {.total = 20}}};

static void the_line_says_how_the_run_stands(void **state) {
  (void)state;
  struct ls_progress progress = {.began_s = 2, .settled_at_first = 10};
  struct ls_bytes out = {0};
  ls_progress_line(&progress, &facts, 120, &out);
  /* 40 tasks in 10 s: 4/s; 50 left. Half of the bar is full. */
  assert_non_null(
      strstr(out.data, " 50/100 done, 2 running, 3 failed, 4/s, 0:13 left, efficiency 90 %"));
  assert_non_null(strstr(out.data, "[####################....................]"));
  ls_bytes_close(&out);
}

static void the_line_is_never_wider_than_the_terminal(void **state) {
  (void)state;
  struct ls_progress progress = {0};
  for (size_t columns = 0; columns < 200; columns++) {
    struct ls_bytes out = {0};
    ls_progress_line(&progress, &facts, columns, &out);
    assert_true(out.length <= columns);
    ls_bytes_close(&out);
  }
}

static void nothing_known_yet_is_no_division_by_zero(void **state) {
  (void)state;
  struct ls_progress progress = {0};
  struct ls_master_progress none = {0};
  struct ls_bytes out = {0};
  ls_progress_line(&progress, &none, 80, &out);
  assert_string_equal(out.data, " 0/0 done, 0 running, 0 failed, 0/s, --:-- left");
  ls_bytes_close(&out);
}

static void long_times_have_hours(void **state) {
  (void)state;
  struct ls_progress progress = {0};
  struct ls_master_progress slow = {.now_s = 100, .totals = {.units = 101, .done = 1}};
  struct ls_bytes out = {0};
  ls_progress_line(&progress, &slow, 80, &out);
  assert_non_null(strstr(out.data, " 2:46:40 left"));
  ls_bytes_close(&out);
}

static void check_interval(double least_s, double most_s, const char *expected) {
  struct ls_bytes out = {0};
  ls_progress_write_interval(least_s, most_s, &out);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void intervals_have_the_unit_of_their_end(void **state) {
  (void)state;
  check_interval(180, 300, "3 to 5 min");
  check_interval(3, 5.04, "3 to 5 s");
  check_interval(40, 99, "40 to 99 s");
  check_interval(5400, 7560, "1.5 to 2.1 h");
  check_interval(299, 300, "5 min");
  check_interval(2 * 86400.0, 9 * 86400.0, "2 to 9 days");
  check_interval(0, 0, "0 s");
}

/* 20 tasks of 1 s by two workers; 30 are left: 15 s, and after 5 s, when nothing new has come and
 * nothing was reckoned again, 10 s. */
static void the_time_left_is_simulated(void **state) {
  const struct ls_master_present present[] = {{.slot = 0}, {.slot = 1}};
  struct ls_master_progress now = {.now_s = 10,
                                   .totals = {.units = 50, .waiting = 30, .done = 20},
                                   .present = present,
                                   .present_count = 2};
  struct ls_progress progress = {.is_on = true};
  (void)state;
  for (uint32_t i = 0; i < 20; i++)
    ls_progress_note(&progress,
                     &(struct ls_master_timed){
                         .slot = i % 2, .units = 1, .seconds = 1, .now_s = (double)(i / 2 + 1)});
  ls_progress_reckon(&progress, &now);
  struct ls_bytes out = {0};
  ls_progress_line(&progress, &now, 80, &out);
  assert_non_null(strstr(out.data, ", left 15 s"));
  ls_bytes_clear(&out);
  now.now_s = 15;
  ls_progress_line(&progress, &now, 80, &out);
  assert_non_null(strstr(out.data, ", left 10 s"));
  ls_bytes_close(&out);
  ls_progress_close(&progress);
}

/* The tests' standard error is no terminal. */
static void it_is_off_without_a_terminal(void **state) {
  (void)state;
  struct ls_progress progress;
  ls_progress_init(&progress, false, NULL);
  assert_false(progress.is_on);
  progress.is_on = false;
  ls_progress_show(&progress, &facts);
  assert_false(progress.is_drawn);
  assert_true(progress.has_begun);
  assert_int_equal(progress.settled_at_first, 50);
  ls_progress_hide(&progress);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_line_says_how_the_run_stands),
                                     cmocka_unit_test(the_line_is_never_wider_than_the_terminal),
                                     cmocka_unit_test(nothing_known_yet_is_no_division_by_zero),
                                     cmocka_unit_test(long_times_have_hours),
                                     cmocka_unit_test(intervals_have_the_unit_of_their_end),
                                     cmocka_unit_test(the_time_left_is_simulated),
                                     cmocka_unit_test(it_is_off_without_a_terminal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
