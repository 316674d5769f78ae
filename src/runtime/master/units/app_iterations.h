/* app_iterations.h: how a computing application goes from one iteration to the next, and back there
 * after its master has died.
 *
 * units(k) is called once for each k, when all of iteration k - 1 has been merged; a resume walks
 * the same way, from the start or from the last checkpoint.  The journal has the units of each
 * iteration, so that an application that goes another way is noticed.  Which units have nothing to
 * do is asked right behind, on either way.  Commands have one iteration,
 * which the inputs tell.
 */
#ifndef LS_RUNTIME_MASTER_UNITS_APP_ITERATIONS_H
#define LS_RUNTIME_MASTER_UNITS_APP_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/journal/journal.h"
#include "runtime/master/units/unit_needs.h"

struct ls_iterations {
  const struct ls_app *app;
  void *state;                /* of the application */
  struct ls_journal *journal; /* NULL: none */
  bool has_latest;            /* `latest` has been asked for, and has `units` */
  uint32_t latest;
  uint64_t units;
  bool has_idle; /* it has been asked what is idle: */
  struct ls_ranges idle;
  struct ls_unit_needs needs;
};

/* Borrows the three. `first`: the units of iteration 0, which have been asked for already; NULL:
 * they have not. */
void ls_iterations_init(struct ls_iterations *iterations, const struct ls_app *app, void *state,
                        const uint64_t *first);
/* From now on the journal is written, and compared; not for commands, whose inputs tell. */
void ls_iterations_record(struct ls_iterations *iterations, struct ls_journal *journal);
/* The units of an iteration: of the latest one once more, or of the next one; after a restore from
 * a checkpoint of any later one. LS_EMISMATCH: the journal has another number. */
LS_CHECKED enum ls_status ls_iterations_units(struct ls_iterations *iterations, uint32_t iteration,
                                              uint64_t *units, struct ls_error *err);
/* Those of the latest one that have nothing to do. Borrowed until the next one is asked for. */
const struct ls_ranges *ls_iterations_idle(const struct ls_iterations *iterations);
/* Which units of the latest one need which labels. Borrowed as these. */
const struct ls_unit_needs *ls_iterations_needs(const struct ls_iterations *iterations);
/* Before `iteration` is asked for: keeps what the application makes of its state, if it wants to.
 */
LS_CHECKED enum ls_status ls_iterations_checkpoint(struct ls_iterations *iterations,
                                                   uint32_t iteration, struct ls_error *err);
/* Restores the last checkpoint; `iteration` is then the one to ask for next: 0, there was none.
 * LS_EMISMATCH: the application cannot restore it. */
LS_CHECKED enum ls_status ls_iterations_restore(struct ls_iterations *iterations,
                                                uint32_t *iteration, struct ls_error *err);
void ls_iterations_close(struct ls_iterations *iterations);

#endif
