#include "cli/run/run_auto.h"

#include <stdlib.h>
#include <string.h>

#include "advise/run_crew.h"
#include "advise/sites.h"
#include "cli/run/run_platform.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_situation.h"
#include "cli/terms_options.h"
#include "theory/list_schedule.h"

bool ls_run_auto_is_asked(const struct ls_run_options *options) {
  return options->plan == NULL && !options->has_needs &&
         (options->policy == NULL || strcmp(options->policy, "auto") == 0);
}

/* The first `count` workers of this order stay. */
static enum ls_status keep_workers(struct ls_run_policy *policy,
                                   const struct ls_run_options *options, const uint64_t *order,
                                   size_t count, struct ls_error *err) {
  size_t all = policy->config.workers;
  policy->config.workers = count;
  if (policy->weights == NULL) return LS_OK;
  double *weights = calloc(count, sizeof *weights), *speeds = calloc(count, sizeof *speeds);
  enum ls_status status = weights == NULL || speeds == NULL
                              ? ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", all)
                              : ls_run_platform_reorder(&policy->platform, order, all, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    weights[i] = policy->weights[order[i]];
    speeds[i] = policy->speeds != NULL ? policy->speeds[order[i]]
                                       : ls_run_pools_speed(options, (size_t)order[i]);
  }
  if (status != LS_OK) {
    free(weights);
    free(speeds);
    return status;
  }
  free(policy->weights);
  free(policy->speeds);
  policy->weights = weights;
  policy->speeds = speeds;
  policy->places = count; /* other workers would have other speeds */
  return LS_OK;
}

/* The fastest `count` of the workers that were asked for stay. */
static enum ls_status keep_fastest(struct ls_run_policy *policy,
                                   const struct ls_run_options *options, size_t count,
                                   struct ls_error *err) {
  size_t all = policy->config.workers;
  uint64_t *fastest = calloc(all, sizeof *fastest);
  enum ls_status status =
      fastest == NULL ? ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", all) : LS_OK;
  if (status == LS_OK && policy->weights != NULL)
    status = ls_list_sort(policy->weights, all, fastest, err);
  if (status == LS_OK) status = keep_workers(policy, options, fastest, count, err);
  free(fastest);
  return status;
}

/* A crew's workers stay, in their order. */
static enum ls_status keep_crew(struct ls_run_policy *policy, const struct ls_run_options *options,
                                const struct ls_crew *crew, struct ls_error *err) {
  size_t all = policy->config.workers, next = crew->count, taken = 0;
  uint64_t *order = calloc(all, sizeof *order);
  if (order == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", all);
  for (size_t i = 0; i < all; i++) {
    bool is_taken = taken < crew->count && crew->workers[taken] == i;
    order[is_taken ? taken++ : next++] = i;
  }
  enum ls_status status = keep_workers(policy, options, order, crew->count, err);
  free(order);
  return status;
}

static enum ls_status advise(struct ls_run_policy *policy, const struct ls_run_options *options,
                             uint64_t units, struct ls_error *err) {
  struct ls_run_situation situation = ls_run_situation_of(policy, options, units);
  ls_run_advised_close(&policy->advised);
  enum ls_status status = ls_run_advise(&situation, &policy->advised, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--policy auto");
}

/* Only who is free in policy and workers can promise time or price. */
static enum ls_status check_terms(const struct ls_run_policy *policy,
                                  const struct ls_run_options *options, struct ls_error *err) {
  const char *name = options->terms.deadline_s > 0 ? "--deadline" : "--price-max";
  const char *other = policy->adaptive.sizing != NULL        ? "--sizing"
                      : policy->adaptive.replication != NULL ? "--replication"
                      : options->settings_count > 0          ? "--set"
                      : options->arguments != NULL           ? "--arguments"
                      : ls_run_pools_is_remote(options)      ? "workers on other machines"
                                                             : NULL;
  if (other == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s is given with %s, expected that it alone decides on workers",
                 name, other);
}

/* The workers by a policy that suits all of them; the policy is then chosen anew for these. */
static enum ls_status choose_crew(struct ls_run_policy *policy,
                                  const struct ls_run_options *options, uint64_t units,
                                  struct ls_error *err) {
  struct ls_crew_advice advice = {0};
  struct ls_run_situation situation = ls_run_situation_of(policy, options, units);
  enum ls_status status =
      ls_run_advise_crew(&situation, &policy->advised.chosen, &options->terms, &advice, err);
  if (status == LS_OK) {
    size_t all = policy->config.workers;
    const struct ls_crew *crew = &advice.crews.items[advice.deal.index];
    policy->misses_terms = !advice.deal.is_met;
    ls_terms_describe(&options->terms, advice.deal.is_met, &crew->offer, &policy->terms_words);
    ls_bytes_printf(&policy->terms_words, ", %zu of %zu workers", crew->count, all);
    if (crew->count < all) status = keep_crew(policy, options, crew, err);
  }
  if (status == LS_OK) status = advise(policy, options, units, err);
  if (status == LS_OK)
    ls_bytes_printf(&policy->advised.reason, "; %s", ls_bytes_text(&policy->terms_words));
  ls_crew_advice_close(&advice);
  return status;
}

/* Says whether the workers of a second site pay. */
static enum ls_status tell_of_sites(struct ls_run_policy *policy,
                                    const struct ls_run_options *options, uint64_t units,
                                    struct ls_error *err) {
  struct ls_run_sites sites;
  struct ls_run_situation situation = ls_run_situation_of(policy, options, units);
  enum ls_status status = ls_run_advise_sites(&situation, &policy->advised.chosen, &sites, err);
  if (status != LS_OK) return ls_fail_while(err, status, "--policy auto");
  if (sites.far == 0) return LS_OK;
  ls_bytes_append_text(&policy->advised.reason, "; ");
  ls_sites_describe(sites.far, sites.near_s, sites.all_s, &policy->advised.reason);
  return LS_OK;
}

enum ls_status ls_run_auto_choose(struct ls_run_policy *policy,
                                  const struct ls_run_options *options, uint64_t units,
                                  struct ls_error *err) {
  const struct ls_run_adaptive *adaptive = &policy->adaptive;
  bool has_terms = ls_terms_are_given(&options->terms);
  policy->may_save = options->workers_file == NULL && adaptive->sizing == NULL &&
                     adaptive->replication == NULL && !ls_run_pools_is_remote(options) &&
                     options->settings_count == 0 && options->arguments == NULL && !has_terms;
  enum ls_status status = has_terms ? check_terms(policy, options, err) : LS_OK;
  if (status == LS_OK) status = advise(policy, options, units, err);
  if (status == LS_OK && has_terms) status = choose_crew(policy, options, units, err);
  if (status == LS_OK && !has_terms) status = tell_of_sites(policy, options, units, err);
  if (status != LS_OK) return status;
  const struct ls_candidate *chosen = &policy->advised.chosen;
  policy->config.chunking = chosen->chunking;
  policy->config.arguments = chosen->arguments;
  policy->config.mean_seconds = policy->advised.mean_s;
  policy->config.deviation_seconds = policy->advised.deviation_s;
  policy->config.overhead_seconds = policy->advised.overhead_s;
  policy->prefetch = chosen->prefetch;
  policy->places = policy->config.workers;
  if (chosen->workers == 0 || chosen->workers >= policy->config.workers) return LS_OK;
  return keep_fastest(policy, options, chosen->workers, err);
}
