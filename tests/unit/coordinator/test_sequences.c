/* Thousands of seeded sequences of events, sensible and absurd, each checked after every step: in
 * the end every unit is settled exactly once, and nothing was sent to a worker that is not there.
 */
#include "harness.h"

#include "base/random.h"

enum { WORKERS_MAX = 160, UNITS_MAX = 60, CHUNKS_MAX = 512 };

/* A chunk, or what is left of it, as its worker sees it. */
struct held {
  uint32_t worker;
  uint64_t chunk;
  struct ls_range range;
};

struct world {
  struct rig rig;
  struct ls_random random;
  bool is_present[WORKERS_MAX], is_suspended[WORKERS_MAX];
  bool may_be_late; /* results may come for units that others have, too */
  uint32_t next_worker;
  struct held held[CHUNKS_MAX];
  size_t held_count;
  uint8_t settled[UNITS_MAX];
  uint64_t units;
  uint32_t iterations_left;
  bool is_finished, is_stopped;
};

static uint64_t draw(struct world *world, uint64_t n) {
  return ls_random_below(&world->random, n);
}

static void forget_chunks(struct world *world, uint32_t worker) {
  size_t kept = 0;
  for (size_t i = 0; i < world->held_count; i++) {
    if (world->held[i].worker != worker) world->held[kept++] = world->held[i];
  }
  world->held_count = kept;
}

static void take(struct world *world, const struct ls_action *action) {
  assert_true(world->is_present[action->worker]);
  assert_false(world->is_suspended[action->worker]);
  assert_false(world->is_stopped);
  for (size_t i = 0; i < action->send.ranges_count; i++) {
    assert_in_range(world->held_count, 0, CHUNKS_MAX - 1);
    world->held[world->held_count++] =
        (struct held){action->worker, action->send.chunk,
                      world->rig.actions.ranges[action->send.first_range + i]};
  }
}

static void step(struct world *world, struct ls_event event);

/* The driver does what it is told. */
static void perform(struct world *world) {
  struct ls_actions *actions = &world->rig.actions;
  bool is_done = false;
  /* What a silent worker had is sent to others, and what comes first counts. */
  for (size_t i = 0; i < actions->notes_count; i++)
    if (actions->notes[i].kind == LS_NOTE_SUSPENDED) world->may_be_late = true;
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_action *action = &actions->items[i];
    if (action->kind == LS_ACTION_SEND) take(world, action);
    if (action->kind == LS_ACTION_SETTLE) {
      for (uint64_t j = 0; j < action->settle.units.count; j++) {
        assert_int_equal(world->settled[action->settle.units.first + j]++, 0);
      }
    }
    if (action->kind == LS_ACTION_RELEASE) {
      world->is_present[action->worker] = false;
      forget_chunks(world, action->worker);
    }
    is_done |= action->kind == LS_ACTION_ITERATION_DONE;
    world->is_finished |= action->kind == LS_ACTION_FINISH;
  }
  if (!is_done) return;
  for (uint64_t i = 0; i < world->units; i++) assert_int_equal(world->settled[i], 1);
  if (world->is_finished) return;
  memset(world->settled, 0, sizeof world->settled);
  world->units = world->iterations_left > 0 ? 1 + draw(world, UNITS_MAX) : 0;
  if (world->iterations_left > 0) world->iterations_left--;
  step(world, (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = world->units});
}

static void step(struct world *world, struct ls_event event) {
  world->rig.now_s += ls_random_real(&world->random);
  event.now_s = world->rig.now_s;
  rig_step(&world->rig, event);
  perform(world);
}

static bool find_worker(struct world *world, uint32_t *worker) {
  if (world->next_worker == 0) return false;
  *worker = (uint32_t)draw(world, world->next_worker);
  return world->is_present[*worker];
}

static void join(struct world *world) {
  if (world->next_worker == WORKERS_MAX) return;
  uint32_t worker = world->next_worker++;
  world->is_present[worker] = true;
  step(world, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = worker});
  step(world, (struct ls_event){.kind = LS_EVENT_READY, .worker = worker});
}

static enum ls_outcome draw_outcome(struct world *world) {
  static const enum ls_outcome results[] = {LS_OUTCOME_DONE, LS_OUTCOME_FAILED,
                                            LS_OUTCOME_TIMED_OUT, LS_OUTCOME_CANCELLED};
  return results[draw(world, sizeof results / sizeof *results)];
}

static void answer(struct world *world, bool is_kind) {
  if (world->held_count == 0) return;
  struct held *held = &world->held[draw(world, world->held_count)];
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = held->worker,
                           .result = {.chunk = held->chunk, .units = held->range, .seconds = 1}};
  event.result.outcome = is_kind ? LS_OUTCOME_DONE : draw_outcome(world);
  /* A prefix, or all of it; the rest stays. */
  event.result.units.count = 1 + draw(world, held->range.count);
  if (event.result.units.count < held->range.count) {
    held->range.first += event.result.units.count;
    held->range.count -= event.result.units.count;
  } else {
    *held = world->held[--world->held_count];
  }
  uint64_t dropped = rig_totals(&world->rig).results_dropped;
  step(world, event);
  if (!world->may_be_late) assert_int_equal(rig_totals(&world->rig).results_dropped, dropped);
  step(world, (struct ls_event){
                  .kind = LS_EVENT_READY, .worker = event.worker, .ready_units = draw(world, 4)});
}

