#include "journal_fixture.h"

#include "base/random.h"
#include "model/account.h"
#include "model/account_worker.h"
#include "model/metrics.h"
#include "model/validate.h"
#include "runtime/journal/journal_packs.h"
#include "runtime/journal/past/history.h"

static void add_worker(struct ls_journal *journal, uint32_t worker, const char *name,
                       double joined_s, double left_s) {
  struct ls_journal_worker one = {
      .worker = worker, .slot = worker + 1, .name = name, .joined_s = joined_s, .left_s = left_s};
  one.price_per_s = 1 + worker;
  ls_journal_worker(journal, &one);
}

static void add_result(struct ls_journal *journal, uint32_t worker, double start_s,
                       double seconds) {
  struct ls_journal_result result = fixture_result(0);
  result.worker = worker;
  result.start_s = start_s;
  result.seconds = seconds;
  ls_journal_result(journal, &result);
}

static struct ls_history must_read(struct ls_journal *journal) {
  struct ls_history history = {0};
  struct ls_error err = {0};
  if (ls_history_read(journal, NULL, &history, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_validate_timeline(&history.timeline, &err) != LS_OK) fail_msg("%s", err.text);
  return history;
}

static void expect_span(const struct ls_span *span, double start_s, double end_s) {
  assert_near(span->start_s, start_s, 1e-12);
  assert_near(span->end_s, end_s, 1e-12);
}

static void an_empty_journal_is_an_empty_timeline(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_history history = must_read(journal);
  assert_int_equal(history.timeline.workers_count, 0);
  assert_int_equal(history.timeline.spans_count, 0);
  assert_false(history.timeline.makespan_s > 0);
  ls_history_close(&history);
  ls_history_close(NULL);
  ls_journal_close(journal);
}

static void workers_decisions_and_spans_are_told(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "fast", 0.5, (double)NAN);
  add_worker(journal, 1, "slow", 1, 9);
  fixture_send(journal, 1, 0, (struct ls_range){0, 5});
  add_result(journal, 0, 1, 2);
  add_result(journal, 1, 2, 3);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  const struct ls_timeline *timeline = &history.timeline;
  assert_int_equal(timeline->workers_count, 2);
  assert_string_equal(timeline->workers[1].name, "slow");
  assert_true(isinf(timeline->workers[0].left_s));
  assert_near(timeline->workers[0].joined_s, 0.5, 0);
  assert_near(timeline->workers[1].joined_s, 1, 0);
  assert_near(timeline->workers[1].left_s, 9, 0);
  assert_int_equal(timeline->decisions_count, 1);
  assert_int_equal(timeline->decisions[0].worker, 1);
  assert_near(timeline->decisions[0].units, 5, 0);
  assert_int_equal(timeline->spans_count, 2);
  expect_span(&timeline->spans[0], 1, 3);
  expect_span(&timeline->spans[1], 2, 5);
  assert_near(timeline->makespan_s, 5, 1e-12);
  struct ls_metrics metrics;
  ls_metrics_of(timeline, &metrics, NULL);
  assert_near(metrics.price, 4.5 + 2 * 4, 1e-12);
  assert_true(timeline->seed == fixture_job.seed);
  assert_int_equal(history.units_done, 2);
  ls_history_close(&history);
  ls_journal_close(journal);
}

/* Where the worker says it was, before its computing; results are heard late, so that computing is
 * moved, and the staging before it, and there is one reader. */
static void staging_stands_before_computing_on_the_reader(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "one", 0, (double)NAN);
  for (uint64_t i = 0; i < 2; i++) {
    struct ls_journal_result result = fixture_result(i);
    result.worker = 0;
    result.start_s = i == 0 ? 3 : 5;
    result.seconds = 4;
    result.compute_s = 3.5; /* it received for half a second before */
    result.stage_s = 2;
    result.lead_s = 2.5;
    result.exposed_s = i == 0 ? 2 : 0.25;
    ls_journal_result(journal, &result);
  }
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  const struct ls_timeline *timeline = &history.timeline;
  assert_int_equal(timeline->spans_count, 4);
  expect_span(&timeline->spans[0], 1, 5);
  expect_span(&timeline->spans[1], 5, 9);
  for (size_t i = 2; i < 4; i++) {
    assert_int_equal(timeline->spans[i].resource, LS_RESOURCE_READER);
    assert_int_equal(timeline->spans[i].operation, LS_OPERATION_STAGE);
    assert_int_equal(timeline->spans[i].worker, 0);
  }
  expect_span(&timeline->spans[2], 0, 1); /* it would have begun before its worker was there */
  expect_span(&timeline->spans[3], 3, 5);
  struct ls_metrics metrics;
  struct ls_worker_metrics worker;
  ls_metrics_of(timeline, &metrics, &worker);
  assert_near(worker.stage_s, 3, 1e-12);
  assert_near(worker.hidden, 1 - 2.25 / 3, 1e-12);
  ls_history_close(&history);
  ls_journal_close(journal);
}

