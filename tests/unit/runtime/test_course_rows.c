/* A master and a reader of its journal come to the same course. */
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

#include "runtime/journal/past/course_rows.h"
#include "runtime/journal/past/journal_course.h"

enum { UNITS = 40 };

static char folder[] = "/tmp/course-test-XXXXXX";
static char path[64];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  (void)snprintf(path, sizeof path, "%s/j", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

/* A master with a journal. */
struct master {
  struct ls_journal *journal;
  struct ls_course_rows rows;
  struct ls_actions actions; /* of the event that is heard next */
  struct ls_action sends[8];
  struct ls_range ranges[8];
  uint64_t chunk, unit;
};

static void begin(struct master *master, const char *policy) {
  struct ls_journal_job job = {
      .application = "run", .command = "true", .directory = "/", .units = UNITS, .policy = policy};
  struct ls_journal_request request = {.path = path, .job = &job};
  *master = (struct master){
      .rows = {.course.from_s = (double)NAN, .is_pushed = strcmp(policy, "follow-plan") == 0}};
  master->actions = (struct ls_actions){.items = master->sends, .ranges = master->ranges};
  assert_int_equal(ls_journal_open(&request, &master->journal, NULL), LS_OK);
}

static void come(struct master *master, uint32_t number, const char *name, double now_s) {
  struct ls_journal_worker worker = {
      .worker = number, .slot = number + 1, .name = name, .joined_s = now_s, .left_s = (double)NAN};
  ls_journal_worker(master->journal, &worker);
  assert_int_equal(ls_course_rows_add_worker(&master->rows, &worker), LS_OK);
}

/* The next event has one more chunk for the worker. */
static void send(struct master *master, uint32_t worker, uint64_t units) {
  size_t at = master->actions.count++;
  master->actions.ranges_count++;
  master->ranges[at] = (struct ls_range){master->unit, units};
  master->sends[at] = (struct ls_action){
      .kind = LS_ACTION_SEND,
      .worker = worker,
      .send = {.chunk = master->chunk++, .units = units, .first_range = at, .ranges_count = 1}};
  master->unit += units;
}

static void hear_event(struct master *master, const struct ls_event *event,
                       const struct ls_journal_result *rows, size_t count) {
  ls_journal_event(master->journal, event);
  assert_int_equal(ls_course_rows_hear(&master->rows, 0, event, &master->actions), LS_OK);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(ls_course_rows_add_end(&master->rows, &rows[i]), LS_OK);
    if (rows[i].is_settled)
      ls_journal_result(master->journal, &rows[i]);
    else
      ls_journal_attempt(master->journal, &rows[i]);
  }
  for (size_t i = 0; i < master->actions.count; i++)
    ls_journal_decision(master->journal, &master->actions, &master->sends[i]);
  master->actions.count = master->actions.ranges_count = 0;
}

static void hear(struct master *master, enum ls_event_kind kind, uint32_t worker, double now_s) {
  hear_event(master, &(struct ls_event){.kind = kind, .worker = worker, .now_s = now_s}, NULL, 0);
}

/* A result of all units in one row, or of each in one of its own. */
static void end(struct master *master, uint32_t worker, uint64_t chunk, struct ls_range units,
                double now_s, enum ls_outcome outcome, bool is_settled, bool is_divided) {
  struct ls_journal_result rows[8];
  size_t count = is_divided ? (size_t)units.count : 1;
  double seconds = 0.3 * (double)units.count;
  for (size_t i = 0; i < count; i++)
    rows[i] = (struct ls_journal_result){
        .units = is_divided ? (struct ls_range){units.first + i, 1} : units,
        .outcome = outcome,
        .is_settled = is_settled,
        .worker = worker,
        .slot = worker + 1,
        .attempt = 1,
        .chunk = chunk,
        .start_s = now_s - seconds,
        .seconds = seconds,
        .compute_s = 0.9 * seconds,
        .stage_s = 0.05,
        .lead_s = 0.1};
  hear_event(master,
             &(struct ls_event){.kind = LS_EVENT_RESULT,
                                .worker = worker,
                                .now_s = now_s,
                                .result = {.chunk = chunk,
                                           .units = units,
                                           .outcome = outcome,
                                           .seconds = seconds,
                                           .squares = seconds * seconds}},
             rows, count);
}

