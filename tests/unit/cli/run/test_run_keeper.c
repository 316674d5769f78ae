#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/console.h"
#include "cli/run/run_keeper.h"

/* A worker without a master says so by its exit status, under the name of its own subcommand. */
static void workers_are_this_program(void **state) {
  (void)state;
  static struct ls_run_keeper keeper;
  struct ls_keeper_record record = {.kind = LS_KEEPER_ADDRESS};
  struct ls_error err = {0};
  if (ls_run_keeper_start(&keeper, "a program run", NULL, &err) != LS_OK) fail_msg("%s", err.text);
  assert_string_equal(keeper.name, "a program worker");
  assert_non_null(strstr(keeper.program, "run_tests"));
  struct ls_keeper_line *line = ls_keeper_line(keeper.keeper);
  strcpy(record.words, "ipc:///no/such/folder/master");
  ls_keeper_line_post(line, &record);
  record = (struct ls_keeper_record){.kind = LS_KEEPER_START, .slot = 1, .number = 1};
  ls_keeper_line_post(line, &record);
  do {
    struct pollfd look = {.fd = line->file, .events = POLLIN};
    assert_int_equal(poll(&look, 1, 60000), 1);
  } while (!ls_keeper_line_take(line, &record) || record.kind == LS_KEEPER_STARTED);
  assert_int_equal(record.kind, LS_KEEPER_ENDED);
  assert_int_equal(record.exit_code, LS_EXIT_INFRASTRUCTURE);
  ls_run_keeper_close(&keeper);
  ls_run_keeper_close(&keeper);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(workers_are_this_program)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
