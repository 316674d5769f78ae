#include "planners/scow/scow_star.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/star/reduced_star.h"

static bool is_same(double a, double b) {
  return !(a < b) && !(a > b);
}

static bool is_same_cost(const struct ls_cost *a, const struct ls_cost *b) {
  return is_same(a->latency_s, b->latency_s) && is_same(a->per_unit_s, b->per_unit_s);
}

static bool is_same_worker(const struct ls_scow_worker *a, const struct ls_scow_worker *b) {
  return is_same_cost(&a->master, &b->master) && is_same_cost(&a->link, &b->link) &&
         is_same_cost(&a->compute, &b->compute) && is_same(a->delay_s, b->delay_s) &&
         is_same(a->reply_s, b->reply_s) && is_same(a->least, b->least) &&
         is_same(a->most, b->most) && is_same(a->tail_least, b->tail_least);
}

static int compare_workers(const void *left, const void *right) {
  const struct ls_scow_worker *a = left, *b = right;
  if (a->send.per_unit_s < b->send.per_unit_s) return -1;
  if (a->send.per_unit_s > b->send.per_unit_s) return 1;
  if (a->send.latency_s < b->send.latency_s) return -1;
  if (a->send.latency_s > b->send.latency_s) return 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static bool has_parameter(const struct ls_parameter *parameters, const char *name) {
  for (; parameters != NULL && parameters->name != NULL; parameters++)
    if (strcmp(parameters->name, name) == 0) return true;
  return false;
}

/* The argument `window`: 0 and INFINITY when it is not given. */
static void find_window(const struct ls_planner_setup *setup, const struct ls_parameter *parameters,
                        double *least, double *most) {
  *least = 0;
  *most = (double)INFINITY;
  if (!has_parameter(parameters, "window")) return;
  const struct ls_argument_list *list = ls_arguments_list(&setup->arguments, parameters, "window");
  if (list->count != 2) return;
  *least = list->items[0];
  *most = list->items[1];
}

static struct ls_scow_worker see_worker(const struct ls_platform *platform,
                                        const struct ls_star_worker *star, double least,
                                        double most) {
  const struct ls_worker_model *model = &platform->workers[star->number];
  const struct ls_cost *costs = model->costs;
  return (struct ls_scow_worker){
      .master = {platform->prepare.latency_s + costs[LS_OPERATION_SEND].latency_s,
                 platform->prepare.per_unit_s + costs[LS_OPERATION_SEND].per_unit_s},
      .link = costs[LS_OPERATION_TRANSFER],
      .send = {star->send_latency_s, star->send_per_unit_s},
      .compute = {star->compute_latency_s, star->compute_per_unit_s},
      .delay_s = star->delay_s,
      .reply_s = costs[LS_OPERATION_REPLY].latency_s,
      .least = fmax(least, ls_worker_chunk_least(model)),
      .most = fmin(most, ls_worker_chunk_most(model)),
      .tail_least = ls_worker_chunk_least(model),
      .number = star->number};
}

static bool costs_something(const struct ls_cost *cost) {
  return cost->latency_s > 0 || cost->per_unit_s > 0;
}

/* What is known of all workers together. */
static void sum_up(struct ls_scow_star *star) {
  star->uses_master = star->uses_link = false;
  star->is_identical = true;
  for (size_t i = 0; i < star->count; i++) {
    if (!is_same_worker(&star->items[0], &star->items[i])) star->is_identical = false;
    star->uses_master = star->uses_master || costs_something(&star->items[i].master);
    star->uses_link = star->uses_link || costs_something(&star->items[i].link);
  }
}

enum ls_status ls_scow_star_open(struct ls_scow_star *star, const struct ls_planner_setup *setup,
                                 const struct ls_parameter *parameters, struct ls_error *err) {
  struct ls_reduced_star reduced;
  double least, most, asked = (double)NAN;
  enum ls_status status = ls_reduced_star_init(&reduced, setup->platform, err);
  if (status != LS_OK) return status;
  struct ls_scow_worker *items = calloc(reduced.count, sizeof *items);
  if (items == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", reduced.count);
    ls_reduced_star_close(&reduced);
    return status;
  }
  find_window(setup, parameters, &least, &most);
  for (size_t i = 0; i < reduced.count; i++)
    items[i] = see_worker(setup->platform, &reduced.items[i], least, most);
  *star = (struct ls_scow_star){.items = items,
                                .count = reduced.count,
                                .platform_count = reduced.count,
                                .is_multi_port = reduced.is_multi_port};
  ls_reduced_star_close(&reduced);
  qsort(star->items, star->count, sizeof *star->items, compare_workers);
  if (has_parameter(parameters, "workers"))
    asked = ls_arguments_get(&setup->arguments, parameters, "workers");
  if (asked < (double)star->count) star->count = (size_t)asked;
  sum_up(star);
  return LS_OK;
}

void ls_scow_star_close(struct ls_scow_star *star) {
  free(star->items);
  *star = (struct ls_scow_star){0};
}

enum ls_status ls_scow_star_use(const struct ls_planner_setup *setup,
                                const struct ls_parameter *parameters, ls_scow_use_fn use,
                                void *result, struct ls_error *err) {
  struct ls_scow_star star;
  enum ls_status status = ls_scow_star_open(&star, setup, parameters, err);
  if (status != LS_OK) return status;
  double *numbers = calloc(2 * star.count, sizeof *numbers);
  status = numbers != NULL ? use(setup, &star, numbers, result, err)
                           : ls_fail(err, LS_ENOMEM, "no memory for %zu workers", star.count);
  free(numbers);
  ls_scow_star_close(&star);
  return status;
}

bool ls_scow_is_valid(const struct ls_planner_setup *setup, const struct ls_parameter *parameters,
                      struct ls_planner_reason *why) {
  const struct ls_platform *platform = setup->platform;
  double least, most;
  if (!ls_reduced_star_keeps_busy(platform, why)) return false;
  find_window(setup, parameters, &least, &most);
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    double master = platform->prepare.per_unit_s + worker->costs[LS_OPERATION_SEND].per_unit_s;
    double link = worker->costs[LS_OPERATION_TRANSFER].per_unit_s;
    if (!isfinite(1 / fmax(master, link)))
      return ls_planner_refuse(why,
                               "worker %zu: sending to it costs nothing per unit, so no period is "
                               "limited by it",
                               i);
    if (fmax(least, ls_worker_chunk_least(worker)) > fmin(most, ls_worker_chunk_most(worker)))
      return ls_planner_refuse(why,
                               "worker %zu: its window, %g to %g, and the argument window, %g to "
                               "%g, have no chunk in common",
                               i, ls_worker_chunk_least(worker), ls_worker_chunk_most(worker),
                               least, most);
  }
  return true;
}

