#include "advise/selection.h"

#include <assert.h>
#include <stdlib.h>

bool ls_selection_can_be(const struct ls_simulation *setup) {
  return setup->leave_count == 0 && setup->join_count == 0 && setup->pauses_count == 0;
}

static bool allocate(struct ls_selection *selection, size_t count) {
  selection->platform.workers = calloc(count, sizeof *selection->platform.workers);
  selection->weights = calloc(count, sizeof *selection->weights);
  selection->availability = calloc(count, sizeof *selection->availability);
  selection->availability_count = calloc(count, sizeof *selection->availability_count);
  return selection->platform.workers != NULL && selection->weights != NULL &&
         selection->availability != NULL && selection->availability_count != NULL;
}

enum ls_status ls_selection_open(struct ls_selection *selection, struct ls_simulation *setup,
                                 const size_t *workers, size_t count, struct ls_error *err) {
  const struct ls_platform *all = setup->platform;
  assert(count > 0 && count <= all->workers_count && ls_selection_can_be(setup));
  if (!allocate(selection, count))
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  struct ls_worker_model *models = selection->platform.workers;
  selection->platform = *all;
  selection->platform.workers = models;
  selection->platform.workers_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t from = workers[i];
    assert(from < all->workers_count);
    models[i] = all->workers[from];
    if (setup->config.weights != NULL) selection->weights[i] = setup->config.weights[from];
    if (setup->availability == NULL) continue;
    selection->availability[i] = setup->availability[from];
    selection->availability_count[i] = setup->availability_count[from];
  }
  setup->platform = &selection->platform;
  if (setup->config.weights != NULL) setup->config.weights = selection->weights;
  if (setup->availability != NULL) {
    setup->availability = selection->availability;
    setup->availability_count = selection->availability_count;
  }
  return LS_OK;
}

void ls_selection_close(struct ls_selection *selection) {
  free(selection->platform.workers);
  free(selection->weights);
  free(selection->availability);
  free(selection->availability_count);
}
