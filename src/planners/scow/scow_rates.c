#include "planners/scow/scow_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

struct ls_scow_rates ls_scow_rates_of(const struct ls_scow_worker *workers, size_t count,
                                      double *rates) {
  struct ls_sum busy = {0}, throughput = {0};
  struct ls_scow_rates found = {.slack = 1};
  for (size_t i = 0; i < count && rates != NULL; i++) rates[i] = 0;
  while (found.full < count) {
    const struct ls_scow_worker *worker = &workers[found.full];
    struct ls_sum more = busy;
    ls_sum_add(&more, worker->send.per_unit_s / worker->compute.per_unit_s);
    if (ls_sum_value(&more) > 1 + LS_SCOW_GUARD) break;
    busy = more;
    ls_sum_add(&throughput, 1 / worker->compute.per_unit_s);
    if (rates != NULL) rates[found.full] = 1 / worker->compute.per_unit_s;
    found.full++;
  }
  found.slack = fmax(0, 1 - ls_sum_value(&busy));
  if (found.slack <= LS_SCOW_GUARD) found.slack = 0;
  if (found.full < count) {
    double rate = found.slack / workers[found.full].send.per_unit_s;
    ls_sum_add(&throughput, rate);
    if (rates != NULL) rates[found.full] = rate;
  }
  found.throughput = ls_sum_value(&throughput);
  return found;
}

double ls_scow_period_of_load(const struct ls_scow_rates *rates, double load) {
  return sqrt(load / rates->throughput);
}

double ls_scow_lost(const struct ls_scow_star *star, const double *rates, double period_s) {
  double latencies_s = 0;
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_scow_worker *worker = &star->items[i];
    if (rates[i] > 0) latencies_s += worker->send.latency_s + worker->compute.latency_s;
  }
  return latencies_s / period_s;
}

double ls_scow_equal_units(const struct ls_scow_rates *rates, double load, double period_s) {
  double rounds = ceil(load / (rates->throughput * period_s) * (1 - LS_SCOW_GUARD));
  return load / fmax(rounds, 1);
}

static int compare_slopes(const void *left, const void *right) {
  const struct ls_scow_worker *a = left, *b = right;
  if (a->send.per_unit_s < b->send.per_unit_s) return -1;
  return a->send.per_unit_s > b->send.per_unit_s;
}

/* One station alone, in its own order: the theory's h may be of one for some workers and of the
 * other for others, which no schedule has to pay together. */
static double find_bound(struct ls_scow_worker *workers, size_t count, double load,
                         bool is_master) {
  for (size_t i = 0; i < count; i++)
    workers[i].send = is_master ? workers[i].master : workers[i].link;
  qsort(workers, count, sizeof *workers, compare_slopes);
  return load / ls_scow_rates_of(workers, count, NULL).throughput;
}

enum ls_status ls_scow_bound(const struct ls_scow_star *star, double load, double *bound_s,
                             struct ls_error *err) {
  struct ls_scow_worker *workers = malloc(star->count * sizeof *workers);
  if (workers == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the rates of %zu workers", star->count);
  memcpy(workers, star->items, star->count * sizeof *workers);
  *bound_s = find_bound(workers, star->count, load, true);
  if (!star->is_multi_port)
    *bound_s = fmax(*bound_s, find_bound(workers, star->count, load, false));
  free(workers);
  return LS_OK;
}
