/* setup.c: refuses a setup that cannot become a run.
 *
 * Every refusal names the field, its value and what was expected.
 */
#include "base/labels.h"
#include "simulate/engine_private.h"
#include "simulate/iterations_private.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static bool is_duration(double seconds) {
  return seconds >= 0 && isfinite(seconds);
}

static enum ls_status check_changes(const struct ls_simulation *setup, bool is_join,
                                    struct ls_error *err) {
  const char *field = is_join ? "join" : "leave";
  const struct ls_simulated_change *changes = is_join ? setup->join : setup->leave;
  size_t count = is_join ? setup->join_count : setup->leave_count;
  for (size_t i = 0; i < count; i++) {
    if (changes[i].worker >= setup->platform->workers_count)
      return ls_fail(err, LS_EINVAL, "%s[%zu].worker is %" PRIu32 ", must be below %zu", field, i,
                     changes[i].worker, setup->platform->workers_count);
    if (!is_duration(changes[i].time_s))
      return ls_fail(err, LS_EINVAL, "%s[%zu].time is %g, must be finite and >= 0", field, i,
                     changes[i].time_s);
    for (size_t j = 0; j < i; j++)
      if (changes[j].worker == changes[i].worker)
        return ls_fail(err, LS_EINVAL, "%s[%zu].worker is %" PRIu32 ", which stands there already",
                       field, i, changes[i].worker);
  }
  return LS_OK;
}

/* Who has the label may leave, but somebody has it. */
static enum ls_status check_needs(const struct ls_simulation *setup, struct ls_error *err) {
  const struct ls_coordinator_config *config = &setup->config;
  for (size_t i = 0; i < setup->needs_count; i++) {
    bool is_met = false;
    for (size_t k = 0; k < config->labels_count && !is_met; k++)
      is_met = ls_labels_have(config->labels[k], setup->needs[i].label);
    if (is_met) continue;
    return ls_fail(err, LS_EINVAL,
                   "needs[%zu].label is '%s', which no worker has (unit %" PRIu64 ")", i,
                   setup->needs[i].label, setup->needs[i].units.first);
  }
  if (setup->needs_count == 0 || setup->additions_count == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "needs: of %zu, expected none with additions", setup->needs_count);
}

static enum ls_status check_departures(const struct ls_simulation *setup, struct ls_error *err) {
  for (size_t i = 0; i < setup->depart_count; i++) {
    const struct ls_simulated_change *change = &setup->depart[i];
    if (change->worker >= setup->platform->workers_count)
      return ls_fail(err, LS_EINVAL, "depart[%zu].worker is %" PRIu32 ", must be below %zu", i,
                     change->worker, setup->platform->workers_count);
    if (!is_duration(change->time_s))
      return ls_fail(err, LS_EINVAL, "depart[%zu].time is %g, must be finite and >= 0", i,
                     change->time_s);
  }
  return LS_OK;
}

/* The coordinator refuses an unknown policy itself. */
static enum ls_status check_outside(const struct ls_simulation *setup, struct ls_error *err) {
  const struct ls_coordinator_config *config = &setup->config;
  for (size_t i = 0; i < setup->advice_count; i++) {
    const struct ls_event_advice *advice = &setup->advice[i].advice;
    if (!is_duration(setup->advice[i].time_s))
      return ls_fail(err, LS_EINVAL, "advice[%zu].time is %g, must be finite and >= 0", i,
                     setup->advice[i].time_s);
    if (advice->policy > 0 && config->chunking->is_pushed)
      return ls_fail(err, LS_EINVAL, "advice[%zu].policy: a run under %s keeps its policy", i,
                     config->chunking->name);
  }
  for (size_t i = 0; i < config->choices_count; i++)
    if (config->choices[i].chunking->is_pushed)
      return ls_fail(err, LS_EINVAL, "advice: policy %s can only be what a run begins with",
                     config->choices[i].chunking->name);
  if (setup->stop.is_wanted && !is_duration(setup->stop.time_s))
    return ls_fail(err, LS_EINVAL, "stop.time is %g, must be finite and >= 0", setup->stop.time_s);
  enum ls_status status = check_needs(setup, err);
  return status == LS_OK ? check_departures(setup, err) : status;
}

static enum ls_status check_order(const struct ls_simulation *setup, struct ls_error *err) {
  for (size_t i = 0; i < setup->leave_count; i++)
    for (size_t j = 0; j < setup->join_count; j++)
      if (setup->leave[i].worker == setup->join[j].worker &&
          !(setup->leave[i].time_s > setup->join[j].time_s))
        return ls_fail(err, LS_EINVAL,
                       "leave[%zu].time is %g, but worker %" PRIu32 " joins at %g only", i,
                       setup->leave[i].time_s, setup->leave[i].worker, setup->join[j].time_s);
  return LS_OK;
}

