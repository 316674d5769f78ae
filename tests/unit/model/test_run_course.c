#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/run_course.h"

static char *names[] = {(char *)"a", NULL, (char *)"b"};
static double task_seconds[] = {0.25};
static uint32_t task_workers[] = {2};
/* Worker b received for a while, and staged; its second chunk has failed. */
static struct ls_course_chunk ended[] = {
    {.chunk = 0, .worker = 0, .units = 3, .compute_s = 3.5},
    {.chunk = 1, .worker = 2, .units = 2, .compute_s = 4, .receive_s = 1, .stage_s = 0.5},
    {.chunk = 2, .worker = 2, .units = 1, .compute_s = 1, .has_failed = true}};

static struct ls_run_course make_course(void) {
  return (struct ls_run_course){.workers = names,
                                .workers_count = 3,
                                .ended = ended,
                                .ended_count = 3,
                                .task_seconds = task_seconds,
                                .task_workers = task_workers,
                                .tasks_count = 1};
}

static void check(const struct ls_measurements *measurements, size_t index, uint32_t measured,
                  double seconds) {
  assert_true(index < measurements->count);
  assert_int_equal(measurements->items[index].measured, measured);
  assert_true(fabs(measurements->items[index].seconds - seconds) <= 0);
}

static void what_took_time_is_measured(void **state) {
  (void)state;
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(measurements.count, 5);
  check(&measurements, 0, LS_OPERATION_COMPUTE, 3.5);
  check(&measurements, 1, LS_OPERATION_COMPUTE, 4);
  check(&measurements, 2, LS_OPERATION_RECEIVE, 1);
  check(&measurements, 3, LS_OPERATION_STAGE, 0.5);
  check(&measurements, 4, LS_MEASURED_TASK, 0.25);
  assert_string_equal(measurements.workers[measurements.items[4].worker], "b");
  assert_int_equal(measurements.workers_count, 2);
  ls_measurements_close(&measurements);
}

/* What a busy master needed for chunks is a transfer, whatever became of them; but not for a worker
 * of which nothing else is known. */
static void what_sending_took_is_called_transfer(void **state) {
  (void)state;
  struct ls_course_send sends[] = {{0, 2.5, 0.25}, {2, 3, 0.125}, {0, 4, 0.5}};
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  course.ended_count = 1;
  course.tasks_count = 0;
  course.sends = sends;
  course.sends_count = 3;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(measurements.count, 3);
  check(&measurements, 1, LS_OPERATION_TRANSFER, 0.25);
  check(&measurements, 2, LS_OPERATION_TRANSFER, 0.5);
  assert_true(fabs(measurements.items[1].units - 2.5) <= 0);
  assert_int_equal(measurements.workers_count, 1);
  assert_int_equal(measurements.in_transfer, 1U << LS_OPERATION_PREPARE | 1U << LS_OPERATION_SEND);
  ls_measurements_close(&measurements);
}

static void the_way_of_a_chunk_has_that_of_its_result_in_it(void **state) {
  (void)state;
  struct ls_course_chunk one = {.units = 3, .compute_s = 3.5, .way_s = 0.25};
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  course.ended = &one;
  course.ended_count = 1;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  check(&measurements, 1, LS_OPERATION_TRANSFER, 0.25);
  assert_int_equal(measurements.in_transfer,
                   1U << LS_OPERATION_PREPARE | 1U << LS_OPERATION_SEND | 1U << LS_OPERATION_REPLY);
  ls_measurements_close(&measurements);
}

/* Their times take the place of guesses, of those workers that have some. */
static void timed_transfers_are_what_counts(void **state) {
  (void)state;
  struct ls_course_chunk chunks[] = {{.worker = 0, .units = 3, .compute_s = 1, .way_s = 0.5},
                                     {.chunk = 1, .worker = 2, .units = 2, .compute_s = 1}};
  struct ls_course_transfer transfers[] = {{0, 0, 3, 1, 0.25}};
  struct ls_course_send sends[] = {{0, 2.5, 0.125}, {2, 3, 0.0625}};
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  course.ended = chunks;
  course.ended_count = 2;
  course.tasks_count = 0;
  course.transfers = transfers;
  course.transfers_count = 1;
  course.sends = sends;
  course.sends_count = 2;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(measurements.count, 4);
  check(&measurements, 2, LS_OPERATION_TRANSFER, 0.25);
  check(&measurements, 3, LS_OPERATION_TRANSFER, 0.0625);
  assert_int_equal(measurements.timed, 1);
  assert_int_equal(measurements.links, LS_LINKS_UNKNOWN);
  ls_measurements_close(&measurements);
}

/* Two were alone, and one met another one: what that took is not what it takes alone. */
static void a_time_in_company_is_doubted(void **state) {
  (void)state;
  struct ls_course_chunk chunks[] = {{.worker = 0, .units = 3, .compute_s = 1}};
  struct ls_course_transfer transfers[] = {
      {0, 0, 3, 1, 0.25}, {0, 1, 4, 2, 0.375}, {0, 2, 5, 3, 0.5}, {2, 3, 5, 3, 0.5}};
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  course.ended = chunks;
  course.ended_count = 1;
  course.tasks_count = 0;
  course.transfers = transfers;
  course.transfers_count = 4;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(measurements.count, 3);
  check(&measurements, 1, LS_OPERATION_TRANSFER, 0.25);
  check(&measurements, 2, LS_OPERATION_TRANSFER, 0.375);
  ls_measurements_close(&measurements);
}

/* A plan counts workers by their places in a platform, a run by their numbers. */
static void workers_keep_the_order_of_the_run(void **state) {
  (void)state;
  struct ls_course_chunk last_first[] = {{.chunk = 0, .worker = 2, .units = 2, .compute_s = 4},
                                         {.chunk = 1, .worker = 0, .units = 3, .compute_s = 3.5}};
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  course.ended = last_first;
  course.ended_count = 2;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(measurements.workers_count, 2);
  assert_string_equal(measurements.workers[0], "a");
  assert_string_equal(measurements.workers[1], "b");
  assert_string_equal(measurements.workers[measurements.items[0].worker], "b");
  ls_measurements_close(&measurements);
}

static void a_chunk_that_failed_is_counted_and_no_measurement(void **state) {
  (void)state;
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 4;
  course.ended += 2;
  course.ended_count = 1;
  course.tasks_count = 0;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(failed, 5);
  assert_int_equal(measurements.count, 0);
  ls_measurements_close(&measurements);
}

/* A time that cannot be is refused as in any other measurement. */
static void nonsense_is_refused(void **state) {
  (void)state;
  struct ls_course_chunk wrong = {.units = 1, .compute_s = -1};
  struct ls_run_course course = make_course();
  struct ls_measurements measurements = {.items = NULL};
  struct ls_error err = {0};
  uint64_t failed = 0;
  course.ended = &wrong;
  course.ended_count = 1;
  assert_int_equal(ls_run_course_measure(&course, &measurements, &failed, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "-1"));
  ls_measurements_close(&measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_took_time_is_measured),
      cmocka_unit_test(what_sending_took_is_called_transfer),
      cmocka_unit_test(the_way_of_a_chunk_has_that_of_its_result_in_it),
      cmocka_unit_test(timed_transfers_are_what_counts),
      cmocka_unit_test(a_time_in_company_is_doubted),
      cmocka_unit_test(workers_keep_the_order_of_the_run),
      cmocka_unit_test(a_chunk_that_failed_is_counted_and_no_measurement),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
