/* A picture is read from a file, counted, and written as another one; what cannot be is told. */
#include "support/test_folder.h"

#include "picture.h"

static char folder[TEST_FOLDER_BYTES];

static int make_folder(void **state) {
  (void)state;
  test_folder_make(folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  test_folder_remove(folder);
  return 0;
}

static const char *name(const char *file) {
  static char path[TEST_FOLDER_BYTES + 16];
  (void)snprintf(path, sizeof path, "%s/%s", folder, file);
  return path;
}

static void put(const char *path, const void *data, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void picture_is_written_as_it_was_read(void **state) {
  (void)state;
  struct picture picture;
  char got[32];
  put(name("in"), "P1 9 2 111111111 000000011", 26);
  assert_int_equal(picture_read(name("in"), THRESHOLD_NONE, &picture, NULL), LS_OK);
  assert_int_equal(picture_count(&picture), 11);
  put(name("out"), "what is there is replaced", 25);
  assert_int_equal(picture_write(&picture, name("out"), NULL), LS_OK);
  picture_close(&picture);
  FILE *file = fopen(name("out"), "rb");
  assert_non_null(file);
  assert_int_equal(fread(got, 1, sizeof got, file), 11);
  assert_memory_equal(got, "P4\n9 2\n\377\200\001\200", 11);
  assert_int_equal(fclose(file), 0);
  assert_null(fopen(name("out.part"), "rb"));
}

static void files_that_cannot_be_are_named(void **state) {
  (void)state;
  struct picture picture = {0};
  struct ls_error err = {0};
  assert_int_equal(picture_read(name("none"), THRESHOLD_NONE, &picture, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "none: No such file"));
  assert_int_equal(picture_read(folder, THRESHOLD_NONE, &picture, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is a folder"));
  put(name("in"), "P1 1 1 1", 8);
  assert_int_equal(picture_read(name("in"), THRESHOLD_NONE, &picture, NULL), LS_OK);
  assert_int_equal(picture_write(&picture, name("none/out"), &err), LS_EIO);
  assert_non_null(strstr(err.text, "none/out: No such file"));
  picture_close(&picture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(picture_is_written_as_it_was_read),
      cmocka_unit_test(files_that_cannot_be_are_named),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
