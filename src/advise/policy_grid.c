#include "advise/policy_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/policy_auto.h"
#include "base/statistics.h"
#include "base/student.h"

/* The figures of one simulation, as plain bytes; behind them the prices by worker, if wanted. */
struct outcome {
  double makespan_s, efficiency, to_bound, chunks, price;
};

/* The results that are kept at one time take so many bytes, unless there are only so many
 * simulations for each process. */
enum { BATCH_BYTES = 1 << 20, BATCH_SIMULATIONS = 8 };

/* Simulations from `first` on: seed by seed, case by case. */
struct batch {
  const struct ls_policy_grid *grid;
  const struct ls_policy_case *cases; /* with the choices of "auto" */
  size_t first, count;
  size_t step; /* doubles of one result */
};

/* The simulations of one case so far. */
struct tally {
  struct ls_moments makespan, efficiency, to_bound, chunks, price;
};

size_t ls_policy_grid_cases(const struct ls_policy_grid *grid) {
  return grid->policies.count * grid->orders.count * grid->platform_names.count;
}

const struct ls_plan *ls_policy_grid_plan(const struct ls_policy_grid *grid, size_t policy) {
  return grid->plans != NULL ? grid->plans[policy] : NULL;
}

static struct ls_policy_case place_case(const struct ls_policy_grid *grid, size_t index) {
  size_t policies = grid->policies.count, orders = grid->orders.count;
  return (struct ls_policy_case){.policy = index % policies,
                                 .order = index / policies % orders,
                                 .platform = index / policies / orders};
}

static size_t count_workers(const struct ls_policy_grid *grid, size_t index) {
  return grid->platforms[place_case(grid, index).platform].workers_count;
}

enum ls_status ls_policy_grid_want_prices(struct ls_policy_grid *grid, struct ls_error *err) {
  size_t count = 0;
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) count += count_workers(grid, i);
  grid->prices = calloc(count, sizeof *grid->prices);
  return grid->prices != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for the prices");
}

enum ls_status ls_policy_grid_want_makespans(struct ls_policy_grid *grid, struct ls_error *err) {
  grid->makespans = calloc(ls_policy_grid_cases(grid), grid->seeds * sizeof *grid->makespans);
  return grid->makespans != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for the makespans");
}

size_t ls_policy_grid_place(const struct ls_policy_grid *grid, const struct ls_policy_case *item) {
  return (item->platform * grid->orders.count + item->order) * grid->policies.count + item->policy;
}

static struct ls_world_request request_world(const struct ls_policy_grid *grid,
                                             const struct ls_policy_case *item, uint64_t seed) {
  return (struct ls_world_request){.platform = &grid->platforms[item->platform],
                                   .units = grid->units,
                                   .policy = grid->policies.items[item->policy],
                                   .plan = ls_policy_grid_plan(grid, item->policy),
                                   .error = grid->error,
                                   .order = grid->orders.items[item->order],
                                   .sizing = grid->sizing,
                                   .replication = grid->replication,
                                   .arguments = grid->arguments,
                                   .knows_facts = grid->knows_facts,
                                   .has_seed = true,
                                   .seed = seed};
}

enum ls_status ls_policy_grid_choose(const struct ls_policy_grid *grid, struct ls_policy_case *item,
                                     struct ls_error *err) {
  bool is_auto = false;
  if (ls_policy_grid_plan(grid, item->policy) != NULL) return LS_OK;
  enum ls_status status = ls_policy_auto_read(grid->policies.items[item->policy], &is_auto, err);
  if (status != LS_OK || !is_auto) return status;
  uint64_t behind = grid->seed + grid->seeds; /* seeds that are not compared */
  struct ls_world_request request = request_world(grid, item, behind);
  return ls_policy_auto_choose(&request, behind, &item->chosen, err);
}

