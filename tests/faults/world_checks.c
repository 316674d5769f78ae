/* world_checks.c: what must hold of workers behind every step. */
#include <inttypes.h>
#include <string.h>

#include "world.h"

/* Who is suspended with units must be told to forget them, but for the one that may run on: others
 * get them at once. */
void world_check_cancelled(struct world *world, uint32_t number) {
  bool is_vacated = world->workers[number].is_vacated;
  for (size_t i = 0; i < world->actions.count; i++)
    if (world->actions.items[i].kind == (is_vacated ? LS_ACTION_CANCEL : LS_ACTION_RECALL) &&
        world->actions.items[i].worker == number)
      return;
  world_complain(world, "worker %" PRIu32 " is suspended and may keep its units", number);
}

/* Its request has no answer: it was told of nothing since. */
void world_note_asking(struct world *world, const struct ls_event *event) {
  struct world_worker *worker = &world->workers[event->worker];
  bool is_new = event->kind == LS_EVENT_RESUMED && event->resumed.is_told;
  bool is_vacated = event->kind == LS_EVENT_SUSPENDED && event->suspended.is_vacated;
  if (event->kind == LS_EVENT_READY) worker->is_asking = true;
  if (is_new || is_vacated || event->kind == LS_EVENT_JOINED) worker->is_asking = false;
  for (size_t i = 0; i < world->actions.count; i++)
    if (world->actions.items[i].kind == LS_ACTION_SEND)
      world->workers[world->actions.items[i].worker].is_asking = false;
}

/* What runs at a worker that is away, or leaves, and nowhere else, and that the idle one has the
 * time for; WORLD_WORKERS_MAX: nothing. */
static uint32_t find_forsaken(const struct world *world, uint32_t idle) {
  for (uint32_t i = 0; i < world->workers_count; i++) {
    enum presence presence = world->workers[i].presence;
    uint64_t chunk, unit;
    bool is_wanted, is_absent = presence == PRESENCE_SUSPENDED || presence == PRESENCE_LEAVING;
    if (!is_absent || !world_find_running(world, i, &chunk, &unit)) continue;
    if (!world_was_sent(world, i, chunk, unit, &is_wanted) || !is_wanted) continue;
    if (world_may_be_kept_from(world, idle, unit)) continue;
    const struct world_unit *at = &world->units[unit];
    if (at->replica_owner == LS_WORKER_NONE && at->failures <= world->rules.config.retries)
      return i;
  }
  return WORLD_WORKERS_MAX;
}

typedef bool (*keeps_fn)(const struct world *world, uint32_t number, uint64_t unit);

/* Units that wait, and that no end of time keeps from the worker. */
static uint64_t count_waiting_for(const struct world *world, uint32_t number, keeps_fn keeps) {
  uint64_t units = 0;
  for (uint64_t i = 0; i < count_units(world); i++) {
    units += world_is_waiting(world, i) && !keeps(world, number, i);
  }
  return units;
}

/* It asks, and has nothing. */
static void check_idle(struct world *world, uint32_t number, bool is_selfish) {
  uint64_t waiting = count_waiting_for(world, number, world_may_be_kept_from);
  if (waiting > 0 && is_selfish)
    world_complain(world, "worker %" PRIu32 " idles while %" PRIu64 " units wait", number, waiting);
  bool is_any_for_it = count_waiting_for(world, number, world_is_kept_from) > 0;
  uint32_t forsaken = !is_any_for_it ? find_forsaken(world, number) : WORLD_WORKERS_MAX;
  if (forsaken < WORLD_WORKERS_MAX)
    world_complain(world, "worker %" PRIu32 " idles while worker %" PRIu32 " is away with a unit",
                   number, forsaken);
}

/* No worker idles while a unit waits, or while what runs at one that is away has no replica.  Some
 * policies keep units for others; rooms, pacing, delays and advice hold some back; and a master
 * that stood still hears first what came meanwhile, then that time has passed. */
void world_check_lively(struct world *world) {
  const struct world_rules *rules = &world->rules;
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  bool is_running = !totals.is_stopping && !totals.is_finished && !world->is_between;
  if (!is_running || rules->config.chunking->is_pushed || rules->config.rooms_count > 0) return;
  if (rules->config.is_paced || rules->has_advice || world_is_delayed(world)) return;
  if (world->stalled_s > 0 && world->now_s <= world->stalled_until_s) return;
  bool is_selfish = strcmp(totals.chunking->name, "ss") == 0;
  for (uint32_t i = 0; i < world->workers_count; i++) {
    const struct world_worker *worker = &world->workers[i];
    if (worker->presence == PRESENCE_THERE && worker->is_asking && world_count_owned(world, i) == 0)
      check_idle(world, i, is_selfish);
  }
}

