#include "advise/run_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "model/replay.h"

/* So many units in all draws. */
enum { DRAWS = LS_RUN_PREDICT_DRAWS, UNITS_OF_DRAWS = 100000 };

void ls_run_predicted_close(struct ls_run_predicted *predicted) {
  ls_platform_close(&predicted->platform);
  *predicted = (struct ls_run_predicted){.is_known = false};
}

/* ---- of a plan that tells its own times ---- */

static bool has_times(const struct ls_plan *plan) {
  if (plan->chunks_count == 0 || ls_plan_repeats(plan)) return false;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (!(chunk->compute_start_s >= 0 && chunk->compute_end_s >= chunk->compute_start_s))
      return false;
  }
  return true;
}

static enum ls_status read_times(const struct ls_plan *plan, size_t workers,
                                 struct ls_run_predicted *predicted, struct ls_error *err) {
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  for (size_t i = 0; i < workers; i++) ls_timeline_add_worker(&timeline, "", 0, (double)INFINITY);
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    ls_timeline_add_span(&timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                      .operation = LS_OPERATION_COMPUTE,
                                                      .worker = chunk->worker,
                                                      .chunk = i,
                                                      .start_s = chunk->compute_start_s,
                                                      .end_s = chunk->compute_end_s});
    timeline.makespan_s = fmax(timeline.makespan_s, chunk->compute_end_s);
    if (isfinite(chunk->reply_end_s))
      timeline.makespan_s = fmax(timeline.makespan_s, chunk->reply_end_s);
  }
  enum ls_status status = ls_timeline_finish(&timeline, err);
  if (status == LS_OK) status = ls_account_of(&timeline, NULL, &predicted->account, err);
  ls_timeline_close(&timeline);
  predicted->is_known = status == LS_OK;
  predicted->draws = 1;
  predicted->makespans_s[0] = predicted->account.makespan_s;
  return status;
}

/* ---- of a plan on its platform, by its own replay ---- */

static enum ls_status replay_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_account *account, struct ls_error *err) {
  struct ls_timeline timeline;
  struct ls_plan flat;
  enum ls_status status = ls_plan_unfolded(plan, UINT64_MAX, &flat, err);
  if (status != LS_OK) return status;
  ls_timeline_init(&timeline);
  status = ls_replay(&flat, platform, err);
  if (status == LS_OK) status = ls_replay_timeline(&flat, platform, &timeline, err);
  if (status == LS_OK) status = ls_account_of(&timeline, platform, account, err);
  ls_timeline_close(&timeline);
  ls_plan_close(&flat);
  return status;
}

/* However many units its chunks have. */
static bool can_replay(const struct ls_run_predictable *run) {
  const struct ls_plan *plan = run->config->plan;
  return plan != NULL && run->iterations <= 1 && run->situation->platform != NULL &&
         ls_plan_messages(plan) <= LS_RUN_PREDICT_UNITS_MAX;
}

static enum ls_status predict_by_replay(const struct ls_run_predictable *run,
                                        struct ls_run_predicted *predicted, struct ls_error *err) {
  struct ls_advise_world world;
  struct ls_run_situation situation = *run->situation;
  situation.units = 1; /* of the world its workers count */
  situation.clock_s = NULL;
  enum ls_status status = ls_advise_world_open(&world, &situation, err);
  if (status == LS_OK)
    status = replay_plan(run->config->plan, &world.platform, &predicted->account, err);
  if (status == LS_OK) {
    predicted->platform = world.platform;
    world.platform = (struct ls_platform){0};
  }
  ls_advise_world_close(&world);
  predicted->is_known = status == LS_OK;
  predicted->draws = 1;
  predicted->makespans_s[0] = predicted->account.makespan_s;
  return status;
}

/* ---- by simulation ---- */

static void add_account(struct ls_account *mean, const struct ls_account *account, double draws) {
  mean->makespan_s += account->makespan_s / draws;
  mean->workers += account->workers / draws;
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++)
    mean->parts_s[part] += account->parts_s[part] / draws;
}

/* The rule that halts a run leaves nobody more than one unit. */
static void take_rooms(struct ls_advise_world *world, const struct ls_coordinator_config *config) {
  for (size_t i = 0; i < world->platform.workers_count && i < config->rooms_count; i++) {
    const struct ls_room *room = &config->rooms[i];
    struct ls_worker_model *worker = &world->platform.workers[i];
    if (room->units > 0) worker->room_units = fmin(worker->room_units, (double)room->units);
  }
}

/* The run's policy, with what that knows; the world has the tasks. */
static void take_config(struct ls_simulation *setup, const struct ls_run_predictable *run) {
  setup->config = *run->config;
  setup->config.choices = NULL;
  setup->config.choices_count = 0;
  setup->config.rooms = NULL;
  setup->config.rooms_count = 0;
  /* Guests are not foreseen. */
  size_t workers = setup->platform->workers_count;
  if (setup->config.workers_min > workers) setup->config.workers_min = workers;
  setup->prefetch = run->situation->prefetch;
  setup->iterations = run->iterations;
  setup->iteration_units = run->iteration_units;
  setup->asking = LS_ASKING_ROOM;
  setup->wants_spans = true;
}

