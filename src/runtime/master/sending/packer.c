/* packer.c: ranges are put together, or halved, until they fit into a message. */
#include "runtime/master/sending/packer.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/running.h"
#include "protocol/message.h"

enum { INPUT_BYTES_MAX = 32 << 20, RANGES_MAX = 1 << 20 };

void ls_packer_init(struct ls_packer *packer, const struct ls_app *app, void *state,
                    struct ls_port *port) {
  *packer = (struct ls_packer){
      .app = app, .state = state, .port = port, .unit_bytes_max = LS_PORT_INPUT_MAX};
}

static enum ls_status fail_memory(const struct ls_packer_chunk *chunk, struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "out of memory for the input of chunk %llu",
                 (unsigned long long)chunk->chunk);
}

static enum ls_status pack_ranges(struct ls_packer *packer, const struct ls_packer_chunk *chunk,
                                  struct ls_error *err) {
  ls_bytes_clear(&packer->input);
  for (size_t i = 0; i < chunk->ranges_count && packer->app->pack != NULL; ++i) {
    enum ls_status status =
        packer->app->pack(packer->state, chunk->ranges[i], chunk->slot, &packer->input, err);
    if (status != LS_OK) return status;
  }
  return packer->input.failed ? fail_memory(chunk, err) : LS_OK;
}

/* What travels by itself is announced by its chunk. */
static enum ls_status add_transfer(const struct ls_packer *packer,
                                   const struct ls_packer_chunk *chunk, struct ls_message *message,
                                   struct ls_error *err) {
  struct ls_transfer transfer = {.to = chunk->to,
                                 .worker = chunk->worker,
                                 .is_paced = chunk->is_far,
                                 .chunk = chunk->chunk,
                                 .input = malloc(packer->input.length),
                                 .length = packer->input.length};
  for (size_t i = 0; i < chunk->ranges_count; ++i) transfer.units += chunk->ranges[i].count;
  if (transfer.input == NULL) return fail_memory(chunk, err);
  memcpy(transfer.input, packer->input.data, packer->input.length);
  message->transfer = ls_port_add(packer->port, &transfer);
  message->total = transfer.length;
  message->input = (struct ls_blob){NULL, 0};
  return message->transfer > 0 ? LS_OK : fail_memory(chunk, err);
}

static enum ls_status post_ranges(const struct ls_packer *packer,
                                  const struct ls_packer_chunk *chunk, struct ls_outbox *outbox,
                                  struct ls_error *err) {
  struct ls_message message = {.kind = LS_MESSAGE_CHUNK,
                               .chunk = chunk->chunk,
                               .iteration = chunk->iteration,
                               .attempts_before = chunk->attempts_before,
                               .ranges = chunk->ranges,
                               .ranges_count = chunk->ranges_count,
                               .is_held = chunk->is_held,
                               .input = {packer->input.data, packer->input.length}};
  size_t most = chunk->is_far ? LS_PORT_INLINE_MAX : INPUT_BYTES_MAX;
  enum ls_status status = LS_OK;
  if (packer->input.length > most) status = add_transfer(packer, chunk, &message, err);
  if (status == LS_OK) ls_outbox_post(outbox, chunk->to, &message);
  return status;
}

static enum ls_status fail_large(const struct ls_packer *packer, uint64_t unit,
                                 struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "unit %llu: its input has %zu bytes, at most %zu can be sent",
                 (unsigned long long)unit + 1, packer->input.length, packer->unit_bytes_max);
}

/* One unit is not divided, however large its input. */
static size_t most_bytes(const struct ls_packer *packer, const struct ls_packer_chunk *part) {
  bool is_one = part->ranges_count == 1 && part->ranges->count == 1;
  return is_one ? packer->unit_bytes_max : (size_t)INPUT_BYTES_MAX;
}

/* Ranges of the chunk in one message or, where that would be too large, in halves: no one would
 * notice a frame that cannot be sent, and its units would be waited for. */
