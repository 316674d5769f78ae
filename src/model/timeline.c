#include "model/timeline.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *ls_operation_name(enum ls_operation operation) {
  static const char *const names[LS_OPERATION_COUNT] = {
      [LS_OPERATION_PREPARE] = "prepare",   [LS_OPERATION_SEND] = "send",
      [LS_OPERATION_TRANSFER] = "transfer", [LS_OPERATION_RECEIVE] = "receive",
      [LS_OPERATION_COMPUTE] = "compute",   [LS_OPERATION_REPLY] = "reply"};
  assert((unsigned)operation < LS_OPERATION_COUNT);
  return names[operation];
}

const char *ls_resource_name(enum ls_resource resource) {
  static const char *const names[] = {[LS_RESOURCE_MASTER] = "master",
                                      [LS_RESOURCE_NETWORK] = "network",
                                      [LS_RESOURCE_RETURN] = "return",
                                      [LS_RESOURCE_WORKER] = "worker"};
  assert((unsigned)resource < sizeof names / sizeof *names);
  return names[resource];
}

void ls_timeline_init(struct ls_timeline *timeline) {
  *timeline = (struct ls_timeline){0};
}

void ls_timeline_close(struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->workers_count; i++) free(timeline->workers[i].name);
  for (size_t i = 0; i < timeline->notes_count; i++) free(timeline->notes[i]);
  free(timeline->workers);
  free(timeline->decisions);
  free(timeline->spans);
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
      (struct ls_timeline_worker){.name = copy, .joined_s = joined_s, .left_s = left_s};
}

void ls_timeline_add_decision(struct ls_timeline *timeline, uint32_t worker, double units) {
  assert(units >= 0);
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
  void *items = timeline->spans;
  bool has_room = make_room(timeline, &items, &timeline->spans_capacity, timeline->spans_count,
                            sizeof *timeline->spans);
  timeline->spans = items;
  if (has_room) timeline->spans[timeline->spans_count++] = *span;
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

enum ls_status ls_timeline_finish(const struct ls_timeline *timeline, struct ls_error *err) {
  if (timeline->failure.status == LS_OK) return LS_OK;
  assert(timeline->failure.text[0] != '\0');
  return ls_fail(err, timeline->failure.status, "%s", timeline->failure.text);
}
