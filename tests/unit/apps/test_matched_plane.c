/* Values get their places in a file, in any order; what an earlier run has left does no harm. */
#include "support/test_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/random.h"
#include "plane.h"

/* Whatever moves values may move fewer than it was asked to: so much at most; 0: no limit. */
static size_t moved_most;

static ssize_t move_part(long number, int file, const struct iovec *parts, int count, off_t at) {
  struct iovec some[64];
  size_t left = moved_most > 0 ? moved_most : SIZE_MAX;
  int used = 0;
  for (; used < count && left > 0; used++) {
    some[used] = parts[used];
    if (some[used].iov_len > left) some[used].iov_len = left;
    left -= some[used].iov_len;
  }
  return syscall(number, file, some, used, at, (off_t)0);
}

ssize_t preadv64(int file, const struct iovec *parts, int count, off_t at) {
  return move_part(SYS_preadv, file, parts, count, at);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t at) {
  return move_part(SYS_pwritev, file, parts, count, at);
}

static char folder[TEST_FOLDER_BYTES], path[TEST_FOLDER_BYTES + 16];

static int make_folder(void **state) {
  (void)state;
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/plane", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  test_folder_remove(folder);
  return 0;
}

static const struct area image = {0, 0, 4, 3};

/* Row by row. */
static struct plane make_plane(const char *name) {
  struct plane plane = {.file = -1, .path = name, .value_bytes = 1, .header_bytes = 2};
  blocks_init(&plane.blocks, image, image.width, image.height);
  return plane;
}

static void read_file(char text[64]) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(text, 1, 63, file);
  text[length] = '\0';
  assert_int_equal(fclose(file), 0);
}

