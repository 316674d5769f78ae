#include "pool_fixture.h"
#include "runtime/master/staffing.h"

static struct noted noted;
static const struct ls_pool_choice choice = {&noted_kind, {.slots = 5, .own = &noted}};

static struct ls_pools open_one(void) {
  struct ls_pools pools = {0};
  noted = (struct noted){.file = -1, .patience_s = (double)INFINITY};
  assert_int_equal(ls_pools_open(&pools, &choice, 1, NULL), LS_OK);
  return pools;
}

static const struct ls_pool_news refused = {.kind = LS_POOL_REFUSED, .count = 3, .words = "full"};

static void coordinator_hears_of_what_it_asked_for(void **state) {
  (void)state;
  struct ls_pools pools = open_one();
  struct ls_staffing staffing = {0};
  /* The first workers are taken for granted. */
  assert_int_equal(ls_staffing_grant(&staffing), 0);
  ls_staffing_request(&staffing, &pools, 5, 0);
  assert_int_equal(noted.asked, 5);
  assert_int_equal(ls_staffing_grant(&staffing), 1);
  assert_int_equal(ls_staffing_refuse(&staffing, &refused, 0), 3);
  assert_string_equal(staffing.why, "full");
  /* What it was told of it asks for again itself. */
  assert_true(isinf(ls_staffing_until_s(&staffing)));
  assert_int_equal(ls_staffing_grant(&staffing), 1);
  assert_int_equal(ls_staffing_grant(&staffing), 0);
  ls_pools_close(&pools, 0);
}

static void who_was_taken_for_granted_is_asked_for_again_ever_later(void **state) {
  (void)state;
  struct ls_pools pools = open_one();
  struct ls_staffing staffing = {0};
  double now_s = 0, waits_s[8];
  ls_staffing_request(&staffing, &pools, 1, 0);
  assert_int_equal(ls_staffing_refuse(&staffing, &refused, now_s), 1);
  noted.asked = 0;
  for (int i = 0; i < 8; ++i) {
    double until_s = ls_staffing_until_s(&staffing);
    assert_true(until_s > now_s);
    waits_s[i] = until_s - now_s;
    ls_staffing_retry(&staffing, &pools, now_s);
    assert_int_equal(noted.asked, 0);
    now_s = until_s;
    ls_staffing_retry(&staffing, &pools, now_s);
    assert_int_equal(noted.asked, i == 0 ? 2 : 3);
    noted.asked = 0;
    assert_int_equal(ls_staffing_refuse(&staffing, &refused, now_s), 0);
  }
  assert_true(fabs(waits_s[1] - 2 * waits_s[0]) < 1e-9 && waits_s[7] <= 10);
  /* When somebody has come, the trouble is over. */
  ls_staffing_retry(&staffing, &pools, ls_staffing_until_s(&staffing));
  ls_staffing_join(&staffing);
  assert_string_equal(staffing.why, "");
  (void)ls_staffing_refuse(&staffing, &refused, 100);
  assert_true(ls_staffing_until_s(&staffing) - 100 < 1.5 * waits_s[0]);
  ls_pools_close(&pools, 0);
}

static void refusal_for_good_is_not_asked_again(void **state) {
  (void)state;
  struct ls_staffing staffing = {0};
  struct ls_pool_news final = refused;
  final.is_final = true;
  assert_int_equal(ls_staffing_refuse(&staffing, &final, 0), 0);
  assert_true(isinf(ls_staffing_until_s(&staffing)));
}

/* A process that is not to be had is waited for, but not where nobody has ever been there. */
static void who_cannot_be_started_bars_the_run_until_somebody_was_there(void **state) {
  (void)state;
  struct ls_pools pools = open_one();
  struct ls_staffing staffing = {0};
  struct ls_pool_news barred = refused;
  barred.is_barred = true;
  (void)ls_staffing_refuse(&staffing, &barred, 10);
  assert_false(ls_staffing_is_barred(&staffing, 12, 3));
  (void)ls_staffing_refuse(&staffing, &barred, 12);
  assert_true(ls_staffing_is_barred(&staffing, 13, 3));
  (void)ls_staffing_refuse(&staffing, &refused, 13);
  assert_false(ls_staffing_is_barred(&staffing, 20, 3));
  ls_staffing_join(&staffing);
  (void)ls_staffing_refuse(&staffing, &barred, 30);
  assert_false(ls_staffing_is_barred(&staffing, 40, 3));
  ls_pools_close(&pools, 0);
}