static enum ls_status post_part(struct ls_packer *packer, const struct ls_packer_chunk *part,
                                struct ls_outbox *outbox, struct ls_error *err) {
  if (part->ranges_count <= RANGES_MAX) {
    enum ls_status status = pack_ranges(packer, part, err);
    if (status != LS_OK) return status;
    if (packer->input.length <= most_bytes(packer, part))
      return post_ranges(packer, part, outbox, err);
  }
  struct ls_packer_chunk low = *part, high = *part;
  struct ls_range low_range, high_range;
  if (part->ranges_count > 1) {
    low.ranges_count = part->ranges_count / 2;
    high.ranges += low.ranges_count;
    high.ranges_count -= low.ranges_count;
  } else if (part->ranges->count > 1) {
    low_range = (struct ls_range){part->ranges->first, part->ranges->count / 2};
    high_range =
        (struct ls_range){low_range.first + low_range.count, part->ranges->count - low_range.count};
    low.ranges = &low_range;
    high.ranges = &high_range;
  } else {
    return fail_large(packer, part->ranges->first, err);
  }
  enum ls_status status = post_part(packer, &low, outbox, err);
  return status == LS_OK ? post_part(packer, &high, outbox, err) : status;
}

/* The first units of the range that are of one attempt; a command of several is of that of its
 * first. */
static struct ls_packer_chunk take_alike(const struct ls_packer *packer,
                                         const struct ls_packer_chunk *chunk,
                                         struct ls_range *range) {
  struct ls_packer_chunk part = *chunk;
  uint64_t attempt = 1;
  uint64_t count = ls_coordinator_attempt(chunk->coordinator, *range, &attempt);
  part.attempts_before = attempt - 1;
  if (packer->app->bundling == NULL) range->count = count;
  part.ranges = range;
  part.ranges_count = 1;
  return part;
}

static bool is_alike(const struct ls_packer *packer, const struct ls_packer_chunk *chunk,
                     uint64_t *before) {
  for (size_t i = 0; i < chunk->ranges_count; ++i) {
    struct ls_range range = chunk->ranges[i];
    struct ls_packer_chunk part = take_alike(packer, chunk, &range);
    if (i == 0) *before = part.attempts_before;
    if (range.count < chunk->ranges[i].count || part.attempts_before != *before) return false;
  }
  return true;
}

/* One message tells one attempt. */
static enum ls_status post_commands(struct ls_packer *packer, const struct ls_packer_chunk *chunk,
                                    struct ls_outbox *outbox, struct ls_error *err) {
  struct ls_packer_chunk whole = *chunk;
  if (is_alike(packer, chunk, &whole.attempts_before))
    return post_part(packer, &whole, outbox, err);
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < chunk->ranges_count; ++i) {
    uint64_t end = chunk->ranges[i].first + chunk->ranges[i].count;
    struct ls_range range = chunk->ranges[i];
    while (range.first < end && status == LS_OK) {
      range.count = end - range.first;
      struct ls_packer_chunk part = take_alike(packer, chunk, &range);
      status = post_part(packer, &part, outbox, err);
      range.first += range.count;
    }
  }
  return status;
}

/* The input of several ranges can be told apart only for commands: a computing application that
 * packs gets a message for each range of the chunk. */
enum ls_status ls_packer_post(struct ls_packer *packer, const struct ls_packer_chunk *chunk,
                              struct ls_outbox *outbox, struct ls_error *err) {
  bool knows_attempts = packer->app->runs_commands && chunk->coordinator != NULL;
  if (knows_attempts) return post_commands(packer, chunk, outbox, err);
  bool is_divided = packer->app->pack != NULL && !packer->app->runs_commands;
  if (!is_divided) return post_part(packer, chunk, outbox, err);
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < chunk->ranges_count && status == LS_OK; ++i) {
    struct ls_packer_chunk part = *chunk;
    part.ranges = &chunk->ranges[i];
    part.ranges_count = 1;
    status = post_part(packer, &part, outbox, err);
  }
  return status;
}

void ls_packer_close(struct ls_packer *packer) {
  ls_bytes_close(&packer->input);
  *packer = (struct ls_packer){0};
}
