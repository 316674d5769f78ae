#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/validate.h"
#include "model/validate_private.h"

static const double TOLERANCE = 1e-9;

bool ls_validate_before(double a, double b) {
  return a <= b + TOLERANCE * fmax(1, fabs(b));
}

static int compare_intervals(const void *left, const void *right) {
  const struct ls_interval *a = left, *b = right;
  if (a->resource != b->resource) return a->resource < b->resource ? -1 : 1;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  if (a->start_s < b->start_s) return -1;
  if (a->start_s > b->start_s) return 1;
  /* A span of no time stands before those that start with it. */
  if (a->end_s < b->end_s) return -1;
  return a->end_s > b->end_s;
}

enum ls_status ls_validate_intervals(struct ls_interval *intervals, size_t count,
                                     struct ls_error *err) {
  qsort(intervals, count, sizeof *intervals, compare_intervals);
  const struct ls_interval *a = intervals; /* the one that holds the resource the longest */
  for (size_t i = 1; i < count; i++) {
    const struct ls_interval *b = &intervals[i];
    assert(compare_intervals(b - 1, b) <= 0);
    bool is_same = a->resource == b->resource && a->worker == b->worker;
    /* The second condition lets a span of no time pass at the other's start. */
    if (is_same && !ls_validate_before(a->end_s, b->start_s) &&
        !ls_validate_before(b->end_s, a->start_s)) {
      return ls_fail(err, LS_EINVAL,
                     "%s %u: chunk %llu holds it until %.17g, chunk %llu from %.17g",
                     ls_resource_name(a->resource), a->worker, (unsigned long long)a->chunk,
                     a->end_s, (unsigned long long)b->chunk, b->start_s);
    }
    if (!is_same || b->end_s > a->end_s) a = b;
  }
  return LS_OK;
}

static bool is_of_worker(enum ls_resource resource) {
  return resource == LS_RESOURCE_WORKER || resource == LS_RESOURCE_READER;
}

static enum ls_status check_span(const struct ls_timeline *timeline, size_t index,
                                 struct ls_error *err) {
  assert(index < timeline->spans_count);
  const struct ls_span *span = &timeline->spans[index];
  if (!(span->start_s >= 0 && span->end_s >= span->start_s)) {
    return ls_fail(err, LS_EINVAL, "span %zu runs from %.17g to %.17g, must run forwards from 0",
                   index, span->start_s, span->end_s);
  }
  if (!ls_validate_before(span->end_s, timeline->makespan_s)) {
    return ls_fail(err, LS_EINVAL, "span %zu ends at %.17g, after the makespan, %.17g", index,
                   span->end_s, timeline->makespan_s);
  }
  if (span->worker >= timeline->workers_count) {
    return ls_fail(err, LS_EINVAL, "span %zu: worker is %u, must be below %zu", index, span->worker,
                   timeline->workers_count);
  }
  if ((unsigned)span->operation >= LS_OPERATION_COUNT ||
      (unsigned)span->resource >= LS_RESOURCE_COUNT) {
    return ls_fail(err, LS_EINVAL, "span %zu: no such operation or resource", index);
  }
  const struct ls_timeline_worker *worker = &timeline->workers[span->worker];
  assert(worker->left_s >= worker->joined_s);
  if (is_of_worker(span->resource) && !(ls_validate_before(worker->joined_s, span->start_s) &&
                                        ls_validate_before(span->end_s, worker->left_s))) {
    return ls_fail(err, LS_EINVAL,
                   "span %zu: worker %u is busy from %.17g to %.17g, is there from "
                   "%.17g to %.17g",
                   index, span->worker, span->start_s, span->end_s, worker->joined_s,
                   worker->left_s);
  }
  return LS_OK;
}

enum ls_status ls_validate_timeline(const struct ls_timeline *timeline, struct ls_error *err) {
  enum ls_status status = ls_timeline_finish(timeline, err);
  if (status != LS_OK) return status;
  if (!(isfinite(timeline->makespan_s) && timeline->makespan_s >= 0)) {
    return ls_fail(err, LS_EINVAL, "makespan is %g, must be finite and >= 0", timeline->makespan_s);
  }
  for (size_t i = 0; i < timeline->spans_count; i++) {
    status = check_span(timeline, i, err);
    if (status != LS_OK) return status;
  }
  struct ls_interval *intervals = calloc(timeline->spans_count + 1, sizeof *intervals);
  if (intervals == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate a timeline");
  size_t count = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    bool is_network = span->resource == LS_RESOURCE_NETWORK || span->resource == LS_RESOURCE_RETURN;
    if (is_network && timeline->has_shared_network) continue;
    intervals[count++] =
        (struct ls_interval){.resource = span->resource,
                             .worker = is_of_worker(span->resource) ? span->worker : 0,
                             .chunk = span->chunk,
                             .start_s = span->start_s,
                             .end_s = span->end_s};
  }
  assert(count <= timeline->spans_count);
  status = ls_validate_intervals(intervals, count, err);
  free(intervals);
  return status;
}
