#include "model/room.h"

#include <math.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-9;

double ls_whole_least(double units) {
  return ceil(units * (1 - TOLERANCE));
}

double ls_whole_most(double units) {
  return floor(units * (1 + TOLERANCE));
}

/* More than any run has: any number. */
static uint64_t count_whole(double units) {
  const double units_most = 0x1p53;
  return units < units_most ? (uint64_t)ls_whole_most(units) : 0;
}

struct ls_room ls_worker_room(const struct ls_worker_model *worker) {
  return (struct ls_room){.units = count_whole(worker->room_units),
                          .chunk_units = count_whole(ls_worker_chunk_most(worker))};
}

static enum ls_status check_room(const struct ls_platform *platform, size_t index,
                                 struct ls_error *err) {
  const struct ls_worker_model *worker = &platform->workers[index];
  if (!(worker->room_units >= 1 - TOLERANCE))
    return ls_fail(err, LS_EINVAL, "worker %zu: room is %g, must be at least 1 for whole units",
                   index, worker->room_units);
  if (!(worker->window_to >= 1 - TOLERANCE))
    return ls_fail(err, LS_EINVAL,
                   "worker %zu: window.to is %g, must be at least 1 for whole units", index,
                   worker->window_to);
  return LS_OK;
}

enum ls_status ls_platform_rooms(const struct ls_platform *platform, struct ls_room **rooms,
                                 struct ls_error *err) {
  size_t count = platform->workers_count;
  bool is_limited = false;
  struct ls_room *made = calloc(count, sizeof *made);
  if (made == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the rooms of %zu workers", count);
  for (size_t i = 0; i < count; i++) {
    enum ls_status status = check_room(platform, i, err);
    if (status != LS_OK) {
      free(made);
      return status;
    }
    made[i] = ls_worker_room(&platform->workers[i]);
    is_limited = is_limited || made[i].units > 0 || made[i].chunk_units > 0;
  }
  if (!is_limited) {
    free(made);
    made = NULL;
  }
  *rooms = made;
  return LS_OK;
}
