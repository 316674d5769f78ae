#include "runtime/execute/executor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/execute/executor_private.h"

struct ls_executor {
  struct ls_executor_setup setup;
  struct ls_execution execution;
  bool has_execution;
  uint64_t units_max;
  struct ls_bytes staged, output, error_output;

  uint32_t iteration; /* of what was broadcast */
  const struct ls_bytes *broadcast;
  bool has_received; /* the application, what was broadcast for iteration `received` */
  uint32_t received;
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
  ls_bytes_close(&executor->staged);
  ls_bytes_close(&executor->output);
  ls_bytes_close(&executor->error_output);
  free(executor);
}

static void receive(struct ls_executor *executor, uint32_t iteration,
                    const struct ls_bytes *bytes) {
  executor->iteration = iteration;
  executor->broadcast = bytes;
}

static enum ls_outcome give_broadcast(struct ls_executor *executor, const struct ls_work *work) {
  if (executor->setup.app->receive == NULL) return LS_OUTCOME_DONE;
  if (executor->has_received && executor->received == work->iteration) return LS_OUTCOME_DONE;
  struct ls_work told = {.iteration = work->iteration};
  if (executor->broadcast != NULL && executor->iteration == work->iteration) {
    told.input = executor->broadcast->data;
    told.length = executor->broadcast->length;
  }
  enum ls_outcome outcome = ls_receiving_run(&executor->setup, &told, &executor->error_output);
  executor->has_received = outcome == LS_OUTCOME_DONE;
  executor->received = work->iteration;
  return outcome;
}

static enum ls_outcome stage(struct ls_executor *executor, struct ls_work *work, double *seconds) {
  if (executor->setup.app->stage == NULL) return LS_OUTCOME_DONE;
  ls_bytes_clear(&executor->staged);
  enum ls_outcome outcome =
      ls_staging_run(&executor->setup, work, &executor->staged, &executor->error_output, seconds);
  work->staged = executor->staged.data;
  work->staged_length = executor->staged.length;
  return outcome;
}

static enum ls_status start_direct(struct ls_executor *executor, const struct ls_upcoming *next,
                                   struct ls_error *err) {
  (void)err;
  struct ls_work work = next->work;
  assert(!executor->has_execution && work.units.count >= 1);
  ls_bytes_clear(&executor->output);
  ls_bytes_clear(&executor->error_output);
  double stage_s = 0, seconds = 0;
  enum ls_outcome outcome = give_broadcast(executor, &work);
  if (outcome == LS_OUTCOME_DONE) outcome = stage(executor, &work, &stage_s);
  if (outcome == LS_OUTCOME_DONE) {
    outcome = ls_computation_run(&executor->setup, &work, &executor->output,
                                 &executor->error_output, &seconds);
  }
  executor->units_max =
      ls_computation_adapt(executor->units_max, work.units.count, fmax(stage_s, seconds));
  executor->execution = ls_computation_report(outcome, work.units, seconds);
  executor->execution.stage_s = executor->execution.exposed_s = stage_s;
  executor->execution.lead_s = stage_s;
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
                                                    .receive = receive,
                                                    .file = get_file,
                                                    .patience_s = get_patience_s,
                                                    .finished = has_finished,
                                                    .cancel = cancel_direct,
                                                    .units_max = get_units_max};
