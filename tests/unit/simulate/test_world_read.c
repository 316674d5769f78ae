/* What happens in a world, read from JSON. */
#include "world_fixture.h"

static void task_times_stay_or_are_drawn_anew(void **state) {
  (void)state;
  struct world_fixture same, fresh;
  open_world(&same, "ss", "{\"task_times\": {\"law\": \"gamma\"}, \"iterations\": 2}", 3);
  open_world(&fresh, "ss",
             "{\"task_times\": {\"law\": \"gamma\", \"each_iteration\": true}, \"iterations\": 2}",
             3);
  for (size_t i = 0; i < 20; i++) {
    assert_near(same.world.task_work[i], same.world.task_work[20 + i], 0);
    assert_near(same.world.task_work[i], fresh.world.task_work[i], 0);
    assert_true(fabs(fresh.world.task_work[i] - fresh.world.task_work[20 + i]) > 0);
  }
  assert_ptr_equal(same.world.setup.expected_work, same.world.task_work);
  assert_null(fresh.world.setup.expected_work);
  close_world(&same);
  close_world(&fresh);
}

static void a_workload_carries_its_share(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss",
             "{\"workload\": {\"share_percent\": 60, \"total\": 100}, \"iterations\": 2}", 1);
  assert_int_equal(fixture.status, LS_OK);
  double large = 0, all = 0;
  for (size_t i = 0; i < 20; i++) {
    all += fixture.world.task_work[i];
    if (i < 4) large += fixture.world.task_work[i];
  }
  assert_near(all, 100, 1e-9);
  assert_near(large, 60, 1e-9);
  close_world(&fixture);
}

/* True and false, as `loadstar-lab check` and the vectors have them. */
static void a_workload_says_by_flags_whose_tasks_differ(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss",
             "{\"workload\": {\"share_percent\": 60, \"large_differ\": true, \"small_differ\": "
             "false}}",
             1);
  assert_int_equal(fixture.status, LS_OK);
  const double *work = fixture.world.task_work;
  for (size_t i = 1; i < 4; i++) assert_near(work[i], work[0] * (double)(i + 1), 1e-9);
  for (size_t i = 5; i < 20; i++) assert_near(work[i], work[4], 0);
  close_world(&fixture);
}

static void the_world_is_read_as_it_is_written(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss",
             "{\"leave\": [{\"worker\": 1, \"time\": 5}], \"join\": [{\"worker\": 2, \"time\": 1}],"
             " \"pauses\": [{\"worker\": 3, \"from\": 2, \"until\": 4}, {\"worker\": 0,"
             " \"from\": 90}], \"reclaim\": {\"probability\": 0.5}, \"grant\": {\"at_start\": 4,"
             " \"delay\": 2, \"exponential\": true}, \"availability\": [[], [], [{\"from\": 1,"
             " \"share\": 0.5}], []]}",
             0);
  assert_int_equal(fixture.status, LS_OK);
  const struct ls_simulation *setup = &fixture.world.setup;
  assert_int_equal(setup->leave[0].worker, 1);
  assert_near(setup->join[0].time_s, 1, 0);
  assert_int_equal(setup->pauses_count, 2);
  assert_true(isinf(setup->pauses[1].until_s));
  assert_near(setup->reclaim.probability, 0.5, 0);
  assert_int_equal(setup->grant.at_start, 4);
  assert_true(setup->grant.is_exponential);
  assert_int_equal(setup->availability_count[2], 1);
  assert_near(setup->availability[2][0].share, 0.5, 0);
  assert_int_equal(run_simulation(setup, NULL).units_done, 20);
  close_world(&fixture);
}

static void chunks_may_be_tasks(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "affine", "{\"whole_chunks\": true, \"prefetch\": 0}", 0);
  assert_int_equal(fixture.status, LS_OK);
  assert_true(fixture.world.setup.has_whole_chunks);
  assert_int_equal(run_simulation(&fixture.world.setup, NULL).units_done, 20);
  close_world(&fixture);
  open_world(&fixture, "affine", "{\"whole_chunks\": 1}", 0);
  assert_int_equal(fixture.status, LS_EINVAL);
  assert_non_null(strstr(fixture.err.text, "whole_chunks"));
  close_world(&fixture);
}

