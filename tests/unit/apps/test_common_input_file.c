/* What can be read again is told from what cannot. */
#include "support/test_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "input_file.h"

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

/* Paths of this folder; each of four is valid until four more were asked for. */
static const char *name(const char *file) {
  static char paths[4][TEST_FOLDER_BYTES + 32];
  static size_t next;
  char *path = paths[next++ % 4];
  (void)snprintf(path, sizeof paths[0], "%s/%s", folder, file);
  return path;
}

static const char *put(const char *file, const char *text) {
  const char *path = name(file);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_true(fputs(text, out) >= 0);
  assert_int_equal(fclose(out), 0);
  return path;
}

static void assert_refused(const char *path, const char *words) {
  struct ls_error err = {0};
  struct ls_bytes bytes = {0};
  int file = -1;
  assert_int_equal(input_file_open("sieve", path, &file, &err), LS_EINVAL);
  assert_int_equal(file, -1);
  if (strstr(err.text, words) == NULL) fail_msg("%s: %s", words, err.text);
  assert_ptr_equal(strstr(err.text, "sieve: "), err.text);
  err.text[0] = 0;
  assert_int_equal(input_file_read("sieve", path, false, &bytes, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("%s: %s", words, err.text);
  assert_int_equal(bytes.length, 0);
}

/* A pipe into which nobody writes lets nobody wait; a device may have no end. */
static void what_cannot_be_read_again_is_refused(void **state) {
  (void)state;
  assert_int_equal(mkfifo(name("pipe"), 0600), 0);
  assert_refused(name("pipe"), "is a pipe, expected a file");
  assert_refused(folder, "is a folder, expected a file");
  assert_refused("/dev/zero", "is a device, expected a file");
  assert_refused("/nowhere/at/all", "/nowhere/at/all: No such file");
}

static void file_is_opened_or_read_whole(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  int file = -1;
  char letter;
  const char *path = put("whole", "behind");
  assert_int_equal(input_file_open("sieve", path, &file, NULL), LS_OK);
  assert_true(pread(file, &letter, 1, 3) == 1 && letter == 'i');
  assert_int_equal(close(file), 0);
  ls_bytes_append_text(&bytes, "before ");
  assert_int_equal(input_file_read("sieve", path, false, &bytes, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&bytes), "before behind");
  ls_bytes_close(&bytes);
  assert_int_equal(input_file_read("sieve", put("empty", ""), false, &bytes, NULL), LS_OK);
  assert_int_equal(bytes.length, 0);
}

static void only_reader_may_read_a_pipe(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  struct ls_error err = {0};
  int ends[2];
  char path[32];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "flow", 4), 4);
  assert_int_equal(close(ends[1]), 0);
  (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  assert_int_equal(input_file_read("sieve", path, false, &bytes, &err), LS_EINVAL);
  assert_int_equal(input_file_read("sieve", path, true, &bytes, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&bytes), "flow");
  assert_int_equal(input_file_read("sieve", "/dev/zero", true, &bytes, &err), LS_EINVAL);
  assert_int_equal(input_file_read("sieve", folder, true, &bytes, &err), LS_EINVAL);
  assert_int_equal(close(ends[0]), 0);
  ls_bytes_close(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_read_again_is_refused),
      cmocka_unit_test(file_is_opened_or_read_whole),
      cmocka_unit_test(only_reader_may_read_a_pipe),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
