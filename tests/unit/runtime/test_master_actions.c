/* test_master_actions.c: what is sent to workers, and what becomes of their answers. */
#include <math.h>
#include <time.h>

#include "../../support/test_folder.h"
#include "hand_worker.h"

/* Unit 13 fails always. */
static enum ls_status compute_or_fail(void *state, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  if (work->units.first <= 13 && 13 < work->units.first + work->units.count) {
    return ls_fail(err, LS_EINVAL, "thirteen");
  }
  return compute(state, work, output, err);
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

static enum ls_status compute_from_input(void *state, const struct ls_work *work,
                                         struct ls_bytes *output, struct ls_error *err) {
  (void)state;
  uint64_t sum = 0;
  if (work->length < work->packed.count * sizeof sum)
    return ls_fail(err, LS_EINVAL, "input is cut");
  for (uint64_t u = work->units.first; u < work->units.first + work->units.count; ++u) {
    uint64_t unit;
    memcpy(&unit, (const char *)work->input + (u - work->packed.first) * sizeof unit, sizeof unit);
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
static const struct ls_app failing_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .merge = merge,
                                          .compute = compute_or_fail};

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
  /* Those that failed are nobody's work. */
  uint64_t done = 0;
  for (size_t i = 0; i < report.workers_count; ++i) done += report.workers[i].units;
  assert_int_equal(done, tally.units - 1);
  ls_master_report_close(&report);
}

static void plan_is_pushed_to_the_workers_it_names(void **state) {
  (void)state;
  struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 100},
                                   {.worker = 1, .units = 50},
                                   {.worker = 0, .units = 7},
                                   {.worker = 1, .units = 143}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 4};
  struct tally tally = {.units = 300, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "follow-plan");
  options.config.plan = &plan;
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  assert_int_equal(report.totals.chunks, 4);
  assert_int_equal(report.workers[0].units + report.workers[1].units, 300);
  assert_true(report.workers[0].units == 107 || report.workers[0].units == 193);
  ls_master_report_close(&report);
}

static _Atomic uint64_t computed;

static enum ls_status count_computed(void *state, const struct ls_work *work,
                                     struct ls_bytes *output, struct ls_error *err) {
  computed += work->units.count;
  return compute(state, work, output, err);
}

/* A megabyte for each unit. The last one is packed when the first one has been computed. */
static enum ls_status pack_megabyte(void *state, struct ls_range units, uint32_t slot,
                                    struct ls_bytes *input, struct ls_error *err) {
  static const char zeros[1 << 20];
  const struct tally *tally = state;
  const struct timespec moment = {.tv_nsec = 1000000};
  (void)slot;
  for (uint64_t i = 0; i < units.count; i++) ls_bytes_append(input, zeros, sizeof zeros);
  if (units.first + units.count < tally->units) return LS_OK;
  for (int i = 0; computed == 0 && i < 20000; i++) (void)nanosleep(&moment, NULL);
  return computed > 0 ? LS_OK : ls_fail(err, LS_EIO, "nothing has left yet");
}

static const struct ls_app megabyte_app = {.name = "tally",
                                           .open = open_app,
                                           .close = close_app,
                                           .units = count_units,
                                           .pack = pack_megabyte,
                                           .merge = merge,
                                           .compute = count_computed};

/* A worker begins with its first chunk while those behind it are packed. */
static void chunk_of_a_plan_leaves_before_all_are_packed(void **state) {
  (void)state;
  struct ls_plan_chunk chunks[] = {
      {.worker = 0, .units = 1}, {.worker = 0, .units = 2}, {.worker = 0, .units = 1}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 3};
  struct tally tally = {.units = 4, .iterations = 1, .threads_count = 1};
  struct ls_master_options options = make_options(&tally, &megabyte_app, "follow-plan");
  struct ls_master_report report;
  struct ls_error err = {0};
  options.config.plan = &plan;
  computed = 0;
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  ls_master_report_close(&report);
}

/* The output of a unit is the slot that computed it. */
static enum ls_status compute_slot(void *state, const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_error *err) {
  (void)state, (void)err;
  ls_bytes_append(output, &work->slot, sizeof work->slot);
  return LS_OK;
}

/* Workers from outside get places and slots alike: the first the first, and so on. */
static enum ls_status check_worker(void *context, const struct ls_unit_result *result,
                                   struct ls_error *err) {
  struct tally *tally = context;
  uint32_t slot;
  (void)err;
  assert_int_equal(result->output.length, sizeof slot);
  memcpy(&slot, result->output.data, sizeof slot);
  assert_int_equal(result->slot, slot);
  assert_int_equal(result->worker, slot - 1);
  ++tally->merged[result->units.first];
  return LS_OK;
}