/* In all iterations. */
static uint64_t count_tasks(const struct ls_run_predictable *run) {
  uint64_t iterations = run->iterations > 0 ? run->iterations : 1, tasks = 0;
  if (run->iteration_units == NULL) return run->situation->units * iterations;
  for (uint64_t k = 0; k < iterations; k++) tasks += run->iteration_units[k];
  return tasks;
}

/* A task takes the same time in every iteration, as far as anybody knows. */
static enum ls_status repeat_work(struct ls_simulation *setup, uint64_t tasks, double **work,
                                  struct ls_error *err) {
  if (setup->task_work == NULL || setup->iterations < 2) return LS_OK;
  if (*work == NULL) *work = calloc(tasks + 1, sizeof **work);
  if (*work == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a prediction");
  double *next = *work;
  for (uint32_t k = 0; k < setup->iterations; k++) {
    uint64_t units = setup->iteration_units != NULL ? setup->iteration_units[k] : setup->units;
    memcpy(next, setup->task_work, units * sizeof *next);
    next += units;
  }
  setup->task_work = *work;
  return LS_OK;
}

static enum ls_status play(const struct ls_simulation *setup, struct ls_account *account,
                           struct ls_error *err) {
  struct ls_timeline timeline;
  struct ls_simulated simulated;
  ls_timeline_init(&timeline);
  timeline.is_of_workers = true;
  enum ls_status status = ls_simulate(setup, &simulated, &timeline, err);
  if (status == LS_OK) status = ls_account_of(&timeline, setup->platform, account, err);
  ls_timeline_close(&timeline);
  return status;
}

static enum ls_status simulate_draws(const struct ls_run_predictable *run,
                                     struct ls_advise_world *world,
                                     struct ls_run_predicted *predicted, struct ls_error *err) {
  struct ls_advice_world draws = ls_advise_world_of(world);
  struct ls_account mean = {.makespan_s = 0}, account;
  double *work = NULL;
  enum ls_status status = LS_OK;
  take_rooms(world, run->config);
  uint64_t most = UNITS_OF_DRAWS / (world->units + 1) + 1;
  predicted->draws = world->is_certain ? 1 : (size_t)(most < DRAWS ? most : DRAWS);
  for (size_t i = 0; i < predicted->draws && status == LS_OK; i++) {
    struct ls_simulation setup = {.platform = NULL};
    status = draws.draw(draws.context, i, &setup, err);
    struct ls_coordinator_config facts = setup.config;
    take_config(&setup, run);
    setup.config.weights = facts.weights;
    setup.config.seed = facts.seed;
    if (status == LS_OK) status = repeat_work(&setup, count_tasks(run), &work, err);
    if (status == LS_OK) status = play(&setup, &account, err);
    if (status != LS_OK) break;
    add_account(&mean, &account, (double)predicted->draws);
    predicted->makespans_s[i] = account.makespan_s;
  }
  free(work);
  predicted->account = mean;
  return status;
}

static enum ls_status predict_by_simulation(const struct ls_run_predictable *run,
                                            struct ls_run_predicted *predicted,
                                            struct ls_error *err) {
  struct ls_advise_world world;
  struct ls_run_situation situation = *run->situation;
  situation.units_most = LS_RUN_PREDICT_UNITS_MAX;
  situation.clock_s = NULL;
  enum ls_status status = ls_advise_world_open(&world, &situation, err);
  if (status == LS_OK) status = simulate_draws(run, &world, predicted, err);
  if (status == LS_OK) {
    predicted->platform = world.platform;
    world.platform = (struct ls_platform){0};
  }
  ls_advise_world_close(&world);
  predicted->is_known = status == LS_OK;
  return status;
}

enum ls_status ls_run_predict(const struct ls_run_predictable *run,
                              struct ls_run_predicted *predicted, struct ls_error *err) {
  const struct ls_run_situation *situation = run->situation;
  const struct ls_plan *plan = run->config->plan;
  uint64_t iterations = run->iterations > 0 ? run->iterations : 1;
  struct ls_run_predicted made = {.is_known = false};
  *predicted = (struct ls_run_predicted){.is_known = false};
  bool is_known = ls_advise_world_is_known(situation);
  bool has_many = situation->units > LS_RUN_PREDICT_UNITS_MAX / iterations &&
                  (run->iteration_units == NULL || count_tasks(run) > LS_RUN_PREDICT_UNITS_MAX);
  enum ls_status status = LS_OK;
  if (has_many && can_replay(run))
    status = predict_by_replay(run, &made, err);
  else if (!has_many && is_known)
    status = predict_by_simulation(run, &made, err);
  else if (!is_known && plan != NULL && has_times(plan))
    status = read_times(plan, situation->workers, &made, err);
  if (status == LS_OK)
    *predicted = made;
  else
    ls_run_predicted_close(&made);
  return status;
}
