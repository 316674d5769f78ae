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

static void heard(struct ls_journal *journal, uint32_t worker, double now_s) {
  ls_journal_event(journal,
                   &(struct ls_event){
                       .kind = LS_EVENT_READY, .worker = worker, .now_s = now_s, .ready_units = 1});
}

static void send(struct ls_journal *journal, uint32_t worker, uint64_t chunk,
                 struct ls_range range) {
  struct ls_actions actions = {.ranges = &range, .ranges_count = 1};
  struct ls_action action = {
      .kind = LS_ACTION_SEND, .worker = worker, .send = {.chunk = chunk, .ranges_count = 1}};
  ls_journal_decision(journal, &actions, &action);
}

static void end(struct ls_journal *journal, uint32_t worker, uint64_t chunk, struct ls_range range,
                double start_s) {
  ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_RESULT,
                                               .worker = worker,
                                               .now_s = start_s + 1,
                                               .result = {.chunk = chunk,
                                                          .units = range,
                                                          .outcome = LS_OUTCOME_DONE,
                                                          .seconds = 1,
                                                          .squares = 1}});
  struct ls_journal_result result = {.units = range,
                                     .outcome = LS_OUTCOME_DONE,
                                     .worker = worker,
                                     .slot = worker + 1,
                                     .attempt = 1,
                                     .chunk = chunk,
                                     .start_s = start_s,
                                     .seconds = 1,
                                     .compute_s = 1};
  ls_journal_result(journal, &result);
}

/* Chunk 0 goes alone to an idle worker, chunks 1 and 2 together, chunk 3 to a busy one; chunk 4 is
 * taken back and never ends. */
static void fill_sendings(struct ls_journal *journal) {
  struct ls_journal_worker one = {.worker = 0, .slot = 1, .name = "one", .left_s = (double)NAN};
  struct ls_journal_worker two = {.worker = 1, .slot = 2, .name = "two", .left_s = (double)NAN};
  ls_journal_worker(journal, &one);
  ls_journal_worker(journal, &two);
  heard(journal, 0, 1);
  send(journal, 0, 0, (struct ls_range){0, 2});
  end(journal, 0, 0, (struct ls_range){0, 1}, 1.25);
  end(journal, 0, 0, (struct ls_range){1, 1}, 2.25);
  heard(journal, 0, 5);
  send(journal, 0, 1, (struct ls_range){2, 1});
  heard(journal, 1, 5);
  send(journal, 1, 2, (struct ls_range){3, 1});
  heard(journal, 1, 5.5);
  send(journal, 1, 3, (struct ls_range){4, 1});
  send(journal, 1, 4, (struct ls_range){5, 1});
  end(journal, 0, 1, (struct ls_range){2, 1}, 5.25);
  end(journal, 1, 2, (struct ls_range){3, 1}, 5.75);
  end(journal, 1, 3, (struct ls_range){4, 1}, 6.75);
}

static struct ls_run_course read_sendings(const char *policy) {
  struct ls_journal_job job = {
      .application = "run", .command = "true", .directory = "/", .units = 6, .policy = policy};
  struct ls_journal_request request = {.path = file_path, .job = &job};
  struct ls_journal *journal = NULL;
  struct ls_run_course course;
  struct ls_error err = {0};
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  fill_sendings(journal);
  ls_journal_end(journal, "finished", 8);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  ls_journal_close(journal);
  if (ls_journal_course_read(file_path, &course, &err) != LS_OK) fail_msg("%s", err.text);
  unlink(file_path);
  return course;
}

/* Only chunk 0 was on the way alone, to a worker that waited for it. */
static void the_way_of_a_chunk_is_told_where_nobody_else_was_on_it(void **state) {
  (void)state;
  struct ls_run_course course = read_sendings("fac");
  assert_int_equal(course.ended_count, 4);
  assert_true(fabs(course.ended[0].way_s - 0.25) <= 1e-9);
  for (size_t i = 1; i < 4; i++) assert_true(isnan(course.ended[i].way_s));
  ls_run_course_close(&course);
}

static void workers_asked_when_they_had_come_so_far(void **state) {
  (void)state;
  struct ls_run_course course = read_sendings("fac");
  const double expected[] = {0, 2, 0, 0};
  assert_int_equal(course.sent_count, 4);
  assert_non_null(course.asked_units);
  for (size_t i = 0; i < 4; i++) assert_true(fabs(course.asked_units[i] - expected[i]) <= 0);
  ls_run_course_close(&course);
  course = read_sendings("follow-plan");
  assert_null(course.asked_units);
  ls_run_course_close(&course);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_is_one_measurement_of_each_operation),
      cmocka_unit_test(a_run_tells_who_was_there_and_when_it_ended),
      cmocka_unit_test(a_file_that_is_not_there_is_named),
      cmocka_unit_test(the_way_of_a_chunk_is_told_where_nobody_else_was_on_it),
      cmocka_unit_test(workers_asked_when_they_had_come_so_far),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
