/* policy.c: the facts that a chunking policy may know when it begins, and its state. */
#include <math.h>
#include <stdlib.h>

#include "coordinator/coordinator_private.h"
#include "coordinator/side_settings.h"

/* Facts that were not told are taken from the units so far. */
static void know_seen(const struct ls_coordinator *c, struct ls_chunking_setup *setup) {
  double units = (double)c->record.seen.units, seconds = c->record.seen.seconds;
  if (units > 0 && seconds > 0) {
    double mean = seconds / units, spread = c->record.seen.squares - mean * seconds;
    if (isnan(setup->mean_seconds)) setup->mean_seconds = mean;
    if (isnan(setup->deviation_seconds) && units > 1)
      setup->deviation_seconds = spread > 0 ? sqrt(spread / (units - 1)) : 0;
  }
  if (isnan(setup->overhead_seconds) && c->record.seen.reports > 0)
    setup->overhead_seconds = c->record.seen.overhead_s / (double)c->record.seen.reports;
}

/* What is told by slot is told by seat; false: no memory. */
static bool take_seats(struct ls_policy *policy, const struct ls_lane_crew *crew,
                       struct ls_chunking_setup *setup) {
  double *weights = ls_arena_array(&policy->arena, NULL, crew->seats, sizeof *weights);
  struct ls_chunking_earlier *earlier =
      ls_arena_array(&policy->arena, NULL, crew->seats, sizeof *earlier);
  if (weights == NULL || earlier == NULL) return false;
  for (uint32_t i = 0; i < crew->seats; i++) {
    uint32_t slot = crew->slots[i];
    bool is_known = slot != LS_SLOT_NONE;
    weights[i] = is_known && setup->weights != NULL ? setup->weights[slot] : 1;
    earlier[i] =
        is_known && setup->earlier != NULL ? setup->earlier[slot] : (struct ls_chunking_earlier){0};
  }
  setup->slots = crew->seats;
  setup->platform = NULL; /* whose slots are others */
  if (setup->weights != NULL) setup->weights = weights;
  if (setup->earlier != NULL) setup->earlier = earlier;
  return true;
}

static enum ls_status init(struct ls_policy *policy, const struct ls_coordinator *c,
                           const struct ls_lane_crew *crew, struct ls_chunking_setup *setup,
                           struct ls_error *err) {
  struct ls_chunking_earlier *earlier =
      ls_arena_array(&policy->arena, NULL, c->view.slots, sizeof *earlier);
  if (earlier == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for policy %s", policy->chunking->name);
  if (c->record.iterations > 0) {
    know_seen(c, setup);
    ls_record_earlier(&c->record, earlier);
    setup->earlier = earlier;
  }
  if (crew != NULL && !take_seats(policy, crew, setup))
    return ls_fail(err, LS_ENOMEM, "no memory for policy %s", policy->chunking->name);
  if (policy->chunking->init == NULL) return LS_OK;
  return policy->chunking->init(&policy->arena, setup, &policy->state, err);
}

enum ls_status ls_policy_create(const struct ls_coordinator *c, const struct ls_policy_start *start,
                                struct ls_policy **out, struct ls_error *err) {
  const struct ls_coordinator_config *config = &c->config;
  assert(start->units > 0);
  struct ls_chunking_setup setup = {
      .units = start->units,
      .slots = c->view.slots,
      .weights = start->weights,
      .mean_seconds = config->mean_seconds,
      .deviation_seconds = config->deviation_seconds,
      .overhead_seconds = config->overhead_seconds,
      .seed = config->seed,
      .plan = config->plan,
      .platform = config->platform,
      .arguments = start->choice.arguments,
  };
  struct ls_policy *made = calloc(1, sizeof *made);
  if (made == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for policy %s", start->choice.chunking->name);
  made->chunking = start->choice.chunking;
  enum ls_status status = init(made, c, start->crew, &setup, err);
  if (status != LS_OK) {
    ls_policy_destroy(made);
    return status;
  }
  *out = made;
  return LS_OK;
}

void ls_policy_destroy(struct ls_policy *policy) {
  if (policy == NULL) return;
  ls_arena_close(&policy->arena);
  free(policy);
}

void ls_policy_listen(struct ls_coordinator *c) {
  const struct ls_coordinator_choice choice = {c->config.chunking, c->config.arguments};
  c->record.report_every = ls_side_report_every(&c->config, &choice);
  c->record.history = ls_chunking_history(choice.chunking, &choice.arguments);
}
