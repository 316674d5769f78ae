/* A file is put in its place whole, or what stood there stays. */
#include "runtime/whole_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../support/test_folder.h"

static const struct ls_text words[] = {{"one ", 4, NULL}, {"", 0, NULL}, {"two", 3, NULL}};

static void name_in(const char *folder, const char *name, char path[64]) {
  (void)snprintf(path, 64, "%s/%s", folder, name);
}

static void expect(const char *path, const char *content) {
  char text[64] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  (void)fread(text, 1, sizeof text - 1, file);
  assert_int_equal(fclose(file), 0);
  assert_string_equal(text, content);
}

static void put(const char *path, const char *content) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs(content, file);
  assert_int_equal(fclose(file), 0);
}

/* Nothing but these many entries is in it. */
static void expect_entries(const char *folder, int count) {
  char command[96];
  (void)snprintf(command, sizeof command, "test \"$(ls -A %s | wc -l)\" -eq %d", folder, count);
  assert_int_equal(system(command), 0);
}

static void a_file_is_made_and_replaced(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[64];
  struct stat facts;
  test_folder_make(folder);
  name_in(folder, "picture", path);
  assert_int_equal(ls_whole_file_check(path, NULL), LS_OK);
  expect_entries(folder, 0);
  assert_int_equal(ls_whole_file_write(path, words, 3, NULL), LS_OK);
  expect(path, "one two");
  assert_int_equal(chmod(path, 0640), 0);
  assert_int_equal(ls_whole_file_check(path, NULL), LS_OK);
  expect(path, "one two");
  assert_int_equal(ls_whole_file_write(path, words, 1, NULL), LS_OK);
  expect(path, "one ");
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0640);
  assert_int_equal(ls_whole_file_write(path, NULL, 0, NULL), LS_OK);
  expect(path, "");
  expect_entries(folder, 1);
  test_folder_remove(folder);
}

static void a_link_is_followed(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[64], link[64];
  struct stat facts;
  test_folder_make(folder);
  name_in(folder, "picture", path);
  name_in(folder, "link", link);
  put(path, "old");
  assert_int_equal(symlink(path, link), 0);
  assert_int_equal(ls_whole_file_write(link, words, 3, NULL), LS_OK);
  expect(path, "one two");
  assert_int_equal(lstat(link, &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  test_folder_remove(folder);
}

static void refuse(const char *path, const char *reason) {
  struct ls_error err = {0};
  assert_int_equal(ls_whole_file_check(path, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  assert_non_null(strstr(err.text, reason));
  assert_int_not_equal(ls_whole_file_write(path, words, 3, &err), LS_OK);
  assert_non_null(strstr(err.text, path));
}

static void a_link_to_what_is_not_there_yet_is_followed(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], link[64], other[64], target[64];
  struct stat facts;
  test_folder_make(folder);
  name_in(folder, "link", link);
  name_in(folder, "other", other);
  name_in(folder, "target", target);
  assert_int_equal(symlink("other", link), 0);
  assert_int_equal(symlink(target, other), 0);
  assert_int_equal(ls_whole_file_check(link, NULL), LS_OK);
  assert_int_equal(ls_whole_file_write(link, words, 3, NULL), LS_OK);
  assert_int_equal(lstat(link, &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  assert_int_equal(lstat(target, &facts), 0);
  assert_true(S_ISREG(facts.st_mode));
  /* Into a folder that is not there, and in a circle: the links stay. */
  assert_int_equal(unlink(other) + symlink("folder/file", other), 0);
  refuse(link, "No such file");
  assert_int_equal(unlink(other) + symlink("link", other), 0);
  refuse(link, "Too many levels of symbolic links");
  expect_entries(folder, 3);
  test_folder_remove(folder);
}

static void what_is_no_ordinary_file_stays(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[64];
  struct stat facts;
  test_folder_make(folder);
  refuse(folder, "is a folder");
  name_in(folder, "pipe", path);
  assert_int_equal(mkfifo(path, 0600), 0);
  refuse(path, "no ordinary file");
  assert_int_equal(stat(path, &facts), 0);
  assert_true(S_ISFIFO(facts.st_mode));
  struct ls_error err = {0};
  assert_int_equal(ls_whole_file_check("", &err), LS_EINVAL);
  assert_string_equal(err.text, "'' is no name of a file");
  name_in(folder, "none/picture", path);
  refuse(path, "No such file");
  expect_entries(folder, 1);
  test_folder_remove(folder);
}

/* A disk that is full answers as this limit does: something is written, then nothing. */
static void a_failure_leaves_the_old(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[64];
  struct rlimit before, small;
  struct ls_error err = {0};
  test_folder_make(folder);
  name_in(folder, "picture", path);
  put(path, "old");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){5, before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  enum ls_status status = ls_whole_file_write(path, words, 3, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)signal(SIGXFSZ, handler);
  assert_int_equal(status, LS_EIO);
  assert_non_null(strstr(err.text, path));
  assert_non_null(strstr(err.text, "File too large"));
  expect(path, "old");
  expect_entries(folder, 1);
  test_folder_remove(folder);
}

static void one_file_has_many_names(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], one[64], other[64], soft[64], hard[64], dotted[64];
  test_folder_make(folder);
  name_in(folder, "one", one);
  name_in(folder, "other", other);
  name_in(folder, "soft", soft);
  name_in(folder, "hard", hard);
  name_in(folder, "./one", dotted);
  put(one, "1");
  put(other, "1");
  assert_int_equal(symlink("one", soft) + link(one, hard), 0);
  assert_true(ls_whole_file_is_same(one, one));
  assert_true(ls_whole_file_is_same(one, dotted));
  assert_true(ls_whole_file_is_same(one, soft));
  assert_true(ls_whole_file_is_same(hard, soft));
  assert_false(ls_whole_file_is_same(one, other));
  /* What is written to a device stays nowhere: two may be written there. */
  assert_false(ls_whole_file_is_same("/dev/null", "/dev/null"));
  test_folder_remove(folder);
}

static void a_file_that_is_not_there_has_a_folder_and_a_name(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], none[64], dotted[64], nobody[64], here[64], no[64], more[64];
  test_folder_make(folder);
  name_in(folder, "none", none);
  name_in(folder, ".//none", dotted);
  name_in(folder, "nobody", nobody);
  name_in(folder, "here", here);
  name_in(folder, "no/folder", no);
  name_in(folder, "none/folder", more);
  put(here, "1");
  assert_true(ls_whole_file_is_same(none, dotted));
  assert_true(ls_whole_file_is_same("none-of-these", "./none-of-these"));
  assert_false(ls_whole_file_is_same(none, nobody));
  assert_false(ls_whole_file_is_same(none, "/none"));
  assert_false(ls_whole_file_is_same(none, here));
  assert_false(ls_whole_file_is_same(no, more));
  test_folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_made_and_replaced),
      cmocka_unit_test(a_link_is_followed),
      cmocka_unit_test(a_link_to_what_is_not_there_yet_is_followed),
      cmocka_unit_test(what_is_no_ordinary_file_stays),
      cmocka_unit_test(a_failure_leaves_the_old),
      cmocka_unit_test(one_file_has_many_names),
      cmocka_unit_test(a_file_that_is_not_there_has_a_folder_and_a_name),
  };
  return cmocka_run_group_tests_name("runtime/whole_file", tests, NULL, NULL);
}
