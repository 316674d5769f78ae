/* filter_master.c: what the master does, in the order in which it is called. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "matched_filter.h"

/* Where nobody has written a response. */
#define NOTHING INT64_MIN

enum ls_status matched_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  struct matched *state = context;
  size_t before = bytes->length;
  enum ls_status status = image_digest(&state->image, bytes, err);
  if (status == LS_OK && !bytes->failed) {
    state->image_digest =
        checksum_add(CHECKSUM_START, bytes->data + before, bytes->length - before);
  }
  return status;
}

void matched_write_header(const struct matched *state, char header[PLANE_HEADER_MAX]) {
  memset(header, '\n', PLANE_HEADER_MAX);
  int length = snprintf(header, PLANE_HEADER_MAX, "matched-filter %016" PRIx64 " %zux%zu %d %d",
                        state->image_digest, state->blocks.block_width, state->blocks.block_height,
                        (int)state->words.response, (int)state->words.edge);
  if (length < PLANE_HEADER_MAX) header[length] = '\n';
}

enum ls_status matched_open_responses(struct matched *state, struct ls_error *err) {
  int64_t nothing = NOTHING;
  if (state->responses.file >= 0) return LS_OK;
  char header[PLANE_HEADER_MAX];
  enum ls_status status = plane_make(&state->responses, err);
  matched_write_header(state, header);
  if (status == LS_OK) status = plane_claim(&state->responses, header, err);
  facts_turn_bytes(&nothing, 1);
  return status == LS_OK ? plane_extend(&state->responses, &nothing, err) : status;
}

/* ---- units ---- */

static enum ls_status check_output(const struct matched *state, struct ls_error *err) {
  if (state->words.output == NULL) return LS_OK;
  enum ls_status status = ls_whole_file_check(state->words.output, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "matched-filter: --output");
}

static enum ls_status begin(struct matched *state, struct ls_error *err) {
  enum ls_status status = check_output(state, err);
  if (status != LS_OK) return status;
  uint64_t units = blocks_count(&state->blocks);
  state->facts = calloc(units, sizeof *state->facts);
  if (state->facts != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for %" PRIu64 " units", units);
}

enum ls_status matched_units(void *context, uint32_t iteration, uint64_t *units,
                             struct ls_error *err) {
  struct matched *state = context;
  state->iteration = iteration;
  *units = 0;
  bool is_painted = state->words.is_written && state->words.output != NULL;
  enum ls_status status = iteration == 0 ? begin(state, err) : LS_OK;
  if (status != LS_OK) return status;
  if (iteration == 0 || (iteration == 1 && is_painted && state->failed == 0)) {
    *units = blocks_count(&state->blocks);
    return LS_OK;
  }
  return matched_conclude(state, err);
}

enum ls_status matched_pack(void *context, struct ls_range units, uint32_t slot,
                            struct ls_bytes *input, struct ls_error *err) {
  struct matched *state = context;
  (void)slot;
  if (state->iteration > 0) {
    struct facts whole = matched_join_facts(state);
    unsigned char bytes[FACTS_BYTES];
    facts_write(&whole, bytes);
    ls_bytes_append(input, bytes, sizeof bytes);
    return plane_make(&state->picture, err);
  }
  /* Before any worker writes; a disk that is full is known before the work. */
  enum ls_status status = matched_open_responses(state, err);
  if (status != LS_OK || !state->words.is_sent) return status;
  return matched_read(state, units, input, err);
}

/* ---- results ---- */

/* All bytes of an output; `room` owns them when they come out of a file. */
static enum ls_status get_output(const struct ls_output *output, struct ls_bytes *room,
                                 const char **data, struct ls_error *err) {
  char block[65536];
  *data = output->data;
  if (output->data != NULL || output->file < 0) return LS_OK;
  while (room->length < output->length) {
    ssize_t got = pread(output->file, block, sizeof block, (off_t)room->length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return ls_fail(err, LS_EIO, "matched-filter: a result cannot be read: %s",
                     got < 0 ? strerror(errno) : "it ends too early");
    }
    ls_bytes_append(room, block, (size_t)got);
  }
  *data = room->data;
  return room->failed ? ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for a result")
                      : LS_OK;
}

static bool has_all(const int64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (values[i] == NOTHING) return false;
  }
  return true;
}