static void packing_is_what_the_master_prepares(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "one", 0, (double)NAN);
  fixture_send(journal, 0, 0, (struct ls_range){0, 5});
  ls_journal_pack(journal, &(struct ls_journal_pack){0, 0, 5, 0.25, 0.5});
  add_result(journal, 0, 1, 4);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  const struct ls_timeline *timeline = &history.timeline;
  assert_int_equal(timeline->spans_count, 2);
  assert_int_equal(timeline->spans[1].resource, LS_RESOURCE_MASTER);
  assert_int_equal(timeline->spans[1].operation, LS_OPERATION_PREPARE);
  expect_span(&timeline->spans[1], 0.25, 0.75);
  assert_near(timeline->makespan_s, 5, 1e-12);
  ls_history_close(&history);
  /* Of a worker that never joined. */
  ls_journal_pack(journal, &(struct ls_journal_pack){3, 1, 5, 1, 1});
  fixture_must_commit(journal);
  assert_int_equal(ls_history_read(journal, NULL, &history, NULL), LS_ECORRUPT);
  ls_journal_close(journal);
}

static void each_kind_of_failure_has_its_outcome_and_total(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 0, (double)NAN);
  struct ls_journal_result result = fixture_result(0);
  result.worker = 0;
  result.seconds = 1;
  const enum ls_outcome given[] = {LS_OUTCOME_DONE, LS_OUTCOME_FAILED, LS_OUTCOME_GIVEN_UP,
                                   LS_OUTCOME_FAILED, LS_OUTCOME_LOST};
  for (int i = 0; i < 5; i++) {
    result.start_s = 2 * i;
    result.units.count = (uint64_t)i + 1;
    bool is_attempt = i >= 3;
    result.outcome = given[i];
    if (is_attempt)
      ls_journal_attempt(journal, &result);
    else
      ls_journal_result(journal, &result);
  }
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  const enum ls_outcome shown[] = {LS_OUTCOME_DONE, LS_OUTCOME_FAILED, LS_OUTCOME_LOST,
                                   LS_OUTCOME_FAILED, LS_OUTCOME_LOST};
  assert_int_equal(history.timeline.spans_count, 5);
  for (size_t i = 0; i < 5; i++) assert_int_equal(history.timeline.spans[i].outcome, shown[i]);
  assert_int_equal(history.units_done, 1);
  assert_int_equal(history.units_failed, 2);
  assert_int_equal(history.units_given_up, 3);
  assert_int_equal(history.units_failed_once, 4);
  assert_int_equal(history.units_lost, 5);
  assert_int_equal(history.failures_count, 2);
  assert_int_equal(history.failures[1].outcome, LS_OUTCOME_GIVEN_UP);
  ls_history_close(&history);
  ls_journal_close(journal);
}

/* A damaged row: nobody computes once he has left. */
static void work_after_its_worker_left_takes_no_time(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 0, 9);
  add_result(journal, 0, 7, 1);
  add_result(journal, 0, 35, 2);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  assert_int_equal(history.timeline.spans_count, 2);
  expect_span(&history.timeline.spans[0], 7, 8);
  expect_span(&history.timeline.spans[1], 9, 9);
  assert_near(history.timeline.makespan_s, 9, 0);
  ls_history_close(&history);
  ls_journal_close(journal);
}

static void what_ran_nowhere_has_no_span(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 0, (double)NAN);
  add_result(journal, UINT32_MAX, 1, 1);
  add_result(journal, 0, 1, 0);
  add_result(journal, 0, (double)NAN, 1);
  add_result(journal, 0, HUGE_VAL, 1);
  add_result(journal, 0, 1e308, 1e308);
  add_worker(journal, 1, "never", HUGE_VAL, (double)NAN);
  add_result(journal, 1, 1, 0);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  assert_int_equal(history.timeline.spans_count, 0);
  assert_true(isfinite(history.timeline.workers[1].joined_s));
  assert_int_equal(history.units_done, 6);
  ls_history_close(&history);
  ls_journal_close(journal);
}

