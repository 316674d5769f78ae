/* handle_weights.c: the weights of workers, and their speeds, learnt from what their units took.
 *
 * Policies such as wf take weights for granted, and nobody may have told any.  A worker counts once
 * it has ended a few units; before, it has that of its benchmark, or else the mean.  The sum of the
 * weights stays, so a policy may keep it from one request to the next.  Renewed when a worker
 * becomes known, and then once for as many results as there are slots: that costs each result the
 * same, however many there are.
 *
 * Speeds are for orders and replications, which know units apart, and for who is released first:
 * they come of what a unit took beside what was expected of it, and are renewed between iterations.
 * A worker whose units have shown nothing yet has that of its machine in an earlier run, or of its
 * benchmark.
 */
#include <stdlib.h>

#include "coordinator/handlers_private.h"
#include "coordinator/side_settings.h"

static bool may_learn(const struct ls_coordinator *c) {
  return ls_side_is_weighing(&c->config);
}

/* The sums are equal: what the measured ones are to be multiplied by. */
static double find_scale(const struct ls_coordinator *c, const double *measured) {
  double sum = 0, measured_sum = 0;
  for (size_t i = 0; i < c->view.slots; i++) {
    sum += c->weights[i];
    measured_sum += measured[i];
  }
  return sum > 0 ? sum / measured_sum : 1;
}

void ls_weight_learn(struct ls_coordinator *c) {
  size_t slots = c->view.slots;
  if (!may_learn(c)) return;
  double *measured = calloc(slots, sizeof *measured);
  enum ls_status status =
      measured != NULL ? ls_record_speeds(&c->record, slots, LS_WEIGHT_UNITS, measured) : LS_ENOMEM;
  ls_step_fail(c, status);
  double scale = status == LS_OK ? find_scale(c, measured) : 1, sum = 0;
  for (size_t i = 0; i < slots && status == LS_OK; i++) sum += c->weights[i] = scale * measured[i];
  if (status == LS_OK) {
    c->newcomer_weight = sum / (double)slots;
    c->is_weighed = true;
  }
  c->has_weight_news = false;
  c->weighed = 0;
  free(measured);
}

bool ls_speed_is_learnt(const struct ls_coordinator *c) {
  return c->config.learns_speeds && c->config.weights_count == 0 &&
         ls_record_tells_units_apart(&c->record);
}

void ls_speed_renew(struct ls_coordinator *c) {
  if (!ls_speed_is_learnt(c)) return;
  ls_step_fail(c, ls_record_renew_alphas(&c->record, LS_WEIGHT_UNITS));
}

static int compare_place(const void *key, const void *item) {
  const uint64_t *place = key;
  const struct ls_coordinator_host *host = item;
  return *place < host->place ? -1 : *place > host->place;
}

void ls_speed_recall(struct ls_coordinator *c, uint32_t slot, uint64_t place) {
  if (!c->config.learns_speeds || c->config.weights_count > 0 || c->config.hosts_count == 0) return;
  const struct ls_coordinator_host *host = bsearch(&place, c->config.hosts, c->config.hosts_count,
                                                   sizeof *c->config.hosts, compare_place);
  if (host != NULL) ls_record_take_past(&c->record, slot, host->speed);
}

void ls_speed_hear(struct ls_coordinator *c, uint32_t slot, double speed) {
  if (may_learn(c)) c->has_weight_news = true;
  if (!(c->config.learns_speeds || may_learn(c)) || c->config.weights_count > 0) return;
  ls_record_hear_benchmark(&c->record, slot, speed);
}
