#include "cli/grid_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/plot.h"

/* ---- the curve ---- */

void ls_grid_curve_close(struct ls_grid_curve *curve) {
  free(curve->values);
  free(curve->ratios);
  *curve = (struct ls_grid_curve){0};
}

static bool varies(const struct ls_platform_grid *grid, size_t axis) {
  return grid->axes[axis].count > 1 || (axis == LS_GRID_RATE && grid->has_rates_of_workers);
}

/* Is the axis worth a word: has it several values, or one that costs something? */
static bool is_told(const struct ls_platform_grid *grid, size_t axis) {
  if (axis <= LS_GRID_RATE || varies(grid, axis)) return true;
  return axis != LS_GRID_SEED && grid->axes[axis].items[0] > (axis == LS_GRID_HETEROGENEITY);
}

enum ls_status ls_grid_axis_read(const char *name, enum ls_grid_axis *axis, struct ls_error *err) {
  struct ls_bytes known = {0};
  for (size_t i = 0; i < LS_GRID_AXES; i++) {
    *axis = (enum ls_grid_axis)i;
    if (strcmp(ls_grid_axis_names[i], name) == 0) {
      ls_bytes_close(&known);
      return LS_OK;
    }
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "", ls_grid_axis_names[i]);
  }
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "--by is '%.40s', expected one of: %s", name, ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

enum ls_grid_axis ls_grid_axis_choose(const struct ls_platform_grid *grid) {
  for (size_t i = 0; i < LS_GRID_AXES; i++)
    if (varies(grid, i)) return (enum ls_grid_axis)i;
  return LS_GRID_WORKERS;
}

/* Where the value stands, or would. */
static size_t find_value(const struct ls_grid_curve *curve, double value) {
  size_t first = 0, behind = curve->count;
  while (first < behind) {
    size_t middle = first + (behind - first) / 2;
    if (curve->values[middle] < value)
      first = middle + 1;
    else
      behind = middle;
  }
  return first;
}