static enum ls_status check_availability(const struct ls_simulation *setup, struct ls_error *err) {
  if (!setup->availability) return LS_OK;
  for (size_t worker = 0; worker < setup->platform->workers_count; worker++) {
    const struct ls_availability *pieces = setup->availability[worker];
    double before_s = -(double)INFINITY;
    for (size_t i = 0; i < setup->availability_count[worker]; i++) {
      if (!is_duration(pieces[i].from_s) || !(pieces[i].from_s > before_s))
        return ls_fail(err, LS_EINVAL,
                       "availability[%zu][%zu].from is %g, must be finite and ascend from 0",
                       worker, i, pieces[i].from_s);
      if (!is_duration(pieces[i].share))
        return ls_fail(err, LS_EINVAL,
                       "availability[%zu][%zu].share is %g, must be finite and >= 0", worker, i,
                       pieces[i].share);
      before_s = pieces[i].from_s;
    }
  }
  return LS_OK;
}

/* All of them, without a branch for each: there may be millions, in each of many simulations. */
static bool are_durations(const double *seconds, uint64_t count) {
  bool are_good = true;
  for (uint64_t i = 0; i < count; i++) are_good &= seconds[i] >= 0 && seconds[i] <= DBL_MAX;
  return are_good;
}

static enum ls_status check_work(const struct ls_simulation *setup, uint64_t first, uint64_t count,
                                 struct ls_error *err) {
  if (setup->task_work == NULL || are_durations(setup->task_work + first, count)) return LS_OK;
  uint64_t index = first;
  while (is_duration(setup->task_work[index])) index++;
  return ls_fail(err, LS_EINVAL, "task_work[%" PRIu64 "] is %g, must be finite and >= 0", index,
                 setup->task_work[index]);
}

static enum ls_status check_idle(const struct ls_simulation *setup, uint32_t iteration,
                                 uint64_t units, struct ls_error *err) {
  const struct ls_ranges *idle = ls_simulated_iteration_idle(setup, iteration);
  uint64_t before = 0;
  for (size_t i = 0; i < idle->count; i++) {
    const struct ls_range *range = &idle->items[i];
    bool is_within = range->first < units && range->count <= units - range->first;
    if (!is_within || range->first < before)
      return ls_fail(err, LS_EINVAL,
                     "idle[%" PRIu32 "][%zu] is %" PRIu64 "+%" PRIu64
                     ", must be within the %" PRIu64
                     " units of its iteration, after the one before",
                     iteration, i, range->first, range->count, units);
    before = range->first + range->count;
  }
  return LS_OK;
}

static enum ls_status check_iterations(const struct ls_simulation *setup, struct ls_error *err) {
  uint32_t iterations = setup->iterations > 0 ? setup->iterations : 1;
  uint64_t index = 0;
  for (uint32_t k = 0; k < iterations; k++) {
    uint64_t units = ls_simulated_iteration_units(setup, k);
    if (units == 0 && iterations > 1)
      return ls_fail(err, LS_EINVAL, "iteration %" PRIu32 " has no units, must be 1 or more", k);
    enum ls_status status = check_work(setup, index, units, err);
    if (status == LS_OK) status = check_idle(setup, k, units, err);
    if (status != LS_OK) return status;
    index += units;
  }
  return LS_OK;
}

static enum ls_status check_pauses(const struct ls_simulation *setup, struct ls_error *err) {
  for (size_t i = 0; i < setup->pauses_count; i++) {
    const struct ls_simulated_pause *pause = &setup->pauses[i];
    if (pause->worker >= setup->platform->workers_count)
      return ls_fail(err, LS_EINVAL, "pauses[%zu].worker is %" PRIu32 ", must be below %zu", i,
                     pause->worker, setup->platform->workers_count);
    if (!is_duration(pause->from_s))
      return ls_fail(err, LS_EINVAL, "pauses[%zu].from is %g, must be finite and >= 0", i,
                     pause->from_s);
    if (!(pause->until_s > pause->from_s))
      return ls_fail(err, LS_EINVAL, "pauses[%zu].until is %g, must be later than from, %g", i,
                     pause->until_s, pause->from_s);
  }
  return LS_OK;
}

