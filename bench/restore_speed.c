/* restore_speed.c: what resuming a long journal costs, beside reading its results by SQLite alone.
 *
 * Usage: restore_speed RESULTS TURNS
 * Makes the journal of a run of so many commands, each settled by one result, lets a master resume
 * it (the run is over, so that is all it does), and walks the same rows with nothing but SQLite, in
 * turns and in processes of their own. Prints the median of the ratios and the memory of the master
 * per result; exits 1 when one of them is missed.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/statistics.h"
#include "runtime/master/master.h"

enum { TURNS_MAX = 99, WORKERS = 4, ROUND = 64, FEW = 1000 };
static const double RATIO_REACH = 3, BYTES_REACH = 64;

static double read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void expect(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "restore_speed: %s\n", err->text);
  exit(2);
}

static struct ls_journal_job make_job(uint64_t results) {
  return (struct ls_journal_job){.application = "run",
                                 .command = "true",
                                 .directory = "/",
                                 .units = results,
                                 .policy = "ss",
                                 .workers = WORKERS};
}

/* One unit, sent and settled. The workers end their units in another order than they got them. */
static void record(struct ls_journal *journal, uint64_t unit) {
  uint32_t worker = (uint32_t)(unit % WORKERS);
  double now_s = 1e-3 * (double)(unit + 1), seconds = 3e-3;
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = worker,
                           .now_s = now_s,
                           .result = {.chunk = unit,
                                      .units = {unit, 1},
                                      .outcome = LS_OUTCOME_DONE,
                                      .seconds = seconds,
                                      .squares = seconds * seconds}};
  ls_journal_event(journal, &event);
  ls_journal_result(journal, &(struct ls_journal_result){.units = {unit, 1},
                                                         .outcome = LS_OUTCOME_DONE,
                                                         .worker = worker,
                                                         .slot = worker + 1,
                                                         .attempt = 1,
                                                         .chunk = unit,
                                                         .start_s = now_s - seconds,
                                                         .seconds = seconds,
                                                         .compute_s = seconds});
}

static void join(struct ls_journal *journal, uint32_t worker) {
  struct ls_event event = {.kind = LS_EVENT_JOINED, .worker = worker};
  ls_journal_event(journal, &event);
  ls_journal_worker(
      journal, &(struct ls_journal_worker){
                   .worker = worker, .slot = worker + 1, .name = "local", .left_s = (double)NAN});
}

static void make_journal(const char *path, uint64_t results) {
  struct ls_error err = {0};
  struct ls_journal_job job = make_job(results);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_NEW, .job = &job};
  struct ls_journal *journal = NULL;
  expect(ls_journal_open(&request, &journal, &err), &err);
  for (uint32_t worker = 0; worker < WORKERS; worker++) join(journal, worker);
  for (uint64_t first = 0; first < results; first += ROUND) {
    for (uint64_t i = 0; i < ROUND; i++) {
      uint64_t unit = first + (i * 37) % ROUND;
      if (unit < results) record(journal, unit);
    }
    expect(ls_journal_commit(journal, &err), &err);
  }
  ls_journal_end(journal, "stopped", 1e-3 * (double)results);
  expect(ls_journal_commit(journal, &err), &err);
  ls_journal_close(journal);
}

struct counter {
  uint64_t units, skipped;
};

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  const struct counter *counter = state;
  (void)err;
  *units = iteration == 0 ? counter->units : 0;
  return LS_OK;
}

static enum ls_status skip(void *state, const struct ls_unit_result *result, struct ls_error *err) {
  struct counter *counter = state;
  (void)err;
  counter->skipped += result->units.count;
  return LS_OK;
}

