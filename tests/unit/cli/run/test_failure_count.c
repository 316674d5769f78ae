#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/run/failure_count.h"

static int count(uint64_t failed, const char *halt, int exit_code, int signal) {
  struct ls_halt rule = {0};
  struct ls_failures failures = {.count = failed > 0};
  failures.first[0].end = (struct ls_failure_end){.exit_code = exit_code, .signal = signal};
  if (halt != NULL) assert_int_equal(ls_halt_parse(&rule, halt, NULL), LS_OK);
  return ls_failure_count_status(&(struct ls_failure_count){.failed = failed,
                                                            .units = 40,
                                                            .halt = &rule,
                                                            .is_halted = halt != NULL,
                                                            .failures = &failures});
}

static void failures_are_counted_to_101(void **state) {
  (void)state;
  assert_int_equal(count(0, NULL, 0, 0), 0);
  assert_int_equal(count(1, NULL, 9, 0), 1);
  assert_int_equal(count(100, NULL, 9, 0), 100);
  assert_int_equal(count(101, NULL, 9, 0), 101);
  assert_int_equal(count(5000000000, NULL, 9, 0), 101);
}

static void a_rule_that_ends_a_run_says_its_status(void **state) {
  (void)state;
  assert_int_equal(count(1, "now,fail=1", 7, 0), 7);
  assert_int_equal(count(1, "soon,fail=1", 0, 9), 137);
  assert_int_equal(count(1, "now,fail=1", 0, 0), 1);
  assert_int_equal(count(3, "now,fail=3", 7, 0), 3);
  assert_int_equal(count(2, "now,success=1", 7, 0), 0);
  assert_int_equal(count(10, "soon,fail=20%", 7, 0), 25);
  assert_int_equal(count(0, "now,done=1", 0, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(failures_are_counted_to_101),
                                     cmocka_unit_test(a_rule_that_ends_a_run_says_its_status)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