/* A unit of an earlier session is in the file. When that has been lost, or was in memory, the unit
 * is computed here: nothing is lost but time. */
static enum ls_status find_again(struct matched *state, uint64_t unit, struct ls_error *err) {
  struct area area = blocks_area(&state->blocks, unit);
  size_t count = area.width * area.height;
  enum ls_status status = matched_open_responses(state, err);
  if (status == LS_OK) status = plane_read(&state->responses, area, state->values, err);
  if (status != LS_OK) return status;
  facts_turn_bytes(state->values, count);
  bool is_there = has_all(state->values, count);
  if (!is_there) status = matched_read_and_filter(state, unit, err);
  if (status != LS_OK) return status;
  state->facts[unit] = facts_find(state->values, area);
  facts_turn_bytes(state->values, count);
  return is_there ? LS_OK : plane_write(&state->responses, area, state->values, err);
}

/* A worker has written the unit before it told so, but perhaps in an earlier session. */
static enum ls_status keep_written(struct matched *state, uint64_t unit, struct ls_error *err) {
  struct area pixel = blocks_area(&state->blocks, unit);
  int64_t value = 0;
  pixel.width = pixel.height = 1;
  enum ls_status status = plane_read(&state->responses, pixel, &value, err);
  facts_turn_bytes(&value, 1);
  return status == LS_OK && value == NOTHING ? find_again(state, unit, err) : status;
}

/* What a unit's result has behind its facts. */
static size_t count_response_bytes(const struct matched *state, struct area area) {
  return state->words.is_written ? 0 : area.width * area.height * sizeof *state->values;
}

static enum ls_status merge_units(struct matched *state, struct ls_range units, struct ls_text data,
                                  struct ls_error *err) {
  size_t at = 0;
  enum ls_status status = matched_open_responses(state, err);
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++) {
    uint64_t unit = units.first + i;
    struct area area = blocks_area(&state->blocks, unit);
    size_t bytes = count_response_bytes(state, area);
    if (data.length - at < FACTS_BYTES + bytes) {
      return ls_fail(err, LS_ECORRUPT,
                     "matched-filter: the result of unit %" PRIu64 " is too short", unit + 1);
    }
    state->facts[unit] = facts_read((const unsigned char *)data.data + at);
    at += FACTS_BYTES;
    status = state->words.is_written ? keep_written(state, unit, err)
                                     : plane_write(&state->responses, area, data.data + at, err);
    at += bytes;
  }
  return status;
}

enum ls_status matched_merge(void *context, const struct ls_unit_result *result,
                             struct ls_error *err) {
  struct matched *state = context;
  if (result->outcome != LS_OUTCOME_DONE) {
    state->failed += result->units.count;
    return LS_OK;
  }
  if (result->iteration > 0) return LS_OK;
  struct ls_bytes room = {0};
  struct ls_text data = {NULL, result->output.length, "result"};
  enum ls_status status = get_output(&result->output, &room, &data.data, err);
  if (status == LS_OK) status = merge_units(state, result->units, data, err);
  ls_bytes_close(&room);
  bool is_synced = state->is_synced && !state->words.is_written;
  return status == LS_OK && is_synced ? plane_sync(&state->responses, err) : status;
}

enum ls_status matched_skip(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct matched *state = context;
  if (result->outcome != LS_OUTCOME_DONE) {
    state->failed += result->units.count;
    return LS_OK;
  }
  struct facts whole = {0};
  enum ls_status status = LS_OK;
  if (result->iteration > 0) {
    whole = matched_join_facts(state);
    status = plane_make(&state->picture, err);
  }
  for (uint64_t i = 0; i < result->units.count && status == LS_OK; i++) {
    uint64_t unit = result->units.first + i;
    status = result->iteration == 0 ? find_again(state, unit, err)
                                    : matched_paint(state, unit, &whole, err);
  }
  return status;
}
