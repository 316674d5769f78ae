/* returns.c: costs of workers whose results return, scenarios, and the plan made of one. */

#include "planners/returns/returns.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns_limits.h"

static bool is_nothing(const struct ls_cost *cost) {
  return !(cost->latency_s > 0) && !(cost->per_unit_s > 0);
}

/* The theory knows transfer, compute and reply. */
static const char *find_foreign_field(const struct ls_worker_model *worker) {
  for (int i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++) {
    bool is_known =
        i == LS_OPERATION_TRANSFER || i == LS_OPERATION_COMPUTE || i == LS_OPERATION_REPLY;
    if (!is_known && !is_nothing(&worker->costs[i])) return ls_operation_name((enum ls_operation)i);
  }
  if (worker->delay_s > 0) return "delay";
  return NULL;
}

bool ls_returns_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  const struct ls_platform *platform = setup->platform;
  if (platform->ports == LS_PORTS_MULTI)
    return ls_planner_refuse(
        why, "ports is multi-port, the theory of returns needs two-port or one-port");
  if (!is_nothing(&platform->prepare))
    return ls_planner_refuse(why, "master.prepare costs something, the theory of returns needs 0");
  for (size_t i = 0; i < platform->workers_count; i++) {
    const char *field = find_foreign_field(&platform->workers[i]);
    if (field == NULL) continue;
    return ls_planner_refuse(why, "worker %zu: %s costs something, the theory of returns needs 0",
                             i, field);
  }
  return true;
}

enum ls_status ls_returns_open(struct ls_returns *returns, const struct ls_planner_setup *setup,
                               struct ls_budget *budget, struct ls_error *err) {
  const struct ls_platform *platform = setup->platform;
  struct ls_returns read = {.count = platform->workers_count,
                            .is_one_port = platform->ports == LS_PORTS_ONE,
                            .load = setup->load,
                            .is_whole = setup->is_whole,
                            .budget = budget};
  read.workers = calloc(read.count, sizeof *read.workers);
  if (read.workers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", read.count);
  for (size_t i = 0; i < read.count; i++) {
    const struct ls_worker_model *from = &platform->workers[i];
    struct ls_returns_worker *worker = &read.workers[i];
    *worker = (struct ls_returns_worker){
        from->costs[LS_OPERATION_TRANSFER].per_unit_s, from->costs[LS_OPERATION_COMPUTE].per_unit_s,
        from->costs[LS_OPERATION_REPLY].per_unit_s,    from->costs[LS_OPERATION_TRANSFER].latency_s,
        from->costs[LS_OPERATION_COMPUTE].latency_s,   from->costs[LS_OPERATION_REPLY].latency_s};
    if (!(worker->send_s + worker->compute_s + worker->reply_s > 0)) {
      ls_returns_close(&read);
      return ls_fail(err, LS_EINVAL,
                     "worker %zu: transfer.per_unit, compute.per_unit and reply.per_unit are all "
                     "0, one of them must be > 0",
                     i);
    }
    if (worker->send_latency_s > 0 || worker->compute_latency_s > 0 || worker->reply_latency_s > 0)
      read.has_latency = true;
  }
  enum ls_status status = ls_returns_limits_read(setup, &read.limits, err);
  if (status != LS_OK) {
    ls_returns_close(&read);
    return status;
  }
  *returns = read;
  return LS_OK;
}

void ls_returns_close(struct ls_returns *returns) {
  free(returns->workers);
  free(returns->limits);
  *returns = (struct ls_returns){0};
}

enum ls_status ls_scenario_open(struct ls_scenario *scenario, size_t workers_count,
                                struct ls_error *err) {
  *scenario = (struct ls_scenario){0};
  scenario->sends = calloc(workers_count, sizeof *scenario->sends);
  scenario->returns = calloc(workers_count, sizeof *scenario->returns);
  scenario->units = calloc(workers_count, sizeof *scenario->units);
  scenario->ends_s = calloc(workers_count, sizeof *scenario->ends_s);
  if (scenario->sends != NULL && scenario->returns != NULL && scenario->units != NULL &&
      scenario->ends_s != NULL) {
    return LS_OK;
  }
  ls_scenario_close(scenario);
  return ls_fail(err, LS_ENOMEM, "no memory for the orders of %zu workers", workers_count);
}

void ls_scenario_close(struct ls_scenario *scenario) {
  free(scenario->sends);
  free(scenario->returns);
  free(scenario->units);
  free(scenario->ends_s);
  *scenario = (struct ls_scenario){0};
}

void ls_scenario_copy(struct ls_scenario *to, const struct ls_scenario *from,
                      size_t workers_count) {
  to->count = from->count;
  to->throughput = from->throughput;
  memcpy(to->sends, from->sends, from->count * sizeof *to->sends);
  memcpy(to->returns, from->returns, from->count * sizeof *to->returns);
  memcpy(to->units, from->units, workers_count * sizeof *to->units);
}

void ls_scenario_compact(struct ls_scenario *scenario) {
  size_t sends = 0, returns = 0;
  for (size_t i = 0; i < scenario->count; i++) {
    uint32_t sent = scenario->sends[i], returned = scenario->returns[i];
    if (scenario->units[sent] > 0) scenario->sends[sends++] = sent;
    if (scenario->units[returned] > 0) scenario->returns[returns++] = returned;
  }
  assert(sends == returns);
  scenario->count = sends;
}

void ls_scenario_keep(struct ls_scenario *scenario, const bool *is_kept) {
  size_t sends = 0, returns = 0;
  for (size_t i = 0; i < scenario->count; i++) {
    uint32_t sent = scenario->sends[i], returned = scenario->returns[i];
    if (!is_kept[sent]) scenario->units[sent] = 0;
    if (is_kept[sent]) scenario->sends[sends++] = sent;
    if (is_kept[returned]) scenario->returns[returns++] = returned;
  }
  assert(sends == returns);
  scenario->count = sends;
}

void ls_scenario_list_others(struct ls_scenario *scenario, size_t workers_count) {
  size_t listed = scenario->count;
  /* Scratch by worker: is it listed? */
  for (size_t i = 0; i < workers_count; i++) scenario->ends_s[i] = 0;
  for (size_t k = 0; k < listed; k++) scenario->ends_s[scenario->sends[k]] = 1;
  for (size_t i = 0; i < workers_count; i++) {
    if (scenario->ends_s[i] > 0) continue;
    scenario->units[i] = 0;
    scenario->sends[scenario->count] = scenario->returns[scenario->count] = (uint32_t)i;
    scenario->count++;
  }
}

void ls_scenario_list(struct ls_scenario *scenario, const uint32_t *order, size_t count) {
  memmove(scenario->sends, order, count * sizeof *order);
  memmove(scenario->returns, order, count * sizeof *order);
  scenario->count = count;
}

double ls_returns_makespan(const struct ls_returns *returns, const struct ls_scenario *scenario,
                           const double *units) {
  double sent_s = 0, back_s = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    double load = units[scenario->sends[k]];
    if (load > 0) sent_s += worker->send_latency_s + worker->send_s * load;
    scenario->ends_s[scenario->sends[k]] =
        load > 0 ? sent_s + worker->compute_latency_s + worker->compute_s * load : 0;
  }
  if (returns->is_one_port) back_s = sent_s;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->returns[k]];
    double load = units[scenario->returns[k]];
    if (!(load > 0)) continue;
    back_s = fmax(back_s, scenario->ends_s[scenario->returns[k]]);
    back_s += worker->reply_latency_s + worker->reply_s * load;
  }
  return back_s;
}