double ls_scow_first_s(const struct ls_scow_worker *worker, double units) {
  return ls_cost_time(&worker->master, units) + ls_cost_time(&worker->link, units) +
         worker->delay_s;
}

struct ls_scow_load ls_scow_load_of(const struct ls_scow_worker *workers, size_t count,
                                    const double *units) {
  struct ls_scow_load load = {0};
  for (size_t i = 0; i < count; i++) {
    if (!(units[i] > 0)) continue;
    double compute_s = ls_cost_time(&workers[i].compute, units[i]);
    load.master_s += ls_cost_time(&workers[i].master, units[i]);
    load.link_s += ls_cost_time(&workers[i].link, units[i]);
    load.compute_s += compute_s;
    load.period_s = fmax(load.period_s, compute_s);
    load.units += units[i];
    load.workers++;
  }
  load.period_s = fmax(load.period_s, fmax(load.master_s, load.link_s));
  return load;
}

void ls_scow_reduce(const struct ls_scow_worker *workers, size_t count,
                    struct ls_star_worker *stars) {
  for (size_t i = 0; i < count; i++)
    stars[i] = (struct ls_star_worker){
        .send_latency_s = workers[i].send.latency_s,
        .send_per_unit_s = workers[i].send.per_unit_s,
        .delay_s = workers[i].delay_s,
        .compute_latency_s = workers[i].compute.latency_s,
        .compute_per_unit_s = workers[i].compute.per_unit_s,
        .number = workers[i].number,
        .ratio = workers[i].send.per_unit_s / workers[i].compute.per_unit_s};
}
