/* iterations.c: asks for units, compares them with the journal, keeps and restores checkpoints. */
#include "runtime/iterations.h"

void ls_iterations_init(struct ls_iterations *iterations, const struct ls_app *app, void *state,
                        struct ls_journal *journal) {
  *iterations = (struct ls_iterations){
      .app = app, .state = state, .journal = app->runs_commands ? NULL : journal};
}

void ls_iterations_know(struct ls_iterations *iterations, uint64_t units) {
  iterations->is_asked = true;
  iterations->iteration = 0;
  iterations->units = units;
}

static enum ls_status compare(const struct ls_iterations *iterations, struct ls_error *err) {
  uint64_t recorded = 0;
  bool is_recorded = false;
  enum ls_status status = ls_journal_read_iteration(iterations->journal, iterations->iteration,
                                                    &recorded, &is_recorded, err);
  if (status != LS_OK) return status;
  if (!is_recorded)
    ls_journal_iteration(iterations->journal, iterations->iteration, iterations->units);
  else if (recorded != iterations->units)
    return ls_fail(err, LS_EMISMATCH,
                   "iteration %u, counted from 0, has %llu units, but %llu in the journal: the "
                   "application or what it reads has changed since",
                   (unsigned)iterations->iteration, (unsigned long long)iterations->units,
                   (unsigned long long)recorded);
  return LS_OK;
}

enum ls_status ls_iterations_ask(struct ls_iterations *iterations, uint32_t iteration,
                                 uint64_t *units, struct ls_error *err) {
  enum ls_status status = LS_OK;
  bool is_known = iterations->is_asked && iterations->iteration == iteration;
  if (!is_known)
    status = iterations->app->units(iterations->state, iteration, &iterations->units, err);
  if (status != LS_OK) return status;
  iterations->is_asked = true;
  iterations->iteration = iteration;
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
  if (next > 0) iterations->is_asked = false;
  *iteration = next;
  return LS_OK;
}
