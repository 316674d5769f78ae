/* What commands find in their environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/execute/command_environment.h"

static const char *find(char *const *entries, const char *name) {
  const char *found = NULL;
  size_t length = strlen(name);
  for (; *entries != NULL; entries++) {
    if (strncmp(*entries, name, length) != 0 || (*entries)[length] != '=') continue;
    if (found != NULL) fail_msg("%s is there twice", name);
    found = *entries + length + 1;
  }
  return found;
}

/* A loadstar within a task of another one, or of GNU parallel, has numbers of its own. */
static void numbers_of_task_and_slot_replace_inherited_ones(void **state) {
  (void)state;
  struct ls_command_environment environment;
  setenv("PARALLEL_SEQ", "99", 1);
  setenv("LOADSTAR_SLOT", "98", 1);
  setenv("LOADSTAR_ATTEMPT", "97", 1);
  setenv("KEPT", "as it is", 1);
  assert_int_equal(ls_command_environment_init(&environment, NULL, 3, NULL), LS_OK);
  char *const *entries = ls_command_environment_of(&environment, 7, 2);
  assert_string_equal(find(entries, "PARALLEL_SEQ"), "7");
  assert_string_equal(find(entries, "LOADSTAR_SEQ"), "7");
  assert_string_equal(find(entries, "LOADSTAR_ATTEMPT"), "2");
  assert_string_equal(find(entries, "PARALLEL_JOBSLOT"), "3");
  assert_string_equal(find(entries, "LOADSTAR_SLOT"), "3");
  assert_string_equal(find(entries, "KEPT"), "as it is");
  entries = ls_command_environment_of(&environment, UINT64_MAX, 3);
  assert_string_equal(find(entries, "PARALLEL_SEQ"), "18446744073709551615");
  ls_command_environment_close(&environment);
}

static void what_the_master_adds_replaces_the_workers_own(void **state) {
  (void)state;
  char *assignments[] = {(char *)"KEPT=of the master", (char *)"NEW=a=b", (char *)"KEPT=again",
                         (char *)"PARALLEL_SEQ=never"};
  const struct ls_command_manners manners = {.assignments = assignments,
                                             .assignments_count = 4,
                                             .slot_variable = (char *)"CUDA_VISIBLE_DEVICES"};
  struct ls_command_environment environment;
  setenv("KEPT", "as it is", 1);
  setenv("CUDA_VISIBLE_DEVICES", "all", 1);
  assert_int_equal(ls_command_environment_init(&environment, &manners, 2, NULL), LS_OK);
  char *const *entries = ls_command_environment_of(&environment, 1, 1);
  assert_string_equal(find(entries, "KEPT"), "of the master");
  assert_string_equal(find(entries, "NEW"), "a=b");
  assert_string_equal(find(entries, "PARALLEL_SEQ"), "1");
  assert_string_equal(find(entries, "CUDA_VISIBLE_DEVICES"), "1");
  ls_command_environment_close(&environment);
}

/* A name that is the beginning of another one is not that one. */
static void names_are_compared_whole(void **state) {
  (void)state;
  char *assignments[] = {(char *)"ABC=1"};
  const struct ls_command_manners manners = {.assignments = assignments, .assignments_count = 1};
  struct ls_command_environment environment;
  setenv("AB", "short", 1);
  setenv("ABCD", "long", 1);
  assert_int_equal(ls_command_environment_init(&environment, &manners, 0, NULL), LS_OK);
  char *const *entries = ls_command_environment_of(&environment, 1, 1);
  assert_string_equal(find(entries, "AB"), "short");
  assert_string_equal(find(entries, "ABC"), "1");
  assert_string_equal(find(entries, "ABCD"), "long");
  ls_command_environment_close(&environment);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_task_and_slot_replace_inherited_ones),
      cmocka_unit_test(what_the_master_adds_replaces_the_workers_own),
      cmocka_unit_test(names_are_compared_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
