/* grid_table.h: how algorithms stand over a grid of platforms, as text, JSON, CSV and a drawing. */
#ifndef LS_CLI_GRID_TABLE_H
#define LS_CLI_GRID_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/grid_run.h"
#include "base/bytes.h"
#include "base/status.h"
#include "model/platform_grid.h"
#include "theory/standings.h"

/* The mean degradation from the best by one of the grid's variables. */
struct ls_grid_curve {
  enum ls_grid_axis axis;
  size_t algorithms, count, capacity;
  double *values;           /* owned, ascending */
  struct ls_ratios *ratios; /* owned: makespan over the best one, [value * algorithms + algorithm]
                             */
};

void ls_grid_curve_close(struct ls_grid_curve *curve);
/* The axis of this name, from --by. LS_EINVAL: there is none. */
LS_CHECKED enum ls_status ls_grid_axis_read(const char *name, enum ls_grid_axis *axis,
                                            struct ls_error *err);
/* The first axis that has several values, or that of workers. */
enum ls_grid_axis ls_grid_axis_choose(const struct ls_platform_grid *grid);
/* Adds the makespans of these platforms. */
LS_CHECKED enum ls_status ls_grid_curve_add(struct ls_grid_curve *curve,
                                            const struct ls_grid_point *points,
                                            const struct ls_makespans *makespans,
                                            struct ls_error *err);

struct ls_grid_table {
  const struct ls_platform_grid *grid;
  const char *const *names; /* of the algorithms */
  const struct ls_standings *standings;
  const struct ls_grid_curve *curve;
  bool wants_curve; /* as text, too */
};

void ls_grid_table_write(const struct ls_grid_table *table, struct ls_bytes *out);
void ls_grid_table_write_json(const struct ls_grid_table *table, struct ls_bytes *out);
LS_CHECKED enum ls_status ls_grid_table_draw(const struct ls_grid_table *table,
                                             struct ls_bytes *out, struct ls_error *err);
/* The first line of a CSV table, and a row for each algorithm on one platform. */
void ls_grid_table_write_csv_head(struct ls_bytes *out);
void ls_grid_table_write_csv(const struct ls_grid_table *table, size_t number,
                             const struct ls_grid_point *point,
                             const struct ls_makespans *makespans, struct ls_bytes *out);
/* "load 1000, workers 10, ...": the values of the point, but for those that cost nothing. */
void ls_grid_point_describe(const struct ls_platform_grid *grid, const struct ls_grid_point *point,
                            struct ls_bytes *out);

#endif
