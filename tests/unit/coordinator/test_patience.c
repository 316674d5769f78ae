/* Limits are derived from what is measured; what is told takes their place. */
#include "harness.h"

#include "coordinator/books/patience.h"

static void assert_near(double got, double wanted) {
  assert_true(fabs(got - wanted) < 1e-9);
}

static void silence_is_three_beats_and_an_answer(void **state) {
  (void)state;
  struct ls_patience patience = {.heartbeat_s = 2};
  assert_near(ls_patience_silence(&patience, 0), 7);       /* no answer yet */
  assert_near(ls_patience_silence(&patience, 0.25), 6.25); /* told */
  assert_near(ls_patience_silence(&patience, 1e-6), 6.01); /* at least 10 ms */
  patience.silence_s = 5;
  assert_near(ls_patience_silence(&patience, 0.25), 5);
  struct ls_patience none = {0};
  assert_true(isinf(ls_patience_silence(&none, 0.25)));
}

static void a_grant_takes_the_median_of_the_last_nine(void **state) {
  (void)state;
  struct ls_patience patience = {.first_grant_s = 60};
  assert_near(ls_patience_grant(&patience), 60);
  for (int i = 0; i < 20; i++) ls_patience_come(&patience, 1000);
  for (int i = 1; i <= 9; i++) ls_patience_come(&patience, i % 2 == 0 ? i : 10 * i);
  /* 10 2 30 4 50 6 70 8 90 */
  assert_near(ls_patience_grant(&patience), 10);
  ls_patience_come(&patience, (double)NAN); /* it was not asked for */
  assert_near(ls_patience_grant(&patience), 10);
  struct ls_patience never = {0};
  ls_patience_come(&never, 3);
  assert_near(ls_patience_grant(&never), 0); /* nobody is replaced */
}

static void absence_lasts_as_long_as_having_it_anew_costs(void **state) {
  (void)state;
  struct ls_patience patience = {.heartbeat_s = 1, .first_grant_s = 10};
  assert_near(ls_patience_loss(&patience, 4, 2), 10);
  assert_near(ls_patience_loss(&patience, 4, 30), 30);
  assert_near(ls_patience_loss(&patience, 40, (double)NAN), 40);
  patience.patience_s = 3;
  assert_near(ls_patience_loss(&patience, 4, 30), 3);
  struct ls_patience none = {0};
  assert_true(isinf(ls_patience_loss(&none, HUGE_VAL, 30)));
}

/* Q until it notices, 10 Q + g until it gives up. */
static void a_worker_tries_to_come_back_for_eleven_silences(void **state) {
  (void)state;
  struct ls_patience patience = {.heartbeat_s = 1, .first_grant_s = 6};
  assert_near(ls_patience_homing(&patience, 4), 50);
  assert_true(isinf(ls_patience_homing(&patience, HUGE_VAL)));
}

static void what_runs_goes_back_after_as_long_as_it_takes(void **state) {
  (void)state;
  assert_near(ls_patience_return(4, 30, 1), 30);
  assert_near(ls_patience_return(4, (double)NAN, 1), 4);
  assert_near(ls_patience_return(4, (double)NAN, 9), 9);
  assert_near(ls_patience_return(HUGE_VAL, (double)NAN, 1), 4);
}

static void requests_are_answered_in_their_order(void **state) {
  (void)state;
  struct ls_patience patience = {.heartbeat_s = 1, .first_grant_s = 1};
  for (int i = 0; i < 100; i++) ls_patience_ask(&patience, 1, i);
  assert_true(ls_patience_is_sound(&patience));
  for (int i = 0; i < 100; i++) {
    double asked_s = ls_patience_join(&patience, 0, 0);
    assert_near(asked_s, i < LS_PATIENCE_ASKS ? i : LS_PATIENCE_ASKS - 1);
  }
  assert_true(isnan(ls_patience_join(&patience, 0, 0)));
}

static void who_was_granted_and_does_not_come_is_given_up(void **state) {
  (void)state;
  struct ls_patience patience = {.heartbeat_s = 1, .first_grant_s = 2};
  assert_true(isinf(ls_patience_give_up_s(&patience)));
  ls_patience_grant_workers(&patience, 2, 20);
  ls_patience_grant_workers(&patience, 3, 25);
  assert_near(ls_patience_give_up_s(&patience), 25 + 3 * 2 + 4);
  /* One of two that are expected besides comes, and then one of these. */
  (void)ls_patience_join(&patience, 7, 28);
  assert_near(ls_patience_give_up_s(&patience), 28 + 3 * 2 + 4);
  assert_int_equal(patience.granted, 5);
  (void)ls_patience_join(&patience, 5, 30);
  assert_int_equal(patience.granted, 4);
  assert_int_equal(ls_patience_give_up(&patience, 39.9), 0);
  assert_int_equal(ls_patience_give_up(&patience, 40), 4);
  assert_true(isinf(ls_patience_give_up_s(&patience)));
  assert_true(ls_patience_is_sound(&patience));
}

static void refusals_double_the_wait(void **state) {
  (void)state;
  struct ls_patience patience = {.first_grant_s = 3};
  ls_patience_refuse(&patience, 1, 100);
  assert_near(patience.ask_again_s, 103);
  ls_patience_refuse(&patience, 1, 103);
  assert_near(patience.ask_again_s, 109);
  for (int i = 0; i < 100; i++) ls_patience_refuse(&patience, 1, 200);
  assert_near(patience.ask_again_s, 260);
  (void)ls_patience_join(&patience, 0, 0);
  ls_patience_refuse(&patience, 1, 300);
  assert_near(patience.ask_again_s, 303);
}

static void who_is_late_itself_judges_nobody(void **state) {
  (void)state;
  struct ls_patience patience = {.silence_s = 4};
  ls_patience_hear(&patience, HUGE_VAL, 50);
  ls_patience_hear(&patience, 50, 51.9);
  assert_near(patience.judged_from_s, 0);
  ls_patience_hear(&patience, 50, 52.1);
  assert_near(patience.judged_from_s, 52.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(silence_is_three_beats_and_an_answer),
      cmocka_unit_test(a_grant_takes_the_median_of_the_last_nine),
      cmocka_unit_test(absence_lasts_as_long_as_having_it_anew_costs),
      cmocka_unit_test(a_worker_tries_to_come_back_for_eleven_silences),
      cmocka_unit_test(what_runs_goes_back_after_as_long_as_it_takes),
      cmocka_unit_test(requests_are_answered_in_their_order),
      cmocka_unit_test(who_was_granted_and_does_not_come_is_given_up),
      cmocka_unit_test(refusals_double_the_wait),
      cmocka_unit_test(who_is_late_itself_judges_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
