#include "cli/policy_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "model/metrics.h"
#include "report/plot.h"
#include "runtime/parallel_map.h"
#include "simulate/world.h"

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

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct batch *batch = context;
  const struct ls_policy_grid *grid = batch->grid;
  index += batch->first;
  struct ls_policy_case place = place_case(grid, index / grid->seeds);
  struct ls_world world;
  struct ls_simulated simulated;
  struct ls_world_request request = {.platform = &grid->platforms[place.platform],
                                     .units = grid->units,
                                     .policy = grid->policies.items[place.policy],
                                     .order = grid->orders.items[place.order],
                                     .sizing = grid->sizing,
                                     .replication = grid->replication,
                                     .arguments = grid->arguments,
                                     .knows_facts = grid->knows_facts,
                                     .has_seed = true,
                                     .seed = grid->seed + index % grid->seeds};
  enum ls_status status = ls_world_open(&world, &request, err);
  if (status != LS_OK) return status;
  /* Behind the outcome; whole doubles, as it is. */
  if (grid->prices != NULL)
    world.setup.prices_out = (double *)result + sizeof(struct outcome) / sizeof(double);
  status = ls_simulate(&world.setup, &simulated, NULL, err);
  double bound_s = ls_world_bound(&world);
  ls_world_close(&world);
  if (status != LS_OK) return ls_fail_while(err, status, "policy %s", request.policy);
  struct outcome outcome = {.makespan_s = simulated.makespan_s,
                            .efficiency = simulated.efficiency,
                            .to_bound = bound_s > 0 ? simulated.makespan_s / bound_s : 1,
                            .chunks = (double)simulated.chunks,
                            .price = simulated.price};
  memcpy(result, &outcome, sizeof outcome);
  return LS_OK;
}

/* The 0.975 quantile of Student's distribution; beyond the table by its expansion in 1/n, which is
 * right to four digits there. */
static double find_student(uint64_t freedom) {
  static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706,
                                 2.4469,  2.3646, 2.3060, 2.2622, 2.2281};
  double z = 1.959964, n = (double)freedom;
  if (freedom <= sizeof table / sizeof *table) return table[freedom - 1];
  return z + (pow(z, 3) + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

static struct ls_policy_figure sum_up(const struct ls_moments *moments) {
  double deviation = ls_moments_deviation(moments);
  double width = moments->count > 1
                     ? find_student(moments->count - 1) * deviation / sqrt((double)moments->count)
                     : 0;
  return (struct ls_policy_figure){.mean = moments->mean,
                                   .deviation = deviation,
                                   .least = moments->least,
                                   .largest = moments->largest,
                                   .half_width = width};
}

/* The batch from `first` on. */
static struct batch choose_batch(const struct ls_policy_grid *grid, size_t first) {
  size_t left = ls_policy_grid_cases(grid) * grid->seeds - first;
  size_t least = BATCH_SIMULATIONS * grid->processes;
  struct batch batch = {.grid = grid, .first = first};
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
    *item = place_case(grid, place);
    if (grid->prices != NULL)
      item->prices = place == 0 ? grid->prices : item[-1].prices + count_workers(grid, place - 1);
    *tally = (struct tally){0};
  }
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
  item->makespan_s = sum_up(&tally->makespan);
  item->efficiency = sum_up(&tally->efficiency);
  item->to_bound = sum_up(&tally->to_bound);
  item->chunks = sum_up(&tally->chunks);
  item->price = sum_up(&tally->price);
}

