#include "runtime/executor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/executor_private.h"

struct ls_executor {
  struct ls_executor_setup setup;
  struct ls_execution execution;
  bool has_execution;
  uint64_t units_max;
  struct ls_bytes output, error_output;
};

static enum ls_status create_direct(const struct ls_executor_setup *setup, struct ls_executor **out,
                                    struct ls_error *err) {
  struct ls_executor *executor = calloc(1, sizeof *executor);
  if (executor == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the executor");
  executor->setup = *setup;
  executor->units_max = 1;
  *out = executor;
  return LS_OK;
}

static void destroy_direct(struct ls_executor *executor) {
  if (executor == NULL) return;
  ls_bytes_close(&executor->output);
  ls_bytes_close(&executor->error_output);
  free(executor);
}

static enum ls_status start_direct(struct ls_executor *executor, const struct ls_upcoming *next,
                                   struct ls_error *err) {
  (void)err;
  const struct ls_work *work = &next->work;
  assert(!executor->has_execution && work->units.count >= 1);
  ls_bytes_clear(&executor->output);
  ls_bytes_clear(&executor->error_output);
  double seconds = 0;
  enum ls_outcome outcome = ls_computation_run(&executor->setup, work, &executor->output,
                                               &executor->error_output, &seconds);
  executor->units_max = ls_computation_adapt(executor->units_max, work->units.count, seconds);
  executor->execution = ls_computation_report(outcome, work->units, seconds);
  executor->execution.output = &executor->output;
  executor->execution.error_output = &executor->error_output;
  executor->has_execution = true;
  return LS_OK;
}

static int get_file(const struct ls_executor *executor) {
  (void)executor;
  return -1;
}

static double get_patience_s(const struct ls_executor *executor) {
  return executor->has_execution ? 0 : (double)INFINITY;
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  if (!executor->has_execution) return false;
  executor->has_execution = false;
  *execution = executor->execution;
  return true;
}

/* No computation runs while this is called: start returns when all is done. */
static void cancel_direct(struct ls_executor *executor) {
  (void)executor;
}

static uint64_t get_units_max(const struct ls_executor *executor) {
  return executor->units_max;
}

const struct ls_executor_kind ls_executor_direct = {.name = "direct",
                                                    .create = create_direct,
                                                    .destroy = destroy_direct,
                                                    .start = start_direct,
                                                    .file = get_file,
                                                    .patience_s = get_patience_s,
                                                    .finished = has_finished,
                                                    .cancel = cancel_direct,
                                                    .units_max = get_units_max};
