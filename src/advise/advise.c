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

#include "advise/selection.h"
#include "theory/list_schedule.h"

/* A candidate that needs so much longer than the best in the first draw does not win any more. */
static const double HOPELESS = 1.25;
/* So many standard errors are more than the chance of the draws. */
static const double CLEAR = 3;
/* Fewer draws do not tell by themselves how much draws differ. */
enum { TELLING_DRAWS = 4 };
/* Fewer workers are preferred where they cost so little time. */
static const double NO_MATTER = 0.005;
/* Of candidates that differ by so little the one that stands first is as good as the best. */
static const double ALIKE = 1e-4;
/* Halvings of any number of workers. */
enum { FEWER_MAX = 64 };

/* The fastest so many of the workers. */
static enum ls_status list_fastest(const struct ls_platform *platform, size_t *workers,
                                   size_t count, struct ls_error *err) {
  size_t all = platform->workers_count;
  double *keys = calloc(all, sizeof *keys);
  uint64_t *fastest = calloc(all, sizeof *fastest);
  enum ls_status status = keys == NULL || fastest == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers", all)
                              : LS_OK;
  for (size_t i = 0; i < all && status == LS_OK; i++)
    keys[i] = -platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
  if (status == LS_OK) status = ls_list_sort(keys, all, fastest, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) workers[i] = (size_t)fastest[i];
  free(keys);
  free(fastest);
  return status;
}

static enum ls_status select_workers(struct ls_selection *selection, struct ls_simulation *setup,
                                     size_t count, struct ls_error *err) {
  size_t *workers = calloc(count, sizeof *workers);
  enum ls_status status = workers == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count)
                              : list_fastest(setup->platform, workers, count, err);
  if (status == LS_OK) status = ls_selection_open(selection, setup, workers, count, err);
  free(workers);
  return status;
}

static enum ls_status play(const struct ls_candidate *candidate, struct ls_simulation setup,
                           struct ls_simulated *result, struct ls_error *err) {
  struct ls_selection selection = {0};
  enum ls_status status = LS_OK;
  size_t workers = candidate->workers;
  setup.config.chunking = candidate->chunking;
  setup.config.arguments = candidate->arguments;
  setup.prefetch = candidate->prefetch;
  if (workers > 0 && workers < setup.platform->workers_count && ls_selection_can_be(&setup)) {
    status = select_workers(&selection, &setup, workers, err);
  }
  if (status == LS_OK) status = ls_simulate(&setup, result, NULL, err);
  ls_selection_close(&selection);
  return status;
}

