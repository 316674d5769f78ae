/* worker_jobs.c: what a worker is told to do, and its doing. */
#include "runtime/worker_private.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "runtime/clock.h"

/* A unit that ends within this time is quick. */
enum { QUICK_NS = 200000 };

/* A free slot for the input of a chunk; NULL: no memory. */
static struct ls_payload *take_slot(struct ls_worker *worker) {
  while (worker->payload_free < worker->payloads_count) {
    struct ls_payload *payload = &worker->payloads[worker->payload_free];
    if (payload->units_left == 0) return payload;
    ++worker->payload_free;
  }
  void *payloads = worker->payloads;
  if (ls_array_reserve(&payloads, &worker->payloads_capacity, worker->payloads_count + 1,
                       sizeof *worker->payloads) != LS_OK) {
    return NULL;
  }
  worker->payloads = payloads;
  worker->payloads[worker->payloads_count] = (struct ls_payload){.units_left = 0};
  return &worker->payloads[worker->payloads_count++];
}

static void leave_slot(struct ls_worker *worker, uint64_t slot, uint64_t units) {
  struct ls_payload *payload = &worker->payloads[slot];
  payload->units_left -= units;
  if (payload->units_left == 0 && slot < worker->payload_free) worker->payload_free = (size_t)slot;
}

/* The input of several ranges is theirs one after the other; only commands can be told apart. */
static enum ls_status divide_input(struct ls_worker *worker, struct ls_payload *payload,
                                   struct ls_error *err) {
  if (payload->parts_count == 1 || payload->input.length == 0) return LS_OK;
  if (worker->kind != &ls_executor_command) {
    return ls_fail(err, LS_ECORRUPT, "a chunk has one input for %zu ranges, expected one range",
                   payload->parts_count);
  }
  size_t offset = 0;
  for (size_t i = 0; i < payload->parts_count; ++i) {
    payload->parts[i].offset = offset;
    for (uint64_t k = 0; k < payload->parts[i].units.count; ++k) {
      enum ls_status status = ls_command_decode(&worker->command, payload->input.data,
                                                payload->input.length, &offset, err);
      if (status != LS_OK) return status;
    }
  }
  return LS_OK;
}

static enum ls_status fill_slot(struct ls_worker *worker, struct ls_payload *payload,
                                const struct ls_message *chunk, struct ls_error *err) {
  void *parts = payload->parts;
  enum ls_status status = ls_array_reserve(&parts, &payload->parts_capacity, chunk->ranges_count,
                                           sizeof *payload->parts);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for a chunk");
  payload->parts = parts;
  payload->parts_count = chunk->ranges_count;
  payload->at = 0;
  for (size_t i = 0; i < chunk->ranges_count; ++i) {
    payload->parts[i] = (struct ls_part){.units = chunk->ranges[i]};
  }
  ls_bytes_clear(&payload->input);
  if (chunk->input.length > 0) {
    ls_bytes_append(&payload->input, chunk->input.data, chunk->input.length);
  }
  if (payload->input.failed) return ls_fail(err, LS_ENOMEM, "out of memory for a chunk");
  return divide_input(worker, payload, err);
}

