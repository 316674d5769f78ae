#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/journal_of_chunks.h"
#include "runtime/journal_course.h"

static void a_chunk_is_one_measurement_of_each_operation(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  size_t counts[LS_MEASURED_COUNT] = {0};
  assert_int_equal(ls_journal_measure(journal_path, &measurements, &failed, NULL), LS_OK);
  assert_int_equal(failed, 1);
  for (size_t i = 0; i < measurements.count; i++) {
    const struct ls_measurement *item = &measurements.items[i];
    counts[item->measured]++;
    if (item->measured == LS_OPERATION_COMPUTE)
      assert_true(fabs(item->seconds - 0.1 * item->units) <= 1e-9);
    if (item->measured == LS_OPERATION_RECEIVE) assert_true(fabs(item->seconds - 0.01) <= 1e-9);
    if (item->measured == LS_MEASURED_TASK) assert_true(fabs(item->seconds - 0.1) <= 1e-9);
  }
  assert_int_equal(counts[LS_OPERATION_COMPUTE], CHUNKS_MADE - 1);
  assert_int_equal(counts[LS_OPERATION_RECEIVE], CHUNKS_MADE - 1);
  assert_int_equal(counts[LS_MEASURED_STAGE], 0);
  assert_int_equal(counts[LS_MEASURED_TASK], 35);
  assert_string_equal(measurements.workers[1], "local-2");
  ls_measurements_close(&measurements);
}

static void a_run_tells_who_was_there_and_when_it_ended(void **state) {
  (void)state;
  struct ls_run_course course;
  assert_int_equal(ls_journal_course_read(journal_path, &course, NULL), LS_OK);
  assert_int_equal(course.workers_count, 2);
  assert_int_equal(course.ended_count, CHUNKS_MADE);
  assert_true(fabs(course.from_s) <= 0 && fabs(course.to_s - (1 + 0.2 * 35 + 0.1)) <= 1e-9);
  assert_int_equal(course.ended[3].units, 4);
  assert_false(course.ended[3].has_failed);
  assert_true(course.ended[CHUNKS_MADE - 1].has_failed);
  ls_run_course_close(&course);
}

static void a_file_that_is_not_there_is_named(void **state) {
  (void)state;
  struct ls_run_course course;
  struct ls_error err = {0};
  assert_int_equal(ls_journal_course_read(file_path, &course, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, file_path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_is_one_measurement_of_each_operation),
      cmocka_unit_test(a_run_tells_who_was_there_and_when_it_ended),
      cmocka_unit_test(a_file_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
