/* The record: plain sums by worker, reports with the last times, speeds that do not depend on how
 * many iterations the same data stand in. */
#include "books_fixture.h"

#include <math.h>

#include "coordinator/books/record.h"

static void add(struct ls_record *record, uint32_t slot, const double *seconds, size_t count) {
  struct ls_record_entry entry = {
      .slot = slot, .units = {0, count}, .latest = seconds, .latest_count = count, .speed = 1};
  bool is_due;
  for (size_t i = 0; i < count; i++) {
    entry.seconds += seconds[i];
    entry.squares += seconds[i] * seconds[i];
  }
  assert_int_equal(ls_record_add(record, &entry, 0, &is_due), LS_OK);
}

/* Two workers that take the same times in each of three iterations differ as much after the third
 * as after the first, and are the more credible. */
static void estimated_speeds_are_those_of_plain_sums(void **state) {
  static const double fast[] = {1, 2, 1, 2}, slow[] = {2, 3, 2, 3};
  struct ls_record once = {0}, thrice = {0};
  double after_one[2], after_three[2], expected[2];
  (void)state;
  assert_int_equal(ls_record_add_slots(&once, 2), LS_OK);
  assert_int_equal(ls_record_add_slots(&thrice, 2), LS_OK);
  add(&once, 0, fast, 4);
  add(&once, 1, slow, 4);
  assert_int_equal(ls_record_speeds(&once, 2, 0, after_one), LS_OK);
  for (int k = 0; k < 3; k++) {
    if (k > 0) ls_record_end_iteration(&thrice);
    thrice.iterations++;
    add(&thrice, 0, fast, 4);
    add(&thrice, 1, slow, 4);
  }
  assert_int_equal(ls_record_speeds(&thrice, 2, 0, after_three), LS_OK);
  /* What the same twelve units give without any iterations between. */
  struct ls_record flat = {0};
  assert_int_equal(ls_record_add_slots(&flat, 2), LS_OK);
  for (int k = 0; k < 3; k++) {
    add(&flat, 0, fast, 4);
    add(&flat, 1, slow, 4);
  }
  assert_int_equal(ls_record_speeds(&flat, 2, 0, expected), LS_OK);
  for (int i = 0; i < 2; i++) assert_true(fabs(after_three[i] - expected[i]) < 1e-12);
  double first = after_one[0] / after_one[1], third = after_three[0] / after_three[1];
  assert_true(first > 1 && third >= first && third < 2.5 / 1.5 + 1e-9);
  ls_record_close(&once);
  ls_record_close(&thrice);
  ls_record_close(&flat);
}

/* The long units of a worker that has gone say nothing of how units vary at those that are there.
 */
static void speeds_are_those_of_the_workers_that_are_there(void **state) {
  static const double fast[] = {1, 1, 1, 1, 1}, slow[] = {2, 2, 2, 2, 2}, rare[] = {100, 1, 100};
  double expected[3], got[3];
  (void)state;
  for (int is_replaced = 0; is_replaced < 2; is_replaced++) {
    struct ls_record record = {0};
    assert_int_equal(ls_record_add_slots(&record, 3), LS_OK);
    if (is_replaced) {
      add(&record, 2, rare, 3);
      ls_record_begin(&record, 2, 1, true);
    }
    add(&record, 0, fast, 5);
    add(&record, 1, slow, 5);
    assert_true(ls_record_is_sound(&record));
    assert_int_equal(ls_record_speeds(&record, 3, 0, is_replaced ? got : expected), LS_OK);
    ls_record_close(&record);
  }
  for (int i = 0; i < 3; i++) assert_true(fabs(got[i] - expected[i]) < 1e-12);
}

static void the_totals_are_those_of_all_workers_that_there_were(void **state) {
  static const double times[] = {1, 2, 3};
  struct ls_record record = {0};
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 2), LS_OK);
  for (int i = 0; i < 5; i++) {
    add(&record, 1, times, 3);
    add(&record, 0, times, 2);
    ls_record_begin(&record, 1, i, true);
    assert_true(ls_record_is_sound(&record));
  }
  struct ls_record spoilt = record;
  spoilt.seen.units++;
  assert_false(ls_record_is_sound(&spoilt));
  spoilt = record;
  spoilt.seen.seconds += 1;
  assert_false(ls_record_is_sound(&spoilt));
  spoilt = record;
  spoilt.seen.squares += 1;
  assert_false(ls_record_is_sound(&spoilt));
  ls_record_close(&record);
}

