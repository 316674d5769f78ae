/* world.c: a whole simulation from words. */
#include "simulate/world.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "simulate/iterations_private.h"
#include "simulate/world_private.h"

/* Facts that the arguments do not name: docs/theory/online.md, 10. */
static const double MEAN_S = 1, DEVIATION_S = 0.1, OVERHEAD_S = 0.01;

typedef enum ls_status (*reader_fn)(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err);

static enum ls_status read_prefetch(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  if (!json_is_string(place->value))
    return ls_json_whole(place, 0, (uint64_t)1 << 53, &world->setup.prefetch, err);
  world->chooses_prefetch = strcmp(json_string_value(place->value), "auto") == 0;
  return world->chooses_prefetch ? LS_OK : ls_json_refuse(place, "a whole number or \"auto\"", err);
}

static enum ls_status read_stage_ahead(struct ls_world *world, const struct ls_json *place,
                                       struct ls_error *err) {
  uint64_t ahead = 0;
  enum ls_status status = ls_json_whole(place, 0, LS_STAGE_AHEAD_MOST, &ahead, err);
  world->setup.has_stage_ahead = true;
  world->setup.stage_ahead = (uint32_t)ahead;
  return status;
}

/* The size of a request: all the room that prefetch leaves, or one chunk. */
static enum ls_status read_asking(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  const char *text = NULL;
  enum ls_status status = ls_json_string(place, &text, err);
  if (status != LS_OK) return status;
  bool is_one = strcmp(text, "one") == 0;
  if (!is_one && strcmp(text, "room") != 0)
    return ls_json_refuse(place, "\"room\" or \"one\"", err);
  world->setup.asking = is_one ? LS_ASKING_ONE : LS_ASKING_ROOM;
  return LS_OK;
}

/* Does what waits at a worker go back for one that is idle? */
static enum ls_status read_recall(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  return ls_json_bool(place, &world->setup.config.recalls, err);
}

/* Is a chunk one task, which ends as a whole? */
static enum ls_status read_whole_chunks(struct ls_world *world, const struct ls_json *place,
                                        struct ls_error *err) {
  return ls_json_bool(place, &world->setup.has_whole_chunks, err);
}

/* "auto" as for a policy: after every unit, since a result carries its time anyway. */
static enum ls_status read_report_every(struct ls_world *world, const struct ls_json *place,
                                        struct ls_error *err) {
  if (json_is_string(place->value)) {
    if (strcmp(json_string_value(place->value), "auto") != 0)
      return ls_json_refuse(place, "a whole number or \"auto\"", err);
    world->setup.report_every = 1;
    return LS_OK;
  }
  return ls_json_whole(place, 0, (uint64_t)1 << 53, &world->setup.report_every, err);
}

/* A list, one for each worker, or "nominal": by the speeds of the platform. */
static enum ls_status read_weights(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err) {
  size_t workers = world->setup.platform->workers_count, count = 0;
  if (json_is_string(place->value)) {
    if (strcmp(json_string_value(place->value), "nominal") != 0)
      return ls_json_refuse(place, "a list of numbers or \"nominal\"", err);
    memcpy(world->weights, world->speeds, workers * sizeof *world->weights);
  } else {
    enum ls_status status = ls_json_array(place, &count, err);
    if (status == LS_OK && count != workers)
      status = ls_json_refuse(place, "one number for each worker", err);
    for (size_t i = 0; i < count && status == LS_OK; i++) {
      struct ls_json item = ls_json_item(place, i);
      status = ls_json_real(&item, 0, DBL_MAX, &world->weights[i], err);
    }
    if (status != LS_OK) return status;
  }
  world->setup.config.weights = world->weights;
  return LS_OK;
}

static enum ls_status read_mean(struct ls_world *world, const struct ls_json *place,
                                struct ls_error *err) {
  return ls_json_real(place, 0, DBL_MAX, &world->setup.config.mean_seconds, err);
}

static enum ls_status read_deviation(struct ls_world *world, const struct ls_json *place,
                                     struct ls_error *err) {
  return ls_json_real(place, 0, DBL_MAX, &world->setup.config.deviation_seconds, err);
}

static enum ls_status read_overhead(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  return ls_json_real(place, 0, DBL_MAX, &world->setup.config.overhead_seconds, err);
}

static enum ls_status read_order(struct ls_world *world, const struct ls_json *place,
                                 struct ls_error *err) {
  const char *text = NULL;
  enum ls_status status = ls_json_string(place, &text, err);
  return status == LS_OK ? ls_world_choose_order(world, text, err) : status;
}

static enum ls_status read_sizing(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  const char *text = NULL;
  enum ls_status status = ls_json_string(place, &text, err);
  return status == LS_OK ? ls_world_choose_sizing(world, text, err) : status;
}

