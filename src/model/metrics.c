#include "model/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/efficiency.h"

/* Sums over all workers; the per-worker ones go straight into the caller's array. */
struct totals {
  struct ls_efficiency_sums efficiency;
  struct ls_sum busy, master, network, back;
};

static double count_up(const struct ls_timeline_worker *worker, double makespan_s) {
  assert(worker->joined_s >= 0 && worker->suspended_s >= 0);
  double until_s = fmin(worker->left_s, makespan_s);
  return fmax(0, until_s - worker->joined_s - worker->suspended_s);
}

/* A span counts units in whole numbers; where the decision's size is no whole number (plans of
 * theory), its one compute span did all of it. */
static double count_units(const struct ls_timeline *timeline, const struct ls_span *span) {
  if (span->units > 0 || span->chunk >= timeline->decisions_count) return (double)span->units;
  double units = timeline->decisions[span->chunk].units;
  assert(units >= 0);
  return units - floor(units) > 0 ? units : 0;
}

static void add_span(const struct ls_timeline *timeline, const struct ls_span *span,
                     struct totals *totals, struct ls_worker_metrics *workers) {
  double seconds = span->end_s - span->start_s;
  assert(seconds >= 0);
  if (span->resource == LS_RESOURCE_MASTER) ls_sum_add(&totals->master, seconds);
  if (span->resource == LS_RESOURCE_NETWORK) ls_sum_add(&totals->network, seconds);
  if (span->resource == LS_RESOURCE_RETURN) ls_sum_add(&totals->back, seconds);
  bool is_listed = workers != NULL && span->worker < timeline->workers_count;
  if (span->resource == LS_RESOURCE_READER && is_listed) workers[span->worker].stage_s += seconds;
  if (span->resource != LS_RESOURCE_WORKER) return;
  bool is_good = span->operation == LS_OPERATION_COMPUTE && span->outcome == LS_OUTCOME_DONE;
  ls_sum_add(&totals->busy, seconds);
  if (is_good) {
    double price_per_s =
        span->worker < timeline->workers_count ? timeline->workers[span->worker].price_per_s : 1;
    ls_efficiency_add_useful(&totals->efficiency, price_per_s, seconds);
  }
  if (!is_listed) return;
  workers[span->worker].busy_s += seconds;
  if (!is_good) return;
  workers[span->worker].useful_s += seconds;
  workers[span->worker].units += count_units(timeline, span);
}

static int compare_spans(const void *left, const void *right) {
  const struct ls_span *a = left, *b = right;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  if (a->start_s < b->start_s) return -1;
  return a->start_s > b->start_s;
}

/* Copies the spans of a resource, by worker and start. */
static size_t pick_spans(const struct ls_timeline *timeline, enum ls_resource resource,
                         struct ls_span *spans) {
  size_t count = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->resource == resource && span->worker < timeline->workers_count)
      spans[count++] = *span;
  }
  if (count > 1) qsort(spans, count, sizeof *spans, compare_spans);
  return count;
}

/* Of staging, what lies in none of its worker's times of work, which do not overlap. */
static double measure_exposed(const struct ls_span *stage, const struct ls_span *works,
                              size_t count, size_t *next) {
  while (*next < count &&
         (works[*next].worker < stage->worker ||
          (works[*next].worker == stage->worker && works[*next].end_s <= stage->start_s)))
    ++*next;
  double exposed_s = stage->end_s - stage->start_s;
  for (size_t i = *next; i < count && works[i].worker == stage->worker; i++) {
    if (works[i].start_s >= stage->end_s) break;
    double from_s = fmax(works[i].start_s, stage->start_s);
    exposed_s -= fmin(works[i].end_s, stage->end_s) - from_s;
  }
  return fmax(0, exposed_s);
}

