/* test_master_resume.c: a run goes on where its journal ends. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "master_fixture.h"

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

static enum ls_status count_units_slowly(void *context, uint32_t iteration, uint64_t *units,
                                         struct ls_error *err) {
  struct tally *tally = context;
  const struct timespec patience = {.tv_sec = 3, .tv_nsec = 500000000};
  if (iteration == 0) {
    (void)nanosleep(&patience, NULL);
    /* Workers start when units are there, as those of a pool do. */
    tally->threads_count = 1;
    start_threads(tally, "inproc://master", "");
  }
  return count_units(context, iteration, units, err);
}

static void announce_nothing(void *context, const char *address, const char *token) {
  (void)context, (void)address, (void)token;
}

/* A long restore, or units() that takes its time, must not be held against the workers. */
static void patience_begins_with_the_workers(void **state) {
  (void)state;
  struct ls_app app = sound_app;
  app.units = count_units_slowly;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &app, "ss");
  options.announce = announce_nothing;
  options.workers_patience_s = 3;
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
  char folder[] = "/tmp/test-master-XXXXXX", path[64], deadly[64], command[96];
  double serial = 0, parts[POINTS];
  struct ls_error err = {0};
  int end;
  assert_non_null(mkdtemp(folder));
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
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_run_is_resumed_without_repeating),
      cmocka_unit_test(journal_of_another_job_is_refused),
      cmocka_unit_test(patience_begins_with_the_workers),
      cmocka_unit_test(killed_in_the_third_iteration_ends_the_same),
      cmocka_unit_test(killed_after_a_checkpoint_begins_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
