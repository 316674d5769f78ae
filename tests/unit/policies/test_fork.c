/* Single fork: nothing before a share of the units has ended, then all that is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/replication.h"

static double weigh(uint64_t units, uint64_t ended, const char *left, double elapsed_s) {
  const struct ls_replication *fork = ls_replication_find("fork");
  struct ls_replica_facts facts = {.units = units, .units_ended = ended, .elapsed_s = elapsed_s};
  ls_arguments_init(&facts.arguments, fork->parameters);
  assert_int_equal(ls_arguments_set(&facts.arguments, fork->parameters, "left", left, NULL), LS_OK);
  return fork->worth(&facts);
}

static void the_rest_is_what_is_left_of_that_share(void **state) {
  (void)state;
  for (uint64_t ended = 0; ended < 100; ended++) {
    assert_int_equal(weigh(100, ended, "0.1", 0) > 0, ended >= 90);
    assert_int_equal(weigh(100, ended, "0.07", 0) > 0, ended >= 93);
    assert_true(weigh(100, ended, "0", 0) < 0);
    assert_true(weigh(100, ended, "1", 0) > 0);
  }
  /* Of few units the last one. */
  assert_true(weigh(5, 3, "0.1", 0) < 0);
  assert_true(weigh(5, 4, "0.1", 0) > 0);
}

static void what_has_lasted_longest_comes_first(void **state) {
  (void)state;
  assert_true(weigh(10, 9, "0.2", 2) > weigh(10, 9, "0.2", 1));
}

/* Nobody knows how many more there will be. */
static void an_incomplete_iteration_has_no_rest(void **state) {
  (void)state;
  assert_true(weigh(0, 0, "1", 5) < 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rest_is_what_is_left_of_that_share),
      cmocka_unit_test(what_has_lasted_longest_comes_first),
      cmocka_unit_test(an_incomplete_iteration_has_no_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
