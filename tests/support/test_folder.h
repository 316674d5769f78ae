/* test_folder.h: a folder of a test's own, made and removed with all that is in it. */
#ifndef LS_TESTS_SUPPORT_TEST_FOLDER_H
#define LS_TESTS_SUPPORT_TEST_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_FOLDER_BYTES = 32 };

static inline void test_folder_make(char folder[TEST_FOLDER_BYTES]) {
  strcpy(folder, "/tmp/loadstar-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
}

static inline void test_folder_remove(const char *folder) {
  char command[2 * TEST_FOLDER_BYTES + 32];
  (void)snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
  assert_int_equal(system(command), 0);
}

#endif
