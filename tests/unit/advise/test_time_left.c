/* The time that a run still takes, as a band. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/time_left.h"
#include "base/random.h"

static const struct ls_time_left_worker idle[] = {{0, -1}, {1, -1}};

static void fill(struct ls_time_record *record, size_t results, double spread) {
  struct ls_random random;
  ls_random_init(&random, 3, "times");
  for (size_t i = 0; i < results; i++)
    ls_time_record_add(record, (uint32_t)(i % 2), 1, 1 + spread * (ls_random_real(&random) - 0.5),
                       (double)(i / 2 + 1));
}

static struct ls_time_left find(const struct ls_time_left_state *state) {
  struct ls_time_left left;
  assert_int_equal(ls_time_left_find(state, &left, NULL), LS_OK);
  return left;
}

static void equal_times_leave_no_doubt(void **state) {
  struct ls_time_record record = {.count = 0};
  (void)state;
  fill(&record, 20, 0);
  struct ls_time_left left = find(&(struct ls_time_left_state){
      .record = &record, .now_s = 10, .units_left = 30, .workers = idle, .workers_count = 2});
  assert_true(left.is_known);
  assert_true(fabs(left.least_s - 15) < 0.1 && fabs(left.most_s - 15) < 0.1);
  assert_true(fabs(left.median_s - 15) < 0.1);
  ls_time_record_close(&record);
}

/* Both have done half of their unit: what is left ends half a second sooner. */
static void what_runs_counts_from_when_it_began(void **state) {
  struct ls_time_record record = {.count = 0};
  const struct ls_time_left_worker busy[] = {{0, 0.5}, {1, 0.5}};
  (void)state;
  fill(&record, 20, 0);
  struct ls_time_left left = find(&(struct ls_time_left_state){
      .record = &record, .now_s = 10.5, .units_left = 30, .workers = busy, .workers_count = 2});
  assert_true(fabs(left.median_s - 14.5) < 0.1);
  ls_time_record_close(&record);
}

static void the_band_is_in_order_and_narrows(void **state) {
  double width[2];
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct ls_time_record record = {.count = 0};
    fill(&record, i == 0 ? 12 : 400, 1.5);
    struct ls_time_left left = find(&(struct ls_time_left_state){.record = &record,
                                                                 .now_s = i == 0 ? 6 : 200,
                                                                 .units_left = 200,
                                                                 .workers = idle,
                                                                 .workers_count = 2});
    assert_true(left.least_s <= left.median_s && left.median_s <= left.most_s);
    assert_true(left.least_s > 50 && left.most_s < 250);
    width[i] = left.most_s - left.least_s;
    ls_time_record_close(&record);
  }
  assert_true(width[1] < width[0]);
}

static void nothing_is_said_of_what_is_not_known(void **state) {
  struct ls_time_record record = {.count = 0};
  struct ls_time_left_state setup = {
      .record = &record, .units_left = 5, .workers = idle, .workers_count = 2};
  (void)state;
  assert_false(find(&setup).is_known);
  fill(&record, 2, 0);
  assert_false(find(&setup).is_known);
  fill(&record, 2, 0);
  assert_true(find(&setup).is_known);
  setup.workers_count = 0;
  assert_false(find(&setup).is_known);
  setup.units_left = 0;
  assert_true(find(&setup).is_known);
  assert_true(fabs(find(&setup).most_s) < 1e-12);
  ls_time_record_close(&record);
}

/* The same seed gives the same band; many units and workers are no more work, and no other time. */
static void many_units_of_many_workers_are_simulated_in_groups(void **state) {
  enum { WORKERS = 1000 };
  static struct ls_time_left_worker workers[WORKERS];
  struct ls_time_record record = {.count = 0};
  (void)state;
  for (uint32_t i = 0; i < WORKERS; i++) {
    workers[i] = (struct ls_time_left_worker){i, -1};
    for (size_t k = 0; k < 5; k++) ls_time_record_add(&record, i, 1, 2, 2.0 * (double)(k + 1));
  }
  const struct ls_time_left_state setup = {.record = &record,
                                           .now_s = 10,
                                           .units_left = 100000000,
                                           .workers = workers,
                                           .workers_count = WORKERS};
  struct ls_time_left left = find(&setup), again = find(&setup);
  assert_true(fabs(left.median_s - 2e5) < 0.02 * 2e5);
  assert_memory_equal(&left, &again, sizeof left);
  ls_time_record_close(&record);
}

/* A unit that has run far longer than all others will not end at once. */
static void a_straggler_is_borne(void **state) {
  struct ls_time_record record = {.count = 0};
  const struct ls_time_left_worker busy[] = {{0, 50}, {1, -1}};
  (void)state;
  fill(&record, 40, 0.5);
  struct ls_time_left left = find(&(struct ls_time_left_state){
      .record = &record, .now_s = 70, .units_left = 1, .workers = busy, .workers_count = 2});
  assert_true(left.is_known && left.least_s > 0 && isfinite(left.most_s));
  ls_time_record_close(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_times_leave_no_doubt),
      cmocka_unit_test(what_runs_counts_from_when_it_began),
      cmocka_unit_test(the_band_is_in_order_and_narrows),
      cmocka_unit_test(nothing_is_said_of_what_is_not_known),
      cmocka_unit_test(many_units_of_many_workers_are_simulated_in_groups),
      cmocka_unit_test(a_straggler_is_borne),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
