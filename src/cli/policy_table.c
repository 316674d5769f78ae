#include "cli/policy_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/policy_ties.h"
#include "base/statistics.h"
#include "model/metrics.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

/* Of each case in a drawing. */
enum { POINTS = 3, NAME_BYTES = 32 };

static const char *const TIED = "tied: not told from the best by the differences over common seeds";

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

static const char *name_policy(const struct ls_policy_grid *grid,
                               const struct ls_policy_case *item) {
  return grid->policies.items[item->policy];
}

/* "gss", "gss, lptf", "gss on large.json": by what cases differ in. */
static void name_case(const struct ls_policy_grid *grid, const struct ls_policy_case *item,
                      struct ls_bytes *out) {
  ls_bytes_append_text(out, name_policy(grid, item));
  if (grid->orders.count > 1) ls_bytes_printf(out, ", %s", name_order(grid, item->order));
  if (grid->platform_names.count > 1)
    ls_bytes_printf(out, " on %s", grid->platform_names.items[item->platform]);
}

/* Of one case there is nothing to say. */
static bool shows_ties(const struct ls_policy_grid *grid) {
  return grid->makespans != NULL && ls_policy_grid_cases(grid) > grid->platform_names.count;
}

static const char *mark_tie(const struct ls_policy_tie *tie) {
  return tie->is_best ? "best" : tie->is_tied ? "tied" : "";
}

/* Of the makespans over the seeds, from a twentieth to nineteen. */
enum { QUANTILES = 3 };
static const double quantile_shares[QUANTILES] = {0.05, 0.5, 0.95};

static int compare_numbers(const void *left, const void *right) {
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* NANs where there is no memory to sort them. */
static void find_quantiles(const struct ls_policy_grid *grid, const struct ls_policy_case *item,
                           double quantiles[QUANTILES]) {
  const double *own = grid->makespans + ls_policy_grid_place(grid, item) * grid->seeds;
  double *sorted = calloc(grid->seeds, sizeof *sorted);
  if (sorted != NULL) memcpy(sorted, own, grid->seeds * sizeof *sorted);
  if (sorted != NULL) qsort(sorted, grid->seeds, sizeof *sorted, compare_numbers);
  for (size_t i = 0; i < QUANTILES; i++)
    quantiles[i] =
        sorted != NULL ? ls_quantile_sorted(sorted, grid->seeds, quantile_shares[i]) : (double)NAN;
  free(sorted);
}

/* Plans are made for certain times: beside them stands what the others make of a plan. */
static bool shows_spread(const struct ls_policy_grid *grid) {
  return grid->makespans != NULL && grid->seeds > 1 && (grid->plans != NULL || grid->error > 0);
}

static void write_spread(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                         size_t index, struct ls_bytes *out) {
  double quantiles[QUANTILES];
  struct ls_policy_tie tie = ls_policy_tie_find(grid, cases, index);
  find_quantiles(grid, &cases[index], quantiles);
  for (size_t k = 0; k < QUANTILES; k++) ls_bytes_printf(out, " %10.5g", quantiles[k]);
  ls_bytes_printf(out, " %10.4g %10.3g", tie.behind_s.mean, tie.behind_s.half_width);
}

static const struct ls_chunking *find_policy(const struct ls_policy_grid *grid,
                                             const struct ls_policy_case *item) {
  const char *words = name_policy(grid, item);
  if (ls_policy_grid_plan(grid, item->policy) != NULL) return NULL;
  char name[NAME_BYTES] = "";
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(words, ":,"), words);
  return ls_chunking_find(name);
}

static bool weighs(const struct ls_policy_grid *grid, const struct ls_policy_case *item) {
  const struct ls_chunking *chunking = find_policy(grid, item);
  return chunking != NULL && (chunking->facts & LS_CHUNKING_WEIGHTS) != 0;
}

/* Do speeds differ that would make another policy of the one that weighs, which does not know them?
 */
static bool lacks_speeds(const struct ls_policy_grid *grid, const struct ls_policy_case *one,
                         const struct ls_policy_case *other) {
  const struct ls_platform *platform = &grid->platforms[one->platform];
  double first_s = platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s;
  bool is_told = grid->knows_facts || ls_json_member(&grid->arguments, "weights").value != NULL;
  bool differ = false;
  for (size_t i = 1; i < platform->workers_count; i++) {
    double seconds = platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
    differ |= seconds < first_s || seconds > first_s;
  }
  return !is_told && differ && weighs(grid, one) != weighs(grid, other);
}