static void values_get_their_places(void **state) {
  (void)state;
  struct plane plane = make_plane(path);
  char text[64], got[13] = "";
  assert_int_equal(plane_make(&plane, NULL), LS_OK);
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(plane_write(&plane, (struct area){2, 0, 2, 3}, "cdghkl", NULL), LS_OK);
  assert_int_equal(plane_write(&plane, (struct area){0, 0, 2, 3}, "abefij", NULL), LS_OK);
  assert_int_equal(plane_finish(&plane, "H\n", NULL), LS_OK);
  assert_int_equal(plane_sync(&plane, NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "H\nabcdefghijkl");
  assert_int_equal(plane_read(&plane, (struct area){1, 1, 2, 2}, got, NULL), LS_OK);
  assert_string_equal(got, "fgjk");
  assert_int_equal(plane_read(&plane, (struct area){0, 1, 4, 2}, got, NULL), LS_OK);
  assert_string_equal(got, "efghijkl");
  plane_close(&plane);
  assert_int_equal(plane.file, -1);
}

static void blocks_lie_together(void **state) {
  (void)state;
  struct plane plane = make_plane(path);
  char text[64], got[13] = "";
  blocks_init(&plane.blocks, image, 3, 2);
  assert_int_equal(plane_make(&plane, NULL), LS_OK);
  for (uint64_t unit = blocks_count(&plane.blocks); unit-- > 0;) {
    static const char *const values[] = {"abcefg", "dh", "ijk", "l"};
    struct area block = blocks_area(&plane.blocks, unit);
    assert_int_equal(plane_write(&plane, block, values[unit], NULL), LS_OK);
  }
  assert_int_equal(plane_finish(&plane, "H\n", NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "H\nabcefgdhijkl");
  assert_int_equal(plane_read(&plane, image, got, NULL), LS_OK);
  assert_string_equal(got, "abcdefghijkl");
  assert_int_equal(plane_read(&plane, (struct area){0, 1, 4, 2}, got, NULL), LS_OK);
  assert_memory_equal(got, "efghijkl", 8);
  assert_int_equal(plane_read(&plane, (struct area){1, 0, 3, 3}, got, NULL), LS_OK);
  assert_memory_equal(got, "bcdfghjkl", 9);
  plane_close(&plane);
}

/* Of all sizes of images and blocks, more rows than go at once among them, what was written is
 * read, whichever way it is cut, and however little is moved at a time. */
static void every_area_has_its_values(void **state) {
  (void)state;
  static int32_t values[200 * 40], got[200 * 40], part[200 * 40];
  struct ls_random random;
  ls_random_init(&random, 1, "areas");
  for (int round = 0; round < 300; round++) {
    struct area whole = {0, 0, 1 + ls_random_below(&random, 40), 1 + ls_random_below(&random, 200)};
    struct plane plane = {.file = -1, .value_bytes = sizeof *values, .header_bytes = 3};
    blocks_init(&plane.blocks, whole, 1 + ls_random_below(&random, 50),
                1 + ls_random_below(&random, 250));
    assert_int_equal(plane_make(&plane, NULL), LS_OK);
    moved_most = round % 2 == 0 ? 0 : 1 + ls_random_below(&random, 500);
    for (size_t i = 0; i < whole.width * whole.height; i++) values[i] = (int32_t)i;
    assert_int_equal(plane_write(&plane, whole, values, NULL), LS_OK);
    assert_int_equal(plane_read(&plane, whole, got, NULL), LS_OK);
    assert_memory_equal(got, values, whole.width * whole.height * sizeof *values);
    size_t x = ls_random_below(&random, whole.width), y = ls_random_below(&random, whole.height);
    struct area area = {x, y, 1 + ls_random_below(&random, whole.width - x),
                        1 + ls_random_below(&random, whole.height - y)};
    assert_int_equal(plane_read(&plane, area, part, NULL), LS_OK);
    for (size_t i = 0; i < area.width * area.height; i++) {
      size_t at = (y + i / area.width) * whole.width + x + i % area.width;
      assert_int_equal(part[i], values[at]);
      part[i] = values[at] = -(int32_t)i - 1;
    }
    assert_int_equal(plane_write(&plane, area, part, NULL), LS_OK);
    assert_int_equal(plane_read(&plane, whole, got, NULL), LS_OK);
    assert_memory_equal(got, values, whole.width * whole.height * sizeof *values);
    plane_close(&plane);
  }
  moved_most = 0;
}

static void what_another_one_has_left_is_begun_anew(void **state) {
  (void)state;
  struct plane plane = make_plane(path);
  char text[64];
  assert_int_equal(unlink(path), 0);
  assert_int_equal(plane_make(&plane, NULL), LS_OK);
  assert_int_equal(plane_claim(&plane, "A\n", NULL), LS_OK);
  assert_int_equal(plane_extend(&plane, "?", NULL), LS_OK);
  assert_int_equal(plane_write(&plane, (struct area){0, 1, 4, 1}, "efgh", NULL), LS_OK);
  assert_int_equal(plane_claim(&plane, "A\n", NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "A\n????efgh????");
  assert_int_equal(plane_claim(&plane, "B\n", NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "B\n");
  plane_close(&plane);
}

/* A second process, or a session later. */
static void values_stay_until_they_are_written_anew(void **state) {
  (void)state;
  struct plane first = make_plane(path), second = make_plane(path);
  char text[64];
  assert_int_equal(plane_open(&first, NULL), LS_OK);
  assert_int_equal(plane_write(&first, image, "abcdefghijkl", NULL), LS_OK);
  assert_int_equal(ftruncate(first.file, 40), 0);
  assert_int_equal(plane_open(&second, NULL), LS_OK);
  assert_int_equal(plane_write(&second, (struct area){0, 1, 4, 1}, "EFGH", NULL), LS_OK);
  assert_int_equal(plane_finish(&second, "h\n", NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "h\nabcdEFGHijkl");
  plane_close(&first);
  plane_close(&second);
}

static void what_the_file_is_too_short_for_gets_a_value(void **state) {
  (void)state;
  struct plane plane = make_plane(path);
  char text[64], got[12];
  struct ls_error err = {0};
  assert_int_equal(unlink(path), 0);
  assert_int_equal(plane_open(&plane, &err), LS_EIO);
  assert_non_null(strstr(err.text, "No such file"));
  assert_int_equal(plane_make(&plane, NULL), LS_OK);
  assert_int_equal(plane_read(&plane, image, got, &err), LS_EIO);
  assert_non_null(strstr(err.text, "has become shorter"));
  assert_int_equal(plane_extend(&plane, "?", NULL), LS_OK);
  assert_int_equal(plane_write(&plane, (struct area){0, 1, 2, 1}, "ef", NULL), LS_OK);
  assert_int_equal(plane_finish(&plane, "H\n", NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "H\n????ef??????");
  assert_int_equal(ftruncate(plane.file, 9), 0);
  assert_int_equal(plane_extend(&plane, "!", NULL), LS_OK);
  assert_int_equal(plane_extend(&plane, ".", NULL), LS_OK);
  read_file(text);
  assert_string_equal(text, "H\n????ef?!!!!!");
  plane_close(&plane);
}

/* Half of a value is none. */
static void large_values_are_extended_too(void **state) {
  (void)state;
  const struct area large = {0, 0, 300, 400};
  struct plane plane = {.file = -1, .value_bytes = sizeof(int64_t)};
  static int64_t values[300 * 400];
  blocks_init(&plane.blocks, large, large.width, large.height);
  const int64_t value = INT64_MIN;
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(ftruncate(plane.file, 8 * 5 + 3), 0);
  assert_int_equal(plane_extend(&plane, &value, NULL), LS_OK);
  assert_int_equal(plane_read(&plane, large, values, NULL), LS_OK);
  for (size_t i = 0; i < 300 * 400; i++) assert_int_equal(values[i], i < 5 ? 0 : value);
  plane_close(&plane);
}

static void values_may_be_kept_in_memory(void **state) {
  (void)state;
  struct plane plane = make_plane(NULL);
  char got[13] = "";
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(plane_write(&plane, image, "abcdefghijkl", NULL), LS_OK);
  assert_int_equal(plane_sync(&plane, NULL), LS_OK);
  assert_int_equal(plane_read(&plane, image, got, NULL), LS_OK);
  assert_string_equal(got, "abcdefghijkl");
  plane_close(&plane);
}

static void disk_that_is_full_is_told(void **state) {
  (void)state;
  struct plane plane = make_plane("/dev/full");
  struct ls_error err = {0};
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(plane_write(&plane, image, "abcdefghijkl", &err), LS_EIO);
  assert_non_null(strstr(err.text, "/dev/full: No space left"));
  plane_close(&plane);
  plane.path = "/nowhere/plane";
  assert_int_equal(plane_open(&plane, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/nowhere/plane"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_get_their_places),
      cmocka_unit_test(blocks_lie_together),
      cmocka_unit_test(every_area_has_its_values),
      cmocka_unit_test(what_another_one_has_left_is_begun_anew),
      cmocka_unit_test(values_stay_until_they_are_written_anew),
      cmocka_unit_test(what_the_file_is_too_short_for_gets_a_value),
      cmocka_unit_test(large_values_are_extended_too),
      cmocka_unit_test(values_may_be_kept_in_memory),
      cmocka_unit_test(disk_that_is_full_is_told),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
