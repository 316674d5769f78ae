/* worker_results.c: what a worker says about what it finished.
 *
 * The results of computed units that have no output are merged while they continue each other, so
 * that a chunk of a million units costs a few messages.
 */
#include "runtime/worker_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/clock.h"

enum {
  PIECE_BYTES = 256 << 10,
  FRAME_BYTES = 256 << 10,
  RESULT_BYTES_MAX = LS_MESSAGE_BYTES_MAX - 4096
};

/* How long a result may wait for its neighbours. */
static const double merge_s = 0.1;

void ls_worker_post(struct ls_worker *worker, const struct ls_message *message) {
  void *ends = worker->outbox_ends;
  if (ls_array_reserve(&ends, &worker->outbox_capacity, worker->outbox_count + 1,
                       sizeof *worker->outbox_ends) != LS_OK) {
    worker->outbox.failed = true;
    return;
  }
  worker->outbox_ends = ends;
  if (worker->outbox_count == 0) worker->outbox_since_s = ls_clock_s();
  ls_message_encode(message, &worker->outbox);
  worker->outbox_ends[worker->outbox_count++] = worker->outbox.length;
}

/* Small messages share a frame: the network's price is per frame. */
static size_t end_frame(const struct ls_worker *worker, size_t start, size_t *next) {
  size_t end = worker->outbox_ends[(*next)++];
  while (*next < worker->outbox_count && worker->outbox_ends[*next] - start <= FRAME_BYTES) {
    end = worker->outbox_ends[(*next)++];
  }
  return end;
}

enum ls_status ls_worker_flush(struct ls_worker *worker, struct ls_error *err) {
  if (worker->outbox.failed) return ls_fail(err, LS_ENOMEM, "out of memory for results");
  enum ls_status status = LS_OK;
  size_t start = 0, next = 0;
  while (next < worker->outbox_count && status == LS_OK) {
    size_t end = end_frame(worker, start, &next);
    status = ls_worker_send(worker, worker->outbox.data + start, end - start, err);
    start = end;
  }
  worker->outbox_count = 0;
  /* One huge output must not keep its memory for the rest of the run. */
  if (worker->outbox.capacity > 4 * LS_WORKER_INLINE_MAX) ls_bytes_close(&worker->outbox);
  ls_bytes_clear(&worker->outbox);
  return status;
}

bool ls_worker_must_flush(const struct ls_worker *worker) {
  if (worker->outbox_count == 0) return false;
  return worker->is_released || !worker->side.is_running || worker->outbox.length > FRAME_BYTES ||
         ls_clock_s() >= worker->outbox_since_s + LS_WORKER_HOLD_S;
}

void ls_worker_release_merged(struct ls_worker *worker, bool is_forced) {
  if (worker->merged.range.count == 0) return;
  if (!is_forced && ls_clock_s() < worker->merged_since_s + merge_s) return;
  ls_worker_post(worker, &worker->merged);
  worker->merged.range.count = 0;
}

double ls_worker_results_patience_s(const struct ls_worker *worker) {
  double until_s = (double)INFINITY;
  if (worker->merged.range.count > 0) until_s = worker->merged_since_s + merge_s;
  if (worker->outbox_count > 0) until_s = fmin(until_s, worker->outbox_since_s + LS_WORKER_HOLD_S);
  return fmax(0, until_s - ls_clock_s());
}

static bool can_merge(const struct ls_message *merged, const struct ls_message *result) {
  return merged->range.count > 0 && merged->chunk == result->chunk &&
         merged->range.first + merged->range.count == result->range.first;
}

static void merge_result(struct ls_worker *worker, const struct ls_message *result) {
  struct ls_message *merged = &worker->merged;
  if (!can_merge(merged, result)) {
    ls_worker_release_merged(worker, true);
    *merged = *result;
    worker->merged_since_s = ls_clock_s();
    return;
  }
  merged->range.count += result->range.count;
  merged->receive_s += result->receive_s;
  merged->compute_s += result->compute_s;
  merged->squares += result->squares;
  merged->last_s = result->last_s;
}

static enum ls_status send_piece(struct ls_worker *worker, const struct ls_message *piece,
                                 struct ls_error *err) {
  ls_worker_post(worker, piece);
  return ls_worker_flush(worker, err);
}