/* A run's workers have told it themselves. */
static void find_hidden(const struct ls_timeline *timeline, struct ls_worker_metrics *workers) {
  struct ls_span *spans = calloc(2 * timeline->spans_count + 1, sizeof *spans);
  struct ls_span *works = spans == NULL ? NULL : spans + timeline->spans_count;
  double *exposed = calloc(timeline->workers_count + 1, sizeof *exposed);
  bool is_known = spans != NULL && exposed != NULL && !timeline->is_summed;
  if (is_known) {
    size_t stages_count = pick_spans(timeline, LS_RESOURCE_READER, spans);
    size_t works_count = pick_spans(timeline, LS_RESOURCE_WORKER, works), next = 0;
    for (size_t i = 0; i < stages_count; i++)
      exposed[spans[i].worker] += measure_exposed(&spans[i], works, works_count, &next);
  }
  for (size_t i = 0; i < timeline->workers_count; i++) {
    double told_s = timeline->workers[i].exposed_s;
    double exposed_s = !isnan(told_s) ? told_s : is_known ? exposed[i] : (double)NAN;
    workers[i].hidden = workers[i].stage_s > 0 ? 1 - exposed_s / workers[i].stage_s : (double)NAN;
  }
  free(exposed);
  free(spans);
}

static bool has_staged(const struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->spans_count; i++)
    if (timeline->spans[i].resource == LS_RESOURCE_READER) return true;
  return false;
}

void ls_metrics_of(const struct ls_timeline *timeline, struct ls_metrics *metrics,
                   struct ls_worker_metrics *workers) {
  struct totals totals = {0};
  struct ls_sum price = {0};
  double makespan_s = timeline->makespan_s;
  size_t untaken = 0;
  for (size_t i = 0; i < timeline->workers_count; i++) {
    const struct ls_timeline_worker *worker = &timeline->workers[i];
    untaken += worker->is_untaken;
    double up_s = worker->is_untaken ? 0 : count_up(worker, makespan_s);
    double price_per_s = worker->price_per_s, paid = price_per_s * up_s;
    ls_efficiency_add_up(&totals.efficiency, price_per_s, up_s);
    ls_sum_add(&price, paid);
    if (workers != NULL)
      workers[i] = (struct ls_worker_metrics){.up_s = up_s, .price = paid, .hidden = (double)NAN};
  }
  for (size_t i = 0; i < timeline->spans_count; i++) {
    add_span(timeline, &timeline->spans[i], &totals, workers);
  }
  size_t listed = timeline->is_summed ? 0 : timeline->decisions_count;
  for (size_t i = 0; workers != NULL && i < timeline->chunks_count; i++) {
    if (i < timeline->workers_count) workers[i].chunks = timeline->chunks[i];
  }
  for (size_t i = 0; workers != NULL && i < listed; i++) {
    uint32_t worker = timeline->decisions[i].worker;
    if (worker < timeline->workers_count) workers[worker].chunks++;
  }
  for (size_t i = 0; workers != NULL && i < timeline->workers_count; i++) {
    workers[i].idle_s = fmax(0, workers[i].up_s - workers[i].busy_s);
  }
  if (workers != NULL && has_staged(timeline)) find_hidden(timeline, workers);
  double efficiency = ls_efficiency_value(&totals.efficiency);
  assert(efficiency >= 0);
  double per_s = makespan_s > 0 ? 1 / makespan_s : 0;
  double workers_count = fmax(1, (double)(timeline->workers_count - untaken));
  *metrics = (struct ls_metrics){
      .makespan_s = makespan_s,
      .efficiency = efficiency,
      .utilisation_master = ls_sum_value(&totals.master) * per_s,
      .utilisation_network = ls_sum_value(&totals.network) * per_s,
      .utilisation_return = ls_sum_value(&totals.back) * per_s,
      .utilisation_workers = ls_sum_value(&totals.busy) * per_s / workers_count,
      .price = ls_sum_value(&price),
      .eer_s = efficiency > 0 ? makespan_s / efficiency : (double)INFINITY,
  };
}

bool ls_platform_has_prices(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    double price_per_s = platform->workers[i].price_per_s;
    if (price_per_s < 1 || price_per_s > 1) return true;
  }
  return false;
}
