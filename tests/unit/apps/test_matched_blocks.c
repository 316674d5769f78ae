/* Blocks cover an image once; stretches cover the blocks of a range once, and what is around. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "kernels.h"

static void make_any_blocks(struct blocks *blocks, struct ls_random *chance) {
  struct area image = {0, 0, 1 + ls_random_below(chance, 90), 1 + ls_random_below(chance, 90)};
  blocks_init(blocks, image, 1 + ls_random_below(chance, 100), 1 + ls_random_below(chance, 100));
}

static void blocks_cover_an_image_once_row_by_row(void **state) {
  (void)state;
  struct ls_random chance;
  ls_random_init(&chance, 1, "blocks");
  for (int i = 0; i < 300; i++) {
    struct blocks blocks;
    unsigned char seen[90][90] = {{0}};
    make_any_blocks(&blocks, &chance);
    for (uint64_t unit = 0; unit < blocks_count(&blocks); unit++) {
      struct area area = blocks_area(&blocks, unit);
      assert_int_equal(area.x, unit % blocks.across * blocks.block_width);
      assert_int_equal(area.y, unit / blocks.across * blocks.block_height);
      assert_true(area.width >= 1 && area.height >= 1);
      for (size_t y = 0; y < area.height; y++) {
        for (size_t x = 0; x < area.width; x++) seen[area.y + y][area.x + x]++;
      }
    }
    for (size_t y = 0; y < 90; y++) {
      for (size_t x = 0; x < 90; x++) {
        assert_int_equal(seen[y][x], x < blocks.width && y < blocks.height ? 1 : 0);
      }
    }
  }
}

static void large_block_is_one_unit(void **state) {
  (void)state;
  struct blocks blocks;
  blocks_init(&blocks, (struct area){0, 0, 37, 5}, 64, INT32_MAX);
  assert_int_equal(blocks_count(&blocks), 1);
  struct area area = blocks_area(&blocks, 0);
  assert_int_equal(area.width, 37);
  assert_int_equal(area.height, 5);
}

static void surroundings_end_with_the_image(void **state) {
  (void)state;
  struct blocks blocks;
  blocks_init(&blocks, (struct area){0, 0, 100, 100}, 64, 64);
  struct area corner = blocks_widen(&blocks, blocks_area(&blocks, 0));
  assert_memory_equal(&corner, (&(struct area){0, 0, 64 + BORDER, 64 + BORDER}), sizeof corner);
  corner = blocks_widen(&blocks, blocks_area(&blocks, 3));
  struct area expected = {64 - BORDER, 64 - BORDER, 36 + BORDER, 36 + BORDER};
  assert_memory_equal(&corner, &expected, sizeof corner);
  struct area middle = blocks_widen(&blocks, (struct area){50, 40, 1, 2});
  expected = (struct area){50 - BORDER, 40 - BORDER, SIDE_MAX, SIDE_MAX + 1};
  assert_memory_equal(&middle, &expected, sizeof middle);
}

static void assert_stretch(const struct blocks *blocks, const struct stretch *stretch) {
  uint64_t first = stretch->units.first, last = first + stretch->units.count - 1;
  struct area from = blocks_area(blocks, first), to = blocks_area(blocks, last);
  assert_int_equal(stretch->units.count % stretch->blocks_across, 0);
  struct area all = {from.x, from.y, to.x + to.width - from.x, to.y + to.height - from.y};
  struct area widened = blocks_widen(blocks, all);
  assert_memory_equal(&stretch->area, &widened, sizeof widened);
  /* No block lies outside of the rectangle. */
  for (uint64_t unit = first; unit <= last; unit++) {
    struct area area = blocks_area(blocks, unit);
    assert_true(area.x >= all.x && area.x + area.width <= all.x + all.width);
    assert_true(area.y >= all.y && area.y + area.height <= all.y + all.height);
  }
}

static void stretches_are_the_units_of_a_range(void **state) {
  (void)state;
  struct ls_random chance;
  ls_random_init(&chance, 2, "stretches");
  for (int i = 0; i < 2000; i++) {
    struct blocks blocks;
    struct stretch stretches[STRETCHES_MAX];
    make_any_blocks(&blocks, &chance);
    uint64_t first = ls_random_below(&chance, blocks_count(&blocks));
    struct ls_range units = {first, 1 + ls_random_below(&chance, blocks_count(&blocks) - first)};
    size_t count = blocks_stretch(&blocks, units, stretches);
    assert_in_range(count, 1, STRETCHES_MAX);
    for (size_t k = 0; k < count; k++) {
      assert_int_equal(stretches[k].units.first, first);
      assert_stretch(&blocks, &stretches[k]);
      first += stretches[k].units.count;
    }
    assert_int_equal(first, units.first + units.count);
  }
}

static void whole_image_is_one_stretch(void **state) {
  (void)state;
  struct blocks blocks;
  struct stretch stretches[STRETCHES_MAX];
  blocks_init(&blocks, (struct area){0, 0, 100, 70}, 16, 16);
  struct ls_range all = {0, blocks_count(&blocks)};
  assert_int_equal(blocks_stretch(&blocks, all, stretches), 1);
  assert_int_equal(stretches[0].area.width, 100);
  assert_int_equal(stretches[0].area.height, 70);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_cover_an_image_once_row_by_row),
      cmocka_unit_test(large_block_is_one_unit),
      cmocka_unit_test(surroundings_end_with_the_image),
      cmocka_unit_test(stretches_are_the_units_of_a_range),
      cmocka_unit_test(whole_image_is_one_stretch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