static bool is_same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void compare_chunks(const struct ls_course_chunk *a, const struct ls_course_chunk *b) {
  assert_true(a->chunk == b->chunk && a->worker == b->worker && a->units == b->units);
  assert_true(is_same(a->compute_s, b->compute_s) && is_same(a->receive_s, b->receive_s) &&
              is_same(a->stage_s, b->stage_s) && is_same(a->lead_s, b->lead_s) &&
              is_same(a->start_s, b->start_s) && is_same(a->end_s, b->end_s) &&
              is_same(a->way_s, b->way_s));
  assert_int_equal(a->has_failed, b->has_failed);
}

static void compare(const struct ls_run_course *a, const struct ls_run_course *b) {
  assert_int_equal(a->workers_count, b->workers_count);
  for (size_t i = 0; i < a->workers_count; i++) assert_string_equal(a->workers[i], b->workers[i]);
  assert_true(a->sent_count == b->sent_count && a->ended_count == b->ended_count &&
              a->sends_count == b->sends_count && a->tasks_count == b->tasks_count);
  assert_int_equal(a->asked_units == NULL, b->asked_units == NULL);
  for (size_t i = 0; i < a->sent_count; i++) {
    compare_chunks(&a->sent[i], &b->sent[i]);
    if (a->asked_units != NULL) assert_true(is_same(a->asked_units[i], b->asked_units[i]));
  }
  for (size_t i = 0; i < a->ended_count; i++) compare_chunks(&a->ended[i], &b->ended[i]);
  for (size_t i = 0; i < a->sends_count; i++) {
    assert_int_equal(a->sends[i].worker, b->sends[i].worker);
    assert_true(is_same(a->sends[i].units, b->sends[i].units) &&
                is_same(a->sends[i].seconds, b->sends[i].seconds));
  }
  for (size_t i = 0; i < a->tasks_count; i++) {
    assert_int_equal(a->task_workers[i], b->task_workers[i]);
    assert_true(is_same(a->task_seconds[i], b->task_seconds[i]));
  }
  assert_true(is_same(a->from_s, b->from_s) && is_same(a->to_s, b->to_s));
}

/* The master's course, which it still has when asked again, is that of its journal. */
static struct ls_run_course finish(struct master *master) {
  struct ls_run_course first, second, read;
  struct ls_error err = {0};
  ls_journal_end(master->journal, "finished", 20);
  assert_int_equal(ls_journal_commit(master->journal, NULL), LS_OK);
  ls_journal_close(master->journal);
  assert_int_equal(ls_course_rows_copy(&master->rows, &first), LS_OK);
  assert_int_equal(ls_course_rows_copy(&master->rows, &second), LS_OK);
  if (ls_journal_course_read(path, &read, &err) != LS_OK) fail_msg("%s", err.text);
  compare(&first, &second);
  compare(&first, &read);
  ls_run_course_close(&second);
  ls_run_course_close(&read);
  ls_course_rows_close(&master->rows);
  unlink(path);
  return first;
}

