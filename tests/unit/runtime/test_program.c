/* A program is the same as itself, wherever its file lies, and no other one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/program.h"

/* What a program with these commands done to a copy of this one says of itself. */
static void describe_copy(const char *change, char text[LS_PROGRAM_BYTES]) {
  char command[512];
  (void)snprintf(command, sizeof command,
                 "f=$(mktemp) && cp /proc/%ld/exe $f && chmod 700 $f && %s && $f describe; rm $f",
                 (long)getpid(), change);
  FILE *said = popen(command, "r");
  assert_non_null(said);
  assert_non_null(fgets(text, LS_PROGRAM_BYTES, said));
  (void)pclose(said);
  text[strcspn(text, "\n")] = '\0';
}

static void it_is_told_by_version_and_content(void **state) {
  (void)state;
  char own[LS_PROGRAM_BYTES], copy[LS_PROGRAM_BYTES], other[LS_PROGRAM_BYTES];
  char path[64];
  ls_program_describe(own);
  (void)snprintf(path, sizeof path, "/proc/%ld/exe", (long)getpid());
  ls_program_describe_file(path, copy);
  assert_string_equal(copy, own);
  assert_int_equal(strncmp(own, LS_VERSION " ", strlen(LS_VERSION " ")), 0);
  assert_int_equal(strlen(own), strlen(LS_VERSION) + 17);
  describe_copy("true", copy);
  assert_string_equal(copy, own);
  describe_copy("echo >>$f", other);
  assert_string_not_equal(other, own);
}

int main(int argc, char **argv) {
  char text[LS_PROGRAM_BYTES];
  if (argc > 1 && strcmp(argv[1], "describe") == 0) {
    ls_program_describe(text);
    puts(text);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_told_by_version_and_content)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
