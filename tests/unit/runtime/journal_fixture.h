/* journal_fixture.h: a folder of its own, a job and short ways to append, for the journal's tests.
 */
#ifndef LS_TESTS_JOURNAL_FIXTURE_H
#define LS_TESTS_JOURNAL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "runtime/journal/journal.h"

/* cmocka's own comparison is of floats only; NaN is near nothing. */
#define assert_near(got, expected, tolerance) \
  assert_true(fabs((double)(got) - (double)(expected)) <= (double)(tolerance))

struct fixture {
  char folder[64], path[96];
};

static const struct ls_journal_job fixture_job = {.application = "run",
                                                  .command = "echo {}",
                                                  .directory = "/tmp",
                                                  .input_digest = 0xfedcba9876543210u,
                                                  .units = 100,
                                                  .policy = "ss",
                                                  .seed = UINT64_MAX,
                                                  .workers = 2};

/* In memory where there is a file system of that kind: a test that makes a thousand journals would
 * wait for a disk that others use, minutes long. */
static inline int fixture_setup(void **state) {
  struct fixture *fixture = calloc(1, sizeof *fixture);
  strcpy(fixture->folder, "/dev/shm/journal-test-XXXXXX");
  if (mkdtemp(fixture->folder) == NULL) {
    strcpy(fixture->folder, "/tmp/journal-test-XXXXXX");
    if (mkdtemp(fixture->folder) == NULL) return -1;
  }
  snprintf(fixture->path, sizeof fixture->path, "%s/j", fixture->folder);
  *state = fixture;
  return 0;
}

static inline int fixture_teardown(void **state) {
  struct fixture *fixture = *state;
  char command[192];
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", fixture->folder, fixture->folder);
  int code = system(command);
  free(fixture);
  return code;
}

static inline enum ls_status fixture_open(const char *path, enum ls_journal_mode mode,
                                          const struct ls_journal_job *job,
                                          struct ls_journal **journal, struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = mode, .job = job};
  return ls_journal_open(&request, journal, err);
}

/* Opens what must open. */
static inline struct ls_journal *fixture_must_open(const char *path, enum ls_journal_mode mode) {
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  enum ls_status status = fixture_open(path, mode, &fixture_job, &journal, &err);
  if (status != LS_OK) fail_msg("%s", err.text);
  return journal;
}

static inline void fixture_must_commit(struct ls_journal *journal) {
  struct ls_error err = {0};
  if (ls_journal_commit(journal, &err) != LS_OK) fail_msg("%s", err.text);
}

/* The first workers: results are of those that joined. */
static inline void fixture_join(struct ls_journal *journal, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    ls_journal_worker(
        journal,
        &(struct ls_journal_worker){
            .worker = i, .slot = i + 1, .name = "", .left_s = (double)NAN, .price_per_s = 1});
}

static inline struct ls_journal_result fixture_result(uint64_t unit) {
  return (struct ls_journal_result){.units = {.first = unit, .count = 1},
                                    .outcome = LS_OUTCOME_DONE,
                                    .worker = (uint32_t)(unit % 2),
                                    .slot = (uint32_t)(unit % 2) + 1,
                                    .attempt = 1,
                                    .chunk = unit,
                                    .start_s = (double)unit,
                                    .seconds = 0.5,
                                    .compute_s = 0.25};
}

static inline void fixture_send(struct ls_journal *journal, uint32_t worker, uint64_t chunk,
                                struct ls_range range) {
  struct ls_actions actions = {.ranges = &range, .ranges_count = 1};
  struct ls_action send = {
      .kind = LS_ACTION_SEND, .worker = worker, .send = {.chunk = chunk, .ranges_count = 1}};
  ls_journal_decision(journal, &actions, &send);
}

/* The results of a journal, for comparison. */
struct fixture_results {
  struct ls_journal_result items[4096];
  size_t count;
};

static inline enum ls_status fixture_keep(void *context, const struct ls_journal_result *result) {
  struct fixture_results *results = context;
  if (results->count < sizeof results->items / sizeof *results->items)
    results->items[results->count++] = *result;
  return LS_OK;
}

static inline void fixture_read(struct ls_journal *journal, struct fixture_results *results) {
  struct ls_error err = {0};
  results->count = 0;
  if (ls_journal_each_result(journal, fixture_keep, results, &err) != LS_OK)
    fail_msg("%s", err.text);
}

/* A session that settles `units` units and dies, or ends with `state`. */
static inline void fixture_run_session(const char *path, enum ls_journal_mode mode, uint64_t units,
                                       const char *state) {
  struct ls_journal *journal = fixture_must_open(path, mode);
  fixture_join(journal, 2);
  for (uint64_t unit = 0; unit < units; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    if (unit == 2) result.outcome = LS_OUTCOME_FAILED;
    if (unit == 3) result.outcome = LS_OUTCOME_GIVEN_UP;
    ls_journal_result(journal, &result);
  }
  if (state != NULL) ls_journal_end(journal, state, 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

/* Runs SQL on a journal at rest, as a user with the sqlite3 program would. */
static inline void fixture_run_sql(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  char *text = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  if (sqlite3_exec(database, sql, NULL, NULL, &text) != SQLITE_OK) fail_msg("%s", text);
  sqlite3_close(database);
}

static inline void fixture_read_sql(const char *path, const char *sql, char *out,
                                    size_t out_bytes) {
  sqlite3 *database = NULL;
  sqlite3_stmt *row = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) != SQLITE_OK)
    fail_msg("%s", sqlite3_errmsg(database));
  assert_int_equal(sqlite3_step(row), SQLITE_ROW);
  snprintf(out, out_bytes, "%s", (const char *)sqlite3_column_text(row, 0));
  sqlite3_finalize(row);
  sqlite3_close(database);
}

#endif
