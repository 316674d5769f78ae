/* Whichever allocation fails in the middle of a run, the simulator, with the coordinator and the
 * worker's side that runs have too, says so and leaves nothing behind: under every listed policy,
 * order, sizing and replication.  A new one gets this without a line of test.
 */
#include "advise/advise.h"
#include "advise/run_predict.h"
#include "base/json.h"
#include "lab/studies/trial.h"
#include "scarce_model.h"
#include "simulate/simulate.h"
#include "simulate/world.h"

enum { UNITS = 18, WORKERS = 3 };

static const double task_work[2 * UNITS] = {1, 2, 1, 3, 1, 1, 4, 1, 2, 2, 1, 1, 5, 1, 1, 2, 1, 3,
                                            2, 1, 1, 2, 4, 1, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1, 2, 1};
static const double weights[WORKERS] = {1, 2, 1.5};
static struct ls_plan_chunk planned[] = {{.worker = 0, .units = 4}, {.worker = 1, .units = 3},
                                         {.worker = 2, .units = 5}, {.worker = 0, .units = 2},
                                         {.worker = 1, .units = 3}, {.worker = 2, .units = 1}};
static size_t returned[] = {5, 0, 1, 4, 3, 2};
static const struct ls_plan plan = {.chunks = planned,
                                    .chunks_count = 6,
                                    .has_returns = true,
                                    .returns = returned,
                                    .returns_count = 6};
static const struct ls_availability slow[] = {{1, 0.5}, {4, 1}};
static const struct ls_availability *const availability[WORKERS] = {slow, NULL, NULL};
static const size_t availability_count[WORKERS] = {2, 0, 0};
static const struct ls_simulated_change joins[] = {{2, 3}};
static const struct ls_simulated_change leaves[] = {{1, 6.5}};
static const struct ls_simulated_pause pauses[] = {
    {.worker = 0, .from_s = 2.5, .until_s = 4},
    {.worker = 2, .from_s = 3.25, .until_s = 5, .is_kept = true}};

/* One run, in the ways in which runs differ. */
struct course {
  const char *name;
  enum ls_ports ports;
  double delay_s, latency_s;
  uint64_t prefetch;
  uint32_t iterations;
  bool has_changes, has_availability, is_on_master, has_grants, has_reclaims, has_notes;
};

static const struct course courses[] = {
    {.name = "plain", .latency_s = 0.125, .prefetch = 1, .iterations = 1},
    {.name = "eventful",
     .ports = LS_PORTS_ONE,
     .delay_s = 0.25,
     .latency_s = 0.125,
     .prefetch = 3,
     .iterations = 2,
     .has_changes = true,
     .has_availability = true,
     .has_notes = true},
    {.name = "granted",
     .delay_s = 0.125,
     .latency_s = 0.0625,
     .prefetch = 16,
     .iterations = 2,
     .is_on_master = true,
     .has_grants = true,
     .has_notes = true},
    {.name = "reclaimed", .delay_s = 0.125, .iterations = 2, .has_reclaims = true},
};
enum { COURSES = sizeof courses / sizeof courses[0] };

struct run {
  const struct course *course;
  struct ls_platform platform;
  struct ls_simulation setup;
};

static void open_run(struct run *run, const struct course *course, const char *policy) {
  *run = (struct run){.course = course};
  scarce_open_platform(course->ports, &run->platform);
  for (size_t i = 0; i < WORKERS; i++) {
    struct ls_worker_model *worker = &run->platform.workers[i];
    for (int k = 0; k < LS_OPERATION_COUNT; k++) worker->costs[k].latency_s = course->latency_s;
    worker->delay_s = course->delay_s;
  }
  run->platform.workers[2].is_on_master = course->is_on_master;
  struct ls_coordinator_config *config = &run->setup.config;
  run->setup.platform = &run->platform;
  run->setup.units = UNITS;
  run->setup.task_work = task_work;
  run->setup.expected_work = task_work;
  run->setup.iterations = course->iterations;
  run->setup.prefetch = course->prefetch;
  run->setup.wants_spans = run->setup.wants_notes = course->has_notes;
  config->chunking = ls_chunking_find(policy);
  assert_non_null(config->chunking);
  ls_arguments_init(&config->arguments, config->chunking->parameters);
  config->weights = weights;
  config->weights_count = WORKERS;
  config->mean_seconds = 1.75;
  config->deviation_seconds = 0.5;
  config->overhead_seconds = 0.25;
  config->seed = 3;
  if (config->chunking->is_pushed) {
    config->plan = &plan;
  }
  if (course->has_changes) {
    run->setup.join = joins;
    run->setup.leave = leaves;
    run->setup.pauses = pauses;
    run->setup.join_count = run->setup.leave_count = 1;
    run->setup.pauses_count = 2;
  }
  if (course->has_availability) {
    run->setup.availability = availability;
    run->setup.availability_count = availability_count;
  }
  if (course->has_grants)
    run->setup.grant = (struct ls_simulated_grant){.at_start = 2, .delay_s = 1};
  if (course->has_reclaims)
    run->setup.reclaim =
        (struct ls_simulated_reclaim){.probability = 0.9, .mean_up_s = 20, .mean_away_s = 2};
}

