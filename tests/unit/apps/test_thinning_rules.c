/* Which pixels go: as many neighbourhoods as another implementation counts, and no object and no
 * background is ever lost, split or joined by Guo and Hall's fully parallel steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "rules.h"

enum { SIDE = 4, FRAME = SIDE + 4, NEIGHBOURHOODS = 1 << 10 };

static void algorithms_are_found_by_name(void **state) {
  (void)state;
  size_t count = 0;
  for (; algorithms[count].name != NULL; count++) {
    assert_ptr_equal(algorithm_find(algorithms[count].name), &algorithms[count]);
    assert_in_range(algorithms[count].steps, 1, STEPS_MAX);
    assert_in_range(algorithms[count].above, 1, HALO_MAX);
    assert_int_equal(algorithms[count].below, 2);
  }
  assert_int_equal(count, 5);
  assert_null(algorithm_find("afp"));
  assert_null(algorithm_find(""));
}

/* One pixel in each of the 64 places, so a rule that mixes bits is found out. */
static struct around make_around(unsigned bits, unsigned place) {
  uint64_t pixel = UINT64_C(1) << place, at[10];
  for (size_t i = 0; i < 10; i++) at[i] = (bits >> i & 1) != 0 ? pixel : 0;
  return (struct around){.here = pixel,
                         .n = at[0],
                         .ne = at[1],
                         .e = at[2],
                         .se = at[3],
                         .s = at[4],
                         .sw = at[5],
                         .w = at[6],
                         .nw = at[7],
                         .ww = at[8],
                         .ss = at[9]};
}

/* Counted by tests/cli/thinning_by_pixels.py. */
static void as_many_neighbourhoods_are_deleted_as_elsewhere(void **state) {
  (void)state;
  static const struct {
    const char *name;
    unsigned deleted[STEPS_MAX];
  } cases[] = {{"afp3", {159}},
               {"afp2", {127}},
               {"afp1", {102}},
               {"zhang-suen", {136, 136}},
               {"guo-hall", {148, 148}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct algorithm *algorithm = algorithm_find(cases[i].name);
    assert_non_null(algorithm);
    for (size_t step = 0; step < algorithm->steps; step++) {
      unsigned deleted = 0;
      for (unsigned bits = 0; bits < NEIGHBOURHOODS; bits++) {
        struct around around = make_around(bits, bits % 64);
        deleted += (algorithm->deletes[step](&around) & around.here) != 0;
      }
      assert_int_equal(deleted, cases[i].deleted[step]);
    }
  }
}

/* ---- objects and backgrounds ---- */

/* With two white pixels on either side. */
struct frame {
  uint64_t pixels[FRAME][FRAME];
};

static struct frame make_frame(unsigned picture) {
  struct frame frame = {0};
  for (unsigned i = 0; i < SIDE * SIDE; i++) {
    frame.pixels[2 + i / SIDE][2 + i % SIDE] = picture >> i & 1;
  }
  return frame;
}

static struct frame thin_frame(const struct frame *frame, delete_fn find_deleted) {
  struct frame after = *frame;
  const uint64_t(*p)[FRAME] = frame->pixels;
  for (size_t y = 2; y < 2 + SIDE; y++) {
    for (size_t x = 2; x < 2 + SIDE; x++) {
      struct around around = {p[y][x],         p[y - 1][x], p[y - 1][x + 1], p[y][x + 1],
                              p[y + 1][x + 1], p[y + 1][x], p[y + 1][x - 1], p[y][x - 1],
                              p[y - 1][x - 1], p[y][x - 2], p[y + 2][x]};
      after.pixels[y][x] &= ~find_deleted(&around);
    }
  }
  return after;
}

static void mark(struct frame *frame, size_t y, size_t x, bool has_corners) {
  uint64_t value = frame->pixels[y][x];
  frame->pixels[y][x] = 2;
  for (size_t i = 0; i < 9; i++) {
    size_t next_y = y + i / 3 - 1, next_x = x + i % 3 - 1;
    bool is_corner = i % 2 == 0 && i != 4;
    if (next_y >= FRAME || next_x >= FRAME || (is_corner && !has_corners)) continue;
    if (frame->pixels[next_y][next_x] == value) mark(frame, next_y, next_x, has_corners);
  }
}

/* Regions of one value, which hang together by corners, too, or by sides alone. */
static unsigned count_regions(struct frame frame, uint64_t value, bool has_corners) {
  unsigned count = 0;
  for (size_t i = 0; i < (size_t)FRAME * FRAME; i++) {
    if (frame.pixels[i / FRAME][i % FRAME] != value) continue;
    mark(&frame, i / FRAME, i % FRAME, has_corners);
    count++;
  }
  return count;
}

static void objects_and_backgrounds_are_kept(void **state) {
  (void)state;
  static const char *const names[] = {"afp3", "afp2", "afp1"};
  for (unsigned picture = 0; picture < 1u << (SIDE * SIDE); picture++) {
    struct frame before = make_frame(picture);
    unsigned objects = count_regions(before, 1, true);
    unsigned backgrounds = count_regions(before, 0, false);
    for (size_t i = 0; i < 3; i++) {
      struct frame after = thin_frame(&before, algorithm_find(names[i])->deletes[0]);
      if (memcmp(&before, &after, sizeof before) == 0) continue;
      assert_int_equal(count_regions(after, 1, true), objects);
      assert_int_equal(count_regions(after, 0, false), backgrounds);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algorithms_are_found_by_name),
      cmocka_unit_test(as_many_neighbourhoods_are_deleted_as_elsewhere),
      cmocka_unit_test(objects_and_backgrounds_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
