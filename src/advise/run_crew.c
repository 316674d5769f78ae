#include "advise/run_crew.h"

#include <stdlib.h>

#include "advise/sites.h"

/* Crews and draws that are played; and units of each play, more where workers are many. */
enum { TRIES_MAX = 256, DRAWS = 8, UNITS_MOST = 4096, UNITS_OF_WORKER = 64 };

static enum ls_status open_world(struct ls_advise_world *world,
                                 const struct ls_run_situation *situation, struct ls_error *err) {
  struct ls_run_situation own = *situation;
  uint64_t units = UNITS_OF_WORKER * (uint64_t)situation->workers;
  own.units_most = units > UNITS_MOST ? units : UNITS_MOST;
  return ls_advise_world_open(world, &own, err);
}

static struct ls_crew_advice_setup make_setup(struct ls_advise_world *world,
                                              const struct ls_run_situation *situation,
                                              const struct ls_candidate *candidate) {
  return (struct ls_crew_advice_setup){.world = ls_advise_world_of(world),
                                       .candidate = candidate,
                                       .draws = world->is_certain ? 1 : DRAWS,
                                       .tries_max = TRIES_MAX,
                                       .scale = (double)situation->units / (double)world->units};
}

enum ls_status ls_run_advise_crew(const struct ls_run_situation *situation,
                                  const struct ls_candidate *candidate,
                                  const struct ls_terms *terms, struct ls_crew_advice *advice,
                                  struct ls_error *err) {
  struct ls_advise_world world;
  *advice = (struct ls_crew_advice){0};
  if (!ls_advise_world_is_known(situation))
    return ls_fail(err, LS_EINVAL,
                   "a deadline or a limit of price needs to know the tasks: --platform, --times or "
                   "--history");
  enum ls_status status = open_world(&world, situation, err);
  if (status == LS_OK) {
    struct ls_crew_advice_setup setup = make_setup(&world, situation, candidate);
    setup.terms = *terms;
    status = ls_crew_advise(&setup, advice, err);
  }
  ls_advise_world_close(&world);
  return status;
}

/* The crews are the near workers, and all. */
static enum ls_status judge_sites(const struct ls_run_situation *situation,
                                  const struct ls_candidate *candidate, struct ls_crew crews[2],
                                  struct ls_error *err) {
  struct ls_advise_world world;
  enum ls_status status = open_world(&world, situation, err);
  if (status == LS_OK) {
    struct ls_crew_advice_setup setup = make_setup(&world, situation, candidate);
    status = ls_crew_judge(&setup, crews, 2, err);
  }
  ls_advise_world_close(&world);
  return status;
}

enum ls_status ls_run_advise_sites(const struct ls_run_situation *situation,
                                   const struct ls_candidate *candidate, struct ls_run_sites *sites,
                                   struct ls_error *err) {
  *sites = (struct ls_run_sites){0};
  if (situation->platform == NULL) return LS_OK;
  struct ls_run_situation own = *situation;
  struct ls_platform platform = *situation->platform;
  if (own.is_remote) {
    own.workers = platform.workers_count;
    own.weights = NULL;
  }
  platform.workers_count = own.workers;
  size_t count = own.workers, near = 0;
  bool *is_far = calloc(count, sizeof *is_far);
  size_t *workers = calloc(count, 2 * sizeof *workers);
  enum ls_status status = is_far == NULL || workers == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count)
                              : ls_sites_find(&platform, is_far, &sites->far, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    if (!is_far[i]) workers[near++] = i;
    workers[count + i] = i;
  }
  struct ls_crew crews[] = {{.workers = workers, .count = near},
                            {.workers = workers + count, .count = count}};
  if (status == LS_OK && sites->far > 0) status = judge_sites(&own, candidate, crews, err);
  sites->near_s = crews[0].offer.time_s;
  sites->all_s = crews[1].offer.time_s;
  free(is_far);
  free(workers);
  return status;
}