static void the_course_of_requests_is_that_of_the_journal(void **state) {
  (void)state;
  struct master master;
  begin(&master, "fac");
  come(&master, 0, "one", 0.125);
  send(&master, 0, 2);
  hear(&master, LS_EVENT_READY, 0, 1.1);
  come(&master, 1, "two", 1.25);
  end(&master, 0, 0, (struct ls_range){0, 1}, 1.7, LS_OUTCOME_DONE, true, false);
  send(&master, 0, 3); /* by a result that has a row of its own for each of its units, or has not */
  end(&master, 0, 0, (struct ls_range){1, 1}, 2.1, LS_OUTCOME_DONE, true, false);
  send(&master, 0, 1);
  end(&master, 0, 1, (struct ls_range){2, 3}, 4.4, LS_OUTCOME_DONE, true, true);
  send(&master, 1, 2);
  hear(&master, LS_EVENT_READY, 1, 5);
  end(&master, 0, 2, (struct ls_range){5, 1}, 5.5, LS_OUTCOME_FAILED, false, false);
  end(&master, 1, 3, (struct ls_range){6, 1}, 6.5, LS_OUTCOME_DONE, true, false);
  hear(&master, LS_EVENT_LOST, 1, 7);
  struct ls_run_course course = finish(&master);
  assert_int_equal(course.ended_count, 4);
  assert_int_equal(course.sends_count, 0);
  /* 0.3 from sending to computing, of which its worker staged for 0.1. */
  assert_true(fabs(course.ended[0].way_s - 0.2) <= 1e-12);
  assert_true(fabs(course.ended[0].within_s - 0.2) <= 1e-12);
  ls_run_course_close(&course);
}

static void the_course_of_a_plan_is_that_of_the_journal(void **state) {
  (void)state;
  struct master master;
  begin(&master, "follow-plan");
  hear_event(&master, &(struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = UNITS},
             NULL, 0);
  for (uint32_t i = 0; i < 2; i++) {
    come(&master, i, i == 0 ? "one" : "two", 0.1 + i);
    send(&master, i, 2);
    hear(&master, LS_EVENT_JOINED, i, 0.1 + i);
  }
  for (uint32_t i = 0; i < 3; i++) {
    send(&master, i % 2, 1 + i);
    hear(&master, LS_EVENT_FREE, 0, 1.7);
  }
  end(&master, 0, 0, (struct ls_range){0, 2}, 2.9, LS_OUTCOME_DONE, true, false);
  send(&master, 1, 5);
  hear(&master, LS_EVENT_FREE, 0, 2.9);
  end(&master, 1, 1, (struct ls_range){2, 2}, 3.3, LS_OUTCOME_DONE, true, false);
  hear(&master, LS_EVENT_FREE, 0, 3.3);
  struct ls_run_course course = finish(&master);
  assert_null(course.asked_units);
  assert_int_equal(course.sends_count, 3);
  assert_true(fabs(course.sends[0].units - 2) <= 0 && fabs(course.sends[0].seconds - 0.4) <= 1e-12);
  assert_true(course.sends[2].worker == 1 && fabs(course.sends[2].seconds - 0.4) <= 1e-12);
  for (size_t i = 0; i < course.ended_count; i++) assert_true(isnan(course.ended[i].way_s));
  ls_run_course_close(&course);
}

static void rows_of_nobody_are_damaged(void **state) {
  (void)state;
  struct ls_course_rows rows = {.course.from_s = (double)NAN, .is_pushed = true};
  struct ls_journal_worker worker = {.worker = UINT32_MAX, .name = "far"};
  struct ls_journal_decision decision = {.worker = 1, .units = 1};
  struct ls_journal_result result = {.worker = 1, .units = {0, 1}};
  struct ls_action action = {.kind = LS_ACTION_SEND, .worker = 1, .send = {.units = 1}};
  struct ls_actions actions = {.items = &action, .count = 1};
  struct ls_event event = {.kind = LS_EVENT_FREE};
  assert_int_equal(ls_course_rows_add_worker(&rows, &worker), LS_ECORRUPT);
  worker.worker = 0;
  assert_int_equal(ls_course_rows_add_worker(&rows, &worker), LS_OK);
  assert_int_equal(ls_course_rows_add_decision(&rows, &decision), LS_ECORRUPT);
  assert_int_equal(ls_course_rows_add_end(&rows, &result), LS_ECORRUPT);
  assert_int_equal(ls_course_rows_add_sends(&rows, 0, &event, &actions), LS_ECORRUPT);
  assert_int_equal(ls_course_rows_add_sends(&rows, UINT32_MAX, &event, &actions), LS_ECORRUPT);
  ls_course_rows_close(&rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_course_of_requests_is_that_of_the_journal),
      cmocka_unit_test(the_course_of_a_plan_is_that_of_the_journal),
      cmocka_unit_test(rows_of_nobody_are_damaged),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