static enum ls_status read_replication(struct ls_world *world, const struct ls_json *place,
                                       struct ls_error *err) {
  const char *text = NULL;
  enum ls_status status = ls_json_string(place, &text, err);
  return status == LS_OK ? ls_world_choose_replication(world, text, err) : status;
}

static enum ls_status read_extra(struct ls_world *world, const struct ls_json *place,
                                 struct ls_error *err) {
  uint64_t extra = 0;
  size_t workers = world->setup.platform->workers_count;
  enum ls_status status = ls_json_whole(place, 0, workers > 0 ? workers - 1 : 0, &extra, err);
  if (status == LS_OK) world->setup.config.extra = (size_t)extra;
  return status;
}

static enum ls_status read_loss_rate(struct ls_world *world, const struct ls_json *place,
                                     struct ls_error *err) {
  return ls_json_real(place, 0, DBL_MAX, &world->setup.config.loss_rate, err);
}

static enum ls_status read_deadline(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  return ls_json_real(place, 0, DBL_MAX, &world->setup.config.deadline_s, err);
}

/* Seed and iterations are read before all others, which depend on them. */
static enum ls_status read_before(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  (void)world, (void)place, (void)err;
  return LS_OK;
}

const char *const ls_world_names[] = {"seed",
                                      "iterations",
                                      "asking",
                                      "recall",
                                      "whole_chunks",
                                      "prefetch",
                                      "stage_ahead",
                                      "report_every",
                                      "weights",
                                      "labels",
                                      "needs",
                                      "mean_seconds",
                                      "deviation_seconds",
                                      "overhead_seconds",
                                      "task_work",
                                      "task_times",
                                      "workload",
                                      "leave",
                                      "depart",
                                      "join",
                                      "pauses",
                                      "additions",
                                      "idle",
                                      "availability",
                                      "load_pattern",
                                      "reclaim",
                                      "grant",
                                      "advice",
                                      "stop",
                                      "deadline",
                                      "order",
                                      "sizing",
                                      "replication",
                                      "extra",
                                      "loss_rate",
                                      NULL};

static const reader_fn readers[] = {read_before,
                                    read_before,
                                    read_asking,
                                    read_recall,
                                    read_whole_chunks,
                                    read_prefetch,
                                    read_stage_ahead,
                                    read_report_every,
                                    read_weights,
                                    ls_world_read_labels,
                                    ls_world_read_needs,
                                    read_mean,
                                    read_deviation,
                                    read_overhead,
                                    ls_world_read_work,
                                    ls_world_read_times,
                                    ls_world_read_workload,
                                    ls_world_read_leave,
                                    ls_world_read_depart,
                                    ls_world_read_join,
                                    ls_world_read_pauses,
                                    ls_world_read_additions,
                                    ls_world_read_idle,
                                    ls_world_read_availability,
                                    ls_world_read_pattern,
                                    ls_world_read_reclaim,
                                    ls_world_read_grant,
                                    ls_world_read_advice,
                                    ls_world_read_stop,
                                    read_deadline,
                                    read_order,
                                    read_sizing,
                                    read_replication,
                                    read_extra,
                                    read_loss_rate};

static bool is_parameter(const struct ls_parameter *parameters, const char *name) {
  for (; parameters && parameters->name; parameters++)
    if (strcmp(parameters->name, name) == 0) return true;
  return false;
}

/* One argument: of the policy if it has a parameter of that name, else of the world. */
static enum ls_status read_argument(struct ls_world *world, const struct ls_json *arguments,
                                    const char *name, struct ls_error *err) {
  struct ls_coordinator_config *config = &world->setup.config;
  struct ls_json place = ls_json_member(arguments, name);
  if (!place.value) return LS_OK;
  if (is_parameter(config->chunking->parameters, name))
    return ls_arguments_read(&config->arguments, config->chunking->parameters, &place, name, err);
  for (size_t i = 0; ls_world_names[i]; i++)
    if (strcmp(ls_world_names[i], name) == 0) return readers[i](world, &place, err);
  struct ls_bytes known = {0};
  const struct ls_parameter *parameter = config->chunking->parameters;
  for (; parameter && parameter->name; parameter++)
    ls_bytes_printf(&known, "%s, ", parameter->name);
  for (size_t i = 0; ls_world_names[i]; i++)
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "", ls_world_names[i]);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "%s: policy %s: argument \"%s\" is unknown, expected one of: %s",
              arguments->source, config->chunking->name, name, ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

static enum ls_status read_first(struct ls_world *world, const struct ls_json *arguments,
                                 struct ls_error *err) {
  struct ls_json seed = ls_json_member(arguments, "seed");
  struct ls_json iterations = ls_json_member(arguments, "iterations");
  uint64_t number = 1;
  enum ls_status status = LS_OK;
  if (seed.value)
    status = ls_json_whole(&seed, 0, (uint64_t)1 << 53, &world->setup.config.seed, err);
  if (status == LS_OK && iterations.value)
    status = ls_json_whole(&iterations, 1, 1000000, &number, err);
  world->setup.iterations = (uint32_t)number;
  return status;
}

