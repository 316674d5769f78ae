/* world_outside.c: reads what happens to a run from outside: advice, a stop. */
#include <float.h>
#include <stdlib.h>

#include "simulate/world_private.h"

static enum ls_status read_policy(struct ls_world *world, const struct ls_json *place,
                                  size_t *policy, struct ls_error *err) {
  struct ls_coordinator_config *config = &world->setup.config;
  const char *text = NULL;
  if (!place->value) return LS_OK;
  enum ls_status status = ls_json_string(place, &text, err);
  if (status == LS_OK)
    status = ls_world_choose_advised(text, &world->choices[config->choices_count], err);
  if (status == LS_OK) *policy = ++config->choices_count;
  return status;
}

static enum ls_status read_item(struct ls_world *world, const struct ls_json *item,
                                struct ls_simulated_advice *advice, struct ls_error *err) {
  static const char *const known[] = {"time", "policy", "prefetch", "workers", NULL};
  uint64_t workers = world->setup.platform->workers_count;
  enum ls_status status = ls_json_object(item, known, err);
  struct ls_json time = ls_json_member(item, "time"), policy = ls_json_member(item, "policy");
  struct ls_json prefetch = ls_json_member(item, "prefetch");
  struct ls_json number = ls_json_member(item, "workers");
  if (status == LS_OK) status = ls_json_real(&time, 0, DBL_MAX, &advice->time_s, err);
  if (status == LS_OK) status = read_policy(world, &policy, &advice->advice.policy, err);
  if (status == LS_OK && prefetch.value)
    status = ls_json_whole(&prefetch, 1, (uint64_t)1 << 53, &advice->advice.prefetch, err);
  if (status == LS_OK && number.value)
    status = ls_json_whole(&number, 1, workers, &advice->advice.workers, err);
  return status;
}

enum ls_status ls_world_read_advice(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  world->advice = calloc(count + 1, sizeof *world->advice);
  world->choices = calloc(count + 1, sizeof *world->choices);
  if (!world->advice || !world->choices) return ls_fail(err, LS_ENOMEM, "no memory for advice");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    status = read_item(world, &item, &world->advice[i], err);
  }
  world->setup.advice = world->advice;
  world->setup.advice_count = count;
  world->setup.config.choices = world->choices;
  return status;
}

enum ls_status ls_world_read_additions(struct ls_world *world, const struct ls_json *place,
                                       struct ls_error *err) {
  static const char *const known[] = {"time", "units", NULL};
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  world->additions = calloc(count + 1, sizeof *world->additions);
  if (!world->additions) return ls_fail(err, LS_ENOMEM, "no memory for additions");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    struct ls_simulated_addition *addition = &world->additions[i];
    status = ls_json_object(&item, known, err);
    struct ls_json time = ls_json_member(&item, "time"), units = ls_json_member(&item, "units");
    if (status == LS_OK) status = ls_json_real(&time, 0, DBL_MAX, &addition->time_s, err);
    if (status == LS_OK)
      status = ls_json_whole(&units, 1, (uint64_t)1 << 53, &addition->units, err);
  }
  world->setup.additions = world->additions;
  world->setup.additions_count = count;
  return status;
}

enum ls_status ls_world_read_stop(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  static const char *const known[] = {"time", "hard", NULL};
  struct ls_simulated_stop *stop = &world->setup.stop;
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json time = ls_json_member(place, "time"), hard = ls_json_member(place, "hard");
  stop->is_wanted = true;
  if (status == LS_OK) status = ls_json_real(&time, 0, DBL_MAX, &stop->time_s, err);
  if (status == LS_OK && hard.value) status = ls_json_bool(&hard, &stop->is_hard, err);
  return status;
}
