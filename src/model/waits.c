#include "model/waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "model/course_links.h"

/* A link is slow below so much of the median rate. */
static const double SLOW = 0.5;

struct interval {
  uint32_t worker;
  double start_s, end_s;
};

/* Sorted intervals: of all processors or transfers, by worker and start. */
struct intervals {
  struct interval *items;
  size_t count;
};

static int compare_starts(const void *left, const void *right) {
  const struct interval *a = left, *b = right;
  if (a->start_s < b->start_s) return -1;
  return a->start_s > b->start_s;
}

static int compare_intervals(const void *left, const void *right) {
  const struct interval *a = left, *b = right;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  return compare_starts(left, right);
}

static bool take_intervals(const struct ls_timeline *timeline, enum ls_resource resource,
                           struct intervals *intervals) {
  intervals->items = calloc(timeline->spans_count + 1, sizeof *intervals->items);
  if (intervals->items == NULL) return false;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->resource != resource || span->worker >= timeline->workers_count) continue;
    double start_s = fmax(span->start_s, timeline->workers[span->worker].joined_s);
    double end_s = fmin(span->end_s, timeline->makespan_s);
    if (!(end_s > start_s)) continue;
    intervals->items[intervals->count++] = (struct interval){span->worker, start_s, end_s};
  }
  qsort(intervals->items, intervals->count, sizeof *intervals->items, compare_intervals);
  return true;
}

/* ---- when anything travelled ---- */

/* Disjoint, by time, with the seconds before each. */
struct traffic {
  struct intervals busy;
  double *before_s;
};

static bool open_traffic(const struct intervals *transfers, struct traffic *traffic) {
  traffic->busy.items = calloc(transfers->count + 1, sizeof *traffic->busy.items);
  traffic->before_s = calloc(transfers->count + 1, sizeof *traffic->before_s);
  if (traffic->busy.items == NULL || traffic->before_s == NULL) return false;
  memcpy(traffic->busy.items, transfers->items, transfers->count * sizeof *transfers->items);
  qsort(traffic->busy.items, transfers->count, sizeof *transfers->items, compare_starts);
  size_t count = 0;
  for (size_t i = 0; i < transfers->count; i++) {
    struct interval next = traffic->busy.items[i],
                    *last = &traffic->busy.items[count - (count > 0)];
    if (count > 0 && next.start_s <= last->end_s) {
      last->end_s = fmax(last->end_s, next.end_s);
      continue;
    }
    if (count > 0)
      traffic->before_s[count] = traffic->before_s[count - 1] + last->end_s - last->start_s;
    traffic->busy.items[count++] = next;
  }
  traffic->busy.count = count;
  return true;
}

/* Seconds up to `time_s` in which anything travelled. */
static double busy_before(const struct traffic *traffic, double time_s) {
  size_t low = 0, high = traffic->busy.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (traffic->busy.items[middle].start_s < time_s)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return 0;
  const struct interval *last = &traffic->busy.items[low - 1];
  return traffic->before_s[low - 1] + fmin(time_s, last->end_s) - last->start_s;
}

/* ---- what a worker waited for ---- */

struct walk {
  struct intervals work, transfers;
  struct traffic traffic;
  size_t transfer; /* the next that may matter to the worker */
};

/* The worker did nothing in the gap; behind the end of its last input in it, it waited for
 * something else. */
static void tell_gap(struct walk *walk, const struct interval *gap, struct ls_waits *waits) {
  double own_s = 0, end_s = gap->start_s;
  const struct intervals *transfers = &walk->transfers;
  for (; walk->transfer < transfers->count; walk->transfer++) {
    const struct interval *item = &transfers->items[walk->transfer];
    if (item->worker < gap->worker) continue;
    if (item->worker > gap->worker || item->start_s >= gap->end_s) break;
    own_s += fmax(0, fmin(item->end_s, gap->end_s) - fmax(item->start_s, end_s));
    end_s = fmax(end_s, fmin(item->end_s, gap->end_s));
    if (item->end_s > gap->end_s) break;
  }
  double busy_s = busy_before(&walk->traffic, end_s) - busy_before(&walk->traffic, gap->start_s);
  waits->own_s += own_s;
  waits->port_s += fmax(0, busy_s - own_s);
}

