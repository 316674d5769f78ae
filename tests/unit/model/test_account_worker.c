#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/account_worker.h"
#include "model/windows.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

static void work(struct ls_account_worker *worker, double start_s, double end_s, uint64_t chunk) {
  ls_account_work(worker,
                  &(struct ls_account_work){
                      .start_s = start_s, .end_s = end_s, .chunk = chunk, .is_useful = true});
}

static double sum(const struct ls_account *account) {
  double all_s = 0;
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++) all_s += account->parts_s[part];
  return all_s;
}

static void every_instant_has_its_part(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 1);
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 2, .end_s = 3, .chunk = 0, .is_useful = true, .fixed_s = 0.25});
  /* Of the same chunk: no latency again. */
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 3, .end_s = 4, .chunk = 0, .is_useful = true, .fixed_s = 0.25});
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 5, .end_s = 6, .chunk = 1, .is_useful = false, .fixed_s = 0.25});
  ls_account_leave(&worker, 8);
  ls_account_average(&worker, 1, 10, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_ABSENT], 1 + 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LATENCY], 0.25));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 1.75));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_IMBALANCE], 0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_TAIL], 2));
  assert_true(is_near(sum(&account), 10));
}

/* The second chunk's is spread over its spans, the third one's is longer than all of it. */
static void every_chunk_has_a_latency_of_its_own(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 0, .end_s = 2, .chunk = 7, .is_useful = true, .fixed_s = 0.5});
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 2, .end_s = 3, .chunk = 8, .is_useful = true, .fixed_s = 1.5});
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 3, .end_s = 5, .chunk = 8, .is_useful = true, .fixed_s = 1.5});
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 5, .end_s = 6, .chunk = 9, .is_useful = true, .fixed_s = 4});
  ls_account_average(&worker, 1, 6, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LATENCY], 0.5 + 1.5 + 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 1.5 + 1.5));
  assert_true(is_near(sum(&account), 6));
}

static void a_fixed_cost_is_that_of_the_window(void **state) {
  (void)state;
  struct ls_window windows[] = {{.from = 0, .to = 10}, {.from = 20, .to = (double)INFINITY}};
  struct ls_platform platform;
  windows[0].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.25, 3};
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 3};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){8, 1};
  windows[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){9, 0};
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s = 2;
  assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[1], windows, 2, NULL),
                   LS_OK);
  assert_true(is_near(ls_account_fixed_s(&platform, 0, 5), 2));
  assert_true(is_near(ls_account_fixed_s(&platform, 1, 5), 0.75));
  assert_true(is_near(ls_account_fixed_s(&platform, 1, 15), 8));
  assert_true(is_near(ls_account_fixed_s(&platform, 2, 5), 0));
  assert_true(is_near(ls_account_fixed_s(NULL, 0, 5), 0));
  ls_platform_close(&platform);
}

static void means_are_those_of_the_workers_that_were_there(void **state) {
  (void)state;
  struct ls_account_worker workers[4] = {{.is_there = false}};
  struct ls_account account;
  ls_account_join(&workers[0], 0);
  work(&workers[0], 0, 4, 0);
  ls_account_join(&workers[1], 0);
  work(&workers[1], 1, 2, 1);
  ls_account_join(&workers[2], 7); /* when all was over */
  ls_account_average(workers, 4, 5, &account);
  assert_true(is_near(account.workers, 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 0.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_IMBALANCE], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_TAIL], 1));
  assert_true(is_near(sum(&account), 5));
}

/* Executors do not count a suspension: the work of 2 s around one of 3 s ends 5 s later. */
static void a_suspension_within_work_is_away(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  ls_account_suspend(&worker, 1);
  ls_account_resume(&worker, 4);
  work(&worker, 3, 5, 0);
  ls_account_average(&worker, 1, 5, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 3));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 0));
}

static void who_is_away_at_the_end_is_so_from_then_on(void **state) {
  (void)state;
  struct ls_account_worker workers[2] = {{.is_there = false}};
  struct ls_account account;
  ls_account_join(&workers[0], 0);
  work(&workers[0], 0, 8, 0);
  ls_account_join(&workers[1], 0);
  work(&workers[1], 0, 2, 1);
  ls_account_suspend(&workers[1], 3);
  ls_account_average(workers, 2, 9, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_IMBALANCE], 0.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 3));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_TAIL], 0.5));
  assert_true(is_near(sum(&account), 9));
}

static void a_slot_that_was_empty_in_between_was_away(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  work(&worker, 0, 1, 0);
  ls_account_leave(&worker, 2);
  ls_account_join(&worker, 5);
  work(&worker, 6, 7, 1);
  ls_account_average(&worker, 1, 7, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 3));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_ABSENT], 0));
}

static void hear(struct ls_account_worker *worker, double end_s, double seconds, uint64_t chunk) {
  ls_account_work(worker, &(struct ls_account_work){.start_s = end_s - seconds,
                                                    .end_s = end_s,
                                                    .seconds = seconds,
                                                    .chunk = chunk,
                                                    .is_useful = true});
}

