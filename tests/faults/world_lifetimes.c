/* world_lifetimes.c: the book of workers whose time ends, and of what they stop. */
#include <inttypes.h>
#include <math.h>

#include "world.h"

enum { ENDS_MAX = 3 };

static double get_now(const struct world *world) {
  return world->heard_s;
}

/* By somebody, or by its own deadline. */
bool world_is_told_to_stop(const struct world *world) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  return totals.is_stopping;
}

bool world_is_over(const struct world *world, uint32_t number) {
  const struct world_worker *worker = &world->workers[number];
  return worker->lives_until_s > 0 && get_now(world) >= worker->lives_until_s;
}

bool world_is_end(const struct world *world, const struct ls_event *event, uint64_t *unit) {
  const struct world_worker *worker = &world->workers[event->worker];
  const struct ls_event_result *result = &event->result;
  if (event->kind != LS_EVENT_RESULT || result->outcome != LS_OUTCOME_CANCELLED) return false;
  if (!(result->seconds > 0) || world_is_told_to_stop(world) ||
      worker->presence != PRESENCE_LEAVING)
    return false;
  if (!(worker->lives_until_s > 0) || get_now(world) < worker->lives_until_s - 2) return false;
  *unit = result->units.first;
  if (*unit >= count_units(world) || result->chunk >= world->chunks_count) return false;
  const struct world_chunk *chunk = &world->chunks[result->chunk];
  const struct world_unit *at = &world->units[*unit];
  bool is_owed = (at->owner == event->worker && at->chunk == result->chunk) ||
                 (at->replica_owner == event->worker && at->replica_chunk == result->chunk);
  return is_owed && !at->is_settled && !chunk->is_cancelled;
}

void world_note_end(struct world *world, uint64_t unit, double ran_s) {
  struct world_unit *at = &world->units[unit];
  at->ends++;
  at->ran_s = isnan(ran_s) || isnan(at->ran_s) ? (double)NAN : fmax(at->ran_s, ran_s);
  world->summary.expired++;
}

void world_check_end(struct world *world, uint64_t unit) {
  const struct world_unit *at = &world->units[unit];
  bool is_elsewhere = at->owner != LS_WORKER_NONE;
  if (at->ends >= ENDS_MAX && !at->is_settled && !is_elsewhere)
    world_complain(world, "unit %" PRIu64 " is not given up after %" PRIu32 " ends of time", unit,
                   at->ends);
  if (at->is_settled && at->outcome == LS_OUTCOME_GIVEN_UP) world->summary.outlasted++;
}

/* What is kept of a lifetime for a result to arrive: a second and the time in which the worker is
 * noticed to be silent, of which this book does not know the last answer. */
static double find_margin(const struct world *world, double answer_s) {
  const struct ls_coordinator_config *config = &world->rules.config;
  if (config->silence_s > 0) return 1 + config->silence_s;
  return 1 + (config->heartbeat_s > 0 ? 3 * config->heartbeat_s + answer_s : 0);
}

static const double ANSWER_MOST_S = 2, ANSWER_LEAST_S = 0.01;

static double find_left(const struct world *world, uint32_t number, double answer_s) {
  double until_s = world->workers[number].lives_until_s;
  if (!(until_s > 0)) return HUGE_VAL;
  return until_s - find_margin(world, answer_s) - get_now(world);
}

/* What is expected of it there, at most: all is declared, and some learn that it takes longer. */
static double find_expected(const struct world *world, uint32_t number, uint64_t unit) {
  const struct world_rules *rules = &world->rules;
  uint32_t slot = world->workers[number].slot;
  bool is_told = rules->config.weights != NULL && slot < rules->config.weights_count;
  double speed = is_told ? rules->config.weights[slot] : 1;
  double seconds = ls_side_is_learning(&rules->config) ? 1 + rules->slow : rules->expected[unit];
  return seconds / speed;
}

/* Of an end in which nobody said after how long nothing is known here. */
static double find_needed(const struct world *world, uint64_t unit) {
  const struct world_unit *at = &world->units[unit];
  if (at->ends == 0) return 0;
  return isnan(at->ran_s) ? HUGE_VAL : 2 * at->ran_s;
}

/* It has the time, whatever is expected. */
static bool surely_lasts(const struct world *world, uint32_t number, uint64_t unit) {
  double needed_s = fmax(find_needed(world, unit), find_expected(world, number, unit));
  return find_left(world, number, ANSWER_MOST_S) >= needed_s;
}

static bool may_last(const struct world *world, uint32_t number, uint64_t unit) {
  double needed_s = isnan(world->units[unit].ran_s) ? 0 : find_needed(world, unit);
  return find_left(world, number, ANSWER_LEAST_S) >= needed_s;
}

static bool does_anybody_last(const struct world *world, uint64_t unit) {
  for (uint32_t i = 0; i < world->workers_count; i++)
    if (world->workers[i].presence == PRESENCE_THERE && surely_lasts(world, i, unit)) return true;
  return false;
}

/* Also one that is away, in whose place nobody was asked for. */
static bool may_anybody_last(const struct world *world, uint64_t unit) {
  for (uint32_t i = 0; i < world->workers_count; i++) {
    enum presence presence = world->workers[i].presence;
    bool is_kept = presence == PRESENCE_THERE || presence == PRESENCE_SUSPENDED;
    if (is_kept && may_last(world, i, unit)) return true;
  }
  return false;
}

bool world_may_be_kept_from(const struct world *world, uint32_t number, uint64_t unit) {
  if (surely_lasts(world, number, unit)) return false;
  return world->workers[number].was_sent || may_anybody_last(world, unit);
}

bool world_is_kept_from(const struct world *world, uint32_t number, uint64_t unit) {
  if (world->units[unit].ends == 0 || may_last(world, number, unit)) return false;
  return world->workers[number].was_sent || does_anybody_last(world, unit);
}

bool world_may_lack_time(const struct world *world, uint32_t number, uint64_t units) {
  double busy_s = 0, left_s = find_left(world, number, ANSWER_MOST_S);
  units += world_count_owned(world, number);
  for (uint64_t i = 0; i < count_units(world); i++) {
    /* A unit that an end of time stopped needs more than is expected of it. */
    bool is_outlasting = world->units[i].ends > 0 && !world->units[i].is_settled;
    if (is_outlasting && world_may_be_kept_from(world, number, i)) return true;
    busy_s = fmax(busy_s, find_expected(world, number, i) * (double)units);
  }
  return left_s < busy_s;
}

void world_check_lifetime(struct world *world, uint32_t number, uint64_t unit) {
  const struct world_unit *at = &world->units[unit];
  const struct world_worker *worker = &world->workers[number];
  if (world_is_kept_from(world, number, unit))
    world_complain(world,
                   "unit %" PRIu64 " ran for %g s, and is sent to worker %" PRIu32
                   ", which has %g s left",
                   unit, at->ran_s, number, worker->lives_until_s - get_now(world));
}
