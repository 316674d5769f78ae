/* When a unit that waits is better off elsewhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coordinator/books/recalls.h"

static void the_shortest_way_counts(void **state) {
  struct ls_recalls recalls;
  (void)state;
  ls_recalls_init(&recalls);
  assert_true(ls_recalls_answer(&recalls) > 0);
  ls_recalls_hear(&recalls, (double)NAN);
  ls_recalls_hear(&recalls, -1);
  ls_recalls_hear(&recalls, 3);
  ls_recalls_hear(&recalls, 2);
  ls_recalls_hear(&recalls, 5);
  assert_float_equal(recalls.way_s, 2, 0);
  assert_float_equal(ls_recalls_answer(&recalls), 8, 0);
  assert_true(ls_recalls_are_sound(&recalls));
}

/* Whatever is expected: at the time that is told it is worth it, and it is told for no time that a
 * unit at the idle worker and a message would not justify. */
static void it_is_worth_it_when_it_is_due(void **state) {
  struct ls_recalls recalls;
  (void)state;
  ls_recalls_init(&recalls);
  ls_recalls_hear(&recalls, 0.5);
  for (int i = 0; i < 6 * 6 * 6 * 6; i++) {
    const struct ls_recall_facts facts = {
        .begun_s = 10, .running_s = i % 6, .behind_s = i / 6 % 6, .unit_s = i / 36 % 6};
    double now_s = 10 + i / 216;
    double due_s = ls_recalls_due(&recalls, &facts, now_s);
    assert_true(due_s >= now_s);
    assert_true(ls_recalls_due(&recalls, &facts, due_s) <= due_s);
    assert_true(due_s - now_s <= 0.5 + facts.unit_s);
    if (ls_recalls_stay(&facts, now_s) >= 0.5 + facts.unit_s) assert_true(due_s <= now_s);
  }
}

/* What takes longer than it was expected to will take as long again. */
static void what_is_late_stays_late(void **state) {
  const struct ls_recall_facts facts = {.begun_s = 0, .running_s = 2, .behind_s = 1};
  (void)state;
  assert_float_equal(ls_recalls_stay(&facts, 1.5), 1.5, 1e-12);
  assert_float_equal(ls_recalls_stay(&facts, 120), 121, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shortest_way_counts),
      cmocka_unit_test(it_is_worth_it_when_it_is_due),
      cmocka_unit_test(what_is_late_stays_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
