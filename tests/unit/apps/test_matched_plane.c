/* Values get their places in a file, in any order; what an earlier run has left does no harm. */
#include "support/test_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plane.h"

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

static struct plane make_plane(const char *name) {
  return (struct plane){
      .file = -1, .path = name, .image = {0, 0, 4, 3}, .value_bytes = 1, .header_bytes = 2};
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

/* A second process, or a session later. */
static void values_stay_until_they_are_written_anew(void **state) {
  (void)state;
  struct plane first = make_plane(path), second = make_plane(path);
  char text[64];
  assert_int_equal(plane_open(&first, NULL), LS_OK);
  assert_int_equal(plane_write(&first, first.image, "abcdefghijkl", NULL), LS_OK);
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
  assert_int_equal(plane_read(&plane, plane.image, got, &err), LS_EIO);
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
  struct plane plane = {.file = -1, .image = {0, 0, 300, 400}, .value_bytes = sizeof(int64_t)};
  static int64_t values[300 * 400];
  const int64_t value = INT64_MIN;
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(ftruncate(plane.file, 8 * 5 + 3), 0);
  assert_int_equal(plane_extend(&plane, &value, NULL), LS_OK);
  assert_int_equal(plane_read(&plane, plane.image, values, NULL), LS_OK);
  for (size_t i = 0; i < 300 * 400; i++) assert_int_equal(values[i], i < 5 ? 0 : value);
  plane_close(&plane);
}

static void values_may_be_kept_in_memory(void **state) {
  (void)state;
  struct plane plane = make_plane(NULL);
  char got[13] = "";
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(plane_write(&plane, plane.image, "abcdefghijkl", NULL), LS_OK);
  assert_int_equal(plane_sync(&plane, NULL), LS_OK);
  assert_int_equal(plane_read(&plane, plane.image, got, NULL), LS_OK);
  assert_string_equal(got, "abcdefghijkl");
  plane_close(&plane);
}

static void disk_that_is_full_is_told(void **state) {
  (void)state;
  struct plane plane = make_plane("/dev/full");
  struct ls_error err = {0};
  assert_int_equal(plane_open(&plane, NULL), LS_OK);
  assert_int_equal(plane_write(&plane, plane.image, "abcdefghijkl", &err), LS_EIO);
  assert_non_null(strstr(err.text, "/dev/full: No space left"));
  plane_close(&plane);
  plane.path = "/nowhere/plane";
  assert_int_equal(plane_open(&plane, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/nowhere/plane"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_get_their_places),
      cmocka_unit_test(values_stay_until_they_are_written_anew),
      cmocka_unit_test(what_the_file_is_too_short_for_gets_a_value),
      cmocka_unit_test(large_values_are_extended_too),
      cmocka_unit_test(values_may_be_kept_in_memory),
      cmocka_unit_test(disk_that_is_full_is_told),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
