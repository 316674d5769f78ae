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

static bool is_anybody_immortal(const struct world *world) {
  for (uint32_t i = 0; i < world->workers_count; i++) {
    const struct world_worker *worker = &world->workers[i];
    if (worker->presence == PRESENCE_THERE && !(worker->lives_until_s > 0)) return true;
  }
  return false;
}

void world_check_lifetime(struct world *world, uint32_t number, uint64_t unit) {
  const struct world_unit *at = &world->units[unit];
  const struct world_worker *worker = &world->workers[number];
  bool is_free = at->ends == 0 || isnan(at->ran_s) || !(worker->lives_until_s > 0);
  if (is_free || world->rules.config.chunking->is_pushed) return;
  if (worker->lives_until_s - get_now(world) >= 2 * at->ran_s) return;
  if (worker->was_sent || is_anybody_immortal(world))
    world_complain(world,
                   "unit %" PRIu64 " ran for %g s, and is sent to worker %" PRIu32
                   ", which has %g s left",
                   unit, at->ran_s, number, worker->lives_until_s - get_now(world));
}

uint64_t world_count_stopped(const struct world *world) {
  uint64_t units = 0;
  for (uint64_t i = 0; i < count_units(world); i++) {
    const struct world_unit *unit = &world->units[i];
    units += unit->ends > 0 && unit->owner == LS_WORKER_NONE && !unit->is_settled;
  }
  return units;
}
