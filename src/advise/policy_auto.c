#include "advise/policy_auto.h"

#include <string.h>

#include "advise/run_advise.h"

/* Any policy will do where a candidate takes its place. */
static const char *const PLACEHOLDER = "ss";

enum ls_status ls_policy_auto_read(const char *policy, bool *is_auto, struct ls_error *err) {
  if (strncmp(policy, "auto:", strlen("auto:")) == 0)
    return ls_fail(err, LS_EINVAL, "policy is '%s', but auto takes no value", policy);
  *is_auto = strcmp(policy, "auto") == 0;
  return LS_OK;
}

/* The world of the latest draw. */
struct draws {
  struct ls_world_request request;
  uint64_t seed; /* of the first draw */
  struct ls_world world;
  bool is_open;
};

static void close_draw(struct draws *draws) {
  if (draws->is_open) ls_world_close(&draws->world);
  draws->is_open = false;
}

static enum ls_status draw(void *context, size_t number, struct ls_simulation *setup,
                           struct ls_error *err) {
  struct draws *draws = context;
  close_draw(draws);
  draws->request.seed = draws->seed + number;
  enum ls_status status = ls_world_open(&draws->world, &draws->request, err);
  if (status != LS_OK) return status;
  draws->is_open = true;
  *setup = draws->world.setup;
  return LS_OK;
}

/* What the arguments have settled. */
static struct ls_run_situation find_situation(const struct draws *draws) {
  const struct ls_world_request *request = &draws->request;
  const struct ls_simulation *setup = &draws->world.setup;
  bool is_given = json_is_integer(ls_json_member(&request->arguments, "prefetch").value);
  return (struct ls_run_situation){.platform = request->platform,
                                   .units = request->units,
                                   .workers = request->platform->workers_count,
                                   .prefetch = is_given ? setup->prefetch : 1,
                                   .keeps_prefetch = is_given,
                                   .has_whole_chunks = setup->has_whole_chunks};
}

/* As a run knows them by a platform and the law of its tasks: half of a request is one way. */
static struct ls_situation find_facts(const struct draws *draws, uint64_t prefetch) {
  const struct ls_coordinator_config *config = &draws->world.setup.config;
  return (struct ls_situation){.latency = config->overhead_seconds / 2 / config->mean_seconds,
                               .variation = config->deviation_seconds / config->mean_seconds,
                               .prefetch = prefetch,
                               .knows_speeds = true};
}

enum ls_status ls_policy_auto_choose(const struct ls_world_request *request, uint64_t seed,
                                     struct ls_candidate *chosen, struct ls_error *err) {
  struct draws draws = {.request = *request, .seed = seed};
  struct ls_simulation first;
  draws.request.policy = PLACEHOLDER;
  draws.request.has_seed = draws.request.knows_facts = true;
  const struct ls_advice_world world = {&draws, draw};
  enum ls_status status = draw(&draws, 0, &first, err);
  if (status == LS_OK) {
    const struct ls_run_situation situation = find_situation(&draws);
    const struct ls_situation facts = find_facts(&draws, situation.prefetch);
    status = first.config.has_needs ? ls_fail(err, LS_EINVAL,
                                              "it knows only tasks that all workers can do, but "
                                              "\"needs\" is given")
                                    : ls_run_advise_in(&world, &situation, &facts, chosen, err);
  }
  close_draw(&draws);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "policy auto");
}

enum ls_status ls_policy_auto_open(const struct ls_world_request *request,
                                   const struct ls_candidate *chosen, struct ls_world *world,
                                   struct ls_error *err) {
  struct ls_world_request own = *request;
  own.policy = PLACEHOLDER;
  own.knows_facts = true;
  enum ls_status status = ls_world_open(world, &own, err);
  if (status != LS_OK) return status;
  world->setup.config.chunking = chosen->chunking;
  world->setup.config.arguments = chosen->arguments;
  world->setup.prefetch = chosen->prefetch;
  world->chooses_prefetch = false;
  return LS_OK;
}