static void awf_gets_sums_weighted_by_iteration(void **state) {
  static const double one[] = {1}, two[] = {2};
  struct ls_record record = {.iterations = 1};
  struct ls_chunking_earlier earlier[1];
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 1), LS_OK);
  add(&record, 0, one, 1);
  ls_record_end_iteration(&record);
  record.iterations = 2;
  add(&record, 0, two, 1);
  ls_record_earlier(&record, earlier);
  assert_true(fabs(earlier[0].units - 3) < 1e-12);
  assert_true(fabs(earlier[0].seconds - 5) < 1e-12);
  ls_record_end_iteration(&record);
  ls_record_earlier(&record, earlier);
  assert_true(fabs(earlier[0].seconds - 5) < 1e-12);
  ls_record_close(&record);
}

/* Reports of 6, 9, 26 units and a history of 20: each report ends with its last min(units, 20). */
static void a_report_carries_the_last_times_in_order(void **state) {
  struct ls_record record = {.history = 20};
  struct ls_chunking_report report;
  double next = 0;
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 1), LS_OK);
  static const size_t parts[][3] = {{6, 0, 0}, {4, 5, 0}, {11, 3, 12}};
  for (size_t i = 0; i < 3; i++) {
    size_t units = 0;
    for (size_t k = 0; k < 3; k++) {
      double seconds[12];
      for (size_t m = 0; m < parts[i][k]; m++) seconds[m] = ++next;
      if (parts[i][k] > 0) add(&record, 0, seconds, parts[i][k]);
      units += parts[i][k];
    }
    assert_true(ls_record_take_report(&record, 0, 1, &report));
    assert_int_equal(report.units, units);
    assert_int_equal(report.latest_count, units < 20 ? units : 20);
    for (size_t m = 0; m < report.latest_count; m++)
      assert_true(fabs(report.latest[m] - (next - (double)(report.latest_count - 1 - m))) < 1e-12);
    assert_false(ls_record_take_report(&record, 0, 1, &report));
  }
  assert_true(ls_record_is_sound(&record));
  ls_record_close(&record);
}

static void a_list_of_more_times_than_units_is_not_sound(void **state) {
  static const double times[] = {1, 2};
  struct ls_record record = {.history = 5};
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 1), LS_OK);
  add(&record, 0, times, 2);
  assert_true(ls_record_is_sound(&record));
  record.slots[0].report.units = 1;
  assert_false(ls_record_is_sound(&record));
  ls_record_close(&record);
}

static void a_new_worker_in_a_slot_begins_with_nothing(void **state) {
  static const double times[] = {1, 1};
  struct ls_record record = {.history = 5, .iterations = 1};
  struct ls_chunking_report report;
  struct ls_chunking_earlier earlier[1];
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 1), LS_OK);
  add(&record, 0, times, 2);
  assert_true(ls_record_rate(&record, 0) > 0);
  ls_record_begin(&record, 0, 3, true);
  assert_true(fabs(ls_record_rate(&record, 0)) < 1e-12);
  assert_false(ls_record_take_report(&record, 0, 3, &report));
  ls_record_earlier(&record, earlier);
  assert_true(fabs(earlier[0].units) < 1e-12);
  assert_int_equal(record.seen.units, 2); /* the tasks were what they were */
  ls_record_close(&record);
}

static void every_so_many_results_make_a_report(void **state) {
  struct ls_record record = {.report_every = 4};
  bool is_due;
  size_t due = 0;
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 1), LS_OK);
  for (int i = 1; i <= 20; i++) {
    struct ls_record_entry entry = {.units = {0, 1}, .seconds = 1, .squares = 1, .speed = 1};
    assert_int_equal(ls_record_add(&record, &entry, i, &is_due), LS_OK);
    assert_int_equal(is_due, i % 4 == 0);
    due += is_due;
  }
  assert_int_equal(due, 5);
  ls_record_close(&record);
}

