/* What a program needs to be started is named where it is not there. */
#include "../../support/test_folder.h"

#include <sys/stat.h>

#include "runtime/os/interpreter.h"

static char folder[TEST_FOLDER_BYTES];
static char path[TEST_FOLDER_BYTES + 16];

static int begin(void **state) {
  (void)state;
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/program", folder);
  return 0;
}

static int end(void **state) {
  (void)state;
  test_folder_remove(folder);
  return 0;
}

static void expect(const char *content, size_t length, const char *expected) {
  char words[512] = "";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(content, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(ls_interpreter_is_missing(path, words, sizeof words), expected != NULL);
  if (expected != NULL) assert_string_equal(words, expected);
}

static void a_script_names_its_interpreter(void **state) {
  (void)state;
#define EXPECT(TEXT, EXPECTED) expect(TEXT, sizeof TEXT - 1, EXPECTED)
  EXPECT("#!/bin/sh\necho\n", NULL);
  EXPECT("#! /bin/sh -e\n", NULL);
  EXPECT("#!/bin/sh\r\necho\r\n",
         "its interpreter '/bin/sh\\r' cannot be run: No such file or directory (its lines end as "
         "those of Windows do, in \\r)");
  EXPECT("#!\t/no/such\x1b -x\n",
         "its interpreter '/no/such\\x1b' cannot be run: No such file or directory");
  EXPECT("#!/etc/passwd\n", "its interpreter '/etc/passwd' cannot be run: Permission denied");
  EXPECT("#!relative\n", NULL);
  EXPECT("#!\n", NULL);
  EXPECT("#!/no/such without an end",
         "its interpreter '/no/such' cannot be run: No such file or "
         "directory");
  EXPECT("echo\n", NULL);
  EXPECT("", NULL);
}

/* A binary of our own, whose loader is given another name. */
static void a_binary_names_its_loader(void **state) {
  (void)state;
  static char content[1 << 22];
  FILE *file = fopen("/proc/self/exe", "r");
  assert_non_null(file);
  size_t length = fread(content, 1, sizeof content, file);
  fclose(file);
  char *loader = memmem(content, length, "/ld-linux", 9);
  if (loader == NULL) loader = memmem(content, length, "/ld-", 4);
  if (loader == NULL) skip();
  expect(content, length, NULL);
  loader[1] = '?';
  char words[512] = "";
  file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(content, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  assert_true(ls_interpreter_is_missing(path, words, sizeof words));
  assert_non_null(strstr(words, "its loader '"));
  assert_non_null(strstr(words, "/?d-"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_script_names_its_interpreter),
                                     cmocka_unit_test(a_binary_names_its_loader)};
  return cmocka_run_group_tests(tests, begin, end);
}
