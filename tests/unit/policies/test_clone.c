/* Clones: all of a small iteration, nothing of a larger one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/replication.h"

static void small_iterations_run_twice_from_the_start(void **state) {
  const struct ls_replication *clone = ls_replication_find("clone");
  struct ls_replica_facts facts = {.workers = 4};
  (void)state;
  ls_arguments_init(&facts.arguments, clone->parameters);
  for (facts.units = 1; facts.units < 20; facts.units++)
    assert_int_equal(clone->worth(&facts) > 0, facts.units <= 10);
  assert_int_equal(ls_arguments_set(&facts.arguments, clone->parameters, "tasks", "3", NULL),
                   LS_OK);
  for (facts.units = 1; facts.units < 20; facts.units++)
    assert_int_equal(clone->worth(&facts) > 0, facts.units <= 3);
}

static void an_incomplete_iteration_is_not_small(void **state) {
  const struct ls_replication *clone = ls_replication_find("clone");
  struct ls_replica_facts facts = {.workers = 4};
  (void)state;
  ls_arguments_init(&facts.arguments, clone->parameters);
  assert_true(clone->worth(&facts) < 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_iterations_run_twice_from_the_start),
      cmocka_unit_test(an_incomplete_iteration_is_not_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
