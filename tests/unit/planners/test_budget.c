#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/budget.h"

/* A clock that says so from its n-th question on. */
struct patience {
  int left, asked;
};

static bool lose_patience(void *context) {
  struct patience *patience = context;
  patience->asked++;
  return patience->left-- <= 0;
}

static void a_budget_without_limits_is_never_spent(void **state) {
  struct ls_budget budget = {0};
  (void)state;
  ls_budget_spend(&budget, UINT64_MAX / 2);
  assert_false(ls_budget_is_spent(&budget));
  ls_budget_spend(NULL, 1);
  assert_false(ls_budget_is_spent(NULL));
}

static void work_spends_it(void **state) {
  struct ls_budget budget = {.work_max = 3};
  (void)state;
  ls_budget_spend(&budget, 2);
  assert_false(ls_budget_is_spent(&budget));
  ls_budget_spend(&budget, 1);
  assert_true(ls_budget_is_spent(&budget));
  assert_true(budget.is_stopped);
}

/* However the clock may go back. */
static void what_is_stopped_stays_stopped(void **state) {
  struct patience patience = {.left = 1};
  struct ls_budget budget = {.stop = lose_patience, .stop_context = &patience};
  (void)state;
  assert_false(ls_budget_is_spent(&budget));
  assert_true(ls_budget_is_spent(&budget));
  patience = (struct patience){.left = 100};
  assert_true(ls_budget_is_spent(&budget));
  assert_int_equal(patience.asked, 0);
}

static void short_steps_look_at_the_clock_now_and_then(void **state) {
  struct patience patience = {.left = 1000};
  struct ls_budget budget = {.stop = lose_patience, .stop_context = &patience};
  (void)state;
  for (int step = 0; step < 640; step++) {
    assert_false(ls_budget_is_spent_shortly(&budget));
    ls_budget_spend(&budget, 1);
  }
  assert_int_equal(patience.asked, 10);
}

static void a_part_has_the_clock_and_a_limit_of_its_own(void **state) {
  struct patience patience = {.left = 0};
  struct ls_budget whole = {.work_max = 9, .work = 5, .stop = lose_patience};
  (void)state;
  whole.stop_context = &patience;
  struct ls_budget part = ls_budget_part(&whole, 0);
  ls_budget_spend(&part, 100);
  assert_false(whole.is_stopped);
  assert_true(ls_budget_is_spent(&part));
  assert_int_equal(patience.asked, 1);
  ls_budget_add(&whole, &part);
  assert_int_equal(whole.work, 105);
  assert_true(whole.is_stopped);
  part = ls_budget_part(NULL, 2);
  assert_false(ls_budget_is_spent(&part));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_budget_without_limits_is_never_spent),
      cmocka_unit_test(work_spends_it),
      cmocka_unit_test(what_is_stopped_stays_stopped),
      cmocka_unit_test(short_steps_look_at_the_clock_now_and_then),
      cmocka_unit_test(a_part_has_the_clock_and_a_limit_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
