/* world_rules.c: what a seed makes: the run, and what goes wrong in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static size_t count_policies(void) {
  size_t count = 0;
  while (ls_chunkings[count]) count++;
  return count;
}

static size_t count_orders(void) {
  size_t count = 0;
  while (ls_orderings[count]) count++;
  return count;
}

static void draw_plan(struct world *world) {
  struct world_rules *rules = &world->rules;
  uint64_t rest = 0;
  for (uint32_t i = 0; i < rules->iterations; i++)
    if (rules->units[i] > rest) rest = rules->units[i];
  size_t count = 0;
  while (rest > 0) {
    uint64_t units = 1 + ls_random_below(&world->random, rest);
    uint32_t worker = (uint32_t)ls_random_below(&world->random, rules->config.workers);
    uint64_t most = rules->rooms[worker].chunk_units;
    if (most > 0 && units > most) units = most;
    rules->chunks[count++] = (struct ls_plan_chunk){.worker = worker, .units = (double)units};
    rest -= units;
  }
  rules->plan = (struct ls_plan){.chunks = rules->chunks, .chunks_count = count};
  rules->config.plan = &rules->plan;
}

static void draw_config(struct world *world) {
  struct ls_random *random = &world->random;
  struct world_rules *rules = &world->rules;
  struct ls_coordinator_config *config = &rules->config;
  config->chunking = ls_chunkings[ls_random_below(random, count_policies())];
  ls_arguments_init(&config->arguments, config->chunking->parameters);
  config->ordering = ls_orderings[ls_random_below(random, count_orders())];
  config->workers = 1 + ls_random_below(random, 6);
  config->workers_max = WORLD_SLOTS_MAX;
  config->mean_seconds = 0.5;
  config->deviation_seconds = 0.2;
  config->overhead_seconds = 0.1;
  config->seed = world->seed;
  config->retries = (uint32_t)ls_random_below(random, 4);
  config->kills_max = (uint32_t)ls_random_below(random, 3);
  config->task_units_max = world->seed % 5 == 0 ? 1 + world->seed % 7 : 0;
  config->isolates_lost = world->seed % 10 == 0;
  config->silence_s = 4;
  config->patience_s = world_chance(world, 0.5) ? 6 : 0;
  config->deadline_s = world_chance(world, 0.05) ? world_draw(world, 1, 20) : 0;
  config->spares_newcomers = world->seed % 2 == 1;
  for (size_t i = 0; i < WORLD_SLOTS_MAX; i++) rules->weights[i] = world_draw(world, 0.1, 2);
  config->weights_count = WORLD_SLOTS_MAX;
  if (world_chance(world, 0.5)) config->weights = rules->weights;
}

static size_t count_entries(const void *const *entries) {
  size_t count = 0;
  while (entries[count]) count++;
  return count;
}

/* Any number, in no order: published sizings hardly change their mind. */
static size_t want_anything(const struct ls_sizing_view *view, size_t given) {
  uint64_t key = 31 * view->units + 17 * view->iteration + 7 * view->wanted;
  return 1 + (size_t)(key % given);
}

static const struct ls_sizing moody = {
    .name = "moody", .summary = "any number", .reference = "none", .wanted = want_anything};

static uint64_t replicate_all(const struct ls_replication_view *view) {
  return view->units;
}

/* Half of the replicas are worth it, as chance has it. */
static double weigh_anything(const struct ls_replica_facts *facts) {
  double thousandths = floor(1000 * facts->elapsed_s);
  return fmod(thousandths, 2) > 0 ? 1 + thousandths : -1;
}

/* As many replicas as there may be: published replications make few. */
static const struct ls_replication eager = {.name = "eager",
                                            .summary = "all units twice",
                                            .reference = "none",
                                            .replicas = replicate_all,
                                            .worth = weigh_anything};

/* From a stream of its own: what else a seed makes does not depend on it. */
static void draw_iterated(struct world *world) {
  struct ls_random random;
  struct world_rules *rules = &world->rules;
  struct ls_coordinator_config *config = &rules->config;
  ls_random_init(&random, world->seed, "iterated");
  size_t sizings = count_entries((const void *const *)ls_sizings);
  size_t replications = count_entries((const void *const *)ls_replications);
  if (ls_random_below(&random, 2)) config->sizing = ls_sizings[ls_random_below(&random, sizings)];
  if (ls_random_below(&random, 3)) {
    config->replication = ls_replications[ls_random_below(&random, replications)];
    config->extra = ls_random_below(&random, config->workers);
    config->loss_rate = ls_random_below(&random, 2) ? 0.5 : 0;
  }
  for (size_t i = 0; i < WORLD_UNITS_MAX; i++) rules->expected[i] = ls_random_real(&random);
}

/* Published sizings and replications replaced by wilder ones, in every fourth of their seeds. */
static void draw_wild(struct world *world) {
  struct ls_random random;
  struct ls_coordinator_config *config = &world->rules.config;
  ls_random_init(&random, world->seed, "wild");
  if (config->sizing != NULL && ls_random_below(&random, 4) == 0) config->sizing = &moody;
  if (config->replication != NULL && ls_random_below(&random, 4) == 0) config->replication = &eager;
}

