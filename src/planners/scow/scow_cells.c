/* scow_cells.c: how many workers are full in a period of T seconds.
 *
 * Symbols:  A_i -> slopes, B_i -> constants, T_i -> a cut, q(T) -> ls_scow_set_full.
 */
#include "planners/scow/scow_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/statistics.h"

/* Equal but for the guard? */
static bool is_near(double a, double b) {
  return fabs(a - b) <= LS_SCOW_GUARD * fmax(fabs(a), fabs(b));
}

static enum ls_status open_set(struct ls_scow_set *set, size_t count, struct ls_error *err) {
  enum { ARRAYS = 6 };
  double *numbers = calloc(ARRAYS * (count + 1) + count + 2, sizeof *numbers);
  set->workers = calloc(count, sizeof *set->workers);
  set->slopes = numbers;
  if (numbers == NULL || set->workers == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the periods of %zu workers", count);
  set->constants = numbers + (count + 1);
  set->production = numbers + 2 * (count + 1);
  set->lost = numbers + 3 * (count + 1);
  set->least_s = numbers + 4 * (count + 1);
  set->most_s = numbers + 5 * (count + 1);
  set->cuts = numbers + ARRAYS * (count + 1);
  return LS_OK;
}

enum ls_status ls_scow_sets_open(struct ls_scow_sets *sets, const struct ls_scow_star *star,
                                 size_t sets_most, struct ls_error *err) {
  *sets = (struct ls_scow_sets){.star = star};
  sets->constants = calloc(star->count, sizeof *sets->constants);
  enum ls_status status =
      sets->constants == NULL
          ? ls_fail(err, LS_ENOMEM, "no memory for the periods of %zu workers", star->count)
          : open_set(&sets->set, star->count, err);
  if (status != LS_OK) {
    ls_scow_sets_close(sets);
    return status;
  }
  for (size_t i = 0; i < star->count; i++) sets->constants[i] = star->items[i].compute.latency_s;
  ls_sort_ascending(sets->constants, star->count);
  for (size_t i = 0; i < star->count; i++) {
    bool is_new = sets->constants_count == 0 ||
                  sets->constants[i] > sets->constants[sets->constants_count - 1];
    if (is_new) sets->constants[sets->constants_count++] = sets->constants[i];
  }
  sets->stride = 1 + (sets->constants_count - 1) / sets_most;
  return LS_OK;
}

void ls_scow_sets_close(struct ls_scow_sets *sets) {
  free(sets->constants);
  free(sets->set.workers);
  free(sets->set.slopes);
  *sets = (struct ls_scow_sets){0};
}

/* Sums over the first i workers that take part. */
static void sum_up(struct ls_scow_set *set, double units_least) {
  set->slopes[0] = set->constants[0] = set->production[0] = set->lost[0] = 0;
  set->least_s[0] = 0;
  set->most_s[0] = (double)INFINITY;
  for (size_t i = 0; i < set->count; i++) {
    const struct ls_scow_worker *worker = &set->workers[i];
    double c = worker->compute.per_unit_s, constant = worker->compute.latency_s;
    double h = worker->send.per_unit_s;
    set->slopes[i + 1] = set->slopes[i] + h / c;
    set->constants[i + 1] = set->constants[i] + worker->send.latency_s - h * constant / c;
    set->production[i + 1] = set->production[i] + 1 / c;
    set->lost[i + 1] = set->lost[i] + constant / c;
    double least = fmax(units_least, worker->least);
    set->least_s[i + 1] = fmax(set->least_s[i], ls_cost_time(&worker->compute, least));
    set->most_s[i + 1] = fmin(set->most_s[i], ls_cost_time(&worker->compute, worker->most));
  }
}

/* T_i = B_i / (1 - A_i); NAN where there is none. */
static double find_period(double slope, double constant) {
  if (is_near(slope, 1)) return (double)NAN;
  return constant / (1 - slope);
}

static void find_cuts(struct ls_scow_set *set) {
  size_t count = 0;
  set->cuts[count++] = set->from_s;
  for (size_t i = 1; i <= set->count; i++) {
    double period_s = find_period(set->slopes[i], set->constants[i]);
    if (period_s > set->from_s && period_s < set->to_s) set->cuts[count++] = period_s;
  }
  ls_sort_ascending(set->cuts, count);
  set->cuts[count++] = set->to_s;
  set->cuts_count = count;
}

const struct ls_scow_set *ls_scow_sets_next(struct ls_scow_sets *sets, double units_least) {
  struct ls_scow_set *set = &sets->set;
  size_t next = sets->next;
  if (next == sets->constants_count) return NULL;
  /* The last one, with all workers, is never passed over. */
  bool is_near_end =
      next + 1 < sets->constants_count && sets->constants_count - next <= sets->stride;
  sets->next = is_near_end ? sets->constants_count - 1 : next + sets->stride;
  if (sets->next > sets->constants_count) sets->next = sets->constants_count;
  set->from_s = sets->constants[next];
  set->to_s = sets->next < sets->constants_count ? sets->constants[sets->next] : (double)INFINITY;
  set->count = 0;
  for (size_t i = 0; i < sets->star->count; i++) {
    const struct ls_scow_worker *worker = &sets->star->items[i];
    if (worker->compute.latency_s <= set->from_s) set->workers[set->count++] = *worker;
  }
  sum_up(set, units_least);
  find_cuts(set);
  return set;
}

size_t ls_scow_set_full(const struct ls_scow_set *set, double period_s) {
  size_t least = 0, most = set->count;
  while (least < most) {
    size_t middle = (least + most + 1) / 2;
    double sent_s = set->slopes[middle] * period_s + set->constants[middle];
    if (sent_s <= period_s * (1 + LS_SCOW_GUARD))
      least = middle;
    else
      most = middle - 1;
  }
  return least;
}

double ls_scow_set_between(const struct ls_scow_set *set, size_t cut) {
  double from_s = set->cuts[cut], to_s = set->cuts[cut + 1];
  if (!isinf(to_s)) return from_s + (to_s - from_s) / 2;
  return from_s > 0 ? 2 * from_s : 1;
}

bool ls_scow_set_range(const struct ls_scow_set *set, size_t i, double *from_s, double *to_s) {
  double slope = set->slopes[i], constant = set->constants[i];
  double period_s = find_period(slope, constant);
  *from_s = set->from_s;
  *to_s = set->to_s;
  if (isnan(period_s)) return constant <= 0;
  if (slope < 1 && constant > 0) *from_s = fmax(*from_s, period_s);
  if (slope > 1 && constant >= 0) return false;
  if (slope > 1) *to_s = fmin(*to_s, period_s);
  return *from_s < *to_s;
}

void ls_scow_pump(const struct ls_scow_star *star, double *periods) {
  double slope = 0, constant = 0, latest = 0;
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_scow_worker *worker = &star->items[i];
    double ratio = worker->send.per_unit_s / worker->compute.per_unit_s;
    slope += ratio;
    constant += worker->send.latency_s - ratio * worker->compute.latency_s;
    latest = fmax(latest, worker->compute.latency_s);
    double period_s = find_period(slope, constant);
    /* Every chunk must be more than nothing, and than what rounding leaves. */
    periods[i] = period_s > latest && !is_near(period_s, latest) ? period_s : (double)NAN;
  }
}

