/* iterations.h: how a computing application goes from one iteration to the next, and back there
 * after its master has died.
 *
 * units(k) is called once for each k, when all of iteration k - 1 has been merged; a resume walks
 * the same way, from the start or from the last checkpoint.  The journal has the units of each
 * iteration, so that an application that goes another way is noticed.  Commands have one iteration,
 * which the inputs tell.
 */
#ifndef LS_RUNTIME_ITERATIONS_H
#define LS_RUNTIME_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/journal.h"

struct ls_iterations {
  const struct ls_app *app;
  void *state;                /* of the application */
  struct ls_journal *journal; /* NULL: none */
  uint32_t iteration;         /* whose units were asked for last */
  uint64_t units;
  bool is_asked;
};

/* Borrows all three. */
void ls_iterations_init(struct ls_iterations *iterations, const struct ls_app *app, void *state,
                        struct ls_journal *journal);
/* units(0) was asked before. */
void ls_iterations_know(struct ls_iterations *iterations, uint64_t units);
/* The units of the last iteration that was asked for, or of the one behind it, which is asked for
 * and recorded. LS_EMISMATCH: the journal has another number. */
LS_CHECKED enum ls_status ls_iterations_ask(struct ls_iterations *iterations, uint32_t iteration,
                                            uint64_t *units, struct ls_error *err);
/* Before `iteration` is asked for: keeps what the application makes of its state, if it wants to.
 */
LS_CHECKED enum ls_status ls_iterations_checkpoint(struct ls_iterations *iterations,
                                                   uint32_t iteration, struct ls_error *err);
/* Restores the last checkpoint; `iteration` is then the one to ask for next: 0, there was none.
 * LS_EMISMATCH: the application cannot restore it. */
LS_CHECKED enum ls_status ls_iterations_restore(struct ls_iterations *iterations,
                                                uint32_t *iteration, struct ls_error *err);

#endif
