#include "advise/crew_advice.h"

#include <math.h>
#include <stdlib.h>

#include "advise/selection.h"

static enum ls_status play_crew(const struct ls_crew_advice_setup *setup,
                                struct ls_simulation world, const struct ls_crew *crew,
                                struct ls_simulated *result, struct ls_error *err) {
  struct ls_selection selection = {0};
  const struct ls_candidate *candidate = setup->candidate;
  world.config.chunking = candidate->chunking;
  world.config.arguments = candidate->arguments;
  world.prefetch = candidate->prefetch;
  enum ls_status status = ls_selection_open(&selection, &world, crew->workers, crew->count, err);
  if (status == LS_OK) status = ls_simulate(&world, result, NULL, err);
  ls_selection_close(&selection);
  return status;
}

/* A crew that the policy cannot serve in one draw has no offer. */
static enum ls_status judge(void *context, struct ls_crew *crews, size_t count,
                            struct ls_error *err) {
  const struct ls_crew_advice_setup *setup = context;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count; i++) crews[i].offer = (struct ls_offer){0, 0};
  for (size_t draw = 0; draw < setup->draws && status == LS_OK; draw++) {
    struct ls_simulation world = {0};
    status = setup->world.draw(setup->world.context, draw, &world, err);
    for (size_t i = 0; i < count && status == LS_OK; i++) {
      struct ls_simulated result = {.makespan_s = (double)INFINITY, .price = (double)INFINITY};
      struct ls_error refusal = {0};
      enum ls_status played = play_crew(setup, world, &crews[i], &result, &refusal);
      if (played == LS_ENOMEM) status = ls_fail(err, played, "%s", refusal.text);
      double share = setup->scale / (double)setup->draws;
      crews[i].offer.time_s += share * result.makespan_s;
      crews[i].offer.price += share * result.price;
    }
  }
  return status;
}

static enum ls_status choose(const struct ls_crew_advice_setup *setup,
                             struct ls_crew_advice *advice, struct ls_error *err) {
  size_t count = advice->crews.count;
  struct ls_offer *offers = calloc(count + 1, sizeof *offers);
  if (offers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", count);
  for (size_t i = 0; i < count; i++) offers[i] = advice->crews.items[i].offer;
  bool has_deal = ls_offers_choose(offers, count, &setup->terms, &advice->deal);
  free(offers);
  if (has_deal) return LS_OK;
  return ls_fail(err, LS_EINVAL, "no workers can be tried with policy %s",
                 setup->candidate->chunking->name);
}

/* The platform of the world, if crews can be made of it. */
static enum ls_status find_platform(const struct ls_crew_advice_setup *setup,
                                    const struct ls_platform **platform, struct ls_error *err) {
  struct ls_simulation world = {0};
  enum ls_status status = setup->world.draw(setup->world.context, 0, &world, err);
  if (status == LS_OK && !ls_selection_can_be(&world))
    status = ls_fail(err, LS_EINVAL, "workers join or leave by number, so none can be left out");
  *platform = world.platform;
  return status;
}

enum ls_status ls_crew_judge(const struct ls_crew_advice_setup *setup, struct ls_crew *crews,
                             size_t count, struct ls_error *err) {
  const struct ls_platform *platform;
  struct ls_crew_advice_setup own = *setup;
  enum ls_status status = find_platform(setup, &platform, err);
  return status == LS_OK ? judge(&own, crews, count, err) : status;
}

enum ls_status ls_crew_advise(const struct ls_crew_advice_setup *setup,
                              struct ls_crew_advice *advice, struct ls_error *err) {
  const struct ls_platform *platform;
  struct ls_crew_advice_setup own = *setup;
  *advice = (struct ls_crew_advice){0};
  enum ls_status status = find_platform(setup, &platform, err);
  if (status != LS_OK) return status;
  struct ls_crew_search search = {.platform = platform,
                                  .least = 1,
                                  .tries_max = setup->tries_max,
                                  .judge = judge,
                                  .context = &own,
                                  .stop = setup->stop,
                                  .stop_context = setup->stop_context};
  status = ls_crews_search(&search, &advice->crews, err);
  return status == LS_OK ? choose(setup, advice, err) : status;
}

void ls_crew_advice_close(struct ls_crew_advice *advice) {
  ls_crews_close(&advice->crews);
}
