/* A patch has the pixels of its block, and around them those of the image or what the edge says. */
#include "matched_case.h"

static void assert_patch(const struct matched_case *made, const struct patch *patch,
                         struct area block, enum edge edge) {
  size_t stride = block.width + 2 * BORDER, i = 0;
  assert_int_equal(patch->width, block.width);
  assert_int_equal(patch->height, block.height);
  for (size_t y = 0; y < block.height + 2 * BORDER; y++) {
    for (size_t x = 0; x < stride; x++, i++) {
      int64_t expected = find_naive_pixel(made, (ptrdiff_t)(block.x + x) - BORDER,
                                          (ptrdiff_t)(block.y + y) - BORDER, edge);
      assert_int_equal(patch->pixels[i], expected);
    }
  }
}

/* Only what is needed is given: the block and its surroundings. */
static void patch_has_what_the_image_or_its_edge_says(void **state) {
  (void)state;
  struct patch patch = {0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct matched_case made;
    struct blocks blocks;
    struct ls_random chance;
    make_any_case(&made, seed);
    ls_random_init(&chance, seed, "block");
    blocks_init(&blocks, made.image, 1 + ls_random_below(&chance, 30),
                1 + ls_random_below(&chance, 30));
    struct area block = blocks_area(&blocks, ls_random_below(&chance, blocks_count(&blocks)));
    struct area around = blocks_widen(&blocks, block);
    unsigned char *data = malloc(around.width * around.height * made.bytes), *to = data;
    assert_non_null(data);
    for (size_t y = 0; y < around.height; y++, to += around.width * made.bytes) {
      memcpy(to, made.samples + ((around.y + y) * made.image.width + around.x) * made.bytes,
             around.width * made.bytes);
    }
    struct samples samples = {data, around, made.bytes};
    for (int edge = EDGE_ZERO; edge <= EDGE_NEAREST; edge++) {
      assert_int_equal(patch_fill(&patch, &samples, block, (enum edge)edge, NULL), LS_OK);
      assert_patch(&made, &patch, block, (enum edge)edge);
    }
    free(data);
    close_made(&made);
  }
  patch_close(&patch);
  assert_null(patch.pixels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patch_has_what_the_image_or_its_edge_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
