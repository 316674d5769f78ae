/* thinning_master.c: what the master of a picture does, in the order in which it is called. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "thinning.h"

/* What a unit may have as its input (docs/guide/applications.md). */
static const uint64_t input_bytes_max = 32 << 20;

/* ---- the picture ---- */

static enum ls_status check_parts(const struct thinning *state, struct ls_error *err) {
  size_t most = 0;
  for (uint64_t part = 0; part < thinning_parts(state); part++) {
    size_t count = thinning_halo(state, (struct ls_range){part, 1}).count;
    if (count > most) most = count;
  }
  uint64_t bytes = (uint64_t)most * state->after.row_bytes;
  if (bytes <= input_bytes_max) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "thinning: --parts is %" PRIu64 ": %zu rows of %zu pixels, %" PRIu64
                 " bytes, would be sent, expected at most %" PRIu64,
                 state->words.parts, most, state->width, bytes, input_bytes_max);
}

static enum ls_status make_room(struct thinning *state, struct ls_error *err) {
  const struct picture *picture = &state->after;
  state->before = *picture;
  state->before.rows = calloc(picture->height, picture->row_bytes);
  state->is_changed = calloc(picture->height, sizeof *state->is_changed);
  state->is_live = calloc(thinning_parts(state), sizeof *state->is_live);
  if (state->before.rows != NULL && state->is_changed != NULL && state->is_live != NULL) {
    return LS_OK;
  }
  return ls_fail(err, LS_ENOMEM, "thinning: out of memory for %zu x %zu pixels", picture->width,
                 picture->height);
}

/* A number that changes with the picture. */
static uint64_t digest_picture(const struct picture *picture) {
  return checksum_add(CHECKSUM_START ^ picture->width, picture->rows,
                      picture->row_bytes * picture->height);
}

/* The first that is called, and at the master only: workers need no picture. */
enum ls_status thinning_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  struct thinning *state = context;
  const struct thinning_words *words = &state->words;
  if (words->output != NULL && ls_whole_file_is_same(words->image, words->output)) {
    return ls_fail(err, LS_EINVAL, "thinning: --image '%s' and --output '%s' are one file",
                   words->image, words->output);
  }
  enum ls_status status = picture_read(words->image, words->threshold, &state->after, err);
  if (status != LS_OK) return status;
  state->width = state->after.width;
  state->height = state->after.height;
  state->pixels_in = picture_count(&state->after);
  status = check_parts(state, err);
  if (status == LS_OK) status = make_room(state, err);
  if (status == LS_OK && words->output != NULL) {
    status = ls_whole_file_check(words->output, err);
    if (status != LS_OK) (void)ls_fail_while(err, status, "thinning: --output");
  }
  uint64_t digest = digest_picture(&state->after);
  ls_bytes_append(bytes, &digest, sizeof digest);
  return status;
}

/* ---- iterations ---- */

static bool has_changed(const struct thinning *state, struct rows rows) {
  return memchr(state->is_changed + rows.first, true, rows.count) != NULL;
}

/* A part of whose pixels and of whose halo's none has gone would lose none now. */
static bool is_live(const struct thinning *state, uint64_t part) {
  struct ls_range alone = {part, 1};
  return has_changed(
      state, state->words.is_own ? thinning_rows(state, alone) : thinning_halo(state, alone));
}

static void find_live(struct thinning *state, uint32_t iteration) {
  uint64_t live = 0;
  for (uint64_t part = 0; part < thinning_parts(state); part++) {
    state->is_live[part] = iteration == 0 || is_live(state, part);
    live += state->is_live[part];
  }
  state->tasks += live;
  if (iteration < LIVE_MAX) state->live[iteration] = live;
}

/* What came after the last iteration is what comes before this one. */
static void turn(struct thinning *state) {
  memcpy(state->before.rows, state->after.rows, state->after.row_bytes * state->height);
  memset(state->is_changed, false, state->height * sizeof *state->is_changed);
}

enum ls_status thinning_units(void *context, uint32_t iteration, uint64_t *units,
                              struct ls_error *err) {
  struct thinning *state = context;
  *units = 0;
  if (iteration > 0 && !has_changed(state, (struct rows){0, state->height})) {
    return thinning_conclude(state, iteration, err);
  }
  find_live(state, iteration);
  turn(state);
  *units = thinning_parts(state);
  return LS_OK;
}

enum ls_status thinning_idle(void *context, uint32_t iteration, struct ls_ranges *units,
                             struct ls_error *err) {
  const struct thinning *state = context;
  (void)iteration, (void)err;
  for (uint64_t part = 0; part < thinning_parts(state); part++) {
    if (!state->is_live[part]) ls_ranges_add(units, (struct ls_range){part, 1});
  }
  return LS_OK;
}