static void load_comes_from_the_seed(void **state) {
  (void)state;
  const char *text =
      "{\"load_pattern\": {\"kind\": \"random\", \"duration\": 50}, "
      "\"recall\": false}";
  struct world_fixture one, same, other;
  open_world(&one, "ss", text, 1);
  open_world(&same, "ss", text, 1);
  open_world(&other, "ss", text, 2);
  double makespan_s = run_simulation(&one.world.setup, NULL).makespan_s;
  assert_near(run_simulation(&same.world.setup, NULL).makespan_s, makespan_s, 0);
  assert_true(fabs(run_simulation(&other.world.setup, NULL).makespan_s - makespan_s) > 0);
  close_world(&one);
  close_world(&same);
  close_world(&other);
}

/* The last list holds for the iterations behind it, too; idle units take no time, nor in the bound.
 */
static void units_that_are_idle_are_read(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss", "{\"iterations\": 3, \"idle\": [[], [[0, 5], [7, 13]]]}", 0);
  assert_int_equal(fixture.status, LS_OK);
  const struct ls_ranges *idle = fixture.world.setup.idle;
  assert_int_equal(idle[0].count, 0);
  for (size_t k = 1; k < 3; k++) {
    assert_int_equal(idle[k].count, 2);
    assert_int_equal(idle[k].items[1].first, 7);
    assert_int_equal(idle[k].items[1].count, 13);
  }
  assert_int_equal(run_simulation(&fixture.world.setup, NULL).units_done, 20 + 2 + 2);
  double speed = 1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4;
  assert_near(ls_world_bound(&fixture.world), 20 / speed + 1 + 1, 1e-9);
  close_world(&fixture);
}

static void what_cannot_be_is_refused_by_its_place(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *part;
  } cases[] = {
      {"{\"task_work\": [1, 2]}", "task_work"},
      {"{\"task_work\": 3}", "task_work is 3"},
      {"{\"task_times\": {\"law\": \"zipf\"}}", "task_times.law is \"zipf\", expected one of"},
      {"{\"task_times\": {\"law\": \"normal\", \"sigma\": 1}}", "sigma"},
      {"{\"task_times\": {\"law\": \"normal\", \"mean\": 0}}", "task_times.mean is 0"},
      {"{\"task_times\": {\"law\": \"normal\"}, \"workload\": {}}", "only one of"},
      {"{\"workload\": {\"tasks\": 7}}", "workload.tasks is 7"},
      {"{\"workload\": {\"large_differ\": 1}}", "workload.large_differ is 1"},
      {"{\"idle\": []}", "idle is an array"},
      {"{\"idle\": [[], []]}", "one list for each iteration"},
      {"{\"idle\": [[[1]]]}", "idle[0][0]"},
      {"{\"idle\": [[[1, 0]]]}", "idle[0][0][1] is 0"},
      {"{\"leave\": [{\"worker\": 9, \"time\": 5}]}", "leave[0].worker is 9"},
      {"{\"leave\": [{\"worker\": 1}]}", "leave[0]"},
      {"{\"pauses\": [{\"worker\": 1, \"from\": -2}]}", "pauses[0].from is -2"},
      {"{\"availability\": [[]]}", "one list for each worker"},
      {"{\"availability\": [[{\"share\": 1}], [], [], []]}", "availability[0][0].from"},
      {"{\"load_pattern\": {\"kind\": \"seven\"}}", "load_pattern.duration"},
      {"{\"load_pattern\": {\"kind\": \"eight\", \"duration\": 1}}", "load_pattern.kind"},
      {"{\"grant\": {\"at_start\": 5}}", "grant.at_start is 5"},
      {"{\"reclaim\": {\"probability\": 2}}", "reclaim.probability is 2"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_world_refused("ss", cases[i].arguments, cases[i].part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(task_times_stay_or_are_drawn_anew),
      cmocka_unit_test(a_workload_carries_its_share),
      cmocka_unit_test(a_workload_says_by_flags_whose_tasks_differ),
      cmocka_unit_test(the_world_is_read_as_it_is_written),
      cmocka_unit_test(units_that_are_idle_are_read),
      cmocka_unit_test(load_comes_from_the_seed),
      cmocka_unit_test(chunks_may_be_tasks),
      cmocka_unit_test(what_cannot_be_is_refused_by_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
