#include "patch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "kernels.h"

static enum ls_status make_room(struct patch *patch, size_t pixels, struct ls_error *err) {
  if (pixels <= patch->room) return LS_OK;
  free(patch->pixels);
  *patch = (struct patch){.pixels = malloc(pixels * sizeof *patch->pixels)};
  if (patch->pixels == NULL) {
    return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for %zu pixels", pixels);
  }
  patch->room = pixels;
  return LS_OK;
}

static int32_t get_sample(const struct samples *samples, size_t x, size_t y) {
  const unsigned char *at = samples->data + (y * samples->area.width + x) * samples->bytes;
  return samples->bytes == 1 ? at[0] : at[0] << 8 | at[1];
}

/* Which of `count` samples is at a place that may lie before or behind them. */
static size_t find_nearest(ptrdiff_t place, size_t count) {
  if (place < 0) return 0;
  return (size_t)place < count ? (size_t)place : count - 1;
}

static void fill_row(const struct patch *patch, const struct samples *samples, size_t row,
                     struct area block, enum edge edge) {
  size_t stride = patch->width + 2 * BORDER;
  int32_t *pixels = patch->pixels + row * stride;
  ptrdiff_t left = (ptrdiff_t)block.x - BORDER - (ptrdiff_t)samples->area.x;
  ptrdiff_t y = (ptrdiff_t)(block.y + row) - BORDER - (ptrdiff_t)samples->area.y;
  size_t nearest_y = find_nearest(y, samples->area.height);
  for (size_t i = 0; i < stride; i++) {
    ptrdiff_t x = left + (ptrdiff_t)i;
    size_t nearest_x = find_nearest(x, samples->area.width);
    bool is_there = (ptrdiff_t)nearest_x == x && (ptrdiff_t)nearest_y == y;
    pixels[i] = is_there || edge == EDGE_NEAREST ? get_sample(samples, nearest_x, nearest_y) : 0;
  }
}

enum ls_status patch_fill(struct patch *patch, const struct samples *samples, struct area block,
                          enum edge edge, struct ls_error *err) {
  size_t rows = block.height + 2 * BORDER;
  enum ls_status status = make_room(patch, rows * (block.width + 2 * BORDER), err);
  if (status != LS_OK) return status;
  patch->width = block.width;
  patch->height = block.height;
  for (size_t row = 0; row < rows; row++) fill_row(patch, samples, row, block, edge);
  return LS_OK;
}

void patch_close(struct patch *patch) {
  free(patch->pixels);
  *patch = (struct patch){0};
}
