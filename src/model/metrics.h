/* metrics.h: what a timeline is worth: makespan, busy, idle, efficiency, utilisation, lower bounds.
 */
#ifndef LS_MODEL_METRICS_H
#define LS_MODEL_METRICS_H

#include <stdbool.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/platform.h"
#include "model/timeline.h"

LS_C_BEGIN

struct ls_worker_metrics {
  double busy_s;   /* receiving or computing, work that counted or not */
  double useful_s; /* computing work that counted */
  double up_s;     /* present and not suspended */
  double idle_s;   /* up_s - busy_s, at least 0 */
  double stage_s;  /* its reader staged */
  double hidden; /* the share of that in which it was busy; NAN: it staged nothing, or not known */
  uint64_t chunks; /* decisions for this worker */
  double units;    /* units computed that counted */
  double price;    /* of up_s */
};

struct ls_metrics {
  double makespan_s;
  double efficiency;         /* useful_s / up_s, at the workers' prices (efficiency.h) */
  double utilisation_master; /* busy share of the makespan */
  double utilisation_network;
  double utilisation_return;
  double utilisation_workers; /* mean over the workers */
  double price;               /* sum of the workers' */
  double eer_s;               /* makespan / efficiency; INFINITY when the efficiency is 0 */
};

/* `workers` has room for timeline->workers_count entries (may be NULL). Spans of one resource must
 * not be needed in order. */
void ls_metrics_of(const struct ls_timeline *timeline, struct ls_metrics *metrics,
                   struct ls_worker_metrics *workers);

/* Has some worker a price of its own?  Else a price says no more than the seconds up. */
bool ls_platform_has_prices(const struct ls_platform *platform);

/* No schedule of `load` units on `platform` ends before: `bound_s`, and which bound it was, in
 * words
 * ("work / total speed", "network and workers", ...; static text; docs/model.md): the largest of
 * all that hold. Each worker's compute and all shared stations are considered. */
struct ls_lower_bound {
  double bound_s;
  const char *name;
};
LS_CHECKED enum ls_status ls_lower_bound(const struct ls_platform *platform, double load,
                                         struct ls_lower_bound *bound, struct ls_error *err);
/* Of each station by itself: takes no memory and hardly time; for a scale. */
struct ls_lower_bound ls_lower_bound_quick(const struct ls_platform *platform, double load);

LS_C_END

#endif
