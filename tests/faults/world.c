/* world.c: the queue of what happens, and its loop. */
#include "world.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void world_complain(struct world *world, const char *format, ...) {
  if (world->problem[0] != '\0') return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(world->problem, sizeof world->problem, format, arguments);
  va_end(arguments);
}

double world_draw(struct world *world, double least, double most) {
  return least + (most - least) * ls_random_real(&world->random);
}

bool world_chance(struct world *world, double probability) {
  return ls_random_real(&world->random) < probability;
}

struct happening *world_plan_at(struct world *world, double at_s, enum happening_kind kind,
                                uint32_t worker) {
  if (world->happenings_count == world->happenings_capacity) {
    world->happenings_capacity = 2 * world->happenings_capacity + 1024;
    world->happenings =
        realloc(world->happenings, world->happenings_capacity * sizeof *world->happenings);
    if (!world->happenings) abort();
  }
  struct happening *happening = &world->happenings[world->happenings_count];
  *happening = (struct happening){.kind = kind, .worker = worker, .session = world->session};
  if (ls_heap_push(&world->queue, at_s, 0, world->happenings_count) != LS_OK) abort();
  world->happenings_count++;
  return happening;
}

struct happening *world_plan(struct world *world, double in_s, enum happening_kind kind,
                             uint32_t worker) {
  return world_plan_at(world, world->now_s + in_s, kind, worker);
}

static void deliver_to_master(struct world *world, const struct happening *happening) {
  const struct world_worker *worker = &world->workers[happening->worker];
  struct ls_event event = happening->event;
  if (happening->is_fragile && !worker->is_alive && event.kind != LS_EVENT_JOINED) return;
  if (!world_passes(world, happening)) return;
  world_step(world, &event);
  /* Somebody tells again of one who died before its first word came, and would never be silent. */
  if (event.kind == LS_EVENT_JOINED && !worker->is_alive && worker->has_lifeline)
    world_plan(world, 0.1, HAPPENS_TO_MASTER, happening->worker)->event = (struct ls_event){
        .kind = LS_EVENT_LOST, .worker = happening->worker, .lost = LS_LOSS_CRASHED};
}

/* The words of who watches a worker keep their order, and no other. */
static void tell_presence(struct world *world, uint32_t number, const struct ls_event *event) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_watched) {
    worker->outbox_s = fmax(worker->outbox_s, worker->watched_s);
    world_tell_master(world, number, event);
    return;
  }
  double arrives_s = fmax(world->now_s + 2 * ls_random_real(&world->extra), worker->watched_s);
  worker->watched_s = arrives_s;
  struct happening *told = world_plan_at(world, arrives_s, HAPPENS_TO_MASTER, number);
  told->event = *event;
  told->event.worker = number;
  told->link = worker->link;
}

static void freeze_for(struct world *world, const struct happening *happening) {
  struct world_worker *worker = &world->workers[happening->worker];
  bool is_hang = happening->kind == HAPPENS_HANG;
  if (!worker->is_alive || worker->is_frozen || worker->is_cut) return;
  world_freeze(world, happening->worker);
  worker->is_suspended = !is_hang;
  worker->was_suspended |= !is_hang;
  bool is_kept = happening->is_inside || world_may(world, world->rules.keep);
  worker->keeps_what_runs = is_kept;
  worker->is_watched = is_kept && (happening->is_inside || world_may(world, world->rules.watch));
  if (!is_hang)
    tell_presence(
        world, happening->worker,
        &(struct ls_event){.kind = LS_EVENT_SUSPENDED,
                           .suspended = {.reason = is_kept ? LS_AWAY_STOPPED : LS_AWAY_TOLD,
                                         .is_vacated = !is_kept}});
  world_plan(world, world_draw(world, 0, 10), is_hang ? HAPPENS_AWAKE : HAPPENS_RESUME,
             happening->worker);
}

static void thaw(struct world *world, const struct happening *happening) {
  struct world_worker *worker = &world->workers[happening->worker];
  if (!worker->is_alive || !worker->is_frozen) return;
  bool was_suspended = worker->is_suspended;
  worker->is_suspended = false;
  if (was_suspended)
    tell_presence(world, happening->worker, &(struct ls_event){.kind = LS_EVENT_RESUMED});
  world_thaw(world, happening->worker);
  /* What it had asked for before is forgotten with its chunks: it asks anew. */
  if (was_suspended && !worker->keeps_what_runs) world_enter(world, happening->worker);
  /* A worker that was given up meanwhile is told so by its broken connection, a little later. */
  if (worker->presence == PRESENCE_LOST)
    world_plan(world, world_draw(world, 0, 2), HAPPENS_CRASH, happening->worker);
}

