/* world_settings.c: what else a seed makes, but for a plain world: settings of both sides.
 *
 * All draws come from streams of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

bool world_may(struct world *world, double probability) {
  return probability > 0 && ls_random_real(&world->extra) < probability;
}

static double draw(struct world *world, double most) {
  return most * ls_random_real(&world->extra);
}

/* A sixth of all runs follow a plan. */
static void draw_policy(struct world *world) {
  struct ls_coordinator_config *config = &world->rules.config;
  if (!world_may(world, 1.0 / 6)) return;
  config->chunking = ls_chunking_find("follow-plan");
  if (!config->chunking) abort();
  ls_arguments_init(&config->arguments, config->chunking->parameters);
}

/* Facts that nobody told, times that are all known, runs that were made before. */
static void draw_facts(struct world *world) {
  struct world_rules *rules = &world->rules;
  struct ls_coordinator_config *config = &rules->config;
  if (world_may(world, 0.3)) config->mean_seconds = (double)NAN;
  if (world_may(world, 0.3)) config->deviation_seconds = (double)NAN;
  if (world_may(world, 0.3)) config->overhead_seconds = (double)NAN;
  if (world_may(world, 0.5))
    config->weights_count = (size_t)ls_random_below(&world->extra, WORLD_SLOTS_MAX);
  rules->knows_times = world_may(world, 0.3);
  size_t lessons =
      world_may(world, 0.4) ? 1 + ls_random_below(&world->extra, WORLD_LESSONS_MAX) : 0;
  uint32_t iteration = 0;
  for (size_t i = 0; i < lessons; i++) {
    uint64_t first = ls_random_below(&world->extra, WORLD_UNITS_MAX);
    uint64_t count = 1 + ls_random_below(&world->extra, WORLD_UNITS_MAX - first);
    iteration += (uint32_t)ls_random_below(&world->extra, 2);
    rules->lessons[i] = (struct ls_coordinator_lesson){iteration, {first, count}, draw(world, 1)};
  }
  config->lessons = lessons > 0 ? rules->lessons : NULL;
  config->lessons_count = lessons;
}

/* As a driver settles them; and then whatever else they may be. */
static void draw_side(struct world *world) {
  struct world_rules *rules = &world->rules;
  struct ls_coordinator_config *config = &rules->config;
  config->report_every = world_may(world, 0.3) ? 1 + ls_random_below(&world->extra, 7) : 0;
  rules->side = ls_side_settings_of(config);
  if (world_may(world, 0.3)) rules->side.history = ls_random_below(&world->extra, 9);
  if (world_may(world, 0.1)) rules->side.history = UINT64_MAX;
  if (world_may(world, 0.3)) rules->side.report_every = ls_random_below(&world->extra, 5);
  rules->side.has_progress = world_may(world, 0.4);
  rules->side.has_receive = world_may(world, 0.4);
  rules->tells_times = world_may(world, 0.5);
  rules->output = world_may(world, 0.5) ? draw(world, 1) : 0;
  rules->hold_back = world_may(world, 0.5) ? draw(world, 0.5) : 0;
}

/* What workers outlive, and what is told of them. */
static void draw_endurance(struct world *world) {
  struct world_rules *rules = &world->rules;
  struct ls_coordinator_config *config = &rules->config;
  bool is_pushed = config->chunking->is_pushed;
  if (world_may(world, 0.4)) {
    config->heartbeat_s = 1;
    config->silence_s = 0;
  }
  if (world_may(world, 0.4)) config->grant_s = 0.1 + draw(world, 3);
  rules->lifelines = world_may(world, 0.3) ? draw(world, 1) : 0;
  rules->lifetime = world_may(world, 0.3) ? 5 + draw(world, 20) : 0;
  rules->stall = world_may(world, 0.3) ? draw(world, 20) : 0;
  rules->cut = world_may(world, 0.4) ? draw(world, 0.1) : 0;
  rules->grows = world_may(world, 0.25) && !is_pushed;
}

/* From a stream of its own. */
static void draw_recalls(struct world *world) {
  struct ls_coordinator_config *config = &world->rules.config;
  struct ls_random random;
  ls_random_init(&random, world->seed, "recalls");
  if (ls_random_below(&random, 4) == 0) return;
  config->recalls = config->spares_newcomers && !config->chunking->is_pushed;
  if (config->recalls && ls_random_below(&random, 3) == 0)
    world->rules.slow = 40 * ls_random_real(&random);
}

/* From a stream of its own, too: some units take about as long as most workers live. */
static void draw_ends(struct world *world) {
  struct world_rules *rules = &world->rules;
  struct ls_random random;
  ls_random_init(&random, world->seed, "ends");
  rules->stops = ls_random_below(&random, 6) == 0;
  if (!rules->stops) return;
  rules->lifetime = 4 + 12 * ls_random_real(&random);
  rules->slow = fmax(rules->slow, rules->lifetime * (0.3 + ls_random_real(&random)));
  rules->is_announced = true;
}

