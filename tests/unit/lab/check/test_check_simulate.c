#include "check_fixture.h"

/* Workers that need 1 and 2 s for a unit. At 2 s both ask; the second one was served longer ago. */
static void a_run_is_shown_with_its_decisions(void **state) {
  (void)state;
  struct evaluation run = evaluate(&ls_check_kind_simulate, "ss", 6, 2, "{'prefetch': 0}");
  expect_field(&run, "makespan", "4.0");
  expect_field(&run, "efficiency", "1.0");
  expect_field(&run, "chunks", "[[0, 1.0], [1, 1.0], [0, 1.0], [1, 1.0], [0, 1.0], [0, 1.0]]");
  json_decref(run.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {{2, "guided", "{}", "policy is 'guided'"},
                                  {0, "ss", "{}", "no platform"},
                                  {2, "ss", "{'deadlines': 3}", "deadlines"},
                                  {1, "ss", "{'leave': [{'worker': 0, 'time': 1}]}", "cannot end"}};
  expect_refusals(&ls_check_kind_simulate, 6, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_shown_with_its_decisions),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
