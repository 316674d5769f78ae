/* platform.h: a master and p workers joined as a star, each operation with an affine cost.
 *
 * time(x) = latency + per_unit * x for x > 0 units, and nothing for x = 0.  A platform is plain
 * data owned by its creator; `count` in the JSON form is expanded (node1-0, node1-1, ...).
 * Stations, in the order in which a chunk passes them: prepare and send (the master's processor),
 * transfer (the network), delay (no resource), stage (the worker's reader), receive and compute
 * (the worker's processor), reply (the network, towards the master).  docs: design of the cost
 * model in docs/model.md.
 */
#ifndef LS_MODEL_PLATFORM_H
#define LS_MODEL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/duration_law.h"
#include "model/operation.h"

LS_C_BEGIN

struct ls_cost {
  double latency_s;
  double per_unit_s;
};

/* Seconds for `units` >= 0. */
double ls_cost_time(const struct ls_cost *cost, double units);

enum ls_ports {
  LS_PORTS_TWO, /* one network resource in each direction (default) */
  LS_PORTS_ONE, /* sends and replies share one */
  LS_PORTS_MULTI
};

/* Sizes of chunks, in units, with costs of their own (windows.h). */
struct ls_window {
  double from, to; /* 0 <= from <= to, to > 0; INFINITY: no end */
  struct ls_cost costs[LS_OPERATION_COUNT];
};

/* One worker. Seconds, units. */
struct ls_worker_model {
  char *name; /* owned by the platform; never NULL in a finished platform */
  struct ls_cost costs[LS_OPERATION_COUNT]; /* that of prepare is free: the platform has it */
  double delay_s;
  /* Units of a chunk within which the costs hold, 0 and INFINITY; of several windows the ends. */
  double window_from, window_to;
  /* Units of a chunk, from the smallest to the largest, that its costs were measured with; 0: not
   * known. Beyond, they are extrapolated. */
  double measured_from, measured_to;
  double room_units;  /* units that it can hold at once: arrived and unfinished; INFINITY */
  double price_per_s; /* "cost" in JSON, default 1 */
  /* In simulations the times of its units are spread by this law around compute's per_unit:
   * deviation / mean, 0 where the law is constant. All else counts with the mean. */
  double unit_variation;
  enum ls_duration_law unit_law;
  uint16_t windows_count;          /* 0: `costs` are those of every chunk */
  const struct ls_window *windows; /* two or more, ascending; kept by a platform */
  bool is_on_master;
};

enum { LS_STAGE_AHEAD_DEFAULT = 1, LS_STAGE_AHEAD_MOST = 64 };

struct ls_platform {
  size_t workers_count; /* >= 1 */
  struct ls_worker_model *workers;
  struct ls_cost prepare; /* the master's */
  double master_share;    /* what a worker on the master gets while it schedules, default 0.5 */
  enum ls_ports ports;
  double ports_alpha;   /* multi-port only: k transfers run at 1/k^alpha of their rate; default 1 */
  uint64_t ports_limit; /* multi-port only: transfers at once; 0: no limit */
  /* Chunks that a worker has staged and not begun, default 1; 0: it stages one, then computes it. A
   * setting of a run, which no file of a platform has. */
  uint32_t stage_ahead;
  /* At most so many workers stage at once, first come first served (a file server, "storage" in
   * JSON); 0: no limit. */
  uint64_t storage_readers;
  /* Of its workers, which may share them; owned. A platform without lists has no windows, so a
   * worker with windows is not put on it without them (ls_platform_own_windows). */
  struct ls_window **window_lists;
  size_t window_lists_count, window_lists_capacity;
};

/* Does a chunk of so many units lie in a window of the worker, and in its room (1e-9, relative)? */
bool ls_worker_takes(const struct ls_worker_model *worker, double units);
/* The smallest and the largest chunk that its windows and its room allow. */
static inline double ls_worker_chunk_least(const struct ls_worker_model *worker) {
  return worker->window_from;
}
static inline double ls_worker_chunk_most(const struct ls_worker_model *worker) {
  return worker->window_to < worker->room_units ? worker->window_to : worker->room_units;
}

/* From 1e-200 to 1e200 s; from 0 to a million means. */
bool ls_unit_mean_is_good(double mean_s);
bool ls_unit_deviation_is_good(double mean_s, double deviation_s);
/* Units take `mean_s`, a good one as the deviation is, in the mean and for all that counts with one
 * number, and are spread by the law around it; where the mean says all of it, the deviation is not
 * looked at. */
void ls_worker_spread_units(struct ls_worker_model *worker, enum ls_duration_law law, double mean_s,
                            double deviation_s);
/* By how much the workers' own laws spread the times of units: deviation / mean, in the mean of the
 * squares; 0: not at all. */
double ls_platform_unit_variation(const struct ls_platform *platform);

/* p workers named "worker-0", ... that compute one unit in 1 s and communicate at no cost. */
LS_CHECKED enum ls_status ls_platform_init(struct ls_platform *platform, size_t workers_count,
                                           struct ls_error *err);
void ls_platform_close(struct ls_platform *platform);
/* Negative, NaN or infinite costs, no workers, ...: LS_EINVAL names the worker, field and value. */
LS_CHECKED enum ls_status ls_platform_check(const struct ls_platform *platform,
                                            struct ls_error *err);

LS_C_END

#endif
