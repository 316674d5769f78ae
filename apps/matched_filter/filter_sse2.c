/* filter_sse2.c: the bank in the vectors that every x86-64 has.
 *
 * One instruction multiplies eight pairs of 16 bits and adds up the two products of each pair: two
 * taps of four pixels.  For that each pixel of a tile stands beside the one to its right.
 */
#include <emmintrin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "filter_lanes.h"

/* A tile and its surroundings fit into the first cache. A pair of taps reads one pixel beyond. */
enum { TILE = 64, STRIDE = TILE + 2 * BORDER + 2, LANES = 4, GROUP_MAX = 32, GROUP_MIN = 8 };

struct pair {
  int32_t offset;  /* of its left pixel from the corner of a pixel's surroundings */
  int32_t weights; /* 16 bits each, the left one's below */
};

struct run {
  size_t first, count;
};

struct lanes {
  enum response response;
  struct run runs[KERNELS]; /* of pairs, by kernel */
  struct pair *pairs;
};

/* ---- pairs of taps ---- */

static int32_t join_weights(int32_t left, int32_t right) {
  return (int32_t)((uint32_t)(left & 0xffff) | (uint32_t)right << 16);
}

/* Neighbours in a row; a tap without one has 0 for its right. */
static size_t pair_taps(const struct tap *taps, size_t count, struct pair *pairs) {
  size_t made = 0;
  for (size_t i = 0; i < count; made++) {
    bool is_pair =
        i + 1 < count && taps[i + 1].dy == taps[i].dy && taps[i + 1].dx == taps[i].dx + 1;
    pairs[made].offset = (taps[i].dy + BORDER) * STRIDE + taps[i].dx + BORDER;
    pairs[made].weights = join_weights(taps[i].weight, is_pair ? taps[i + 1].weight : 0);
    i += is_pair ? 2 : 1;
  }
  return made;
}

enum ls_status lanes_create(const struct kernels *kernels, enum response response,
                            struct lanes **out, struct ls_error *err) {
  const struct kernel *last = &kernels->items[KERNELS - 1];
  struct lanes *lanes = calloc(1, sizeof *lanes);
  if (lanes != NULL) lanes->pairs = calloc(last->first + last->count, sizeof *lanes->pairs);
  if (lanes == NULL || lanes->pairs == NULL) {
    lanes_destroy(lanes);
    return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for taps");
  }
  lanes->response = response;
  size_t made = 0;
  for (size_t i = 0; i < KERNELS; i++) {
    const struct kernel *kernel = &kernels->items[i];
    size_t count = pair_taps(kernels->taps + kernel->first, kernel->count, lanes->pairs + made);
    lanes->runs[i] = (struct run){made, count};
    made += count;
  }
  *out = lanes;
  return LS_OK;
}

void lanes_destroy(struct lanes *lanes) {
  if (lanes == NULL) return;
  free(lanes->pairs);
  free(lanes);
}

/* ---- pixels ---- */

/* Each pixel and its right neighbour; what lies beyond the patch is never part of a response. */
static void fill_tile(const struct patch *patch, struct area part, int32_t *tile) {
  size_t stride = patch->width + 2 * BORDER, width = part.width + 2 * BORDER;
  for (size_t y = 0; y < part.height + 2 * BORDER; y++) {
    const int32_t *from = patch->pixels + (part.y + y) * stride + part.x;
    int32_t *to = tile + y * STRIDE;
    memset(to, 0, STRIDE * sizeof *to);
    for (size_t x = 0; x + 1 < width; x++) to[x] = from[x] | from[x + 1] << 16;
    to[width - 1] = from[width - 1];
  }
}

/* The sums of one kernel for so many vectors of pixels; how many is known where this is inlined. */
static inline __attribute__((always_inline)) void sum_pairs(const struct pair *pairs, size_t count,
                                                            const int32_t *pixels, int vectors,
                                                            __m128i *sums) {
  __m128i kept[GROUP_MAX / LANES];
  for (int i = 0; i < vectors; i++) kept[i] = _mm_setzero_si128();
  for (size_t k = 0; k < count; k++) {
    const __m128i weights = _mm_set1_epi32(pairs[k].weights);
    const __m128i *from = (const __m128i *)(const void *)(pixels + pairs[k].offset);
    for (int i = 0; i < vectors; i++) {
      kept[i] = _mm_add_epi32(kept[i], _mm_madd_epi16(_mm_loadu_si128(from + i), weights));
    }
  }
  for (int i = 0; i < vectors; i++) sums[i] = kept[i];
}

