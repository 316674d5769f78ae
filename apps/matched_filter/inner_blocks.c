#include "inner_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t sides[] = {8, 12, 16, 24, 32, 48, 64, 96, 128};
enum { SIDES = sizeof sides / sizeof *sides, FILLED = 4 /* the first that fills the vectors */ };

/* Another size must be faster by so much. */
static const double TOLERANCE = 0.02;
/* The least time of a few areas is that without disturbance; few blocks are in an area of large
 * ones. */
enum { AREAS_LEAST = 2, BLOCKS_LEAST = 5 };
/* A clock may not have moved. */
static const double PIXEL_LEAST_S = 1e-12;

void inner_blocks_init(struct inner_blocks *inner, double (*clock_s)(void)) {
  *inner = (struct inner_blocks){.clock_s = clock_s, .least_s = (double)INFINITY};
  ls_size_climb_init(&inner->climb, SIDES, 0, TOLERANCE);
}

void inner_blocks_close(struct inner_blocks *inner) {
  patch_close(&inner->patch);
  free(inner->responses);
  inner->responses = NULL;
}

size_t inner_blocks_side(const struct inner_blocks *inner) {
  return sides[inner->index];
}

/* A size of which the processor's vectors leave a part empty is a hill: a climb from the small
 * sizes may end before it, so that one from behind those hills follows. */
static bool find_next(struct inner_blocks *inner) {
  if (ls_size_climb_next(&inner->climb, &inner->index)) return true;
  if (inner->is_back) return false;
  inner->is_back = true;
  inner->first = inner->climb.at;
  inner->climb.at = FILLED;
  return ls_size_climb_next(&inner->climb, &inner->index);
}

static size_t choose(const struct inner_blocks *inner) {
  const double *seconds = inner->climb.seconds;
  size_t last = inner->climb.at;
  return seconds[last] < seconds[inner->first] * (1 - TOLERANCE) ? last : inner->first;
}

static void learn(struct inner_blocks *inner, double pixel_s, size_t blocks) {
  if (inner->is_at_rest) return;
  inner->least_s = fmin(inner->least_s, fmax(pixel_s, PIXEL_LEAST_S));
  inner->areas++;
  inner->blocks += blocks;
  if (inner->areas < AREAS_LEAST || inner->blocks < BLOCKS_LEAST) return;
  ls_size_climb_measured(&inner->climb, inner->index, inner->least_s);
  inner->is_at_rest = !find_next(inner);
  if (inner->is_at_rest) inner->index = choose(inner);
  inner->areas = inner->blocks = 0;
  inner->least_s = (double)INFINITY;
}

static enum ls_status filter_block(struct inner_blocks *inner, const struct inner_area *given,
                                   struct area block, int64_t *responses, struct ls_error *err) {
  enum ls_status status = patch_fill(&inner->patch, &given->samples, block, given->edge, err);
  if (status != LS_OK) return status;
  filter_run(given->filter, &inner->patch, inner->responses);
  int64_t *to = responses + (block.y - given->area.y) * given->area.width + block.x - given->area.x;
  for (size_t y = 0; y < block.height; y++) {
    memcpy(to + y * given->area.width, inner->responses + y * block.width,
           block.width * sizeof *responses);
  }
  return LS_OK;
}

static size_t find_less(size_t a, size_t b) {
  return a < b ? a : b;
}

enum ls_status inner_blocks_filter(struct inner_blocks *inner, const struct inner_area *given,
                                   int64_t *responses, struct ls_error *err) {
  const struct area *area = &given->area;
  size_t side = inner_blocks_side(inner), blocks = 0;
  enum ls_status status = LS_OK;
  if (inner->responses == NULL) {
    inner->responses = malloc((size_t)INNER_AREA_SIDE * INNER_AREA_SIDE * sizeof *responses);
    if (inner->responses == NULL) return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory");
  }
  double begin_s = inner->clock_s();
  for (size_t y = 0; y < area->height && status == LS_OK; y += side) {
    for (size_t x = 0; x < area->width && status == LS_OK; x += side, blocks++) {
      struct area block = {area->x + x, area->y + y, find_less(side, area->width - x),
                           find_less(side, area->height - y)};
      status = filter_block(inner, given, block, responses, err);
    }
  }
  double pixels = (double)(area->width * area->height);
  if (status == LS_OK) learn(inner, (inner->clock_s() - begin_s) / pixels, blocks);
  return status;
}
