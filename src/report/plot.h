/* plot.h: lines and points over two axes, as a drawing (SVG).
 *
 * A plot borrows everything it shows.  Axes are linear or logarithmic and reach as far as the
 * values do; values that are not finite, or not > 0 on a logarithmic axis, are left out and break
 * their line.  No line hides another unsaid: lines differ by dashes, marks are hollow, and the
 * legend names the line that another one covers.
 */
#ifndef LS_REPORT_PLOT_H
#define LS_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct ls_plot_series {
  const char *name; /* in the legend; "" for none */
  const double *x, *y;
  size_t count;
  bool has_points; /* a mark at each value */
  bool has_line;   /* a line through them, in their order */
};

struct ls_plot_axis {
  const char *label; /* with its unit */
  bool is_log;
  /* A linear axis includes 0, wherever the values are; a logarithmic one has a place for the value
   * 0, before the least other one. */
  bool has_zero;
  /* The x axis only: these stand at 1, 2, ..., instead of numbers. NULL: numbers. */
  const char *const *names;
  size_t names_count;
};

struct ls_plot {
  const char *title;
  const char *subtitle; /* what holds for all of it; NULL: none */
  struct ls_plot_axis x, y;
  const struct ls_plot_series *series;
  size_t series_count;
};

/* Appends the drawing to `out`. */
void ls_plot_write(const struct ls_plot *plot, struct ls_bytes *out);
/* Appends one drawing of several, one below the other. */
void ls_plot_write_panels(const struct ls_plot *plots, size_t count, struct ls_bytes *out);

#endif
