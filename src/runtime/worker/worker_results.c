/* worker_results.c: the reports of a worker about the units that it finished.
 *
 * The worker side merges results that have no output while they continue each other, so that a
 * chunk of a million units costs a few messages; no result waits for its neighbours for long.
 */
#include "runtime/worker/worker_private.h"

#include <math.h>

#include "base/range_words.h"
#include "runtime/os/clock.h"

enum { FRAME_BYTES = 256 << 10, RESULT_BYTES_MAX = LS_MESSAGE_BYTES_MAX - 4096 };

/* How long a result may wait for its neighbours. */
static const double merge_s = 0.1;

bool ls_worker_must_flush(const struct ls_worker *worker) {
  const struct ls_postbox *postbox = &worker->line.postbox;
  if (!ls_line_is_open(&worker->line) || !ls_postbox_is_waiting(postbox)) return false;
  bool runs = worker->side.is_running && !worker->must_start;
  return worker->is_released || !runs || worker->line.is_behind ||
         ls_postbox_waiting_bytes(postbox) > FRAME_BYTES ||
         ls_clock_s() >= postbox->since_s + LS_SIDE_HOLD_S;
}

bool ls_worker_is_merged_due(const struct ls_worker *worker) {
  return worker->side.merged.units.count > 0 && ls_clock_s() >= worker->merged_since_s + merge_s;
}

double ls_worker_results_patience_s(const struct ls_worker *worker) {
  const struct ls_line *line = &worker->line;
  double until_s = (double)INFINITY;
  if (worker->side.merged.units.count > 0) until_s = worker->merged_since_s + merge_s;
  if (ls_line_is_open(line) && ls_postbox_is_waiting(&line->postbox)) {
    /* While the master is behind, the line itself waits for it at each attempt. */
    if (line->is_behind) return LS_SIDE_HOLD_S;
    until_s = fmin(until_s, line->postbox.since_s + LS_SIDE_HOLD_S);
  }
  return fmax(0, until_s - ls_clock_s());
}

static struct ls_blob borrow(const struct ls_bytes *bytes) {
  return (struct ls_blob){bytes->data, bytes->length};
}

/* An output that does not fit into a message cannot arrive: the units failed, and say why. */
static void refuse_large(struct ls_message *result, struct ls_execution *execution) {
  if (result->output.length + result->error_output.length <= RESULT_BYTES_MAX) return;
  size_t length = result->output.length;
  char which[LS_RANGE_WORDS_BYTES];
  ls_bytes_clear(execution->error_output);
  ls_bytes_printf(execution->error_output,
                  "loadstar: the output of %s is %zu bytes, at most %d fit into one result\n",
                  ls_range_words(result->range, which), length, (int)RESULT_BYTES_MAX);
  result->outcome = LS_OUTCOME_FAILED;
  result->output = (struct ls_blob){NULL, 0};
  result->error_output = borrow(execution->error_output);
}

bool ls_worker_has_output(const struct ls_worker *worker, const struct ls_execution *execution) {
  return worker->kind == &ls_executor_command || execution->output->length > 0 ||
         execution->error_output->length > 0;
}

/* One that is kept until it is fetched cannot be judged before. */
static void post(struct ls_worker *worker, const struct ls_message *result,
                 const struct ls_result_files *files) {
  ls_line_post_result(&worker->line, result, files);
  if (!files->is_held &&
      ls_verdict_is_due(worker->settings.verdict, (enum ls_outcome)result->outcome))
    worker->awaited = worker->line.postbox.results.count;
}

