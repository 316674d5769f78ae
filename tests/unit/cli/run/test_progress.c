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
                                     cmocka_unit_test(it_is_off_without_a_terminal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
