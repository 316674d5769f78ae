/* measured_points.h: measurements sorted out by worker and operation. */
#ifndef LS_CALIBRATE_MEASURED_POINTS_H
#define LS_CALIBRATE_MEASURED_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "calibrate/affine_fit.h"
#include "model/measurement.h"

/* Starts as {0}; owns its arrays. */
struct ls_measured_points {
  size_t workers_count;
  size_t *starts; /* of worker * LS_MEASURED_COUNT + operation; the last one is prepare's */
  double *units, *seconds;
};

LS_CHECKED enum ls_status ls_measured_points_sort(const struct ls_measurements *measurements,
                                                  struct ls_measured_points *points,
                                                  struct ls_error *err);
/* What was measured of an operation of a worker; of prepare, of the master. */
struct ls_points ls_measured_points_of(const struct ls_measured_points *points, size_t worker,
                                       unsigned measured);
void ls_measured_points_close(struct ls_measured_points *points);

#endif