/* A worker that asks for one chunk, as published, goes without. */
static enum ls_status check_recall(const struct ls_world *world, const struct ls_json *arguments,
                                   struct ls_error *err) {
  struct ls_json recall = ls_json_member(arguments, "recall");
  if (world->setup.asking == LS_ASKING_ROOM || !json_is_true(recall.value)) return LS_OK;
  return ls_json_refuse(&recall, "false where \"asking\" is \"one\"", err);
}

static enum ls_status read_arguments(struct ls_world *world, const struct ls_world_request *request,
                                     struct ls_error *err) {
  const struct ls_json *arguments = &request->arguments;
  if (!arguments->value) return LS_OK;
  if (!json_is_object(arguments->value))
    return ls_json_refuse(arguments, "an object of arguments", err);
  enum ls_status status = read_first(world, arguments, err);
  if (request->has_seed) world->setup.config.seed = request->seed;
  void *at = json_object_iter((json_t *)arguments->value);
  for (; at && status == LS_OK; at = json_object_iter_next((json_t *)arguments->value, at))
    status = read_argument(world, arguments, json_object_iter_key(at), err);
  if (status == LS_OK) status = check_recall(world, arguments, err);
  bool is_told = json_is_true(ls_json_member(arguments, "recall").value);
  if (world->setup.config.has_needs && !is_told) world->setup.config.recalls = false;
  return status;
}

/* The deviation of a unit's time from its mean, with what workers draw for it, in the mean of their
 * squares. */
static double add_drawn(const struct ls_platform *platform, double mean_s, double deviation_s) {
  double drawn = ls_platform_unit_variation(platform), own = deviation_s / mean_s;
  return drawn > 0 ? mean_s * sqrt((1 + own * own) * (1 + drawn * drawn) - 1) : deviation_s;
}

/* The most that a policy could know: nominal speeds, all costs, the work's mean and deviation at
 * the mean speed and the cost of a request with both its ways. */
static void know_facts(struct ls_world *world) {
  struct ls_coordinator_config *config = &world->setup.config;
  const struct ls_platform *platform = world->setup.platform;
  struct ls_moments work = {0};
  double speed = 0, delay_s = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    speed += world->speeds[i] / (double)platform->workers_count;
    delay_s += platform->workers[i].delay_s / (double)platform->workers_count;
  }
  for (uint64_t i = 0; world->task_work && i < world->task_work_count; i++)
    ls_moments_add(&work, world->task_work[i]);
  memcpy(world->weights, world->speeds, platform->workers_count * sizeof(double));
  config->weights = world->weights;
  config->platform = platform;
  config->mean_seconds = (world->task_work ? work.mean : 1) / speed;
  config->deviation_seconds =
      add_drawn(platform, config->mean_seconds, ls_moments_deviation(&work) / speed);
  config->overhead_seconds = ls_cost_time(&platform->prepare, 1) + 2 * delay_s;
}

/* As in a run, unless somebody says when workers tell, or asks for the rules as published.  A plan
 * is sent as it is, whatever is told. */
static bool tells_units(const struct ls_world *world, const struct ls_world_request *request) {
  bool is_told = ls_json_member(&request->arguments, "report_every").value != NULL;
  return world->setup.asking == LS_ASKING_ROOM && !is_told && !world->setup.has_whole_chunks &&
         request->plan == NULL;
}

static enum ls_status choose(struct ls_world *world, const struct ls_world_request *request,
                             struct ls_error *err) {
  struct ls_coordinator_config *config = &world->setup.config;
  const char *policy = request->plan != NULL ? "follow-plan" : request->policy;
  enum ls_status status = ls_world_choose_policy(world, policy, err);
  if (status != LS_OK) return status;
  bool is_constant = strcmp(config->chunking->name, "fac") == 0;
  config->mean_seconds = MEAN_S;
  config->deviation_seconds = is_constant ? 0 : DEVIATION_S;
  config->overhead_seconds = OVERHEAD_S;
  config->plan = request->plan;
  /* Plans are compared as they were made; a run takes back what a worker that became slow has not
   * begun. */
  config->recalls = request->plan == NULL;
  config->seed = request->has_seed ? request->seed : 1;
  status = read_arguments(world, request, err);
  if (world->setup.asking == LS_ASKING_ONE) config->recalls = false;
  world->setup.tells_units = tells_units(world, request);
  if (status == LS_OK && request->order) status = ls_world_choose_order(world, request->order, err);
  if (status == LS_OK && request->sizing)
    status = ls_world_choose_sizing(world, request->sizing, err);
  if (status == LS_OK && request->replication)
    status = ls_world_choose_replication(world, request->replication, err);
  bool is_told = ls_json_member(&request->arguments, "extra").value != NULL;
  if (status == LS_OK && !is_told) ls_world_keep_extra(world);
  return status;
}

