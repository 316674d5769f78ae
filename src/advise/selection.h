/* selection.h: a simulation on some of its platform's workers.
 *
 * Weights and availability go with the workers.  Changes of the crowd are told by worker number, so
 * they would mean others: a simulation that has any is not selected from.
 */
#ifndef LS_ADVISE_SELECTION_H
#define LS_ADVISE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "simulate/simulate.h"

/* Starts as {0}; closed also after a failure. */
struct ls_selection {
  struct ls_platform platform;
  double *weights;
  const struct ls_availability **availability;
  size_t *availability_count;
};

bool ls_selection_can_be(const struct ls_simulation *setup);
/* The setup then has these workers only, in this order, and borrows from the selection. */
LS_CHECKED enum ls_status ls_selection_open(struct ls_selection *selection,
                                            struct ls_simulation *setup, const size_t *workers,
                                            size_t count, struct ls_error *err);
void ls_selection_close(struct ls_selection *selection);

#endif