/* Functions of their own: the sums then stay in registers. */
static __attribute__((noinline)) void sum_large(const struct pair *pairs, size_t count,
                                                const int32_t *pixels, __m128i *sums) {
  sum_pairs(pairs, count, pixels, GROUP_MAX / LANES, sums);
}

static __attribute__((noinline)) void sum_small(const struct pair *pairs, size_t count,
                                                const int32_t *pixels, __m128i *sums) {
  sum_pairs(pairs, count, pixels, GROUP_MIN / LANES, sums);
}

/* ---- responses ---- */

/* Sums take 64 bits when they are added up. */
static void add_sums(const __m128i *sums, int vectors, bool is_rectified, __m128i *totals) {
  for (int i = 0; i < vectors; i++) {
    __m128i signs = _mm_srai_epi32(sums[i], 31), kept = sums[i];
    if (is_rectified) {
      kept = _mm_andnot_si128(signs, kept);
      signs = _mm_setzero_si128();
    }
    totals[2 * i] = _mm_add_epi64(totals[2 * i], _mm_unpacklo_epi32(kept, signs));
    totals[2 * i + 1] = _mm_add_epi64(totals[2 * i + 1], _mm_unpackhi_epi32(kept, signs));
  }
}

static void keep_largest(const __m128i *sums, int vectors, __m128i *largest) {
  for (int i = 0; i < vectors; i++) {
    __m128i is_larger = _mm_cmpgt_epi32(sums[i], largest[i]);
    largest[i] =
        _mm_or_si128(_mm_and_si128(is_larger, sums[i]), _mm_andnot_si128(is_larger, largest[i]));
  }
}

/* The responses of a group of neighbours in a row; there is room for all of the group. */
static void run_group(const struct lanes *lanes, const int32_t *pixels, int vectors,
                      int64_t *responses) {
  __m128i sums[GROUP_MAX / LANES], totals[GROUP_MAX / 2];
  bool is_large = vectors == GROUP_MAX / LANES;
  for (int i = 0; i < 2 * vectors; i++) totals[i] = _mm_setzero_si128();
  if (lanes->response == RESPONSE_MAX) {
    for (int i = 0; i < vectors; i++) totals[i] = _mm_set1_epi32(INT32_MIN);
  }
  for (size_t k = 0; k < KERNELS; k++) {
    const struct pair *pairs = lanes->pairs + lanes->runs[k].first;
    (is_large ? sum_large : sum_small)(pairs, lanes->runs[k].count, pixels, sums);
    if (lanes->response == RESPONSE_MAX) {
      keep_largest(sums, vectors, totals);
    } else {
      add_sums(sums, vectors, lanes->response == RESPONSE_RECTIFIED, totals);
    }
  }
  if (lanes->response != RESPONSE_MAX) {
    memcpy(responses, totals, (size_t)vectors * LANES * sizeof *responses);
    return;
  }
  int32_t largest[GROUP_MAX];
  memcpy(largest, totals, (size_t)vectors * sizeof *totals);
  for (int i = 0; i < vectors * LANES; i++) responses[i] = largest[i];
}

static void run_row(const struct lanes *lanes, const int32_t *pixels, size_t width,
                    int64_t *responses) {
  size_t x = 0;
  for (; x + GROUP_MAX <= width; x += GROUP_MAX) {
    run_group(lanes, pixels + x, GROUP_MAX / LANES, responses + x);
  }
  for (; x < width; x += GROUP_MIN) {
    run_group(lanes, pixels + x, GROUP_MIN / LANES, responses + x);
  }
}

static void run_tile(const struct lanes *lanes, const struct patch *patch, struct area part,
                     int64_t *responses) {
  int32_t tile[(TILE + 2 * BORDER) * STRIDE];
  int64_t row[TILE];
  fill_tile(patch, part, tile);
  for (size_t y = 0; y < part.height; y++) {
    run_row(lanes, tile + y * STRIDE, part.width, row);
    memcpy(responses + (part.y + y) * patch->width + part.x, row, part.width * sizeof *row);
  }
}

void lanes_run(const struct lanes *lanes, const struct patch *patch, int64_t *responses) {
  for (size_t y = 0; y < patch->height; y += TILE) {
    for (size_t x = 0; x < patch->width; x += TILE) {
      size_t width = patch->width - x, height = patch->height - y;
      struct area part = {x, y, width < TILE ? width : TILE, height < TILE ? height : TILE};
      run_tile(lanes, patch, part, responses);
    }
  }
}
