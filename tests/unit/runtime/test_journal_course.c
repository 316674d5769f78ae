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
#include "runtime/journal/past/journal_course.h"

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
  assert_int_equal(counts[LS_OPERATION_STAGE], 0);
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

/* A session that pushes chunks of 1, 1, 2, 4 and 1 units to two workers in turn, one in `chunk_s`
 * seconds; then it has no more. Each chunk ends. */
static void push_session(const char *policy, enum ls_journal_mode mode, uint32_t first_worker,
                         double chunk_s) {
  const uint64_t units[] = {1, 1, 2, 4, 1}, firsts[] = {0, 1, 2, 4, 8};
  const uint64_t first_unit = first_worker > 0 ? 9 : 0;
  struct ls_journal_job job = {
      .application = "run", .command = "true", .directory = "/", .units = 18, .policy = policy};
  struct ls_journal_request request = {.path = file_path, .mode = mode, .job = &job};
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = 18});
  for (uint32_t i = 0; i < 2; i++) {
    struct ls_journal_worker worker = {.worker = first_worker + i,
                                       .slot = i + 1,
                                       .name = i == 0 ? "one" : "two",
                                       .left_s = (double)NAN};
    ls_journal_worker(journal, &worker);
  }
  for (uint64_t i = 0; i <= 5; i++) {
    struct ls_range range = {first_unit + firsts[i % 5], units[i % 5]};
    struct ls_actions actions = {.ranges = &range, .ranges_count = 1};
    struct ls_action action = {
        .kind = LS_ACTION_SEND, .worker = i % 2, .send = {.chunk = i, .ranges_count = 1}};
    ls_journal_event(journal,
                     &(struct ls_event){.kind = LS_EVENT_FREE, .now_s = 1 + chunk_s * (double)i});
    if (i < 5) ls_journal_decision(journal, &actions, &action);
  }
  for (uint64_t i = 0; i < 5; i++) {
    struct ls_journal_result result = {.units = {first_unit + firsts[i], units[i]},
                                       .outcome = LS_OUTCOME_DONE,
                                       .worker = first_worker + i % 2,
                                       .slot = 1 + i % 2,
                                       .attempt = 1,
                                       .chunk = i,
                                       .start_s = 10 + (double)i,
                                       .seconds = 1,
                                       .compute_s = 1};
    ls_journal_result(journal, &result);
  }
  ls_journal_end(journal, "stopped", 20);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  ls_journal_close(journal);
}

static void expect_send(const struct ls_run_course *course, size_t index, uint32_t worker,
                        double units, double seconds) {
  const struct ls_course_send *send = &course->sends[index];
  assert_int_equal(send->worker, worker);
  assert_true(fabs(send->units - units) <= 0 && fabs(send->seconds - seconds) <= 0);
}

static void read_pushed(struct ls_run_course *course) {
  struct ls_error err = {0};
  if (ls_journal_course_read(file_path, course, &err) != LS_OK) fail_msg("%s", err.text);
  unlink(file_path);
}

static void a_pushed_run_tells_what_sending_took(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0, transfers = 0;
  push_session("follow-plan", LS_JOURNAL_NEW, 0, 0.25);
  assert_int_equal(ls_journal_measure(file_path, &measurements, &failed, NULL), LS_OK);
  for (size_t i = 0; i < measurements.count; i++) {
    if (measurements.items[i].measured != LS_OPERATION_TRANSFER) continue;
    assert_true(fabs(measurements.items[i].seconds - 0.25) <= 0);
    transfers++;
  }
  assert_int_equal(transfers, 3); /* all but the first ones of the workers */
  ls_measurements_close(&measurements);
  struct ls_run_course course;
  read_pushed(&course);
  assert_int_equal(course.sends_count, 3);
  expect_send(&course, 0, 0, 2, 0.25);
  expect_send(&course, 1, 1, 4, 0.25);
  expect_send(&course, 2, 0, 1, 0.25);
  ls_run_course_close(&course);
}

/* Each session has first chunks of its own, and only those that follow a plan are looked at. */
static void each_session_that_follows_a_plan_tells(void **state) {
  (void)state;
  struct ls_run_course course;
  push_session("follow-plan", LS_JOURNAL_NEW, 0, 0.25);
  push_session("follow-plan", LS_JOURNAL_RESUME, 2, 0.5);
  read_pushed(&course);
  assert_int_equal(course.sends_count, 6);
  expect_send(&course, 2, 0, 1, 0.25);
  expect_send(&course, 3, 2, 2, 0.5);
  assert_null(course.asked_units);
  ls_run_course_close(&course);
  push_session("follow-plan", LS_JOURNAL_NEW, 0, 0.25);
  push_session("fac", LS_JOURNAL_RESUME, 2, 0.5);
  read_pushed(&course);
  assert_int_equal(course.sends_count, 3);
  assert_non_null(course.asked_units);
  ls_run_course_close(&course);
  push_session("fac", LS_JOURNAL_NEW, 0, 0.25);
  push_session("follow-plan", LS_JOURNAL_RESUME, 2, 0.5);
  read_pushed(&course);
  assert_int_equal(course.sends_count, 3);
  expect_send(&course, 0, 2, 2, 0.5);
  ls_run_course_close(&course);
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
  for (size_t i = 0; i < course.ended_count; i++) assert_true(isnan(course.ended[i].way_s));
  ls_run_course_close(&course);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_is_one_measurement_of_each_operation),
      cmocka_unit_test(a_run_tells_who_was_there_and_when_it_ended),
      cmocka_unit_test(a_file_that_is_not_there_is_named),
      cmocka_unit_test(the_way_of_a_chunk_is_told_where_nobody_else_was_on_it),
      cmocka_unit_test(workers_asked_when_they_had_come_so_far),
      cmocka_unit_test(a_pushed_run_tells_what_sending_took),
      cmocka_unit_test(each_session_that_follows_a_plan_tells),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