enum ls_status thinning_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                  struct ls_error *err) {
  const struct thinning *state = context;
  (void)iteration, (void)err;
  thinning_append_number(bytes, state->width);
  thinning_append_number(bytes, state->height);
  return LS_OK;
}

enum ls_status thinning_pack(void *context, struct ls_range units, uint32_t slot,
                             struct ls_bytes *input, struct ls_error *err) {
  const struct thinning *state = context;
  size_t length = state->before.row_bytes;
  struct rows rows = thinning_halo(state, units);
  (void)slot, (void)err;
  ls_bytes_append(input, state->before.rows + rows.first * length, rows.count * length);
  return LS_OK;
}

/* ---- results ---- */

/* All bytes of an output; `room` owns them when they come out of a file. */
static enum ls_status get_output(const struct ls_output *output, struct ls_bytes *room,
                                 const char **data, struct ls_error *err) {
  char block[65536];
  *data = output->data;
  if (output->data != NULL || output->length == 0) return LS_OK;
  while (room->length < output->length) {
    ssize_t got = pread(output->file, block, sizeof block, (off_t)room->length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return ls_fail(err, LS_EIO, "thinning: a result cannot be read: %s",
                     got < 0 ? strerror(errno) : "it ends too early");
    }
    ls_bytes_append(room, block, (size_t)got);
  }
  *data = room->data;
  return room->failed ? ls_fail(err, LS_ENOMEM, "thinning: out of memory for a result") : LS_OK;
}

static void merge_rows(struct thinning *state, struct rows rows, const char *data) {
  size_t length = state->after.row_bytes;
  for (size_t i = 0; i < rows.count; i++, data += length) {
    unsigned char *row = state->after.rows + (rows.first + i) * length;
    state->is_changed[rows.first + i] = memcmp(row, data, length) != 0;
    memcpy(row, data, length);
  }
}

/* Parts that have changed, each behind its number among the units. */
static enum ls_status merge_parts(struct thinning *state, struct ls_range units, const char *data,
                                  size_t left, struct ls_error *err) {
  while (left > 0) {
    size_t number = left < NUMBER_BYTES ? SIZE_MAX : thinning_read_number(data);
    struct rows rows = {0};
    if (number < units.count) {
      rows = thinning_rows(state, (struct ls_range){units.first + number, 1});
    }
    size_t bytes = NUMBER_BYTES + rows.count * state->after.row_bytes;
    if (rows.count == 0 || left < bytes) {
      return ls_fail(err, LS_ECORRUPT,
                     "thinning: parts %" PRIu64 "+%" PRIu64 " have an answer that is not theirs",
                     units.first, units.count);
    }
    merge_rows(state, rows, data + NUMBER_BYTES);
    data += bytes;
    left -= bytes;
  }
  return LS_OK;
}

enum ls_status thinning_merge(void *context, const struct ls_unit_result *result,
                              struct ls_error *err) {
  struct ls_range units = result->units;
  struct ls_bytes room = {0};
  const char *data = NULL;
  if (result->outcome != LS_OUTCOME_DONE) {
    return ls_fail(err, LS_EIO, "thinning: parts %" PRIu64 "+%" PRIu64 " have no answer",
                   units.first, units.count);
  }
  enum ls_status status = get_output(&result->output, &room, &data, err);
  if (status == LS_OK) status = merge_parts(context, units, data, result->output.length, err);
  ls_bytes_close(&room);
  return status;
}

/* ---- checkpoints ---- */

/* What the next iteration begins with. */
enum ls_status thinning_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct thinning *state = context;
  (void)err;
  ls_bytes_append(bytes, &state->tasks, sizeof state->tasks);
  ls_bytes_append(bytes, state->live, sizeof state->live);
  ls_bytes_append(bytes, state->is_changed, state->height * sizeof *state->is_changed);
  ls_bytes_append(bytes, state->after.rows, state->after.row_bytes * state->height);
  return LS_OK;
}

static void take(void *to, size_t length, const char **from) {
  memcpy(to, *from, length);
  *from += length;
}

enum ls_status thinning_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err) {
  struct thinning *state = context;
  size_t changed = state->height * sizeof *state->is_changed;
  size_t picture = state->after.row_bytes * state->height;
  size_t expected = sizeof state->tasks + sizeof state->live + changed + picture;
  (void)iteration;
  if (bytes->length != expected) {
    return ls_fail(err, LS_ECORRUPT, "thinning: a checkpoint of %zu bytes, expected %zu",
                   bytes->length, expected);
  }
  const char *from = bytes->data;
  take(&state->tasks, sizeof state->tasks, &from);
  take(state->live, sizeof state->live, &from);
  take(state->is_changed, changed, &from);
  take(state->after.rows, picture, &from);
  return LS_OK;
}