/* Three results that the master drained at once, all "ended" when it looked. */
static void overlapping_spans_of_a_worker_are_moved_apart_and_keep_their_durations(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 0, (double)NAN);
  add_result(journal, 0, 9, 1);
  add_result(journal, 0, 8, 2);
  add_result(journal, 0, 7, 3);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  struct ls_metrics metrics;
  ls_metrics_of(&history.timeline, &metrics, NULL);
  assert_near(metrics.efficiency, 0.6, 1e-12);
  expect_span(&history.timeline.spans[0], 4, 7);
  expect_span(&history.timeline.spans[1], 7, 9);
  expect_span(&history.timeline.spans[2], 9, 10);
  ls_history_close(&history);
  ls_journal_close(journal);
}

static void no_span_leaves_the_presence_of_its_worker(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 5, 8);
  add_result(journal, 0, 4, 2);
  add_result(journal, 0, 5.5, 1);
  add_result(journal, 0, 7.5, 1);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  assert_int_equal(history.timeline.spans_count, 3);
  assert_near(history.timeline.makespan_s, 8, 1e-12);
  ls_history_close(&history);
  ls_journal_close(journal);
}

/* What a worker did, as its master hears of it: in order, each as late as chance has it. */
struct telling {
  struct ls_journal *journal;
  struct ls_account_worker *account;
  struct ls_random *random;
  uint32_t worker;
  double joined_s, last_s; /* of all */
  uint64_t unit;
};

static void tell_results(struct telling *telling) {
  struct ls_random *random = telling->random;
  double end_s = telling->joined_s, heard_s = telling->joined_s;
  for (uint64_t i = 0; i < 8; i++) {
    struct ls_journal_result result = fixture_result(telling->unit++);
    end_s += (double)ls_random_below(random, 2) * ls_random_real(random);
    result.seconds = 0.05 + 2 * ls_random_real(random) * ls_random_real(random);
    end_s += result.seconds;
    double late_s = (double)ls_random_below(random, 3) * ls_random_real(random);
    heard_s = fmax(heard_s, end_s + late_s);
    bool is_useful = ls_random_below(random, 5) != 0;
    result.worker = telling->worker;
    result.start_s = heard_s - result.seconds;
    if (is_useful) {
      ls_journal_result(telling->journal, &result);
    } else {
      result.outcome = LS_OUTCOME_FAILED;
      ls_journal_attempt(telling->journal, &result);
    }
    ls_account_work(telling->account, &(struct ls_account_work){.end_s = heard_s,
                                                                .seconds = result.seconds,
                                                                .chunk = result.chunk,
                                                                .is_useful = is_useful});
  }
  telling->last_s = fmax(telling->last_s, heard_s);
}

/* However late the master heard of what, the run and the report of its journal say the same. */
static void a_journal_has_the_account_that_the_run_had(void **state) {
  struct fixture *fixture = *state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct ls_account_worker workers[3] = {{.is_there = false}};
    struct ls_account live, read;
    struct ls_random random;
    ls_random_init(&random, seed, "account of a journal");
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
    struct telling telling = {.journal = journal, .random = &random};
    for (uint32_t i = 0; i < 3; i++) {
      telling.worker = i;
      telling.account = &workers[i];
      telling.joined_s = ls_random_real(&random);
      add_worker(journal, i, "w", telling.joined_s, (double)NAN);
      ls_account_join(&workers[i], telling.joined_s);
      tell_results(&telling);
    }
    fixture_must_commit(journal);
    struct ls_history history = must_read(journal);
    assert_near(history.timeline.makespan_s, telling.last_s, 1e-12);
    ls_account_average(workers, 3, telling.last_s, &live);
    assert_int_equal(ls_account_of(&history.timeline, NULL, &read, NULL), LS_OK);
    for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++)
      assert_near(read.parts_s[part], live.parts_s[part], 1e-9);
    ls_history_close(&history);
    ls_journal_close(journal);
    assert_int_equal(remove(fixture->path), 0);
  }
}

/* It was heard within 1 s of the start of the session, and took longer. */
static void a_span_that_began_before_the_run_ends_when_it_was_heard(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 0, (double)NAN);
  add_result(journal, 0, -3, 4);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  expect_span(&history.timeline.spans[0], 0, 1);
  ls_history_close(&history);
  ls_journal_close(journal);
}