/* From a stream of its own: commands that take several units, of which a start takes as many as a
 * command line holds, and whose results count whole or not at all. */
static void draw_tasks(struct world *world) {
  struct world_rules *rules = &world->rules;
  struct ls_random random;
  ls_random_init(&random, world->seed, "tasks");
  rules->has_tasks = ls_random_below(&random, 4) == 0 && rules->config.replication == NULL;
  if (!rules->has_tasks) return;
  rules->side.has_progress = false;
  rules->output = 1;
}

/* From a stream of its own, in seeds of which none was kept before: time between two starts, and
 * between a failure and the next attempt. */
static void draw_pauses(struct world *world) {
  struct ls_coordinator_config *config = &world->rules.config;
  struct ls_random random;
  uint64_t kind = world->seed % 16;
  ls_random_init(&random, world->seed, "pauses");
  if (kind != 1 && kind != 7 && kind != 11) return;
  if (ls_random_below(&random, 3) > 0) config->retry_delay_s = 5 * ls_random_real(&random);
  bool has_starts = ls_random_below(&random, 2) == 0 && !config->chunking->is_pushed;
  if (has_starts) config->start_delay_s = 0.5 * ls_random_real(&random);
}

/* From a stream of its own, too. */
static void draw_watch(struct world *world) {
  struct ls_random random;
  ls_random_init(&random, world->seed, "watch");
  if (ls_random_below(&random, 3) > 0) return;
  world->rules.watch = ls_random_real(&random);
  world->rules.has_stoppers = ls_random_below(&random, 2) == 0;
}

void world_draw_settings(struct world *world) {
  struct world_rules *rules = &world->rules;
  draw_policy(world);
  draw_facts(world);
  draw_side(world);
  rules->config.is_paced = world_may(world, 0.5);
  rules->leave = world_may(world, 0.4) ? draw(world, 0.1) : 0;
  rules->is_announced = world_may(world, 0.5);
  rules->reclaim = world_may(world, 0.5) ? draw(world, 1) : 0;
  rules->refuse = world_may(world, 0.3) ? draw(world, 1) : 0;
  rules->never = world_may(world, 0.3) ? draw(world, 0.5) : 0;
  rules->recalls = world_may(world, 0.5);
  rules->keep = world_may(world, 0.6) ? draw(world, 1) : 0;
  draw_endurance(world);
  draw_recalls(world);
  draw_ends(world);
  draw_tasks(world);
  draw_pauses(world);
  if (!world->is_unwatched) draw_watch(world);
}

/* The chunks before the first one that the order of returns names. */
static size_t count_before_returns(const struct ls_plan *plan) {
  size_t count = plan->chunks_count;
  for (size_t i = 0; i < plan->returns_count; i++)
    if (plan->returns[i] < count) count = plan->returns[i];
  return count;
}

/* Half of the plans have a body that is played more than once, in smaller chunks, where the order
 * of returns leaves chunks for it.  From a stream of its own, too. */
void world_draw_repeat(struct world *world) {
  struct world_rules *rules = &world->rules;
  struct ls_plan_repeat *repeat = &rules->plan.repeat;
  struct ls_random random;
  ls_random_init(&random, world->seed, "repeat");
  if (!rules->config.chunking->is_pushed) return;
  size_t count = count_before_returns(&rules->plan);
  if (ls_random_below(&random, 2) == 0 || count == 0) return;
  repeat->from = (size_t)ls_random_below(&random, count);
  repeat->to = repeat->from + 1 + (size_t)ls_random_below(&random, count - repeat->from);
  repeat->times = 2 + ls_random_below(&random, 5);
  for (size_t i = repeat->from; i < repeat->to; i++)
    rules->chunks[i].units = ceil(rules->chunks[i].units / (double)repeat->times);
}

/* Some chunks of the plan, or none, in any order. */
void world_draw_returns(struct world *world) {
  struct world_rules *rules = &world->rules;
  double share = world_may(world, 0.5) ? 1 : draw(world, 1);
  size_t count = 0;
  if (!rules->config.chunking->is_pushed || !world_may(world, 0.8)) return;
  for (size_t i = 0; i < rules->plan.chunks_count; i++) {
    if (!world_may(world, share)) continue;
    size_t place = (size_t)ls_random_below(&world->extra, count + 1);
    rules->returns[count++] = rules->returns[place];
    rules->returns[place] = i;
  }
  rules->plan.has_returns = true;
  rules->plan.returns = count > 0 ? rules->returns : NULL;
  rules->plan.returns_count = count;
}
