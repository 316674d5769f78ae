/* matched_speed: what the forms of the matched filter gain.
 *
 * Usage: matched_speed [TURNS [SIDE]]
 *
 * A block of SIDE x SIDE (64) random pixels of 12 bits by the bank in plain loops, by the bank in
 * the processor's vectors, and by the composite in plain loops, in turns (9): medians of the ratios
 * of each turn, in processor time.  Prints one line per response; exit 1 when a ratio is not
 * reached, or where a form gives other bits.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../apps/matched_filter/filter.h"
#include "base/statistics.h"
#include "processor_time.h"

enum { TURNS = 9, TURNS_MAX = 1000, SIDE = 64, SIDE_LONGEST = 1024 };
enum variant { VARIANT_PLAIN, VARIANT_VECTORS, VARIANT_COMPOSITE, VARIANTS };

static const double vectors_reach = 5, composite_reach = 30;

struct block {
  struct patch patch;
  int64_t *responses[VARIANTS];
};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  (void)fprintf(stderr, "matched_speed: %s\n", err->text);
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *room = calloc(count, size);
  if (room != NULL) return room;
  (void)fprintf(stderr, "matched_speed: out of memory\n");
  exit(1);
}

static void make_block(struct block *block, size_t side) {
  struct ls_random random;
  struct ls_error err;
  unsigned char *bytes = allocate(side * side, 2);
  struct area area = {0, 0, side, side};
  ls_random_init(&random, 1, "pixels");
  for (size_t i = 0; i < side * side; i++) {
    uint64_t pixel = ls_random_below(&random, 4096);
    bytes[2 * i] = (unsigned char)(pixel >> 8);
    bytes[2 * i + 1] = (unsigned char)pixel;
  }
  block->patch = (struct patch){0};
  struct samples samples = {bytes, area, 2};
  require(patch_fill(&block->patch, &samples, area, EDGE_NEAREST, &err), &err);
  free(bytes);
  for (size_t i = 0; i < VARIANTS; i++) {
    block->responses[i] = allocate(side * side, sizeof **block->responses);
  }
}

/* Seconds of the thread's processor for one block. */
static double run_variant(const struct block *block, enum response response, enum variant variant) {
  struct filter_setup setup = {.response = response,
                               .form = variant == VARIANT_COMPOSITE ? FORM_COMPOSITE : FORM_BANK,
                               .pixel_max = 4095,
                               .is_plain = variant != VARIANT_VECTORS};
  struct filter *filter = NULL;
  struct ls_error err;
  require(filter_create(&setup, &filter, &err), &err);
  int calls = variant == VARIANT_PLAIN ? 1 : 10;
  double begin_s = read_clock();
  for (int i = 0; i < calls; i++) filter_run(filter, &block->patch, block->responses[variant]);
  double seconds = (read_clock() - begin_s) / calls;
  filter_destroy(filter);
  return seconds;
}

static double find_median(double *values, size_t count) {
  ls_sort_ascending(values, count);
  return values[count / 2];
}

static bool is_same(const struct block *block, enum variant variant) {
  size_t bytes = block->patch.width * block->patch.height * sizeof **block->responses;
  return memcmp(block->responses[variant], block->responses[VARIANT_PLAIN], bytes) == 0;
}

static bool measure(const struct block *block, enum response response, size_t turns) {
  static const char *const names[] = {"sum", "rectified", "max"};
  static double seconds[TURNS_MAX], vectors[TURNS_MAX], composite[TURNS_MAX];
  bool is_linear = response == RESPONSE_SUM, is_good = true;
  for (size_t i = 0; i < turns; i++) {
    seconds[i] = run_variant(block, response, VARIANT_PLAIN);
    vectors[i] = seconds[i] / run_variant(block, response, VARIANT_VECTORS);
    is_good = is_good && is_same(block, VARIANT_VECTORS);
    if (!is_linear) continue;
    composite[i] = seconds[i] / run_variant(block, response, VARIANT_COMPOSITE);
    is_good = is_good && is_same(block, VARIANT_COMPOSITE);
  }
  double gain = find_median(vectors, turns), plain_s = find_median(seconds, turns);
  is_good = is_good && gain >= vectors_reach;
  (void)printf("%-9s  plain %.1f ms; vectors %.1f times as fast (reach >= %g)", names[response],
               1e3 * plain_s, gain, vectors_reach);
  if (is_linear) {
    gain = find_median(composite, turns);
    is_good = is_good && gain >= composite_reach;
    (void)printf("; composite, plain, %.0f times (reach >= %g)", gain, composite_reach);
  }
  (void)printf("%s\n", is_good ? "" : "  MISSED");
  return is_good;
}

int main(int argc, char **argv) {
  size_t turns = argc > 1 ? strtoul(argv[1], NULL, 10) : TURNS;
  size_t side = argc > 2 ? strtoul(argv[2], NULL, 10) : SIDE;
  struct block block;
  bool is_good = true;
  if (turns < 1 || turns > TURNS_MAX || side < 1 || side > SIDE_LONGEST) {
    (void)fprintf(stderr, "usage: matched_speed [TURNS (to %d) [SIDE (to %d)]]\n", (int)TURNS_MAX,
                  (int)SIDE_LONGEST);
    return 2;
  }
  make_block(&block, side);
  for (int response = RESPONSE_SUM; response <= RESPONSE_MAX; response++) {
    is_good = measure(&block, (enum response)response, turns) && is_good;
  }
  patch_close(&block.patch);
  for (size_t i = 0; i < VARIANTS; i++) free(block.responses[i]);
  return is_good ? 0 : 1;
}
