#include "planners/returns/returns_limits.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/room.h"
#include "planners/fit.h"

/* For the choice of workers: other crews to begin with, and changes that are looked at in all. */
enum { STARTS_MAX = 50, CHANGES_MAX = 2000000 };

static const double NOISE = 1e-12;

enum ls_status ls_returns_limits_read(const struct ls_planner_setup *setup,
                                      struct ls_returns_limits **limits, struct ls_error *err) {
  const struct ls_platform *platform = setup->platform;
  *limits = NULL;
  if (!ls_fit_is_needed(platform)) return LS_OK;
  struct ls_returns_limits *read = calloc(platform->workers_count, sizeof *read);
  if (read == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", platform->workers_count);
  for (size_t i = 0; i < platform->workers_count; i++) {
    read[i].least = ls_worker_chunk_least(&platform->workers[i]);
    read[i].most = ls_worker_chunk_most(&platform->workers[i]);
    if (!setup->is_whole) continue;
    read[i].least = ls_whole_least(read[i].least);
    read[i].most = ls_whole_most(read[i].most);
  }
  *limits = read;
  return LS_OK;
}

/* Sums of limits that are the load but for this are the load. */
static double find_tolerance(const struct ls_returns *returns) {
  return NOISE * returns->load;
}

static double add_units(const struct ls_scenario *scenario) {
  struct ls_sum sum = {0};
  for (size_t k = 0; k < scenario->count; k++)
    ls_sum_add(&sum, scenario->units[scenario->sends[k]]);
  return ls_sum_value(&sum);
}

bool ls_returns_fits(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  if (returns->limits == NULL) return true;
  double sum = add_units(scenario);
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    double units = scenario->units[scenario->sends[k]] / sum * returns->load;
    if (!(units > NOISE * returns->load)) continue;
    if (!(units >= limits->least * (1 - NOISE) && units <= limits->most * (1 + NOISE)))
      return false;
  }
  return true;
}

bool ls_returns_can_hold(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  struct ls_sum least = {0}, most = {0};
  double tolerance = find_tolerance(returns);
  if (returns->limits == NULL) return true;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    if (!(limits->least <= limits->most)) return false;
    ls_sum_add(&least, limits->least);
    ls_sum_add(&most, fmin(limits->most, returns->load));
  }
  return ls_sum_value(&least) <= returns->load + tolerance &&
         ls_sum_value(&most) >= returns->load - tolerance;
}

/* So much more (`sign` > 0) or less may the worker have. */
static double find_slack(const struct ls_returns *returns, double units, uint32_t worker,
                         double sign) {
  const struct ls_returns_limits *limits = &returns->limits[worker];
  return sign > 0 ? fmin(limits->most, returns->load) - units : units - limits->least;
}

void ls_returns_settle(const struct ls_returns *returns, struct ls_scenario *scenario) {
  double slack = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    double *units = &scenario->units[scenario->sends[k]];
    *units = fmin(fmax(*units, limits->least), limits->most);
  }
  double rest = returns->load - add_units(scenario);
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = scenario->sends[k];
    slack += find_slack(returns, scenario->units[worker], worker, rest);
  }
  if (!(slack > 0)) return;
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = scenario->sends[k];
    scenario->units[worker] +=
        rest / slack * find_slack(returns, scenario->units[worker], worker, rest);
  }
}

/* Workers that get a chunk each, and what they can be given together. */
struct crew {
  const struct ls_returns *returns;
  const struct ls_scenario *listed;
  bool *is_enrolled; /* by worker */
  double least, most;
  uint64_t changes; /* looked at */
};

/* No chunk is larger than the load, so that sums stay finite. */
static double chunk_most(const struct crew *crew, uint32_t worker) {
  return fmin(crew->returns->limits[worker].most, crew->returns->load);
}

static bool is_usable(const struct crew *crew, uint32_t worker) {
  const struct ls_returns_limits *limits = &crew->returns->limits[worker];
  return limits->least <= limits->most &&
         limits->least <= crew->returns->load + find_tolerance(crew->returns);
}

/* Enrols the worker, or lets it go. */
static void toggle(struct crew *crew, uint32_t worker) {
  double sign = crew->is_enrolled[worker] ? -1 : 1;
  crew->is_enrolled[worker] = !crew->is_enrolled[worker];
  crew->least += sign * crew->returns->limits[worker].least;
  crew->most += sign * chunk_most(crew, worker);
}

/* How far the load lies outside what the crew can be given. */
static double find_gap(const struct crew *crew) {
  double gap = fmax(crew->least - crew->returns->load, crew->returns->load - crew->most);
  return gap > find_tolerance(crew->returns) ? gap : 0;
}

