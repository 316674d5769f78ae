/* windows.h: several ranges of chunk sizes of one worker, each with costs of its own.
 *
 * One rule prices a chunk, wherever it is played: by the first window that does not end below its
 * units, else by the last one.  So a chunk that lies in a window has the costs of that window, and
 * what lies in none (a plan with such a chunk is not valid; on line the last units may be few) has
 * those of the next larger one.  `costs` of a worker with windows are those of the one in which a
 * unit costs least, for all that asks for one number and knows no chunk: weights, bounds of speed.
 */
#ifndef LS_MODEL_WINDOWS_H
#define LS_MODEL_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/linkage.h"
#include "base/status.h"
#include "model/platform.h"

LS_C_BEGIN

enum { LS_WINDOWS_MOST = 64 };

/* The window that prices a chunk of so many units; the worker has windows. */
const struct ls_window *ls_worker_window(const struct ls_worker_model *worker, double units);

/* The costs of a chunk of so many units. */
static inline const struct ls_cost *ls_worker_costs(const struct ls_worker_model *worker,
                                                    double units) {
  return worker->windows_count == 0 ? worker->costs : ls_worker_window(worker, units)->costs;
}

/* Does this operation of some chunk cost something? */
bool ls_worker_has_cost(const struct ls_worker_model *worker, enum ls_operation operation);
/* What one more unit of a chunk costs on its way: all stations but the master's preparing. */
double ls_worker_unit_s(const struct ls_worker_model *worker);
/* ... on some worker? */
bool ls_platform_has_cost(const struct ls_platform *platform, enum ls_operation operation);
/* Do workers stage that may have to wait for each other at the storage? */
bool ls_platform_shares_storage(const struct ls_platform *platform);
bool ls_platform_has_windows(const struct ls_platform *platform);
/* The window in which a unit costs least, of as large a chunk as it and the room allow, all
 * operations together; the first of equals. */
size_t ls_worker_window_best(const struct ls_worker_model *worker);

/* Windows that cannot be (ends, order, costs): LS_EINVAL names window, field and value. */
LS_CHECKED enum ls_status ls_windows_check(const struct ls_window *windows, size_t count,
                                           struct ls_error *err);
/* Gives a worker `count` windows, 1 to LS_WINDOWS_MOST and good ones: a single one becomes its
 * costs and window, several are kept by the platform, which need not be the worker's own yet. */
LS_CHECKED enum ls_status ls_platform_set_windows(struct ls_platform *platform,
                                                  struct ls_worker_model *worker,
                                                  const struct ls_window *windows, size_t count,
                                                  struct ls_error *err);
/* Its costs become those of the best of its windows, if it has any: after a change of the room. */
void ls_worker_settle_windows(struct ls_worker_model *worker);
/* The windows of another platform that workers copied from it still have become this one's own. */
LS_CHECKED enum ls_status ls_platform_own_windows(struct ls_platform *platform,
                                                  struct ls_error *err);
/* Leaves the worker one of its windows. */
void ls_worker_take_window(struct ls_worker_model *worker, size_t window);
/* "25 to 450, 500 to 2500": the windows of a worker, or its one. */
void ls_worker_write_windows(const struct ls_worker_model *worker, struct ls_bytes *out);

LS_C_END

#endif
