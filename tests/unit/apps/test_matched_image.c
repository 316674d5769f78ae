/* An image's rows are read where they lie; what is no such file, or has changed, is told. */
#include "support/test_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"

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

static const char *write_image(const char *header, const void *samples, size_t length) {
  static char path[TEST_FOLDER_BYTES + 16];
  (void)snprintf(path, sizeof path, "%s/image.pgm", folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(header, 1, strlen(header), file), strlen(header));
  assert_int_equal(fwrite(samples, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void area_is_read_row_by_row(void **state) {
  (void)state;
  struct image image;
  struct ls_bytes samples = {0};
  const char *path = write_image("P5\n# four\n4 3\n255\n", "abcdefghijkl more", 17);
  assert_int_equal(image_open(&image, path, NULL), LS_OK);
  assert_int_equal(image_read(&image, (struct area){1, 1, 2, 2}, &samples, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&samples), "fgjk");
  assert_int_equal(image_read(&image, image_area(&image), &samples, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&samples), "fgjkabcdefghijkl");
  ls_bytes_close(&samples);
  image_close(&image);
}

static void large_sample_is_named(void **state) {
  (void)state;
  struct image image;
  struct ls_bytes samples = {0};
  struct ls_error err = {0};
  const char *path = write_image("P5 2 2 300\n", "\0\1\1\54\1\55\377\377", 8);
  assert_int_equal(image_open(&image, path, NULL), LS_OK);
  assert_int_equal(image_read(&image, (struct area){0, 0, 2, 1}, &samples, NULL), LS_OK);
  assert_int_equal(image_read(&image, (struct area){0, 1, 1, 1}, &samples, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "column 0 of row 1 is 301"));
  assert_int_equal(image_read(&image, image_area(&image), &samples, &err), LS_EINVAL);
  ls_bytes_close(&samples);
  image_close(&image);
}

static void shrunk_file_is_told(void **state) {
  (void)state;
  struct image image;
  struct ls_bytes samples = {0};
  struct ls_error err = {0};
  const char *path = write_image("P5 2 2 255\n", "abcd", 4);
  assert_int_equal(image_open(&image, path, NULL), LS_OK);
  assert_int_equal(truncate(path, 13), 0);
  assert_int_equal(image_read(&image, (struct area){0, 0, 2, 1}, &samples, NULL), LS_OK);
  assert_int_equal(image_read(&image, (struct area){0, 1, 2, 1}, &samples, &err), LS_EIO);
  assert_non_null(strstr(err.text, "row 1 cannot be read: the file has become shorter"));
  ls_bytes_close(&samples);
  image_close(&image);
}

static void assert_refused(const char *path, const char *words) {
  struct image image;
  struct ls_error err = {0};
  assert_int_equal(image_open(&image, path, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("%s: %s", words, err.text);
  assert_int_equal(image.file, -1);
}

static void what_is_no_image_is_refused(void **state) {
  (void)state;
  char pipe[TEST_FOLDER_BYTES + 16];
  (void)snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_refused(pipe, "is a pipe, expected a file");
  assert_refused(folder, "is a folder, expected a file");
  assert_refused("/dev/null", "is a device, expected a file");
  assert_refused("/nowhere/image.pgm", "No such file");
  assert_refused(write_image("", "", 0), "not a binary grey picture");
  assert_refused(write_image("P5 2 2 256\n", "abcdefg", 7), "has 18 bytes, expected 19");
}

static uint64_t digest(const char *header, const char *samples) {
  struct image image;
  struct ls_bytes bytes = {0};
  uint64_t number;
  assert_int_equal(image_open(&image, write_image(header, samples, strlen(samples)), NULL), LS_OK);
  assert_int_equal(image_digest(&image, &bytes, NULL), LS_OK);
  number = 1469598103U;
  for (size_t i = 0; i < bytes.length; i++) {
    number = (number ^ (unsigned char)bytes.data[i]) * UINT64_C(0x100000001b3);
  }
  ls_bytes_close(&bytes);
  image_close(&image);
  return number;
}

static void digest_changes_with_the_image(void **state) {
  (void)state;
  uint64_t first = digest("P5 2 2 255\n", "abcd");
  assert_true(digest("P5\n#\n2 2\n255\n", "abcdefg") == first);
  assert_true(digest("P5 2 2 255\n", "abce") != first);
  assert_true(digest("P5 4 1 255\n", "abcd") != first);
  assert_true(digest("P5 2 2 254\n", "abcd") != first);
}

/* Of rows that are digested by words, with bytes beside them: each byte, and where it is. */
static void digest_knows_each_byte(void **state) {
  (void)state;
  enum { WIDTH = 71, BYTES = 2 * WIDTH };
  char samples[BYTES + 1] = "";
  uint64_t seen[BYTES + 2];
  memset(samples, 'x', BYTES);
  for (size_t i = 0; i <= BYTES; i++) {
    if (i < BYTES) samples[i] = 'y';
    seen[i] = digest("P5 71 2 255\n", samples);
    if (i < BYTES) samples[i] = 'x';
  }
  memset(samples, 'y', WIDTH);
  seen[BYTES + 1] = digest("P5 71 2 255\n", samples);
  for (size_t i = 0; i < BYTES + 2; i++) {
    for (size_t j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(area_is_read_row_by_row),
      cmocka_unit_test(large_sample_is_named),
      cmocka_unit_test(shrunk_file_is_told),
      cmocka_unit_test(what_is_no_image_is_refused),
      cmocka_unit_test(digest_changes_with_the_image),
      cmocka_unit_test(digest_knows_each_byte),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
