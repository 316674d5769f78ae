/* umr_published.h: what the UMR paper's tables print, and how near ours must come. */
#ifndef LS_LAB_UMR_PUBLISHED_H
#define LS_LAB_UMR_PUBLISHED_H

#include <stddef.h>

#include "lab/studies/umr_grid.h"

struct ls_umr_published_row {
  double norm, rank, degradation;  /* makespan over UMR's; 0 .. 9; percent above the best */
  double wins[LS_GRID_ALGORITHMS]; /* percent, against the columns behind; NAN before them */
};

struct ls_umr_published {
  const char *title;
  const char *grid; /* the file of its platforms */
  const struct ls_umr_published_row *rows;
  double norm_tolerance, rank_tolerance, degradation_tolerance, wins_tolerance;
};

extern const struct ls_umr_published ls_umr_table_2, ls_umr_table_3;

/* The tolerance of one entry of the wins, in points. */
double ls_umr_wins_tolerance(const struct ls_umr_published *published, size_t row, size_t column);

#endif
