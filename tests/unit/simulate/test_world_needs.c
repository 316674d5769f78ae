/* Units that need labels, in virtual time: by the same lanes as in a run. */
#include "world_fixture.h"

static void labels_and_needs_are_read_as_they_are_written(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss",
             "{\"labels\": [[], [\"gpu\"], [\"gpu\", \"big\"], []],"
             " \"needs\": [{\"label\": \"gpu\", \"first\": 10, \"units\": 5},"
             " {\"label\": \"big\", \"units\": 1}]}",
             0);
  assert_int_equal(fixture.status, LS_OK);
  const struct ls_simulation *setup = &fixture.world.setup;
  assert_true(setup->config.has_needs && !setup->config.recalls);
  assert_string_equal(setup->config.labels[0], "");
  assert_string_equal(setup->config.labels[2], "gpu,big");
  assert_int_equal(setup->needs_count, 2);
  assert_int_equal(setup->needs[0].units.first, 10);
  assert_int_equal(setup->needs[0].units.count, 5);
  assert_string_equal(setup->needs[1].label, "big");
  assert_int_equal(setup->needs[1].units.first, 0);
  assert_int_equal(run_simulation(setup, NULL).units_done, 20);
  close_world(&fixture);
}

/* Who cannot is as if it were not there: no policy reckons with it. */
static void workers_without_the_label_change_nothing(void **state) {
  (void)state;
  static const char *const policies[] = {"ss", "gss", "fac2", "tss", "wf"};
  struct ls_platform two;
  open_platform(&two, 2);
  two.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 2;
  two.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 4;
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    struct world_fixture fixture;
    struct ls_world alone;
    struct ls_json none = {0};
    const struct ls_world_request request = {
        .platform = &two, .units = 20, .policy = policies[i], .arguments = none};
    open_world(&fixture, policies[i],
               "{\"labels\": [[], [\"gpu\"], [], [\"gpu\"]],"
               " \"needs\": [{\"label\": \"gpu\", \"units\": 20}]}",
               0);
    assert_int_equal(fixture.status, LS_OK);
    assert_int_equal(ls_world_open(&alone, &request, NULL), LS_OK);
    alone.setup.config.recalls = false;
    struct ls_simulated expected = run_simulation(&alone.setup, NULL);
    struct ls_simulated got = run_simulation(&fixture.world.setup, NULL);
    assert_near(got.makespan_s, expected.makespan_s, 1e-9);
    assert_int_equal(got.chunks, expected.chunks);
    assert_int_equal(got.units_done, 20);
    ls_world_close(&alone);
    close_world(&fixture);
  }
  ls_platform_close(&two);
}

static void what_cannot_be_is_refused_by_its_place(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *part;
  } cases[] = {
      {"{\"labels\": [[], []]}", "a list for each of "},
      {"{\"labels\": [[], [], [], [\"a b\"]]}", "labels[3][0] is \"a b\""},
      {"{\"needs\": [{\"units\": 1}]}", "needs[0].label"},
      {"{\"needs\": [{\"label\": \"\", \"units\": 1}]}", "needs[0].label"},
      {"{\"needs\": [{\"label\": \"gpu\", \"units\": 21}]}", "needs[0].units is 21"},
      {"{\"needs\": [{\"label\": \"gpu\", \"first\": 20, \"units\": 1}]}", "needs[0].first is 20"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_world_refused("ss", cases[i].arguments, cases[i].part);
}

static void a_need_that_nobody_meets_is_refused(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss", "{\"needs\": [{\"label\": \"gpu\", \"first\": 3, \"units\": 1}]}", 0);
  assert_int_equal(fixture.status, LS_OK);
  assert_refused(&fixture.world.setup, "needs[0].label is 'gpu', which no worker has (unit 3)");
  close_world(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_and_needs_are_read_as_they_are_written),
      cmocka_unit_test(workers_without_the_label_change_nothing),
      cmocka_unit_test(what_cannot_be_is_refused_by_its_place),
      cmocka_unit_test(a_need_that_nobody_meets_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
