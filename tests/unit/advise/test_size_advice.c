/* test_size_advice.c: how many workers a run should have had. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advise/size_advice.h"
#include "theory/eer.h"
#include "theory/workload.h"

enum { TASKS = 28, SLOTS_MAX = 8 };

struct past {
  struct ls_task_log log;
  struct ls_size_slot slots[SLOTS_MAX];
  struct ls_size_setup setup;
};

static void past_open(struct past *past, size_t slots) {
  memset(past, 0, sizeof *past);
  for (size_t i = 0; i < slots; i++) past->slots[i] = (struct ls_size_slot){(uint32_t)i + 1, 0, 1};
  past->setup = (struct ls_size_setup){
      .log = &past->log, .slots = past->slots, .slots_count = slots, .units_max = 200000};
}

static void add(struct past *past, uint32_t iteration, uint32_t slot, double seconds) {
  const struct ls_task_log_entry entry = {iteration, slot, 1, seconds};
  ls_task_log_add(&past->log, &entry);
}

static void add_workload(struct past *past, uint32_t iteration, double *work) {
  const struct ls_workload workload = {TASKS, 50, true, true, 100};
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  for (uint32_t i = 0; i < TASKS; i++) add(past, iteration, 0, work[i]);
}

static struct ls_size_advice advise(const struct past *past) {
  struct ls_size_advice advice;
  struct ls_error err = {0};
  enum ls_status status = ls_size_advise(&past->setup, &advice, &err);
  if (status != LS_OK) fail_msg("%s", err.text);
  return advice;
}

/* Where no start-up and no loss is in the way, the numbers are those of list scheduling. */
static void numbers_are_those_of_list_scheduling(void **state) {
  struct past past;
  struct ls_eer_point points[TASKS];
  double work[TASKS];
  (void)state;
  past_open(&past, 1);
  add_workload(&past, 0, work);
  struct ls_list_setup list = {.work = work, .tasks = TASKS, .workers = TASKS};
  assert_int_equal(ls_eer_curve(&list, points, NULL), LS_OK);
  const struct ls_eer_point *perfect = &points[ls_eer_perfect(points, TASKS)];
  struct ls_size_advice advice = advise(&past);
  assert_true(advice.is_known && !advice.has_prices);
  assert_int_equal(advice.perfect, perfect->workers);
  assert_float_equal(advice.time_s, perfect->time_s, 1e-9);
  assert_float_equal(advice.efficiency, perfect->efficiency, 1e-9);
  assert_float_equal(advice.asp, ls_task_asp(work, TASKS), 1e-9);
  assert_true(ls_eer_is_ideal(&points[advice.ideal_from - 1], perfect));
  assert_true(ls_eer_is_ideal(&points[advice.ideal_to - 1], perfect));
  assert_false(ls_eer_is_ideal(&points[advice.ideal_from - 2], perfect));
  assert_false(ls_eer_is_ideal(&points[advice.ideal_to], perfect));
  ls_size_advice_close(&advice);
  ls_task_log_close(&past.log);
}

/* Every iteration is played; where a start-up is all that takes time, nobody is to idle. */
static void iterations_and_start_up_are_played(void **state) {
  struct past past;
  double work[TASKS];
  (void)state;
  past_open(&past, 1);
  for (uint32_t k = 0; k < 3; k++) add_workload(&past, k, work);
  struct ls_size_advice advice = advise(&past);
  double time_s = advice.time_s;
  size_t perfect = advice.perfect;
  ls_size_advice_close(&advice);
  past.setup.start_up_s = 1e6;
  advice = advise(&past);
  assert_true(advice.perfect < perfect && advice.perfect >= 1);
  assert_true(advice.time_s > 1e6 + time_s);
  assert_float_equal(advice.start_up_s, 1e6, 0);
  ls_size_advice_close(&advice);
  ls_task_log_close(&past.log);
}

/* A worker of half the speed took twice as long for tasks that are alike. */
static void speeds_are_told_or_learnt(void **state) {
  struct past past;
  (void)state;
  past_open(&past, 2);
  past.slots[0].speed = 1;
  past.slots[1].speed = 0.5;
  for (uint32_t i = 0; i < 40; i++) add(&past, 0, i % 2, i % 2 == 0 ? 1 : 2);
  struct ls_size_advice told = advise(&past);
  assert_float_equal(told.asp, 40, 1e-9);
  past.slots[0].speed = past.slots[1].speed = 0;
  struct ls_size_advice learnt = advise(&past);
  assert_float_equal(learnt.asp, 40, 1);
  ls_size_advice_close(&told);
  ls_size_advice_close(&learnt);
  ls_task_log_close(&past.log);
}

