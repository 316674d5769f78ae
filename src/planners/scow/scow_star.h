/* scow_star.h: a platform as the theory of periods sees it, in activation order.
 *
 * What the planners and analyses of the SCOW family share.  Receiving and computing become one;
 * of the master's station and the network the one with the larger slope is the theory's, but both
 * are kept, since small chunks may be ruled by the other.  Words: docs/theory/scow.md, 1.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_STAR_H
#define LS_PLANNERS_SCOW_SCOW_STAR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "planners/planner.h"

/* The relative guard on every floor and every comparison of sums. */
#define LS_SCOW_GUARD 1e-12

struct ls_scow_worker {
  struct ls_cost master;  /* prepare and send: e + s, E + S */
  struct ls_cost link;    /* l, L */
  struct ls_cost send;    /* h, H: the one of both with the larger slope */
  struct ls_cost compute; /* receive and compute: c, C */
  double delay_s;
  double reply_s;     /* K: what one result costs on its way back */
  double least, most; /* of its chunks in identical rounds */
  double tail_least;  /* of those in the last and the auxiliary round: only what its window wants */
  uint32_t number;    /* in the platform */
};

struct ls_scow_star {
  struct ls_scow_worker *items; /* owned; slope h ascending, then constant H, then platform order */
  size_t count;                 /* >= 1 */
  size_t platform_count;
  bool is_identical;
  bool is_multi_port;
  bool uses_master, uses_link; /* the master's processor, the network cost time */
};

/* The parameters that all planners of the family take; each lists them in its own table. */
#define LS_SCOW_WORKERS                                                                \
  {                                                                                    \
    "workers", "use the first N in activation order; absent: all", LS_PARAMETER_WHOLE, \
        (double)NAN, 1, 1e9, NULL                                                      \
  }
#define LS_SCOW_WINDOW                                                             \
  {                                                                                \
    "window", "units of a chunk of identical rounds, FROM-TO; no chunk is larger", \
        LS_PARAMETER_RANGE, 0, 0, 1e300, NULL                                      \
  }

/* Reads the platform, and `workers` and `window` where `parameters` (NULL: none) has them. The
 * caller closes it. */
LS_CHECKED enum ls_status ls_scow_star_open(struct ls_scow_star *star,
                                            const struct ls_planner_setup *setup,
                                            const struct ls_parameter *parameters,
                                            struct ls_error *err);
void ls_scow_star_close(struct ls_scow_star *star);
/* Makes `result`, a plan or findings, of a star; `numbers` is room for two of each worker. */
typedef enum ls_status (*ls_scow_use_fn)(const struct ls_planner_setup *setup,
                                         const struct ls_scow_star *star, double *numbers,
                                         void *result, struct ls_error *err);
/* Opens the star and the room for it, and closes both again. */
LS_CHECKED enum ls_status ls_scow_star_use(const struct ls_planner_setup *setup,
                                           const struct ls_parameter *parameters,
                                           ls_scow_use_fn use, void *result, struct ls_error *err);
/* Section 1: every c > 0 and h > 0 (constants are >= 0 on any platform), and sizes that the
 * argument `window` leaves. */
bool ls_scow_is_valid(const struct ls_planner_setup *setup, const struct ls_parameter *parameters,
                      struct ls_planner_reason *why);

/* Y(T), the chunk that a worker computes in `period_s`; may be negative. */
static inline double ls_scow_chunk(const struct ls_scow_worker *worker, double period_s) {
  return (period_s - worker->compute.latency_s) / worker->compute.per_unit_s;
}
/* When a worker that gets the first chunk begins with it. */
double ls_scow_first_s(const struct ls_scow_worker *worker, double units);
/* What a round of these sizes costs the master, the network and the slowest worker. */
struct ls_scow_load {
  double master_s, link_s;
  double period_s;  /* the largest of both and of the workers' times (3.17) */
  double compute_s; /* of all workers together */
  double units;
  size_t workers; /* with units */
};
struct ls_scow_load ls_scow_load_of(const struct ls_scow_worker *workers, size_t count,
                                    const double *units);

/* A star for the helpers of other families: the same workers in the same order. `stars` has room
 * for `count`. */
struct ls_star_worker;
void ls_scow_reduce(const struct ls_scow_worker *workers, size_t count,
                    struct ls_star_worker *stars);

#endif