static enum ls_status check_additions(const struct ls_simulation *setup, struct ls_error *err) {
  uint64_t units = ls_simulated_iteration_units(setup, 0);
  double before_s = 0;
  if (setup->additions_count == 0) return LS_OK;
  if (setup->iterations > 1 || setup->config.chunking->is_pushed)
    return ls_fail(err, LS_EINVAL, "additions are to %s, expected a single iteration without one",
                   setup->iterations > 1 ? "several iterations" : "a load with a plan");
  if (setup->idle != NULL)
    return ls_fail(err, LS_EINVAL,
                   "additions are to a load of which units are idle, expected one "
                   "without \"idle\"");
  for (size_t i = 0; i < setup->additions_count; i++) {
    const struct ls_simulated_addition *addition = &setup->additions[i];
    if (!is_duration(addition->time_s) || addition->time_s < before_s)
      return ls_fail(err, LS_EINVAL, "additions[%zu].time is %g, must be finite and >= %g", i,
                     addition->time_s, before_s);
    if (addition->units == 0 || addition->units > units)
      return ls_fail(err, LS_EINVAL,
                     "additions[%zu].units is %" PRIu64 ", must be 1 to %" PRIu64
                     ", what is left of the load",
                     i, addition->units, units);
    before_s = addition->time_s;
    units -= addition->units;
  }
  return LS_OK;
}

static enum ls_status check_chance(const struct ls_simulation *setup, struct ls_error *err) {
  const struct ls_simulated_reclaim *reclaim = &setup->reclaim;
  const struct ls_simulated_grant *grant = &setup->grant;
  size_t machines = setup->platform->workers_count;
  if (!(setup->chunk_error >= 0 && setup->chunk_error <= 1))
    return ls_fail(err, LS_EINVAL, "the error is %g, must be within 0 and 1", setup->chunk_error);
  if (!(reclaim->probability >= 0 && reclaim->probability <= 1))
    return ls_fail(err, LS_EINVAL, "reclaim.probability is %g, must be within 0 and 1",
                   reclaim->probability);
  if (!is_duration(reclaim->mean_up_s))
    return ls_fail(err, LS_EINVAL, "reclaim.mean_up is %g, must be finite and >= 0",
                   reclaim->mean_up_s);
  if (reclaim->mean_up_s > 0 && !(is_duration(reclaim->mean_away_s) && reclaim->mean_away_s > 0))
    return ls_fail(err, LS_EINVAL, "reclaim.mean_away is %g, must be finite and > 0",
                   reclaim->mean_away_s);
  if (grant->at_start > machines)
    return ls_fail(err, LS_EINVAL, "grant.at_start is %zu, must be at most %zu", grant->at_start,
                   machines);
  if (!is_duration(grant->delay_s))
    return ls_fail(err, LS_EINVAL, "grant.delay is %g, must be finite and >= 0", grant->delay_s);
  size_t at_start = grant->at_start > 0 ? grant->at_start : machines;
  if (grant->limit > 0 && grant->limit < at_start)
    return ls_fail(err, LS_EINVAL, "grant.limit is %zu, must be at least the %zu machines at start",
                   grant->limit, at_start);
  for (size_t i = 0; grant->at_start > 0 && i < setup->join_count; i++)
    if (setup->join[i].worker >= grant->at_start)
      return ls_fail(err, LS_EINVAL,
                     "join[%zu].worker is %" PRIu32 ", which comes when it is granted", i,
                     setup->join[i].worker);
  return LS_OK;
}

enum ls_status ls_simulation_check(const struct ls_simulation *setup, struct ls_error *err) {
  if (!setup->platform) return ls_fail(err, LS_EINVAL, "platform is missing");
  enum ls_status status = ls_platform_check(setup->platform, err);
  if (status == LS_OK && setup->platform->workers_count >= LS_WORKER_NONE)
    status = ls_fail(err, LS_EINVAL, "platform: %zu workers, must be below %u",
                     setup->platform->workers_count, (unsigned)LS_WORKER_NONE);
  if (status == LS_OK && setup->has_stage_ahead && setup->stage_ahead > LS_STAGE_AHEAD_MOST)
    status = ls_fail(err, LS_EINVAL, "stage_ahead is %u, must be at most %d",
                     (unsigned)setup->stage_ahead, LS_STAGE_AHEAD_MOST);
  if (status == LS_OK && !setup->config.chunking)
    status = ls_fail(err, LS_EINVAL, "config.chunking is missing, expected a chunking policy");
  if (status == LS_OK && setup->availability && !setup->availability_count)
    status = ls_fail(err, LS_EINVAL, "availability_count is missing, expected one per worker");
  if (status == LS_OK) status = check_changes(setup, true, err);
  if (status == LS_OK) status = check_changes(setup, false, err);
  if (status == LS_OK) status = check_order(setup, err);
  if (status == LS_OK) status = check_availability(setup, err);
  if (status == LS_OK) status = check_pauses(setup, err);
  if (status == LS_OK) status = check_additions(setup, err);
  if (status == LS_OK) status = check_chance(setup, err);
  if (status == LS_OK) status = check_outside(setup, err);
  if (status == LS_OK) status = check_iterations(setup, err);
  return status;
}
