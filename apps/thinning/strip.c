#include "strip.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, WORD_BYTES = 8 };

/* ---- places ---- */

/* A white word stands on either side of a row; beside the halos there is one more row below, since
 * the first of two steps asks for what lies two rows to the south. */
static size_t count_words(const struct strip *strip) {
  return (strip->rows + 2 * HALO_MAX + 1) * (strip->words + 2);
}

static size_t find_row(const struct strip *strip, ptrdiff_t row) {
  return (size_t)(row + HALO_MAX) * (strip->words + 2) + 1;
}

size_t strip_row_bytes(size_t width) {
  return (width + 7) / 8;
}

enum ls_status strip_init(struct strip *strip, size_t width, size_t rows, struct ls_error *err) {
  *strip =
      (struct strip){.width = width, .words = (width + WORD_BITS - 1) / WORD_BITS, .rows = rows};
  strip->before = calloc(count_words(strip), sizeof *strip->before);
  strip->half = calloc(count_words(strip), sizeof *strip->half);
  strip->after = calloc(count_words(strip), sizeof *strip->after);
  if (strip->before != NULL && strip->half != NULL && strip->after != NULL) return LS_OK;
  strip_close(strip);
  return ls_fail(err, LS_ENOMEM, "thinning: out of memory for %zu rows of %zu pixels", rows, width);
}

void strip_close(struct strip *strip) {
  free(strip->before);
  free(strip->half);
  free(strip->after);
  *strip = (struct strip){0};
}

/* ---- rows ---- */

void strip_put_row(struct strip *strip, ptrdiff_t row, const unsigned char *bytes) {
  uint64_t *words = strip->before + find_row(strip, row);
  size_t length = strip_row_bytes(strip->width);
  memset(words, 0, strip->words * sizeof *words);
  for (size_t i = 0; i < length; i++) {
    words[i / WORD_BYTES] |= (uint64_t)bytes[i] << (WORD_BITS - 8 - 8 * (i % WORD_BYTES));
  }
  size_t left = strip->width % WORD_BITS;
  if (left > 0) words[strip->words - 1] &= ~(UINT64_MAX >> left);
}

void strip_get_row(const struct strip *strip, size_t row, unsigned char *bytes) {
  const uint64_t *words = strip->after + find_row(strip, (ptrdiff_t)row);
  size_t length = strip_row_bytes(strip->width);
  for (size_t i = 0; i < length; i++) {
    bytes[i] = (unsigned char)(words[i / WORD_BYTES] >> (WORD_BITS - 8 - 8 * (i % WORD_BYTES)));
  }
}

bool strip_is_changed(const struct strip *strip) {
  size_t first = find_row(strip, 0), end = find_row(strip, (ptrdiff_t)strip->rows);
  return memcmp(strip->before + first, strip->after + first,
                (end - first) * sizeof *strip->before) != 0;
}

/* ---- thinning ---- */

static uint64_t look_west(const uint64_t *word) {
  return word[0] >> 1 | word[-1] << (WORD_BITS - 1);
}

static uint64_t look_east(const uint64_t *word) {
  return word[0] << 1 | word[1] >> (WORD_BITS - 1);
}

static struct around look_around(const uint64_t *here, size_t stride) {
  const uint64_t *above = here - stride, *below = here + stride;
  return (struct around){.here = here[0],
                         .n = above[0],
                         .ne = look_east(above),
                         .e = look_east(here),
                         .se = look_east(below),
                         .s = below[0],
                         .sw = look_west(below),
                         .w = look_west(here),
                         .nw = look_west(above),
                         .ww = here[0] >> 2 | here[-1] << (WORD_BITS - 2),
                         .ss = below[stride]};
}

/* One row. Most words of a picture are white, and stay so. */
static void step_row(const struct strip *strip, delete_fn find_deleted, const uint64_t *from,
                     uint64_t *to) {
  size_t stride = strip->words + 2;
  for (size_t i = 0; i < strip->words; i++) {
    to[i] = from[i];
    if (from[i] == 0) continue;
    struct around around = look_around(from + i, stride);
    to[i] &= ~find_deleted(&around);
  }
}

/* Of all rows, and `more` of either halo. */
static void step_rows(const struct strip *strip, delete_fn find_deleted, const uint64_t *from,
                      uint64_t *to, size_t more) {
  ptrdiff_t first = -(ptrdiff_t)more, end = (ptrdiff_t)(strip->rows + more);
  for (ptrdiff_t row = first; row < end; row++) {
    size_t at = find_row(strip, row);
    step_row(strip, find_deleted, from + at, to + at);
  }
}

void strip_thin(struct strip *strip, const struct algorithm *algorithm, uint64_t times) {
  for (uint64_t i = 0; i < times; i++) {
    const uint64_t *from = strip->before;
    if (algorithm->steps == STEPS_MAX) {
      step_rows(strip, algorithm->deletes[0], from, strip->half, 1);
      from = strip->half;
    }
    step_rows(strip, algorithm->deletes[algorithm->steps - 1], from, strip->after, 0);
  }
}