static void write_same(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                       size_t index, size_t other, struct ls_bytes *out) {
  name_case(grid, &cases[index], out);
  ls_bytes_append_text(out, ": as long as ");
  name_case(grid, &cases[other], out);
  ls_bytes_printf(out, "%s, in as many chunks", grid->seeds > 1 ? " with every seed" : "");
  if (lacks_speeds(grid, &cases[index], &cases[other]))
    ls_bytes_printf(out, "; %s does not know the speeds here (--known tells them)",
                    name_policy(grid, &cases[weighs(grid, &cases[index]) ? index : other]));
  ls_bytes_append_char(out, '\n');
}

/* What the rows cannot say. */
static void write_notes(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                        struct ls_bytes *out) {
  bool has_tie = false;
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    if (cases[i].chosen.chunking != NULL) {
      name_case(grid, &cases[i], out);
      ls_bytes_append_text(out, ": ");
      ls_candidate_describe(&cases[i].chosen, out);
      ls_bytes_append_text(out, ", chosen in simulations with other seeds\n");
    }
    if (grid->makespans == NULL) continue;
    struct ls_policy_tie tie = ls_policy_tie_find(grid, cases, i);
    has_tie |= tie.is_tied;
    if (tie.same_as != SIZE_MAX) write_same(grid, cases, i, tie.same_as, out);
  }
  if (has_tie && grid->seeds > 1)
    ls_bytes_printf(out,
                    "tied: not told from the best by the differences over the %zu common seeds "
                    "(95 %%)\n",
                    grid->seeds);
}

void ls_policy_table_write(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                           struct ls_bytes *out) {
  bool has_orders = grid->orders.count > 1, has_platforms = grid->platform_names.count > 1;
  int policy = find_width(&grid->policies, "policy"),
      order = has_orders ? find_width(&grid->orders, "order") : 0;
  int platform = find_width(&grid->platform_names, "platform");
  bool is_priced = has_prices(grid), has_ties = shows_ties(grid);
  if (has_platforms) ls_bytes_printf(out, "%-*s  ", platform, "platform");
  if (has_orders) ls_bytes_printf(out, "%-*s  ", order, "order");
  ls_bytes_printf(out, "%-*s %12s %10s %10s %8s %8s %10s%s", policy, "policy", "makespan s",
                  "+- 95 %", "efficiency", "/ bound", "regret", "chunks",
                  is_priced ? "      price" : "");
  if (shows_spread(grid))
    ls_bytes_printf(out, " %10s %10s %10s %10s %10s", "5 %", "50 %", "95 %", "later s", "+- 95 %");
  ls_bytes_append_char(out, '\n');
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    const struct ls_policy_case *item = &cases[i];
    if (has_platforms)
      ls_bytes_printf(out, "%-*s  ", platform, grid->platform_names.items[item->platform]);
    if (has_orders) ls_bytes_printf(out, "%-*s  ", order, name_order(grid, item->order));
    ls_bytes_printf(out, "%-*s %12.6g %10.3g %10.4f %8.4f %8.4f %10.5g", policy,
                    name_policy(grid, item), item->makespan_s.mean, item->makespan_s.half_width,
                    item->efficiency.mean, item->to_bound.mean,
                    ls_policy_grid_regret(grid, cases, i), item->chunks.mean);
    if (is_priced) ls_bytes_printf(out, " %10.5g", item->price.mean);
    if (shows_spread(grid)) write_spread(grid, cases, i, out);
    if (has_ties) {
      struct ls_policy_tie tie = ls_policy_tie_find(grid, cases, i);
      const char *mark = mark_tie(&tie);
      ls_bytes_printf(out, "%s%s", mark[0] != '\0' ? "  " : "", mark);
    }
    ls_bytes_append_char(out, '\n');
  }
  write_notes(grid, cases, out);
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

