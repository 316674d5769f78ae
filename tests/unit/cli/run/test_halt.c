#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/halt.h"

static enum ls_master_wish ask(const char *text, uint64_t units, uint64_t succeeded,
                               uint64_t failed) {
  struct ls_halt halt;
  assert_int_equal(ls_halt_parse(&halt, text, NULL), LS_OK);
  return ls_halt_wish(&halt, units, succeeded, failed);
}

static void never_is_never(void **state) {
  (void)state;
  assert_int_equal(ask("never", 10, 5, 5), LS_WISH_GO_ON);
  struct ls_halt unset = {0};
  assert_int_equal(ls_halt_wish(&unset, 10, 5, 5), LS_WISH_GO_ON);
}

static void counts_are_reached_exactly(void **state) {
  (void)state;
  assert_int_equal(ask("soon,fail=3", 10, 7, 2), LS_WISH_GO_ON);
  assert_int_equal(ask("soon,fail=3", 10, 0, 3), LS_WISH_STOP);
  assert_int_equal(ask("now,fail=1", 10, 0, 1), LS_WISH_STOP_NOW);
  assert_int_equal(ask("now,success=2", 10, 1, 9), LS_WISH_GO_ON);
  assert_int_equal(ask("now,success=2", 10, 2, 0), LS_WISH_STOP_NOW);
  assert_int_equal(ask("soon,done=4", 10, 2, 1), LS_WISH_GO_ON);
  assert_int_equal(ask("soon,done=4", 10, 2, 2), LS_WISH_STOP);
}

static void percentages_are_of_all_tasks(void **state) {
  (void)state;
  assert_int_equal(ask("soon,fail=10%", 30, 0, 2), LS_WISH_GO_ON);
  assert_int_equal(ask("soon,fail=10%", 30, 0, 3), LS_WISH_STOP);
  assert_int_equal(ask("soon,fail=10%", 31, 0, 3), LS_WISH_GO_ON);
  assert_int_equal(ask("now,done=100%", 3, 2, 0), LS_WISH_GO_ON);
  assert_int_equal(ask("now,done=100%", 3, 2, 1), LS_WISH_STOP_NOW);
  /* A small share of few tasks is one task, not none. */
  assert_int_equal(ask("now,fail=0.5%", 10, 9, 0), LS_WISH_GO_ON);
  assert_int_equal(ask("now,fail=0.5%", 10, 0, 1), LS_WISH_STOP_NOW);
}

static void old_forms_mean_the_same(void **state) {
  (void)state;
  assert_int_equal(ask("0", 10, 0, 9), LS_WISH_GO_ON);
  assert_int_equal(ask("1", 10, 0, 1), LS_WISH_STOP);
  assert_int_equal(ask("2", 10, 0, 1), LS_WISH_STOP_NOW);
  assert_int_equal(ask("-1", 10, 1, 0), LS_WISH_STOP);
  assert_int_equal(ask("-2", 10, 1, 0), LS_WISH_STOP_NOW);
  assert_int_equal(ask("-2", 10, 0, 5), LS_WISH_GO_ON);
  assert_int_equal(ask("20%", 10, 0, 1), LS_WISH_GO_ON);
  assert_int_equal(ask("20%", 10, 0, 2), LS_WISH_STOP);
}

static void what_is_no_rule_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "soon",
                                    "now",
                                    "now,",
                                    "later,fail=1",
                                    "soon,fail",
                                    "soon,fail=",
                                    "soon,fail=0",
                                    "soon,fail=-1",
                                    "soon,fail=x",
                                    "soon,fail=0%",
                                    "soon,fail=101%",
                                    "soon,fail=nan%",
                                    "soon,fail=%",
                                    "soon,lost=1",
                                    "soon,fail=1.5",
                                    "never,fail=1",
                                    "soon,fail=1,",
                                    "soon,fail=99999999999999999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_halt halt = {.count = 77};
    struct ls_error err = {0};
    assert_int_equal(ls_halt_parse(&halt, bad[i], &err), LS_EINVAL);
    assert_int_equal(halt.count, 77);
    assert_non_null(strstr(err.text, "--halt is '"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(old_forms_mean_the_same), cmocka_unit_test(never_is_never),
      cmocka_unit_test(counts_are_reached_exactly), cmocka_unit_test(percentages_are_of_all_tasks),
      cmocka_unit_test(what_is_no_rule_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
