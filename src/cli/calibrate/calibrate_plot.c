#include "cli/calibrate/calibrate_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/plot.h"

/* A page with more marks than this shows a cloud; laws are lines of so many points a window. */
enum { POINTS_MAX = 2000, LINE_POINTS = 24, SERIES_MAX = 2 * LS_MEASURED_FITTED, HEIGHT = 470 };

/* Points of one operation and, below it in the drawing, their residuals; the law's line. */
struct curve {
  double *units, *seconds, *residuals;
  size_t count;
  double *line_units, *line_seconds;
  size_t line_count;
  char name[32], law_name[32];
};

struct page {
  const struct ls_calibrate_result *result;
  const struct ls_calibrated_group *group;
  struct curve curves[LS_MEASURED_FITTED];
};

static const struct ls_calibrated_window *find_window(const struct page *page, double units,
                                                      unsigned measured) {
  for (size_t w = 0; w < page->group->windows_count; w++) {
    const struct ls_calibrated_window *window = &page->group->windows[w];
    if (units >= window->units_from && units <= window->units_to &&
        window->fits[measured].count > 0)
      return window;
  }
  return NULL;
}

static bool is_shown(const struct page *page, const struct ls_measurement *item,
                     unsigned measured) {
  if (item->measured != measured) return false;
  return measured == LS_OPERATION_PREPARE ||
         page->result->calibration->workers[item->worker].group == 0;
}

/* In percent of what the law says; NAN outside all windows. */
static double find_residual(const struct page *page, const struct ls_measurement *item) {
  const struct ls_calibrated_window *window = find_window(page, item->units, item->measured);
  if (window == NULL) return (double)NAN;
  const struct ls_cost *law = &window->fits[item->measured].raw;
  double expected = law->latency_s + law->per_unit_s * item->units;
  return expected > 0 ? 100 * (item->seconds / expected - 1) : (double)NAN;
}

static void take_points(const struct page *page, unsigned measured, struct curve *curve) {
  const struct ls_measurements *measurements = &page->result->sources->measurements;
  size_t all = 0, seen = 0;
  for (size_t i = 0; i < measurements->count; i++)
    if (is_shown(page, &measurements->items[i], measured)) all++;
  size_t step = 1 + all / POINTS_MAX;
  for (size_t i = 0; i < measurements->count; i++) {
    const struct ls_measurement *item = &measurements->items[i];
    if (!is_shown(page, item, measured) || seen++ % step != 0) continue;
    curve->units[curve->count] = item->units;
    curve->seconds[curve->count] = item->seconds;
    curve->residuals[curve->count++] = find_residual(page, item);
  }
}

/* A gap stands between the lines of two windows. */
static void draw_laws(const struct page *page, unsigned measured, struct curve *curve) {
  for (size_t w = 0; w < page->group->windows_count; w++) {
    const struct ls_calibrated_window *window = &page->group->windows[w];
    const struct ls_affine_fit *fit = &window->fits[measured];
    if (fit->count == 0) continue;
    double ratio = fit->units_most / fit->units_least;
    for (size_t i = 0; i < LINE_POINTS; i++) {
      double units = fit->units_least * pow(ratio, (double)i / (LINE_POINTS - 1));
      curve->line_units[curve->line_count] = units;
      curve->line_seconds[curve->line_count++] = fit->raw.latency_s + fit->raw.per_unit_s * units;
    }
    curve->line_units[curve->line_count] = (double)NAN;
    curve->line_seconds[curve->line_count++] = (double)NAN;
  }
}

