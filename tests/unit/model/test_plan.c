#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/plan.h"

static void new_plan_is_empty(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "umr", 10);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_string_equal(plan.algorithm, "umr");
  assert_true(plan.load == 10 && isnan(plan.makespan_s));
  assert_int_equal(plan.chunks_count, 0);
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_plan_close(&plan);
}

static void a_taken_plan_changes_its_owner_not_its_taker(void **state) {
  (void)state;
  struct ls_plan plan, from;
  ls_plan_init(&plan, "best", 10);
  ls_plan_add(&plan, 0, 0, 10);
  ls_plan_set_text(&plan, "why", "old");
  ls_plan_init(&from, "umr", 10);
  ls_plan_add(&from, 1, 2, 4);
  ls_plan_add(&from, 0, 3, 6);
  ls_plan_add_return(&from, 1);
  ls_plan_set(&from, "theta", 2);
  ls_plan_take(&plan, &from);
  assert_string_equal(plan.algorithm, "best");
  assert_int_equal(plan.chunks_count, 2);
  assert_int_equal(plan.chunks[0].worker, 1);
  assert_true(plan.has_returns && plan.returns_count == 1);
  assert_int_equal(plan.parameters_count, 1);
  assert_true(ls_plan_get(&plan, "theta", 0) == 2);
  assert_int_equal(from.chunks_count, 0);
  assert_null(from.chunks);
  ls_plan_close(&plan);
  ls_plan_close(&from);
}

static void bad_loads_are_refused(void **state) {
  (void)state;
  const double bad[] = {-1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 3; i++) {
    struct ls_plan plan;
    ls_plan_init(&plan, "x", bad[i]);
    assert_int_equal(ls_plan_finish(&plan, NULL), LS_EINVAL);
    ls_plan_close(&plan);
  }
}

static void first_failure_sticks(void **state) {
  (void)state;
  const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 4; i++) {
    struct ls_plan plan;
    struct ls_error err;
    ls_plan_init(&plan, "x", 3);
    ls_plan_add(&plan, 0, 0, 1);
    ls_plan_add(&plan, 0, 0, bad[i]);
    ls_plan_add(&plan, 1, 0, -7);
    ls_plan_add(&plan, 1, 0, 2);
    ls_plan_add_return(&plan, 0);
    ls_plan_set(&plan, "theta", 1);
    assert_int_equal(plan.chunks_count, 1);
    assert_false(plan.has_returns);
    assert_int_equal(plan.parameters_count, 0);
    assert_int_equal(ls_plan_finish(&plan, &err), LS_EINVAL);
    assert_true(strncmp(err.text, "chunk 1: units is ", 18) == 0);
    ls_plan_close(&plan);
  }
}

static void parameters_are_found_by_name(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "x", 1);
  ls_plan_set(&plan, "theta", 0.5);
  ls_plan_set(&plan, "eta", 2);
  ls_plan_set(&plan, "theta", 0.75);
  assert_int_equal(plan.parameters_count, 2);
  assert_true(ls_plan_get(&plan, "theta", -1) == 0.75);
  assert_true(ls_plan_get(&plan, "eta", -1) == 2);
  assert_true(ls_plan_get(&plan, "gamma", -1) == -1);
  ls_plan_close(&plan);
}

static void a_parameter_that_is_unset_is_forgotten(void **state) {
  struct ls_plan plan;
  (void)state;
  ls_plan_init(&plan, "umr", 3);
  ls_plan_set(&plan, "theta", 0.5);
  ls_plan_set_text(&plan, "note", "old");
  ls_plan_set(&plan, "eta", 2);
  assert_true(ls_plan_has(&plan, "note"));
  ls_plan_unset(&plan, "note");
  ls_plan_unset(&plan, "no-such");
  assert_false(ls_plan_has(&plan, "note"));
  assert_int_equal(plan.parameters_count, 2);
  assert_true(ls_plan_get(&plan, "theta", 0) == 0.5 && ls_plan_get(&plan, "eta", 0) == 2);
  ls_plan_close(&plan);
}

static void refusing_drops_what_was_built(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "x", 3);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add_return(&plan, 0);
  ls_plan_refuse(&plan, "compute.per_unit of worker %d is 0", 4);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_string_equal(plan.why, "compute.per_unit of worker 4 is 0");
  assert_int_equal(plan.chunks_count, 0);
  assert_false(plan.has_returns);
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  char filler[400];
  memset(filler, 'x', sizeof filler);
  filler[sizeof filler - 1] = '\0';
  ls_plan_refuse(&plan, "%s", filler);
  assert_string_equal(plan.why + sizeof plan.why - 4, "...");
  ls_plan_close(&plan);
}

