/* matched_case.h: small images by seed, and their responses as the definition has them. */
#ifndef MATCHED_CASE_H
#define MATCHED_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

struct matched_case {
  struct area image;
  int32_t pixel_max;
  size_t bytes;           /* of a sample */
  unsigned char *samples; /* as a file has them */
};

static inline void make_case(struct matched_case *made, size_t width, size_t height,
                             int32_t pixel_max) {
  *made = (struct matched_case){{0, 0, width, height}, pixel_max, pixel_max > 255 ? 2 : 1, NULL};
  made->samples = calloc(width * height, made->bytes);
  assert_non_null(made->samples);
}

static inline void set_pixel(const struct matched_case *made, size_t x, size_t y, int32_t pixel) {
  unsigned char *at = made->samples + (y * made->image.width + x) * made->bytes;
  if (made->bytes == 2) *at++ = (unsigned char)(pixel >> 8);
  *at = (unsigned char)pixel;
}

static inline int32_t get_pixel(const struct matched_case *made, size_t x, size_t y) {
  const unsigned char *at = made->samples + (y * made->image.width + x) * made->bytes;
  return made->bytes == 2 ? at[0] << 8 | at[1] : at[0];
}

static inline size_t draw_side(struct ls_random *chance) {
  uint64_t most = 1 + ls_random_below(chance, 40);
  most = 1 + ls_random_below(chance, most);
  return 1 + ls_random_below(chance, most);
}

/* Up to 40 x 40 pixels, small ones more often, up to one of four largest values. */
static inline void make_any_case(struct matched_case *made, uint64_t seed) {
  static const int32_t maxima[] = {255, 4095, PIXEL_NARROW_MAX, 65535};
  struct ls_random chance;
  ls_random_init(&chance, seed, "image");
  size_t width = draw_side(&chance), height = draw_side(&chance);
  make_case(made, width, height, maxima[ls_random_below(&chance, 4)]);
  for (size_t i = 0; i < width * height; i++) {
    uint64_t pixel = ls_random_below(&chance, (uint64_t)made->pixel_max + 1);
    set_pixel(made, i % width, i / width, (int32_t)pixel);
  }
}

static inline void close_made(struct matched_case *made) {
  free(made->samples);
}

/* A pixel that may lie outside of the image. */
static inline int64_t find_naive_pixel(const struct matched_case *made, ptrdiff_t x, ptrdiff_t y,
                                       enum edge edge) {
  ptrdiff_t right = (ptrdiff_t)made->image.width - 1, bottom = (ptrdiff_t)made->image.height - 1;
  bool is_outside = x < 0 || y < 0 || x > right || y > bottom;
  if (is_outside && edge == EDGE_ZERO) return 0;
  if (is_outside) {
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
  }
  return get_pixel(made, (size_t)x, (size_t)y);
}

static inline int64_t correlate_naively(const struct matched_case *made,
                                        const struct kernels *kernels, size_t number,
                                        struct area place, enum edge edge) {
  const struct kernel *kernel = &kernels->items[number];
  int64_t sum = 0;
  for (size_t i = 0; i < kernel->count; i++) {
    const struct tap *tap = &kernels->taps[kernel->first + i];
    sum += tap->weight *
           find_naive_pixel(made, (ptrdiff_t)place.x + tap->dx, (ptrdiff_t)place.y + tap->dy, edge);
  }
  return sum;
}

/* The response of one pixel. */
static inline int64_t respond_naively(const struct matched_case *made,
                                      const struct kernels *kernels, enum response response,
                                      struct area place, enum edge edge) {
  int64_t answer = response == RESPONSE_MAX ? INT64_MIN : 0;
  for (size_t k = 0; k < KERNELS; k++) {
    int64_t sum = correlate_naively(made, kernels, k, place, edge);
    if (response == RESPONSE_SUM) answer += sum;
    if (response == RESPONSE_RECTIFIED && sum > 0) answer += sum;
    if (response == RESPONSE_MAX && sum > answer) answer = sum;
  }
  return answer;
}

/* The responses of a block of the image; the caller frees them. */
static inline int64_t *filter_block(const struct matched_case *made,
                                    const struct filter_setup *setup, struct area block,
                                    enum edge edge) {
  struct patch patch = {0};
  struct filter *filter = NULL;
  struct samples samples = {made->samples, made->image, made->bytes};
  int64_t *responses = malloc(block.width * block.height * sizeof *responses);
  assert_non_null(responses);
  assert_int_equal(filter_create(setup, &filter, NULL), LS_OK);
  assert_int_equal(patch_fill(&patch, &samples, block, edge, NULL), LS_OK);
  filter_run(filter, &patch, responses);
  filter_destroy(filter);
  patch_close(&patch);
  return responses;
}

#endif
