/* Facts of blocks add up to those of an image, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

static void assert_same_facts(const struct facts *a, const struct facts *b) {
  assert_int_equal(a->min, b->min);
  assert_int_equal(a->max, b->max);
  assert_int_equal(a->sum, b->sum);
  assert_int_equal(a->min_x, b->min_x);
  assert_int_equal(a->min_y, b->min_y);
  assert_int_equal(a->max_x, b->max_x);
  assert_int_equal(a->max_y, b->max_y);
}

/* Few values, so that the least and the largest stand in several places. */
static void facts_of_blocks_are_those_of_the_image(void **state) {
  (void)state;
  struct ls_random chance;
  ls_random_init(&chance, 1, "facts");
  for (int i = 0; i < 300; i++) {
    int64_t values[20 * 20], block[20 * 20];
    struct blocks blocks;
    struct area image = {0, 0, 20, 20};
    for (size_t k = 0; k < 400; k++) values[k] = 3 - (int64_t)ls_random_below(&chance, 7);
    struct facts whole = facts_find(values, image), joined = {0};
    blocks_init(&blocks, image, 1 + ls_random_below(&chance, 20), 1 + ls_random_below(&chance, 20));
    uint64_t count = blocks_count(&blocks), order[400];
    for (uint64_t unit = 0; unit < count; unit++) order[unit] = unit;
    ls_random_shuffle(&chance, order, (size_t)count);
    for (uint64_t k = 0; k < count; k++) {
      struct area area = blocks_area(&blocks, order[k]);
      for (size_t y = 0; y < area.height; y++) {
        memcpy(block + y * area.width, values + (area.y + y) * 20 + area.x,
               area.width * sizeof *block);
      }
      struct facts part = facts_find(block, area);
      joined = k == 0 ? part : facts_join(&joined, &part);
    }
    assert_same_facts(&joined, &whole);
  }
}

static void first_in_row_order_counts(void **state) {
  (void)state;
  const int64_t values[] = {5, 9, -2, 9, -2, 5};
  struct facts facts = facts_find(values, (struct area){10, 20, 3, 2});
  const struct facts expected = {
      .min = -2, .max = 9, .sum = 24, .min_x = 12, .min_y = 20, .max_x = 11, .max_y = 20};
  assert_same_facts(&facts, &expected);
}

static void facts_survive_their_journey(void **state) {
  (void)state;
  const struct facts facts = {INT64_MIN, INT64_MAX, -1, 0, UINT32_MAX, 1, 0x01020304};
  unsigned char bytes[FACTS_BYTES];
  facts_write(&facts, bytes);
  assert_int_equal(bytes[7], 0x80); /* of the least number the last byte is the highest */
  assert_int_equal(bytes[36], 0x04);
  struct facts read = facts_read(bytes);
  assert_same_facts(&read, &facts);
}

static void lowest_byte_stands_first(void **state) {
  (void)state;
  int64_t values[] = {0x0102030405060708, -2};
  const unsigned char expected[] = {8,    7,   6,   5,   4,   3,   2,   1,
                                    0xfe, 255, 255, 255, 255, 255, 255, 255};
  facts_turn_bytes(values, 2);
  assert_memory_equal(values, expected, sizeof expected);
  facts_turn_bytes(values, 2);
  assert_int_equal(values[0], 0x0102030405060708);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_of_blocks_are_those_of_the_image),
      cmocka_unit_test(first_in_row_order_counts),
      cmocka_unit_test(facts_survive_their_journey),
      cmocka_unit_test(lowest_byte_stands_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
