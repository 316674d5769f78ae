/* An area filtered in blocks of a size that is found: the same bits, and an end of the search. */
#include "matched_case.h"

#include <math.h>

#include "inner_blocks.h"

/* A clock that goes by what a block of each side would cost, in seconds a pixel: the test curve of
 * docs/theory/online.md, 7, with its best at 64. */
static struct {
  double now_s, pixel_s;
  bool is_end; /* of an area */
  size_t hill; /* a side that costs twice as much; 0: none */
} machine;

static double cost_of(size_t side) {
  double around = (double)side + 20, pixels = (double)(side * side);
  if (side == machine.hill) return 2 * cost_of(side - 4);
  return 1e-6 * (around > 90 ? 1.25 : 1) + 2e-8 * around * around / pixels + 2e-4 / pixels;
}

static double read_machine(void) {
  if (machine.is_end) machine.now_s += machine.pixel_s;
  machine.is_end = !machine.is_end;
  return machine.now_s;
}

static struct filter *make_filter(const struct matched_case *made) {
  struct filter_setup setup = {.response = RESPONSE_SUM, .pixel_max = made->pixel_max};
  struct filter *filter = NULL;
  assert_int_equal(filter_create(&setup, &filter, NULL), LS_OK);
  return filter;
}

static void fill(struct matched_case *made, uint64_t seed) {
  struct ls_random chance;
  ls_random_init(&chance, seed, "pixels");
  for (size_t i = 0; i < made->image.width * made->image.height; i++) {
    uint64_t pixel = ls_random_below(&chance, (uint64_t)made->pixel_max + 1);
    set_pixel(made, i % made->image.width, i / made->image.width, (int32_t)pixel);
  }
}

/* Filters the area until the search is at rest; the number of areas that took. */
static size_t search(struct inner_blocks *inner, const struct inner_area *given,
                     const int64_t *expected, double noise) {
  size_t count = given->area.width * given->area.height, areas = 0;
  int64_t *responses = calloc(count, sizeof *responses);
  struct ls_random chance;
  ls_random_init(&chance, 4, "noise");
  assert_non_null(responses);
  do {
    memset(responses, 0, count * sizeof *responses);
    machine.pixel_s = cost_of(inner_blocks_side(inner)) * (double)count;
    machine.pixel_s *= 1 + noise * ls_random_real(&chance);
    assert_int_equal(inner_blocks_filter(inner, given, responses, NULL), LS_OK);
    assert_memory_equal(responses, expected, count * sizeof *responses);
    areas++;
  } while (!inner->is_at_rest && areas < 100);
  free(responses);
  return areas;
}

static void the_search_comes_to_rest_and_every_size_gives_the_same_bits(void **state) {
  (void)state;
  struct matched_case made;
  make_case(&made, 300, 290, 255);
  fill(&made, 1);
  struct filter *filter = make_filter(&made);
  struct filter_setup setup = {.response = RESPONSE_SUM, .pixel_max = made.pixel_max};
  static const struct area areas[] = {{128, 128, 128, 128}, {256, 256, 44, 34}, {0, 0, 128, 1}};
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
    struct inner_blocks inner;
    int64_t *expected = filter_block(&made, &setup, areas[i], EDGE_NEAREST);
    struct inner_area given = {
        filter, {made.samples, made.image, made.bytes}, areas[i], EDGE_NEAREST};
    inner_blocks_init(&inner, read_machine);
    assert_int_equal(inner_blocks_side(&inner), 8);
    size_t took = search(&inner, &given, expected, 0);
    assert_true(inner.is_at_rest && took <= 9 * 5);
    if (i == 0) assert_int_equal(inner_blocks_side(&inner), 64);
    /* It stays, whatever the clock says now. */
    size_t side = inner_blocks_side(&inner);
    (void)search(&inner, &given, expected, 5);
    assert_int_equal(inner_blocks_side(&inner), side);
    inner_blocks_close(&inner);
    free(expected);
  }
  filter_destroy(filter);
  close_made(&made);
}

/* Disturbances only ever lengthen a time, so that the least of some is near the truth. */
static void disturbances_do_not_lead_it_astray(void **state) {
  (void)state;
  struct matched_case made;
  make_case(&made, 128, 128, 255);
  fill(&made, 2);
  struct filter *filter = make_filter(&made);
  struct filter_setup setup = {.response = RESPONSE_SUM, .pixel_max = made.pixel_max};
  int64_t *expected = filter_block(&made, &setup, made.image, EDGE_ZERO);
  struct inner_area given = {filter, {made.samples, made.image, made.bytes}, made.image, EDGE_ZERO};
  struct inner_blocks inner;
  inner_blocks_init(&inner, read_machine);
  (void)search(&inner, &given, expected, 0.05);
  assert_true(inner.is_at_rest);
  assert_true(inner_blocks_side(&inner) >= 48 && inner_blocks_side(&inner) <= 96);
  inner_blocks_close(&inner);
  free(expected);
  filter_destroy(filter);
  close_made(&made);
}

/* Blocks of 12 leave a part of the vectors empty: the best lies behind that hill. */
static void a_hill_does_not_end_the_search(void **state) {
  (void)state;
  struct matched_case made;
  make_case(&made, 128, 128, 255);
  fill(&made, 5);
  struct filter *filter = make_filter(&made);
  struct filter_setup setup = {.response = RESPONSE_SUM, .pixel_max = made.pixel_max};
  int64_t *expected = filter_block(&made, &setup, made.image, EDGE_ZERO);
  struct inner_area given = {filter, {made.samples, made.image, made.bytes}, made.image, EDGE_ZERO};
  struct inner_blocks inner;
  machine.hill = 12;
  inner_blocks_init(&inner, read_machine);
  (void)search(&inner, &given, expected, 0);
  machine.hill = 0;
  assert_true(inner.is_at_rest);
  assert_int_equal(inner_blocks_side(&inner), 64);
  inner_blocks_close(&inner);
  free(expected);
  filter_destroy(filter);
  close_made(&made);
}

static double stand_still(void) {
  return 3;
}

static void a_clock_that_stands_still_ends_the_search(void **state) {
  (void)state;
  struct matched_case made;
  make_case(&made, 40, 40, 255);
  fill(&made, 3);
  struct filter *filter = make_filter(&made);
  struct filter_setup setup = {.response = RESPONSE_SUM, .pixel_max = made.pixel_max};
  int64_t *expected = filter_block(&made, &setup, made.image, EDGE_ZERO);
  struct inner_area given = {filter, {made.samples, made.image, made.bytes}, made.image, EDGE_ZERO};
  struct inner_blocks inner;
  inner_blocks_init(&inner, stand_still);
  (void)search(&inner, &given, expected, 0);
  assert_true(inner.is_at_rest);
  assert_int_equal(inner_blocks_side(&inner), 8);
  inner_blocks_close(&inner);
  free(expected);
  filter_destroy(filter);
  close_made(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_search_comes_to_rest_and_every_size_gives_the_same_bits),
      cmocka_unit_test(disturbances_do_not_lead_it_astray),
      cmocka_unit_test(a_hill_does_not_end_the_search),
      cmocka_unit_test(a_clock_that_stands_still_ends_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
