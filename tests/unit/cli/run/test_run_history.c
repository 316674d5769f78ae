/* What a journal of an earlier run tells about tasks and workers. */
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

#include "cli/run/run_history.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_size_advice.h"

static const struct ls_journal_job job = {.application = "run",
                                          .command = "sleep",
                                          .directory = "/",
                                          .units = 20,
                                          .policy = "ss",
                                          .workers = 2};

/* A journal with 6 units of 2 s in slot 1, 6 of 4 s in slot 2, and a failed one. */
static void write_journal(const char *path, bool has_results) {
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_NEW, .job = &job};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  for (uint32_t i = 0; i < 2; i++)
    ls_journal_worker(journal, &(struct ls_journal_worker){.worker = i, .slot = i + 1, .name = ""});
  for (uint64_t i = 0; has_results && i < 12; i++) {
    struct ls_journal_result result = {.units = {11 - i, 1},
                                       .outcome = LS_OUTCOME_DONE,
                                       .worker = i % 2,
                                       .slot = 1 + i % 2,
                                       .attempt = 1,
                                       .chunk = i,
                                       .seconds = i % 2 == 0 ? 2 : 4};
    ls_journal_result(journal, &result);
  }
  struct ls_journal_result failed = {
      .units = {12, 1}, .outcome = LS_OUTCOME_FAILED, .slot = 1, .attempt = 1, .seconds = 100};
  if (has_results) ls_journal_result(journal, &failed);
  if (ls_journal_commit(journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
}

static void make_path(char *path, size_t length) {
  char folder[] = "/tmp/test-history-XXXXXX";
  assert_non_null(mkdtemp(folder));
  snprintf(path, length, "%s/journal", folder);
}

static void remove_path(char *path) {
  char name[128];
  snprintf(name, sizeof name, "rm -rf '%.*s'", (int)(strrchr(path, '/') - path), path);
  assert_int_equal(system(name), 0);
}

static void done_units_teach_their_times(void **state) {
  char path[64];
  struct ls_run_history history;
  struct ls_error err = {0};
  (void)state;
  make_path(path, sizeof path);
  write_journal(path, true);
  if (ls_run_history_read(&history, path, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(history.units, 12);
  assert_int_equal(history.lessons_count, 12);
  assert_int_equal(history.lessons[0].units.first, 0);
  assert_true(fabs(history.mean_seconds - 3) < 1e-9);
  assert_true(fabs(ls_run_history_slot(&history, 0) - 2) < 1e-9);
  assert_true(fabs(ls_run_history_slot(&history, 1) - 4) < 1e-9);
  assert_true(fabs(ls_run_history_slot(&history, 7) - 3) < 1e-9);
  /* On each worker all took the same time. */
  assert_int_equal(history.shares_count, 12);
  for (size_t i = 0; i < 12; i++) assert_true(fabs(history.shares[i] - 1) < 1e-9);
  ls_run_history_close(&history);
  remove_path(path);
}

/* Two chunks of one worker, the second one there before the first had ended: 0.5 s in all went into
 * something else than their four units. */
static void events_teach_the_overhead_of_chunks(void **state) {
  char path[64];
  struct ls_journal *journal = NULL;
  struct ls_run_history history;
  struct ls_error err = {0};
  struct ls_range ranges[2] = {{0, 2}, {2, 2}};
  struct ls_actions actions = {.ranges = ranges, .ranges_count = 2};
  (void)state;
  make_path(path, sizeof path);
  write_journal(path, true);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_RESUME, .job = &job};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_JOINED, .now_s = 1});
  for (uint64_t i = 0; i < 2; i++) {
    struct ls_action send = {.kind = LS_ACTION_SEND,
                             .send = {.chunk = i, .units = 2, .first_range = i, .ranges_count = 1}};
    ls_journal_event(
        journal,
        &(struct ls_event){.kind = LS_EVENT_READY, .now_s = 2 + (double)i, .ready_units = 1});
    ls_journal_decision(journal, &actions, &send);
  }
  for (uint64_t i = 0; i < 2; i++) {
    struct ls_event_result result = {
        .chunk = i, .units = ranges[i], .outcome = LS_OUTCOME_DONE, .seconds = 4, .squares = 8};
    ls_journal_event(
        journal, &(struct ls_event){
                     .kind = LS_EVENT_RESULT, .now_s = 6.25 + 4.25 * (double)i, .result = result});
  }
  if (ls_journal_commit(journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
  if (ls_run_history_read(&history, path, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(history.overhead.chunks, 2);
  assert_int_equal(history.overhead.begins, 1);
  assert_true(fabs(history.overhead.beside_s - 0.5) < 1e-9);
  ls_run_history_close(&history);
  remove_path(path);
}

/* Three units, the last of which runs twice: it ends in 4 s, when the first run has lasted 10. */
static void events_teach_how_slow_units_are(void **state) {
  static const struct send {
    double now_s;
    uint32_t worker;
    uint64_t unit;
  } sends[] = {{0, 0, 0}, {0, 1, 2}, {5, 0, 1}, {6, 0, 2}};
  static const uint64_t ends_before[] = {0, 0, 1, 2};
  static const struct end {
    double now_s, seconds;
    uint32_t worker;
    uint64_t chunk, unit;
  } ends[] = {{5, 5, 0, 0, 0}, {6, 1, 0, 2, 1}, {10, 4, 0, 3, 2}};
  char path[64];
  struct ls_journal *journal = NULL;
  struct ls_run_history history;
  struct ls_error err = {0};
  struct ls_slowness expected = {{0}, {0}};
  (void)state;
  make_path(path, sizeof path);
  write_journal(path, true);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_RESUME, .job = &job};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  for (uint32_t i = 0; i < 2; i++)
    ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_JOINED, .worker = i});
  for (size_t i = 0, k = 0; i < 4 || k < 3;) {
    if (i < 4 && k == ends_before[i]) {
      struct ls_range range = {sends[i].unit, 1};
      struct ls_actions actions = {.ranges = &range, .ranges_count = 1};
      struct ls_action send = {.kind = LS_ACTION_SEND,
                               .worker = sends[i].worker,
                               .send = {.chunk = i, .units = 1, .ranges_count = 1}};
      ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_READY,
                                                   .now_s = sends[i].now_s,
                                                   .worker = sends[i].worker,
                                                   .ready_units = 1});
      ls_journal_decision(journal, &actions, &send);
      i++;
    } else {
      struct ls_event_result result = {.chunk = ends[k].chunk,
                                       .units = {ends[k].unit, 1},
                                       .outcome = LS_OUTCOME_DONE,
                                       .seconds = ends[k].seconds,
                                       .squares = ends[k].seconds * ends[k].seconds};
      ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_RESULT,
                                                   .now_s = ends[k].now_s,
                                                   .worker = ends[k].worker,
                                                   .result = result});
      k++;
    }
  }
  if (ls_journal_commit(journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
  if (ls_run_history_read(&history, path, &err) != LS_OK) fail_msg("%s", err.text);
  ls_slowness_end(&expected, 1.0 / 5);
  ls_slowness_end(&expected, 4.0 / 3);
  ls_slowness_censor(&expected, 10.0 / 3);
  assert_memory_equal(&history.slowness, &expected, sizeof expected);
  ls_run_history_close(&history);
  remove_path(path);
}

/* Two machines, one four times as fast, each with units of one length. */
static void times_are_weighed_by_machines(void **state) {
  char path[64];
  struct ls_journal *journal = NULL;
  struct ls_run_history history;
  struct ls_error err = {0};
  (void)state;
  make_path(path, sizeof path);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_NEW, .job = &job};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  for (uint32_t i = 0; i < 2; i++) {
    ls_journal_worker(journal, &(struct ls_journal_worker){.worker = i, .slot = i + 1, .name = ""});
    ls_journal_event(
        journal, &(struct ls_event){.kind = LS_EVENT_JOINED, .worker = i, .joined.place = 11 + i});
  }
  for (uint64_t i = 0; i < 20; i++) {
    double seconds = (i % 2 == 0 ? 0.7 : 2.8) * 3;
    struct ls_range units = {3 * i, 3};
    struct ls_event event = {
        .kind = LS_EVENT_RESULT,
        .worker = i % 2,
        .now_s = (double)i,
        .result = {.chunk = i, .units = units, .outcome = LS_OUTCOME_DONE, .seconds = seconds}};
    ls_journal_event(journal, &event);
    ls_journal_result(journal, &(struct ls_journal_result){.units = units,
                                                           .outcome = LS_OUTCOME_DONE,
                                                           .worker = i % 2,
                                                           .slot = 1 + i % 2,
                                                           .attempt = 1,
                                                           .chunk = i,
                                                           .seconds = seconds});
  }
  if (ls_journal_commit(journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
  if (ls_run_history_read(&history, path, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(history.hosts_count, 2);
  assert_int_equal(history.lessons_count, 20);
  assert_true(history.hosts[0].speed > 3.5 * history.hosts[1].speed);
  for (size_t i = 0; i < 20; i++) {
    double seconds = i % 2 == 0 ? 0.7 : 2.8;
    assert_true(fabs(history.lessons[i].seconds - seconds * history.hosts[i % 2].speed) < 1e-9);
  }
  ls_run_history_close(&history);
  remove_path(path);
}

static void runs_without_results_and_missing_files_are_refused(void **state) {
  char path[64];
  struct ls_run_history history;
  struct ls_error err = {0};
  (void)state;
  make_path(path, sizeof path);
  assert_int_not_equal(ls_run_history_read(&history, path, &err), LS_OK);
  assert_non_null(strstr(err.text, path));
  write_journal(path, false);
  assert_int_equal(ls_run_history_read(&history, path, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no task of that run was done"));
  remove_path(path);
}

/* What the next run may know of the pools; of a journal that has none, nothing. */
static void pools_are_known(void **state) {
  char path[64];
  struct ls_run_history history;
  struct ls_journal *journal = NULL;
  struct ls_journal_request request = {.mode = LS_JOURNAL_RESUME, .job = &job};
  const struct ls_journal_size_advice kept = {
      .grant_s = 12, .grant_first_s = 60, .losses = 3, .up_s = 700};
  (void)state;
  make_path(path, sizeof path);
  write_journal(path, true);
  assert_int_equal(ls_run_history_read(&history, path, NULL), LS_OK);
  assert_true(history.grant_s == 0 && history.losses == 0 && history.up_s == 0);
  ls_run_history_close(&history);
  request.path = path;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  ls_journal_size_advice(journal, &kept);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  ls_journal_close(journal);
  assert_int_equal(ls_run_history_read(&history, path, NULL), LS_OK);
  assert_true(history.grant_s == 12 && history.grant_first_s == 60);
  assert_true(history.losses == 3 && history.up_s == 700);
  ls_run_history_close(&history);
  remove_path(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pools_are_known),
      cmocka_unit_test(done_units_teach_their_times),
      cmocka_unit_test(events_teach_the_overhead_of_chunks),
      cmocka_unit_test(events_teach_how_slow_units_are),
      cmocka_unit_test(times_are_weighed_by_machines),
      cmocka_unit_test(runs_without_results_and_missing_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
