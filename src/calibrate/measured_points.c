#include "calibrate/measured_points.h"

#include <assert.h>
#include <stdlib.h>

static size_t find_slot(const struct ls_measured_points *points, size_t worker, unsigned measured) {
  if (measured == LS_OPERATION_PREPARE) return points->workers_count * LS_MEASURED_COUNT;
  return worker * LS_MEASURED_COUNT + measured;
}

/* Counting sort: the order within a slot stays. */
enum ls_status ls_measured_points_sort(const struct ls_measurements *measurements,
                                       struct ls_measured_points *points, struct ls_error *err) {
  struct ls_measured_points made = {.workers_count = measurements->workers_count};
  size_t slots = made.workers_count * LS_MEASURED_COUNT + 1;
  made.starts = calloc(slots + 2, sizeof *made.starts);
  made.units = calloc(measurements->count + 1, sizeof *made.units);
  made.seconds = calloc(measurements->count + 1, sizeof *made.seconds);
  if (made.starts == NULL || made.units == NULL || made.seconds == NULL) {
    ls_measured_points_close(&made);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu measurements", measurements->count);
  }
  for (size_t i = 0; i < measurements->count; i++) {
    const struct ls_measurement *item = &measurements->items[i];
    made.starts[find_slot(&made, item->worker, item->measured) + 2]++;
  }
  for (size_t i = 2; i <= slots; i++) made.starts[i] += made.starts[i - 1];
  for (size_t i = 0; i < measurements->count; i++) {
    const struct ls_measurement *item = &measurements->items[i];
    size_t at = made.starts[find_slot(&made, item->worker, item->measured) + 1]++;
    made.units[at] = item->units;
    made.seconds[at] = item->seconds;
  }
  *points = made;
  return LS_OK;
}

struct ls_points ls_measured_points_of(const struct ls_measured_points *points, size_t worker,
                                       unsigned measured) {
  assert(worker < points->workers_count || measured == LS_OPERATION_PREPARE);
  size_t slot = find_slot(points, worker, measured), start = points->starts[slot];
  return (struct ls_points){points->units + start, points->seconds + start,
                            points->starts[slot + 1] - start};
}

void ls_measured_points_close(struct ls_measured_points *points) {
  free(points->starts);
  free(points->units);
  free(points->seconds);
  *points = (struct ls_measured_points){.workers_count = 0};
}
