

#include "planners/star/reduced_star.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/statistics.h"

static bool is_same(double a, double b) {
  return !(a < b) && !(a > b);
}

static bool has_same_costs(const struct ls_star_worker *a, const struct ls_star_worker *b) {
  return is_same(a->send_latency_s, b->send_latency_s) &&
         is_same(a->send_per_unit_s, b->send_per_unit_s) && is_same(a->delay_s, b->delay_s) &&
         is_same(a->compute_latency_s, b->compute_latency_s) &&
         is_same(a->compute_per_unit_s, b->compute_per_unit_s);
}

bool ls_star_is_identical(const struct ls_star_worker *workers, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (!has_same_costs(&workers[0], &workers[i])) return false;
  }
  return true;
}

static bool costs_something(const struct ls_cost *cost) {
  return cost->latency_s > 0 || cost->per_unit_s > 0;
}

static struct ls_cost add_costs(const struct ls_cost *a, const struct ls_cost *b) {
  return (struct ls_cost){a->latency_s + b->latency_s, a->per_unit_s + b->per_unit_s};
}

/* The station that decides how fast messages follow each other. */
static struct ls_cost choose_slower(const struct ls_cost *a, const struct ls_cost *b) {
  if (a->per_unit_s > b->per_unit_s) return *a;
  if (a->per_unit_s < b->per_unit_s) return *b;
  return a->latency_s > b->latency_s ? *a : *b;
}

/* S/B; a worker that computes at no cost is refused later, and stands at the end till then. */
static double find_ratio(const struct ls_cost *send, const struct ls_cost *compute) {
  return compute->per_unit_s > 0 ? send->per_unit_s / compute->per_unit_s : (double)INFINITY;
}

static struct ls_star_worker reduce_worker(const struct ls_platform *platform, size_t i) {
  const struct ls_worker_model *worker = &platform->workers[i];
  struct ls_cost master = add_costs(&platform->prepare, &worker->costs[LS_OPERATION_SEND]);
  struct ls_cost send = choose_slower(&master, &worker->costs[LS_OPERATION_TRANSFER]);
  struct ls_cost compute =
      add_costs(&worker->costs[LS_OPERATION_RECEIVE], &worker->costs[LS_OPERATION_COMPUTE]);
  return (struct ls_star_worker){.send_latency_s = send.latency_s,
                                 .send_per_unit_s = send.per_unit_s,
                                 .delay_s = worker->delay_s,
                                 .compute_latency_s = compute.latency_s,
                                 .compute_per_unit_s = compute.per_unit_s,
                                 .number = (uint32_t)i,
                                 .ratio = find_ratio(&send, &compute)};
}

/* One way out for all messages, and nothing that comes back. */
static bool find_exactness(const struct ls_platform *platform) {
  bool uses_master = costs_something(&platform->prepare), uses_network = false;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    uses_master = uses_master || costs_something(&worker->costs[LS_OPERATION_SEND]);
    uses_network = uses_network || costs_something(&worker->costs[LS_OPERATION_TRANSFER]);
    if (costs_something(&worker->costs[LS_OPERATION_REPLY])) return false;
  }
  return platform->ports != LS_PORTS_MULTI && !(uses_master && uses_network);
}