static void on_stop(struct world *world, bool is_hard) {
  world->is_stopping = true;
  world_step(world, &(struct ls_event){.kind = LS_EVENT_STOP, .is_hard = is_hard});
  if (is_hard || !world->rules.recalls) return;
  for (uint32_t i = 0; i < world->workers_count; i++)
    if (world->workers[i].is_alive)
      world_send(world, i, world->now_s + 0.1)->event =
          (struct ls_side_event){.kind = LS_SIDE_EVENT_RECALL};
}

static void on_iteration(struct world *world) {
  if (!world->is_between) return;
  world->is_between = false;
  world->iteration++;
  world_open_plan(world);
  for (size_t i = 0; i < WORLD_UNITS_MAX; i++)
    world->units[i] = (struct world_unit){.owner = LS_WORKER_NONE, .replica_owner = LS_WORKER_NONE};
  for (uint32_t i = 0; i < world->workers_count; i++) world->workers[i].has_given_back = false;
  bool is_last = world->iteration >= world->rules.iterations;
  struct ls_event event = {.kind = LS_EVENT_ITERATION};
  if (!is_last) world_open_units(world, &event);
  world_step(world, &event);
  if (world->rules.config.chunking->is_pushed) world_plan(world, 0, HAPPENS_FREE, 0);
}

static void on_restart(struct world *world) {
  if (world->is_finished) return;
  if (world->trace) fprintf(world->trace, "%8.3f the master is started anew\n", world->now_s);
  world->session++;
  world->is_stopping = false;
  world_start_master(world);
}

void world_open_units(struct world *world, struct ls_event *event) {
  uint64_t all = world->rules.units[world->iteration];
  bool is_resumed = world->iteration == world->opened_iteration && world->known_units > 0;
  if (!is_resumed)
    world->known_units = world->rules.grows ? ls_random_below(&world->extra, all + 1) : all;
  world->opened_iteration = world->iteration;
  world->is_incomplete = world->rules.grows;
  event->iteration_units = world->known_units;
  event->is_incomplete = world->is_incomplete;
  if (world->is_incomplete) world_plan(world, 2 * ls_random_real(&world->extra), HAPPENS_ADDED, 0);
}

void world_add_units(struct world *world) {
  uint64_t left = world->rules.units[world->iteration] - world->known_units;
  uint64_t units = left > 0 ? 1 + ls_random_below(&world->extra, left) : 0;
  if (world->is_finished || !world->is_incomplete) return;
  world->known_units += units;
  world->is_incomplete = units < left;
  world->summary.added += units;
  const struct ls_event_added added = {.units = units, .is_last = !world->is_incomplete};
  world_step(world, &(struct ls_event){.kind = LS_EVENT_ADDED, .added = added});
  if (world->is_incomplete) world_plan(world, 2 * ls_random_real(&world->extra), HAPPENS_ADDED, 0);
}

/* What comes to a master that stands still waits for it. */
static bool is_stalled(struct world *world, const struct happening *happening) {
  switch (happening->kind) {
    case HAPPENS_TO_MASTER:
    case HAPPENS_TIMER:
    case HAPPENS_FREE:
    case HAPPENS_STOP:
    case HAPPENS_ADVICE:
    case HAPPENS_ITERATION:
    case HAPPENS_ADDED:
      break;
    default:
      return false;
  }
  if (!(world->now_s < world->stalled_until_s)) return false;
  struct happening later = *happening;
  *world_plan_at(world, world->stalled_until_s, happening->kind, happening->worker) = later;
  return true;
}

static void stall(struct world *world) {
  if (world->now_s < world->stalled_until_s) return;
  world->summary.stalls++;
  world->stalled_s = world->rules.stall * ls_random_real(&world->extra);
  world->stalled_until_s = world->now_s + world->stalled_s;
}

/* A worker that stands still reads its messages when it goes on, in their order; in a plain world
 * those that arrive then overtake the others. */
static bool is_late(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_frozen && (world->is_plain || !(world->now_s < worker->late_s))) return false;
  if (world->is_plain || !(world->now_s < worker->late_s)) worker->late_s = world->now_s + 0.5;
  return true;
}

