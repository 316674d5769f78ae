/* world_plan.c: the book of a plan that is followed: what is pushed, and whose result is awaited.
 */
#include <inttypes.h>
#include <string.h>

#include "world.h"

static uint64_t count_waiting(const struct world *world) {
  uint64_t waiting = 0;
  for (uint64_t i = 0; i < count_units(world); i++) waiting += world_is_waiting(world, i);
  return waiting;
}

/* Those that another worker's late result has settled are there, too, until this one tells of them.
 */
static uint64_t count_at(const struct world *world, uint32_t number) {
  uint64_t units = 0;
  for (uint64_t i = 0; i < count_units(world); i++) units += world->units[i].owner == number;
  return units;
}

static bool has_units(const struct world *world, uint64_t chunk) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    const struct world_unit *unit = &world->units[i];
    if (!unit->is_settled && unit->owner != LS_WORKER_NONE && unit->chunk == chunk) return true;
  }
  return false;
}

/* The place of a chunk of the plan in the order of returns; that of none is behind all. */
static size_t find_place(const struct ls_plan *plan, size_t planned) {
  size_t place = 0;
  while (place < plan->returns_count && plan->returns[place] != planned) place++;
  return place;
}

/* Whoever is there in the slot; LS_WORKER_NONE: nobody. */
static uint32_t find_present(const struct world *world, uint32_t slot) {
  uint32_t holder = world->holders[slot];
  if (holder == 0 || world->workers[holder - 1].presence != PRESENCE_THERE) return LS_WORKER_NONE;
  return holder - 1;
}

void world_open_plan(struct world *world) {
  world->course = (struct world_course){.cursor = ls_plan_begin(&world->rules.plan)};
}

bool world_is_ordered(const struct world *world) {
  return world->rules.plan.has_returns && !world->course.is_abandoned;
}

void world_note_vacated(struct world *world) {
  struct world_course *course = &world->course;
  if (!world_is_ordered(world)) return;
  course->is_abandoned = ++course->vain > world->rules.config.workers;
}

/* Past the results that came, and past those that will not come any more. */
static void move_turn(struct world *world) {
  struct world_course *course = &world->course;
  const struct ls_plan *plan = &world->rules.plan;
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  bool may_go_out = !totals.is_stopping && count_waiting(world) > 0;
  if (course->is_abandoned) course->turn = plan->returns_count;
  for (; course->turn < plan->returns_count; course->turn++) {
    uint64_t number = course->sent[plan->returns[course->turn]];
    if (number == 0 && may_go_out) return;
    if (number == 0) continue;
    const struct world_chunk *chunk = &world->chunks[number - 1];
    if (chunk->is_held && !chunk->is_unawaited && has_units(world, number - 1)) return;
  }
}

void world_note_plan(struct world *world) {
  if (world->rules.config.chunking->is_pushed && !world->is_finished) move_turn(world);
}

/* The chunk that was planned goes to its worker, if that is there and has the time, with what is
 * left of its units; and it says how its result is to come. */
void world_note_pushed(struct world *world, const struct ls_action *action) {
  struct world_course *course = &world->course;
  const struct ls_plan *plan = &world->rules.plan;
  const struct ls_action_send *send = &action->send;
  const struct ls_plan_chunk *planned = ls_plan_next(&course->cursor);
  enum ls_result_way way = LS_RESULT_AS_COMPUTED;
  if (planned != NULL) {
    size_t index = (size_t)(planned - plan->chunks);
    uint64_t units = (uint64_t)planned->units, waited = count_waiting(world) + send->units;
    uint32_t target = find_present(world, planned->worker);
    bool is_there = target != LS_WORKER_NONE && !world_may_lack_time(world, target, units);
    if (send->units > units || (is_there && (action->worker != target ||
                                             send->units != (units < waited ? units : waited))))
      world_complain(world, "chunk %" PRIu64 " is not what chunk %zu of the plan says", send->chunk,
                     index);
    bool is_planned =
        world->workers[action->worker].slot == planned->worker && send->units == units;
    world->summary.repeated += index < plan->repeat.to && course->cursor.play > 0;
    size_t place = find_place(plan, index);
    course->sent[index] = send->chunk + 1;
    if (plan->has_returns && is_planned && place == plan->returns_count) way = LS_RESULT_WEIGHTLESS;
    /* When nobody expects it any more, it comes by itself. */
    if (is_planned && place < plan->returns_count && place >= course->turn) way = LS_RESULT_HELD;
  }
  if (send->way != way)
    world_complain(world, "the result of chunk %" PRIu64 " comes in way %d, the plan says %d",
                   send->chunk, (int)send->way, (int)way);
}

static bool is_full(const struct world *world, uint32_t number, uint64_t units) {
  uint32_t slot = world->workers[number].slot;
  uint64_t most = slot < world->rules.config.rooms_count ? world->rules.rooms[slot].units : 0;
  return most > 0 && count_at(world, number) + units > most;
}

/* May the worker be asked for a result before its turn?  Only when the next chunk has no room at
 * its worker, which is this one; or, when its worker is not there or lacks the time, at any that
 * has it. */
static bool makes_room(const struct world *world, uint32_t number) {
  struct ls_plan_cursor cursor = world->course.cursor;
  const struct ls_plan_chunk *next = ls_plan_next(&cursor);
  if (next == NULL) return false;
  uint64_t units = (uint64_t)next->units, waiting = count_waiting(world);
  uint32_t target = find_present(world, next->worker);
  if (target == number && is_full(world, target, units < waiting ? units : waiting)) return true;
  if (target != LS_WORKER_NONE && !world_may_lack_time(world, target, units)) return false;
  for (uint32_t slot = 0; slot < WORLD_SLOTS_MAX; slot++) {
    uint32_t other = find_present(world, slot);
    bool is_idle = other != LS_WORKER_NONE && !world_may_lack_time(world, other, 1);
    if (is_idle && !is_full(world, other, 1)) return false;
  }
  return true;
}

void world_note_fetched(struct world *world, const struct ls_action *action) {
  struct world_course *course = &world->course;
  const struct ls_plan *plan = &world->rules.plan;
  size_t place = 0;
  if (course->is_abandoned) return;
  move_turn(world);
  while (place < plan->returns_count && course->sent[plan->returns[place]] != action->chunk + 1)
    place++;
  if (place == course->turn) return;
  if (place < course->turn || place == plan->returns_count) {
    world_complain(world, "chunk %" PRIu64 " is fetched and nobody expects it", action->chunk);
    return;
  }
  if (!makes_room(world, action->worker))
    world_complain(world, "chunk %" PRIu64 " is fetched before its turn", action->chunk);
  world->chunks[action->chunk].is_unawaited = true;
  world->summary.early++;
}
