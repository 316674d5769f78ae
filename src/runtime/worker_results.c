/* worker_results.c: the reports of a worker about the units that it finished.
 *
 * The worker side merges results that have no output while they continue each other, so that a
 * chunk of a million units costs a few messages; no result waits for its neighbours for long.
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

/* Room for one message more; false: the failure is noted. */
static bool open_message(struct ls_worker *worker) {
  void *ends = worker->outbox_ends;
  if (ls_array_reserve(&ends, &worker->outbox_capacity, worker->outbox_count + 1,
                       sizeof *worker->outbox_ends) != LS_OK) {
    worker->outbox.failed = true;
    return false;
  }
  worker->outbox_ends = ends;
  if (worker->outbox_count == 0) worker->outbox_since_s = ls_clock_s();
  return true;
}

static void close_message(struct ls_worker *worker) {
  worker->outbox_ends[worker->outbox_count++] = worker->outbox.length;
}

void ls_worker_post(struct ls_worker *worker, const struct ls_message *message) {
  if (!open_message(worker)) return;
  ls_message_encode(message, &worker->outbox);
  close_message(worker);
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

bool ls_worker_is_merged_due(const struct ls_worker *worker) {
  return worker->side.merged.units.count > 0 && ls_clock_s() >= worker->merged_since_s + merge_s;
}

double ls_worker_results_patience_s(const struct ls_worker *worker) {
  double until_s = (double)INFINITY;
  if (worker->side.merged.units.count > 0) until_s = worker->merged_since_s + merge_s;
  if (worker->outbox_count > 0) until_s = fmin(until_s, worker->outbox_since_s + LS_WORKER_HOLD_S);
  return fmax(0, until_s - ls_clock_s());
}

/* Keeps a message until its chunk is fetched. */
static void keep_message(struct ls_worker *worker, const struct ls_message *message) {
  void *kept = worker->kept;
  if (ls_array_reserve(&kept, &worker->kept_capacity, worker->kept_count + 1,
                       sizeof *worker->kept) != LS_OK) {
    worker->outbox.failed = true;
    return;
  }
  worker->kept = kept;
  worker->kept[worker->kept_count] = (struct ls_kept){.chunk = message->chunk};
  ls_message_encode(message, &worker->kept[worker->kept_count].message);
  if (worker->kept[worker->kept_count].message.failed) worker->outbox.failed = true;
  worker->kept_count++;
}

enum ls_status ls_worker_let_go_kept(struct ls_worker *worker, uint64_t chunk,
                                     struct ls_error *err) {
  size_t left = 0;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < worker->kept_count; ++i) {
    struct ls_kept *kept = &worker->kept[i];
    if (kept->chunk != chunk || status != LS_OK) {
      worker->kept[left++] = *kept;
      continue;
    }
    if (open_message(worker)) {
      ls_bytes_append(&worker->outbox, kept->message.data, kept->message.length);
      close_message(worker);
    }
    ls_bytes_close(&kept->message);
    if (worker->outbox.length > FRAME_BYTES) status = ls_worker_flush(worker, err);
  }
  worker->kept_count = left;
  return status;
}

/* One that is held waits until its chunk is fetched. */
static void say_result(struct ls_worker *worker, const struct ls_message *message, bool is_held) {
  if (is_held) {
    keep_message(worker, message);
  } else {
    ls_worker_post(worker, message);
  }
}

/* A large output leaves in pieces before the RESULT that it belongs to. */
static enum ls_status stream_file(struct ls_worker *worker, const struct ls_execution *execution,
                                  enum ls_stream stream, const struct ls_side_result *told,
                                  struct ls_error *err) {
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
                               .chunk = told->chunk,
                               .range = {told->units.first, 1},
                               .offset = offset,
                               .output = {worker->block, (size_t)length},
                               .stream = (uint8_t)stream};
    say_result(worker, &piece, told->is_held);
    status = ls_worker_flush(worker, err);
    offset += (uint64_t)length;
  }
  return status;
}

static struct ls_blob borrow(const struct ls_bytes *bytes) {
  return (struct ls_blob){bytes->data, bytes->length};
}

/* An output that does not fit into a message cannot arrive: the units failed, and say why. */
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

bool ls_worker_has_output(const struct ls_worker *worker, const struct ls_execution *execution) {
  return worker->kind == &ls_executor_command || execution->output->length > 0 ||
         execution->error_output->length > 0;
}

/* The units that have ended just now add their outputs. */
static enum ls_status tell_execution(struct ls_worker *worker, struct ls_message *message,
                                     const struct ls_side_result *told,
                                     const struct ls_execution *execution, struct ls_error *err) {
  struct ls_execution ended = *execution;
  if (ended.output->failed || ended.error_output->failed) {
    return ls_fail(err, LS_ENOMEM, "out of memory for the output of unit %llu",
                   (unsigned long long)told->units.first);
  }
  message->exit_code = ended.exit_code;
  message->signal = ended.signal;
  message->output = borrow(ended.output);
  message->error_output = borrow(ended.error_output);
  refuse_large(message, &ended);
  enum ls_status status = stream_file(worker, &ended, LS_STREAM_OUT, told, err);
  if (status == LS_OK) status = stream_file(worker, &ended, LS_STREAM_ERR, told, err);
  if (ended.output_file >= 0) message->streamed[0] = ended.output_bytes;
  if (ended.error_file >= 0) message->streamed[1] = ended.error_bytes;
  say_result(worker, message, told->is_held);
  return status;
}

enum ls_status ls_worker_tell(struct ls_worker *worker, const struct ls_side_result *result,
                              const struct ls_execution *execution, struct ls_error *err) {
  struct ls_message message = {.kind = LS_MESSAGE_RESULT,
                               .chunk = result->chunk,
                               .range = result->units,
                               .outcome = (uint8_t)result->outcome,
                               .compute_s = result->seconds,
                               .squares = result->squares,
                               .latest_count = result->times_count};
  if (result->times_count > 0) message.latest = worker->actions.times + result->first_time;
  if (result->outcome != LS_OUTCOME_CANCELLED) {
    message.receive_s = worker->receive_s;
    message.read_s = worker->read_s;
    worker->receive_s = worker->read_s = 0;
  }
  bool is_ended = execution != NULL && execution->units.first == result->units.first &&
                  execution->units.count == result->units.count &&
                  (result->outcome != LS_OUTCOME_DONE || ls_worker_has_output(worker, execution));
  if (is_ended) return tell_execution(worker, &message, result, execution, err);
  say_result(worker, &message, result->is_held);
  return LS_OK;
}

void ls_worker_close_results(struct ls_worker *worker) {
  for (size_t i = 0; i < worker->kept_count; ++i) ls_bytes_close(&worker->kept[i].message);
  free(worker->kept);
  ls_bytes_close(&worker->outbox);
  free(worker->outbox_ends);
  free(worker->block);
}