static void handle(struct world *world, const struct happening *happening) {
  const struct world_worker *worker = &world->workers[happening->worker];
  struct ls_event event;
  if (is_stalled(world, happening)) return;
  switch (happening->kind) {
    case HAPPENS_TO_MASTER:
      deliver_to_master(world, happening);
      break;
    case HAPPENS_TO_WORKER:
      if (!worker->is_alive || (!happening->is_inside && happening->link != worker->link)) break;
      if (is_late(world, happening->worker)) {
        struct happening later = *happening;
        *world_plan(world, worker->late_s - world->now_s, HAPPENS_TO_WORKER, happening->worker) =
            later;
      } else
        world_arrive(world, happening->worker, &world->parcels[happening->parcel]);
      break;
    case HAPPENS_CUT:
      world_cut(world, happening->worker);
      break;
    case HAPPENS_LINK:
      world_reconnect(world, happening->worker);
      break;
    case HAPPENS_STALL:
      stall(world);
      break;
    case HAPPENS_ADDED:
      world_add_units(world);
      break;
    case HAPPENS_BEGUN:
      if (worker->is_alive && worker->stamp == happening->stamp)
        world_begin_job(world, happening->worker);
      break;
    case HAPPENS_ENDED:
      if (worker->is_alive && worker->stamp == happening->stamp)
        world_end_job(world, happening->worker, happening->units);
      break;
    case HAPPENS_HEARTBEAT:
      world_heartbeat(world, happening->worker);
      break;
    case HAPPENS_CRASH:
      world_crash(world, happening->worker, happening->event.lost);
      break;
    case HAPPENS_HANG:
    case HAPPENS_SUSPEND:
      freeze_for(world, happening);
      break;
    case HAPPENS_AWAKE:
    case HAPPENS_RESUME:
      thaw(world, happening);
      break;
    case HAPPENS_EXPIRE:
      world_expire(world, happening->worker);
      break;
    case HAPPENS_LEAVE:
      world_leave(world, happening->worker);
      break;
    case HAPPENS_JOIN:
      world_join(world);
      break;
    case HAPPENS_NEVER:
      world_never_join(world);
      break;
    case HAPPENS_TIMER:
      if (happening->stamp != world->timer_stamp) break;
      event = happening->event;
      world_step(world, &event);
      break;
    case HAPPENS_FREE:
      world_step(world, &(struct ls_event){.kind = LS_EVENT_FREE});
      break;
    case HAPPENS_RESTART:
      on_restart(world);
      break;
    case HAPPENS_STOP:
      on_stop(world, happening->event.is_hard);
      break;
    case HAPPENS_ITERATION:
      on_iteration(world);
      break;
    case HAPPENS_ADVICE:
      event = happening->event;
      world_step(world, &event);
      break;
  }
}

/* Stop, restart and further workers, known from the start. Sessions of restarts are not checked:
 * they hit whichever master is there. */
static void plan_surprises(struct world *world) {
  for (uint32_t i = 0; i < world->sessions_left; i++)
    world_plan(world, world_draw(world, 0, 15), HAPPENS_RESTART, 0);
  if (world_chance(world, 0.15))
    world_plan(world, world_draw(world, 0, 20), HAPPENS_STOP, 0)->event.is_hard =
        world_chance(world, 0.4);
  uint64_t joins = world_chance(world, 0.4) ? ls_random_below(&world->random, 4) : 0;
  for (uint64_t i = 0; i < joins; i++) world_plan(world, world_draw(world, 0, 20), HAPPENS_JOIN, 0);
  for (int i = 0; i < 2 && world->rules.stall > 0; i++)
    world_plan(world, 15 * ls_random_real(&world->extra), HAPPENS_STALL, 0);
}

/* From a stream of its own: what else a seed makes does not depend on it. */
static void plan_advice(struct world *world) {
  const struct ls_coordinator_config *config = &world->rules.config;
  struct ls_random random;
  ls_random_init(&random, world->seed, "advice");
  uint64_t count = ls_random_below(&random, 5);
  for (uint64_t i = 0; i < count; i++) {
    struct ls_event event = {.kind = LS_EVENT_ADVICE};
    double in_s = 20 * ls_random_real(&random);
    event.advice.policy = ls_random_below(&random, config->choices_count + 1);
    world->rules.has_advice = true;
    if (ls_random_below(&random, 2))
      event.advice.workers = 1 + ls_random_below(&random, config->workers);
    if (world_may(world, 0.3)) event.advice.prefetch = 1 + ls_random_below(&world->extra, 5);
    world_plan(world, in_s, HAPPENS_ADVICE, 0)->event = event;
  }
}

