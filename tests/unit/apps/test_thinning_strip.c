/* Rows of a picture are thinned alike wherever words end, and whichever rows are given together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strip.h"

enum { WIDTH_MAX = 200, ROWS = 24, BYTES_MAX = (WIDTH_MAX + 7) / 8 };

struct sheet {
  size_t width;
  unsigned char rows[ROWS][BYTES_MAX];
};

static bool get(const struct sheet *sheet, size_t y, size_t x) {
  return (sheet->rows[y][x / 8] >> (7 - x % 8) & 1) != 0;
}

static void set(struct sheet *sheet, size_t y, size_t x) {
  sheet->rows[y][x / 8] |= (unsigned char)(0x80 >> x % 8);
}

/* A disk, with a hole and a tail, that begins at column x. */
static struct sheet draw(size_t width, size_t x) {
  struct sheet sheet = {.width = width};
  for (size_t row = 0; row < ROWS; row++) {
    for (size_t column = 0; column < 21; column++) {
      int dy = (int)row - 10, dx = (int)column - 10, far = dx * dx + dy * dy;
      if (far <= 100 && far > 5) set(&sheet, row, x + column);
    }
  }
  for (size_t row = 18; row < ROWS; row++) set(&sheet, row, x + 12);
  return sheet;
}

/* Rows first .. first + count - 1 by themselves, with the halos that the algorithm wants. */
static void thin_rows(const struct sheet *sheet, const struct algorithm *algorithm, size_t first,
                      size_t count, struct sheet *after) {
  struct strip strip;
  assert_int_equal(strip_init(&strip, sheet->width, count, NULL), LS_OK);
  size_t from = first > algorithm->above ? first - algorithm->above : 0;
  for (size_t row = from; row < first + count + algorithm->below && row < ROWS; row++) {
    strip_put_row(&strip, (ptrdiff_t)row - (ptrdiff_t)first, sheet->rows[row]);
  }
  strip_thin(&strip, algorithm, 1 + count % 2);
  bool is_changed = false;
  for (size_t i = 0; i < count; i++) {
    strip_get_row(&strip, i, after->rows[first + i]);
    is_changed |=
        memcmp(after->rows[first + i], sheet->rows[first + i], strip_row_bytes(sheet->width)) != 0;
  }
  assert_int_equal(strip_is_changed(&strip), is_changed);
  strip_close(&strip);
}

static struct sheet thin_in_parts(struct sheet sheet, const struct algorithm *algorithm,
                                  size_t rows) {
  for (struct sheet after = {.width = sheet.width};; sheet = after) {
    for (size_t first = 0; first < ROWS; first += rows) {
      thin_rows(&sheet, algorithm, first, rows < ROWS - first ? rows : ROWS - first, &after);
    }
    if (memcmp(&after, &sheet, sizeof after) == 0) return after;
  }
}

static void parts_are_the_whole(void **state) {
  (void)state;
  struct sheet sheet = draw(70, 47);
  for (const struct algorithm *algorithm = algorithms; algorithm->name != NULL; algorithm++) {
    struct sheet whole = thin_in_parts(sheet, algorithm, ROWS);
    for (size_t rows = 1; rows < ROWS; rows++) {
      struct sheet parts = thin_in_parts(sheet, algorithm, rows);
      assert_memory_equal(&parts, &whole, sizeof parts);
    }
  }
}

/* From one side of the border between words to the other. */
static void words_and_widths_are_no_matter(void **state) {
  (void)state;
  for (const struct algorithm *algorithm = algorithms; algorithm->name != NULL; algorithm++) {
    struct sheet expected = thin_in_parts(draw(21, 0), algorithm, ROWS);
    for (size_t x = 0; x < 150; x += 7) {
      for (size_t more = 0; more < 3; more++) {
        struct sheet got = thin_in_parts(draw(x + 21 + more, x), algorithm, ROWS);
        for (size_t i = 0; i < (size_t)ROWS * got.width; i++) {
          size_t row = i / got.width, column = i % got.width;
          bool is_inside = column >= x && column < x + 21;
          assert_int_equal(get(&got, row, column), is_inside && get(&expected, row, column - x));
        }
      }
    }
  }
}

static void what_fills_up_a_row_counts_for_nothing(void **state) {
  (void)state;
  struct strip strip;
  unsigned char row[2] = {0xff, 0xff}, got[2];
  assert_int_equal(strip_row_bytes(9), 2);
  assert_int_equal(strip_init(&strip, 9, 1, NULL), LS_OK);
  strip_put_row(&strip, 0, row);
  strip_thin(&strip, algorithm_find("zhang-suen"), 1);
  strip_get_row(&strip, 0, got);
  assert_int_equal(got[0], 0xff);
  assert_int_equal(got[1], 0x80);
  assert_false(strip_is_changed(&strip));
  strip_close(&strip);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_the_whole),
      cmocka_unit_test(words_and_widths_are_no_matter),
      cmocka_unit_test(what_fills_up_a_row_counts_for_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
