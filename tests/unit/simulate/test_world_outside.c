/* What happens to a run from outside, read from JSON. */
#include "world_fixture.h"

static void what_comes_from_outside_is_read_as_it_is_written(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss",
             "{\"depart\": [{\"worker\": 1, \"time\": 2}], \"advice\": [{\"time\": 1,"
             " \"prefetch\": 3}, {\"time\": 2, \"policy\": \"gss:2\", \"workers\": 2}],"
             " \"stop\": {\"time\": 9, \"hard\": true},"
             " \"deadline\": 12, \"grant\": {\"at_start\": 2, \"limit\": 3}}",
             0);
  assert_int_equal(fixture.status, LS_OK);
  const struct ls_simulation *setup = &fixture.world.setup;
  assert_int_equal(setup->depart[0].worker, 1);
  assert_near(setup->depart[0].time_s, 2, 0);
  assert_int_equal(setup->advice_count, 2);
  assert_int_equal(setup->advice[0].advice.prefetch, 3);
  assert_int_equal(setup->advice[0].advice.policy, 0);
  assert_int_equal(setup->advice[1].advice.policy, 1);
  assert_int_equal(setup->advice[1].advice.workers, 2);
  assert_string_equal(setup->config.choices[0].chunking->name, "gss");
  assert_true(setup->stop.is_wanted && setup->stop.is_hard);
  assert_int_equal(setup->grant.limit, 3);
  assert_near(setup->config.deadline_s, 12, 0);
  assert_true(run_simulation(setup, NULL).units_done <= 20);
  close_world(&fixture);
}

static void what_cannot_be_is_refused_by_its_place(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *part;
  } cases[] = {{"{\"depart\": [{\"worker\": 4, \"time\": 2}]}", "depart[0].worker is 4"},
               {"{\"advice\": [{\"policy\": \"gss\"}]}", "advice[0].time"},
               {"{\"advice\": [{\"time\": 1, \"policy\": \"gs\"}]}", "policy is 'gs'"},
               {"{\"advice\": [{\"time\": 1, \"workers\": 5}]}", "advice[0].workers is 5"},
               {"{\"advice\": [{\"time\": 1, \"prefetch\": 0}]}", "advice[0].prefetch is 0"},
               {"{\"stop\": {\"hard\": true}}", "stop.time"},
               {"{\"stop\": {\"time\": 1, \"hard\": 1}}", "stop.hard is 1"},
               {"{\"grant\": {\"at_start\": 1, \"limit\": 0}}", "grant.limit is 0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_world_refused("ss", cases[i].arguments, cases[i].part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_comes_from_outside_is_read_as_it_is_written),
      cmocka_unit_test(what_cannot_be_is_refused_by_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
