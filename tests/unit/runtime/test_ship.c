/* The pack is cut out again by its own script, and what comes of it runs by its own loader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/pool/ssh/ship.h"

static void it_is_whole_and_runs(void **state) {
  struct ls_ship ship = {.file = -1};
  struct ls_error err = {0};
  char folder[] = "/tmp/loadstar-ship-test-XXXXXX", command[1024];
  (void)state;
  assert_non_null(mkdtemp(folder));
  if (ls_ship_make(&ship, "/proc/self/exe", &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(ship.bytes > ship.script_bytes && ship.script_bytes > 0);
  assert_string_equal(ship.program, "exe");
  (void)snprintf(command, sizeof command,
                 "cd %s && cat /proc/%ld/fd/%d >pack && [ $(stat -c %%s pack) = %" PRIu64
                 " ] && [ \"$(b2sum -l 256 <pack)\" = '%s  -' ] && tail -c %" PRIu64
                 " pack >unpack && sh ./unpack && [ ! -e pack ] && cmp exe /proc/%ld/exe",
                 folder, (long)getpid(), ship.file, ship.bytes, ship.digest, ship.script_bytes,
                 (long)getpid());
  assert_int_equal(system(command), 0);
  /* It does nothing but to print its answer to this word. */
  (void)snprintf(command, sizeof command,
                 "[ \"$(cd / && %s/%s --library-path %s/lib %s/exe answer)\" = shipped ]", folder,
                 ship.loader, folder, folder);
  assert_int_equal(system(command), 0);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  ls_ship_close(&ship);
  assert_int_equal(ship.file, -1);
}

static void equal_programs_have_equal_packs(void **state) {
  struct ls_ship one = {.file = -1}, other = {.file = -1};
  (void)state;
  assert_int_equal(ls_ship_make(&one, "/proc/self/exe", NULL), LS_OK);
  assert_int_equal(ls_ship_make(&other, "/proc/self/exe", NULL), LS_OK);
  assert_string_equal(one.digest, other.digest);
  ls_ship_close(&one);
  ls_ship_close(&other);
}

static void what_is_not_there_is_named(void **state) {
  struct ls_ship ship = {.file = -1};
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_ship_make(&ship, "/nowhere/program", &err), LS_EIO);
  assert_non_null(strstr(err.text, "/nowhere/program"));
  assert_int_equal(ship.file, -1);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "answer") == 0) return puts("shipped") == EOF;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_whole_and_runs),
      cmocka_unit_test(equal_programs_have_equal_packs),
      cmocka_unit_test(what_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
