/* test_master.c: the real loop, with workers that are threads of this process.
 *
 * The application counts how often each unit is merged, so exactly-once is what every case checks.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/master.h"
#include "runtime/worker.h"

enum { UNITS_MAX = 4000, THREADS_MAX = 4 };

/* The application's state at the master. */
struct tally {
  uint64_t units;
  uint32_t iterations;
  uint16_t merged[UNITS_MAX];
  uint16_t failed[UNITS_MAX];
  uint64_t sum, stop_after, settled;
  /* Worker threads, started when the address is known. */
  size_t threads_count;
  pthread_t threads[THREADS_MAX];
  char address[192], token[40];
  _Atomic int interrupts;
};

static enum ls_status open_app(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argc, (void)argv, (void)err;
  *state = NULL;
  return LS_OK;
}

static void close_app(void *state) {
  (void)state;
}

static enum ls_status count_units(void *context, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct tally *tally = context;
  (void)err;
  *units = iteration < tally->iterations ? tally->units : 0;
  return LS_OK;
}

static enum ls_status merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct tally *tally = context;
  (void)err;
  for (uint64_t u = result->units.first; u < result->units.first + result->units.count; ++u) {
    assert_true(u < tally->units);
    if (result->fate == LS_UNIT_DONE) {
      ++tally->merged[u];
    } else {
      ++tally->failed[u];
    }
  }
  tally->settled += result->units.count;
  uint64_t sum = 0;
  if (result->fate == LS_UNIT_DONE) {
    assert_int_equal(result->output.length, sizeof sum);
    memcpy(&sum, result->output.data, sizeof sum);
  }
  tally->sum += sum;
  return LS_OK;
}

/* Unit 13 fails always; the answer of a range is the sum of its numbers. */
static enum ls_status compute(void *state, struct ls_range units, struct ls_range packed,
                              const void *input, size_t length, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state, (void)input, (void)length, (void)packed;
  uint64_t sum = 0;
  for (uint64_t u = units.first; u < units.first + units.count; ++u) sum += u;
  ls_bytes_append(output, &sum, sizeof sum);
  (void)err;
  return LS_OK;
}

static enum ls_status compute_or_fail(void *state, struct ls_range units, struct ls_range packed,
                                      const void *input, size_t length, struct ls_bytes *output,
                                      struct ls_error *err) {
  if (units.first <= 13 && 13 < units.first + units.count) {
    return ls_fail(err, LS_EINVAL, "thirteen");
  }
  return compute(state, units, packed, input, length, output, err);
}

/* The input of a range is its unit numbers; computing checks that it got its own. */
static enum ls_status pack_numbers(void *context, struct ls_range units, uint32_t slot,
                                   struct ls_bytes *input, struct ls_error *err) {
  (void)context, (void)slot, (void)err;
  for (uint64_t u = units.first; u < units.first + units.count; ++u) {
    ls_bytes_append(input, &u, sizeof u);
  }
  return LS_OK;
}

static enum ls_status compute_from_input(void *state, struct ls_range units, struct ls_range packed,
                                         const void *input, size_t length, struct ls_bytes *output,
                                         struct ls_error *err) {
  (void)state;
  uint64_t sum = 0;
  if (length < packed.count * sizeof sum) return ls_fail(err, LS_EINVAL, "input is cut");
  for (uint64_t u = units.first; u < units.first + units.count; ++u) {
    uint64_t unit;
    memcpy(&unit, (const char *)input + (u - packed.first) * sizeof unit, sizeof unit);
    if (unit != u) return ls_fail(err, LS_EINVAL, "input of another unit");
    sum += unit;
  }
  ls_bytes_append(output, &sum, sizeof sum);
  return LS_OK;
}

static const struct ls_app packing_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .pack = pack_numbers,
                                          .merge = merge,
                                          .compute = compute_from_input};
static const struct ls_app sound_app = {.name = "tally",
                                        .open = open_app,
                                        .close = close_app,
                                        .units = count_units,
                                        .merge = merge,
                                        .compute = compute};
