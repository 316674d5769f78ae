/* policy.c: what a chunking policy may know when it begins, and its state. */
#include <math.h>
#include <stdlib.h>

#include "coordinator/coordinator_private.h"

/* What nobody told is what the units so far have shown. */
static void know_observed(const struct ls_coordinator *c, struct ls_chunking_setup *setup) {
  const struct ls_observed *seen = &c->observed;
  double units = (double)seen->units;
  assert(c->iterations_opened > 0);
  setup->earlier = c->earlier;
  if (seen->units > 0 && seen->seconds > 0) {
    double mean = seen->seconds / units;
    double spread = seen->squares - mean * seen->seconds;
    if (isnan(setup->mean_seconds)) setup->mean_seconds = mean;
    if (isnan(setup->deviation_seconds) && seen->units > 1)
      setup->deviation_seconds = spread > 0 ? sqrt(spread / (units - 1)) : 0;
  }
  if (isnan(setup->overhead_seconds) && seen->reports > 0)
    setup->overhead_seconds = seen->overhead_s / (double)seen->reports;
}

enum ls_status ls_policy_prepare(const struct ls_coordinator *c,
                                 const struct ls_policy_start *start, void **state,
                                 struct ls_error *err) {
  const struct ls_coordinator_config *config = &c->config;
  const struct ls_chunking *chunking = start->choice.chunking;
  assert(start->units > 0 && chunking != NULL);
  struct ls_chunking_setup setup = {
      .units = start->units,
      .workers = config->workers,
      .workers_max = config->workers_max,
      .weights = start->weights,
      .mean_seconds = config->mean_seconds,
      .deviation_seconds = config->deviation_seconds,
      .overhead_seconds = config->overhead_seconds,
      .seed = config->seed,
      .plan = c->plan,
      .plan_count = config->plan_count,
      .arguments = start->choice.arguments,
  };
  if (c->iterations_opened > 0) know_observed(c, &setup);
  size_t bytes = chunking->state_bytes(&setup);
  void *made = calloc(1, bytes > 0 ? bytes : 1);
  if (made == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for the %zu bytes of policy %s", bytes,
                   chunking->name);
  }
  enum ls_status status = chunking->init(made, &setup, err);
  if (status != LS_OK) {
    free(made);
    return status;
  }
  *state = made;
  return LS_OK;
}
