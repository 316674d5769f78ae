/* A whole simulation from words. */
#include "world_fixture.h"

static void arguments_reach_the_setup(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(
      &fixture, "gss",
      "{\"prefetch\": 3, \"stage_ahead\": 4, \"least_units\": 2, \"mean_seconds\": 4, \"seed\": 9,"
      " \"weights\": \"nominal\", \"iterations\": 2, \"order\": \"random\","
      " \"extra\": 1, \"loss_rate\": 0.5}",
      0);
  assert_int_equal(fixture.status, LS_OK);
  const struct ls_simulation *setup = &fixture.world.setup;
  assert_int_equal(setup->prefetch, 3);
  assert_true(setup->has_stage_ahead && setup->stage_ahead == 4);
  assert_int_equal(setup->iterations, 2);
  assert_int_equal(setup->config.seed, 9);
  assert_near(setup->config.mean_seconds, 4, 0);
  assert_near(setup->config.weights[3], 0.25, 0);
  assert_string_equal(setup->config.ordering->name, "random");
  assert_int_equal(setup->config.extra, 1);
  assert_near(setup->config.loss_rate, 0.5, 0);
  assert_near(
      ls_arguments_get(&setup->config.arguments, setup->config.chunking->parameters, "least_units"),
      2, 0);
  assert_int_equal(run_simulation(setup, NULL).units_done, 40);
  close_world(&fixture);
}

static void absent_facts_have_their_defaults(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "bold", "{}", 0);
  assert_near(fixture.world.setup.config.deviation_seconds, 0.1, 0);
  assert_near(fixture.world.setup.config.overhead_seconds, 0.01, 0);
  assert_int_equal(fixture.world.setup.prefetch, 1);
  assert_false(fixture.world.setup.has_stage_ahead);
  assert_null(fixture.world.setup.config.weights);
  close_world(&fixture);
  open_world(&fixture, "fac", "{}", 0);
  assert_near(fixture.world.setup.config.deviation_seconds, 0, 0);
  close_world(&fixture);
}

/* What a run does where nobody says otherwise; NULL: it is a fact of the world, which a run finds
 * (work, workers that come and go, advice, facts that are known), or there is none. */
static const struct {
  const char *name, *value;
} run_defaults[] = {{"asking", "\"room\""},
                    {"recall", "true"},
                    {"whole_chunks", "false"},
                    {"prefetch", "1"},
                    {"report_every", "1"}, /* each unit that lasts longer than a message waits */
                    {"iterations", "1"},
                    {"order", "\"fifo\""},
                    {"sizing", "\"fixed\""},
                    {"replication", "\"none\""},
                    {"extra", "0"},
                    {"loss_rate", "0"},
                    {"seed", "1"},
                    {"stage_ahead", NULL},
                    {"weights", NULL},
                    {"labels", NULL},
                    {"needs", NULL},
                    {"mean_seconds", NULL},
                    {"deviation_seconds", NULL},
                    {"overhead_seconds", NULL},
                    {"task_work", NULL},
                    {"task_times", NULL},
                    {"workload", NULL},
                    {"leave", NULL},
                    {"depart", NULL},
                    {"join", NULL},
                    {"pauses", NULL},
                    {"additions", NULL},
                    {"idle", NULL},
                    {"availability", NULL},
                    {"load_pattern", NULL},
                    {"reclaim", NULL},
                    {"grant", NULL},
                    {"advice", NULL},
                    {"stop", NULL},
                    {"deadline", NULL}};

static const char *find_default(const char *name) {
  for (size_t i = 0; i < sizeof run_defaults / sizeof *run_defaults; i++)
    if (strcmp(run_defaults[i].name, name) == 0) return run_defaults[i].value;
  fail_msg("what does a run do where \"%s\" is not told?", name);
  return NULL;
}

/* Messages take a while and the last chunk of each worker is large, so that recalls matter. */
static struct ls_simulated play(const char *policy, const char *arguments) {
  struct world_fixture fixture;
  open_world(&fixture, policy, arguments, 0);
  if (fixture.status != LS_OK) fail_msg("%s", fixture.err.text);
  for (size_t i = 0; i < 4; i++) fixture.platform.workers[i].delay_s = 0.3;
  struct ls_simulated result = run_simulation(&fixture.world.setup, NULL);
  close_world(&fixture);
  return result;
}

