/* star_batch.h: the plans of one planner on many platforms of identical workers, played together.
 *
 * The platforms have equally many workers of one speed behind one network, and differ in their
 * latencies.  The closed forms that the planners umr, mi and one-round use give the chunks, and the
 * batch replay plays them: every makespan has the same digits as plan after plan by the planners.
 */
#ifndef LS_ADVISE_STAR_BATCH_H
#define LS_ADVISE_STAR_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct ls_star_batch_setup {
  size_t workers;                                 /* >= 1 */
  double load;                                    /* units, > 0 */
  double transfer_per_unit_s, compute_per_unit_s; /* > 0 */
  const double *transfer_latencies_s;             /* by platform, >= 0; borrowed, as the next */
  const double *compute_latencies_s;
  size_t count; /* of platforms, >= 1; it is quicker where those of one transfer latency are
                   neighbours */
};

enum { LS_STAR_BATCH_INSTALLMENTS_MAX = 32 };

struct ls_star_batch;

LS_CHECKED enum ls_status ls_star_batch_create(struct ls_star_batch **batch,
                                               const struct ls_star_batch_setup *setup,
                                               struct ls_error *err);
void ls_star_batch_destroy(struct ls_star_batch *batch);
/* The makespans of `umr`, of `mi:installments` (1 to LS_STAR_BATCH_INSTALLMENTS_MAX) and of
 * `one-round`, by platform. False: some worker gets nothing in some round, which the batch replay
 * does not cover; then the makespans mean nothing. */
bool ls_star_batch_umr(struct ls_star_batch *batch, double *makespans_s);
bool ls_star_batch_installments(struct ls_star_batch *batch, size_t installments,
                                double *makespans_s);
bool ls_star_batch_one_round(struct ls_star_batch *batch, double *makespans_s);

#endif
