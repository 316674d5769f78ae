/* conclusion.c: the end of a run: the picture, and what is said of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "matched_filter.h"
#include "picture.h"

/* Rows that are read at once have about so many pixels. */
enum { BAND_PIXELS = 1 << 16 };

struct conclusion {
  struct facts whole;
  uint64_t digest, picture_digest;
  size_t max_kernel;
  int64_t *values; /* of a band */
  unsigned char *pixels;
};

struct facts matched_join_facts(const struct matched *state) {
  struct facts whole = state->facts[0];
  for (uint64_t unit = 1; unit < blocks_count(&state->blocks); unit++) {
    whole = facts_join(&whole, &state->facts[unit]);
  }
  return whole;
}

/* ---- bands of rows ---- */

static enum ls_status pass_band(struct matched *state, struct conclusion *conclusion,
                                struct area band, struct ls_error *err) {
  bool is_painted = state->words.output != NULL && !state->words.is_written;
  size_t count = band.width * band.height;
  enum ls_status status = plane_read(&state->responses, band, conclusion->values, err);
  if (status != LS_OK) return status;
  if (state->words.has_summary) {
    conclusion->digest =
        checksum_add(conclusion->digest, conclusion->values, count * sizeof *conclusion->values);
  }
  facts_turn_bytes(conclusion->values, count);
  picture_scale(conclusion->values, count, &conclusion->whole, conclusion->pixels);
  if (state->words.has_summary) {
    conclusion->picture_digest =
        checksum_add(conclusion->picture_digest, conclusion->pixels, count);
  }
  return is_painted ? plane_write(&state->picture, band, conclusion->pixels, err) : LS_OK;
}

static enum ls_status pass_rows(struct matched *state, struct conclusion *conclusion,
                                struct ls_error *err) {
  struct area image = image_area(&state->image), band = image;
  band.height = image.width < BAND_PIXELS ? BAND_PIXELS / image.width : 1;
  conclusion->values = malloc(band.width * band.height * sizeof *conclusion->values);
  conclusion->pixels = malloc(band.width * band.height);
  conclusion->digest = conclusion->picture_digest = CHECKSUM_START;
  enum ls_status status = LS_OK;
  if (conclusion->values == NULL || conclusion->pixels == NULL) {
    status = ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for rows");
  }
  for (; band.y < image.height && status == LS_OK; band.y += band.height) {
    if (band.height > image.height - band.y) band.height = image.height - band.y;
    status = pass_band(state, conclusion, band, err);
  }
  free(conclusion->values);
  free(conclusion->pixels);
  return status;
}

/* ---- files ---- */

static enum ls_status place_picture(struct matched *state, struct ls_error *err) {
  char header[PICTURE_HEADER_ROOM];
  (void)picture_write_header(image_area(&state->image), header);
  enum ls_status status = plane_finish(&state->picture, header, err);
  if (status == LS_OK && state->is_synced) status = plane_sync(&state->picture, err);
  if (status != LS_OK || rename(state->unfinished, state->words.output) == 0) return status;
  return ls_fail(err, LS_EIO, "matched-filter: %s: %s", state->words.output, strerror(errno));
}

/* ---- words ---- */

static enum ls_status print(struct ls_bytes *text, struct ls_error *err) {
  bool is_whole = !text->failed && fwrite(text->data, 1, text->length, stdout) == text->length &&
                  fflush(stdout) == 0;
  ls_bytes_close(text);
  return is_whole ? LS_OK
                  : ls_fail(err, LS_EIO, "matched-filter: standard output cannot be written");
}

static void write_summary(const struct matched *state, const struct conclusion *conclusion,
                          struct ls_bytes *text) {
  const struct facts *whole = &conclusion->whole;
  uint64_t units = blocks_count(&state->blocks);
  ls_bytes_printf(text, "{\"width\": %zu, \"height\": %zu, \"units\": %" PRIu64,
                  state->blocks.width, state->blocks.height, units);
  ls_bytes_printf(text,
                  ", \"min\": %" PRId64 ", \"min_at\": [%" PRIu32 ", %" PRIu32
                  "], \"max\": %" PRId64 ", \"max_at\": [%" PRIu32 ", %" PRIu32 "]",
                  whole->min, whole->min_x, whole->min_y, whole->max, whole->max_x, whole->max_y);
  if (state->words.response == RESPONSE_MAX) {
    ls_bytes_printf(text, ", \"max_kernel\": %zu", conclusion->max_kernel);
  }
  ls_bytes_printf(text,
                  ", \"sum\": %" PRId64 ", \"digest\": \"%016" PRIx64
                  "\", \"picture_digest\": \"%016" PRIx64 "\"",
                  whole->sum, conclusion->digest, conclusion->picture_digest);
  for (uint64_t unit = 0; state->words.has_unit_sums && unit < units; unit++) {
    ls_bytes_printf(text, "%s%" PRId64, unit == 0 ? ", \"unit_sums\": [" : ", ",
                    state->facts[unit].sum);
  }
  ls_bytes_append_text(text, state->words.has_unit_sums ? "]}\n" : "}\n");
}

