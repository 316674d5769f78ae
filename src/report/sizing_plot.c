/* sizing_plot.c: the workers of each iteration, as a drawing. */
#include <stdlib.h>

#include "model/sizing_course.h"
#include "report/plot.h"
#include "report/report.h"

enum { WANTED, GRANTED, PRESENT, SERIES };

void ls_report_sizing_plot(const struct ls_sizing_course *course, const char *title,
                           struct ls_bytes *out) {
  double *values = calloc((SERIES + 1) * (course->count + 1), sizeof *values);
  if (values == NULL) {
    out->failed = true;
    return;
  }
  const double *x = values;
  static const char *const names[SERIES] = {"wanted", "granted", "at work, mean"};
  struct ls_plot_series series[SERIES];
  for (size_t k = 0; k < SERIES; k++)
    series[k] = (struct ls_plot_series){.name = names[k],
                                        .x = x,
                                        .y = values + (k + 1) * course->count,
                                        .count = course->count,
                                        .has_line = true};
  for (size_t i = 0; i < course->count; i++) {
    const struct ls_sizing_row *row = &course->rows[i];
    values[i] = row->iteration + 1;
    values[(WANTED + 1) * course->count + i] = (double)row->wanted;
    values[(GRANTED + 1) * course->count + i] = (double)row->granted;
    values[(PRESENT + 1) * course->count + i] = row->present;
  }
  const struct ls_plot plot = {.title = title,
                               .subtitle =
                                   "wanted: by the sizing, where the iteration begins; "
                                   "granted: when it ends",
                               .x = {.label = "iteration"},
                               .y = {.label = "workers", .has_zero = true},
                               .series = series,
                               .series_count = SERIES};
  ls_plot_write(&plot, out);
  free(values);
}