static void close_run(struct run *run) {
  ls_platform_close(&run->platform);
}

static enum ls_status try_simulate(const void *context, struct ls_error *err) {
  const struct run *run = context;
  struct ls_simulated result;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  timeline.is_summed = !run->course->has_notes;
  scarce_mark(&result, sizeof result);
  enum ls_status status = ls_simulate(&run->setup, &result, &timeline, err);
  memory_is_plenty();
  if (status == LS_OK)
    assert_int_equal(result.units_done, UNITS * run->course->iterations);
  else
    scarce_require_untouched("simulated", &result, sizeof result);
  ls_timeline_close(&timeline);
  return status;
}

static void simulate_scarcely(const struct run *run, const char *what) {
  char name[96];
  (void)snprintf(name, sizeof name, "%s, %s", what, run->course->name);
  scarce_require(name, try_simulate, run);
}

static void every_chunking_survives(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    for (size_t k = 0; k < COURSES; k++) {
      struct run run;
      /* A plan is for one iteration, and for workers that are there. */
      if (ls_chunkings[i]->is_pushed && courses[k].iterations > 1) continue;
      open_run(&run, &courses[k], ls_chunkings[i]->name);
      simulate_scarcely(&run, ls_chunkings[i]->name);
      close_run(&run);
    }
  }
}

static void every_order_survives(void **state) {
  (void)state;
  for (size_t i = 0; ls_orderings[i] != NULL; i++) {
    for (size_t k = 0; k < COURSES; k++) {
      struct run run;
      struct ls_arguments arguments;
      open_run(&run, &courses[k], "fac2");
      ls_arguments_init(&arguments, ls_orderings[i]->parameters);
      run.setup.config.ordering = ls_orderings[i];
      run.setup.config.ordering_arguments = &arguments;
      simulate_scarcely(&run, ls_orderings[i]->name);
      close_run(&run);
    }
  }
}

static void every_sizing_survives(void **state) {
  (void)state;
  for (size_t i = 0; ls_sizings[i] != NULL; i++) {
    for (size_t k = 0; k < COURSES; k++) {
      struct run run;
      struct ls_arguments arguments;
      open_run(&run, &courses[k], "ss");
      ls_arguments_init(&arguments, ls_sizings[i]->parameters);
      run.setup.config.sizing = ls_sizings[i];
      run.setup.config.sizing_arguments = &arguments;
      simulate_scarcely(&run, ls_sizings[i]->name);
      close_run(&run);
    }
  }
}

static void every_replication_survives(void **state) {
  (void)state;
  for (size_t i = 0; ls_replications[i] != NULL; i++) {
    for (size_t k = 0; k < COURSES; k++) {
      struct run run;
      struct ls_arguments arguments;
      open_run(&run, &courses[k], "ss");
      ls_arguments_init(&arguments, ls_replications[i]->parameters);
      run.setup.config.replication = ls_replications[i];
      run.setup.config.replication_arguments = &arguments;
      run.setup.config.ordering = ls_ordering_find("average");
      run.setup.config.extra = courses[k].has_grants ? 0 : 1;
      run.setup.config.loss_rate = 0.01;
      simulate_scarcely(&run, ls_replications[i]->name);
      close_run(&run);
    }
  }
}

/* ---- worlds from words ---- */

struct wording {
  const struct ls_platform *platform;
  const char *policy, *arguments;
};

static const struct wording wordings[] = {
    {NULL, "fac", "{\"seed\": 3, \"iterations\": 2, \"prefetch\": 2, \"order\": \"average\"}"},
    {NULL, "gss:2",
     "{\"leave\": [{\"worker\": 1, \"time\": 9}],"
     " \"join\": [{\"worker\": 2, \"time\": 2}], \"weights\": [1, 2, 1]}"},
    {NULL, "ss",
     "{\"task_times\": {\"law\": \"gamma\"}, \"pauses\": [{\"worker\": 1, \"from\": 2}],"
     " \"availability\": [[], [], [{\"from\": 1, \"share\": 0.5}]]}"},
    {NULL, "tss:4",
     "{\"workload\": {\"total\": 100}, \"sizing\": \"asp\", \"replication\": \"gain\","
     " \"load_pattern\": {\"kind\": \"seven\", \"duration\": 50}}"},
};
enum { WORDINGS = sizeof wordings / sizeof wordings[0] };