enum ls_status ls_policy_grid_open(const struct ls_policy_grid *grid,
                                   const struct ls_policy_case *item, uint64_t seed,
                                   struct ls_world *world, struct ls_error *err) {
  struct ls_world_request request = request_world(grid, item, seed);
  return item->chosen.chunking == NULL ? ls_world_open(world, &request, err)
                                       : ls_policy_auto_open(&request, &item->chosen, world, err);
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct batch *batch = context;
  const struct ls_policy_grid *grid = batch->grid;
  index += batch->first;
  const struct ls_policy_case *item = &batch->cases[index / grid->seeds];
  struct ls_world world;
  struct ls_simulated simulated;
  enum ls_status status =
      ls_policy_grid_open(grid, item, grid->seed + index % grid->seeds, &world, err);
  if (status != LS_OK) return status;
  /* Behind the outcome; whole doubles, as it is. */
  if (grid->prices != NULL)
    world.setup.prices_out = (double *)result + sizeof(struct outcome) / sizeof(double);
  status = ls_simulate(&world.setup, &simulated, NULL, err);
  double bound_s = ls_world_bound(&world);
  ls_world_close(&world);
  if (status != LS_OK)
    return ls_fail_while(err, status, "policy %s", grid->policies.items[item->policy]);
  struct outcome outcome = {.makespan_s = simulated.makespan_s,
                            .efficiency = simulated.efficiency,
                            .to_bound = bound_s > 0 ? simulated.makespan_s / bound_s : 1,
                            .chunks = (double)simulated.chunks,
                            .price = simulated.price};
  memcpy(result, &outcome, sizeof outcome);
  return LS_OK;
}

struct ls_policy_figure ls_policy_figure_of(const struct ls_moments *moments) {
  double deviation = ls_moments_deviation(moments);
  double width = 0;
  if (moments->count > 1)
    width =
        ls_student_quantile(0.975, moments->count - 1) * deviation / sqrt((double)moments->count);
  return (struct ls_policy_figure){.mean = moments->mean,
                                   .deviation = deviation,
                                   .least = moments->least,
                                   .largest = moments->largest,
                                   .half_width = width};
}

/* The batch from `first` on. */
static struct batch choose_batch(const struct ls_policy_grid *grid,
                                 const struct ls_policy_case *cases, size_t first) {
  size_t left = ls_policy_grid_cases(grid) * grid->seeds - first;
  size_t least = BATCH_SIMULATIONS * grid->processes;
  struct batch batch = {.grid = grid, .cases = cases, .first = first};
  batch.step = sizeof(struct outcome) / sizeof(double);
  for (; batch.count < left; batch.count++) {
    size_t workers =
        grid->prices != NULL ? count_workers(grid, (first + batch.count) / grid->seeds) : 0;
    size_t step = sizeof(struct outcome) / sizeof(double) + workers;
    if (step < batch.step) step = batch.step;
    if (batch.count >= least && (batch.count + 1) * step > BATCH_BYTES / sizeof(double)) break;
    batch.step = step;
  }
  return batch;
}

/* Adds one simulation, and sums its case up with the last seed. */
static void take_result(const struct ls_policy_grid *grid, size_t index, const double *result,
                        struct tally *tally, struct ls_policy_case *cases) {
  size_t place = index / grid->seeds, seed = index % grid->seeds;
  struct ls_policy_case *item = &cases[place];
  struct outcome outcome;
  memcpy(&outcome, result, sizeof outcome);
  if (seed == 0) {
    if (grid->prices != NULL)
      item->prices = place == 0 ? grid->prices : item[-1].prices + count_workers(grid, place - 1);
    *tally = (struct tally){0};
  }
  if (grid->makespans != NULL) grid->makespans[index] = outcome.makespan_s;
  ls_moments_add(&tally->makespan, outcome.makespan_s);
  ls_moments_add(&tally->efficiency, outcome.efficiency);
  ls_moments_add(&tally->to_bound, outcome.to_bound);
  ls_moments_add(&tally->chunks, outcome.chunks);
  ls_moments_add(&tally->price, outcome.price);
  const double *prices = result + sizeof outcome / sizeof *result;
  for (size_t i = 0; item->prices != NULL && i < count_workers(grid, place); i++) {
    double before = seed == 0 ? 0 : item->prices[i];
    item->prices[i] = before + (prices[i] - before) / (double)(seed + 1);
  }
  if (seed + 1 < grid->seeds) return;
  item->makespan_s = ls_policy_figure_of(&tally->makespan);
  item->efficiency = ls_policy_figure_of(&tally->efficiency);
  item->to_bound = ls_policy_figure_of(&tally->to_bound);
  item->chunks = ls_policy_figure_of(&tally->chunks);
  item->price = ls_policy_figure_of(&tally->price);
}