/* Some slots have any room, some chunks are small; from a stream of its own, too, and in none of
 * the seeds that were kept before. */
static void draw_rooms(struct world *world) {
  struct ls_random random;
  struct world_rules *rules = &world->rules;
  ls_random_init(&random, world->seed, "rooms");
  if (world->seed % 8 < 6) return;
  for (size_t i = 0; i < WORLD_SLOTS_MAX; i++) {
    struct ls_room *room = &rules->rooms[i];
    if (ls_random_below(&random, 5) > 0) room->units = 1 + ls_random_below(&random, 12);
    room->chunk_units = room->units;
    uint64_t most = 1 + ls_random_below(&random, 8);
    if (ls_random_below(&random, 3) == 0 && (room->units == 0 || most < room->units))
      room->chunk_units = most;
  }
  rules->config.rooms = rules->rooms;
  /* Of all slots, or of the first ones only. */
  rules->config.rooms_count = ls_random_below(&random, 2) ? WORLD_SLOTS_MAX : rules->config.workers;
}

/* What advice may change to: whatever is not pushed, unless the run itself is. */
static void list_choices(struct world_rules *rules) {
  struct ls_coordinator_config *config = &rules->config;
  config->choices = rules->choices;
  for (size_t i = 0; ls_chunkings[i] && !config->chunking->is_pushed; i++) {
    if (ls_chunkings[i]->is_pushed) continue;
    if (config->choices_count == WORLD_CHOICES_MAX) abort();
    struct ls_coordinator_choice *choice = &rules->choices[config->choices_count++];
    choice->chunking = ls_chunkings[i];
    ls_arguments_init(&choice->arguments, ls_chunkings[i]->parameters);
  }
}

void world_draw_rules(struct world *world) {
  struct ls_random *random = &world->random;
  struct world_rules *rules = &world->rules;
  memset(rules, 0, sizeof *rules);
  draw_config(world);
  draw_iterated(world);
  draw_wild(world);
  draw_rooms(world);
  world->rules.config.is_exact = true;
  if (!world->is_plain) world_draw_settings(world);
  list_choices(rules);
  rules->iterations = 1 + (uint32_t)ls_random_below(random, WORLD_ITERATIONS_MAX);
  uint64_t most = world_chance(world, 0.3) ? 8 : WORLD_UNITS_MAX;
  for (uint32_t i = 0; i < rules->iterations; i++)
    rules->units[i] = 1 + ls_random_below(random, most);
  draw_plan(world);
  if (!world->is_plain) world_draw_returns(world);
  if (!world->is_plain) world_draw_repeat(world);
  rules->side.prefetch = ls_random_below(random, 5);
  rules->side.asking = world_chance(world, 0.5) ? LS_ASKING_ROOM : LS_ASKING_ONE;
  if (rules->config.chunking->is_pushed) rules->side.asking = LS_ASKING_NOTHING;
  rules->has_killers = rules->config.kills_max > 0 && world_chance(world, 0.3);
  rules->delay_s = world_chance(world, 0.3) ? 0 : world_draw(world, 0.01, 0.8);
  rules->chaos_until_s = world_draw(world, 0, 40);
  rules->crash = world_chance(world, 0.7) ? world_draw(world, 0, 0.08) : 0;
  rules->hang = world_chance(world, 0.5) ? world_draw(world, 0, 0.08) : 0;
  rules->suspend = world_chance(world, 0.5) ? world_draw(world, 0, 0.1) : 0;
  rules->duplicate = world_chance(world, 0.5) ? 0.2 : 0;
  rules->fail = world_chance(world, 0.6) ? world_draw(world, 0, 0.3) : 0;
  world->sessions_left = world_chance(world, 0.3) ? 1 + (uint32_t)ls_random_below(random, 3) : 0;
}

bool world_is_stopper(const struct world *world, uint64_t unit) {
  struct ls_random random;
  ls_random_init(&random, world->seed * 1000003 + world->iteration * 4099 + unit, "stopper");
  return world->rules.has_stoppers && ls_random_below(&random, 8) == 0;
}

enum unit_fate world_fate(const struct world *world, uint64_t unit, uint32_t attempt) {
  struct ls_random random;
  uint64_t key = world->seed * 1000003 + world->iteration * 4099 + unit;
  ls_random_init(&random, key, "fate");
  if (world_is_stopper(world, unit)) return FATE_TIMES_OUT;
  if (world->rules.has_killers && ls_random_below(&random, 24) == 0) return FATE_KILLS;
  if (!(ls_random_real(&random) < world->rules.fail)) return FATE_DONE;
  enum unit_fate fate = ls_random_below(&random, 3) == 0 ? FATE_TIMES_OUT : FATE_FAILS;
  uint64_t failing = ls_random_below(&random, 6); /* attempts that fail; 5: all of them */
  return failing == 5 || attempt < failing ? fate : FATE_DONE;
}