enum ls_status ls_reduced_star_init(struct ls_reduced_star *workers,
                                    const struct ls_platform *platform, struct ls_error *err) {
  size_t count = platform->workers_count;
  struct ls_star_worker *items = calloc(count, sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  for (size_t i = 0; i < count; i++) items[i] = reduce_worker(platform, i);
  *workers = (struct ls_reduced_star){.items = items,
                                      .count = count,
                                      .is_exact = find_exactness(platform),
                                      .is_multi_port = platform->ports == LS_PORTS_MULTI};
  return LS_OK;
}

void ls_reduced_star_close(struct ls_reduced_star *workers) {
  free(workers->items);
  *workers = (struct ls_reduced_star){0};
}

static int compare_ratios(const void *left, const void *right) {
  const struct ls_star_worker *a = left, *b = right;
  if (a->ratio < b->ratio) return -1;
  if (a->ratio > b->ratio) return 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

void ls_reduced_star_take(struct ls_reduced_star *workers, enum ls_star_set set) {
  if (set == LS_STAR_PLATFORM || ls_star_is_identical(workers->items, workers->count)) return;
  qsort(workers->items, workers->count, sizeof *workers->items, compare_ratios);
  if (set == LS_STAR_SORTED) return;
  struct ls_sum sum = {0};
  size_t kept = 0;
  while (kept < workers->count) {
    ls_sum_add(&sum, workers->items[kept].ratio);
    if (!(ls_sum_value(&sum) < 1)) break;
    kept++;
  }
  workers->count = kept > 0 ? kept : 1;
}

bool ls_reduced_star_are_equal(const struct ls_reduced_star *a, const struct ls_reduced_star *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++) {
    if (a->items[i].number != b->items[i].number) return false;
  }
  return true;
}

enum ls_status ls_star_sets_init(struct ls_reduced_star sets[LS_STAR_SETS], size_t *count,
                                 const struct ls_platform *platform, struct ls_error *err) {
  size_t found = 0;
  for (int set = 0; set < LS_STAR_SETS; set++) {
    enum ls_status status = ls_reduced_star_init(&sets[found], platform, err);
    if (status != LS_OK) {
      ls_star_sets_close(sets, found);
      return status;
    }
    ls_reduced_star_take(&sets[found], (enum ls_star_set)set);
    bool is_new = true;
    for (size_t i = 0; i < found && is_new; i++) {
      is_new = !ls_reduced_star_are_equal(&sets[i], &sets[found]);
    }
    if (is_new) {
      found++;
    } else {
      ls_reduced_star_close(&sets[found]);
    }
  }
  *count = found;
  return LS_OK;
}

void ls_star_sets_close(struct ls_reduced_star sets[LS_STAR_SETS], size_t count) {
  for (size_t i = 0; i < count; i++) ls_reduced_star_close(&sets[i]);
}

/* Below that, theta = 1 / slowness is no number. */
static const double LEAST_SLOWNESS = 1e-300;

bool ls_reduced_star_has_theta(const struct ls_reduced_star *workers) {
  double slowness = 0;
  for (size_t i = 0; i < workers->count; i++) slowness += workers->items[i].ratio;
  return slowness > LEAST_SLOWNESS;
}

bool ls_reduced_star_keeps_busy(const struct ls_platform *platform, struct ls_planner_reason *why) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    double per_unit_s = reduce_worker(platform, i).compute_per_unit_s;
    if (isfinite(1 / per_unit_s)) continue;
    return ls_planner_refuse(why, "worker %zu: compute.per_unit is %g, so nothing keeps it busy", i,
                             per_unit_s);
  }
  return true;
}

bool ls_reduced_star_grows(const struct ls_platform *platform, struct ls_planner_reason *why) {
  double slowness = 0;
  for (size_t i = 0; i < platform->workers_count; i++) slowness += reduce_worker(platform, i).ratio;
  return slowness > LEAST_SLOWNESS ||
         ls_planner_refuse(why,
                           "sending costs nothing per unit, so no number of rounds is the best");
}

bool ls_reduced_star_takes_time(const struct ls_platform *platform, struct ls_planner_reason *why) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_star_worker worker = reduce_worker(platform, i);
    if (!(worker.send_per_unit_s + worker.compute_per_unit_s > 0))
      return ls_planner_refuse(why, "worker %zu: sending and computing cost nothing per unit", i);
  }
  return true;
}

bool ls_reduced_star_is_alike(const struct ls_platform *platform, struct ls_planner_reason *why) {
  struct ls_star_worker first = reduce_worker(platform, 0);
  for (size_t i = 1; i < platform->workers_count; i++) {
    struct ls_star_worker worker = reduce_worker(platform, i);
    if (!has_same_costs(&first, &worker))
      return ls_planner_refuse(why, "the workers are not identical");
  }
  return true;
}

enum ls_status ls_star_reserve(struct ls_plan *plan, size_t chunks, struct ls_error *err) {
  void *items = plan->chunks;
  enum ls_status status =
      ls_array_reserve(&items, &plan->chunks_capacity, chunks, sizeof *plan->chunks);
  plan->chunks = items;
  return status == LS_OK ? LS_OK : ls_fail(err, status, "no memory for %zu chunks", chunks);
}

void ls_star_note(struct ls_star_notes *notes, const char *format, ...) {
  size_t length = strlen(notes->text);
  if (length > 0 && length + 2 < sizeof notes->text) {
    memcpy(notes->text + length, "; ", 3);
    length += 2;
  }
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(notes->text + length, sizeof notes->text - length, format, arguments);
  va_end(arguments);
}

void ls_star_tell(struct ls_star_notes *notes, const struct ls_reduced_star *workers,
                  struct ls_plan *plan) {
  if (workers->is_multi_port) {
    ls_star_note(notes, "planned for one transfer at a time, played with shared bandwidth");
  } else if (!workers->is_exact) {
    ls_star_note(notes, "planned without a station that the replay charges");
  }
  if (notes->text[0] != '\0') ls_plan_set_text(plan, "why", notes->text);
}
