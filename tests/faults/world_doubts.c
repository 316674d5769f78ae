/* world_doubts.c: the book of units that wait although a worker may have them: it fell silent, or
 * was cut off, and goes on with what it has.
 */
#include <inttypes.h>

#include "world.h"

void world_doubt(struct world *world, uint32_t number, uint64_t unit, uint64_t chunk) {
  const struct world_worker *worker = &world->workers[number];
  bool is_doubtful = worker->presence == PRESENCE_SUSPENDED && worker->reason >= LS_AWAY_SILENT &&
                     !worker->is_vacated;
  if (!is_doubtful || world->units[unit].owner != LS_WORKER_NONE) return;
  world->units[unit].doubted = number + 1;
  world->units[unit].doubted_chunk = chunk;
}

void world_trust(struct world *world, uint32_t number, bool is_presumed) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    if (unit->doubted != number + 1) continue;
    unit->doubted = 0;
    unit->is_orphan = is_presumed;
  }
}

bool world_is_held(const struct ls_event *event, uint64_t chunk, uint64_t unit) {
  if (event->kind != LS_EVENT_RESUMED || !event->resumed.is_told) return true;
  for (size_t i = 0; i < event->resumed.held_count; i++) {
    const struct ls_event_held *held = &event->resumed.held[i];
    if (held->chunk == chunk && unit >= held->units.first &&
        unit - held->units.first < held->units.count)
      return true;
  }
  return false;
}

void world_clear_up(struct world *world, uint32_t number, const struct ls_event *event) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    if (unit->doubted != number + 1) continue;
    unit->doubted = 0;
    /* Behind a stop nobody begins anything. */
    bool is_free = unit->owner == LS_WORKER_NONE && !unit->is_settled && !totals.is_stopping;
    if (!is_free || !world_is_held(event, unit->doubted_chunk, i)) continue;
    unit->owner = number;
    unit->chunk = unit->doubted_chunk;
    unit->is_back = true;
    world->summary.owned_again++;
  }
}

static bool is_in(const struct world *world, const struct ls_action *action, uint64_t unit) {
  for (size_t i = 0; i < action->send.ranges_count; i++) {
    struct ls_range range = world->actions.ranges[action->send.first_range + i];
    if (unit >= range.first && unit - range.first < range.count) return true;
  }
  return false;
}

/* A unit that waits, that nobody may have, and that the worker lives long enough for;
 * WORLD_UNITS_MAX: there is none. */
static uint64_t find_sure(const struct world *world, uint32_t number) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    const struct world_unit *unit = &world->units[i];
    bool is_sure = unit->doubted == 0 && !unit->is_orphan;
    if (world_is_waiting(world, i) && is_sure && !world_may_be_kept_from(world, number, i))
      return i;
  }
  return WORLD_UNITS_MAX;
}

/* A plan's chunks have their sizes, so that one may hold both; what an end of time stopped is put
 * aside, and then stands in front. */
void world_check_doubt(struct world *world, const struct ls_action *action) {
  const struct ls_coordinator_config *config = &world->rules.config;
  uint32_t number = action->worker;
  uint64_t doubted = WORLD_UNITS_MAX;
  for (uint64_t i = 0; i < count_units(world); i++)
    if (world->units[i].doubted != 0 && world->units[i].ends == 0 && is_in(world, action, i))
      doubted = i;
  if (doubted == WORLD_UNITS_MAX || config->chunking->is_pushed) return;
  world->summary.doubted++;
  uint64_t sure = find_sure(world, number);
  if (sure < WORLD_UNITS_MAX)
    world_complain(world,
                   "worker %" PRIu32 " gets unit %" PRIu64 ", which worker %" PRIu32
                   " may have, and not unit %" PRIu64,
                   number, doubted, world->units[doubted].doubted - 1, sure);
  /* Who has two replicas that another result overtook still owes them, in this book. */
  if (config->replication == NULL && world_count_owned(world, number) > 0)
    world_complain(world, "worker %" PRIu32 " is busy and gets unit %" PRIu64, number, doubted);
}