static void write_words(const struct matched *state, const struct conclusion *conclusion,
                        struct ls_bytes *text) {
  const struct facts *whole = &conclusion->whole;
  uint64_t units = blocks_count(&state->blocks);
  ls_bytes_printf(text,
                  "%zu x %zu pixels, %" PRIu64 " unit%s: responses from %" PRId64 " at %" PRIu32
                  " %" PRIu32 " to %" PRId64 " at %" PRIu32 " %" PRIu32,
                  state->blocks.width, state->blocks.height, units, units == 1 ? "" : "s",
                  whole->min, whole->min_x, whole->min_y, whole->max, whole->max_x, whole->max_y);
  if (state->words.response == RESPONSE_MAX) {
    ls_bytes_printf(text, ", of kernel %zu", conclusion->max_kernel);
  }
  ls_bytes_append_text(text, state->words.is_checked ? "; as computed serially\n" : "\n");
}

/* ---- the end ---- */

/* A block of one pixel, there where the response is largest. */
static enum ls_status find_max_kernel(struct matched *state, struct conclusion *conclusion,
                                      struct ls_error *err) {
  struct area pixel = {conclusion->whole.max_x, conclusion->whole.max_y, 1, 1};
  struct area around = blocks_widen(&state->blocks, pixel);
  struct ls_bytes bytes = {0};
  enum ls_status status = image_read(&state->image, around, &bytes, err);
  struct samples samples = {(const unsigned char *)bytes.data, around,
                            state->image.pgm.sample_bytes};
  if (status == LS_OK) status = patch_fill(&state->patch, &samples, pixel, state->words.edge, err);
  if (status == LS_OK) conclusion->max_kernel = filter_find_best(state->filter, &state->patch);
  ls_bytes_close(&bytes);
  return status;
}

static enum ls_status check_unit(struct matched *state, uint64_t unit, int64_t *written,
                                 struct ls_error *err) {
  struct area area = blocks_area(&state->blocks, unit);
  size_t count = area.width * area.height;
  enum ls_status status = matched_read_and_filter(state, unit, err);
  if (status == LS_OK) status = plane_read(&state->responses, area, written, err);
  if (status != LS_OK) return status;
  facts_turn_bytes(state->values, count);
  if (memcmp(state->values, written, count * sizeof *written) == 0) return LS_OK;
  return ls_fail(err, LS_ECORRUPT,
                 "matched-filter: unit %" PRIu64 " is not what one process computes", unit + 1);
}

static enum ls_status check_all(struct matched *state, struct ls_error *err) {
  struct area block = blocks_area(&state->blocks, 0);
  int64_t *written = malloc(block.width * block.height * sizeof *written);
  if (written == NULL) return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for a block");
  enum ls_status status = LS_OK;
  for (uint64_t unit = 0; unit < blocks_count(&state->blocks) && status == LS_OK; unit++) {
    status = check_unit(state, unit, written, err);
  }
  free(written);
  return status;
}

static enum ls_status give_up(const struct matched *state) {
  (void)fprintf(stderr, "matched-filter: %" PRIu64 " unit%s failed: there is no picture\n",
                state->failed, state->failed == 1 ? "" : "s");
  return LS_OK;
}

enum ls_status matched_conclude(struct matched *state, struct ls_error *err) {
  const struct words *words = &state->words;
  struct conclusion conclusion = {0};
  char header[PLANE_HEADER_MAX];
  struct ls_bytes text = {0};
  if (state->failed > 0) return give_up(state);
  conclusion.whole = matched_join_facts(state);
  matched_write_header(state, header);
  enum ls_status status = matched_open_responses(state, err);
  if (status == LS_OK) status = plane_finish(&state->responses, header, err);
  if (status == LS_OK && words->is_checked) status = check_all(state, err);
  if (status == LS_OK && words->output != NULL) status = plane_make(&state->picture, err);
  bool needs_rows = words->has_summary || (words->output != NULL && !words->is_written);
  if (status == LS_OK && needs_rows) status = pass_rows(state, &conclusion, err);
  if (status == LS_OK && words->response == RESPONSE_MAX) {
    status = find_max_kernel(state, &conclusion, err);
  }
  if (status == LS_OK && words->output != NULL) status = place_picture(state, err);
  if (status == LS_OK && state->partial != NULL) (void)unlink(state->partial);
  if (status != LS_OK) return status;
  if (words->has_summary) {
    write_summary(state, &conclusion, &text);
  } else {
    write_words(state, &conclusion, &text);
  }
  return print(&text, err);
}
