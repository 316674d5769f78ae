/* advise.c: chooses among candidates by simulation.
 *
 * Common draws make the differences between candidates visible in few of them; candidates that are
 * far behind after the first draw play no further one.
 */
#include "advise/advise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/list_schedule.h"

/* Who needs so much longer than the best in the first draw does not win any more. */
static const double HOPELESS = 1.25;
/* Fewer workers are preferred where they cost so little time. */
static const double NO_MATTER = 0.02;

/* A simulation on the fastest workers only. */
struct selection {
  struct ls_platform platform;
  uint64_t *fastest;
  double *keys, *weights;
  const struct ls_availability **availability;
  size_t *availability_count;
};

static void close_selection(struct selection *selection) {
  free(selection->platform.workers);
  free(selection->fastest);
  free(selection->keys);
  free(selection->weights);
  free(selection->availability);
  free(selection->availability_count);
}

static bool allocate_selection(struct selection *selection, size_t workers) {
  selection->platform.workers = calloc(workers, sizeof *selection->platform.workers);
  selection->fastest = calloc(workers, sizeof *selection->fastest);
  selection->keys = calloc(workers, sizeof *selection->keys);
  selection->weights = calloc(workers, sizeof *selection->weights);
  selection->availability = calloc(workers, sizeof *selection->availability);
  selection->availability_count = calloc(workers, sizeof *selection->availability_count);
  return selection->platform.workers != NULL && selection->fastest != NULL &&
         selection->keys != NULL && selection->weights != NULL && selection->availability != NULL &&
         selection->availability_count != NULL;
}

static enum ls_status select_workers(struct selection *selection, struct ls_simulation *setup,
                                     size_t workers, struct ls_error *err) {
  const struct ls_platform *all = setup->platform;
  struct ls_worker_model *models;
  *selection = (struct selection){0};
  if (!allocate_selection(selection, all->workers_count)) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", all->workers_count);
  }
  for (size_t i = 0; i < all->workers_count; i++) {
    selection->keys[i] = -all->workers[i].compute.per_unit_s;
  }
  enum ls_status status =
      ls_list_sort(selection->keys, all->workers_count, selection->fastest, err);
  if (status != LS_OK) return status;
  models = selection->platform.workers;
  selection->platform = *all;
  selection->platform.workers = models;
  selection->platform.workers_count = workers;
  for (size_t i = 0; i < workers; i++) {
    size_t from = (size_t)selection->fastest[i];
    models[i] = all->workers[from];
    if (setup->config.weights != NULL) selection->weights[i] = setup->config.weights[from];
    if (setup->availability == NULL) continue;
    selection->availability[i] = setup->availability[from];
    selection->availability_count[i] = setup->availability_count[from];
  }
  setup->platform = &selection->platform;
  if (setup->config.weights != NULL) setup->config.weights = selection->weights;
  if (setup->availability != NULL) {
    setup->availability = selection->availability;
    setup->availability_count = selection->availability_count;
  }
  return LS_OK;
}

static enum ls_status play(const struct ls_candidate *candidate, struct ls_simulation setup,
                           struct ls_simulated *result, struct ls_error *err) {
  struct selection selection = {0};
  enum ls_status status = LS_OK;
  size_t workers = candidate->workers;
  setup.config.chunking = candidate->chunking;
  setup.config.arguments = candidate->arguments;
  setup.prefetch = candidate->prefetch;
  /* Who leaves and joins is told by number, so that a selection would mean others. */
  bool is_by_number = setup.leave_count > 0 || setup.join_count > 0 || setup.pauses_count > 0;
  if (workers > 0 && workers < setup.platform->workers_count && !is_by_number) {
    status = select_workers(&selection, &setup, workers, err);
  }
  if (status == LS_OK) status = ls_simulate(&setup, result, NULL, err);
  close_selection(&selection);
  return status;
}

static void count(struct ls_expectation *expectation, const struct ls_simulated *result) {
  double draws = (double)++expectation->draws;
  expectation->makespan_s += (result->makespan_s - expectation->makespan_s) / draws;
  expectation->efficiency += (result->efficiency - expectation->efficiency) / draws;
  bool is_first = expectation->draws == 1;
  if (is_first || result->makespan_s < expectation->least_s) {
    expectation->least_s = result->makespan_s;
  }
  if (is_first || result->makespan_s > expectation->most_s) {
    expectation->most_s = result->makespan_s;
  }
}

static double find_least(const struct ls_advice *advice) {
  double least_s = (double)INFINITY;
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *expectation = &advice->expectations[i];
    if (expectation->draws > 0) least_s = fmin(least_s, expectation->makespan_s);
  }
  return least_s;
}

