#include "model/timeline.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_timeline_init(struct ls_timeline *timeline) {
  *timeline = (struct ls_timeline){0};
}

void ls_timeline_close(struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->workers_count; i++) {
    free(timeline->workers[i].name);
    free(timeline->workers[i].labels);
  }
  for (size_t i = 0; i < timeline->notes_count; i++) free(timeline->notes[i]);
  free(timeline->workers);
  free(timeline->decisions);
  free(timeline->chunks);
  free(timeline->spans);
  free(timeline->absences);
  free(timeline->notes);
  *timeline = (struct ls_timeline){0};
}

/* Room for one more item; false (and sticky) when there is none or the builder failed before. */
static bool make_room(struct ls_timeline *timeline, void **items, size_t *capacity, size_t count,
                      size_t item_bytes) {
  assert(count <= *capacity);
  if (timeline->failure.status != LS_OK) return false;
  enum ls_status status = ls_array_reserve(items, capacity, count + 1, item_bytes);
  if (status == LS_OK) return true;
  (void)ls_fail(&timeline->failure, status, "no memory for a timeline of %zu entries", count);
  return false;
}

void ls_timeline_add_worker(struct ls_timeline *timeline, const char *name, double joined_s,
                            double left_s) {
  assert(joined_s >= 0 && left_s >= joined_s);
  void *items = timeline->workers;
  bool has_room = make_room(timeline, &items, &timeline->workers_capacity, timeline->workers_count,
                            sizeof *timeline->workers);
  timeline->workers = items;
  if (!has_room) return;
  char *copy = strdup(name);
  if (copy == NULL) {
    (void)ls_fail(&timeline->failure, LS_ENOMEM, "no memory for a worker's name");
    return;
  }
  assert(timeline->workers_count < timeline->workers_capacity);
  timeline->workers[timeline->workers_count++] =
      (struct ls_timeline_worker){.name = copy,
                                  .joined_s = joined_s,
                                  .left_s = left_s,
                                  .price_per_s = 1,
                                  .exposed_s = (double)NAN};
}

void ls_timeline_price_worker(struct ls_timeline *timeline, double price_per_s) {
  assert(isfinite(price_per_s) && price_per_s >= 0);
  if (timeline->failure.status != LS_OK) return;
  assert(timeline->workers_count > 0);
  timeline->workers[timeline->workers_count - 1].price_per_s = price_per_s;
}

void ls_timeline_label_worker(struct ls_timeline *timeline, const char *labels) {
  if (timeline->failure.status != LS_OK || labels[0] == '\0') return;
  assert(timeline->workers_count > 0);
  struct ls_timeline_worker *worker = &timeline->workers[timeline->workers_count - 1];
  assert(worker->labels == NULL);
  worker->labels = strdup(labels);
  if (worker->labels == NULL)
    (void)ls_fail(&timeline->failure, LS_ENOMEM, "no memory for a worker's labels");
}

/* One decision more for the worker. */
static void count_decision(struct ls_timeline *timeline, uint32_t worker) {
  while (timeline->chunks_count <= worker) {
    void *items = timeline->chunks;
    bool has_room = make_room(timeline, &items, &timeline->chunks_capacity, timeline->chunks_count,
                              sizeof *timeline->chunks);
    timeline->chunks = items;
    if (!has_room) return;
    timeline->chunks[timeline->chunks_count++] = 0;
  }
  timeline->chunks[worker]++;
  timeline->decisions_count++;
}

/* Each worker, operation and outcome has a span of its own, which grows. */
static void sum_span(struct ls_timeline *timeline, const struct ls_span *span) {
  size_t place = span->worker * (size_t)LS_OPERATION_COUNT + (size_t)span->operation;
  place = place * LS_OUTCOME_COUNT + (size_t)span->outcome;
  while (timeline->spans_count <= place) {
    void *items = timeline->spans;
    bool has_room = make_room(timeline, &items, &timeline->spans_capacity, timeline->spans_count,
                              sizeof *timeline->spans);
    timeline->spans = items;
    if (!has_room) return;
    timeline->spans[timeline->spans_count++] = (struct ls_span){.chunk = UINT64_MAX};
  }
  struct ls_span *sum = &timeline->spans[place];
  sum->resource = span->resource;
  sum->operation = span->operation;
  sum->outcome = span->outcome;
  sum->worker = span->worker;
  sum->units += span->units;
  sum->end_s += span->end_s - span->start_s;
}

