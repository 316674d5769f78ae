/* reclaim.c: machines taken away by chance.
 *
 * Each machine has a stream of its own for the times between its losses, so that one machine more
 * does not move the others'; the loss of an iteration has another.
 */
#include "simulate/engine_private.h"
#include "simulate/iterations_private.h"
#include "simulate/presence_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A run that loses machines faster than they end tasks would go on for ever. */
static const uint64_t RECLAIMS_MAX = 10000000;

bool ls_reclaim_open(struct ls_engine *engine) {
  uint64_t seed = engine->setup->config.seed;
  size_t machines = engine->platform->workers_count;
  ls_random_init(&engine->reclaim_chance, seed, "reclaim");
  ls_random_init(&engine->grant_chance, seed, "grant");
  if (!(engine->setup->reclaim.mean_up_s > 0)) return true;
  engine->up_chance = calloc(machines, sizeof *engine->up_chance);
  for (size_t i = 0; engine->up_chance && i < machines; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, "up-%zu", i);
    ls_random_init(&engine->up_chance[i], seed, name);
  }
  return engine->up_chance != NULL;
}

void ls_reclaim_close(struct ls_engine *engine) {
  free(engine->up_chance);
}

static double draw_exponential(struct ls_random *random, double mean) {
  return -mean * log1p(-ls_random_real(random));
}

void ls_reclaim_plan(struct ls_engine *engine, uint32_t worker) {
  if (!engine->up_chance) return;
  double up_s = draw_exponential(&engine->up_chance[worker], engine->setup->reclaim.mean_up_s);
  ls_engine_push(engine, engine->now_s + up_s, LS_ENGINE_PAUSE, worker);
}

void ls_reclaim_plan_return(struct ls_engine *engine, uint32_t worker) {
  engine->reclaims++;
  if (engine->reclaims == RECLAIMS_MAX)
    ls_engine_fail(engine, ls_fail(engine->err, LS_EINVAL,
                                   "machines were reclaimed %" PRIu64
                                   " times and the run does not end: reclaim.mean_up is too short "
                                   "for tasks of this length",
                                   engine->reclaims));
  if (!engine->up_chance || engine->workers[worker].is_reclaimed) return;
  double away_s = draw_exponential(&engine->up_chance[worker], engine->setup->reclaim.mean_away_s);
  ls_engine_push(engine, engine->now_s + away_s, LS_ENGINE_RESUME, worker);
}

/* The work of the longest task of this iteration. */
static double find_longest(const struct ls_engine *engine) {
  const struct ls_ranges *idle = ls_simulated_iteration_idle(engine->setup, engine->iteration);
  uint64_t units = ls_simulated_iteration_units(engine->setup, engine->iteration);
  double longest = 0;
  size_t range = 0;
  if (!engine->work_before) return 1;
  for (uint64_t i = 0; i < units; i++)
    if (!ls_simulated_is_idle(idle, &range, i))
      longest = fmax(longest, engine->work_before[i + 1] - engine->work_before[i]);
  return longest;
}

void ls_reclaim_begin(struct ls_engine *engine) {
  size_t machines = engine->platform->workers_count;
  for (uint32_t i = 0; i < engine->workers_count; i++)
    if (engine->workers[i].is_reclaimed) ls_presence_resume(engine, i);
  if (!(engine->setup->reclaim.probability > 0)) return;
  /* All are drawn, so that whether a loss happens does not move the later ones. */
  bool is_lost = ls_random_real(&engine->reclaim_chance) < engine->setup->reclaim.probability;
  uint32_t machine = (uint32_t)ls_random_below(&engine->reclaim_chance, machines);
  double share = ls_random_real(&engine->reclaim_chance);
  if (!is_lost) return;
  double after_s = share * find_longest(engine) *
                   engine->platform->workers[machine].costs[LS_OPERATION_COMPUTE].per_unit_s;
  ls_engine_push(engine, engine->now_s + after_s, LS_ENGINE_PAUSE,
                 (uint64_t)(engine->iteration + 1) << 32 | machine);
}