static enum ls_status open_curve(const struct page *page, unsigned measured, struct curve *curve,
                                 struct ls_error *err) {
  size_t line = (LINE_POINTS + 1) * page->group->windows_count;
  curve->units = calloc(POINTS_MAX + 1, sizeof *curve->units);
  curve->seconds = calloc(POINTS_MAX + 1, sizeof *curve->seconds);
  curve->residuals = calloc(POINTS_MAX + 1, sizeof *curve->residuals);
  curve->line_units = calloc(line, sizeof *curve->line_units);
  curve->line_seconds = calloc(line, sizeof *curve->line_seconds);
  if (!curve->units || !curve->seconds || !curve->residuals || !curve->line_units ||
      !curve->line_seconds)
    return ls_fail(err, LS_ENOMEM, "no memory to draw %s", ls_measured_name(measured));
  (void)snprintf(curve->name, sizeof curve->name, "%s", ls_measured_name(measured));
  (void)snprintf(curve->law_name, sizeof curve->law_name, "%s, law", ls_measured_name(measured));
  take_points(page, measured, curve);
  draw_laws(page, measured, curve);
  return LS_OK;
}

static void close_page(struct page *page) {
  for (size_t j = 0; j < LS_MEASURED_FITTED; j++) {
    free(page->curves[j].units);
    free(page->curves[j].seconds);
    free(page->curves[j].residuals);
    free(page->curves[j].line_units);
    free(page->curves[j].line_seconds);
  }
}

static void describe_windows(const struct page *page, struct ls_bytes *out) {
  ls_bytes_append_text(out, page->group->windows_count > 1 ? "windows of" : "one law from");
  for (size_t w = 0; w < page->group->windows_count; w++)
    ls_bytes_printf(out, "%s %.6g to %.6g", w > 0 ? "," : "", page->group->windows[w].units_from,
                    page->group->windows[w].units_to);
  ls_bytes_append_text(out, " units");
  if (page->result->calibration->groups_count > 1)
    ls_bytes_printf(out, "; the first of %zu groups of workers",
                    page->result->calibration->groups_count);
}

static void draw_page(const struct page *page, struct ls_bytes *out) {
  struct ls_plot_series above[SERIES_MAX], below[SERIES_MAX];
  size_t above_count = 0, below_count = 0;
  struct ls_bytes subtitle = {0};
  for (size_t j = 0; j < LS_MEASURED_FITTED; j++) {
    const struct curve *curve = &page->curves[j];
    if (curve->count == 0) continue;
    above[above_count++] = (struct ls_plot_series){curve->name,  curve->units, curve->seconds,
                                                   curve->count, true,         false};
    above[above_count++] = (struct ls_plot_series){
        curve->law_name, curve->line_units, curve->line_seconds, curve->line_count, false, true};
    below[below_count++] = (struct ls_plot_series){curve->name,  curve->units, curve->residuals,
                                                   curve->count, true,         false};
  }
  describe_windows(page, &subtitle);
  struct ls_plot laws = {.title = "Measurements and their laws",
                         .subtitle = ls_bytes_text(&subtitle),
                         .x = {.label = "units of a chunk", .is_log = true},
                         .y = {.label = "seconds", .is_log = true},
                         .series = above,
                         .series_count = above_count};
  struct ls_plot residuals = {.title = "What the measurements miss their laws by",
                              .x = {.label = "units of a chunk", .is_log = true},
                              .y = {.label = "% of the law", .has_zero = true},
                              .series = below,
                              .series_count = below_count};
  ls_bytes_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"%d\" "
                  "viewBox=\"0 0 1000 %d\">\n",
                  2 * HEIGHT, 2 * HEIGHT);
  ls_plot_write(&laws, out);
  ls_bytes_printf(out, "<g transform=\"translate(0 %d)\">\n", HEIGHT);
  ls_plot_write(&residuals, out);
  ls_bytes_append_text(out, "</g>\n</svg>\n");
  out->failed = out->failed || subtitle.failed;
  ls_bytes_close(&subtitle);
}

enum ls_status ls_calibrate_draw(const struct ls_calibrate_result *result, struct ls_bytes *out,
                                 struct ls_error *err) {
  struct page page = {.result = result, .group = &result->calibration->groups[0]};
  enum ls_status status = LS_OK;
  for (unsigned j = 0; j < LS_MEASURED_FITTED && status == LS_OK; j++)
    status = open_curve(&page, j, &page.curves[j], err);
  if (status == LS_OK) draw_page(&page, out);
  close_page(&page);
  return status;
}
