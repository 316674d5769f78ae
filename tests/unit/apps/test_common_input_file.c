/* What an application reads is not what it writes, whatever the names say. */
#include "support/test_folder.h"

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

static void one_file_has_many_names(void **state) {
  (void)state;
  (void)put("one", "1");
  (void)put("other", "1");
  assert_int_equal(symlink("one", name("soft")), 0);
  assert_int_equal(link(name("one"), name("hard")), 0);
  assert_true(input_file_is(name("one"), name("one")));
  assert_true(input_file_is(name("one"), name("./one")));
  assert_true(input_file_is(name("one"), name("soft")));
  assert_true(input_file_is(name("hard"), name("soft")));
  assert_false(input_file_is(name("one"), name("other")));
}

static void file_that_is_not_there_has_a_folder_and_a_name(void **state) {
  (void)state;
  (void)put("here", "1");
  assert_true(input_file_is(name("none"), name(".//none")));
  assert_true(input_file_is("none-of-these", "./none-of-these"));
  assert_false(input_file_is(name("none"), name("nobody")));
  assert_false(input_file_is(name("none"), "/none"));
  assert_false(input_file_is(name("none"), name("here")));
  assert_false(input_file_is(name("no/folder"), name("none/folder")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_file_has_many_names),
      cmocka_unit_test(file_that_is_not_there_has_a_folder_and_a_name),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