static const struct ls_app failing_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .merge = merge,
                                          .compute = compute_or_fail};

struct thread_setup {
  struct tally *tally;
  const struct ls_app *app;
};
static struct thread_setup thread_setup;

static void *run_worker(void *context) {
  struct thread_setup *setup = context;
  struct ls_worker_options options = {.transport = &ls_transport_zmq,
                                      .address = setup->tally->address,
                                      .name = "thread",
                                      .token = setup->tally->token,
                                      .speed = 1,
                                      .lifeline = -1,
                                      .is_thread = true,
                                      .app = setup->app};
  return (void *)(uintptr_t)ls_worker_run(&options, NULL);
}

static void start_threads(void *context, const char *address, const char *token) {
  struct tally *tally = context;
  (void)snprintf(tally->address, sizeof tally->address, "%s", address);
  if (tally->token[0] == 0) (void)snprintf(tally->token, sizeof tally->token, "%s", token);
  thread_setup.tally = tally;
  for (size_t i = 0; i < tally->threads_count; ++i) {
    assert_int_equal(pthread_create(&tally->threads[i], NULL, run_worker, &thread_setup), 0);
  }
}

static enum ls_master_wish watch(void *context, const struct ls_master_progress *progress) {
  const struct tally *tally = context;
  (void)progress;
  return tally->stop_after > 0 && tally->settled >= tally->stop_after ? LS_WISH_STOP
                                                                      : LS_WISH_GO_ON;
}

static struct ls_master_options make_options(struct tally *tally, const struct ls_app *app,
                                             const char *policy) {
  thread_setup.app = app;
  struct ls_master_options options = {
      .app = app,
      .state = tally,
      .prefetch = 1,
      .heartbeat_s = 0.2,
      .transport = &ls_transport_zmq,
      .listen = "inproc://master",
      .config = {.chunking = ls_chunking_find(policy),
                 .workers = tally->threads_count > 0 ? tally->threads_count : 1,
                 .mean_seconds = NAN,
                 .deviation_seconds = NAN,
                 .overhead_seconds = NAN,
                 .seed = 1,
                 .retries = 2,
                 .kills_max = 3,
                 .silence_s = 10,
                 .is_exact = true},
      .workers_patience_s = 30,
      .interrupts = &tally->interrupts,
      .watch = watch,
      .announce = start_threads,
      .context = tally};
  ls_arguments_init(&options.config.arguments, options.config.chunking->parameters);
  return options;
}

/* Runs, joins the threads; `worker_status` (may be NULL) gets what the first worker said. */
static enum ls_status run(const struct ls_master_options *options, struct tally *tally,
                          struct ls_master_report *report, struct ls_error *err) {
  enum ls_status status = ls_master_run(options, report, err);
  for (size_t i = 0; i < tally->threads_count && tally->address[0] != 0; ++i) {
    assert_int_equal(pthread_join(tally->threads[i], NULL), 0);
  }
  return status;
}

static void expect_once(const struct tally *tally, uint16_t times) {
  for (uint64_t u = 0; u < tally->units; ++u) assert_int_equal(tally->merged[u], times);
}

static void every_unit_is_merged_once_under_every_policy(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    if (ls_chunkings[i]->is_pushed) continue;
    for (size_t workers = 1; workers <= 3; ++workers) {
      struct tally tally = {.units = 501, .iterations = 1, .threads_count = workers};
      struct ls_master_options options = make_options(&tally, &sound_app, ls_chunkings[i]->name);
      struct ls_master_report report;
      struct ls_error err = {0};
      if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
      expect_once(&tally, 1);
      assert_int_equal(tally.sum, 501 * 500 / 2);
      assert_int_equal(report.units_done, 501);
      assert_int_equal(report.workers_count, workers);
      assert_true(report.makespan_s > 0);
      ls_master_report_close(&report);
    }
  }
}

/* ---- advisers: in processes of their own, so that they count in shared memory ---- */