static enum ls_status make_room(struct ls_grid_curve *curve, struct ls_error *err) {
  if (curve->count < curve->capacity) return LS_OK;
  size_t capacity = 2 * curve->capacity + 16;
  double *values = realloc(curve->values, capacity * sizeof *values);
  if (values != NULL) curve->values = values;
  struct ls_ratios *ratios =
      reallocarray(curve->ratios, capacity, curve->algorithms * sizeof *ratios);
  if (ratios != NULL) curve->ratios = ratios;
  if (values == NULL || ratios == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu values of a grid", capacity);
  curve->capacity = capacity;
  return LS_OK;
}

/* The ratios of this value. */
static enum ls_status find_ratios(struct ls_grid_curve *curve, double value,
                                  struct ls_ratios **ratios, struct ls_error *err) {
  size_t at = find_value(curve, value), step = curve->algorithms;
  if (at == curve->count || curve->values[at] > value) {
    enum ls_status status = make_room(curve, err);
    if (status != LS_OK) return status;
    size_t behind = curve->count - at;
    memmove(curve->values + at + 1, curve->values + at, behind * sizeof *curve->values);
    memmove(curve->ratios + (at + 1) * step, curve->ratios + at * step,
            behind * step * sizeof *curve->ratios);
    curve->values[at] = value;
    memset(curve->ratios + at * step, 0, step * sizeof *curve->ratios);
    curve->count++;
  }
  *ratios = curve->ratios + at * step;
  return LS_OK;
}

enum ls_status ls_grid_curve_add(struct ls_grid_curve *curve, const struct ls_grid_point *points,
                                 const struct ls_makespans *makespans, struct ls_error *err) {
  for (size_t k = 0; k < makespans->count; k++) {
    struct ls_ratios *ratios = NULL;
    enum ls_status status = find_ratios(curve, points[k].values[curve->axis], &ratios, err);
    if (status != LS_OK) return status;
    double best_s = ls_makespans_best(makespans, curve->algorithms, k);
    for (size_t i = 0; i < curve->algorithms; i++)
      ls_ratios_add(&ratios[i], makespans->at[i * makespans->stride + k], best_s);
  }
  return LS_OK;
}

/* In percent. */
static double degradation_of(const struct ls_ratios *to_best) {
  return 100 * (ls_ratios_mean(to_best) - 1);
}

static const struct ls_ratios *ratios_at(const struct ls_grid_curve *curve, size_t value,
                                         size_t algorithm) {
  return &curve->ratios[value * curve->algorithms + algorithm];
}

/* ---- text ---- */

static void write_axis(const struct ls_platform_grid *grid, size_t axis, struct ls_bytes *out) {
  const struct ls_grid_values *values = &grid->axes[axis];
  const struct ls_grid_range *rates = &grid->rates_of_workers;
  if (axis == LS_GRID_RATE && grid->has_rates_of_workers) {
    ls_bytes_printf(out, "rate %g to %g times the workers", rates->first, rates->last);
    return;
  }
  double least = values->items[0], largest = least;
  for (size_t i = 1; i < values->count; i++) {
    least = fmin(least, values->items[i]);
    largest = fmax(largest, values->items[i]);
  }
  ls_bytes_printf(out, "%s %g", ls_grid_axis_names[axis], least);
  if (largest > least) ls_bytes_printf(out, " to %g", largest);
}

static void write_grid(const struct ls_grid_table *table, struct ls_bytes *out) {
  ls_bytes_printf(out, "%llu platform%s: ", (unsigned long long)table->standings->platforms,
                  table->standings->platforms == 1 ? "" : "s");
  for (size_t i = 0; i < LS_GRID_AXES; i++) {
    if (!is_told(table->grid, i)) continue;
    if (i > 0) ls_bytes_append_text(out, ", ");
    write_axis(table->grid, i, out);
  }
  ls_bytes_append_text(out, "\n\n");
}

/* A number of a column of this width, or "-". */
static void write_cell(double value, int width, int digits, struct ls_bytes *out) {
  if (isfinite(value))
    ls_bytes_printf(out, " %*.*f", width, digits, value);
  else
    ls_bytes_printf(out, " %*s", width, "-");
}

static size_t find_width(const struct ls_grid_table *table) {
  size_t width = strlen("algorithm");
  for (size_t i = 0; i < table->standings->count; i++)
    if (strlen(table->names[i]) > width) width = strlen(table->names[i]);
  return width;
}

static void write_standing(const struct ls_grid_table *table, size_t index, size_t width,
                           struct ls_bytes *out) {
  const struct ls_standings *standings = table->standings;
  const struct ls_standing *standing = &standings->items[index];
  ls_bytes_printf(out, "%2zu  %-*s", index + 1, (int)width, table->names[index]);
  write_cell(ls_standings_rank(standings, index), 7, 3, out);
  write_cell(degradation_of(&standing->to_best), 13, 3, out);
  write_cell(ls_ratios_mean(&standing->to_first), 8, 3, out);
  write_cell(ls_standings_best(standings, index), 7, 2, out);
  for (size_t j = 0; j < standings->count; j++)
    write_cell(j == index ? (double)NAN : ls_standings_wins(standings, index, j), 6, 2, out);
  ls_bytes_append_char(out, '\n');
}

/* Algorithms that do not apply everywhere. */
static void write_applied(const struct ls_grid_table *table, struct ls_bytes *out) {
  for (size_t i = 0; i < table->standings->count; i++) {
    uint64_t applied = table->standings->items[i].applied;
    if (applied == table->standings->platforms) continue;
    ls_bytes_printf(out,
                    "%s applies to %llu platform%s; on the others it ranks after all that "
                    "apply, and means leave it out.\n",
                    table->names[i], (unsigned long long)applied, applied == 1 ? "" : "s");
  }
}

static void write_curve(const struct ls_grid_table *table, size_t width, struct ls_bytes *out) {
  const struct ls_grid_curve *curve = table->curve;
  ls_bytes_printf(out, "\nmean degradation in %%, by %s\n%*s", ls_grid_axis_names[curve->axis],
                  (int)width, "");
  for (size_t i = 0; i < curve->algorithms; i++) ls_bytes_printf(out, " %8zu", i + 1);
  ls_bytes_append_char(out, '\n');
  for (size_t k = 0; k < curve->count; k++) {
    ls_bytes_printf(out, "%*g", (int)width, curve->values[k]);
    for (size_t i = 0; i < curve->algorithms; i++)
      write_cell(degradation_of(ratios_at(curve, k, i)), 8, 3, out);
    ls_bytes_append_char(out, '\n');
  }
}

void ls_grid_table_write(const struct ls_grid_table *table, struct ls_bytes *out) {
  size_t width = find_width(table);
  const struct ls_standings *standings = table->standings;
  write_grid(table, out);
  ls_bytes_printf(out, "    %-*s %7s %13s %8s %7s  beats, in %% of the platforms\n", (int)width,
                  "algorithm", "rank", "degradation %", "to first", "best %");
  ls_bytes_printf(out, "    %*s", (int)width + 39, "");
  for (size_t j = 0; j < standings->count; j++) ls_bytes_printf(out, " %6zu", j + 1);
  ls_bytes_append_char(out, '\n');
  for (size_t i = 0; i < standings->count; i++) write_standing(table, i, width, out);
  write_applied(table, out);
  ls_bytes_printf(out, "Ties (1e-9) count %s.\n",
                  standings->ties_for_first ? "for the first algorithm, half each between others"
                                            : "half each");
  if (table->wants_curve) write_curve(table, width, out);
}

/* ---- JSON ---- */

static void write_algorithm_json(const struct ls_grid_table *table, size_t index,
                                 struct ls_bytes *out) {
  const struct ls_standings *standings = table->standings;
  const struct ls_standing *standing = &standings->items[index];
  ls_bytes_append_text(out, "{\"algorithm\": ");
  ls_json_write_string(out, table->names[index]);
  ls_bytes_printf(out, ", \"applies\": %llu", (unsigned long long)standing->applied);
  ls_json_write_field(out, ", ", "rank", ls_standings_rank(standings, index));
  ls_json_write_field(out, ", ", "degradation", ls_ratios_mean(&standing->to_best) - 1);
  ls_json_write_field(out, ", ", "to_first", ls_ratios_mean(&standing->to_first));
  ls_json_write_field(out, ", ", "best", ls_standings_best(standings, index) / 100);
  ls_json_write_field(out, ", ", "behind", ls_ratios_mean(&standing->behind));
  ls_bytes_append_text(out, ", \"beats\": [");
  for (size_t j = 0; j < standings->count; j++) {
    if (j > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_number(out,
                         j == index ? (double)NAN : ls_standings_wins(standings, index, j) / 100);
  }
  ls_bytes_append_text(out, "]}");
}

void ls_grid_table_write_json(const struct ls_grid_table *table, struct ls_bytes *out) {
  const struct ls_standings *standings = table->standings;
  const struct ls_grid_curve *curve = table->curve;
  ls_bytes_printf(out, "{ \"platforms\": %llu, \"ties\": \"%s\", \"algorithms\": [",
                  (unsigned long long)standings->platforms,
                  standings->ties_for_first ? "first" : "half");
  for (size_t i = 0; i < standings->count; i++) {
    ls_bytes_append_text(out, i > 0 ? ",\n  " : "\n  ");
    write_algorithm_json(table, i, out);
  }
  ls_bytes_printf(out, "],\n  \"by\": \"%s\", \"curve\": [", ls_grid_axis_names[curve->axis]);
  for (size_t k = 0; k < curve->count; k++) {
    ls_json_write_field(out, k > 0 ? ",\n  {" : "\n  {", "value", curve->values[k]);
    ls_bytes_append_text(out, ", \"degradation\": [");
    for (size_t i = 0; i < curve->algorithms; i++) {
      if (i > 0) ls_bytes_append_text(out, ", ");
      ls_json_write_number(out, ls_ratios_mean(ratios_at(curve, k, i)) - 1);
    }
    ls_bytes_append_text(out, "]}");
  }
  ls_bytes_append_text(out, "] }\n");
}

/* ---- the drawing ---- */

enum ls_status ls_grid_table_draw(const struct ls_grid_table *table, struct ls_bytes *out,
                                  struct ls_error *err) {
  const struct ls_grid_curve *curve = table->curve;
  struct ls_plot_series *series = calloc(curve->algorithms, sizeof *series);
  double *y = calloc(curve->algorithms * curve->count, sizeof *y);
  struct ls_bytes subtitle = {0};
  enum ls_status status = LS_OK;
  if (series == NULL || y == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for a drawing");
    goto done;
  }
  for (size_t i = 0; i < curve->algorithms; i++) {
    for (size_t k = 0; k < curve->count; k++)
      y[i * curve->count + k] = degradation_of(ratios_at(curve, k, i));
    series[i] = (struct ls_plot_series){.name = table->names[i],
                                        .x = curve->values,
                                        .y = y + i * curve->count,
                                        .count = curve->count,
                                        .has_points = curve->count <= 60,
                                        .has_line = true};
  }
  ls_bytes_printf(&subtitle, "means over %llu platforms",
                  (unsigned long long)table->standings->platforms);
  struct ls_plot plot = {.title = "Makespan above the best of the algorithms",
                         .subtitle = ls_bytes_text(&subtitle),
                         .x = {.label = ls_grid_axis_labels[curve->axis]},
                         .y = {.label = "mean degradation from the best, %", .has_zero = true},
                         .series = series,
                         .series_count = curve->algorithms};
  ls_plot_write(&plot, out);
  if (subtitle.failed) status = ls_fail(err, LS_ENOMEM, "no memory for a drawing");
done:
  ls_bytes_close(&subtitle);
  free(series);
  free(y);
  return status;
}

/* ---- CSV, one row per platform and algorithm ---- */

void ls_grid_table_write_csv_head(struct ls_bytes *out) {
  ls_bytes_append_text(out, "platform");
  for (size_t i = 0; i < LS_GRID_AXES; i++) ls_bytes_printf(out, ",%s", ls_grid_axis_names[i]);
  ls_bytes_append_text(out, ",algorithm,makespan,degradation,rank\n");
}

/* In quotes, for names have commas ("umr:3,selection=none"). */
static void write_name(const char *name, struct ls_bytes *out) {
  ls_bytes_append_char(out, '"');
  for (; *name != '\0'; name++) {
    if (*name == '"') ls_bytes_append_char(out, '"');
    ls_bytes_append_char(out, *name);
  }
  ls_bytes_append_char(out, '"');
}

void ls_grid_table_write_csv(const struct ls_grid_table *table, size_t number,
                             const struct ls_grid_point *point,
                             const struct ls_makespans *makespans, struct ls_bytes *out) {
  double best_s = ls_makespans_best(makespans, table->standings->count, 0);
  for (size_t i = 0; i < table->standings->count; i++) {
    double makespan_s = makespans->at[i * makespans->stride];
    ls_bytes_printf(out, "%zu", number);
    for (size_t axis = 0; axis < LS_GRID_AXES; axis++)
      ls_bytes_printf(out, ",%.17g", point->values[axis]);
    ls_bytes_append_char(out, ',');
    write_name(table->names[i], out);
    if (isfinite(makespan_s))
      ls_bytes_printf(out, ",%.17g,%.17g", makespan_s, makespan_s / best_s - 1);
    else
      ls_bytes_append_text(out, ",,");
    ls_bytes_printf(out, ",%g\n", ls_standings_rank_on(table->standings, makespans, i));
  }
}

void ls_grid_point_describe(const struct ls_platform_grid *grid, const struct ls_grid_point *point,
                            struct ls_bytes *out) {
  const char *before = "";
  for (size_t i = 0; i < LS_GRID_AXES; i++) {
    if (!is_told(grid, i)) continue;
    ls_bytes_printf(out, "%s%s %.10g", before, ls_grid_axis_names[i], point->values[i]);
    before = ", ";
  }
}