static void tell_gaps(struct walk *walk, const struct ls_timeline *timeline,
                      struct ls_waits *waits) {
  struct interval gap = {.worker = UINT32_MAX};
  for (size_t i = 0; i < walk->work.count; i++) {
    const struct interval *work = &walk->work.items[i];
    if (work->worker != gap.worker) {
      gap.worker = work->worker;
      gap.start_s = timeline->workers[work->worker].joined_s;
    }
    gap.end_s = work->start_s;
    if (gap.end_s > gap.start_s) tell_gap(walk, &gap, waits);
    gap.start_s = fmax(gap.start_s, work->end_s);
  }
}

/* ---- links ---- */

static enum ls_status find_links(const struct ls_timeline *timeline, struct ls_waits *waits,
                                 struct ls_error *err) {
  struct ls_run_course course = {.workers_count = timeline->workers_count};
  struct ls_course_links links;
  course.transfers = calloc(timeline->spans_count + 1, sizeof *course.transfers);
  if (course.transfers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for transfers");
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->resource != LS_RESOURCE_NETWORK || span->worker >= timeline->workers_count) continue;
    course.transfers[course.transfers_count++] =
        (struct ls_course_transfer){.worker = span->worker,
                                    .chunk = span->chunk,
                                    .units = span->units,
                                    .start_s = span->start_s,
                                    .seconds = span->end_s - span->start_s};
  }
  enum ls_status status = ls_course_links_find(&course, &links, err);
  if (status == LS_OK) {
    waits->links = links.links;
    ls_course_links_close(&links);
  }
  free(course.transfers);
  return status;
}

/* Rates in units per second: the inputs of a run's units are taken for equally long. */
static enum ls_status find_slow(const struct ls_timeline *timeline, struct ls_waits *waits,
                                struct ls_error *err) {
  double *units = calloc(3 * timeline->workers_count + 1, sizeof *units);
  if (units == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the rates of links");
  double *seconds = units + timeline->workers_count, *rates = seconds + timeline->workers_count;
  size_t count = 0;
  double least = (double)INFINITY;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->resource != LS_RESOURCE_NETWORK || span->worker >= timeline->workers_count) continue;
    units[span->worker] += span->chunk < timeline->decisions_count
                               ? timeline->decisions[span->chunk].units
                               : (double)span->units;
    seconds[span->worker] += span->end_s - span->start_s;
  }
  for (uint32_t i = 0; i < timeline->workers_count; i++) {
    if (!(units[i] > 0 && seconds[i] > 0)) continue;
    rates[count++] = units[i] / seconds[i];
    if (!(units[i] / seconds[i] < least)) continue;
    least = units[i] / seconds[i];
    waits->slow = i;
  }
  double median = count > 1 ? ls_median(rates, count) : least;
  waits->slow_rate = count > 1 ? least / median : 1;
  waits->has_slow = waits->slow_rate < SLOW;
  free(units);
  return LS_OK;
}

enum ls_status ls_waits_of(const struct ls_timeline *timeline, const struct ls_account *account,
                           struct ls_waits *waits, struct ls_error *err) {
  struct walk walk = {.transfer = 0};
  struct ls_waits made = {.links = LS_LINKS_UNKNOWN};
  bool has_memory = take_intervals(timeline, LS_RESOURCE_WORKER, &walk.work) &&
                    take_intervals(timeline, LS_RESOURCE_NETWORK, &walk.transfers) &&
                    open_traffic(&walk.transfers, &walk.traffic);
  enum ls_status status =
      has_memory ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for the waits of a timeline");
  made.has_transfers = has_memory && walk.transfers.count > 0;
  if (made.has_transfers) tell_gaps(&walk, timeline, &made);
  if (made.has_transfers) status = find_links(timeline, &made, err);
  if (made.has_transfers && status == LS_OK) status = find_slow(timeline, &made, err);
  double all_s = account->parts_s[LS_ACCOUNT_START_UP] + account->parts_s[LS_ACCOUNT_PORT_WAIT];
  made.own_s = account->workers > 0 ? fmin(made.own_s / account->workers, all_s) : 0;
  made.port_s = account->workers > 0 ? fmin(made.port_s / account->workers, all_s - made.own_s) : 0;
  made.other_s = all_s - made.own_s - made.port_s;
  free(walk.traffic.before_s);
  free(walk.traffic.busy.items);
  free(walk.transfers.items);
  free(walk.work.items);
  if (status == LS_OK) *waits = made;
  return status;
}
