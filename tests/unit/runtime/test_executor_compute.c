#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "runtime/execute/executor_private.h"

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  ls_bytes_append(output, work->input, work->length);
  if (work->units.first == 1) return ls_fail(err, LS_EINVAL, "one is not wanted");
  if (work->units.first == 2) return LS_EIO;
  output->failed = state != NULL;
  return LS_OK;
}

static const struct ls_app app = {.name = "echo", .compute = compute};

static enum ls_outcome run(uint64_t unit, void *state, struct ls_bytes *output,
                           struct ls_bytes *error_output) {
  struct ls_executor_setup setup = {.app = &app, .state = state, .speed = 1};
  struct ls_work work = {.units = {unit, 1}, .packed = {unit, 1}, .input = "abc", .length = 3};
  double seconds = -1;
  enum ls_outcome outcome = ls_computation_run(&setup, &work, output, error_output, &seconds);
  assert_true(seconds >= 0);
  return outcome;
}

static void output_is_what_the_application_appends(void **state) {
  (void)state;
  struct ls_bytes output = {0}, error_output = {0};
  assert_int_equal(run(0, NULL, &output, &error_output), LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(&output), "abc");
  assert_int_equal(error_output.length, 0);
  ls_bytes_close(&output);
}

static void failure_gives_its_text_and_no_output(void **state) {
  (void)state;
  struct ls_bytes output = {0}, error_output = {0};
  assert_int_equal(run(1, NULL, &output, &error_output), LS_OUTCOME_FAILED);
  assert_int_equal(output.length, 0);
  assert_string_equal(ls_bytes_text(&error_output), "echo: one is not wanted\n");
  ls_bytes_clear(&error_output);
  assert_int_equal(run(2, NULL, &output, &error_output), LS_OUTCOME_FAILED);
  assert_string_equal(ls_bytes_text(&error_output), "echo: input or output failed\n");
  ls_bytes_close(&output);
  ls_bytes_close(&error_output);
}

/* An output that lost bytes for want of memory must not pass as whole. */
static void output_without_memory_is_a_failure(void **state) {
  struct ls_bytes output = {0}, error_output = {0};
  assert_int_equal(run(0, &state, &output, &error_output), LS_OUTCOME_FAILED);
  assert_non_null(strstr(ls_bytes_text(&error_output), "memory"));
  ls_bytes_close(&output);
  ls_bytes_close(&error_output);
}

/* What the thread has waited for a processor, as it is read: each in turn, and then the last. */
static const double *delays_s;
static size_t delays_left;
double __wrap_ls_clock_delayed_s(void);
double __wrap_ls_clock_delayed_s(void) {
  if (delays_left > 1) delays_left--, delays_s++;
  return delays_left > 0 ? *delays_s : 0;
}

static enum ls_status take_moment(void *state, const struct ls_work *work, struct ls_bytes *output,
                                  struct ls_error *err) {
  const struct timespec moment = {.tv_nsec = 2000000};
  (void)state, (void)work, (void)output, (void)err;
  (void)nanosleep(&moment, NULL);
  return LS_OK;
}

/* It may wait between the readings of two clocks, before it computes. */
static void waiting_before_computing_shortens_no_rest(void **state) {
  (void)state;
  static const double waited_s[] = {0, 0, 1};
  static const struct ls_app moment = {.name = "moment", .compute = take_moment};
  struct ls_executor_setup setup = {.app = &moment, .speed = 0.1};
  struct ls_work work = {.units = {0, 1}, .packed = {0, 1}};
  struct ls_bytes output = {0}, error_output = {0};
  double seconds = 0;
  delays_s = waited_s;
  delays_left = sizeof waited_s / sizeof *waited_s;
  assert_int_equal(ls_computation_run(&setup, &work, &output, &error_output, &seconds),
                   LS_OUTCOME_DONE);
  assert_true(seconds >= 0.01999);
  delays_left = 0;
}