/* A large output leaves in pieces before the RESULT that it belongs to. */
static enum ls_status stream_file(struct ls_worker *worker, const struct ls_execution *execution,
                                  enum ls_stream stream, struct ls_error *err) {
  int file = stream == LS_STREAM_OUT ? execution->output_file : execution->error_file;
  uint64_t bytes = stream == LS_STREAM_OUT ? execution->output_bytes : execution->error_bytes;
  if (file < 0) return LS_OK;
  if (worker->block == NULL) worker->block = malloc(PIECE_BYTES);
  if (worker->block == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for an output");
  enum ls_status status = LS_OK;
  uint64_t offset = 0;
  while (offset < bytes && status == LS_OK) {
    size_t wanted = bytes - offset < PIECE_BYTES ? (size_t)(bytes - offset) : PIECE_BYTES;
    ssize_t length = pread(file, worker->block, wanted, (off_t)offset);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    struct ls_message piece = {.kind = LS_MESSAGE_OUTPUT,
                               .chunk = worker->running.chunk,
                               .range = {execution->units.first, 1},
                               .output = {worker->block, (size_t)length},
                               .stream = (uint8_t)stream};
    status = send_piece(worker, &piece, err);
    offset += (uint64_t)length;
  }
  return status;
}

static struct ls_blob borrow(const struct ls_bytes *bytes) {
  return (struct ls_blob){bytes->data, bytes->length};
}

/* What does not fit into a message cannot arrive: the units failed, and say why. */
static void refuse_large(struct ls_message *result, struct ls_execution *execution) {
  if (result->output.length + result->error_output.length <= RESULT_BYTES_MAX) return;
  size_t length = result->output.length;
  ls_bytes_clear(execution->error_output);
  ls_bytes_printf(execution->error_output,
                  "loadstar: the output of units %llu to %llu is %zu bytes, at most %d fit into "
                  "one result\n",
                  (unsigned long long)result->range.first,
                  (unsigned long long)(result->range.first + result->range.count - 1), length,
                  (int)RESULT_BYTES_MAX);
  result->outcome = LS_OUTCOME_FAILED;
  result->output = (struct ls_blob){NULL, 0};
  result->error_output = borrow(execution->error_output);
}

enum ls_status ls_worker_record(struct ls_worker *worker, const struct ls_execution *execution,
                                double receive_s, struct ls_error *err) {
  struct ls_execution ended = *execution;
  if (ended.output->failed || ended.error_output->failed) {
    return ls_fail(err, LS_ENOMEM, "out of memory for the output of unit %llu",
                   (unsigned long long)ended.units.first);
  }
  struct ls_message result = {.kind = LS_MESSAGE_RESULT,
                              .chunk = worker->running.chunk,
                              .range = ended.units,
                              .outcome = ended.outcome,
                              .receive_s = receive_s,
                              .compute_s = ended.compute_s,
                              .squares = ended.squares,
                              .last_s = ended.last_s,
                              .exit_code = ended.exit_code,
                              .signal = ended.signal,
                              .output = borrow(ended.output),
                              .error_output = borrow(ended.error_output)};
  refuse_large(&result, &ended);
  bool is_plain = worker->kind != &ls_executor_command && result.outcome == LS_OUTCOME_DONE &&
                  result.output.length == 0 && result.error_output.length == 0;
  if (is_plain) {
    merge_result(worker, &result);
    return LS_OK;
  }
  ls_worker_release_merged(worker, true);
  enum ls_status status = stream_file(worker, &ended, LS_STREAM_OUT, err);
  if (status == LS_OK) status = stream_file(worker, &ended, LS_STREAM_ERR, err);
  ls_worker_post(worker, &result);
  return status;
}

void ls_worker_record_cancelled(struct ls_worker *worker, uint64_t chunk, struct ls_range units) {
  ls_worker_release_merged(worker, true);
  struct ls_message result = {
      .kind = LS_MESSAGE_RESULT, .chunk = chunk, .range = units, .outcome = LS_OUTCOME_CANCELLED};
  ls_worker_post(worker, &result);
}

void ls_worker_close_results(struct ls_worker *worker) {
  ls_bytes_close(&worker->outbox);
  free(worker->outbox_ends);
  free(worker->block);
}