/* `current_s`: the time of the one in use in the same draw; NAN: there is none. */
static void count(struct ls_expectation *expectation, const struct ls_simulated *result,
                  double current_s) {
  double draws = (double)++expectation->draws;
  expectation->makespan_s += (result->makespan_s - expectation->makespan_s) / draws;
  expectation->efficiency += (result->efficiency - expectation->efficiency) / draws;
  bool is_first = expectation->draws == 1;
  if (!isnan(current_s)) ls_moments_add(&expectation->behind, result->makespan_s - current_s);
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

/* One draw of the world. */
struct draw {
  struct ls_simulation world;
  double current_s; /* the time of the one in use in it; NAN: not known */
};

/* One candidate in one draw. A policy that cannot serve the setup is out; the others go on. */
static enum ls_status try_candidate(const struct ls_advice_setup *setup, struct draw *draw,
                                    struct ls_advice *advice, size_t index,
                                    struct ls_error *refusal) {
  struct ls_expectation *expectation = &advice->expectations[index];
  struct ls_simulated result;
  struct ls_error err = {0};
  advice->simulations++;
  enum ls_status played = play(&expectation->candidate, draw->world, &result, &err);
  if (played == LS_ENOMEM) return ls_fail(refusal, played, "%s", err.text);
  if (played == LS_OK) {
    if (index == setup->current) draw->current_s = result.makespan_s;
    count(expectation, &result, draw->current_s);
  } else if (refusal->status == LS_OK) {
    *refusal = err;
  }
  return LS_OK;
}

static bool is_out_of_time(const struct ls_advice_setup *setup, struct ls_advice *advice) {
  if (setup->stop == NULL || advice->simulations == 0 || !setup->stop(setup->stop_context))
    return false;
  advice->was_stopped = true;
  return true;
}

/* Deviation of a task on the slowest worker. */
static double measure_deviation(const struct ls_simulation *world) {
  struct ls_moments work = {0};
  double slowest_s = 0;
  for (uint64_t i = 0; world->task_work != NULL && i < world->units; i++) {
    ls_moments_add(&work, world->task_work[i]);
  }
  for (size_t i = 0; i < world->platform->workers_count; i++) {
    slowest_s = fmax(slowest_s, world->platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s);
  }
  return ls_moments_deviation(&work) * slowest_s;
}

/* One draw of the world for all candidates that are still in the race, the one in use first. */
static enum ls_status play_draw(const struct ls_advice_setup *setup, size_t number,
                                struct ls_advice *advice, struct ls_error *refusal) {
  struct draw draw = {.current_s = (double)NAN};
  double least_s = find_least(advice);
  enum ls_status status = setup->world.draw(setup->world.context, number, &draw.world, refusal);
  if (status == LS_OK) advice->workers = draw.world.platform->workers_count;
  if (status == LS_OK && number == 0) advice->task_deviation_s = measure_deviation(&draw.world);
  bool has_current = setup->current < setup->candidates_count;
  if (status == LS_OK && has_current && advice->expectations[setup->current].draws == number &&
      !is_out_of_time(setup, advice))
    status = try_candidate(setup, &draw, advice, setup->current, refusal);
  for (size_t i = 0; i < advice->count && status == LS_OK; i++) {
    const struct ls_expectation *expectation = &advice->expectations[i];
    bool is_hopeless = expectation->makespan_s > HOPELESS * least_s;
    if (i == setup->current || expectation->draws < number || (number > 0 && is_hopeless)) continue;
    if (is_out_of_time(setup, advice)) return LS_OK;
    status = try_candidate(setup, &draw, advice, i, refusal);
  }
  return status;
}

static size_t count_draws(const struct ls_advice *advice) {
  size_t draws = 0;
  for (size_t i = 0; i < advice->count; i++) {
    if (advice->expectations[i].draws > draws) draws = advice->expectations[i].draws;
  }
  return draws;
}

/* Only candidates that played all draws can win; of those that are alike the first one does. */
static void find_best(struct ls_advice *advice) {
  size_t draws = count_draws(advice);
  double least_s = (double)INFINITY;
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *expectation = &advice->expectations[i];
    if (expectation->draws >= draws) least_s = fmin(least_s, expectation->makespan_s);
  }
  for (size_t i = advice->count; i-- > 0;) {
    const struct ls_expectation *expectation = &advice->expectations[i];
    if (expectation->draws >= draws && expectation->makespan_s <= (1 + ALIKE) * least_s)
      advice->best = i;
  }
}

static size_t count_workers(const struct ls_advice *advice, size_t index) {
  size_t workers = advice->expectations[index].candidate.workers;
  return workers == 0 || workers > advice->workers ? advice->workers : workers;
}

/* More draws were wanted than there was time for. */
static bool is_vague(const struct ls_advice_setup *setup, size_t draws) {
  return draws < TELLING_DRAWS && draws < setup->draws;
}

/* Standard error of the gain.  Where the draws are few, the tasks tell it: both ends hang on a last
 * task. */
static double measure_chance(const struct ls_advice_setup *setup, const struct ls_advice *advice,
                             const struct ls_expectation *best) {
  double deviation_s = ls_moments_deviation(&best->behind);
  if (is_vague(setup, best->draws))
    deviation_s = fmax(deviation_s, sqrt(2) * advice->task_deviation_s);
  return deviation_s / sqrt((double)best->draws);
}

/* The one in use, unless the best one is clearly better. */
static size_t find_base(const struct ls_advice_setup *setup, const struct ls_advice *advice) {
  if (setup->current >= setup->candidates_count) return advice->best;
  const struct ls_expectation *best = &advice->expectations[advice->best];
  const struct ls_expectation *current = &advice->expectations[setup->current];
  if (current->draws < best->draws || best->draws == 0) return advice->best;
  double gain_s = -best->behind.mean;
  double chance_s = measure_chance(setup, advice, best);
  bool is_better = current->makespan_s > (1 + setup->margin) * best->makespan_s;
  return is_better && gain_s > CLEAR * chance_s ? advice->best : setup->current;
}

/* Adds the candidate with fewer workers in the first draw, unless it cannot be, or there is no
 * time.
 */
static enum ls_status try_fewer(const struct ls_advice_setup *setup, struct ls_candidate candidate,
                                struct ls_advice *advice, struct ls_error *refusal) {
  struct draw draw = {.current_s = (double)NAN};
  size_t index = advice->count;
  if (is_out_of_time(setup, advice)) return LS_OK;
  advice->expectations[index] = (struct ls_expectation){.candidate = candidate};
  enum ls_status status = setup->world.draw(setup->world.context, 0, &draw.world, refusal);
  if (status == LS_OK) status = try_candidate(setup, &draw, advice, index, refusal);
  if (status == LS_OK && advice->expectations[index].draws > 0) advice->count++;
  return status;
}