static void calls_grow_until_they_last_ten_milliseconds(void **state) {
  (void)state;
  uint64_t units = 1;
  for (int i = 0; i < 10; ++i) units = ls_computation_adapt(units, units, 1e-6 * (double)units);
  assert_int_equal(units, 1024);
  for (int i = 0; i < 100; ++i) units = ls_computation_adapt(units, units, 1e-6 * (double)units);
  /* 8192 units of a microsecond last 8.2 ms: the next doubling is the last one. */
  assert_int_equal(units, 16384);
  assert_int_equal(ls_computation_adapt(16384, 16384, 0.030), 16384);
  assert_int_equal(ls_computation_adapt(16384, 16384, 0.041), 8192);
  assert_int_equal(ls_computation_adapt(1, 1, 10), 1);
}

static void call_that_is_not_full_does_not_grow(void **state) {
  (void)state;
  assert_int_equal(ls_computation_adapt(64, 3, 1e-6), 64);
  /* but one that is long shrinks, from what it was. */
  assert_int_equal(ls_computation_adapt(64, 8, 1.0), 4);
}

static void growth_has_an_end(void **state) {
  (void)state;
  uint64_t units = 1;
  for (int i = 0; i < 200; ++i) units = ls_computation_adapt(units, units, 0);
  assert_int_equal(units, UINT64_C(1) << 24);
}

static void report_shares_the_time_among_the_units(void **state) {
  (void)state;
  struct ls_execution report = ls_computation_report(LS_OUTCOME_DONE, (struct ls_range){7, 4}, 8.0);
  assert_int_equal(report.units.first, 7);
  assert_true(fabs(report.compute_s - 8) < 1e-12);
  assert_true(fabs(report.squares - 4 * 2.0 * 2.0) < 1e-12);
  assert_int_equal(report.output_file, -1);
  assert_int_equal(report.error_file, -1);
}

static void assert_rest(const struct ls_executor_setup *setup, double start_s, double used_s,
                        double rest_s) {
  assert_true(fabs(ls_computation_rest_s(setup, start_s, used_s) - rest_s) <= 1e-12);
}

/* Work goes on at the share of each time, to its exact end. */
static void the_rest_follows_speed_and_load(void **state) {
  (void)state;
  struct ls_executor_setup setup = {.speed = 1};
  assert_rest(&setup, 100, 3, 0);
  setup.speed = 0.25;
  assert_rest(&setup, 100, 3, 9);
  assert_rest(&setup, 100, 0, 0);
  struct ls_availability pieces[] = {{-5, 0.5}, {10, 1}, {20, 0.1}};
  const struct ls_load_course load = {pieces, 3};
  setup = (struct ls_executor_setup){.speed = 1, .load = &load, .load_from_s = 1000};
  assert_rest(&setup, 1002, 3, 3);
  assert_rest(&setup, 1008, 3, 1); /* one at half speed in two seconds, then two in two */
  assert_rest(&setup, 1012, 8, 0);
  assert_rest(&setup, 1012, 9, 9); /* eight in eight, then one in ten */
  setup.speed = 0.5;
  assert_rest(&setup, 1012, 1, 1);
  assert_rest(&setup, 990, 4, 7); /* 2.5 in five, before the load; then 1.5 in six */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(output_is_what_the_application_appends),
      cmocka_unit_test(failure_gives_its_text_and_no_output),
      cmocka_unit_test(output_without_memory_is_a_failure),
      cmocka_unit_test(waiting_before_computing_shortens_no_rest),
      cmocka_unit_test(calls_grow_until_they_last_ten_milliseconds),
      cmocka_unit_test(call_that_is_not_full_does_not_grow),
      cmocka_unit_test(growth_has_an_end),
      cmocka_unit_test(the_rest_follows_speed_and_load),
      cmocka_unit_test(report_shares_the_time_among_the_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