static bool is_idle(const struct world *world, uint32_t number) {
  const struct world_worker *worker = &world->workers[number];
  return worker->presence == PRESENCE_THERE && worker->is_asking &&
         world_count_owned(world, number) == 0;
}

/* Units that wait and were at a worker before: what nobody had yet may be kept for one to come. */
static bool is_any_back(const struct world *world) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    const struct world_unit *unit = &world->units[i];
    if (unit->was_sent && world_is_waiting(world, i)) return true;
  }
  return false;
}

/* Does somebody idle who may have one of the units that the worker does not run? What an end of
 * time stopped is kept from those who have not twice as long. */
static bool is_anybody_able(const struct world *world, uint32_t holder) {
  uint64_t chunk, running;
  bool is_running = world_find_running(world, holder, &chunk, &running);
  for (uint32_t i = 0; i < world->workers_count; i++) {
    for (uint64_t unit = 0; is_idle(world, i) && unit < count_units(world); unit++) {
      bool is_its = world->units[unit].owner == holder && !(is_running && unit == running);
      if (is_its && !world_may_be_kept_from(world, i, unit)) return true;
    }
  }
  return false;
}

/* What is expected to wait for less than a message takes and a unit at the idle worker is left
 * where it is.  No unit is expected to take more than a second at a worker of speed 1, unless it
 * was slow before and somebody learns from that, and no speed is below a tenth. */
static double find_patience(const struct world_rules *rules) {
  double most_s = ls_side_is_learning(&rules->config) ? 1 + rules->slow : 1;
  return 2 * rules->delay_s + 4 + most_s * (rules->config.weights != NULL ? 10 : 1);
}

/* A worker with more than it runs is told to give that back.  As above, rooms and advice
 * may keep the idle ones from it; a master that stood still itself is late. */
void world_check_crowded(struct world *world) {
  const struct world_rules *rules = &world->rules;
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  bool is_running = !totals.is_stopping && !totals.is_finished && !world->is_between;
  if (!rules->config.recalls || rules->config.rooms_count > 0 || rules->has_advice) return;
  /* Who has two replicas that another result overtook still owes them, in this book. */
  if (rules->config.replication != NULL) return;
  bool is_due = is_running && !is_any_back(world) && !world_is_delayed(world);
  for (size_t i = 0; i < world->actions.count; i++) {
    const struct ls_action *action = &world->actions.items[i];
    if (action->kind == LS_ACTION_RECALL) world->workers[action->worker].is_recalled = true;
    if (action->kind == LS_ACTION_SEND) world->workers[action->worker].is_recalled = false;
  }
  for (uint32_t i = 0; i < world->workers_count; i++) {
    struct world_worker *worker = &world->workers[i];
    bool is_crowded = is_due && worker->presence == PRESENCE_THERE && !worker->is_recalled &&
                      world_count_owned(world, i) > 1 && is_anybody_able(world, i);
    if (!is_crowded || world->stalled_until_s > worker->crowded_s) worker->crowded_s = world->now_s;
    if (world->now_s - worker->crowded_s > find_patience(rules))
      world_complain(world, "units wait at worker %" PRIu32 " for %g s while others idle", i,
                     world->now_s - worker->crowded_s);
  }
}

/* A cut is believed at once by a master that never stood still. */
void world_check_cut(struct world *world, const struct ls_event *event) {
  if (event->kind != LS_EVENT_SUSPENDED || event->suspended.reason != LS_AWAY_CUT) return;
  if (world->workers[event->worker].presence == PRESENCE_THERE && !(world->stalled_s > 0))
    world_complain(world, "worker %" PRIu32 " is cut off and not suspended", event->worker);
}

/* A master that stood still itself cannot say who was silent meanwhile. */
void world_check_judgement(struct world *world) {
  bool is_fresh = world->stalled_s > 8 && world->now_s < world->stalled_until_s + 2;
  for (size_t i = 0; i < world->actions.notes_count && is_fresh; i++) {
    const struct ls_note *note = &world->actions.notes[i];
    if (note->kind == LS_NOTE_SUSPENDED && note->extra == LS_AWAY_SILENT)
      world_complain(world, "worker %" PRIu32 " is called silent by a master that was",
                     note->worker);
  }
}
