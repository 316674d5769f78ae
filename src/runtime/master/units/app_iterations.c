/* app_iterations.c: asks for units, compares them with the journal, keeps and restores checkpoints.
 */
#include "runtime/master/units/app_iterations.h"

#include <assert.h>

void ls_iterations_init(struct ls_iterations *iterations, const struct ls_app *app, void *state,
                        const uint64_t *first) {
  *iterations = (struct ls_iterations){.app = app, .state = state};
  ls_unit_needs_init(&iterations->needs, app, state);
  if (first == NULL) return;
  iterations->has_latest = true;
  iterations->units = *first;
}

void ls_iterations_record(struct ls_iterations *iterations, struct ls_journal *journal) {
  iterations->journal = iterations->app->runs_commands ? NULL : journal;
}

static enum ls_status compare(const struct ls_iterations *iterations, struct ls_error *err) {
  uint64_t recorded = 0;
  bool is_recorded = false;
  enum ls_status status = ls_journal_read_iteration(iterations->journal, iterations->latest,
                                                    &recorded, &is_recorded, err);
  if (status != LS_OK) return status;
  if (!is_recorded)
    ls_journal_iteration(iterations->journal, iterations->latest, iterations->units);
  else if (recorded != iterations->units)
    return ls_fail(err, LS_EMISMATCH,
                   "iteration %u, counted from 1, has %llu units, but %llu in the journal: the "
                   "application or what it reads has changed since",
                   (unsigned)iterations->latest + 1, (unsigned long long)iterations->units,
                   (unsigned long long)recorded);
  return LS_OK;
}

static enum ls_status ask_idle(struct ls_iterations *iterations, struct ls_error *err) {
  const struct ls_app *app = iterations->app;
  enum ls_status status = LS_OK;
  ls_ranges_clear(&iterations->idle);
  iterations->has_idle = true;
  if (iterations->units == 0 || app->idle == NULL) return LS_OK;
  status = app->idle(iterations->state, iterations->latest, &iterations->idle, err);
  if (status == LS_OK && iterations->idle.failed)
    status = ls_fail(err, LS_ENOMEM, "out of memory for the units that are idle");
  return status;
}

enum ls_status ls_iterations_units(struct ls_iterations *iterations, uint32_t iteration,
                                   uint64_t *units, struct ls_error *err) {
  bool is_known = iterations->has_latest && iterations->latest == iteration;
  enum ls_status status = LS_OK;
  assert(!iterations->has_latest || iteration >= iterations->latest);
  if (!is_known) {
    iterations->has_idle = false;
    status = iterations->app->units(iterations->state, iteration, &iterations->units, err);
  }
  if (status != LS_OK) return status;
  iterations->has_latest = true;
  iterations->latest = iteration;
  if (!iterations->has_idle) {
    status = ask_idle(iterations, err);
    if (status == LS_OK)
      status = ls_unit_needs_ask(&iterations->needs, iteration,
                                 (struct ls_range){0, iterations->units}, err);
  }
  if (status != LS_OK) return status;
  if (iterations->journal != NULL) status = compare(iterations, err);
  if (status == LS_OK) *units = iterations->units;
  return status;
}

enum ls_status ls_iterations_checkpoint(struct ls_iterations *iterations, uint32_t iteration,
                                        struct ls_error *err) {
  struct ls_bytes bytes = {0};
  const struct ls_app *app = iterations->app;
  /* What cannot be restored would lock its journal up. */
  if (iterations->journal == NULL || app->checkpoint == NULL || app->restore == NULL) return LS_OK;
  enum ls_status status = app->checkpoint(iterations->state, &bytes, err);
  if (status == LS_OK && bytes.failed)
    status = ls_fail(err, LS_ENOMEM, "out of memory for a checkpoint");
  if (status == LS_OK && bytes.length > 0)
    ls_journal_checkpoint(iterations->journal, iteration, &bytes);
  ls_bytes_close(&bytes);
  return status;
}

enum ls_status ls_iterations_restore(struct ls_iterations *iterations, uint32_t *iteration,
                                     struct ls_error *err) {
  struct ls_bytes bytes = {0};
  uint32_t next = 0;
  enum ls_status status = LS_OK;
  if (iterations->journal != NULL)
    status = ls_journal_read_checkpoint(iterations->journal, &next, &bytes, err);
  if (status == LS_OK && next > 0) {
    if (iterations->app->restore == NULL)
      status = ls_fail(err, LS_EMISMATCH,
                       "the journal has a checkpoint, which this application cannot restore");
    else
      status = iterations->app->restore(iterations->state, next, &bytes, err);
  }
  ls_bytes_close(&bytes);
  if (status != LS_OK) return status;
  if (next > 0) iterations->has_latest = false;
  *iteration = next;
  return LS_OK;
}

const struct ls_ranges *ls_iterations_idle(const struct ls_iterations *iterations) {
  return &iterations->idle;
}

const struct ls_unit_needs *ls_iterations_needs(const struct ls_iterations *iterations) {
  return &iterations->needs;
}

void ls_iterations_close(struct ls_iterations *iterations) {
  ls_unit_needs_close(&iterations->needs);
  ls_ranges_close(&iterations->idle);
  *iterations = (struct ls_iterations){0};
}