/* One draw of the world for all candidates that are still in the race. */
static enum ls_status play_draw(const struct ls_advice_setup *setup, size_t draw,
                                struct ls_advice *advice, struct ls_error *refusal) {
  struct ls_simulation world = {0};
  struct ls_error err = {0};
  double least_s = find_least(advice);
  enum ls_status status = setup->world.draw(setup->world.context, draw, &world, refusal);
  for (size_t i = 0; i < advice->count && status == LS_OK; i++) {
    struct ls_expectation *expectation = &advice->expectations[i];
    struct ls_simulated result;
    bool is_hopeless = expectation->makespan_s > HOPELESS * least_s && i != setup->current;
    if (expectation->draws < draw || (draw > 0 && is_hopeless)) continue;
    if (setup->stop != NULL && advice->simulations > 0 && setup->stop(setup->stop_context)) {
      advice->was_stopped = true;
      return LS_OK;
    }
    advice->simulations++;
    if (setup->world.adapt != NULL)
      setup->world.adapt(setup->world.context, &expectation->candidate);
    /* A policy that cannot serve this setup is out; the others go on. */
    enum ls_status played = play(&expectation->candidate, world, &result, &err);
    if (played == LS_ENOMEM) return ls_fail(refusal, played, "%s", err.text);
    if (played == LS_OK) {
      count(expectation, &result);
    } else if (refusal->status == LS_OK) {
      *refusal = err;
    }
  }
  return status;
}

/* Only candidates that played all draws can win. */
static void choose(const struct ls_advice_setup *setup, struct ls_advice *advice) {
  size_t draws = 0;
  double least_s = (double)INFINITY;
  for (size_t i = 0; i < advice->count; i++) {
    if (advice->expectations[i].draws > draws) draws = advice->expectations[i].draws;
  }
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *expectation = &advice->expectations[i];
    if (expectation->draws < draws || !(expectation->makespan_s < least_s)) continue;
    least_s = expectation->makespan_s;
    advice->best = i;
  }
  size_t fewest = advice->expectations[advice->best].candidate.workers;
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *expectation = &advice->expectations[i];
    size_t workers = expectation->candidate.workers;
    bool is_fewer = workers > 0 && (fewest == 0 || workers < fewest);
    if (expectation->draws < draws || !is_fewer) continue;
    if (expectation->makespan_s > (1 + NO_MATTER) * least_s) continue;
    fewest = workers;
    advice->best = i;
  }
  advice->chosen = advice->best;
  if (setup->current >= advice->count) return;
  const struct ls_expectation *current = &advice->expectations[setup->current];
  double best_s = advice->expectations[advice->best].makespan_s;
  bool is_kept = current->draws >= draws && current->makespan_s <= (1 + setup->margin) * best_s;
  bool saves_workers = fewest > 0 && fewest < current->candidate.workers;
  if (is_kept && !saves_workers) advice->chosen = setup->current;
}

enum ls_status ls_advise(const struct ls_advice_setup *setup, struct ls_advice *advice,
                         struct ls_error *err) {
  struct ls_advice made = {.count = setup->candidates_count, .margin = setup->margin};
  struct ls_error refusal = {0};
  assert(setup->candidates_count > 0 && setup->draws > 0);
  made.expectations = calloc(made.count, sizeof *made.expectations);
  struct ls_expectation *before = calloc(made.count, sizeof *before);
  if (made.expectations == NULL || before == NULL) {
    free(made.expectations);
    free(before);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu candidates", made.count);
  }
  for (size_t i = 0; i < made.count; i++) made.expectations[i].candidate = setup->candidates[i];
  enum ls_status status = LS_OK;
  for (size_t draw = 0; draw < setup->draws && !made.was_stopped && status == LS_OK; draw++) {
    memcpy(before, made.expectations, made.count * sizeof *before);
    status = play_draw(setup, draw, &made, &refusal);
    /* Half a draw would compare means over different draws. */
    if (made.was_stopped && draw > 0) {
      memcpy(made.expectations, before, made.count * sizeof *before);
    }
  }
  free(before);
  if (status == LS_OK && !isfinite(find_least(&made))) status = LS_EINVAL;
  if (status != LS_OK) {
    free(made.expectations);
    return ls_fail(err, status, "no policy can be tried: %s", refusal.text);
  }
  choose(setup, &made);
  *advice = made;
  return LS_OK;
}

void ls_advice_close(struct ls_advice *advice) {
  free(advice->expectations);
  *advice = (struct ls_advice){0};
}
