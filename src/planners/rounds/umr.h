/* umr.h: chunks of uniform rounds. */
#ifndef LS_PLANNERS_ROUNDS_UMR_H
#define LS_PLANNERS_ROUNDS_UMR_H

#include <stddef.h>

#include "base/status.h"
#include "model/plan.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/reduced_star.h"

/* The theory's parameters: theta, eta (unless theta is 1), predicted_makespan for these rounds. */
void ls_umr_tell_theory(const struct ls_umr *umr, size_t rounds, struct ls_plan *plan);
/* So many rounds for these workers. Borrows both. */
struct ls_umr_rounds {
  const struct ls_reduced_star *workers;
  const struct ls_umr *theory; /* of these workers; one round does without */
  size_t count;                /* >= 1 */
};
/* Adds their chunks: one round by 3.7, more as uniform rounds, of which the last one by 3.5. */
LS_CHECKED enum ls_status ls_umr_add_rounds(const struct ls_umr_rounds *rounds,
                                            struct ls_star_notes *notes, struct ls_plan *plan,
                                            struct ls_error *err);

#endif