static enum ls_status compute_slowly(void *state, struct ls_range units, struct ls_range packed,
                                     const void *input, size_t length, struct ls_bytes *output,
                                     struct ls_error *err) {
  struct timespec time = {0, (long)units.count * 2000000};
  while (nanosleep(&time, &time) != 0) continue;
  return compute(state, units, packed, input, length, output, err);
}

static const struct ls_app slow_app = {.name = "tally",
                                       .open = open_app,
                                       .close = close_app,
                                       .units = count_units,
                                       .merge = merge,
                                       .compute = compute_slowly};
static _Atomic int *asked;

static bool die_of_it(void *context, const struct ls_adviser_facts *facts,
                      struct ls_adviser_answer *answer) {
  (void)context, (void)facts, (void)answer;
  ++*asked;
  (void)raise(SIGKILL);
  return true;
}

static bool think_for_ever(void *context, const struct ls_adviser_facts *facts,
                           struct ls_adviser_answer *answer) {
  (void)context, (void)facts, (void)answer;
  ++*asked;
  while (true) (void)pause();
  return true;
}

static bool want_five(void *context, const struct ls_adviser_facts *facts,
                      struct ls_adviser_answer *answer) {
  (void)context;
  ++*asked;
  if (facts->workers_count != 2 || facts->units_left == 0 || facts->prefetch == 5) return false;
  answer->prefetch = 5;
  return true;
}

static bool want_fac2_and_one_worker(void *context, const struct ls_adviser_facts *facts,
                                     struct ls_adviser_answer *answer) {
  (void)context;
  ++*asked;
  /* Units of 2 ms: whoever computed `units` of them has so many squares. */
  double units = (double)(facts->workers[0].units + facts->workers[1].units);
  if (facts->workers_count != 2 || facts->chunking != ls_chunking_find("ss")) return false;
  if (!(facts->squares >= 4e-6 * units)) return false;
  answer->policy = 1;
  answer->workers = 1;
  return true;
}