static void restore(const char *path, uint64_t results) {
  static const struct ls_app app = {
      .name = "run", .units = count_units, .skip = skip, .runs_commands = true};
  const struct ls_site site = ls_site_here();
  struct counter counter = {.units = results};
  struct ls_error err = {0};
  struct ls_master_report report;
  struct ls_master_options options = {.app = &app,
                                      .state = &counter,
                                      .heartbeat_s = 1,
                                      .site = &site,
                                      .journal = path,
                                      .journal_mode = LS_JOURNAL_RESUME,
                                      .job = make_job(results),
                                      .workers_patience_s = 30,
                                      .config = {.chunking = ls_chunking_find("ss"),
                                                 .workers = WORKERS,
                                                 .mean_seconds = (double)NAN,
                                                 .deviation_seconds = (double)NAN,
                                                 .overhead_seconds = (double)NAN}};
  ls_arguments_init(&options.config.arguments, options.config.chunking->parameters);
  expect(ls_master_run(&options, &report, &err), &err);
  if (counter.skipped != results || report.units_before != results) {
    fprintf(stderr, "restore_speed: %llu of %llu units were restored\n",
            (unsigned long long)counter.skipped, (unsigned long long)results);
    exit(2);
  }
  ls_master_report_close(&report);
}

/* Every column of every row of the results, in their order. */
static void read_bare(const char *path, uint64_t results) {
  sqlite3 *database = NULL;
  sqlite3_stmt *row = NULL;
  uint64_t rows = 0;
  double sum = 0;
  if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, "SELECT * FROM ended ORDER BY id", -1, &row, NULL) != SQLITE_OK)
    exit(2);
  while (sqlite3_step(row) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(row); i++) sum += sqlite3_column_double(row, i);
    rows++;
  }
  sqlite3_finalize(row);
  sqlite3_close(database);
  if (rows != results || !(sum > 0)) exit(2);
}

/* Seconds of a call in a process of its own; the largest resident set, in bytes. */
static double measure(void (*call)(const char *path, uint64_t results), const char *path,
                      uint64_t results, double *peak_bytes) {
  double begin_s = read_clock();
  struct rusage usage;
  int state;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    call(path, results);
    _exit(0);
  }
  if (child < 0 || wait4(child, &state, 0, &usage) != child || state != 0) exit(2);
  if (peak_bytes != NULL) *peak_bytes = 1024 * (double)usage.ru_maxrss;
  return read_clock() - begin_s;
}

static bool run(const char *folder, uint64_t results, size_t turns) {
  char many[128], few[128];
  double ratios[TURNS_MAX], seconds[TURNS_MAX], peak_bytes = 0, few_bytes = 0;
  snprintf(many, sizeof many, "%s/many", folder);
  snprintf(few, sizeof few, "%s/few", folder);
  measure(make_journal, many, results, NULL);
  measure(make_journal, few, FEW, NULL);
  measure(restore, few, FEW, &few_bytes);
  for (size_t i = 0; i < turns; i++) {
    double bare_s = measure(read_bare, many, results, NULL);
    seconds[i] = measure(restore, many, results, &peak_bytes);
    ratios[i] = seconds[i] / bare_s;
  }
  ls_sort_ascending(ratios, turns);
  ls_sort_ascending(seconds, turns);
  double ratio = ratios[turns / 2];
  double bytes = results > FEW ? (peak_bytes - few_bytes) / (double)(results - FEW) : 0;
  printf(
      "{\"results\": %llu, \"restore_s\": %.3f, \"ratio\": %.3f, \"reach\": %g, "
      "\"bytes_per_result\": %.1f, \"reach_bytes\": %g}\n",
      (unsigned long long)results, seconds[turns / 2], ratio, RATIO_REACH, bytes, BYTES_REACH);
  return ratio <= RATIO_REACH && bytes <= BYTES_REACH;
}

int main(int count, char **arguments) {
  uint64_t results = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000000;
  size_t turns = count > 2 ? strtoul(arguments[2], NULL, 10) : 5;
  char folder[] = "/tmp/restore-speed-XXXXXX", command[64];
  if (turns < 1 || turns > TURNS_MAX || results < 1) {
    fprintf(stderr, "restore_speed: %zu turns, expected 1 to %d\n", turns, TURNS_MAX);
    return 2;
  }
  if (mkdtemp(folder) == NULL) return 2;
  bool is_reached = run(folder, results, turns);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) return 2;
  return is_reached ? 0 : 1;
}
