#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "planners/planner.h"

/* The list ends, also while it holds nothing. */
static void every_planner_is_found_by_its_name(void **state) {
  (void)state;
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    assert_ptr_equal(ls_planner_find(ls_planners[i]->name), ls_planners[i]);
    assert_true(strlen(ls_planners[i]->summary) > 0);
    assert_true(strlen(ls_planners[i]->reference) > 0);
    assert_non_null(ls_planners[i]->plan);
  }
}

static void an_unknown_planner_is_not_found(void **state) {
  (void)state;
  assert_null(ls_planner_find("no-such-planner"));
  assert_null(ls_planner_find(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_planner_is_found_by_its_name),
      cmocka_unit_test(an_unknown_planner_is_not_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
