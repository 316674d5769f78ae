/* The picture's pixels are the responses, scaled to 0 .. 255 and rounded, halves upwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

static void pixels_are_the_rounded_scale(void **state) {
  (void)state;
  struct ls_random chance;
  ls_random_init(&chance, 1, "picture");
  for (int i = 0; i < 100; i++) {
    int64_t values[200];
    unsigned char pixels[200];
    uint64_t spread = 1 + ls_random_below(&chance, i % 2 == 0 ? 300 : UINT64_C(7000000000000));
    for (size_t k = 0; k < 200; k++) {
      values[k] = (int64_t)ls_random_below(&chance, spread + 1) - (int64_t)(spread / 3);
    }
    struct facts facts = facts_find(values, (struct area){0, 0, 200, 1});
    picture_scale(values, 200, &facts, pixels);
    for (size_t k = 0; k < 200; k++) {
      int64_t above = values[k] - facts.min, all = facts.max - facts.min;
      if (all == 0) continue;
      /* |pixel - 255 above / all| <= 1 / 2, and the larger one when both are as near. */
      int64_t error = 2 * (pixels[k] * all - 255 * above);
      assert_true(error > -all && error <= all);
    }
  }
}

static void least_is_black_largest_is_white(void **state) {
  (void)state;
  const int64_t values[] = {-10, 0, 10, 9};
  unsigned char pixels[4];
  struct facts facts = facts_find(values, (struct area){0, 0, 4, 1});
  picture_scale(values, 4, &facts, pixels);
  assert_int_equal(pixels[0], 0);
  assert_int_equal(pixels[1], 128); /* 127.5: a threshold at one half is a pixel >= 128 */
  assert_int_equal(pixels[2], 255);
  assert_int_equal(pixels[3], 242);
}

static void equal_responses_are_black(void **state) {
  (void)state;
  const int64_t values[] = {7, 7};
  unsigned char pixels[2] = {1, 1};
  struct facts facts = facts_find(values, (struct area){0, 0, 2, 1});
  picture_scale(values, 2, &facts, pixels);
  assert_int_equal(pixels[0] + pixels[1], 0);
}

/* As matched_paint does it: a pixel lies where responses lay that were read before it. */
static void pixels_may_take_the_place_of_their_responses(void **state) {
  (void)state;
  int64_t values[300], own[300];
  unsigned char pixels[300];
  for (size_t i = 0; i < 300; i++) own[i] = values[i] = (int64_t)(i * i % 511) - 100;
  struct facts facts = facts_find(values, (struct area){0, 0, 300, 1});
  picture_scale(values, 300, &facts, pixels);
  picture_scale(own, 300, &facts, (unsigned char *)own);
  assert_memory_equal(own, pixels, sizeof pixels);
}

static void header_is_that_of_a_pgm_file(void **state) {
  (void)state;
  char text[PICTURE_HEADER_ROOM];
  size_t length = picture_write_header((struct area){0, 0, 2147483647, 1}, text);
  assert_string_equal(text, "P5\n2147483647 1\n255\n");
  assert_int_equal(length, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pixels_are_the_rounded_scale),
      cmocka_unit_test(least_is_black_largest_is_white),
      cmocka_unit_test(equal_responses_are_black),
      cmocka_unit_test(pixels_may_take_the_place_of_their_responses),
      cmocka_unit_test(header_is_that_of_a_pgm_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