static const struct ls_app telling_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .merge = check_worker,
                                          .compute = compute_slot};

static void a_merged_result_names_the_worker_that_computed_it(void **state) {
  (void)state;
  struct tally tally = {.units = 90, .iterations = 1, .threads_count = 3};
  struct ls_master_options options = make_options(&tally, &telling_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  expect_once(&tally, 1);
  ls_master_report_close(&report);
}

static enum ls_status tell_iteration(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                     struct ls_error *err) {
  (void)context, (void)err;
  ls_bytes_append(bytes, &iteration, sizeof iteration);
  return LS_OK;
}

static const struct ls_app broadcasting_app = {.name = "tally",
                                               .open = open_app,
                                               .close = close_app,
                                               .units = count_units,
                                               .broadcast = tell_iteration,
                                               .merge = merge,
                                               .compute = compute};

static void expect_news(struct hand_worker *worker, uint32_t iteration) {
  uint32_t told;
  const struct ls_message *news = hear_kind(worker, LS_MESSAGE_BROADCAST);
  assert_int_equal(news->iteration, iteration);
  assert_int_equal(news->input.length, sizeof told);
  memcpy(&told, news->input.data, sizeof told);
  assert_int_equal(told, iteration);
}

/* Before the first chunk of each iteration, and again over a new connection: what was sent over the
 * former one may be lost. */
static void each_worker_is_told_once_per_iteration_and_connection(void **state) {
  static struct hand_run hand;
  struct hand_worker worker, returned;
  (void)state;
  prepare_run(&hand, 4, 1);
  hand.options.app = &broadcasting_app;
  hand.tally.iterations = 2;
  start_run(&hand);
  join_worker(&worker, &hand);
  for (uint32_t iteration = 0; iteration < 2; ++iteration) {
    ask(&worker);
    expect_news(&worker, iteration);
    say_done(&worker, hear_chunk(&worker));
    say_done(&worker, fetch_chunk(&worker));
    struct hand_chunk chunk = fetch_chunk(&worker);
    cut_worker(&worker);
    come_back(&returned, &hand, &worker, &chunk);
    worker = returned;
    say_done(&worker, chunk);
    ask(&worker);
    expect_news(&worker, iteration);
    say_done(&worker, hear_chunk(&worker));
  }
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

static char reason[256];

static void keep_reason(void *context, const struct ls_unit_result *result) {
  (void)context;
  (void)snprintf(reason, sizeof reason, "%.*s", (int)result->error_output.length,
                 (const char *)result->error_output.data);
}

/* The unit runs for 40 ms, until the end of the worker's time. */
static void outlive(struct hand_run *hand) {
  struct hand_worker worker;
  struct ls_message hello = make_hello();
  hello.lifetime_s = 0.1;
  connect_worker(&worker, hand);
  say(&worker, &hello);
  expect_welcome(&worker);
  struct hand_chunk chunk = fetch_chunk(&worker);
  say_kind(&worker, LS_MESSAGE_LEAVING);
  struct ls_message result = make_result(chunk, &chunk.unit);
  result.outcome = LS_OUTCOME_CANCELLED;
  result.compute_s = 0.04;
  say(&worker, &result);
  (void)hear_kind(&worker, LS_MESSAGE_RELEASE);
  cut_worker(&worker);
}

/* Three ends of time: nobody lives long enough, and the unit says so. */
static void a_unit_that_outlasts_its_workers_is_given_up_in_words(void **state) {
  static struct hand_run hand;
  (void)state;
  prepare_run(&hand, 1, 1);
  hand.options.failed = keep_reason;
  start_run(&hand);
  for (int i = 0; i < 3; ++i) outlive(&hand);
  assert_int_equal(pthread_join(hand.thread, NULL), 0);
  assert_int_equal(hand.status, LS_OK);
  assert_int_equal(hand.report.units_given_up, 1);
  assert_int_equal(hand.report.totals.expiries, 3);
  assert_true(fabs(hand.report.totals.lacking_s - 0.08) < 1e-12);
  assert_string_equal(reason,
                      "loadstar: stopped 3 times by the end of its worker's time, after 0.04 s "
                      "at most; it needs a worker with 0.08 s left\n");
  assert_int_equal(pthread_mutex_destroy(&hand.lock), 0);
  assert_int_equal(pthread_cond_destroy(&hand.announced), 0);
  ls_master_report_close(&hand.report);
}

static double failed_s;

static void keep_seconds(void *context, const struct ls_unit_result *result) {
  (void)context;
  failed_s += result->seconds;
}

static struct hand_chunk expect_pair(struct hand_worker *worker) {
  say(worker, &(struct ls_message){.kind = LS_MESSAGE_REQUEST, .units = 2});
  const struct ls_message *chunk = hear_kind(worker, LS_MESSAGE_CHUNK);
  assert_int_equal(chunk->ranges_count, 1);
  assert_int_equal(chunk->ranges[0].count, 2);
  return (struct hand_chunk){chunk->chunk, chunk->ranges[0].first, chunk->iteration};
}

/* Of two units that fail together one was tried before: it fails for good, with half the seconds.
 */
static void a_part_of_a_result_has_its_share_of_the_seconds(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  (void)state;
  prepare_run(&hand, 2, 1);
  hand.options.config.chunking = ls_chunking_find("sc");
  hand.options.config.retries = 1;
  hand.options.failed = keep_seconds;
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = expect_pair(&worker);
  struct ls_message result = make_result(chunk, &chunk.unit);
  result.range = (struct ls_range){1, 1};
  result.outcome = LS_OUTCOME_CANCELLED;
  say(&worker, &result);
  result.range = (struct ls_range){0, 1};
  result.outcome = LS_OUTCOME_FAILED;
  say(&worker, &result);
  chunk = expect_pair(&worker);
  result = make_result(chunk, &chunk.unit);
  result.range = (struct ls_range){0, 2};
  result.outcome = LS_OUTCOME_FAILED;
  result.compute_s = 0.04;
  say(&worker, &result);
  say_done(&worker, fetch_chunk(&worker));
  assert_int_equal(pthread_join(hand.thread, NULL), 0);
  assert_int_equal(hand.status, LS_OK);
  assert_int_equal(hand.report.units_failed, 1);
  assert_true(fabs(failed_s - 0.02) < 1e-12);
  assert_int_equal(pthread_mutex_destroy(&hand.lock), 0);
  assert_int_equal(pthread_cond_destroy(&hand.announced), 0);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
}

static enum ls_status count_attempt(void *context, const struct ls_journal_result *attempt) {
  size_t *attempts = context;
  assert_int_equal(attempt->outcome, LS_OUTCOME_FAILED);
  ++*attempts;
  return LS_OK;
}

/* As a worker does that has not heard that its result was heard, when the network was down. */
static void a_failure_that_is_told_twice_is_one_attempt(void **state) {
  static struct hand_run hand;
  struct hand_worker worker;
  struct ls_journal *journal = NULL;
  char folder[TEST_FOLDER_BYTES], path[64];
  size_t attempts = 0;
  (void)state;
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  prepare_run(&hand, 1, 1);
  hand.options.config.retries = 5;
  hand.options.journal = path;
  hand.options.job = (struct ls_journal_job){
      .application = "tally", .command = "tally", .directory = "/", .units = 1, .policy = "ss"};
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  struct ls_message failure = make_result(chunk, &chunk.unit);
  failure.outcome = LS_OUTCOME_FAILED;
  say(&worker, &failure);
  say(&worker, &failure);
  say_done(&worker, fetch_chunk(&worker));
  end_run(&hand);
  assert_int_equal(hand.report.totals.results_dropped, 1);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  assert_int_equal(ls_journal_each_attempt(journal, count_attempt, &attempts, NULL), LS_OK);
  assert_int_equal(attempts, 1);
  ls_journal_close(journal);
  test_folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_worker_is_told_once_per_iteration_and_connection),
      cmocka_unit_test(every_range_gets_its_own_input),
      cmocka_unit_test(failing_unit_is_tried_again_then_reported),
      cmocka_unit_test(a_merged_result_names_the_worker_that_computed_it),
      cmocka_unit_test(plan_is_pushed_to_the_workers_it_names),
      cmocka_unit_test(chunk_of_a_plan_leaves_before_all_are_packed),
      cmocka_unit_test(a_unit_that_outlasts_its_workers_is_given_up_in_words),
      cmocka_unit_test(a_failure_that_is_told_twice_is_one_attempt),
      cmocka_unit_test(a_part_of_a_result_has_its_share_of_the_seconds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