static enum ls_status run_batch(struct batch *batch, struct tally *tally,
                                struct ls_policy_case *cases, struct ls_error *err) {
  double *results = calloc(batch->count, batch->step * sizeof *results);
  if (results == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu simulations", batch->count);
  struct ls_parallel_map map = {.count = batch->count,
                                .result_bytes = batch->step * sizeof *results,
                                .processes = batch->grid->processes,
                                .compute = compute,
                                .context = batch};
  enum ls_status status = ls_parallel_map(&map, results, err);
  for (size_t i = 0; i < batch->count && status == LS_OK; i++)
    take_result(batch->grid, batch->first + i, results + i * batch->step, tally, cases);
  free(results);
  return status;
}

enum ls_status ls_policy_grid_run(const struct ls_policy_grid *grid, struct ls_policy_case *cases,
                                  struct ls_error *err) {
  size_t count = ls_policy_grid_cases(grid) * grid->seeds;
  struct tally tally = {0};
  enum ls_status status = LS_OK;
  for (size_t first = 0; first < count && status == LS_OK;) {
    struct batch batch = choose_batch(grid, first);
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

/* The order of a case; that of the arguments when none was asked for. */
static const char *name_order(const struct ls_policy_grid *grid, size_t order) {
  const char *name = grid->orders.items[order];
  if (name != NULL) return name;
  struct ls_json given = ls_json_member(&grid->arguments, "order");
  return json_is_string(given.value) ? json_string_value(given.value) : "fifo";
}

static int find_width(const struct ls_policy_words *words, const char *title) {
  size_t width = strlen(title);
  for (size_t i = 0; i < words->count; i++)
    if (strlen(words->items[i]) > width) width = strlen(words->items[i]);
  return (int)width;
}

/* How much longer than the best case of the same platform, as a share of its time. */
static double find_regret(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                          size_t index) {
  double best_s = cases[index].makespan_s.mean;
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    if (cases[i].platform != cases[index].platform) continue;
    best_s = fmin(best_s, cases[i].makespan_s.mean);
  }
  return best_s > 0 ? cases[index].makespan_s.mean / best_s - 1 : 0;
}

static bool has_prices(const struct ls_policy_grid *grid) {
  for (size_t i = 0; i < grid->platform_names.count; i++)
    if (ls_platform_has_prices(&grid->platforms[i])) return true;
  return false;
}

void ls_policy_grid_write_table(const struct ls_policy_grid *grid,
                                const struct ls_policy_case *cases, struct ls_bytes *out) {
  bool has_orders = grid->orders.count > 1, has_platforms = grid->platform_names.count > 1;
  int policy = find_width(&grid->policies, "policy"),
      order = has_orders ? find_width(&grid->orders, "order") : 0;
  int platform = find_width(&grid->platform_names, "platform");
  bool is_priced = has_prices(grid);
  if (has_platforms) ls_bytes_printf(out, "%-*s  ", platform, "platform");
  if (has_orders) ls_bytes_printf(out, "%-*s  ", order, "order");
  ls_bytes_printf(out, "%-*s %12s %10s %10s %8s %8s %10s%s\n", policy, "policy", "makespan s",
                  "+- 95 %", "efficiency", "/ bound", "regret", "chunks",
                  is_priced ? "      price" : "");
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    const struct ls_policy_case *item = &cases[i];
    if (has_platforms)
      ls_bytes_printf(out, "%-*s  ", platform, grid->platform_names.items[item->platform]);
    if (has_orders) ls_bytes_printf(out, "%-*s  ", order, name_order(grid, item->order));
    ls_bytes_printf(out, "%-*s %12.6g %10.3g %10.4f %8.4f %8.4f %10.5g", policy,
                    grid->policies.items[item->policy], item->makespan_s.mean,
                    item->makespan_s.half_width, item->efficiency.mean, item->to_bound.mean,
                    find_regret(grid, cases, i), item->chunks.mean);
    if (is_priced) ls_bytes_printf(out, " %10.5g", item->price.mean);
    ls_bytes_append_char(out, '\n');
  }
}

static void write_figure(const char *name, const struct ls_policy_figure *figure,
                         struct ls_bytes *out) {
  const struct {
    const char *name;
    double value;
  } parts[] = {{"mean", figure->mean},
               {"half_width_95", figure->half_width},
               {"deviation", figure->deviation},
               {"least", figure->least},
               {"largest", figure->largest}};
  ls_bytes_printf(out, ", \"%s\": {", name);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    ls_bytes_printf(out, "%s\"%s\": ", i > 0 ? ", " : "", parts[i].name);
    ls_json_write_number(out, parts[i].value);
  }
  ls_bytes_append_char(out, '}');
}

void ls_policy_grid_write_prices(const struct ls_policy_grid *grid,
                                 const struct ls_policy_case *item, struct ls_bytes *out) {
  ls_bytes_append_text(out, ", \"prices\": [");
  for (size_t i = 0; i < grid->platforms[item->platform].workers_count; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_number(out, item->prices[i]);
  }
  ls_bytes_append_char(out, ']');
}

void ls_policy_grid_write_json(const struct ls_policy_grid *grid,
                               const struct ls_policy_case *cases, struct ls_bytes *out) {
  ls_bytes_printf(out, "{ \"load\": %llu, \"seed\": %llu, \"seeds\": %zu, \"cases\": [",
                  (unsigned long long)grid->units, (unsigned long long)grid->seed, grid->seeds);
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    const struct ls_policy_case *item = &cases[i];
    ls_bytes_append_text(out, i == 0 ? "\n  {\"policy\": " : ",\n  {\"policy\": ");
    ls_json_write_string(out, grid->policies.items[item->policy]);
    ls_bytes_append_text(out, ", \"order\": ");
    ls_json_write_string(out, name_order(grid, item->order));
    ls_bytes_append_text(out, ", \"platform\": ");
    ls_json_write_string(out, grid->platform_names.items[item->platform]);
    write_figure("makespan", &item->makespan_s, out);
    write_figure("efficiency", &item->efficiency, out);
    write_figure("to_bound", &item->to_bound, out);
    write_figure("chunks", &item->chunks, out);
    write_figure("price", &item->price, out);
    if (grid->prices != NULL) ls_policy_grid_write_prices(grid, item, out);
    ls_bytes_append_text(out, ", \"regret\": ");
    ls_json_write_number(out, find_regret(grid, cases, i));
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "] }\n");
}

enum ls_status ls_policy_grid_draw(const struct ls_policy_grid *grid,
                                   const struct ls_policy_case *cases, struct ls_bytes *out,
                                   struct ls_error *err) {
  size_t count = ls_policy_grid_cases(grid);
  double *values = calloc(3 * count + 1, 2 * sizeof *values);
  struct ls_plot_series *series = calloc(count + 1, sizeof *series);
  if (values == NULL || series == NULL) {
    free(values);
    free(series);
    return ls_fail(err, LS_ENOMEM, "no memory for a drawing of %zu cases", count);
  }
  for (size_t i = 0; i < count; i++) {
    double *x = values + 6 * i, *y = x + 3;
    const struct ls_policy_figure *figure = &cases[i].to_bound;
    for (size_t k = 0; k < 3; k++) {
      x[k] = (double)(i + 1);
      y[k] = figure->mean + ((double)k - 1) * figure->half_width;
    }
    series[i] = (struct ls_plot_series){.name = grid->policies.items[cases[i].policy],
                                        .x = x,
                                        .y = y,
                                        .count = 3,
                                        .has_points = true,
                                        .has_line = true};
  }
  struct ls_plot plot = {.title = "Makespan over the lower bound: mean and its 95 % interval",
                         .x = {.label = "case, as in the table"},
                         .y = {.label = "makespan / bound"},
                         .series = series,
                         .series_count = count};
  ls_plot_write(&plot, out);
  free(values);
  free(series);
  return LS_OK;
}