static enum ls_status run_batch(struct batch *batch, struct tally *tally,
                                struct ls_policy_case *cases, struct ls_error *err) {
  double *results = calloc(batch->count, batch->step * sizeof *results);
  if (results == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu simulations", batch->count);
  struct ls_grid_work work = {.count = batch->count,
                              .result_bytes = batch->step * sizeof *results,
                              .compute = compute,
                              .context = batch};
  enum ls_status status = batch->grid->map(batch->grid, &work, results, err);
  for (size_t i = 0; i < batch->count && status == LS_OK; i++)
    take_result(batch->grid, batch->first + i, results + i * batch->step, tally, cases);
  free(results);
  return status;
}

static enum ls_status choose(void *context, size_t index, void *result, struct ls_error *err) {
  const struct ls_policy_grid *grid = context;
  struct ls_policy_case item = place_case(grid, index);
  enum ls_status status = ls_policy_grid_choose(grid, &item, err);
  memcpy(result, &item.chosen, sizeof item.chosen);
  return status;
}

/* Each "auto" costs many simulations: in processes, as all others. */
static enum ls_status choose_all(const struct ls_policy_grid *grid, struct ls_policy_case *cases,
                                 struct ls_error *err) {
  size_t count = ls_policy_grid_cases(grid), autos = 0;
  struct ls_policy_grid copy = *grid;
  for (size_t i = 0; i < grid->policies.count; i++) {
    bool is_auto = false;
    if (ls_policy_grid_plan(grid, i) != NULL) continue;
    enum ls_status status = ls_policy_auto_read(grid->policies.items[i], &is_auto, err);
    if (status != LS_OK) return status;
    autos += is_auto;
  }
  if (autos == 0) return LS_OK;
  struct ls_candidate *chosen = calloc(count, sizeof *chosen);
  if (chosen == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the choices of auto");
  struct ls_grid_work work = {
      .count = count, .result_bytes = sizeof *chosen, .compute = choose, .context = &copy};
  enum ls_status status = grid->map(grid, &work, chosen, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) cases[i].chosen = chosen[i];
  free(chosen);
  return status;
}

enum ls_status ls_policy_grid_run(const struct ls_policy_grid *grid, struct ls_policy_case *cases,
                                  struct ls_error *err) {
  size_t count = ls_policy_grid_cases(grid) * grid->seeds;
  struct tally tally = {0};
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) cases[i] = place_case(grid, i);
  enum ls_status status = choose_all(grid, cases, err);
  for (size_t first = 0; first < count && status == LS_OK;) {
    struct batch batch = choose_batch(grid, cases, first);
    status = run_batch(&batch, &tally, cases, err);
    first += batch.count;
  }
  return status;
}

static int compare_cases(const void *left, const void *right) {
  const struct ls_policy_case *a = left, *b = right;
  if (a->platform != b->platform) return a->platform < b->platform ? -1 : 1;
  if (a->makespan_s.mean < b->makespan_s.mean) return -1;
  if (a->makespan_s.mean > b->makespan_s.mean) return 1;
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  return a->policy < b->policy ? -1 : a->policy > b->policy;
}

void ls_policy_grid_rank(struct ls_policy_case *cases, size_t count) {
  qsort(cases, count, sizeof *cases, compare_cases);
}

double ls_policy_grid_regret(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                             size_t index) {
  double best_s = cases[index].makespan_s.mean;
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    if (cases[i].platform != cases[index].platform) continue;
    best_s = fmin(best_s, cases[i].makespan_s.mean);
  }
  return best_s > 0 ? cases[index].makespan_s.mean / best_s - 1 : 0;
}