/* The units that have ended just now add their outputs; large ones stay in their files. */
static enum ls_status tell_execution(struct ls_worker *worker, struct ls_message *message,
                                     const struct ls_side_result *told,
                                     struct ls_execution *execution, struct ls_error *err) {
  struct ls_execution ended = *execution;
  if (ended.output->failed || ended.error_output->failed) {
    char which[LS_RANGE_WORDS_BYTES];
    return ls_fail(err, LS_ENOMEM, "out of memory for the output of %s",
                   ls_range_words(told->units, which));
  }
  message->exit_code = ended.exit_code;
  message->signal = ended.signal;
  message->usage = ended.usage;
  message->output = borrow(ended.output);
  message->error_output = borrow(ended.error_output);
  refuse_large(message, &ended);
  struct ls_result_file items[2 + LS_STAGED_OUTPUTS_MAX];
  struct ls_message_file told_files[LS_STAGED_OUTPUTS_MAX];
  struct ls_result_files files = {items, 0, told->is_held};
  if (ended.output_file >= 0) {
    message->streamed[0] = ended.output_bytes;
    items[files.count++] =
        (struct ls_result_file){ended.output_file, ended.output_bytes, LS_STREAM_OUT};
  }
  if (ended.error_file >= 0) {
    message->streamed[1] = ended.error_bytes;
    items[files.count++] =
        (struct ls_result_file){ended.error_file, ended.error_bytes, LS_STREAM_ERR};
  }
  for (size_t i = 0; i < ended.files_count; ++i) {
    const struct ls_command_output *file = &ended.files[i];
    told_files[i] = (struct ls_message_file){file->bytes, file->mode, file->is_there};
    if (file->file >= 0)
      items[files.count++] =
          (struct ls_result_file){file->file, file->bytes, (uint8_t)(LS_STREAM_FILE + i)};
  }
  message->files = told_files;
  message->files_count = ended.files_count;
  post(worker, message, &files);
  execution->output_file = execution->error_file = -1;
  execution->files_count = 0;
  return LS_OK;
}

/* Results are told while their chunk runs, or when the next one has ended its first unit. */
static uint32_t find_iteration(const struct ls_worker *worker, uint64_t chunk) {
  const struct ls_origin *origins = worker->origins;
  return origins[1].chunk == chunk ? origins[1].iteration : origins[0].iteration;
}

void ls_worker_note_staging(struct ls_worker *worker, struct ls_execution *execution) {
  if (!(worker->stage_s > 0)) worker->lead_s = execution->lead_s;
  worker->stage_s += execution->stage_s;
  worker->exposed_s += execution->exposed_s;
  execution->stage_s = execution->lead_s = execution->exposed_s = 0;
}

static bool contains(struct ls_range all, struct ls_range some) {
  return some.first >= all.first && some.first + some.count <= all.first + all.count;
}

enum ls_status ls_worker_tell(struct ls_worker *worker, const struct ls_side_result *result,
                              struct ls_execution *execution, struct ls_error *err) {
  struct ls_message message = {.kind = LS_MESSAGE_RESULT,
                               .chunk = result->chunk,
                               .iteration = find_iteration(worker, result->chunk),
                               .range = result->units,
                               .outcome = (uint8_t)result->outcome,
                               .compute_s = result->seconds,
                               .squares = result->squares,
                               .latest_count = result->times_count};
  if (result->times_count > 0) message.latest = worker->actions.times + result->first_time;
  if (execution != NULL && contains(result->units, execution->units)) {
    ls_worker_note_staging(worker, execution);
  }
  if (result->outcome != LS_OUTCOME_CANCELLED) {
    message.receive_s = worker->receive_s;
    message.stage_s = worker->stage_s;
    message.lead_s = worker->lead_s;
    message.exposed_s = worker->exposed_s;
    worker->receive_s = worker->stage_s = worker->lead_s = worker->exposed_s = 0;
  }
  bool is_ended = execution != NULL && execution->units.first == result->units.first &&
                  execution->units.count == result->units.count &&
                  (result->outcome != LS_OUTCOME_DONE || ls_worker_has_output(worker, execution));
  if (is_ended) return tell_execution(worker, &message, result, execution, err);
  post(worker, &message, &(struct ls_result_files){.is_held = result->is_held});
  return LS_OK;
}