static double cost_of(const struct crew *crew, uint32_t worker) {
  const struct ls_returns_worker *costs = &crew->returns->workers[worker];
  return costs->send_s + costs->compute_s + costs->reply_s;
}

/* The cheapest workers join while the crew cannot take the whole load. */
static void enrol_more(struct crew *crew) {
  double load = crew->returns->load, tolerance = find_tolerance(crew->returns);
  while (load - crew->most > tolerance) {
    uint32_t best = UINT32_MAX;
    for (size_t k = 0; k < crew->listed->count; k++) {
      uint32_t worker = crew->listed->sends[k];
      if (crew->is_enrolled[worker] || !is_usable(crew, worker)) continue;
      if (crew->least + crew->returns->limits[worker].least > load + tolerance) continue;
      if (best == UINT32_MAX || cost_of(crew, worker) < cost_of(crew, best)) best = worker;
    }
    if (best == UINT32_MAX) return;
    toggle(crew, best);
  }
}

/* The workers with the fewest units go while the crew asks for more than the load. */
static void enrol_fewer(struct crew *crew) {
  const double *units = crew->listed->units;
  double load = crew->returns->load, tolerance = find_tolerance(crew->returns);
  while (crew->least - load > tolerance) {
    uint32_t best = UINT32_MAX;
    for (size_t k = 0; k < crew->listed->count; k++) {
      uint32_t worker = crew->listed->sends[k];
      if (!crew->is_enrolled[worker] || !(crew->returns->limits[worker].least > 0)) continue;
      if (crew->most - chunk_most(crew, worker) < load - tolerance) continue;
      if (best == UINT32_MAX || units[worker] < units[best]) best = worker;
    }
    if (best == UINT32_MAX) return;
    toggle(crew, best);
  }
}

/* The gap when the first worker comes or goes and the second one, if another, takes its place. */
static double try_change(struct crew *crew, uint32_t first, uint32_t second) {
  double least = crew->least, most = crew->most;
  bool is_pair = first != second;
  if (!is_usable(crew, first) || !is_usable(crew, second)) return HUGE_VAL;
  if (is_pair && crew->is_enrolled[first] == crew->is_enrolled[second]) return HUGE_VAL;
  toggle(crew, first);
  if (is_pair) toggle(crew, second);
  double gap = find_gap(crew);
  toggle(crew, first);
  if (is_pair) toggle(crew, second);
  crew->least = least;
  crew->most = most;
  return gap;
}

/* Single workers come, go and change places, the best change first, while the gap shrinks. */
static void close_gap(struct crew *crew) {
  size_t count = crew->listed->count;
  const uint32_t *workers = crew->listed->sends;
  while (find_gap(crew) > 0 && crew->changes + count * count <= CHANGES_MAX) {
    crew->changes += count * count;
    double least = find_gap(crew) * (1 - 1e-9);
    uint32_t first = UINT32_MAX, second = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
      for (size_t j = i; j < count; j++) {
        double gap = try_change(crew, workers[i], workers[j]);
        if (!(gap < least)) continue;
        least = gap;
        first = workers[i];
        second = workers[j];
      }
    }
    if (first == UINT32_MAX) return;
    toggle(crew, first);
    if (first != second) toggle(crew, second);
  }
}

/* The crew of those that are enrolled and usable. */
static void gather(struct crew *crew) {
  crew->least = crew->most = 0;
  for (size_t k = 0; k < crew->listed->count; k++) {
    uint32_t worker = crew->listed->sends[k];
    bool is_kept = crew->is_enrolled[worker] && is_usable(crew, worker);
    crew->is_enrolled[worker] = false;
    if (is_kept) toggle(crew, worker);
  }
}

bool ls_returns_enrol(const struct ls_returns *returns, const struct ls_scenario *listed,
                      bool *is_enrolled) {
  struct crew crew = {.returns = returns, .listed = listed, .is_enrolled = is_enrolled};
  gather(&crew);
  enrol_more(&crew);
  enrol_fewer(&crew);
  close_gap(&crew);
  /* Where that ends beside the load, another start may not: nobody, the first one, two, ... */
  for (size_t start = 0; find_gap(&crew) > 0 && start <= listed->count; start++) {
    if (start > STARTS_MAX) break;
    for (size_t k = 0; k < listed->count; k++) is_enrolled[listed->sends[k]] = k < start;
    gather(&crew);
    close_gap(&crew);
  }
  return !(find_gap(&crew) > 0);
}
