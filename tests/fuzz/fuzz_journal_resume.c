/* Any journal is refused in words by a master that resumes it, or restored: the application sees
 * units that it has, none twice, and the coordinator opens what is left. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hostile_journal.h"
#include "policies/chunking.h"
#include "runtime/master/master_open.h"
#include "runtime/master/master_resume.h"

bool fuzz_accepts;

/* What the application was told. */
struct told {
  uint32_t asked, iteration; /* iterations that were asked for; the latest */
  unsigned seen[HOSTILE_UNITS];
};

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct told *told = state;
  (void)err;
  assert(++told->asked <= HOSTILE_ITERATIONS + 1);
  memset(told->seen, 0, sizeof told->seen);
  told->iteration = iteration;
  *units = iteration < HOSTILE_ITERATIONS ? HOSTILE_UNITS : 0;
  return LS_OK;
}

static enum ls_status take(void *state, const struct ls_unit_result *result, struct ls_error *err) {
  struct told *told = state;
  (void)err;
  assert(result->iteration == told->iteration && result->units.count > 0);
  assert(result->units.first < HOSTILE_UNITS);
  assert(result->units.count <= HOSTILE_UNITS - result->units.first);
  for (uint64_t i = 0; i < result->units.count; i++)
    assert(++told->seen[result->units.first + i] == 1);
  return LS_OK;
}

static enum ls_status restore(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  (void)state, (void)bytes;
  if (iteration < HOSTILE_ITERATIONS) return LS_OK;
  return ls_fail(err, LS_EMISMATCH, "there is no iteration %u", (unsigned)iteration);
}

static enum ls_status go_on(const struct ls_master_books *books, struct ls_iterations *iterations,
                            struct ls_error *err) {
  struct ls_actions actions = {0};
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .worker = LS_WORKER_NONE};
  enum ls_status status =
      ls_iterations_units(iterations, books->iteration, &event.iteration_units, err);
  if (status == LS_OK) status = ls_coordinator_step(books->coordinator, &event, &actions, err);
  assert(ls_coordinator_is_sound(books->coordinator));
  ls_actions_close(&actions);
  return status;
}

static bool resume(const char *path, const struct ls_app *app, enum ls_journal_mode mode) {
  struct told told = {0};
  struct ls_error err = {0};
  struct ls_master_books books = {0};
  struct ls_iterations iterations;
  struct ls_deliveries deliveries;
  struct ls_master_report report = {0};
  struct ls_master_options options = {
      .app = app,
      .state = &told,
      .journal = path,
      .journal_mode = mode,
      .job = hostile_job,
      .config = {.chunking = ls_chunking_find("ss"), .workers = 2, .workers_max = 2}};
  enum ls_status status = ls_master_books_open(&books, &options, &err);
  ls_iterations_init(&iterations, app, &told, NULL);
  ls_iterations_record(&iterations, books.journal);
  ls_deliveries_init(&deliveries, app, &told, books.journal);
  if (status == LS_OK) status = ls_master_restore(&books, &iterations, &deliveries, &report, &err);
  if (status == LS_OK) status = go_on(&books, &iterations, &err);
  assert(status == LS_OK || err.text[0] != '\0');
  ls_deliveries_close(&deliveries);
  ls_iterations_close(&iterations);
  ls_master_books_close(&books);
  return status == LS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_app commands = {.name = "run",
                                  .units = count_units,
                                  .merge = take,
                                  .skip = take,
                                  .runs_commands = true},
                      computing = {
                          .name = "run", .units = count_units, .merge = take, .restore = restore};
  fuzz_accepts = resume(hostile_journal_write(data, size), &commands, LS_JOURNAL_RESUME);
  fuzz_accepts &= resume(hostile_journal_write(data, size), &computing, LS_JOURNAL_RESUME_FAILED);
  return 0;
}