/* The least number of workers that makes no difference in the first draw, by halving the numbers
 * that come into question: more workers hardly ever take longer.  All that were tried are
 * candidates in the draws that follow. */
static enum ls_status save_workers(const struct ls_advice_setup *setup, struct ls_advice *advice,
                                   struct ls_error *refusal) {
  size_t base = find_base(setup, advice);
  double most_s = (1 + NO_MATTER) * advice->expectations[base].makespan_s;
  struct ls_candidate candidate = advice->expectations[base].candidate;
  size_t least = 1, most = count_workers(advice, base);
  while (least < most) {
    size_t before = advice->count;
    candidate.workers = least + (most - least) / 2;
    enum ls_status status = try_fewer(setup, candidate, advice, refusal);
    if (status != LS_OK || advice->count == before) return status;
    if (advice->expectations[advice->count - 1].makespan_s <= most_s) {
      most = candidate.workers;
    } else {
      least = candidate.workers + 1;
    }
  }
  return LS_OK;
}

/* Standard error of what the other one loses against the base; both stand behind the one in use. */
static double measure_doubt(const struct ls_advice_setup *setup, const struct ls_advice *advice,
                            const struct ls_expectation *other) {
  double deviation_s = ls_moments_deviation(&other->behind);
  if (advice->base != setup->current) {
    /* Not hypot, which needs glibc 2.35.  Durations are far from what overflows. */
    double base_s = ls_moments_deviation(&advice->expectations[advice->base].behind);
    deviation_s = sqrt(deviation_s * deviation_s + base_s * base_s);
  }
  return deviation_s / sqrt((double)other->draws);
}

/* The base, or the same with the fewest workers that make no difference, beyond doubt. */
static void choose(const struct ls_advice_setup *setup, struct ls_advice *advice) {
  advice->base = advice->chosen = find_base(setup, advice);
  const struct ls_expectation *base = &advice->expectations[advice->base];
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *other = &advice->expectations[i];
    bool is_alike = other->candidate.chunking == base->candidate.chunking &&
                    other->candidate.prefetch == base->candidate.prefetch;
    if (!is_alike || other->draws < base->draws || is_vague(setup, other->draws)) continue;
    double most_s = other->makespan_s + CLEAR * measure_doubt(setup, advice, other);
    if (i != advice->base && !(most_s <= (1 + NO_MATTER) * base->makespan_s)) continue;
    if (count_workers(advice, i) < count_workers(advice, advice->chosen)) advice->chosen = i;
  }
}

static enum ls_status play_all(const struct ls_advice_setup *setup, struct ls_advice *advice,
                               struct ls_error *refusal) {
  struct ls_expectation *before = calloc(advice->count + FEWER_MAX, sizeof *before);
  enum ls_status status = LS_OK;
  if (before == NULL) {
    return ls_fail(refusal, LS_ENOMEM, "no memory for %zu candidates", advice->count);
  }
  for (size_t draw = 0; draw < setup->draws && !advice->was_stopped && status == LS_OK; draw++) {
    memcpy(before, advice->expectations, advice->count * sizeof *before);
    status = play_draw(setup, draw, advice, refusal);
    /* Half a draw would compare means over different draws. */
    if (advice->was_stopped && draw > 0) {
      memcpy(advice->expectations, before, advice->count * sizeof *before);
    }
    find_best(advice);
    bool is_first = draw == 0 && status == LS_OK && isfinite(find_least(advice));
    if (setup->saves_workers && is_first && !advice->was_stopped)
      status = save_workers(setup, advice, refusal);
  }
  free(before);
  if (status == LS_OK && !isfinite(find_least(advice))) return LS_EINVAL;
  return status;
}

enum ls_status ls_advise(const struct ls_advice_setup *setup, struct ls_advice *advice,
                         struct ls_error *err) {
  struct ls_advice made = {.count = setup->candidates_count, .margin = setup->margin};
  struct ls_error refusal = {0};
  assert(setup->candidates_count > 0 && setup->draws > 0);
  made.expectations = calloc(made.count + FEWER_MAX, sizeof *made.expectations);
  if (made.expectations == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu candidates", made.count);
  }
  for (size_t i = 0; i < made.count; i++) made.expectations[i].candidate = setup->candidates[i];
  enum ls_status status = play_all(setup, &made, &refusal);
  if (status != LS_OK) {
    free(made.expectations);
    return ls_fail(err, status, "no policy can be tried: %s", refusal.text);
  }
  find_best(&made);
  choose(setup, &made);
  *advice = made;
  return LS_OK;
}

void ls_advice_close(struct ls_advice *advice) {
  free(advice->expectations);
  *advice = (struct ls_advice){0};
}