static void replicas_teach_the_policy_nothing(void **state) {
  struct ls_record record = {0};
  struct ls_chunking_report report;
  struct ls_record_entry entry = {.units = {0, 1}, .seconds = 2, .speed = 0.5, .is_replica = true};
  bool is_due;
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 1), LS_OK);
  assert_int_equal(ls_record_add(&record, &entry, 1, &is_due), LS_OK);
  assert_false(ls_record_take_report(&record, 0, 2, &report));
  assert_true(fabs(record.working_seconds - 2) < 1e-12);
  assert_true(fabs(record.normal_seconds - 1) < 1e-12);
  ls_record_close(&record);
}

/* One unit says nothing yet where two are asked for. */
static void who_did_too_little_has_the_mean(void **state) {
  static const double fast[] = {1, 1, 1, 1, 1}, slow[] = {3, 3, 3, 3, 3};
  struct ls_record record = {0};
  double got[3];
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 3), LS_OK);
  add(&record, 0, fast, 5);
  add(&record, 1, slow, 5);
  add(&record, 2, slow, 1);
  assert_int_equal(ls_record_speeds(&record, 3, 2, got), LS_OK);
  assert_true(got[0] > got[2] && got[2] > got[1]);
  assert_true(fabs(got[2] - 1 / 2.0) < 1e-9);
  ls_record_close(&record);
}

/* ---- speeds by what was expected ---- */

static void compare(struct ls_record *record, uint32_t slot, uint64_t first, double seconds) {
  const struct ls_record_entry entry = {
      .slot = slot, .units = {first, 1}, .seconds = seconds, .speed = 1};
  ls_record_compare(record, &entry);
}

/* Units that are known to differ; the second worker takes twice as long for each, the third has
 * done too few, the fourth none. */
static void alphas_are_by_what_was_expected_of_each_unit(void **state) {
  static const double expected[] = {1, 2, 3, 4, 5, 6};
  struct ls_record record = {0};
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 4), LS_OK);
  assert_int_equal(ls_record_declare(&record, expected, NULL, 6, NULL), LS_OK);
  for (uint64_t i = 0; i < 6; i++) compare(&record, i % 2, i, expected[i] * (i % 2 == 0 ? 1 : 2));
  for (uint64_t i = 0; i < 2; i++) compare(&record, 2, i, 9 * expected[i]);
  compare(&record, 3, 6, 1); /* of which nothing is expected */
  compare(&record, 3, 0, 0); /* and what took no time */
  assert_int_equal(ls_record_renew_alphas(&record, 3), LS_OK);
  double fast = record.slots[0].alpha, slow = record.slots[1].alpha;
  assert_true(fast > 1 && slow < 1 && fast / slow > 1.5 && fast / slow < 2 + 1e-9);
  assert_true(!(record.slots[2].alpha > 0) && !(record.slots[3].alpha > 0));
  /* A new worker in the slot has shown nothing. */
  ls_record_begin(&record, 1, 9, true);
  assert_true(!(record.slots[1].alpha > 0));
  assert_int_equal(ls_record_renew_alphas(&record, 3), LS_OK);
  assert_true(fabs(record.slots[0].alpha - 1) < 1e-12);
  ls_record_close(&record);
}

