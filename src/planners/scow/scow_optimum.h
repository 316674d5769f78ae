/* scow_optimum.h: the period in which the continuous model ends soonest.
 *
 * mu(nu, T) = (nu + 1/2) T + (e + g_1)(Y_1(T)) with nu = load / production(T), minimised over every
 * T.  docs/theory/scow.md, 4 (Theorems 12 and 13, corrected).
 */
#ifndef LS_PLANNERS_SCOW_SCOW_OPTIMUM_H
#define LS_PLANNERS_SCOW_SCOW_OPTIMUM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "planners/scow/scow_star.h"

enum ls_scow_constraint {
  LS_SCOW_MP, /* full workers and a partial one, or full ones only */
  LS_SCOW_PWU /* full workers only: each is used perfectly */
};

struct ls_scow_optimum {
  double makespan_s;  /* mu; INFINITY: no period */
  double period_s;    /* T */
  double rounds_real; /* nu */
  size_t full;        /* workers that are always busy */
  bool has_partial;
  double chunk; /* units of the first worker in one round */
};

/* What is asked of the model. */
struct ls_scow_question {
  double load;
  enum ls_scow_constraint constraint;
  size_t sets_most;   /* of workers that take part, > 0; SIZE_MAX: all that there are */
  double units_least; /* > 0: of a full worker in a round; more where its window wants it */
};
/* The least mu with nu >= 1. */
LS_CHECKED enum ls_status ls_scow_optimize(const struct ls_scow_star *star,
                                           const struct ls_scow_question *question,
                                           struct ls_scow_optimum *optimum, struct ls_error *err);
/* mu of a period that produces so many units, and begins with a full chunk of the first worker. */
double ls_scow_model_makespan(const struct ls_scow_worker *first, double load, double production,
                              double period_s);
/* The published search (identical workers): periods where the slope is 0 within their cell.
 * `optimum->makespan_s` INFINITY: it finds none. */
void ls_scow_search_published_period(const struct ls_scow_star *star, double load,
                                     enum ls_scow_constraint constraint,
                                     struct ls_scow_optimum *optimum);

#endif
