#include "runtime/iterations.h"

#include <assert.h>

void ls_iterations_init(struct ls_iterations *iterations, const struct ls_app *app, void *state,
                        const uint64_t *first) {
  *iterations = (struct ls_iterations){.app = app, .state = state};
  if (first == NULL) return;
  iterations->has_latest = true;
  iterations->units = *first;
}

enum ls_status ls_iterations_units(struct ls_iterations *iterations, uint32_t iteration,
                                   uint64_t *units, struct ls_error *err) {
  bool is_known = iterations->has_latest && iterations->latest == iteration;
  assert(!iterations->has_latest || iteration >= iterations->latest);
  if (!is_known) {
    enum ls_status status =
        iterations->app->units(iterations->state, iteration, &iterations->units, err);
    if (status != LS_OK) return status;
    iterations->has_latest = true;
    iterations->latest = iteration;
  }
  *units = iterations->units;
  return LS_OK;
}