/* The setup points into the world that it is part of. */
static void point_within(struct ls_world *world) {
  struct ls_coordinator_config *config = &world->setup.config;
  if (config->ordering_arguments) config->ordering_arguments = &world->order_arguments;
  if (config->sizing_arguments) config->sizing_arguments = &world->sizing_arguments;
  if (config->replication_arguments) config->replication_arguments = &world->replication_arguments;
}

static enum ls_status copy_setup(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  (void)draw, (void)err;
  *setup = *(const struct ls_simulation *)context;
  return LS_OK;
}

static enum ls_status choose_prefetch(struct ls_world *world, struct ls_error *err) {
  struct ls_prefetch_trial trial = {.context = &world->setup, .draw = copy_setup, .draws = 1};
  enum ls_status status = ls_prefetch_choose(&trial, &world->prefetch, err);
  if (status == LS_OK) world->setup.prefetch = world->prefetch.prefetch;
  return status;
}

enum ls_status ls_world_open(struct ls_world *world, const struct ls_world_request *request,
                             struct ls_error *err) {
  size_t workers = request->platform->workers_count;
  struct ls_world made = {.setup = {.platform = request->platform,
                                    .units = request->units,
                                    .asking = request->asking,
                                    .chunk_error = request->error,
                                    .prefetch = 1}};
  made.weights = calloc(workers, sizeof *made.weights);
  made.speeds = calloc(workers, sizeof *made.speeds);
  enum ls_status status = LS_OK;
  if (!made.weights || !made.speeds) status = ls_fail(err, LS_ENOMEM, "no memory for a world");
  for (size_t i = 0; i < workers && status == LS_OK; i++) {
    double seconds = request->platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
    made.speeds[i] = seconds > 0 ? 1 / seconds : DBL_MAX / (double)workers;
  }
  if (status == LS_OK) status = choose(&made, request, err);
  if (status != LS_OK) {
    ls_world_close(&made);
    return status;
  }
  if (request->knows_facts) know_facts(&made);
  point_within(&made);
  if (made.chooses_prefetch) status = choose_prefetch(&made, err);
  if (status != LS_OK) {
    ls_world_close(&made);
    return status;
  }
  *world = made;
  point_within(world);
  return LS_OK;
}

void ls_world_close(struct ls_world *world) {
  size_t workers = world->setup.platform->workers_count;
  const struct ls_chunking *chunking = world->setup.config.chunking;
  if (chunking) ls_arguments_close(&world->setup.config.arguments);
  for (size_t i = 0; world->availability && i < workers; i++) free(world->availability[i]);
  free(world->availability);
  free(world->availability_count);
  free(world->task_work);
  free(world->expected_work);
  free(world->weights);
  free(world->speeds);
  free(world->changes[0]);
  free(world->changes[1]);
  free(world->changes[2]);
  for (size_t i = 0; i < world->setup.config.choices_count; i++)
    ls_arguments_close(&world->choices[i].arguments);
  free(world->choices);
  free(world->advice);
  free(world->pauses);
  free(world->additions);
  for (uint32_t k = 0; world->idle && k < world->setup.iterations; k++)
    ls_ranges_close(&world->idle[k]);
  free(world->idle);
  ls_world_close_needs(world);
}

double ls_world_bound(const struct ls_world *world) {
  const struct ls_simulation *setup = &world->setup;
  struct ls_sum speed = {0}, bound = {0};
  double fastest = 0;
  uint32_t iterations = setup->iterations > 0 ? setup->iterations : 1;
  for (size_t i = 0; i < setup->platform->workers_count; i++) {
    ls_sum_add(&speed, world->speeds[i]);
    fastest = fmax(fastest, world->speeds[i]);
  }
  for (uint32_t k = 0; k < iterations && setup->units > 0; k++) {
    const struct ls_ranges *idle = ls_simulated_iteration_idle(setup, k);
    struct ls_sum work = {0};
    double longest = 0;
    size_t range = 0;
    for (uint64_t i = 0; i < setup->units; i++) {
      double task = setup->task_work ? setup->task_work[k * setup->units + i] : 1;
      if (ls_simulated_is_idle(idle, &range, i)) continue;
      ls_sum_add(&work, task);
      longest = fmax(longest, task);
    }
    ls_sum_add(&bound, fmax(ls_sum_value(&work) / ls_sum_value(&speed), longest / fastest));
  }
  return ls_sum_value(&bound);
}