static void advise_run(ls_adviser_fn adviser, uint64_t units, struct ls_master_report *report) {
  asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(asked, MAP_FAILED);
  struct tally tally = {.units = units, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &slow_app, "ss");
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find("fac2")};
  struct ls_error err = {0};
  ls_arguments_init(&choice.arguments, choice.chunking->parameters);
  options.advise = adviser;
  options.config.choices = &choice;
  options.config.choices_count = 1;
  if (run(&options, &tally, report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
}

static void advisers_that_fail_do_no_harm(void **state) {
  const ls_adviser_fn advisers[] = {die_of_it, think_for_ever};
  (void)state;
  for (size_t i = 0; i < 2; ++i) {
    struct ls_master_report report;
    advise_run(advisers[i], 2400, &report);
    assert_true(*asked >= 1);
    assert_int_equal(report.advices, 0);
    assert_int_equal(report.prefetch, 1);
    ls_master_report_close(&report);
    assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
  }
}

static void advice_changes_the_prefetch(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_five, 2400, &report);
  assert_int_equal(report.advices, 1);
  assert_int_equal(report.prefetch, 5);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

/* Who is sent away ends what it has; nothing is lost, and nobody takes its place. */
static void advice_changes_the_policy_and_lets_a_worker_go(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_fac2_and_one_worker, 2400, &report);
  assert_int_equal(report.advices, 1);
  assert_ptr_equal(report.totals.chunking, ls_chunking_find("fac2"));
  assert_int_equal(report.totals.workers_wanted, 1);
  assert_int_equal(report.totals.workers_lost, 0);
  assert_int_equal(report.workers_count, 2);
  /* Chunks of one until then, and then half of the rest at once. */
  assert_in_range(report.totals.chunks, 100, 2300);
  size_t gone = 0;
  for (size_t i = 0; i < 2; ++i) gone += report.workers[i].left_s < report.makespan_s;
  assert_int_equal(gone, 1);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

/* Its process would cost more than it could save. */
static void short_run_asks_no_adviser(void **state) {
  struct ls_master_report report;
  (void)state;
  advise_run(want_five, 200, &report);
  assert_int_equal(*asked, 0);
  ls_master_report_close(&report);
  assert_int_equal(munmap((void *)asked, sizeof *asked), 0);
}

static void declared_times_reach_the_order(void **state) {
  double times[50];
  (void)state;
  for (size_t i = 0; i < 50; ++i) times[i] = (double)i;
  struct tally tally = {.units = 50, .iterations = 2, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  struct ls_error err = {0};
  options.config.ordering = ls_ordering_find("lptf");
  options.times = times;
  options.times_count = 50;
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 2);
  ls_master_report_close(&report);
  times[7] = -1;
  tally = (struct tally){.units = 50, .iterations = 1};
  assert_int_equal(run(&options, &tally, &report, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "task 7"));
  ls_master_report_close(&report);
}

static void workers_wanted_are_noted_for_each_iteration(void **state) {
  (void)state;
  struct tally tally = {.units = 2, .iterations = 3, .threads_count = 3};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  options.config.sizing = ls_sizing_find("fixed");
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  expect_once(&tally, 3);
  assert_int_equal(report.wanted_count, 3);
  for (size_t i = 0; i < 3; ++i) assert_int_equal(report.wanted[i], 2);
  ls_master_report_close(&report);
}

static void every_iteration_is_complete_before_the_next(void **state) {
  (void)state;
  struct tally tally = {.units = 97, .iterations = 4, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "gss");
  options.config.ordering = ls_ordering_find("random");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  expect_once(&tally, 4);
  assert_int_equal(report.units_done, 4 * 97);
  ls_master_report_close(&report);
}

/* In random order a chunk has many ranges, each with an input of its own. */
static void every_range_gets_its_own_input(void **state) {
  (void)state;
  struct tally tally = {.units = 333, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &packing_app, "gss");
  options.config.ordering = ls_ordering_find("random");
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  assert_int_equal(tally.sum, 333 * 332 / 2);
  assert_int_equal(report.units_failed, 0);
  ls_master_report_close(&report);
}

static void failing_unit_is_tried_again_then_reported(void **state) {
  (void)state;
  struct tally tally = {.units = 40, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &failing_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  for (uint64_t u = 0; u < tally.units; ++u) {
    assert_int_equal(tally.merged[u], u == 13 ? 0 : 1);
    assert_int_equal(tally.failed[u], u == 13 ? 1 : 0);
  }
  assert_int_equal(report.units_failed, 1);
  assert_int_equal(report.totals.units_retried, 2);
  ls_master_report_close(&report);
}

static void stopped_run_is_resumed_without_repeating(void **state) {
  (void)state;
  char folder[] = "/tmp/test-master-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  uint64_t before = 0;
  for (int session = 0; session < 3; ++session) {
    struct tally tally = {.units = 600, .iterations = 1, .threads_count = 2};
    /* A computing application sees the results of earlier sessions again. */
    tally.stop_after = session < 2 ? before + 150 : 0;
    struct ls_master_options options = make_options(&tally, &sound_app, "ss");
    options.journal = path;
    options.journal_mode = LS_JOURNAL_RESUME;
    options.job = (struct ls_journal_job){.application = "tally",
                                          .command = "tally",
                                          .directory = "/",
                                          .units = 600,
                                          .policy = "ss",
                                          .workers = 2};
    struct ls_master_report report;
    struct ls_error err = {0};
    if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(report.units_before, before);
    assert_int_equal(report.units_before + report.units_done, tally.settled);
    for (uint64_t u = 0; u < tally.units; ++u) assert_true(tally.merged[u] <= 1);
    if (session == 2) {
      expect_once(&tally, 1);
      assert_int_equal(tally.sum, 600 * 599 / 2);
    } else {
      assert_true(report.was_stopped);
      assert_true(tally.settled >= before + 150 && tally.settled < 600);
    }
    before = tally.settled;
    ls_master_report_close(&report);
  }
  char command[96];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static void journal_of_another_job_is_refused(void **state) {
  (void)state;
  char folder[] = "/tmp/test-master-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  for (int session = 0; session < 2; ++session) {
    struct tally tally = {.units = 20, .iterations = 1, .threads_count = session == 0 ? 1 : 0};
    struct ls_master_options options = make_options(&tally, &sound_app, "ss");
    options.journal = path;
    options.journal_mode = LS_JOURNAL_RESUME;
    options.job = (struct ls_journal_job){.application = "tally",
                                          .command = session == 0 ? "one" : "another",
                                          .directory = "/",
                                          .units = 20,
                                          .policy = "ss",
                                          .workers = 1};
    struct ls_master_report report;
    struct ls_error err = {0};
    enum ls_status status = run(&options, &tally, &report, &err);
    assert_int_equal(status, session == 0 ? LS_OK : LS_EMISMATCH);
    if (session == 1) {
      assert_non_null(strstr(err.text, "another"));
      assert_int_equal(tally.settled, 0);
    }
    ls_master_report_close(&report);
  }
  char command[96];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static void worker_with_a_wrong_token_gets_nothing(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1, .threads_count = 1, .token = "wrong"};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.token = "right";
  options.workers_patience_s = 0.5;
  struct ls_master_report report;
  struct ls_error err = {0};
  assert_int_equal(run(&options, &tally, &report, &err), LS_ENOWORKERS);
  assert_int_equal(tally.settled, 0);
  assert_int_equal(report.workers_count, 0);
  ls_master_report_close(&report);
}

static void run_without_workers_says_so(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.workers_patience_s = 0.1;
  struct ls_master_report report;
  struct ls_error err = {0};
  assert_int_equal(run(&options, &tally, &report, &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "no worker for"));
  ls_master_report_close(&report);
}

static void interrupted_run_ends_and_says_so(void **state) {
  (void)state;
  struct tally tally = {.units = 500, .iterations = 1, .threads_count = 1, .interrupts = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_EINTERRUPTED);
  assert_true(report.was_interrupted && report.was_stopped);
  assert_true(tally.settled < 500);
  ls_master_report_close(&report);
}

static void zero_units_are_a_finished_run(void **state) {
  (void)state;
  struct tally tally = {.units = 0, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "fac2");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  assert_int_equal(report.units_done, 0);
  ls_master_report_close(&report);
}

static void plan_is_pushed_to_the_workers_it_names(void **state) {
  (void)state;
  static const struct ls_planned_chunk plan[] = {{0, 100}, {1, 50}, {0, 7}, {1, 143}};
  struct tally tally = {.units = 300, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "follow-plan");
  options.config.plan = plan;
  options.config.plan_count = 4;
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  assert_int_equal(report.totals.chunks, 4);
  assert_int_equal(report.workers[0].units + report.workers[1].units, 300);
  assert_true(report.workers[0].units == 107 || report.workers[0].units == 193);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_is_merged_once_under_every_policy),
      cmocka_unit_test(advisers_that_fail_do_no_harm),
      cmocka_unit_test(advice_changes_the_prefetch),
      cmocka_unit_test(advice_changes_the_policy_and_lets_a_worker_go),
      cmocka_unit_test(short_run_asks_no_adviser),
      cmocka_unit_test(declared_times_reach_the_order),
      cmocka_unit_test(workers_wanted_are_noted_for_each_iteration),
      cmocka_unit_test(every_iteration_is_complete_before_the_next),
      cmocka_unit_test(every_range_gets_its_own_input),
      cmocka_unit_test(failing_unit_is_tried_again_then_reported),
      cmocka_unit_test(stopped_run_is_resumed_without_repeating),
      cmocka_unit_test(journal_of_another_job_is_refused),
      cmocka_unit_test(worker_with_a_wrong_token_gets_nothing),
      cmocka_unit_test(run_without_workers_says_so),
      cmocka_unit_test(interrupted_run_ends_and_says_so),
      cmocka_unit_test(zero_units_are_a_finished_run),
      cmocka_unit_test(plan_is_pushed_to_the_workers_it_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