struct cells {
  struct ls_scow_cell *items;
  size_t count, capacity;
};

static enum ls_status add_cell(struct cells *cells, struct ls_scow_cell cell,
                               struct ls_error *err) {
  struct ls_scow_cell *last = cells->count > 0 ? &cells->items[cells->count - 1] : NULL;
  if (!(cell.to_s > cell.from_s * (1 + LS_SCOW_GUARD))) return LS_OK;
  if (last != NULL && last->full == cell.full) {
    last->to_s = cell.to_s;
    return LS_OK;
  }
  void *items = cells->items;
  enum ls_status status =
      ls_array_reserve(&items, &cells->capacity, cells->count + 1, sizeof *cells->items);
  cells->items = items;
  if (status != LS_OK) return ls_fail(err, status, "no memory for %zu cells", cells->count + 1);
  cells->items[cells->count++] = cell;
  return LS_OK;
}

enum ls_status ls_scow_partition(const struct ls_scow_star *star, struct ls_scow_cell **cells,
                                 size_t *count, struct ls_error *err) {
  struct ls_scow_sets sets;
  struct cells made = {0};
  const struct ls_scow_set *set;
  enum ls_status status = ls_scow_sets_open(&sets, star, SIZE_MAX, err);
  if (status != LS_OK) return status;
  while (status == LS_OK && (set = ls_scow_sets_next(&sets, 0)) != NULL) {
    for (size_t i = 0; i + 1 < set->cuts_count && status == LS_OK; i++) {
      struct ls_scow_cell cell = {set->cuts[i], set->cuts[i + 1],
                                  ls_scow_set_full(set, ls_scow_set_between(set, i))};
      status = add_cell(&made, cell, err);
    }
  }
  ls_scow_sets_close(&sets);
  if (status != LS_OK) {
    free(made.items);
    return status;
  }
  *cells = made.items;
  *count = made.count;
  return LS_OK;
}
