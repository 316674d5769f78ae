#include "cli/plan_crew.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terms_options.h"
#include "model/replay.h"

/* Plans that are tried: all of up to nine different workers. */
enum { TRIES_MAX = 512 };

/* A list of workers, "[0, 2, 1]", by the platform's numbers; other values stay as they are. */
static enum ls_status rename_list(struct ls_plan *plan, const struct ls_plan_parameter *parameter,
                                  const struct ls_crew *crew, struct ls_error *err) {
  uint32_t *list = calloc(crew->count, sizeof *list);
  if (list == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a plan");
  size_t count = 0;
  bool is_list = parameter->json[0] == '[';
  for (const char *text = parameter->json; is_list && *text != ']'; count++) {
    char *end = NULL;
    unsigned long worker = strtoul(text + 1, &end, 10);
    is_list = end != text + 1 && (*end == ',' || *end == ']') && worker < crew->count &&
              count < crew->count;
    if (is_list) list[count] = (uint32_t)crew->workers[worker];
    text = end;
  }
  if (is_list) {
    char name[sizeof parameter->name];
    memcpy(name, parameter->name, sizeof name);
    ls_plan_set_list(plan, name, list, count);
  }
  free(list);
  return LS_OK;
}

/* The numbers of a crew's workers become those of the platform. */
static enum ls_status widen(struct ls_plan *plan, const struct ls_platform *platform,
                            const struct ls_crew *crew, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    assert(plan->chunks[i].worker < crew->count);
    plan->chunks[i].worker = (uint32_t)crew->workers[plan->chunks[i].worker];
  }
  for (size_t i = 0; i < plan->parameters_count && status == LS_OK; i++)
    if (plan->parameters[i].json != NULL)
      status = rename_list(plan, &plan->parameters[i], crew, err);
  if (status == LS_OK) status = ls_plan_finish(plan, err);
  return status == LS_OK ? ls_replay(plan, platform, err) : status;
}

static enum ls_status plan_crew(const struct ls_planner_judge *judge, const struct ls_crew *crew,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_worker_model *workers = calloc(crew->count, sizeof *workers);
  if (workers == NULL) {
    ls_plan_init(plan, judge->label, judge->limits->load);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", crew->count);
  }
  struct ls_platform own = ls_crew_platform(judge->platform, crew, workers);
  enum ls_status status = ls_plan_for_crew(judge, &own, plan, err);
  if (status == LS_OK) status = widen(plan, judge->platform, crew, err);
  free(workers);
  return status;
}

enum ls_status ls_plan_by_crew(const struct ls_planner_judge *judge, const struct ls_terms *terms,
                               struct ls_plan *plan, struct ls_crew_choice *choice,
                               struct ls_error *err) {
  struct ls_crews crews = {0};
  struct ls_deal deal;
  struct ls_planner_judge own = *judge;
  struct ls_crew_search search = {.platform = judge->platform,
                                  .least = 1,
                                  .tries_max = TRIES_MAX,
                                  .judge = ls_judge_by_planner,
                                  .context = &own};
  enum ls_status status = ls_crews_search(&search, &crews, err);
  struct ls_offer *offers = calloc(crews.count + 1, sizeof *offers);
  if (status == LS_OK && offers == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", crews.count);
  if (status != LS_OK) {
    ls_plan_init(plan, judge->label, judge->limits->load);
    goto done;
  }
  for (size_t i = 0; i < crews.count; i++) offers[i] = crews.items[i].offer;
  if (!ls_offers_choose(offers, crews.count, terms, &deal)) {
    choice->is_met = false;
    status = ls_plan_for_crew(judge, judge->platform, plan, err);
    goto done;
  }
  const struct ls_crew *crew = &crews.items[deal.index];
  choice->is_met = deal.is_met;
  status = plan_crew(judge, crew, plan, err);
  ls_terms_describe(terms, deal.is_met, &crew->offer, &choice->words);
  ls_bytes_printf(&choice->words, ", %zu of %zu workers", crew->count,
                  judge->platform->workers_count);
done:
  free(offers);
  ls_crews_close(&crews);
  return status;
}