/* Duplicates, results of others, events of the dead: nothing may come of them. */
static void talk_nonsense(struct world *world) {
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = (uint32_t)draw(world, WORKERS_MAX),
                           .result = {.chunk = draw(world, 40),
                                      .units = {draw(world, UNITS_MAX), draw(world, UNITS_MAX)},
                                      .outcome = draw_outcome(world)}};
  for (size_t i = 0; i < world->held_count; i++) {
    if (world->held[i].worker == event.worker && world->held[i].chunk == event.result.chunk) return;
  }
  /* What somebody lost may have done is no nonsense. */
  if (event.result.outcome == LS_OUTCOME_DONE) event.result.chunk += 100000;
  uint64_t settled = rig_totals(&world->rig).done;
  step(world, event);
  assert_int_equal(rig_totals(&world->rig).done, settled);
  assert_int_equal(world->rig.actions.count, 0);
}

static void act(struct world *world) {
  uint32_t worker = 0;
  switch (draw(world, 16)) {
    case 0:
      join(world);
      return;
    case 1:
      if (!find_worker(world, &worker)) return;
      world->is_present[worker] = false;
      forget_chunks(world, worker);
      step(world, (struct ls_event){.kind = LS_EVENT_LOST, .worker = worker});
      return;
    case 2:
      if (!find_worker(world, &worker)) return;
      world->is_suspended[worker] = true;
      forget_chunks(world, worker);
      step(world,
           (struct ls_event){
               .kind = LS_EVENT_SUSPENDED, .worker = worker, .suspended = {.is_vacated = true}});
      return;
    case 3:
    case 4:
      if (!find_worker(world, &worker) || !world->is_suspended[worker]) return;
      world->is_suspended[worker] = false;
      step(world, (struct ls_event){.kind = LS_EVENT_RESUMED, .worker = worker});
      step(world, (struct ls_event){.kind = LS_EVENT_READY, .worker = worker});
      return;
    case 5:
      talk_nonsense(world);
      return;
    case 6:
      step(world, (struct ls_event){.kind = LS_EVENT_TIMER});
      return;
    case 7:
      if (!find_worker(world, &worker)) return;
      step(world, (struct ls_event){.kind = LS_EVENT_HEARTBEAT, .worker = worker});
      return;
    case 8:
      step(world, (struct ls_event){.kind = LS_EVENT_FREE});
      return;
    default:
      answer(world, false);
      return;
  }
}

/* Without further harm the run must end. */
static void let_it_end(struct world *world) {
  for (int i = 0; i < 40000 && !world->is_finished; i++) {
    bool is_waiting = true;
    for (uint32_t j = 0; j < world->next_worker; j++) {
      is_waiting &= !world->is_present[j] || world->is_suspended[j];
    }
    if (is_waiting) join(world);
    step(world, (struct ls_event){.kind = LS_EVENT_FREE});
    step(world, (struct ls_event){.kind = LS_EVENT_TIMER});
    if (!world->is_finished) answer(world, true);
    for (uint32_t j = 0; world->held_count == 0 && !world->is_finished && j < world->next_worker;
         j++) {
      if (!world->is_present[j] || world->is_suspended[j]) continue;
      step(world, (struct ls_event){.kind = LS_EVENT_READY, .worker = j});
    }
    /* A share that is kept for somebody who never came would hold the run. */
    if (world->held_count > 0 || world->is_finished) continue;
    for (uint32_t j = 0; j < 4; j++) {
      if (world->is_present[j] && !world->is_suspended[j]) continue;
      world->is_present[j] = world->is_suspended[j] = false;
      if (j >= world->next_worker) world->next_worker = j + 1;
      step(world, (struct ls_event){.kind = LS_EVENT_LOST, .worker = j});
    }
  }
  assert_true(world->is_finished);
  assert_true(rig_totals(&world->rig).is_finished);
  assert_int_equal(world->held_count, 0);
}

static void play(const struct ls_chunking *policy, uint64_t seed) {
  static struct world world;
  memset(&world, 0, sizeof world);
  ls_random_init(&world.random, seed, "sequences");
  struct ls_coordinator_config config = rig_config(1 + draw(&world, 5));
  config.chunking = policy;
  ls_arguments_init(&config.arguments, policy->parameters);
  config.is_exact = seed % 8 == 0; /* every step is checked from outside anyway */
  config.workers = 4;
  config.workers_max = WORKERS_MAX;
  config.mean_seconds = 1;
  config.deviation_seconds = 0.5;
  config.overhead_seconds = 0.1;
  config.seed = seed;
  config.retries = (uint32_t)draw(&world, 3);
  config.kills_max = (uint32_t)draw(&world, 4);
  config.silence_s = draw(&world, 2) == 0 ? 0 : 30;
  config.patience_s = draw(&world, 2) == 0 ? 0 : 20;
  if (draw(&world, 3) == 0) config.ordering = &backwards;
  rig_open(&world.rig, &config);
  world.iterations_left = (uint32_t)draw(&world, 3);
  world.units = draw(&world, UNITS_MAX);
  uint64_t joining = draw(&world, 5);
  for (uint64_t i = 0; i < joining; i++) join(&world);
  step(&world, (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = world.units});
  for (uint64_t i = draw(&world, 150); i > 0 && !world.is_finished; i--) act(&world);
  if (!world.is_finished && draw(&world, 4) == 0) {
    world.is_stopped = true;
    step(&world, (struct ls_event){.kind = LS_EVENT_STOP, .is_hard = draw(&world, 2) == 0});
  }
  let_it_end(&world);
  rig_close(&world.rig);
}

static void every_unit_is_settled_exactly_once(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2500; seed++) play(&hearing_policy, seed);
}

static void it_holds_for_every_published_policy_that_is_asked(void **state) {
  (void)state;
  size_t policies = 0;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    if (ls_chunkings[i]->is_pushed) continue;
    policies++;
    for (uint64_t seed = 0; seed < 120; seed++) play(ls_chunkings[i], 10000 + seed);
  }
  assert_true(policies >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_is_settled_exactly_once),
      cmocka_unit_test(it_holds_for_every_published_policy_that_is_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