/* By benchmarks as long as no units have shown a speed, then in the measure of those that have. */
static void benchmarks_are_speeds_until_units_show_one(void **state) {
  static const double expected[] = {1, 1, 1, 1, 1, 1};
  struct ls_record record = {0};
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 4), LS_OK);
  assert_int_equal(ls_record_declare(&record, expected, NULL, 6, NULL), LS_OK);
  ls_record_hear_benchmark(&record, 0, 0.5);
  ls_record_hear_benchmark(&record, 1, 0.25);
  assert_true(fabs(record.slots[0].alpha - 4.0 / 3) < 1e-12);
  assert_true(fabs(record.slots[1].alpha - 2.0 / 3) < 1e-12);
  assert_int_equal(ls_record_renew_alphas(&record, 3), LS_OK);
  assert_true(fabs(record.slots[0].alpha - 4.0 / 3) < 1e-12);
  assert_true(fabs(record.slots[1].alpha - 2.0 / 3) < 1e-12);
  assert_true(!(record.slots[2].alpha > 0));
  for (uint64_t i = 0; i < 6; i++) compare(&record, 0, i, 2);
  assert_int_equal(ls_record_renew_alphas(&record, 3), LS_OK);
  assert_true(fabs(record.slots[0].alpha - 1) < 1e-12);
  assert_true(fabs(record.slots[1].alpha - 0.5) < 1e-12);
  /* Who joins meanwhile is measured by the same, and a second benchmark says nothing of who has
   * shown a speed. */
  ls_record_hear_benchmark(&record, 2, 1);
  ls_record_hear_benchmark(&record, 0, 7);
  assert_true(fabs(record.slots[2].alpha - 2) < 1e-12);
  assert_true(fabs(record.slots[0].alpha - 1) < 1e-12);
  ls_record_begin(&record, 2, 9, true);
  assert_true(!(record.slots[2].alpha > 0));
  ls_record_close(&record);
}

/* Before benchmarks, and in the measure of what units show. */
static void machines_that_are_known_need_no_benchmark(void **state) {
  struct ls_record record = {0};
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 3), LS_OK);
  ls_record_take_past(&record, 0, 1.5);
  ls_record_take_past(&record, 1, 0.5);
  assert_true(record.slots[0].alpha == 1.5 && record.slots[1].alpha == 0.5);
  ls_record_hear_benchmark(&record, 1, 1);
  ls_record_hear_benchmark(&record, 2, 3);
  assert_true(record.slots[1].alpha == 0.5 && fabs(record.slots[2].alpha - 1.5) < 1e-12);
  assert_int_equal(ls_record_renew_alphas(&record, 3), LS_OK);
  assert_true(record.slots[0].alpha == 1.5 && record.slots[1].alpha == 0.5);
  assert_true(fabs(record.slots[2].alpha - 1.5) < 1e-12);
  ls_record_begin(&record, 0, 1, true);
  assert_true(!(record.slots[0].alpha > 0));
  ls_record_close(&record);
}

/* Workers that differ by chance are of one speed, exactly. */
static void chance_is_no_speed(void **state) {
  static const double expected[] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const double seconds[] = {0.8, 1.2, 1.3, 0.7, 1.1, 0.9, 0.7, 1.3};
  struct ls_record record = {0};
  (void)state;
  assert_int_equal(ls_record_add_slots(&record, 2), LS_OK);
  assert_int_equal(ls_record_declare(&record, expected, NULL, 8, NULL), LS_OK);
  for (uint64_t i = 0; i < 8; i++) compare(&record, i % 2, i, seconds[i]);
  assert_int_equal(ls_record_renew_alphas(&record, 3), LS_OK);
  for (size_t i = 0; i < 2; i++) assert_true(fabs(record.slots[i].alpha - 1) < 1e-12);
  ls_record_close(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alphas_are_by_what_was_expected_of_each_unit),
      cmocka_unit_test(benchmarks_are_speeds_until_units_show_one),
      cmocka_unit_test(machines_that_are_known_need_no_benchmark),
      cmocka_unit_test(chance_is_no_speed),
      cmocka_unit_test(who_did_too_little_has_the_mean),
      cmocka_unit_test(estimated_speeds_are_those_of_plain_sums),
      cmocka_unit_test(speeds_are_those_of_the_workers_that_are_there),
      cmocka_unit_test(the_totals_are_those_of_all_workers_that_there_were),
      cmocka_unit_test(awf_gets_sums_weighted_by_iteration),
      cmocka_unit_test(a_report_carries_the_last_times_in_order),
      cmocka_unit_test(a_list_of_more_times_than_units_is_not_sound),
      cmocka_unit_test(a_new_worker_in_a_slot_begins_with_nothing),
      cmocka_unit_test(every_so_many_results_make_a_report),
      cmocka_unit_test(replicas_teach_the_policy_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
