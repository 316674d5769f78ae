/* unit_needs.h: which units of an application need which labels, as the coordinator is told.
 *
 * Neighbours with one need are one range.  Labels are kept here once each, for the application's
 * text lives no longer than until it is asked again.
 */
#ifndef LS_RUNTIME_MASTER_UNITS_UNIT_NEEDS_H
#define LS_RUNTIME_MASTER_UNITS_UNIT_NEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/event.h"
#include "runtime/application.h"

struct ls_unit_needs {
  struct ls_event_need *items; /* of the units that were asked about last */
  size_t count, capacity;
  char **labels; /* of all so far */
  size_t labels_count, labels_capacity;
  const struct ls_app *app;
  void *state; /* of the application */
};

/* Borrows both. */
void ls_unit_needs_init(struct ls_unit_needs *needs, const struct ls_app *app, void *state);
/* Asks about these units of the iteration; nothing where the application has no
 * needs. LS_EINVAL: a need is no label; names the unit. */
LS_CHECKED enum ls_status ls_unit_needs_ask(struct ls_unit_needs *needs, uint32_t iteration,
                                            struct ls_range units, struct ls_error *err);
void ls_unit_needs_close(struct ls_unit_needs *needs);

#endif
