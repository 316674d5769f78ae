/* All forms of the filter give the same bits, those of the definition. */
#include "matched_case.h"

enum { IMAGES = 200 };

static void assert_form(const struct matched_case *made, const struct filter_setup *setup,
                        enum edge edge, const int64_t *expected) {
  int64_t *responses = filter_block(made, setup, made->image, edge);
  size_t bytes = made->image.width * made->image.height * sizeof *responses;
  assert_memory_equal(responses, expected, bytes);
  free(responses);
}

static void forms_give_what_naive_loops_give(void **state) {
  (void)state;
  struct kernels kernels[RESPONSE_MAX + 1];
  for (int i = 0; i <= RESPONSE_MAX; i++) {
    assert_int_equal(kernels_make(&kernels[i], (enum response)i, NULL), LS_OK);
  }
  for (uint64_t seed = 0; seed < IMAGES; seed++) {
    struct matched_case made;
    make_any_case(&made, seed);
    enum response response = (enum response)(seed % 3);
    enum edge edge = (enum edge)(seed / 3 % 2);
    size_t pixels = made.image.width * made.image.height;
    int64_t *expected = malloc(pixels * sizeof *expected);
    assert_non_null(expected);
    for (size_t i = 0; i < pixels; i++) {
      struct area place = {i % made.image.width, i / made.image.width, 1, 1};
      expected[i] = respond_naively(&made, &kernels[response], response, place, edge);
    }
    struct filter_setup setup = {response, FORM_BANK, made.pixel_max, false};
    assert_form(&made, &setup, edge, expected);
    setup.is_plain = true;
    assert_form(&made, &setup, edge, expected);
    setup.form = response == RESPONSE_SUM ? FORM_COMPOSITE : FORM_AUTO;
    setup.is_plain = false;
    assert_form(&made, &setup, edge, expected);
    free(expected);
    close_made(&made);
  }
  for (int i = 0; i <= RESPONSE_MAX; i++) kernels_close(&kernels[i]);
}

/* Wide enough for several tiles of the vectors, and with the composite for several spans. */
static void any_split_gives_the_same(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 6; seed++) {
    struct ls_random chance;
    struct matched_case made;
    struct blocks blocks;
    ls_random_init(&chance, seed, "split");
    make_case(&made, (seed == 0 ? 300 : 50) + ls_random_below(&chance, 90),
              5 + ls_random_below(&chance, 70), 4095);
    size_t width = made.image.width;
    for (size_t i = 0; i < width * made.image.height; i++) {
      set_pixel(&made, i % width, i / width, (int32_t)ls_random_below(&chance, 4096));
    }
    struct filter_setup setup = {(enum response)(seed % 3), FORM_AUTO, made.pixel_max, false};
    enum edge edge = (enum edge)(seed % 2);
    int64_t *whole = filter_block(&made, &setup, made.image, edge);
    blocks_init(&blocks, made.image, 1 + ls_random_below(&chance, 130),
                7 + ls_random_below(&chance, 70));
    for (uint64_t unit = 0; unit < blocks_count(&blocks); unit++) {
      struct area block = blocks_area(&blocks, unit);
      int64_t *part = filter_block(&made, &setup, block, edge);
      for (size_t y = 0; y < block.height; y++) {
        assert_memory_equal(part + y * block.width, whole + (block.y + y) * width + block.x,
                            block.width * sizeof *part);
      }
      free(part);
    }
    free(whole);
    close_made(&made);
  }
}

/* A kernel's own pattern on something homogeneous. */
static void plant(const struct matched_case *made, const struct kernels *kernels, size_t number,
                  struct area place) {
  const struct kernel *kernel = &kernels->items[number];
  for (size_t i = 0; i < made->image.width * made->image.height; i++) {
    set_pixel(made, i % made->image.width, i / made->image.width, 2000);
  }
  for (size_t i = 0; i < kernel->count; i++) {
    const struct tap *tap = &kernels->taps[kernel->first + i];
    set_pixel(made, (size_t)((ptrdiff_t)place.x + tap->dx), (size_t)((ptrdiff_t)place.y + tap->dy),
              2000 + tap->weight / 5);
  }
}