static void losses_cost_time_and_follow_from_the_seed(void **state) {
  struct past past;
  double work[TASKS];
  (void)state;
  past_open(&past, 1);
  add_workload(&past, 0, work);
  struct ls_size_advice none = advise(&past);
  past.setup.loss_rate = 0.02;
  past.setup.start_up_s = 1;
  struct ls_size_advice once = advise(&past), again = advise(&past);
  assert_true(none.loss_rate == 0 && once.loss_rate > 0);
  assert_true(once.time_s > none.time_s + 1);
  assert_true(once.time_s == again.time_s && once.perfect == again.perfect);
  /* One that is lost before it could end anything is lost as often as the largest task lasts. */
  past.setup.loss_rate = 1e6;
  struct ls_size_advice worst = advise(&past);
  assert_true(worst.is_known && isfinite(worst.time_s) && worst.loss_rate < 1);
  ls_size_advice_close(&worst);
  ls_size_advice_close(&again);
  ls_size_advice_close(&once);
  ls_size_advice_close(&none);
  ls_task_log_close(&past.log);
}

/* Four dear workers are no faster than four cheap ones: within 1.1 of the best time, for which all
 * are wanted, the dear ones are taken; where a single task is the run, a cheap one is. */
static void the_cheapest_within_the_ideal_time_is_told(void **state) {
  struct past past;
  struct ls_bytes text = {0};
  (void)state;
  past_open(&past, SLOTS_MAX);
  for (size_t i = 0; i < SLOTS_MAX / 2; i++) past.slots[i].price_per_s = 10;
  add(&past, 0, 7, 5);
  struct ls_size_advice advice = advise(&past);
  assert_true(advice.has_prices && advice.is_complete);
  assert_int_equal(advice.cheapest_count, 1);
  assert_true(advice.cheapest[0] > SLOTS_MAX / 2);
  assert_float_equal(advice.cheapest_price, 5, 1e-9);
  assert_float_equal(advice.cheapest_time_s, 5, 1e-9);
  ls_size_advice_close(&advice);
  for (uint32_t i = 0; i < 63; i++) add(&past, 0, i % SLOTS_MAX, 5);
  advice = advise(&past);
  assert_int_equal(advice.cheapest_count, SLOTS_MAX);
  ls_size_advice_describe(&advice, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "8 workers (40 s, price 1760): slots 1 to 8"));
  ls_bytes_clear(&text);
  ls_size_advice_write_json(&advice, &text);
  assert_non_null(
      strstr(ls_bytes_text(&text), "\"cheapest\": {\"slots\": [1, 2, 3, 4, 5, 6, 7, 8]"));
  ls_bytes_close(&text);
  ls_size_advice_close(&advice);
  ls_task_log_close(&past.log);
}

/* Too much to be played, nothing that took time, nothing at all. */
static void nothing_is_told_of_what_is_not_played(void **state) {
  struct past past;
  struct ls_bytes text = {0};
  (void)state;
  past_open(&past, 1);
  struct ls_size_advice advice = advise(&past);
  assert_false(advice.is_known);
  add(&past, 0, 0, 0);
  advice = advise(&past);
  assert_false(advice.is_known);
  add(&past, 0, 0, 1);
  past.setup.units_max = 15;
  advice = advise(&past);
  assert_false(advice.is_known);
  past.setup.units_max = 1000;
  past.log.is_short = true;
  advice = advise(&past);
  assert_false(advice.is_known);
  ls_size_advice_describe(&advice, &text);
  assert_int_equal(text.length, 0);
  ls_size_advice_write_json(&advice, &text);
  assert_string_equal(ls_bytes_text(&text), "null");
  ls_bytes_close(&text);
  ls_task_log_close(&past.log);
}

/* Of more numbers than may be tried some are. */
static void large_runs_are_tried_at_some_numbers(void **state) {
  struct past past;
  (void)state;
  past_open(&past, 4);
  for (uint32_t i = 0; i < 3000; i++) add(&past, 0, i % 4, 1);
  past.setup.units_max = 3000 * 20;
  struct ls_size_advice advice = advise(&past);
  assert_true(advice.is_known);
  assert_int_equal(advice.most, 3000);
  assert_true(advice.ideal_from <= advice.perfect && advice.perfect <= advice.ideal_to);
  ls_size_advice_close(&advice);
  ls_task_log_close(&past.log);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_of_list_scheduling),
                                     cmocka_unit_test(iterations_and_start_up_are_played),
                                     cmocka_unit_test(speeds_are_told_or_learnt),
                                     cmocka_unit_test(losses_cost_time_and_follow_from_the_seed),
                                     cmocka_unit_test(the_cheapest_within_the_ideal_time_is_told),
                                     cmocka_unit_test(nothing_is_told_of_what_is_not_played),
                                     cmocka_unit_test(large_runs_are_tried_at_some_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
