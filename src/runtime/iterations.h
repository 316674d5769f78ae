/* iterations.h: the iterations of an application, each asked for once.
 *
 * Who resumes a run walks through them; who opens the first one may have been asked before.
 */
#ifndef LS_RUNTIME_ITERATIONS_H
#define LS_RUNTIME_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"

struct ls_iterations {
  const struct ls_app *app;
  void *state;
  bool has_latest; /* `latest` has been asked for, and has `units` */
  uint32_t latest;
  uint64_t units;
};

/* `first`: the units of iteration 0, which have been asked for already; NULL: they have not. */
void ls_iterations_init(struct ls_iterations *iterations, const struct ls_app *app, void *state,
                        const uint64_t *first);
/* The units of an iteration: of the latest one once more, or of the next one; after a restore from
 * a checkpoint of any later one. */
LS_CHECKED enum ls_status ls_iterations_units(struct ls_iterations *iterations, uint32_t iteration,
                                              uint64_t *units, struct ls_error *err);

#endif