/* The first result was heard 0.5 s late, the second one 1 s: that much of the wait was work. */
static void a_result_that_is_heard_late_takes_back_waits(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  hear(&worker, 2, 1, 0);
  hear(&worker, 4, 1.5, 1);
  hear(&worker, 5, 1.75, 2);
  ls_account_average(&worker, 1, 5, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 4.25));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 0.75));
  assert_true(is_near(sum(&account), 5));
}

/* All in one look of the master; what it cannot have worked since it joined has no place. */
static void results_that_are_heard_at_once_all_count(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 1);
  for (uint64_t chunk = 0; chunk < 3; chunk++) hear(&worker, 7, 1.5, chunk);
  ls_account_average(&worker, 1, 7, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 4.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 1.5));
  hear(&worker, 7, 2, 3);
  ls_account_average(&worker, 1, 7, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 6));
  assert_true(is_near(sum(&account), 7));
  assert_true(is_near(worker.late_s, 0.5));
}

/* It was cut off for six seconds and lost meanwhile, and computed all the time: all four results
 * come when it is back. */
static void who_worked_while_it_was_away_was_not(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  hear(&worker, 2, 2, 0);
  ls_account_know_away(&worker, 3);
  ls_account_leave(&worker, 5);
  ls_account_join(&worker, 8);
  for (uint64_t chunk = 1; chunk < 4; chunk++) hear(&worker, 8.5, 2, chunk);
  assert_true(is_near(worker.late_s, 5.5));
  hear(&worker, 10, 1, 4);
  assert_true(is_near(worker.late_s, 5.5));
  ls_account_average(&worker, 1, 10, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2 + 6 + 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 0.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 0.5));
  assert_true(is_near(sum(&account), 10));
}

/* An executor does not count that it was suspended, a span does. */
static void only_seconds_that_were_counted_take_back_waits(void **state) {
  (void)state;
  struct ls_account_worker workers[2] = {{.is_there = false}};
  struct ls_account account;
  for (size_t i = 0; i < 2; i++) {
    ls_account_join(&workers[i], 0);
    work(&workers[i], 3, 5, 0);
    ls_account_know_away(&workers[i], 4);
  }
  hear(&workers[0], 10, 3, 1);
  work(&workers[1], 5, 10, 1);
  ls_account_average(&workers[0], 1, 10, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2 + 3));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 4));
  ls_account_average(&workers[1], 1, 10, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2 + 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 3));
}

/* A run that was stopped ends before its last, cancelled work. */
static void work_beyond_the_makespan_does_not_count(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  work(&worker, 1, 3, 0);
  ls_account_work(&worker,
                  &(struct ls_account_work){
                      .start_s = 5, .end_s = 6, .chunk = 1, .is_useful = false, .fixed_s = 0});
  ls_account_average(&worker, 1, 5.5, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 0.5));
  assert_true(is_near(sum(&account), 5.5));
  ls_account_average(&worker, 1, 4, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2));
  assert_true(is_near(sum(&account), 4));
}

static void suspensions_may_be_known_by_their_sum(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_join(&worker, 0);
  ls_account_know_away(&worker, 2);
  ls_account_know_away(&worker, 2); /* the same ones */
  work(&worker, 3, 4, 0);
  ls_account_know_away(&worker, 2.5);
  ls_account_average(&worker, 1, 6, &account);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 2.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_TAIL], 1.5));
}

static void nobody_has_an_empty_account(void **state) {
  (void)state;
  struct ls_account_worker worker = {.is_there = false};
  struct ls_account account;
  ls_account_average(&worker, 1, 3, &account);
  assert_true(is_near(account.workers, 0) && is_near(sum(&account), 0));
  assert_true(is_near(account.makespan_s, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_instant_has_its_part),
      cmocka_unit_test(every_chunk_has_a_latency_of_its_own),
      cmocka_unit_test(a_fixed_cost_is_that_of_the_window),
      cmocka_unit_test(means_are_those_of_the_workers_that_were_there),
      cmocka_unit_test(a_suspension_within_work_is_away),
      cmocka_unit_test(who_is_away_at_the_end_is_so_from_then_on),
      cmocka_unit_test(a_slot_that_was_empty_in_between_was_away),
      cmocka_unit_test(a_result_that_is_heard_late_takes_back_waits),
      cmocka_unit_test(results_that_are_heard_at_once_all_count),
      cmocka_unit_test(who_worked_while_it_was_away_was_not),
      cmocka_unit_test(only_seconds_that_were_counted_take_back_waits),
      cmocka_unit_test(work_beyond_the_makespan_does_not_count),
      cmocka_unit_test(suspensions_may_be_known_by_their_sum),
      cmocka_unit_test(nobody_has_an_empty_account),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
