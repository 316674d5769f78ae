/* world_link.c: connections that are cut: what is on its way is lost without a word, and the worker
 * comes back with a new connection, the results that nobody acknowledged, and what it has.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* Until the master has it, a result may have to be sent again. */
struct open_result *world_open_result(struct world *world, uint32_t number,
                                      const struct ls_event *event) {
  struct open_result *open = ls_arena_take(&world->arena, sizeof *open);
  struct open_result **last = &world->workers[number].open;
  if (!open) abort();
  *open = (struct open_result){.event = *event};
  while (*last) last = &(*last)->next;
  *last = open;
  return open;
}

static void forget(struct world *world, uint32_t number, const struct open_result *open) {
  struct open_result **at = &world->workers[number].open;
  while (*at && *at != open) at = &(*at)->next;
  if (*at) *at = open->next;
}

bool world_passes(struct world *world, const struct happening *happening) {
  const struct world_worker *worker = &world->workers[happening->worker];
  switch (happening->event.kind) {
    case LS_EVENT_JOINED: /* said until it is heard */
    case LS_EVENT_LOST:   /* the others are told by somebody else */
    case LS_EVENT_GRANTED:
    case LS_EVENT_REFUSED:
      return true;
    default:
      break;
  }
  if (happening->is_of_cut) return worker->is_cut && happening->link == worker->link;
  if (happening->link != worker->link) return false;
  if (happening->open) forget(world, happening->worker, happening->open);
  return true;
}

/* The driver mostly notices; else the silence tells, or nothing before the worker is back. */
void world_cut(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive || worker->is_cut || worker->is_frozen) return;
  worker->is_cut = worker->was_suspended = true;
  worker->link++;
  world->summary.cuts++;
  if (world_may(world, 0.6)) {
    struct happening *told =
        world_plan(world, 0.5 * ls_random_real(&world->extra), HAPPENS_TO_MASTER, number);
    told->event = (struct ls_event){
        .kind = LS_EVENT_SUSPENDED, .worker = number, .suspended = {.reason = LS_AWAY_CUT}};
    told->link = worker->link;
    told->is_of_cut = true;
  }
  world_plan(world, 12 * ls_random_real(&world->extra), HAPPENS_LINK, number);
}

/* All that it has: what runs, what waits, results that nobody fetched, or that are said again. */
static struct ls_event_resumed list_held(struct world *world, const struct world_worker *worker) {
  const struct ls_worker_side *side = &worker->side;
  const struct ls_job *job;
  struct ls_event_resumed resumed = {.is_told = true};
  const struct kept_result *kept = worker->kept;
  size_t most = side->queue.count + 1;
  for (const struct kept_result *at = kept; at; at = at->next) most++;
  for (const struct open_result *at = worker->open; at; at = at->next) most++;
  struct ls_event_held *held = ls_arena_array(&world->arena, NULL, most, sizeof *held);
  if (!held) abort();
  if (side->is_running && side->running.units.count > 0)
    held[resumed.held_count++] = (struct ls_event_held){side->running.chunk, side->running.units};
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; i++)
    held[resumed.held_count++] = (struct ls_event_held){job->chunk, job->units};
  for (; kept; kept = kept->next)
    held[resumed.held_count++] =
        (struct ls_event_held){kept->event.result.chunk, kept->event.result.units};
  for (const struct open_result *at = worker->open; at; at = at->next)
    held[resumed.held_count++] =
        (struct ls_event_held){at->event.result.chunk, at->event.result.units};
  assert(resumed.held_count <= most);
  resumed.held = held;
  return resumed;
}

/* Who was given up meanwhile is told so when it knocks. */
void world_reconnect(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive || !worker->is_cut) return;
  worker->is_cut = false;
  if (worker->presence == PRESENCE_LOST) {
    world_crash(world, number, LS_LOSS_CRASHED);
    return;
  }
  struct open_result *open = worker->open;
  world_tell_master(
      world, number,
      &(struct ls_event){.kind = LS_EVENT_RESUMED, .resumed = list_held(world, worker)});
  worker->open = NULL;
  for (; open; open = open->next) world_tell_master(world, number, &open->event);
  if (!worker->side.is_leaving) world_enter(world, number);
}