static void check_end(struct world *world) {
  struct ls_coordinator_totals totals;
  if (world->problem[0] != '\0') return;
  if (!world->is_finished) {
    world_complain(world, "the run does not end");
    return;
  }
  ls_coordinator_totals(world->coordinator, &totals);
  if (!totals.is_finished) world_complain(world, "finished, but the totals do not say so");
  bool may_be_partial = world->is_stopping || world->rules.config.deadline_s > 0;
  if (!may_be_partial && world->iteration < world->rules.iterations)
    world_complain(world, "the run ends before its last iteration");
}

static bool is_stale(const struct world *world, const struct happening *happening) {
  return happening->session != world->session && happening->kind != HAPPENS_RESTART &&
         happening->kind != HAPPENS_STALL && happening->kind != HAPPENS_STOP;
}

static void summarise(const struct world *world, uint64_t steps, struct world_summary *summary) {
  summary->steps += steps;
  summary->restarts += world->session;
  summary->losses += world->summary.losses;
  summary->done += world->summary.done;
  summary->failed += world->summary.failed;
  summary->given_up += world->summary.given_up;
  summary->replicas += world->summary.replicas;
  summary->replicas_won += world->summary.replicas_won;
  summary->left += world->summary.left;
  summary->released += world->summary.released;
  summary->reused += world->summary.reused;
  summary->filled += world->summary.filled;
  summary->fetched += world->summary.fetched;
  summary->departed += world->summary.departed;
  summary->refused += world->summary.refused;
  summary->paced += world->summary.paced;
  summary->reported += world->summary.reported;
  summary->whole += world->summary.whole;
  summary->torn += world->summary.torn;
  summary->early += world->summary.early;
  summary->repeated += world->summary.repeated;
  summary->late += world->summary.late;
  summary->late_failures += world->summary.late_failures;
  summary->expired += world->summary.expired;
  summary->outlasted += world->summary.outlasted;
  summary->recalled += world->summary.recalled;
  summary->taken_back += world->summary.taken_back;
  summary->doubted += world->summary.doubted;
  summary->owned_again += world->summary.owned_again;
  summary->cuts += world->summary.cuts;
  summary->stalls += world->summary.stalls;
  summary->added += world->summary.added;
}

static void close_world(struct world *world) {
  for (uint32_t i = 0; i < world->workers_count; i++) ls_worker_side_close(&world->workers[i].side);
  ls_coordinator_destroy(world->coordinator);
  ls_actions_close(&world->actions);
  ls_side_actions_close(&world->side_actions);
  ls_heap_close(&world->queue);
  free(world->happenings);
  free(world->parcels);
  free(world->chunks);
  ls_arena_close(&world->arena);
  free(world);
}

static struct world *open_world(const struct world_request *request) {
  struct world *world = calloc(1, sizeof *world);
  if (!world) abort();
  world->seed = request->seed;
  world->is_plain = request->is_plain;
  world->is_unwatched = request->is_unwatched;
  world->trace = request->trace;
  world->actions.wants_notes = 1;
  ls_random_init(&world->random, world->seed, "world");
  ls_random_init(&world->extra, world->seed, "settings");
  world_draw_rules(world);
  for (size_t i = 0; i < WORLD_UNITS_MAX; i++)
    world->units[i].owner = world->units[i].replica_owner = LS_WORKER_NONE;
  if (world->trace)
    fprintf(world->trace, "seed %llu: %s, %s\n", (unsigned long long)world->seed,
            world->rules.config.chunking->name, world->rules.config.ordering->name);
  return world;
}

bool world_run(const struct world_request *request, char *problem, struct world_summary *summary) {
  struct world *world = open_world(request);
  world_start_master(world);
  plan_surprises(world);
  plan_advice(world);
  struct ls_heap_item item;
  uint64_t steps = 0;
  while (!world->is_finished && world->problem[0] == '\0' && steps < WORLD_STEPS_MAX &&
         ls_heap_pop(&world->queue, &item)) {
    world->now_s = item.time_s;
    struct happening happening = world->happenings[item.payload];
    if (is_stale(world, &happening)) continue;
    handle(world, &happening);
    steps++;
  }
  check_end(world);
  summarise(world, steps, summary);
  snprintf(problem, 256, "%s", world->problem);
  bool is_well = world->problem[0] == '\0';
  close_world(world);
  return is_well;
}
