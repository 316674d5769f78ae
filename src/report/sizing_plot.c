/* sizing_plot.c: what became of each iteration, as a drawing of three panels: its workers, their
 * efficiency, its time, as Figure 4-12 of the thesis on adaptive scheduling has them. */
#include <stdlib.h>

#include "model/sizing_course.h"
#include "report/plot.h"
#include "report/report.h"

/* Columns of values; the first is the x of all. */
enum { ITERATION, WANTED, GRANTED, PRESENT, EFFICIENCY, SECONDS, COLUMNS };

static void fill_row(const struct ls_sizing_row *row, double *values, size_t stride) {
  values[ITERATION * stride] = row->iteration + 1;
  values[WANTED * stride] = (double)row->wanted;
  values[GRANTED * stride] = (double)row->granted;
  values[PRESENT * stride] = row->present;
  values[EFFICIENCY * stride] = 100 * row->efficiency;
  values[SECONDS * stride] = row->seconds;
}

void ls_report_sizing_plot(const struct ls_sizing_course *course, const char *title,
                           struct ls_bytes *out) {
  double *values = calloc(COLUMNS * (course->count + 1), sizeof *values);
  if (values == NULL) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < course->count; i++) fill_row(&course->rows[i], values + i, course->count);
  static const char *const names[COLUMNS] = {"",           "wanted", "granted", "at work, mean",
                                             "efficiency", "time"};
  struct ls_plot_series series[COLUMNS];
  for (size_t k = 0; k < COLUMNS; k++)
    series[k] = (struct ls_plot_series){.name = names[k],
                                        .x = values,
                                        .y = values + k * course->count,
                                        .count = course->count,
                                        .has_line = true};
  const struct ls_plot_axis x = {.label = "iteration"};
  const struct ls_plot panels[] = {
      {.title = title,
       .subtitle = "wanted: by the sizing, where the iteration begins; granted: when it ends",
       .x = x,
       .y = {.label = "workers", .has_zero = true},
       .series = &series[WANTED],
       .series_count = 3},
      {.title = "Efficiency",
       .subtitle = "work whose results count, of the time of the workers at work",
       .x = x,
       .y = {.label = "percent", .has_zero = true},
       .series = &series[EFFICIENCY],
       .series_count = 1},
      {.title = "Time",
       .x = x,
       .y = {.label = "seconds", .has_zero = true},
       .series = &series[SECONDS],
       .series_count = 1}};
  ls_plot_write_panels(panels, sizeof panels / sizeof *panels, out);
  free(values);
}
