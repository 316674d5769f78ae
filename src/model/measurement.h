/* measurement.h: how long an operation took for so many units, as somebody measured it.
 *
 * What the readers of measurements make and a calibration takes: plain numbers, and the names of
 * the workers, each once.  `prepare` is the master's own: whatever worker a source names with it,
 * it has none here.
 */
#ifndef LS_MODEL_MEASUREMENT_H
#define LS_MODEL_MEASUREMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/operation.h"

LS_C_BEGIN

/* What can be measured: an enum ls_operation, or a single task within a chunk, which says how times
 * are spread and is no operation of its own. */
enum {
  LS_MEASURED_FITTED = LS_OPERATION_COUNT, /* so many have a law */
  LS_MEASURED_TASK = LS_MEASURED_FITTED,
  LS_MEASURED_COUNT
};
/* "compute", "stage", "task". */
const char *ls_measured_name(unsigned measured);

#define LS_MEASUREMENT_NO_WORKER UINT32_MAX

/* Beyond, a number is a slip, and its square would spoil sums. */
#define LS_MEASUREMENT_LEAST 1e-18
#define LS_MEASUREMENT_MOST  1e18

struct ls_measurement {
  uint32_t worker; /* by its place among the names */
  uint32_t measured;
  double units;   /* from LS_MEASUREMENT_LEAST to LS_MEASUREMENT_MOST */
  double seconds; /* 0, or within the same */
};

/* A chunk of so many units had come to its worker so long after it was sent, or sooner. */
struct ls_arrival {
  double units, seconds; /* both > 0; 0: none is known */
};

/* What transfers that were on their way together say of the links to the workers. */
enum ls_links {
  LS_LINKS_UNKNOWN,
  LS_LINKS_SEPARATE, /* each worker's own: together they took as long as alone */
  LS_LINKS_SHARED    /* one uplink for all */
};

/* Starts as {0}; owns everything. */
struct ls_measurements {
  struct ls_measurement *items;
  size_t count, capacity;
  /* Bits of the operations whose time is in that of transfers: a run does not tell them apart. */
  uint32_t in_transfer;
  size_t timed; /* transfers over a network, timed on their way */
  enum ls_links links;
  struct ls_arrival *arrivals; /* of each worker, below arrivals_count: the one with the least
                                  seconds for a unit */
  size_t arrivals_count, arrivals_capacity;
  char **workers; /* names, in the order of their first measurement */
  size_t workers_count, workers_capacity;
  uint32_t *places; /* a hash table of the names: place + 1, 0 where empty */
  size_t places_count;
};

/* The place of the worker of this name (`length` bytes, no zero among them), which is new or known.
 * LS_EINVAL: too many workers for a platform; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_measurements_worker(struct ls_measurements *measurements,
                                                 const char *name, size_t length, uint32_t *worker,
                                                 struct ls_error *err);
/* Adds one; its worker is known (asserted). LS_EINVAL names the field that cannot be. */
LS_CHECKED enum ls_status ls_measurements_add(struct ls_measurements *measurements,
                                              const struct ls_measurement *measurement,
                                              struct ls_error *err);
/* Of a known worker (asserted). LS_ENOMEM. */
LS_CHECKED enum ls_status ls_measurements_arrived(struct ls_measurements *measurements,
                                                  uint32_t worker, const struct ls_arrival *arrival,
                                                  struct ls_error *err);
/* The seconds that no unit sent to the worker takes more than; INFINITY: not known. */
double ls_measurements_rate_most(const struct ls_measurements *measurements, uint32_t worker);
void ls_measurements_close(struct ls_measurements *measurements);

LS_C_END

#endif
