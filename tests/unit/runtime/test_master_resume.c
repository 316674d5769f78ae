/* test_master_resume.c: a run goes on where its journal ends. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "../../support/test_folder.h"
#include "hand_worker.h"
#include "runtime/journal/past/journal_places.h"

/* Goes on with the journal, or begins it: one job as long as its command is the same. */
static struct ls_master_options resume(struct tally *tally, const char *path, const char *command) {
  struct ls_master_options options = make_options(tally, &sound_app, "ss");
  options.journal = path;
  options.journal_mode = LS_JOURNAL_RESUME;
  options.job = (struct ls_journal_job){.application = "tally",
                                        .command = command,
                                        .directory = "/",
                                        .units = tally->units,
                                        .policy = "ss",
                                        .workers = 2};
  return options;
}

static void stopped_run_is_resumed_without_repeating(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[64];
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  uint64_t before = 0;
  for (int session = 0; session < 3; ++session) {
    struct tally tally = {.units = 600, .iterations = 1, .threads_count = 2};
    /* A computing application sees the results of earlier sessions again. */
    tally.stop_after = session < 2 ? before + 150 : 0;
    struct ls_master_options options = resume(&tally, path, "tally");
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
  test_folder_remove(folder);
}

static void journal_of_another_job_is_refused(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[64];
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  for (int session = 0; session < 2; ++session) {
    struct tally tally = {.units = 20, .iterations = 1, .threads_count = session == 0 ? 1 : 0};
    struct ls_master_options options = resume(&tally, path, session == 0 ? "one" : "another");
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
  test_folder_remove(folder);
}

static enum ls_status count_units_slowly(void *context, uint32_t iteration, uint64_t *units,
                                         struct ls_error *err) {
  struct tally *tally = context;
  const struct timespec patience = {.tv_sec = 6, .tv_nsec = 500000000};
  if (iteration == 0) {
    (void)nanosleep(&patience, NULL);
    /* Workers start when units are there, as those of a pool do. */
    tally->threads_count = 1;
    start_threads(tally, "inproc://master", "");
  }
  return count_units(context, iteration, units, err);
}

static void announce_nothing(void *context, const char *address, const char *key) {
  (void)context, (void)address, (void)key;
}

/* A long restore, or units() that takes its time, must not be held against the workers. */
static void patience_begins_with_the_workers(void **state) {
  (void)state;
  struct ls_app app = sound_app;
  app.units = count_units_slowly;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &app, "ss");
  options.announce = announce_nothing;
  options.workers_patience_s = 6;
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  ls_master_report_close(&report);
}

/* ---- a fixed point: each iteration depends on the state that the one before has left ---- */

enum { POINTS = 24, POINT_ITERATIONS = 6 };

/* The master's state. */
struct point {
  struct tally tally; /* for the threads */
  double x, parts[POINTS];
  unsigned asked[POINT_ITERATIONS + 1], merged, restored;
};

static double move(uint64_t unit, double x) {
  return 1.0 / (1.0 + x + (double)unit / 7);
}

/* The sum is made in the order of the units, so that it is the same to the last bit. */
static double sum_parts(const double *parts) {
  double sum = 0;
  for (size_t i = 0; i < POINTS; ++i) sum += parts[i];
  return sum;
}

static enum ls_status count_points(void *context, uint32_t iteration, uint64_t *units,
                                   struct ls_error *err) {
  struct point *point = context;
  (void)err;
  ++point->asked[iteration];
  if (iteration > 0) point->x = sum_parts(point->parts);
  *units = iteration < POINT_ITERATIONS ? POINTS : 0;
  return LS_OK;
}

static enum ls_status pack_point(void *context, struct ls_range units, uint32_t slot,
                                 struct ls_bytes *input, struct ls_error *err) {
  const struct point *point = context;
  (void)units, (void)slot, (void)err;
  ls_bytes_append(input, &point->x, sizeof point->x);
  return LS_OK;
}

static enum ls_status merge_point(void *context, const struct ls_unit_result *result,
                                  struct ls_error *err) {
  struct point *point = context;
  (void)err;
  assert_int_equal(result->output.length, result->units.count * sizeof(double));
  memcpy(point->parts + result->units.first, result->output.data, result->output.length);
  ++point->merged;
  return LS_OK;
}

/* Whoever computes in iteration 2 while it exists dies. */
static const char *deadly_file;

static enum ls_status compute_point(void *state, const struct ls_work *work,
                                    struct ls_bytes *output, struct ls_error *err) {
  double x;
  (void)state, (void)err;
  memcpy(&x, work->input, sizeof x);
  if (work->iteration == 2 && work->units.first >= POINTS / 2 && access(deadly_file, F_OK) == 0)
    (void)raise(SIGKILL);
  for (uint64_t u = work->units.first; u < work->units.first + work->units.count; ++u) {
    double part = move(u, x);
    ls_bytes_append(output, &part, sizeof part);
  }
  return LS_OK;
}

static enum ls_status keep_point(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct point *point = context;
  (void)err;
  ls_bytes_append(bytes, point->parts, sizeof point->parts);
  return LS_OK;
}

static enum ls_status restore_point(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                    struct ls_error *err) {
  struct point *point = context;
  (void)err;
  assert_int_equal(bytes->length, sizeof point->parts);
  memcpy(point->parts, bytes->data, bytes->length);
  point->restored = iteration;
  return LS_OK;
}

static enum ls_status run_point(struct point *point, const struct ls_app *app, const char *path,
                                struct ls_error *err) {
  point->tally.threads_count = 1; /* so that all before the deadly unit is journalled */
  struct ls_master_options options = make_options(&point->tally, app, "ss");
  options.state = point;
  options.journal = path;
  options.journal_mode = LS_JOURNAL_RESUME;
  options.job = (struct ls_journal_job){.application = "point",
                                        .command = "point",
                                        .directory = "/",
                                        .units = POINTS,
                                        .policy = "ss",
                                        .workers = 1};
  struct ls_master_report report;
  enum ls_status status = run(&options, &point->tally, &report, err);
  ls_master_report_close(&report);
  return status;
}

/* The master dies in the third iteration; the resumed run ends where an unharmed one does. */
static void check_point(const struct ls_app *app, struct point *resumed) {
  char folder[TEST_FOLDER_BYTES], path[64], deadly[64];
  double serial = 0, parts[POINTS];
  struct ls_error err = {0};
  int end;
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  (void)snprintf(deadly, sizeof deadly, "%s/deadly", folder);
  deadly_file = deadly;
  FILE *file = fopen(deadly, "w");
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
  pid_t child = fork();
  if (child == 0) {
    static struct point doomed;
    (void)!run_point(&doomed, app, path, NULL);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &end, 0), child);
  assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
  assert_int_equal(unlink(deadly), 0);
  if (run_point(resumed, app, path, &err) != LS_OK) fail_msg("%s", err.text);
  for (size_t k = 0; k < POINT_ITERATIONS; ++k) {
    for (uint64_t u = 0; u < POINTS; ++u) parts[u] = move(u, serial);
    serial = sum_parts(parts);
  }
  assert_memory_equal(&resumed->x, &serial, sizeof serial);
  test_folder_remove(folder);
}

