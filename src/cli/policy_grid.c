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

size_t ls_policy_grid_cases(const struct ls_policy_grid *grid) {
  return grid->policies.count * grid->orders.count * grid->platform_names.count;
}

static size_t count_workers(const struct ls_policy_grid *grid) {
  size_t most = 0;
  for (size_t i = 0; i < grid->platform_names.count; i++)
    if (grid->platforms[i].workers_count > most) most = grid->platforms[i].workers_count;
  return most;
}

enum ls_status ls_policy_grid_want_prices(struct ls_policy_grid *grid, struct ls_error *err) {
  grid->prices = calloc(ls_policy_grid_cases(grid) * count_workers(grid), sizeof *grid->prices);
  return grid->prices != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for the prices");
}

static size_t measure_outcome(const struct ls_policy_grid *grid) {
  size_t workers = grid->prices != NULL ? count_workers(grid) : 0;
  return sizeof(struct outcome) + workers * sizeof(double);
}

static struct ls_policy_case place_case(const struct ls_policy_grid *grid, size_t index) {
  size_t policies = grid->policies.count, orders = grid->orders.count;
  return (struct ls_policy_case){.policy = index % policies,
                                 .order = index / policies % orders,
                                 .platform = index / policies / orders};
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct ls_policy_grid *grid = context;
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

static struct ls_policy_case sum_case(const struct ls_policy_grid *grid, size_t index,
                                      const double *outcomes) {
  struct ls_policy_case item = place_case(grid, index);
  struct ls_moments makespan = {0}, efficiency = {0}, to_bound = {0}, chunks = {0}, price = {0};
  size_t step = measure_outcome(grid) / sizeof *outcomes;
  for (size_t i = 0; i < grid->seeds; i++) {
    struct outcome outcome;
    memcpy(&outcome, outcomes + (index * grid->seeds + i) * step, sizeof outcome);
    ls_moments_add(&makespan, outcome.makespan_s);
    ls_moments_add(&efficiency, outcome.efficiency);
    ls_moments_add(&to_bound, outcome.to_bound);
    ls_moments_add(&chunks, outcome.chunks);
    ls_moments_add(&price, outcome.price);
  }
  item.makespan_s = sum_up(&makespan);
  item.efficiency = sum_up(&efficiency);
  item.to_bound = sum_up(&to_bound);
  item.chunks = sum_up(&chunks);
  item.price = sum_up(&price);
  return item;
}

/* The means over the seeds. */
static void sum_prices(const struct ls_policy_grid *grid, size_t index, const double *outcomes) {
  size_t step = measure_outcome(grid) / sizeof *outcomes, workers = count_workers(grid);
  for (size_t worker = 0; worker < workers; worker++) {
    struct ls_moments price = {0};
    for (size_t i = 0; i < grid->seeds; i++)
      ls_moments_add(&price, outcomes[(index * grid->seeds + i + 1) * step - workers + worker]);
    grid->prices[index * workers + worker] = price.mean;
  }
}

enum ls_status ls_policy_grid_run(const struct ls_policy_grid *grid, struct ls_policy_case *cases,
                                  struct ls_error *err) {
  size_t count = ls_policy_grid_cases(grid);
  double *outcomes = calloc(count * grid->seeds + 1, measure_outcome(grid));
  if (outcomes == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu simulations", count * grid->seeds);
  struct ls_parallel_map map = {.count = count * grid->seeds,
                                .result_bytes = measure_outcome(grid),
                                .processes = grid->processes,
                                .compute = compute,
                                .context = (void *)grid};
  enum ls_status status = ls_parallel_map(&map, outcomes, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    cases[i] = sum_case(grid, i, outcomes);
    if (grid->prices != NULL) sum_prices(grid, i, outcomes);
  }
  free(outcomes);
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
  size_t place =
      (item->platform * grid->orders.count + item->order) * grid->policies.count + item->policy;
  const double *prices = grid->prices + place * count_workers(grid);
  ls_bytes_append_text(out, ", \"prices\": [");
  for (size_t i = 0; i < grid->platforms[item->platform].workers_count; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_number(out, prices[i]);
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
