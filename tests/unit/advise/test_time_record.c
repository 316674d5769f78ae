/* What is kept of the times of ended units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/time_record.h"

static void a_result_is_a_sample_and_counts_in_the_sums(void **state) {
  struct ls_time_record record = {.count = 0};
  (void)state;
  ls_time_record_add(&record, 0, 1, 2.0, 2.0);
  ls_time_record_add(&record, 1, 4, 8.0, 9.0);
  ls_time_record_add(&record, 0, 1, 3.0, 10.0);
  assert_int_equal(record.count, 3);
  assert_int_equal(record.results, 3);
  assert_true(fabs(record.units - 6) < 1e-12 && fabs(record.seconds - 13) < 1e-12);
  assert_true(fabs(record.samples[1].log_s - log(2.0)) < 1e-12);
  assert_true(fabs(record.samples[1].begin_s - 1.0) < 1e-12);
  /* The third began when one unit had ended, worker 1's next one begins behind five. */
  assert_true(fabs(record.samples[2].order - 1) < 1e-12);
  assert_true(fabs(ls_time_record_order(&record, 1) - 5) < 1e-12);
  assert_true(fabs(ls_time_record_order(&record, 7)) < 1e-12);
  ls_time_record_close(&record);
}

static void samples_stay_bounded_and_even(void **state) {
  struct ls_time_record record = {.count = 0};
  enum { RESULTS = 100000 };
  (void)state;
  for (size_t i = 0; i < RESULTS; i++)
    ls_time_record_add(&record, (uint32_t)(i % 3), 1, 1.0, (double)i);
  assert_true(record.count > LS_TIME_SAMPLES / 4 && record.count <= LS_TIME_SAMPLES);
  assert_true(fabs(record.units - RESULTS) < 1e-6);
  double widest = 0;
  for (size_t i = 1; i < record.count; i++)
    widest = fmax(widest, record.samples[i].begin_s - record.samples[i - 1].begin_s);
  assert_true(widest <= 2.0 * RESULTS / LS_TIME_SAMPLES * 2);
  ls_time_record_close(&record);
}

static void times_that_make_no_sense_do_no_harm(void **state) {
  struct ls_time_record record = {.count = 0};
  (void)state;
  ls_time_record_add(&record, 0, 1, 0.0, 1.0);
  ls_time_record_add(&record, 0, 1, (double)NAN, 1.0);
  ls_time_record_add(&record, 0, 1, (double)INFINITY, 1.0);
  ls_time_record_add(&record, 0, 0, 1.0, 1.0);
  ls_time_record_add(&record, UINT32_MAX, 1, 1.0, 1.0);
  assert_int_equal(record.count, 3);
  for (size_t i = 0; i < record.count; i++) assert_true(isfinite(record.samples[i].log_s));
  ls_time_record_close(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_result_is_a_sample_and_counts_in_the_sums),
      cmocka_unit_test(samples_stay_bounded_and_even),
      cmocka_unit_test(times_that_make_no_sense_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
