/* calibrate_plot.h: measurements, laws, windows and residuals of a group of workers, as SVG. */
#ifndef LS_CLI_CALIBRATE_PLOT_H
#define LS_CLI_CALIBRATE_PLOT_H

#include "base/bytes.h"
#include "base/status.h"
#include "cli/calibrate/calibrate_text.h"

/* One drawing of two: above, the points and the laws, which are drawn within their windows; below,
 * what each point misses its law by. Of several groups, the first. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_calibrate_draw(const struct ls_calibrate_result *result,
                                            struct ls_bytes *out, struct ls_error *err);

#endif
