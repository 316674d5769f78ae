/* thinning_worker.c: what a worker does with parts of a picture. */
#include <inttypes.h>
#include <stdlib.h>

#include "strip.h"
#include "thinning.h"

enum ls_status thinning_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err) {
  struct thinning *state = context;
  (void)iteration;
  if (bytes->length != 2 * NUMBER_BYTES) {
    return ls_fail(err, LS_ECORRUPT, "thinning: a size of %zu bytes, expected %d", bytes->length,
                   2 * NUMBER_BYTES);
  }
  state->width = thinning_read_number(bytes->data);
  state->height = thinning_read_number(bytes->data + NUMBER_BYTES);
  return LS_OK;
}

/* The rows of the input begin with the halo of what was packed. */
static void fill_strip(const struct thinning *state, const struct ls_work *work,
                       struct ls_range part, struct strip *strip) {
  struct rows packed = thinning_halo(state, work->packed), halo = thinning_halo(state, part);
  struct rows own = thinning_rows(state, part);
  size_t length = strip_row_bytes(state->width);
  const unsigned char *at = work->input;
  for (size_t row = halo.first; row < halo.first + halo.count; row++) {
    strip_put_row(strip, (ptrdiff_t)row - (ptrdiff_t)own.first, at + (row - packed.first) * length);
  }
}

static enum ls_status compute_part(const struct thinning *state, const struct ls_work *work,
                                   size_t number, struct ls_bytes *output, struct ls_error *err) {
  struct ls_range part = {work->units.first + number, 1};
  struct rows own = thinning_rows(state, part);
  struct strip strip;
  size_t length = strip_row_bytes(state->width);
  unsigned char *row = malloc(length);
  enum ls_status status = strip_init(&strip, state->width, own.count, err);
  if (status == LS_OK && row == NULL) {
    status = ls_fail(err, LS_ENOMEM, "thinning: out of memory for a row");
  }
  if (status == LS_OK) {
    fill_strip(state, work, part, &strip);
    strip_thin(&strip, state->words.algorithm, state->words.cost);
    bool is_changed = strip_is_changed(&strip);
    if (is_changed) thinning_append_number(output, number);
    for (size_t i = 0; i < own.count && is_changed; i++) {
      strip_get_row(&strip, i, row);
      ls_bytes_append(output, row, length);
    }
  }
  strip_close(&strip);
  free(row);
  return status;
}

static enum ls_status check_input(const struct thinning *state, const struct ls_work *work,
                                  struct ls_error *err) {
  size_t expected = thinning_halo(state, work->packed).count * strip_row_bytes(state->width);
  if (work->length == expected) return LS_OK;
  return ls_fail(err, LS_ECORRUPT,
                 "thinning: parts %" PRIu64 "+%" PRIu64 " have an input of %zu bytes, expected %zu",
                 work->packed.first, work->packed.count, work->length, expected);
}

enum ls_status thinning_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                                struct ls_error *err) {
  enum ls_status status = check_input(context, work, err);
  for (size_t i = 0; i < work->units.count && status == LS_OK; i++) {
    status = compute_part(context, work, i, output, err);
  }
  return status;
}
