#include "runtime/worker/payloads.h"

#include <stdlib.h>

#include "base/array.h"

static bool is_here(const struct ls_payload *payload) {
  return payload->input.length == payload->length;
}

/* A free place; NULL: no memory. */
static struct ls_payload *find_free(struct ls_payloads *payloads) {
  while (payloads->free < payloads->count) {
    struct ls_payload *payload = &payloads->items[payloads->free];
    if (payload->units_left == 0) return payload;
    ++payloads->free;
  }
  if (ls_array_reserve((void **)&payloads->items, &payloads->capacity, payloads->count + 1,
                       sizeof *payloads->items) != LS_OK) {
    return NULL;
  }
  payloads->items[payloads->count] = (struct ls_payload){.units_left = 0};
  return &payloads->items[payloads->count++];
}

/* Moves behind the input of a range. */
static enum ls_status pass_range(struct ls_payloads *payloads, const struct ls_payload *payload,
                                 uint64_t units, size_t *offset, struct ls_error *err) {
  const struct ls_bytes *input = &payload->input;
  if (payload->form == LS_PAYLOAD_BUNDLES)
    return ls_bundle_decode(&payloads->bundle, input->data, input->length, offset, err);
  enum ls_status status = LS_OK;
  for (uint64_t i = 0; i < units && status == LS_OK; ++i)
    status = ls_command_decode(&payloads->command, input->data, input->length, offset, err);
  return status;
}

/* Each range of commands begins where the one before it ends. */
static enum ls_status divide_input(struct ls_payloads *payloads, struct ls_payload *payload,
                                   struct ls_error *err) {
  if (payload->parts_count == 1 || payload->input.length == 0) return LS_OK;
  if (payload->form == LS_PAYLOAD_WHOLE) {
    return ls_fail(err, LS_ECORRUPT, "a chunk has one input for %zu ranges, expected one range",
                   payload->parts_count);
  }
  size_t offset = 0;
  for (size_t i = 0; i < payload->parts_count; ++i) {
    payload->parts[i].offset = offset;
    enum ls_status status =
        pass_range(payloads, payload, payload->parts[i].units.count, &offset, err);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}

static enum ls_status copy_parts(struct ls_payload *payload, const struct ls_message *chunk,
                                 struct ls_error *err) {
  enum ls_status status = ls_array_reserve((void **)&payload->parts, &payload->parts_capacity,
                                           chunk->ranges_count, sizeof *payload->parts);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for a chunk");
  payload->parts_count = chunk->ranges_count;
  for (size_t i = 0; i < chunk->ranges_count; ++i) {
    payload->parts[i] = (struct ls_part){.units = chunk->ranges[i]};
  }
  ls_bytes_clear(&payload->input);
  payload->transfer = chunk->transfer;
  payload->length = chunk->transfer > 0 ? (size_t)chunk->total : chunk->input.length;
  if (chunk->input.length > 0) {
    ls_bytes_append(&payload->input, chunk->input.data, chunk->input.length);
  }
  return payload->input.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a chunk") : LS_OK;
}

enum ls_status ls_payloads_add(struct ls_payloads *payloads, const struct ls_message *chunk,
                               enum ls_payload_form form, uint64_t *index, struct ls_error *err) {
  struct ls_payload *payload = find_free(payloads);
  if (payload == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a chunk");
  enum ls_status status = copy_parts(payload, chunk, err);
  payload->form = form;
  if (status == LS_OK && chunk->transfer == 0) status = divide_input(payloads, payload, err);
  if (status != LS_OK) return status;
  payload->at = 0;
  payload->receive_s = 0;
  payload->chunk = chunk->chunk;
  payload->iteration = chunk->iteration;
  payload->attempts_before = chunk->attempts_before;
  for (size_t i = 0; i < chunk->ranges_count; ++i) payload->units_left += chunk->ranges[i].count;
  payloads->awaited += !is_here(payload);
  *index = (uint64_t)(payload - payloads->items);
  return LS_OK;
}

bool ls_payloads_is_here(const struct ls_payloads *payloads, uint64_t index) {
  return is_here(&payloads->items[index]);
}

uint64_t ls_payloads_awaited(const struct ls_payloads *payloads) {
  for (size_t i = 0; i < payloads->count && payloads->awaited > 0; ++i) {
    const struct ls_payload *payload = &payloads->items[i];
    if (payload->units_left > 0 && !is_here(payload)) return payload->chunk;
  }
  return LS_CHUNK_NONE;
}

static size_t find_transfer(const struct ls_payloads *payloads, uint64_t transfer) {
  for (size_t i = 0; i < payloads->count; ++i) {
    if (payloads->items[i].units_left > 0 && payloads->items[i].transfer == transfer) return i;
  }
  return SIZE_MAX;
}

enum ls_status ls_payloads_arrive(struct ls_payloads *payloads, const struct ls_message *piece,
                                  size_t *index, struct ls_error *err) {
  *index = find_transfer(payloads, piece->transfer);
  if (*index == SIZE_MAX) return LS_OK;
  struct ls_payload *payload = &payloads->items[*index];
  if (piece->offset != payload->input.length ||
      piece->input.length > payload->length - payload->input.length)
    return ls_fail(err, LS_ECORRUPT, "the input of chunk %llu goes on at byte %llu, expected %zu",
                   (unsigned long long)payload->chunk, (unsigned long long)piece->offset,
                   payload->input.length);
  ls_bytes_append(&payload->input, piece->input.data, piece->input.length);
  if (payload->input.failed) return ls_fail(err, LS_ENOMEM, "out of memory for a chunk");
  if (!is_here(payload)) return LS_OK;
  --payloads->awaited;
  return divide_input(payloads, payload, err);
}

void ls_payloads_leave(struct ls_payloads *payloads, uint64_t index, uint64_t units) {
  struct ls_payload *payload = &payloads->items[index];
  payload->units_left -= units;
  if (payload->units_left > 0) return;
  if (index < payloads->free) payloads->free = (size_t)index;
  payloads->awaited -= !is_here(payload);
}

struct ls_work ls_payloads_work(const struct ls_payloads *payloads, const struct ls_job *job,
                                uint32_t slot, size_t *at) {
  const struct ls_payload *payload = &payloads->items[job->payload];
  const struct ls_part *part = &payload->parts[*at];
  while (job->units.first - part->units.first >= part->units.count) {
    part = &payload->parts[++*at];
  }
  const char *input = payload->input.data;
  if (input != NULL) input += part->offset;
  return (struct ls_work){.iteration = payload->iteration,
                          .attempts_before = payload->attempts_before,
                          .slot = slot,
                          .units = job->units,
                          .packed = part->units,
                          .input = input,
                          .length = payload->input.length - part->offset};
}

void ls_payloads_forget(struct ls_payloads *payloads) {
  for (size_t i = 0; i < payloads->count; ++i) payloads->items[i].units_left = 0;
  payloads->free = payloads->awaited = 0;
}

void ls_payloads_close(struct ls_payloads *payloads) {
  for (size_t i = 0; i < payloads->count; ++i) {
    ls_bytes_close(&payloads->items[i].input);
    free(payloads->items[i].parts);
  }
  free(payloads->items);
  ls_command_close(&payloads->command);
  ls_bundle_close(&payloads->bundle);
  *payloads = (struct ls_payloads){0};
}