static enum ls_status on_chunk(struct ls_worker *worker, const struct ls_message *chunk,
                               struct ls_error *err) {
  double start_s = ls_clock_s();
  struct ls_payload *payload = take_slot(worker);
  if (payload == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a chunk");
  if (worker->side.is_asking) worker->answer_s = fmax(0, start_s - worker->asked_s);
  enum ls_status status = fill_slot(worker, payload, chunk, err);
  for (size_t i = 0; i < chunk->ranges_count && status == LS_OK; ++i) {
    struct ls_job job = {.chunk = chunk->chunk,
                         .units = chunk->ranges[i],
                         .payload = (uint64_t)(payload - worker->payloads)};
    payload->units_left += job.units.count;
    status = ls_worker_side_arrive(&worker->side, &job);
    if (status != LS_OK) (void)ls_fail(err, status, "out of memory for a chunk");
  }
  payload->receive_s = ls_clock_s() - start_s;
  return status;
}

/* What waits of a chunk goes back. */
static void give_back(struct ls_worker *worker, uint64_t chunk) {
  const struct ls_job *job;
  for (size_t i = 0; (job = ls_worker_side_peek(&worker->side, i)) != NULL; ++i) {
    if (job->chunk != chunk) continue;
    ls_worker_record_cancelled(worker, chunk, job->units);
    leave_slot(worker, job->payload, job->units.count);
  }
  (void)ls_worker_side_cancel(&worker->side, chunk, NULL, NULL);
}

/* What runs is stopped, and says so when it has ended. */
static void on_cancel(struct ls_worker *worker, uint64_t chunk) {
  give_back(worker, chunk);
  if (worker->side.is_running && worker->running.chunk == chunk) {
    worker->kind->cancel(worker->executor);
  }
}

static void on_recall(struct ls_worker *worker) {
  const struct ls_job *job;
  while ((job = ls_worker_side_peek(&worker->side, 0)) != NULL) give_back(worker, job->chunk);
}

enum ls_status ls_worker_on_message(struct ls_worker *worker, const struct ls_message *message,
                                    struct ls_error *err) {
  switch (message->kind) {
    case LS_MESSAGE_CHUNK:
      /* Who leaves takes nothing more: the master takes it back on BYE. */
      return worker->is_leaving ? LS_OK : on_chunk(worker, message, err);
    case LS_MESSAGE_CANCEL:
      on_cancel(worker, message->chunk);
      return LS_OK;
    case LS_MESSAGE_RECALL:
      on_recall(worker);
      return LS_OK;
    case LS_MESSAGE_PREFETCH:
      worker->side.prefetch = message->units;
      return LS_OK;
    case LS_MESSAGE_RELEASE:
      worker->is_released = true;
      worker->side.is_released = true;
      return LS_OK;
    case LS_MESSAGE_PULSE: /* that it was heard is all it says */
    case LS_MESSAGE_FETCH: /* no result is ever held back, so there is none to fetch */
      return LS_OK;
    default:
      return ls_fail(err, LS_ECORRUPT, "the master says %s, which no master says to its worker",
                     ls_message_name(message->kind));
  }
}

/* What the executor needs to know of a job; parts run in order, `*at` moves on to the job's. */
static struct ls_upcoming describe_job(const struct ls_payload *payload, const struct ls_job *job,
                                       size_t *at) {
  const struct ls_part *part = &payload->parts[*at];
  while (job->units.first - part->units.first >= part->units.count) {
    part = &payload->parts[++*at];
  }
  const char *input = payload->input.data;
  if (input != NULL) input += part->offset;
  return (struct ls_upcoming){.chunk = job->chunk,
                              .units = job->units,
                              .packed = part->units,
                              .input = input,
                              .length = payload->input.length - part->offset};
}

/* Units that one call may compute. */
static uint64_t get_units_max(const struct ls_worker *worker) {
  return worker->settings.has_copies ? 1 : worker->kind->units_max(worker->executor);
}

/* Only what runs whole can be announced: a part depends on how long the calls before it last. */
static void announce_next(struct ls_worker *worker) {
  const struct ls_executor_kind *kind = worker->kind;
  size_t room = 0, count = 0;
  if (kind->announce == NULL) return;
  size_t index = kind->announced(worker->executor, &room);
  if (room == 0) return;
  uint64_t units_max = get_units_max(worker);
  struct ls_upcoming upcoming[LS_EXECUTOR_AHEAD_MAX];
  const struct ls_job *job;
  while (count < room && (job = ls_worker_side_peek(&worker->side, index)) != NULL) {
    if (job->units.count > units_max) break;
    const struct ls_payload *payload = &worker->payloads[job->payload];
    size_t at = payload->at;
    upcoming[count++] = describe_job(payload, job, &at);
    ++index;
  }
  kind->announce(worker->executor, upcoming, count);
}

static enum ls_status start_next(struct ls_worker *worker, struct ls_error *err) {
  struct ls_job job;
  if (worker->is_leaving || worker->is_released) return LS_OK;
  uint64_t units_max = get_units_max(worker);
  if (!ls_worker_side_take(&worker->side, units_max, &job)) return LS_OK;
  struct ls_payload *payload = &worker->payloads[job.payload];
  struct ls_upcoming next = describe_job(payload, &job, &payload->at);
  worker->running = job;
  enum ls_status status = worker->kind->start(worker->executor, &next, err);
  if (status == LS_OK) announce_next(worker);
  return status;
}

static enum ls_status end_running(struct ls_worker *worker, const struct ls_execution *execution,
                                  struct ls_error *err) {
  struct ls_payload *payload = &worker->payloads[worker->running.payload];
  enum ls_status status = ls_worker_record(worker, execution, payload->receive_s, err);
  if (status != LS_OK) return status;
  payload->receive_s = 0;
  leave_slot(worker, worker->running.payload, worker->running.units.count);
  ls_worker_side_end(&worker->side);
  return LS_OK;
}

/* Units that last microseconds would be buried under a look at the network after each: what was
 * just started is awaited here when the one before it was quick. */
static bool is_ended_soon(const struct ls_worker *worker) {
  if (!(worker->kind->patience_s(worker->executor) > 0)) return true;
  struct pollfd look = {.fd = worker->kind->file(worker->executor), .events = POLLIN};
  const struct timespec moment = {.tv_nsec = QUICK_NS};
  return look.fd >= 0 && ppoll(&look, 1, &moment, NULL) > 0;
}

enum ls_status ls_worker_advance(struct ls_worker *worker, struct ls_error *err) {
  struct ls_execution execution;
  double until_s = ls_clock_s() + LS_WORKER_HOLD_S / 2;
  bool is_quick;
  do {
    is_quick = false;
    if (worker->side.is_running) {
      if (!worker->kind->finished(worker->executor, &execution)) return LS_OK;
      is_quick = execution.compute_s < 1e-9 * QUICK_NS;
      enum ls_status status = end_running(worker, &execution, err);
      if (status != LS_OK) return status;
    }
    enum ls_status status = start_next(worker, err);
    if (status != LS_OK || !worker->side.is_running) return status;
  } while (is_quick && ls_clock_s() < until_s && is_ended_soon(worker));
  return LS_OK;
}

/* While more than half of a long queue still waits, room is gathered for one larger request. */
static bool may_wait(const struct ls_worker *worker) {
  const struct ls_worker_side *side = &worker->side;
  return 2 * side->units_waiting > side->prefetch &&
         ls_clock_s() < worker->asked_s + LS_WORKER_HOLD_S;
}

enum ls_status ls_worker_ask(struct ls_worker *worker, struct ls_error *err) {
  if (worker->is_leaving || worker->is_released || may_wait(worker)) return LS_OK;
  uint64_t units = ls_worker_side_ask(&worker->side, true);
  if (units == 0) return LS_OK;
  /* The policy hears of what was finished before it decides. */
  ls_worker_release_merged(worker, true);
  struct ls_message request = {
      .kind = LS_MESSAGE_REQUEST, .units = units, .answer_s = worker->answer_s};
  worker->answer_s = 0;
  ls_worker_post(worker, &request);
  worker->asked_s = ls_clock_s();
  return ls_worker_flush(worker, err);
}

void ls_worker_close_jobs(struct ls_worker *worker) {
  for (size_t i = 0; i < worker->payloads_count; ++i) {
    ls_bytes_close(&worker->payloads[i].input);
    free(worker->payloads[i].parts);
  }
  free(worker->payloads);
  ls_command_close(&worker->command);
}