static void write_quantiles_json(const struct ls_policy_grid *grid,
                                 const struct ls_policy_case *item, struct ls_bytes *out) {
  double quantiles[QUANTILES];
  find_quantiles(grid, item, quantiles);
  ls_bytes_append_text(out, ", \"quantiles\": {");
  for (size_t k = 0; k < QUANTILES; k++) {
    ls_bytes_printf(out, "%s\"%g\": ", k > 0 ? ", " : "", quantile_shares[k]);
    ls_json_write_number(out, quantiles[k]);
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

/* "behind_best", "best", "tied" and "same_as" (the place of a case among all, from 0), and "chosen"
 * where the policy is "auto". */
static void write_tie_json(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                           size_t index, struct ls_bytes *out) {
  if (cases[index].chosen.chunking != NULL) {
    struct ls_bytes words = {0};
    ls_candidate_describe(&cases[index].chosen, &words);
    ls_bytes_append_text(out, ", \"chosen\": ");
    ls_json_write_string(out, ls_bytes_text(&words));
    ls_bytes_close(&words);
  }
  if (grid->makespans == NULL) return;
  struct ls_policy_tie tie = ls_policy_tie_find(grid, cases, index);
  write_figure("behind_best", &tie.behind_s, out);
  ls_bytes_printf(out,
                  ", \"best\": %s, \"tied\": %s, \"same_as\": ", tie.is_best ? "true" : "false",
                  tie.is_tied ? "true" : "false");
  if (tie.same_as == SIZE_MAX)
    ls_bytes_append_text(out, "null");
  else
    ls_bytes_printf(out, "%zu", tie.same_as);
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
    if (shows_spread(grid)) write_quantiles_json(grid, item, out);
    write_figure("efficiency", &item->efficiency, out);
    write_figure("to_bound", &item->to_bound, out);
    write_figure("chunks", &item->chunks, out);
    write_figure("price", &item->price, out);
    if (grid->prices != NULL) ls_policy_table_write_prices(grid, item, out);
    ls_bytes_append_text(out, ", \"regret\": ");
    ls_json_write_number(out, ls_policy_grid_regret(grid, cases, i));
    write_tie_json(grid, cases, i, out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "] }\n");
}

/* The mean of a case and the ends of its interval. */
static void place_points(const struct ls_policy_figure *figure, size_t index, double *x,
                         double *y) {
  for (size_t k = 0; k < POINTS; k++) {
    x[k] = (double)(index + 1);
    y[k] = figure->mean + ((double)k - 1) * figure->half_width;
  }
}

enum ls_status ls_policy_table_draw(const struct ls_policy_grid *grid,
                                    const struct ls_policy_case *cases, struct ls_bytes *out,
                                    struct ls_error *err) {
  size_t count = ls_policy_grid_cases(grid);
  double *values = calloc(POINTS * count + 1, 2 * sizeof *values);
  struct ls_plot_series *series = calloc(count + 1, sizeof *series);
  struct ls_bytes *names = calloc(count + 1, sizeof *names);
  const char **labels = calloc(count + 1, sizeof(const char *));
  bool has_tie = false;
  enum ls_status status = LS_OK;
  if (values == NULL || series == NULL || names == NULL || labels == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for a drawing of %zu cases", count);
    goto done;
  }
  for (size_t i = 0; i < count; i++) {
    double *x = values + 2 * POINTS * i, *y = x + POINTS;
    place_points(&cases[i].to_bound, i, x, y);
    name_case(grid, &cases[i], &names[i]);
    if (shows_ties(grid)) {
      struct ls_policy_tie tie = ls_policy_tie_find(grid, cases, i);
      has_tie |= tie.is_tied;
      if (tie.is_best || tie.is_tied) ls_bytes_printf(&names[i], " (%s)", mark_tie(&tie));
    }
    labels[i] = ls_bytes_text(&names[i]);
    series[i] = (struct ls_plot_series){
        .name = "", .x = x, .y = y, .count = POINTS, .has_points = true, .has_line = true};
  }
  struct ls_plot plot = {.title = "Makespan over the lower bound: mean and its 95 % interval",
                         .subtitle = has_tie && grid->seeds > 1 ? TIED : NULL,
                         .x = {.label = "", .names = labels, .names_count = count},
                         .y = {.label = "makespan / bound"},
                         .series = series,
                         .series_count = count};
  ls_plot_write(&plot, out);
done:
  for (size_t i = 0; names != NULL && i < count; i++) ls_bytes_close(&names[i]);
  free(values);
  free(series);
  free(names);
  free(labels);
  return status;
}
