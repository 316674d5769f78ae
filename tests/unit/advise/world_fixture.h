/* world_fixture.h: a small world to be advised on: tasks of one second on two fast and six slow
 * workers, far from the master. */
#ifndef LS_TESTS_ADVISE_WORLD_FIXTURE_H
#define LS_TESTS_ADVISE_WORLD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "advise/advise.h"
#include "base/random.h"

enum { WORLD_WORKERS = 8, WORLD_UNITS = 200 };

struct world {
  struct ls_platform platform;
  double weights[WORLD_WORKERS], work[WORLD_UNITS];
  double variation;
  size_t draws; /* how many were asked for */
  size_t first; /* added to their numbers */
};

static inline void world_open(struct world *world, double latency_s) {
  *world = (struct world){0};
  assert_int_equal(ls_platform_init(&world->platform, WORLD_WORKERS, NULL), LS_OK);
  for (size_t i = 0; i < WORLD_WORKERS; i++) {
    world->weights[i] = i >= WORLD_WORKERS - 2 ? 4 : 1;
    world->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 / world->weights[i];
    world->platform.workers[i].delay_s = latency_s;
  }
}

static inline enum ls_status world_draw(void *context, size_t draw, struct ls_simulation *setup,
                                        struct ls_error *err) {
  struct world *world = context;
  struct ls_random random;
  (void)err;
  world->draws++;
  ls_random_init(&random, world->first + draw, "tasks");
  for (size_t i = 0; i < WORLD_UNITS; i++) {
    world->work[i] = 1 + world->variation * (2 * ls_random_real(&random) - 1);
  }
  setup->platform = &world->platform;
  setup->units = WORLD_UNITS;
  setup->task_work = world->work;
  setup->config.weights = world->weights;
  setup->config.mean_seconds = 1;
  setup->config.deviation_seconds = setup->config.overhead_seconds = 0.1;
  return LS_OK;
}

static inline struct ls_candidate make_candidate(const char *policy, uint64_t prefetch,
                                                 size_t workers) {
  struct ls_candidate candidate = {
      .chunking = ls_chunking_find(policy), .prefetch = prefetch, .workers = workers};
  assert_non_null(candidate.chunking);
  ls_arguments_init(&candidate.arguments, candidate.chunking->parameters);
  return candidate;
}

#endif