static const struct ls_app point_app = {.name = "point",
                                        .open = open_app,
                                        .units = count_points,
                                        .pack = pack_point,
                                        .merge = merge_point,
                                        .compute = compute_point};

static void killed_in_the_third_iteration_ends_the_same(void **state) {
  (void)state;
  static struct point resumed;
  check_point(&point_app, &resumed);
  for (size_t k = 0; k <= POINT_ITERATIONS; ++k) assert_int_equal(resumed.asked[k], 1);
}

static void killed_after_a_checkpoint_begins_there(void **state) {
  (void)state;
  static struct point resumed;
  struct ls_app app = point_app;
  app.checkpoint = keep_point;
  app.restore = restore_point;
  check_point(&app, &resumed);
  assert_int_equal(resumed.restored, 2);
  for (size_t k = 0; k <= POINT_ITERATIONS; ++k) assert_int_equal(resumed.asked[k], k < 2 ? 0 : 1);
  assert_true(resumed.merged <= (POINT_ITERATIONS - 2) * POINTS);
}

/* ---- damaged journals ---- */

static void run_sql(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail_msg("%s", sqlite3_errmsg(database));
  assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* Seconds that the workers of the journal were away. */
static double read_away(const char *path) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  assert_int_equal(sqlite3_busy_timeout(database, 60000), SQLITE_OK);
  assert_int_equal(
      sqlite3_prepare_v2(database, "SELECT sum(away_s) FROM workers", -1, &statement, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  double away_s = sqlite3_column_double(statement, 0);
  assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
  assert_int_equal(sqlite3_close(database), SQLITE_OK);
  return away_s;
}

/* Prepares a run of one unit that keeps a journal. */
static void prepare_kept_run(struct hand_run *hand, const char *path) {
  prepare_run(hand, 1, 1);
  const struct ls_master_options kept = resume(&hand->tally, path, "tally");
  hand->options.journal = kept.journal;
  hand->options.journal_mode = kept.journal_mode;
  hand->options.job = kept.job;
}

/* Waits until a note of the master's was counted. */
static void await_count(const _Atomic int *count) {
  const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
  for (int i = 0; i < 6000 && *count == 0; ++i) (void)nanosleep(&moment, NULL);
  assert_true(*count > 0);
}

static _Atomic int silences;

static void count_silences(void *context, const char *text) {
  (void)context;
  if (strstr(text, "suspended (silent)") != NULL) ++silences;
}

/* A master that is killed later has lost none of them. */
static void the_silence_of_a_worker_that_spoke_again_is_in_the_journal(void **state) {
  (void)state;
  static struct hand_run hand;
  char folder[TEST_FOLDER_BYTES], path[64];
  struct hand_worker worker;
  const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  prepare_kept_run(&hand, path);
  hand.options.config.silence_s = 0.3;
  hand.options.config.patience_s = 1000;
  hand.options.note = count_silences;
  silences = 0;
  start_run(&hand);
  join_worker(&worker, &hand);
  struct hand_chunk chunk = fetch_chunk(&worker);
  await_count(&silences);
  say_kind(&worker, LS_MESSAGE_HEARTBEAT);
  for (int i = 0; i < 1000 && !(read_away(path) > 0); ++i) (void)nanosleep(&moment, NULL);
  assert_true(read_away(path) > 0);
  say_done(&worker, chunk);
  end_run(&hand);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  test_folder_remove(folder);
}

static _Atomic int losses;

static void count_losses(void *context, const char *text) {
  (void)context;
  if (strstr(text, "silent for too long") != NULL) ++losses;
}

/* No event tells what the master decides by itself. */
static void who_is_given_up_by_the_master_is_lost_in_the_journal(void **state) {
  (void)state;
  static struct hand_run hand;
  char folder[TEST_FOLDER_BYTES], path[64];
  struct hand_worker worker;
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  prepare_kept_run(&hand, path);
  hand.options.config.silence_s = hand.options.config.patience_s = 0.1;
  hand.options.note = count_losses;
  losses = 0;
  start_run(&hand);
  join_worker(&worker, &hand);
  (void)fetch_chunk(&worker);
  await_count(&losses);
  hand.tally.interrupts = 2;
  assert_int_equal(pthread_join(hand.thread, NULL), 0);
  assert_int_equal(hand.status, LS_EINTERRUPTED);
  assert_int_equal(pthread_mutex_destroy(&hand.lock), 0);
  assert_int_equal(pthread_cond_destroy(&hand.announced), 0);
  ls_master_report_close(&hand.report);
  cut_worker(&worker);
  const struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  struct ls_places places = {0};
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  assert_int_equal(ls_journal_read_places(journal, &places, NULL), LS_OK);
  struct ls_places_counts counts = ls_places_at(&places, LS_PLACES_ALL, places.end_s);
  assert_int_equal(counts.joined, 1);
  assert_int_equal(counts.lost, 1);
  assert_int_equal(counts.left, 0);
  ls_places_close(&places);
  ls_journal_close(journal);
  test_folder_remove(folder);
}

/* Found by a fuzzer: the application was given units that it has not, or asked for four thousand
 * million iterations. */
static void results_that_cannot_be_are_refused(void **state) {
  (void)state;
  static const char *const damages[] = {
      "UPDATE ended SET first = 20 WHERE id = (SELECT max(id) FROM ended)",
      "UPDATE ended SET first = -1 WHERE id = (SELECT max(id) FROM ended)",
      "UPDATE ended SET units = 1 << 60 WHERE id = (SELECT max(id) FROM ended)",
      "UPDATE ended SET first = (SELECT first FROM ended ORDER BY id LIMIT 1)",
      "UPDATE ended SET iteration = 4000000000 WHERE id = (SELECT min(id) FROM ended)",
      ("UPDATE iterations SET iteration = 4000000000 "
       "WHERE iteration = (SELECT max(iteration) FROM iterations)"),
  };
  for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
    char folder[TEST_FOLDER_BYTES], path[64];
    test_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/journal", folder);
    for (int session = 0; session < 2; ++session) {
      struct tally tally = {.units = 20, .iterations = 1, .threads_count = session == 0 ? 1 : 0};
      struct ls_master_options options = resume(&tally, path, "tally");
      struct ls_master_report report;
      struct ls_error err = {0};
      enum ls_status status = run(&options, &tally, &report, &err);
      if (session == 0 && status != LS_OK) fail_msg("%s", err.text);
      if (session == 0) run_sql(path, damages[i]);
      if (session == 1 && status != LS_ECORRUPT) fail_msg("%s: %s", damages[i], err.text);
      if (session == 1) assert_non_null(strstr(err.text, path));
      ls_master_report_close(&report);
    }
    test_folder_remove(folder);
  }
}

/* ---- commands whose outputs nobody has got yet ---- */

enum { COMMANDS = 4 }; /* bit 0 of its number: it wrote output; bit 1: error output */

struct got {
  struct tally tally;
  unsigned merged[COMMANDS], skipped[COMMANDS];
  size_t lengths[COMMANDS][2];
};

static enum ls_status merge_command(void *context, const struct ls_unit_result *result,
                                    struct ls_error *err) {
  struct got *got = context;
  (void)err;
  ++got->merged[result->units.first];
  got->lengths[result->units.first][0] = result->output.length;
  got->lengths[result->units.first][1] = result->error_output.length;
  return LS_OK;
}

static enum ls_status skip_command(void *context, const struct ls_unit_result *result,
                                   struct ls_error *err) {
  struct got *got = context;
  (void)err;
  ++got->skipped[result->units.first];
  return LS_OK;
}

static const struct ls_app command_app = {.name = "commands",
                                          .runs_commands = true,
                                          .open = open_app,
                                          .units = count_units,
                                          .merge = merge_command,
                                          .skip = skip_command};

static const struct ls_journal_job command_job = {.application = "commands",
                                                  .command = "commands",
                                                  .directory = "/",
                                                  .units = COMMANDS,
                                                  .policy = "ss",
                                                  .workers = 1};

/* All commands have ended, and the master died before anybody got what they wrote. */
static void write_ended_commands(const char *path) {
  const struct ls_journal_request request = {
      .path = path, .mode = LS_JOURNAL_NEW, .job = &command_job};
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_worker(journal, &(struct ls_journal_worker){.slot = 1, .name = ""});
  for (uint64_t u = 0; u < COMMANDS; ++u) {
    size_t lengths[2] = {u & 1 ? 3 : 0, u & 2 ? 5 : 0};
    for (int i = 0; i < 2; ++i) {
      const struct ls_journal_blob blob = {
          .unit = u, .stream = i + 1, .data = "bytes", .length = lengths[i], .file = -1};
      if (lengths[i] > 0) ls_journal_output(journal, &blob);
    }
    ls_journal_result(journal, &(struct ls_journal_result){.units = {u, 1},
                                                           .outcome = LS_OUTCOME_DONE,
                                                           .slot = 1,
                                                           .attempt = 1,
                                                           .output_bytes = lengths[0],
                                                           .error_bytes = lengths[1]});
  }
  if (ls_journal_commit(journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
}

static void assert_outputs_are_merged_once(const struct ls_app *app) {
  char folder[TEST_FOLDER_BYTES], path[64];
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  write_ended_commands(path);
  for (int session = 0; session < 2; ++session) {
    static struct got got;
    got = (struct got){.tally = {.units = COMMANDS, .iterations = 1}};
    struct ls_master_options options = make_options(&got.tally, app, "ss");
    options.state = &got;
    options.journal = path;
    options.journal_mode = LS_JOURNAL_RESUME;
    options.job = command_job;
    struct ls_master_report report;
    struct ls_error err = {0};
    if (run(&options, &got.tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(report.units_before, COMMANDS);
    /* Whoever wrote nothing is told of; in the second session all have been delivered. */
    for (uint64_t u = 0; u < COMMANDS; ++u) {
      bool is_merged = u > 0 && session == 0;
      assert_int_equal(got.merged[u], is_merged ? 1 : 0);
      assert_int_equal(got.skipped[u], is_merged ? 0 : 1);
      assert_int_equal(got.lengths[u][0], is_merged && u & 1 ? 3 : 0);
      assert_int_equal(got.lengths[u][1], is_merged && u & 2 ? 5 : 0);
    }
    ls_master_report_close(&report);
  }
  test_folder_remove(folder);
}

static void recorded_outputs_are_merged_once_on_resume(void **state) {
  (void)state;
  assert_outputs_are_merged_once(&command_app);
}

/* It keeps what merge gave it: with `skip` a result is merged again only if that is not sure. */
static void computing_application_may_keep_its_outputs_itself(void **state) {
  (void)state;
  struct ls_app app = command_app;
  app.runs_commands = false;
  app.compute = sound_app.compute;
  assert_outputs_are_merged_once(&app);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_silence_of_a_worker_that_spoke_again_is_in_the_journal),
      cmocka_unit_test(recorded_outputs_are_merged_once_on_resume),
      cmocka_unit_test(computing_application_may_keep_its_outputs_itself),
      cmocka_unit_test(stopped_run_is_resumed_without_repeating),
      cmocka_unit_test(journal_of_another_job_is_refused),
      cmocka_unit_test(patience_begins_with_the_workers),
      cmocka_unit_test(killed_in_the_third_iteration_ends_the_same),
      cmocka_unit_test(killed_after_a_checkpoint_begins_there),
      cmocka_unit_test(who_is_given_up_by_the_master_is_lost_in_the_journal),
      cmocka_unit_test(results_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
