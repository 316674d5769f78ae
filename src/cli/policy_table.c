#include "cli/policy_table.h"

#include <stdlib.h>
#include <string.h>

#include "model/metrics.h"
#include "report/plot.h"
#include "runtime/parallel_map.h"

enum ls_status ls_policy_table_map(const struct ls_policy_grid *grid,
                                   const struct ls_grid_work *work, void *results,
                                   struct ls_error *err) {
  struct ls_parallel_map map = {.count = work->count,
                                .result_bytes = work->result_bytes,
                                .processes = grid->processes,
                                .compute = work->compute,
                                .context = work->context};
  return ls_parallel_map(&map, results, err);
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

static bool has_prices(const struct ls_policy_grid *grid) {
  for (size_t i = 0; i < grid->platform_names.count; i++)
    if (ls_platform_has_prices(&grid->platforms[i])) return true;
  return false;
}

void ls_policy_table_write(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                           struct ls_bytes *out) {
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
                    ls_policy_grid_regret(grid, cases, i), item->chunks.mean);
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

void ls_policy_table_write_prices(const struct ls_policy_grid *grid,
                                  const struct ls_policy_case *item, struct ls_bytes *out) {
  ls_bytes_append_text(out, ", \"prices\": [");
  for (size_t i = 0; i < grid->platforms[item->platform].workers_count; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_number(out, item->prices[i]);
  }
  ls_bytes_append_char(out, ']');
}

void ls_policy_table_write_json(const struct ls_policy_grid *grid,
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
    if (grid->prices != NULL) ls_policy_table_write_prices(grid, item, out);
    ls_bytes_append_text(out, ", \"regret\": ");
    ls_json_write_number(out, ls_policy_grid_regret(grid, cases, i));
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "] }\n");
}

enum ls_status ls_policy_table_draw(const struct ls_policy_grid *grid,
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