/* More workers than one block of the summing, so that blocks meet. */
static void units_are_summed_by_worker(void **state) {
  (void)state;
  struct ls_plan plan;
  double units[1200];
  ls_plan_init(&plan, "x", 0);
  for (uint32_t i = 0; i < 3000; i++) ls_plan_add(&plan, i % 1100, 0, 0.1 + i / 1100);
  ls_plan_units(&plan, 1200, units);
  for (uint32_t i = 0; i < 1200; i++) {
    double expected = i < 800 ? 3.3 : i < 1100 ? 1.2 : 0;
    assert_true(fabs(units[i] - expected) < 1e-12);
  }
  ls_plan_close(&plan);
}

static void rounds_are_counted_unless_the_algorithm_says(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "x", 3);
  assert_int_equal(ls_plan_rounds(&plan), 0);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 0, 4, 2);
  assert_int_equal(ls_plan_rounds(&plan), 5);
  ls_plan_set(&plan, "rounds", 4);
  assert_int_equal(ls_plan_rounds(&plan), 4);
  ls_plan_set(&plan, "rounds", (double)NAN);
  assert_int_equal(ls_plan_rounds(&plan), 5);
  ls_plan_close(&plan);
}

/* Worker 0 has 1.25 + 3.35 = 4.6 units planned, worker 1 as many, worker 2 0.8: 5, 4, 1. Those of
 * the first round come early, and the empty chunk is gone from the chunks and from the returns. */
static void remainders_are_carried_to_the_next_round(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "x", 10);
  const double units[] = {1.25, 1.25, 0.5, 3.35, 3.35, 0.3};
  for (uint32_t i = 0; i < 6; i++) ls_plan_add(&plan, i % 3, i / 3, units[i]);
  for (size_t i = 6; i > 0; i--) ls_plan_add_return(&plan, i - 1);
  assert_false(ls_plan_is_whole(&plan));
  assert_int_equal(ls_plan_make_whole(&plan, NULL, NULL), LS_OK);
  assert_true(ls_plan_is_whole(&plan));
  const double expected[] = {2, 1, 1, 3, 3};
  assert_int_equal(plan.chunks_count, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_true(plan.chunks[i].units == expected[i]);
    assert_int_equal(plan.chunks[i].worker, i % 3);
    assert_int_equal(plan.chunks[i].round, i / 3);
  }
  assert_int_equal(plan.returns_count, 5);
  for (size_t i = 0; i < 5; i++) assert_int_equal(plan.returns[i], 4 - i);
  ls_plan_close(&plan);
}

/* What counts is the order of sending, whatever the rounds are called. */
static void interleaved_rounds_are_rounded_in_send_order(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "x", 5);
  ls_plan_add(&plan, 0, 1, 1.5);
  ls_plan_add(&plan, 0, 0, 1.4);
  ls_plan_add(&plan, 1, 1, 1.5);
  ls_plan_add(&plan, 1, 0, 0.6);
  assert_int_equal(ls_plan_make_whole(&plan, NULL, NULL), LS_OK);
  const double expected[] = {2, 1, 2};
  assert_int_equal(plan.chunks_count, 3);
  for (size_t i = 0; i < 3; i++) assert_true(plan.chunks[i].units == expected[i]);
  ls_plan_close(&plan);
}

static void broken_loads_cannot_be_whole(void **state) {
  (void)state;
  struct ls_plan plan;
  struct ls_error err;
  ls_plan_init(&plan, "x", 2.5);
  ls_plan_add(&plan, 0, 0, 2.5);
  assert_int_equal(ls_plan_make_whole(&plan, NULL, &err), LS_EINVAL);
  assert_string_equal(err.text, "load is 2.5, must be a whole number <= 2^53 for whole units");
  assert_true(plan.chunks[0].units == 2.5);
  ls_plan_close(&plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_plan_is_empty),
      cmocka_unit_test(a_taken_plan_changes_its_owner_not_its_taker),
      cmocka_unit_test(bad_loads_are_refused),
      cmocka_unit_test(first_failure_sticks),
      cmocka_unit_test(parameters_are_found_by_name),
      cmocka_unit_test(a_parameter_that_is_unset_is_forgotten),
      cmocka_unit_test(refusing_drops_what_was_built),
      cmocka_unit_test(units_are_summed_by_worker),
      cmocka_unit_test(rounds_are_counted_unless_the_algorithm_says),
      cmocka_unit_test(remainders_are_carried_to_the_next_round),
      cmocka_unit_test(interleaved_rounds_are_rounded_in_send_order),
      cmocka_unit_test(broken_loads_cannot_be_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
