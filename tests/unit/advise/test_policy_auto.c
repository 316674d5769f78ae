/* "auto" chooses in the world that is asked for, by other seeds, and plays what it has chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "advise/policy_auto.h"

enum { WORKERS = 4, UNITS = 400, BEHIND = 1000 };

struct fixture {
  struct ls_platform platform;
  json_t *arguments;
  struct ls_world_request request;
};

static void open_fixture(struct fixture *fixture, const char *arguments) {
  *fixture = (struct fixture){0};
  assert_int_equal(ls_platform_init(&fixture->platform, WORKERS, NULL), LS_OK);
  fixture->arguments = json_loads(arguments, 0, NULL);
  assert_non_null(fixture->arguments);
  fixture->request = (struct ls_world_request){.platform = &fixture->platform,
                                               .units = UNITS,
                                               .policy = "auto",
                                               .arguments = ls_json_top(fixture->arguments, "test"),
                                               .has_seed = true,
                                               .seed = 1};
}

static void close_fixture(struct fixture *fixture) {
  ls_platform_close(&fixture->platform);
  json_decref(fixture->arguments);
}

static double play(struct fixture *fixture, const struct ls_candidate *chosen, const char *policy) {
  struct ls_world world;
  struct ls_simulated simulated;
  struct ls_world_request request = fixture->request;
  if (policy != NULL) request.policy = policy;
  enum ls_status status = policy != NULL ? ls_world_open(&world, &request, NULL)
                                         : ls_policy_auto_open(&request, chosen, &world, NULL);
  assert_int_equal(status, LS_OK);
  assert_int_equal(ls_simulate(&world.setup, &simulated, NULL, NULL), LS_OK);
  ls_world_close(&world);
  return simulated.makespan_s;
}

static void only_its_name_is_auto(void **state) {
  (void)state;
  struct ls_error err = {0};
  bool is_auto = false;
  assert_int_equal(ls_policy_auto_read("auto", &is_auto, &err), LS_OK);
  assert_true(is_auto);
  for (size_t i = 0; i < 3; i++) {
    static const char *const others[] = {"af", "", "automatic"};
    is_auto = true;
    assert_int_equal(ls_policy_auto_read(others[i], &is_auto, &err), LS_OK);
    assert_false(is_auto);
  }
  assert_int_equal(ls_policy_auto_read("auto:1", &is_auto, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "'auto:1', but auto takes no value"));
}

/* Messages cost ten units: one unit at a time would take ten times as long. */
static void it_keeps_away_from_single_units_where_messages_are_dear(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_candidate chosen;
  open_fixture(&fixture, "{\"task_times\": {\"law\": \"gamma\", \"variation\": 0.3}}");
  for (size_t i = 0; i < WORKERS; i++) fixture.platform.workers[i].delay_s = 10;
  assert_int_equal(ls_policy_auto_choose(&fixture.request, BEHIND, &chosen, NULL), LS_OK);
  assert_string_not_equal(chosen.chunking->name, "ss");
  assert_true(play(&fixture, &chosen, NULL) < 0.7 * play(&fixture, NULL, "ss"));
  close_fixture(&fixture);
}

static void a_prefetch_that_is_given_is_kept(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_candidate chosen;
  open_fixture(&fixture, "{\"prefetch\": 3}");
  for (size_t i = 0; i < WORKERS; i++) fixture.platform.workers[i].delay_s = 0.5;
  assert_int_equal(ls_policy_auto_choose(&fixture.request, BEHIND, &chosen, NULL), LS_OK);
  assert_int_equal(chosen.prefetch, 3);
  close_fixture(&fixture);
}

/* As the rule of a run has it: where speeds differ and are known, wf2 or af rather than ss. */
static void it_begins_with_the_choice_of_the_rule(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_candidate chosen;
  open_fixture(&fixture, "{\"task_times\": {\"law\": \"gamma\", \"variation\": 0.3}}");
  for (size_t i = 0; i < WORKERS; i++) {
    fixture.platform.workers[i].delay_s = 0.3;
    fixture.platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = i < 2 ? 1 : 2;
  }
  assert_int_equal(ls_policy_auto_choose(&fixture.request, BEHIND, &chosen, NULL), LS_OK);
  const struct ls_situation facts = {
      .latency = 0.3 / 1.5, .variation = 0.3, .prefetch = 1, .knows_speeds = true};
  assert_string_not_equal(ls_advise_by_rule(&facts, NULL)->name, "ss");
  assert_true(play(&fixture, &chosen, NULL) <= 1.02 * play(&fixture, NULL, "ss"));
  assert_string_not_equal(chosen.chunking->name, "ss");
  close_fixture(&fixture);
}

static void tasks_with_needs_are_not_for_it(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_candidate chosen;
  struct ls_error err = {0};
  open_fixture(&fixture,
               "{\"labels\": [[\"gpu\"], [], [], []], "
               "\"needs\": [{\"label\": \"gpu\", \"units\": 3}]}");
  assert_int_equal(ls_policy_auto_choose(&fixture.request, BEHIND, &chosen, &err), LS_EINVAL);
  if (strstr(err.text, "all workers can do") == NULL) fail_msg("%s", err.text);
  close_fixture(&fixture);
}

/* Of tasks that are one process for all their units it takes the policy for those, or a better. */
static void whole_chunks_have_their_own_policy_among_the_candidates(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_candidate chosen;
  open_fixture(&fixture, "{\"whole_chunks\": true}");
  for (size_t i = 0; i < WORKERS; i++)
    fixture.platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s = 20;
  assert_int_equal(ls_policy_auto_choose(&fixture.request, BEHIND, &chosen, NULL), LS_OK);
  assert_true(play(&fixture, &chosen, NULL) <= 1.001 * play(&fixture, NULL, "affine"));
  close_fixture(&fixture);
}

static void a_world_that_is_refused_refuses_auto(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_candidate chosen;
  struct ls_error err = {0};
  open_fixture(&fixture, "{\"foo\": 1}");
  assert_int_equal(ls_policy_auto_choose(&fixture.request, BEHIND, &chosen, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "policy auto"));
  assert_non_null(strstr(err.text, "\"foo\""));
  close_fixture(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_its_name_is_auto),
      cmocka_unit_test(it_keeps_away_from_single_units_where_messages_are_dear),
      cmocka_unit_test(a_prefetch_that_is_given_is_kept),
      cmocka_unit_test(it_begins_with_the_choice_of_the_rule),
      cmocka_unit_test(tasks_with_needs_are_not_for_it),
      cmocka_unit_test(whole_chunks_have_their_own_policy_among_the_candidates),
      cmocka_unit_test(a_world_that_is_refused_refuses_auto),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
