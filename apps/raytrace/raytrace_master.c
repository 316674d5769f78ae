/* raytrace_master.c: what the master of an animation does, in the order in which it is called. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raytrace.h"
#include "scene.h"

/* What a call may have as its output (docs/guide/applications.md), and what a frame may be. */
static const uint64_t output_bytes_max = 64 << 20, frame_bytes_max = INT32_MAX;

static uint64_t count_bytes(const struct raytrace_words *words, struct rows rows) {
  return (uint64_t)rows.count * words->size.width * PIXEL_BYTES;
}

void raytrace_sync(void *context) {
  struct raytrace *state = context;
  state->is_synced = true;
}

/* ---- before the first frame ---- */

static enum ls_status check_strips(const struct raytrace_words *words, struct ls_error *err) {
  uint64_t most = 0;
  for (uint64_t strip = 0; strip < raytrace_strips(words); strip++) {
    uint64_t bytes = count_bytes(words, raytrace_rows(words, (struct ls_range){strip, 1}));
    if (bytes > most) most = bytes;
  }
  if (count_bytes(words, (struct rows){0, words->size.height}) > frame_bytes_max) {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: --size is %zux%zu, expected frames of at most %" PRIu64 " bytes",
                   words->size.width, words->size.height, frame_bytes_max);
  }
  if (most <= output_bytes_max) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "raytrace: --strips is %" PRIu64 ": a strip of %" PRIu64
                 " bytes, expected at most %" PRIu64,
                 words->strips, most, output_bytes_max);
}

/* The first that is called, and at the master only. */
enum ls_status raytrace_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  struct raytrace *state = context;
  const struct raytrace_words *words = &state->words;
  char *path = NULL;
  enum ls_status status = check_strips(words, err);
  if (status == LS_OK) status = frames_check_place(words, err);
  if (status == LS_OK) status = scene_digest(words->scene, &words->options, &state->digest, err);
  if (status != LS_OK) return status;
  ls_bytes_append(bytes, &state->digest, sizeof state->digest);
  status = povray_find(words->povray, &path, err);
  free(path);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "raytrace: --povray");
}

/* ---- frames ---- */

/* Every byte of it is written by a merge. */
static enum ls_status make_room(struct raytrace *state, struct ls_error *err) {
  static const char row[4096];
  uint64_t left = count_bytes(&state->words, (struct rows){0, state->words.size.height});
  ls_bytes_clear(&state->pixels);
  for (uint64_t step = 0; left > 0; left -= step) {
    step = left < sizeof row ? left : sizeof row;
    ls_bytes_append(&state->pixels, row, (size_t)step);
  }
  if (!state->pixels.failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "raytrace: out of memory for %zu x %zu pixels",
                 state->words.size.width, state->words.size.height);
}

static enum ls_status conclude(const struct raytrace *state, struct ls_error *err) {
  const struct raytrace_words *words = &state->words;
  struct ls_bytes text = {0};
  enum ls_status status = words->is_checked ? frames_check(words, err) : LS_OK;
  if (status != LS_OK) return status;
  ls_bytes_printf(
      &text, "%" PRIu64 " frame%s of %zu x %zu pixels in %" PRIu64 " strips: ", words->frames,
      words->frames == 1 ? "" : "s", words->size.width, words->size.height, raytrace_strips(words));
  frame_name(words, 0, &text);
  if (words->frames > 1) ls_bytes_append_text(&text, " to ");
  if (words->frames > 1) frame_name(words, (uint32_t)words->frames - 1, &text);
  if (words->is_checked) ls_bytes_append_text(&text, "; as povray renders them");
  bool is_whole = puts(ls_bytes_text(&text)) >= 0 && fflush(stdout) == 0 && !text.failed;
  ls_bytes_close(&text);
  return is_whole ? LS_OK : ls_fail(err, LS_EIO, "raytrace: standard output cannot be written");
}

/* A frame that lacks a strip is not written, and the run ends with it: the summary tells why the
 * strip has failed. */
enum ls_status raytrace_units(void *context, uint32_t iteration, uint64_t *units,
                              struct ls_error *err) {
  struct raytrace *state = context;
  enum ls_status status = LS_OK;
  *units = 0;
  if (state->has_failed) return LS_OK;
  if (iteration > 0) status = frame_write(state, err);
  if (status == LS_OK && iteration == state->words.frames) return conclude(state, err);
  if (status == LS_OK) status = make_room(state, err);
  state->frame = iteration;
  if (status == LS_OK) *units = raytrace_strips(&state->words);
  return status;
}

enum ls_status raytrace_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                  struct ls_error *err) {
  const struct raytrace *state = context;
  (void)iteration, (void)err;
  ls_bytes_append(bytes, &state->digest, sizeof state->digest);
  return LS_OK;
}

/* ---- results ---- */

/* The bytes of an output, wherever they are. */
static bool copy_output(const struct ls_output *output, char *to) {
  if (output->data != NULL) memcpy(to, output->data, output->length);
  for (size_t at = 0; output->data == NULL && at < output->length;) {
    ssize_t got = pread(output->file, to + at, output->length - at, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

enum ls_status raytrace_merge(void *context, const struct ls_unit_result *result,
                              struct ls_error *err) {
  struct raytrace *state = context;
  struct rows rows = raytrace_rows(&state->words, result->units);
  size_t row = state->words.size.width * PIXEL_BYTES;
  if (result->outcome != LS_OUTCOME_DONE) {
    state->has_failed = true;
    return LS_OK;
  }
  if (result->output.length != rows.count * row) {
    return ls_fail(err, LS_ECORRUPT,
                   "raytrace: frame %" PRIu32 ", rows %zu+%zu: %zu bytes of pixels, expected %zu",
                   result->iteration, rows.first, rows.count, result->output.length,
                   rows.count * row);
  }
  if (copy_output(&result->output, state->pixels.data + rows.first * row)) return LS_OK;
  return ls_fail(err, LS_EIO, "raytrace: frame %" PRIu32 ", rows %zu+%zu cannot be read",
                 result->iteration, rows.first, rows.count);
}

/* ---- checkpoints ---- */

/* The frame, which the next call of `units` writes: those before it are files. */
enum ls_status raytrace_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct raytrace *state = context;
  (void)err;
  ls_bytes_append(bytes, &state->has_failed, sizeof state->has_failed);
  ls_bytes_append(bytes, state->pixels.data, state->pixels.length);
  return LS_OK;
}

enum ls_status raytrace_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err) {
  struct raytrace *state = context;
  enum ls_status status = make_room(state, err);
  size_t flag = sizeof state->has_failed, expected = flag + state->pixels.length;
  if (status != LS_OK) return status;
  if (bytes->length != expected) {
    return ls_fail(err, LS_ECORRUPT, "raytrace: a checkpoint of %zu bytes, expected %zu",
                   bytes->length, expected);
  }
  memcpy(&state->has_failed, bytes->data, flag);
  memcpy(state->pixels.data, bytes->data + flag, state->pixels.length);
  state->frame = iteration - 1;
  return LS_OK;
}