static void workers_that_nobody_recorded_get_a_name(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 2, "", 0, (double)NAN);
  add_worker(journal, 4, "last", 0, (double)NAN);
  fixture_send(journal, 1, 0, (struct ls_range){0, 1});
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  assert_int_equal(history.timeline.workers_count, 5);
  assert_string_equal(history.timeline.workers[0].name, "worker-0");
  assert_string_equal(history.timeline.workers[2].name, "worker-2");
  assert_false(history.timeline.workers[3].left_s > 0);
  ls_history_close(&history);
  ls_journal_close(journal);
}

static void an_absurd_worker_number_is_damage(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_result(journal, 4000000000u, 1, 1);
  fixture_must_commit(journal);
  struct ls_history history;
  struct ls_error err = {0};
  assert_int_equal(ls_history_read(journal, NULL, &history, &err), LS_ECORRUPT);
  assert_non_null(strstr(err.text, "worker 4000000000, expected one below 0: no other joined"));
  ls_journal_close(journal);
}

/* The records that were kept of a journal may be damaged, or of another one. */
static void a_kept_record_of_nobody_is_refused(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  char path[120];
  snprintf(path, sizeof path, "%s.kept", fixture->path);
  add_worker(journal, 0, "w", 0, (double)NAN);
  fixture_must_commit(journal);
  for (int i = 0; i < 2; i++) {
    struct ls_history_records records = {0};
    struct ls_history history;
    struct ls_error err = {0};
    struct ls_history_span span = {.seconds = 1, .units = 1, .worker = 4000000};
    struct ls_history_decision decision = {.units = 1, .worker = 4000000};
    assert_int_equal(ls_history_records_read(&records, journal, NULL), LS_OK);
    struct ls_history_records kept = records;
    if (i == 0) {
      kept.spans = &span;
      kept.spans_count = 1;
    } else {
      kept.decisions = &decision;
      kept.decisions_count = 1;
    }
    ls_history_records_save(&kept, path);
    ls_history_records_close(&records);
    assert_int_equal(ls_history_read(journal, path, &history, &err), LS_ECORRUPT);
    assert_non_null(strstr(err.text, "worker 4000000, expected one below 1: no other joined"));
  }
  ls_journal_close(journal);
}

static void results_that_abut_become_one_span_only_when_there_are_very_many(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_worker(journal, 0, "w", 0, (double)NAN);
  add_worker(journal, 1, "v", 0, (double)NAN);
  for (uint64_t i = 0; i < LS_HISTORY_SPANS_MAX; i++)
    add_result(journal, (uint32_t)(i % 2), (double)(i / 2), 1);
  fixture_must_commit(journal);
  struct ls_history history = must_read(journal);
  assert_int_equal(history.timeline.spans_count, LS_HISTORY_SPANS_MAX);
  ls_history_close(&history);
  /* One more, after a pause: two runs of work at worker 0, one at worker 1. */
  add_result(journal, 0, LS_HISTORY_SPANS_MAX, 1);
  fixture_must_commit(journal);
  history = must_read(journal);
  assert_int_equal(history.timeline.spans_count, 3);
  double units = 0, seconds = 0;
  for (size_t i = 0; i < 3; i++) {
    units += (double)history.timeline.spans[i].units;
    seconds += history.timeline.spans[i].end_s - history.timeline.spans[i].start_s;
  }
  assert_near(units, LS_HISTORY_SPANS_MAX + 1, 0);
  assert_near(seconds, LS_HISTORY_SPANS_MAX + 1, 1e-6);
  ls_history_close(&history);
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(an_empty_journal_is_an_empty_timeline),
      TEST(workers_decisions_and_spans_are_told),
      TEST(staging_stands_before_computing_on_the_reader),
      TEST(packing_is_what_the_master_prepares),
      TEST(each_kind_of_failure_has_its_outcome_and_total),
      TEST(work_after_its_worker_left_takes_no_time),
      TEST(what_ran_nowhere_has_no_span),
      TEST(overlapping_spans_of_a_worker_are_moved_apart_and_keep_their_durations),
      TEST(no_span_leaves_the_presence_of_its_worker),
      TEST(a_journal_has_the_account_that_the_run_had),
      TEST(a_span_that_began_before_the_run_ends_when_it_was_heard),
      TEST(workers_that_nobody_recorded_get_a_name),
      TEST(an_absurd_worker_number_is_damage),
      TEST(a_kept_record_of_nobody_is_refused),
      TEST(results_that_abut_become_one_span_only_when_there_are_very_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