void ls_timeline_add_decision(struct ls_timeline *timeline, uint32_t worker, double units) {
  assert(units >= 0);
  if (timeline->is_summed) {
    count_decision(timeline, worker);
    return;
  }
  void *items = timeline->decisions;
  bool has_room = make_room(timeline, &items, &timeline->decisions_capacity,
                            timeline->decisions_count, sizeof *timeline->decisions);
  timeline->decisions = items;
  if (!has_room) return;
  assert(timeline->decisions_count < timeline->decisions_capacity);
  timeline->decisions[timeline->decisions_count++] =
      (struct ls_decision){.worker = worker, .units = units};
}

void ls_timeline_add_span(struct ls_timeline *timeline, const struct ls_span *span) {
  assert(!isnan(span->start_s) && !isnan(span->end_s));
  if (timeline->is_of_workers && span->resource != LS_RESOURCE_WORKER) return;
  if (timeline->is_summed) {
    sum_span(timeline, span);
    return;
  }
  void *items = timeline->spans;
  bool has_room = make_room(timeline, &items, &timeline->spans_capacity, timeline->spans_count,
                            sizeof *timeline->spans);
  timeline->spans = items;
  if (has_room) timeline->spans[timeline->spans_count++] = *span;
}

static struct ls_span *find_computed(struct ls_timeline *timeline, const struct ls_span *vain) {
  for (size_t i = timeline->spans_count; i > 0; i--) {
    struct ls_span *span = &timeline->spans[i - 1];
    bool is_it = span->resource == LS_RESOURCE_WORKER && span->operation == LS_OPERATION_COMPUTE &&
                 span->outcome == LS_OUTCOME_DONE && span->worker == vain->worker;
    if (is_it && (timeline->is_summed || span->chunk == vain->chunk) && span->units > 0)
      return span;
  }
  return NULL;
}

void ls_timeline_take_back(struct ls_timeline *timeline, const struct ls_span *vain) {
  struct ls_span *span = find_computed(timeline, vain);
  if (span == NULL) return;
  struct ls_span lost = *span;
  lost.outcome = LS_OUTCOME_LOST;
  lost.units = 0;
  lost.start_s = fmax(span->start_s, span->end_s - (vain->end_s - vain->start_s));
  span->units -= vain->units < span->units ? vain->units : span->units;
  span->end_s = lost.start_s;
  ls_timeline_add_span(timeline, &lost);
}

void ls_timeline_add_absence(struct ls_timeline *timeline, const struct ls_absence *absence) {
  assert(absence->from_s >= 0 && absence->until_s >= absence->from_s);
  if (timeline->is_summed) return;
  void *items = timeline->absences;
  bool has_room = make_room(timeline, &items, &timeline->absences_capacity,
                            timeline->absences_count, sizeof *timeline->absences);
  timeline->absences = items;
  if (has_room) timeline->absences[timeline->absences_count++] = *absence;
}

void ls_timeline_add_note(struct ls_timeline *timeline, const char *text) {
  void *items = timeline->notes;
  bool has_room = make_room(timeline, &items, &timeline->notes_capacity, timeline->notes_count,
                            sizeof *timeline->notes);
  timeline->notes = items;
  if (!has_room) return;
  char *copy = strdup(text);
  if (copy == NULL) {
    (void)ls_fail(&timeline->failure, LS_ENOMEM, "no memory for a note");
    return;
  }
  assert(timeline->notes_count < timeline->notes_capacity);
  timeline->notes[timeline->notes_count++] = copy;
}

void ls_timeline_end(struct ls_timeline *timeline, double makespan_s) {
  size_t spans = 0, absences = 0;
  assert(makespan_s >= 0);
  timeline->makespan_s = makespan_s;
  if (timeline->is_summed) return;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    struct ls_span span = timeline->spans[i];
    bool is_behind = span.end_s > makespan_s && !(span.start_s < makespan_s);
    span.end_s = fmin(span.end_s, makespan_s);
    if (!is_behind) timeline->spans[spans++] = span;
  }
  for (size_t i = 0; i < timeline->absences_count; i++) {
    struct ls_absence absence = timeline->absences[i];
    absence.until_s = fmin(absence.until_s, makespan_s);
    if (absence.from_s < makespan_s) timeline->absences[absences++] = absence;
  }
  timeline->spans_count = spans;
  timeline->absences_count = absences;
}

enum ls_status ls_timeline_finish(const struct ls_timeline *timeline, struct ls_error *err) {
  if (timeline->failure.status == LS_OK) return LS_OK;
  assert(timeline->failure.text[0] != '\0');
  return ls_fail(err, timeline->failure.status, "%s", timeline->failure.text);
}