/* One that leaves with a failure, before it has done anything, makes the next one wait. */
static void who_leaves_unfit_delays_the_next_one_until_a_unit_ends(void **state) {
  (void)state;
  struct ls_pools pools = open_one();
  struct ls_staffing staffing = {0};
  struct ls_pool_news left = {.kind = LS_POOL_LOST, .slot = 2, .cause = LS_LOSS_LEFT};
  ls_staffing_leave(&staffing, &left);
  assert_int_equal(staffing.unfit, 0);
  left.exit_code = 3;
  left.words = "ended with exit status 3";
  ls_staffing_leave(&staffing, &left);
  assert_int_equal(staffing.unfit, 1);
  assert_string_equal(staffing.why, "a worker, in slot 2, ended with exit status 3");
  /* That it said what it wants is nothing yet. */
  ls_staffing_join(&staffing);
  noted.asked = 0;
  ls_staffing_request(&staffing, &pools, 1, 0);
  assert_int_equal(noted.asked, 0);
  assert_true(ls_staffing_until_s(&staffing) > 0);
  ls_staffing_retry(&staffing, &pools, ls_staffing_until_s(&staffing));
  assert_int_equal(noted.asked, 1);
  ls_staffing_serve(&staffing);
  ls_staffing_request(&staffing, &pools, 1, 0);
  assert_int_equal(noted.asked, 2);
  ls_pools_close(&pools, 0);
}

static void the_first_reason_counts_until_somebody_can(void **state) {
  (void)state;
  struct ls_staffing staffing = {0};
  assert_null(ls_staffing_unable(&staffing));
  ls_staffing_hear_unable(&staffing, "vm-1", "no such image");
  ls_staffing_hear_unable(&staffing, "vm-2", "no memory");
  assert_string_equal(ls_staffing_unable(&staffing), "vm-1: no such image");
  ls_staffing_join(&staffing);
  assert_null(ls_staffing_unable(&staffing));
  ls_staffing_hear_unable(&staffing, "vm-3", "no memory");
  assert_null(ls_staffing_unable(&staffing));
}

static void worker_that_dies_before_it_joins_is_owed(void **state) {
  (void)state;
  struct ls_pools pools = open_one();
  struct ls_staffing staffing = {0};
  struct ls_pool_news lost = {.kind = LS_POOL_LOST, .slot = 2, .signal = 9, .words = "signal 9"};
  ls_staffing_lose(&staffing, &lost, 0);
  /* Who was killed says nothing of the next one. */
  assert_int_equal(staffing.untimely, 0);
  lost = (struct ls_pool_news){.kind = LS_POOL_LOST, .slot = 1, .cause = LS_LOSS_RECLAIMED};
  ls_staffing_lose(&staffing, &lost, 0);
  assert_int_equal(staffing.untimely, 0);
  lost = (struct ls_pool_news){.kind = LS_POOL_LOST, .slot = 3, .exit_code = 1};
  ls_staffing_lose(&staffing, &lost, 0);
  assert_int_equal(staffing.untimely, 1);
  assert_non_null(strstr(staffing.why, "slot 3"));
  ls_staffing_retry(&staffing, &pools, ls_staffing_until_s(&staffing));
  assert_int_equal(noted.asked, 3);
  ls_staffing_miss(&staffing, &lost);
  assert_int_equal(staffing.untimely, 2);
  assert_non_null(strstr(staffing.why, "slot 3, ended before it began"));
  assert_true(isinf(ls_staffing_until_s(&staffing)));
  /* Who takes its place comes a while later. */
  ls_staffing_request(&staffing, &pools, 1, 10);
  assert_int_equal(noted.asked, 3);
  assert_true(ls_staffing_until_s(&staffing) > 10);
  ls_staffing_retry(&staffing, &pools, ls_staffing_until_s(&staffing));
  assert_int_equal(noted.asked, 4);
  assert_int_equal(ls_staffing_grant(&staffing), 1);
  ls_staffing_join(&staffing);
  assert_int_equal(staffing.untimely, 0);
  ls_pools_close(&pools, 0);
}

/* Nobody answers, so nothing is open. */
static void without_pools_nothing_is_asked(void **state) {
  (void)state;
  struct ls_pools pools = {0};
  struct ls_staffing staffing = {0};
  ls_staffing_request(&staffing, &pools, 4, 0);
  assert_int_equal(staffing.asked, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinator_hears_of_what_it_asked_for),
      cmocka_unit_test(who_was_taken_for_granted_is_asked_for_again_ever_later),
      cmocka_unit_test(refusal_for_good_is_not_asked_again),
      cmocka_unit_test(who_cannot_be_started_bars_the_run_until_somebody_was_there),
      cmocka_unit_test(the_first_reason_counts_until_somebody_can),
      cmocka_unit_test(who_leaves_unfit_delays_the_next_one_until_a_unit_ends),
      cmocka_unit_test(worker_that_dies_before_it_joins_is_owed),
      cmocka_unit_test(without_pools_nothing_is_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
