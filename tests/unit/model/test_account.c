#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/account.h"
#include "model/windows.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

static void add_span(struct ls_timeline *timeline, uint32_t worker, double start_s, double end_s,
                     enum ls_outcome outcome) {
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                   .operation = LS_OPERATION_COMPUTE,
                                                   .outcome = outcome,
                                                   .worker = worker,
                                                   .chunk = timeline->spans_count,
                                                   .start_s = start_s,
                                                   .end_s = end_s});
}

static void add_receiving(struct ls_timeline *timeline, uint64_t chunk, double start_s,
                          double end_s) {
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                   .operation = LS_OPERATION_RECEIVE,
                                                   .chunk = chunk,
                                                   .start_s = start_s,
                                                   .end_s = end_s});
}

static struct ls_account take_account(struct ls_timeline *timeline,
                                      const struct ls_platform *platform) {
  struct ls_account account;
  assert_int_equal(ls_timeline_finish(timeline, NULL), LS_OK);
  assert_int_equal(ls_account_of(timeline, platform, &account, NULL), LS_OK);
  ls_timeline_close(timeline);
  return account;
}

static void spans_need_no_order_and_are_cut_to_the_presence(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 10;
  add_span(&timeline, 1, 6, 12, LS_OUTCOME_DONE); /* beyond the makespan */
  add_span(&timeline, 0, 4, 5, LS_OUTCOME_LOST);
  add_span(&timeline, 0, 0, 3, LS_OUTCOME_DONE); /* it joined at 1 */
  ls_timeline_add_worker(&timeline, "a", 1, 5);
  ls_timeline_add_worker(&timeline, "b", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "never", 0, 0);
  struct ls_account account = take_account(&timeline, NULL);
  assert_true(is_near(account.workers, 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], (2 + 4) / 2.0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 0.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 0.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 3));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_ABSENT], (1 + 5) / 2.0));
}

static void receiving_counts_with_its_chunk(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_RECEIVE].latency_s = 0.5;
  platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s = 1;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 7;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  add_receiving(&timeline, 1, 0, 1);
  add_span(&timeline, 0, 1, 4, LS_OUTCOME_DONE);
  add_receiving(&timeline, 3, 4, 5);
  add_span(&timeline, 0, 5, 7, LS_OUTCOME_LOST);
  struct ls_account account = take_account(&timeline, &platform);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LATENCY], 1.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 2.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 3));
  ls_platform_close(&platform);
}

/* Of 2 s and 3 s of receiving the latter is followed by computing that costs nothing. */
static void what_is_computed_in_no_time_was_not_received_in_vain(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 5;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  add_receiving(&timeline, 7, 0, 2);
  add_receiving(&timeline, 2, 2, 5);
  add_span(&timeline, 0, 5, 5, LS_OUTCOME_DONE);
  struct ls_account account = take_account(&timeline, NULL);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 3));
}

/* Up to 3 units: 0.25 s and 0.5 s; up to 100: 1 s and 2 s, which is the cheaper window of all. */
static void open_windows(struct ls_platform *platform) {
  struct ls_window windows[] = {{.from = 1, .to = 3}, {.from = 4, .to = 100}};
  windows[0].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.25, 0};
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1};
  windows[1].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){1, 0};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){2, 0.5};
  assert_int_equal(ls_platform_init(platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(ls_platform_set_windows(platform, &platform->workers[i], windows, 2, NULL),
                     LS_OK);
}

/* Chunks of 2 and 8 units at one worker, of 2 and 2 at the other; the last one is lost. */
static void a_chunk_pays_the_latency_of_its_window(void **state) {
  (void)state;
  static const double units[] = {2, 8, 2, 2};
  struct ls_timeline timeline;
  struct ls_platform platform;
  open_windows(&platform);
  ls_timeline_init(&timeline);
  timeline.makespan_s = 9.75;
  for (uint32_t i = 0; i < 2; i++) ls_timeline_add_worker(&timeline, "", 0, (double)INFINITY);
  for (uint32_t i = 0; i < 4; i++) ls_timeline_add_decision(&timeline, i / 2, units[i]);
  add_span(&timeline, 0, 0, 2.75, LS_OUTCOME_DONE);
  add_span(&timeline, 0, 2.75, 9.75, LS_OUTCOME_DONE);
  add_span(&timeline, 1, 0, 2.75, LS_OUTCOME_DONE);
  add_span(&timeline, 1, 2.75, 9.75, LS_OUTCOME_LOST);
  struct ls_account account = take_account(&timeline, &platform);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LATENCY], (0.75 + 3 + 0.75) / 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], (2 + 4 + 2) / 2.0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_LOSSES], 3.5));
  ls_platform_close(&platform);
}

/* Of 6 s of suspension 2 s have a time; the others are taken from the waits. */
static void suspensions_without_a_time_are_taken_from_the_waits(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 12;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  timeline.workers[0].suspended_s = 6;
  ls_timeline_add_absence(&timeline, &(struct ls_absence){.from_s = 0, .until_s = 2});
  add_span(&timeline, 0, 3, 4, LS_OUTCOME_DONE);
  add_span(&timeline, 0, 7, 9, LS_OUTCOME_DONE);
  struct ls_account account = take_account(&timeline, NULL);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 6));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_START_UP], 0));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_TAIL], 3));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 3));
}

static void an_absence_is_where_it_was(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 10;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "b", 0, (double)INFINITY);
  timeline.workers[1].suspended_s = 4;
  ls_timeline_add_absence(&timeline, &(struct ls_absence){1, 3, 5});
  ls_timeline_add_absence(&timeline, &(struct ls_absence){1, 8, 10});
  add_span(&timeline, 0, 0, 10, LS_OUTCOME_DONE);
  add_span(&timeline, 1, 0, 2, LS_OUTCOME_DONE);
  add_span(&timeline, 1, 6, 7, LS_OUTCOME_DONE);
  struct ls_account account = take_account(&timeline, NULL);
  assert_true(is_near(account.parts_s[LS_ACCOUNT_AWAY], 2));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_PORT_WAIT], 1));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_IMBALANCE], 0.5));
  assert_true(is_near(account.parts_s[LS_ACCOUNT_WORK], 6.5));
}

static void parts_have_names(void **state) {
  (void)state;
  assert_string_equal(ls_account_part_name(LS_ACCOUNT_START_UP), "start_up");
  assert_string_equal(ls_account_part_label(LS_ACCOUNT_PORT_WAIT), "port waits");
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++)
    assert_true(strlen(ls_account_part_meaning((enum ls_account_part)part)) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_need_no_order_and_are_cut_to_the_presence),
      cmocka_unit_test(receiving_counts_with_its_chunk),
      cmocka_unit_test(what_is_computed_in_no_time_was_not_received_in_vain),
      cmocka_unit_test(a_chunk_pays_the_latency_of_its_window),
      cmocka_unit_test(suspensions_without_a_time_are_taken_from_the_waits),
      cmocka_unit_test(an_absence_is_where_it_was),
      cmocka_unit_test(parts_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