static void planted_kernel_answers_most(void **state) {
  (void)state;
  struct kernels kernels;
  struct filter_setup setup = {RESPONSE_MAX, FORM_AUTO, 4095, false};
  struct filter *filter = NULL;
  assert_int_equal(kernels_make(&kernels, RESPONSE_MAX, NULL), LS_OK);
  assert_int_equal(filter_create(&setup, &filter, NULL), LS_OK);
  for (size_t number = 3; number < KERNELS; number += 15) {
    struct matched_case made;
    struct area place = {20 + number % 9, 17 + number % 5, 1, 1};
    struct patch patch = {0};
    make_case(&made, 48, 40, 4095);
    plant(&made, &kernels, number, place);
    int64_t *responses = filter_block(&made, &setup, made.image, EDGE_NEAREST);
    size_t best = 0;
    for (size_t i = 1; i < 48 * 40; i++) best = responses[i] > responses[best] ? i : best;
    assert_int_equal(best % 48, place.x);
    assert_int_equal(best / 48, place.y);
    struct samples samples = {made.samples, made.image, made.bytes};
    assert_int_equal(patch_fill(&patch, &samples, place, EDGE_NEAREST, NULL), LS_OK);
    assert_int_equal(filter_find_best(filter, &patch), number);
    patch_close(&patch);
    free(responses);
    close_made(&made);
  }
  filter_destroy(filter);
  kernels_close(&kernels);
}

static void homogeneous_image_answers_nothing(void **state) {
  (void)state;
  static const int32_t maxima[] = {200, 4095, 65535};
  for (size_t i = 0; i < 9; i++) {
    struct matched_case made;
    make_case(&made, 33, 20, maxima[i / 3]);
    for (size_t k = 0; k < 33 * 20; k++) set_pixel(&made, k % 33, k / 33, maxima[i / 3]);
    struct filter_setup setup = {(enum response)(i % 3), FORM_BANK, maxima[i / 3], false};
    int64_t *responses = filter_block(&made, &setup, made.image, EDGE_NEAREST);
    for (size_t k = 0; k < 33 * 20; k++) assert_int_equal(responses[k], 0);
    free(responses);
    close_made(&made);
  }
}

/* The kernel with the largest taps, on the image that it answers to most, and to its opposite. */
static void sums_at_the_limit_of_32_bits_are_right(void **state) {
  (void)state;
  static const int32_t maxima[] = {PIXEL_NARROW_MAX, PIXEL_NARROW_MAX + 1, 65535};
  struct kernels kernels;
  assert_int_equal(kernels_make(&kernels, RESPONSE_MAX, NULL), LS_OK);
  const struct kernel *kernel = &kernels.items[KERNELS - 1];
  for (int i = 0; i < 6; i++) {
    struct matched_case made;
    int32_t most = maxima[i / 2];
    int64_t positive = 0;
    make_case(&made, SIDE_MAX, SIDE_MAX, most);
    for (size_t k = 0; k < kernel->count; k++) {
      const struct tap *tap = &kernels.taps[kernel->first + k];
      bool is_lit = (tap->weight > 0) == (i % 2 == 0);
      if (tap->weight > 0) positive += tap->weight;
      set_pixel(&made, (size_t)(BORDER + tap->dx), (size_t)(BORDER + tap->dy), is_lit ? most : 0);
    }
    for (int plain = 0; plain < 2; plain++) {
      struct filter_setup setup = {RESPONSE_MAX, FORM_BANK, most, plain == 1};
      int64_t *responses = filter_block(&made, &setup, made.image, EDGE_ZERO);
      struct area centre = {BORDER, BORDER, 1, 1};
      int64_t expected = respond_naively(&made, &kernels, RESPONSE_MAX, centre, EDGE_ZERO);
      assert_int_equal(responses[BORDER * SIDE_MAX + BORDER], expected);
      if (i % 2 == 0) assert_int_equal(expected, positive * most);
      free(responses);
    }
    close_made(&made);
  }
  /* As narrow as it was said to be. */
  assert_true(INT64_C(124746) * PIXEL_NARROW_MAX <= INT32_MAX);
  assert_true(INT64_C(124746) * (PIXEL_NARROW_MAX + 1) > INT32_MAX);
  kernels_close(&kernels);
}

static void composite_is_refused_for_what_is_not_linear(void **state) {
  (void)state;
  for (int response = RESPONSE_RECTIFIED; response <= RESPONSE_MAX; response++) {
    struct filter_setup setup = {(enum response)response, FORM_COMPOSITE, 255, false};
    struct filter *filter = NULL;
    struct ls_error err = {0};
    assert_int_equal(filter_create(&setup, &filter, &err), LS_EINVAL);
    assert_null(filter);
    assert_non_null(strstr(err.text, "--form is 'composite'"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_give_what_naive_loops_give),
      cmocka_unit_test(any_split_gives_the_same),
      cmocka_unit_test(planted_kernel_answers_most),
      cmocka_unit_test(homogeneous_image_answers_nothing),
      cmocka_unit_test(sums_at_the_limit_of_32_bits_are_right),
      cmocka_unit_test(composite_is_refused_for_what_is_not_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
