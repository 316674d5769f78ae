/* Every policy on random platforms with rooms: no worker ever holds more units than it has room
 * for, no chunk is larger than its window, and every unit is computed once.
 *
 * The timeline of a simulation becomes a plan of single units, each with its own arrival and end,
 * which the model's own validation of rooms judges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/validate.h"
#include "simulate/simulate.h"

enum { UNITS_MAX = 120, WORKERS_MAX = 5 };

struct game {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_simulation setup;
  struct ls_planned_chunk plan[UNITS_MAX];
  double weights[WORKERS_MAX];
};

static double draw(struct game *game, double most) {
  return ls_random_below(&game->random, 3) == 0 ? 0 : most * ls_random_real(&game->random);
}

static void draw_platform(struct game *game) {
  struct ls_random *random = &game->random;
  size_t workers = 1 + ls_random_below(random, WORKERS_MAX);
  assert_int_equal(ls_platform_init(&game->platform, workers, NULL), LS_OK);
  for (size_t i = 0; i < workers; i++) {
    struct ls_worker_model *worker = &game->platform.workers[i];
    worker->costs[LS_OPERATION_SEND] = (struct ls_cost){draw(game, 0.2), draw(game, 0.1)};
    /* Something, so that the timeline tells when a chunk has come. */
    worker->costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){0.01 + draw(game, 0.3), draw(game, 0.1)};
    worker->costs[LS_OPERATION_RECEIVE] = (struct ls_cost){draw(game, 0.2), draw(game, 0.1)};
    worker->costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){draw(game, 0.5), 0.1 + ls_random_real(random)};
    worker->delay_s = draw(game, 2);
    if (ls_random_below(random, 4) > 0) worker->room_units = 1 + 12 * ls_random_real(random);
    if (ls_random_below(random, 4) == 0) worker->window_to = 1 + 6 * ls_random_real(random);
    game->weights[i] = 0.1 + ls_random_real(random);
  }
  if (ls_random_below(random, 2) == 0) game->platform.ports = LS_PORTS_ONE;
}

static void draw_plan(struct game *game) {
  struct ls_coordinator_config *config = &game->setup.config;
  uint64_t rest = game->setup.units;
  while (rest > 0) {
    uint32_t worker = (uint32_t)ls_random_below(&game->random, game->platform.workers_count);
    double most = ls_worker_chunk_most(&game->platform.workers[worker]);
    uint64_t largest = most < (double)rest ? (uint64_t)most : rest;
    uint64_t units = 1 + ls_random_below(&game->random, largest);
    game->plan[config->plan_count++] = (struct ls_planned_chunk){worker, units};
    rest -= units;
  }
  config->plan = game->plan;
}

static void draw_setup(struct game *game, const struct ls_chunking *chunking) {
  static const char *const replications[] = {"none", "complete", "gain"};
  struct ls_random *random = &game->random;
  struct ls_simulation *setup = &game->setup;
  *setup = (struct ls_simulation){.platform = &game->platform,
                                  .units = 1 + ls_random_below(random, UNITS_MAX),
                                  .prefetch = ls_random_below(random, 9),
                                  .wants_spans = true};
  setup->asking = ls_random_below(random, 2) == 0 ? LS_ASKING_ROOM : LS_ASKING_ONE;
  struct ls_coordinator_config *config = &setup->config;
  config->chunking = chunking;
  ls_arguments_init(&config->arguments, chunking->parameters);
  config->mean_seconds = 0.6;
  config->deviation_seconds = 0.2;
  config->overhead_seconds = 0.1;
  config->seed = ls_random_u64(random);
  if (ls_random_below(random, 2) == 0) config->weights = game->weights;
  /* Under a pushed policy there are none. */
  if (!chunking->is_pushed)
    config->replication = ls_replication_find(replications[ls_random_below(random, 3)]);
  draw_plan(game);
}

/* The times of one chunk, from its spans. */
struct visit {
  double arrival_s, start_s, end_s;
  bool is_done;
};

static struct visit *read_visits(const struct ls_timeline *timeline,
                                 const struct ls_platform *platform) {
  struct visit *visits = calloc(timeline->decisions_count + 1, sizeof *visits);
  assert_non_null(visits);
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    struct visit *visit = &visits[span->chunk];
    if (span->operation == LS_OPERATION_TRANSFER)
      visit->arrival_s = span->end_s + platform->workers[span->worker].delay_s;
    if (span->operation != LS_OPERATION_COMPUTE || span->outcome != LS_OUTCOME_DONE) continue;
    visit->is_done = true;
    visit->start_s = span->start_s;
    visit->end_s = span->end_s;
  }
  return visits;
}

/* Units are alike here, so that the ends of those of a chunk lie at equal distances. */
static void add_units(struct ls_plan *plan, const struct visit *visit,
                      const struct ls_decision *decision, double latency_s) {
  double begun_s = visit->start_s + latency_s;
  for (double unit = 1; unit <= decision->units; unit++) {
    ls_plan_add(plan, decision->worker, 0, 1);
    struct ls_plan_chunk *chunk = &plan->chunks[plan->chunks_count - 1];
    chunk->transfer_end_s = visit->arrival_s;
    chunk->compute_end_s = begun_s + (visit->end_s - begun_s) * unit / decision->units;
  }
}

static void check_rooms(const struct game *game, const struct ls_timeline *timeline) {
  struct ls_platform platform = game->platform;
  struct ls_worker_model workers[WORKERS_MAX];
  struct ls_plan plan;
  struct ls_error err = {0};
  struct visit *visits = read_visits(timeline, &game->platform);
  /* The arrivals hold the delays already, and single units fit any window. */
  platform.workers = workers;
  for (size_t i = 0; i < platform.workers_count; i++) {
    workers[i] = game->platform.workers[i];
    workers[i].delay_s = workers[i].window_from = 0;
  }
  ls_plan_init(&plan, "as played", (double)game->setup.units);
  for (size_t i = 0; i < timeline->decisions_count; i++) {
    const struct ls_decision *decision = &timeline->decisions[i];
    const struct ls_worker_model *worker = &game->platform.workers[decision->worker];
    assert_true(decision->units <= ls_worker_chunk_most(worker));
    if (visits[i].is_done)
      add_units(&plan, &visits[i], decision, worker->costs[LS_OPERATION_COMPUTE].latency_s);
  }
  if (ls_validate_limits(&plan, &platform, &err) != LS_OK)
    fail_msg("%s: %s", game->setup.config.chunking->name, err.text);
  ls_plan_close(&plan);
  free(visits);
}

static void play(struct game *game, const struct ls_chunking *chunking) {
  struct ls_timeline timeline;
  struct ls_simulated result;
  struct ls_error err = {0};
  memset(&game->setup, 0, sizeof game->setup);
  draw_platform(game);
  draw_setup(game, chunking);
  ls_timeline_init(&timeline);
  if (ls_simulate(&game->setup, &result, &timeline, &err) != LS_OK)
    fail_msg("%s: %s", chunking->name, err.text);
  assert_int_equal(result.units_done, game->setup.units);
  check_rooms(game, &timeline);
  ls_timeline_close(&timeline);
  ls_platform_close(&game->platform);
}

static void no_worker_holds_more_than_its_room(void **state) {
  struct game game;
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    ls_random_init(&game.random, i, "rooms");
    for (int k = 0; k < 300; k++) play(&game, ls_chunkings[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_worker_holds_more_than_its_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