static enum ls_status try_world(const void *context, struct ls_error *err) {
  const struct wording *wording = context;
  struct ls_world world;
  json_t *document = NULL;
  long left = memory.left;
  memory_is_plenty();
  struct ls_text text = {wording->arguments, strlen(wording->arguments), "arguments"};
  assert_int_equal(ls_json_parse(text, &document, NULL), LS_OK);
  struct ls_world_request request = {.platform = wording->platform,
                                     .units = UNITS,
                                     .policy = wording->policy,
                                     .arguments = ls_json_top(document, "arguments"),
                                     .knows_facts = true};
  scarce_mark(&world, sizeof world);
  memory.left = left;
  enum ls_status status = ls_world_open(&world, &request, err);
  memory_is_plenty();
  json_decref(document);
  if (status == LS_OK)
    ls_world_close(&world);
  else
    scarce_require_untouched("world", &world, sizeof world);
  return status;
}

static void worlds_survive(void **state) {
  struct ls_platform platform;
  (void)state;
  scarce_open_platform(LS_PORTS_TWO, &platform);
  for (size_t i = 0; i < WORDINGS; i++) {
    struct wording wording = wordings[i];
    wording.platform = &platform;
    scarce_require(wording.policy, try_world, &wording);
  }
  ls_platform_close(&platform);
}

static enum ls_status try_trial(const void *context, struct ls_error *err) {
  const size_t *number = context;
  struct ls_trial_key key = {.number = *number, .workers = 3, .seed = 1};
  struct ls_trial trial;
  struct ls_arguments arguments;
  scarce_mark(&trial, sizeof trial);
  enum ls_status status = ls_trial_open(&trial, &key, err);
  if (status != LS_OK) {
    memory_is_plenty();
    scarce_require_untouched("trial", &trial, sizeof trial);
    return status;
  }
  status = ls_trial_draw(&trial, 0, err);
  if (status == LS_OK) status = ls_trial_draw(&trial, 1, err);
  if (status == LS_OK)
    status = ls_trial_arguments(&trial, ls_chunking_find("rumr"), &arguments, err);
  memory_is_plenty();
  ls_trial_close(&trial);
  return status;
}

static void trials_survive(void **state) {
  (void)state;
  for (size_t number = 0; number < LS_TRIALS; number += 7)
    scarce_require("trial", try_trial, &number);
}

/* ---- advice ---- */

static enum ls_status draw_world(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  const struct run *run = context;
  (void)draw;
  (void)err;
  *setup = run->setup;
  return LS_OK;
}

static enum ls_status try_advise(const void *context, struct ls_error *err) {
  struct ls_candidate candidates[3] = {
      {.chunking = ls_chunking_find("ss"), .prefetch = 1},
      {.chunking = ls_chunking_find("gss"), .prefetch = 2, .workers = 2},
      {.chunking = ls_chunking_find("af"), .prefetch = 0, .workers = 0}};
  for (size_t i = 0; i < 3; i++)
    ls_arguments_init(&candidates[i].arguments, candidates[i].chunking->parameters);
  struct run run = *(const struct run *)context;
  struct ls_advice_setup setup = {.world = {.context = &run, .draw = draw_world},
                                  .candidates = candidates,
                                  .candidates_count = 3,
                                  .current = 1,
                                  .draws = 2,
                                  .margin = 0.05,
                                  .saves_workers = true};
  struct ls_advice advice;
  struct ls_bytes words = {0};
  scarce_mark(&advice, sizeof advice);
  enum ls_status status = ls_advise(&setup, &advice, err);
  if (status != LS_OK) {
    memory_is_plenty();
    scarce_require_untouched("advice", &advice, sizeof advice);
    return status;
  }
  ls_advice_explain(&advice, &words);
  ls_candidate_describe(&candidates[1], &words);
  (void)ls_advise_by_rule(&(struct ls_situation){.latency = 1, .variation = 0.5}, &words);
  memory_is_plenty();
  status = scarce_bytes(&words, err);
  ls_bytes_close(&words);
  ls_advice_close(&advice);
  return status;
}

static enum ls_status try_predict(const void *context, struct ls_error *err) {
  const struct run *run = context;
  struct ls_run_situation situation = {
      .platform = run->setup.platform, .units = 20, .workers = run->setup.platform->workers_count};
  struct ls_coordinator_config config = run->setup.config;
  struct ls_run_predictable what = {.situation = &situation, .config = &config, .iterations = 2};
  struct ls_run_predicted predicted;
  enum ls_status status = ls_run_predict(&what, &predicted, err);
  memory_is_plenty();
  if (status == LS_OK) ls_run_predicted_close(&predicted);
  return status;
}

static void advice_survives(void **state) {
  struct run run;
  (void)state;
  open_run(&run, &courses[0], "ss");
  scarce_require("advice", try_advise, &run);
  scarce_require("prediction", try_predict, &run);
  close_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_chunking_survives), cmocka_unit_test(every_order_survives),
      cmocka_unit_test(every_sizing_survives),   cmocka_unit_test(every_replication_survives),
      cmocka_unit_test(worlds_survive),          cmocka_unit_test(trials_survive),
      cmocka_unit_test(advice_survives),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