static void a_default_is_that_of_a_run(void **state) {
  (void)state;
  static const char *const policies[] = {"sc", "gss", "fac2", "af"};
  for (size_t i = 0; i < 4; i++) {
    struct ls_simulated expected = play(policies[i], "{}");
    for (size_t k = 0; ls_world_names[k] != NULL; k++) {
      const char *value = find_default(ls_world_names[k]);
      char arguments[96];
      if (value == NULL) continue;
      (void)snprintf(arguments, sizeof arguments, "{\"%s\": %s}", ls_world_names[k], value);
      struct ls_simulated got = play(policies[i], arguments);
      if (got.chunks != expected.chunks || fabs(got.makespan_s - expected.makespan_s) > 1e-12)
        fail_msg("%s with %s: %.17g s, without %.17g s", policies[i], arguments, got.makespan_s,
                 expected.makespan_s);
    }
  }
  assert_true(fabs(play("sc", "{\"report_every\": 0}").makespan_s - play("sc", "{}").makespan_s) >
              0.1);
}

static void known_facts_are_those_of_the_world(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_world world;
  struct ls_error err = {0};
  open_platform(&platform, 2);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5; /* speeds 1 and 2 */
  platform.workers[0].delay_s = platform.workers[1].delay_s = 0.2;
  platform.prepare.latency_s = 0.1;
  json_t *document = json_pack("{s:[f,f,f]}", "task_work", 1.0, 2.0, 3.0);
  struct ls_world_request request = {.platform = &platform,
                                     .units = 3,
                                     .policy = "fac",
                                     .arguments = ls_json_top(document, "test"),
                                     .knows_facts = true};
  assert_int_equal(ls_world_open(&world, &request, &err), LS_OK);
  assert_near(world.setup.config.mean_seconds, 2 / 1.5, 1e-12);
  assert_near(world.setup.config.deviation_seconds, 1 / 1.5, 1e-12);
  assert_near(world.setup.config.overhead_seconds, 0.5, 1e-12);
  assert_near(world.setup.config.weights[1], 2, 0);
  /* Six units of work at speed 3; the longest task on the fastest worker takes 1.5. */
  assert_near(ls_world_bound(&world), 2, 1e-12);
  ls_world_close(&world);
  json_decref(document);
  ls_platform_close(&platform);
}

static void no_run_is_below_the_bound(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 40; seed++) {
    struct world_fixture fixture;
    open_world(&fixture, seed % 2 ? "ss" : "fac2",
               "{\"task_times\": {\"law\": \"exponential\", \"each_iteration\": true},"
               " \"iterations\": 3}",
               seed);
    double makespan_s = run_simulation(&fixture.world.setup, NULL).makespan_s;
    assert_true(makespan_s >= ls_world_bound(&fixture.world) * (1 - 1e-12));
    close_world(&fixture);
  }
}

static void an_unknown_argument_is_refused_with_the_list(void **state) {
  (void)state;
  assert_world_refused("gss", "{\"foo\": 1}", "policy gss: argument \"foo\" is unknown");
  assert_world_refused("gss", "{\"foo\": 1}", "least_units");
  assert_world_refused("gss", "{\"foo\": 1}", "load_pattern");
  assert_world_refused("ss", "[1]", "an object of arguments");
  assert_world_refused("ss", "{\"prefetch\": -1}", "prefetch is -1");
  assert_world_refused("ss", "{\"stage_ahead\": 65}", "stage_ahead is 65");
  assert_world_refused("ss", "{\"weights\": [1, 2]}", "one number for each worker");
  assert_world_refused("ss", "{\"weights\": \"best\"}", "nominal");
  assert_world_refused("ss", "{\"extra\": 1000}", "extra is 1000");
  assert_world_refused("ss", "{\"loss_rate\": -1}", "loss_rate is -1");
  assert_world_refused("ss", "{\"iterations\": 0}", "iterations is 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_reach_the_setup),
      cmocka_unit_test(absent_facts_have_their_defaults),
      cmocka_unit_test(a_default_is_that_of_a_run),
      cmocka_unit_test(known_facts_are_those_of_the_world),
      cmocka_unit_test(no_run_is_below_the_bound),
      cmocka_unit_test(an_unknown_argument_is_refused_with_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
