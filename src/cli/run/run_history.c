#include "cli/run/run_history.h"

#include <math.h>
#include <stdlib.h>

#include "advise/past_slowness.h"
#include "advise/past_speeds.h"
#include "base/array.h"
#include "base/statistics.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_size_advice.h"

enum { SLOTS_MAX = 1 << 16 };

struct reader {
  struct ls_run_history *history;
  struct ls_moments moments;
  uint32_t *places; /* slots of the lessons, in the order of the journal */
  size_t places_capacity;
  struct ls_error *err;
};

static enum ls_status count_slot(struct reader *reader, const struct ls_journal_result *result,
                                 double seconds) {
  struct ls_run_history *history = reader->history;
  void *slots = history->slots;
  if (result->slot == 0 || result->slot > SLOTS_MAX) return LS_OK;
  enum ls_status status =
      ls_array_reserve(&slots, &history->slots_capacity, result->slot, sizeof *history->slots);
  history->slots = slots;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for workers");
  while (history->slots_count < result->slot)
    history->slots[history->slots_count++] = (struct ls_run_slot){0};
  history->slots[result->slot - 1].units += result->units.count;
  history->slots[result->slot - 1].seconds += seconds * (double)result->units.count;
  return LS_OK;
}

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  struct ls_run_history *history = reader->history;
  if (result->outcome != LS_OUTCOME_DONE || result->units.count == 0) return LS_OK;
  double seconds = result->seconds / (double)result->units.count;
  if (!(seconds >= 0) || !isfinite(seconds)) return LS_OK;
  void *lessons = history->lessons;
  enum ls_status status = ls_array_reserve(&lessons, &history->lessons_capacity,
                                           history->lessons_count + 1, sizeof *history->lessons);
  history->lessons = lessons;
  void *places = reader->places;
  if (status == LS_OK)
    status = ls_array_reserve(&places, &reader->places_capacity, history->lessons_count + 1,
                              sizeof *reader->places);
  reader->places = places;
  if (status != LS_OK) return ls_fail(reader->err, status, "out of memory for the history");
  reader->places[history->lessons_count] = result->slot;
  history->lessons[history->lessons_count++] = (struct ls_coordinator_lesson){
      .iteration = result->iteration, .units = result->units, .seconds = seconds};
  history->units += result->units.count;
  /* A range is one observation: the differences among its units are not recorded. */
  ls_moments_add(&reader->moments, seconds);
  return count_slot(reader, result, seconds);
}

/* A slow worker's units are long because of the worker: beside its mean they would count twice. */
static enum ls_status compare_within_slots(struct reader *reader) {
  struct ls_run_history *history = reader->history;
  history->shares = calloc(history->lessons_count, sizeof *history->shares);
  if (history->shares == NULL)
    return ls_fail(reader->err, LS_ENOMEM, "out of memory for a history");
  for (int takes_all = 0; takes_all < 2 && history->shares_count == 0; takes_all++) {
    for (size_t i = 0; i < history->lessons_count; i++) {
      size_t slot = (size_t)reader->places[i] - 1;
      double mean_s = ls_run_history_slot(history, slot);
      if (!takes_all && !ls_run_history_tells(history, slot)) continue;
      double share = mean_s > 0 ? history->lessons[i].seconds / mean_s : 1;
      history->shares[history->shares_count++] = share;
    }
  }
  return LS_OK;
}

/* ---- the overhead of chunks ---- */

struct meters {
  struct ls_overhead *slots; /* by the coordinator's slot */
  size_t count, capacity;
  struct ls_error *err;
};

static enum ls_status find_meter(struct meters *meters, uint32_t slot, struct ls_overhead **out) {
  void *slots = meters->slots;
  if (slot >= SLOTS_MAX)
    return ls_fail(meters->err, LS_ECORRUPT, "slot is %u, expected one below %d", (unsigned)slot,
                   (int)SLOTS_MAX);
  if (ls_array_reserve(&slots, &meters->capacity, (size_t)slot + 1, sizeof *meters->slots) != LS_OK)
    return ls_fail(meters->err, LS_ENOMEM, "out of memory for the history");
  meters->slots = slots;
  while (meters->count <= slot) meters->slots[meters->count++] = (struct ls_overhead){0};
  *out = &meters->slots[slot];
  return LS_OK;
}

static enum ls_status measure(struct meters *meters, const struct ls_event *event,
                              const struct ls_actions *sends) {
  struct ls_overhead *meter;
  bool is_result = event->kind == LS_EVENT_RESULT;
  /* A new worker has nothing yet, and one that is away or gone has nothing any more. */
  bool is_empty = event->kind == LS_EVENT_JOINED || event->kind == LS_EVENT_LOST ||
                  event->kind == LS_EVENT_SUSPENDED;
  if (is_result || is_empty) {
    enum ls_status status = find_meter(meters, event->worker, &meter);
    if (status != LS_OK) return status;
    if (is_empty) meter->here = 0;
    if (is_result)
      ls_overhead_ended(meter, event->result.units.count, event->result.seconds, event->now_s);
  }
  for (size_t i = 0; i < sends->count; i++) {
    enum ls_status status = find_meter(meters, sends->items[i].worker, &meter);
    if (status != LS_OK) return status;
    uint64_t units = 0;
    for (size_t k = 0; k < sends->items[i].send.ranges_count; k++)
      units += sends->ranges[sends->items[i].send.first_range + k].count;
    ls_overhead_sent(meter, units, event->now_s);
  }
  return LS_OK;
}

/* ---- pools ---- */

static enum ls_status read_pools(struct ls_run_history *history, struct ls_journal *journal,
                                 struct ls_error *err) {
  struct ls_journal_size_advice kept = {.grant_s = 0};
  enum ls_status status = ls_journal_read_size_advice(journal, &kept, err);
  history->grant_s = kept.grant_s;
  history->grant_first_s = kept.grant_first_s;
  history->losses = kept.losses;
  history->up_s = kept.up_s;
  ls_bytes_close(&kept.words);
  return status;
}

/* ---- events ---- */

/* All that is learnt from what a run heard and sent, in one walk. */
struct learners {
  struct meters meters;
  struct ls_past_slowness slowness;
  struct ls_past_speeds speeds;
};

static enum ls_status on_event(void *context, const struct ls_event *event,
                               const struct ls_actions *sends) {
  struct learners *learners = context;
  ls_past_slowness_hear(&learners->slowness, event, sends);
  ls_past_speeds_hear(&learners->speeds, event);
  return measure(&learners->meters, event, sends);
}

/* A session begins with nobody. */
static void begin_session(struct learners *learners) {
  struct meters *meters = &learners->meters;
  for (size_t i = 0; i < meters->count; i++) meters->slots[i].here = 0;
  ls_past_slowness_begin(&learners->slowness);
  ls_past_speeds_begin(&learners->speeds);
}

static void add_overhead(struct ls_run_history *history, const struct meters *meters) {
  for (size_t i = 0; i < meters->count; i++) {
    history->overhead.beside_s += meters->slots[i].beside_s;
    history->overhead.chunks += meters->slots[i].chunks;
    history->overhead.begins += meters->slots[i].begins;
  }
}

/* The coordinator takes lessons for times on a worker of speed 1; the journal has those of the
 * machines that did the units. */
static void weigh_lessons(struct ls_run_history *history, const struct ls_past_speeds *speeds) {
  for (size_t i = 0; i < history->lessons_count && history->hosts_count > 0; i++) {
    struct ls_coordinator_lesson *lesson = &history->lessons[i];
    lesson->seconds *= ls_past_speeds_of(speeds, lesson->units, lesson->seconds);
  }
}

static enum ls_status learn_from_events(struct ls_run_history *history, struct ls_journal *journal,
                                        uint32_t sessions, struct ls_error *err) {
  struct learners learners = {.meters = {.err = err}};
  enum ls_status status = LS_OK;
  for (uint32_t session = 0; session < sessions && status == LS_OK; session++) {
    begin_session(&learners);
    status = ls_journal_each_event(journal, session, on_event, &learners, err);
  }
  add_overhead(history, &learners.meters);
  history->slowness = learners.slowness.slowness;
  enum ls_status learnt = learners.slowness.status;
  if (learnt == LS_OK)
    learnt = ls_past_speeds_estimate(&learners.speeds, &history->hosts, &history->hosts_count);
  if (status == LS_OK && learnt != LS_OK)
    status = ls_fail(err, learnt, "out of memory for the history");
  if (status == LS_OK) weigh_lessons(history, &learners.speeds);
  free(learners.meters.slots);
  ls_past_slowness_close(&learners.slowness);
  ls_past_speeds_close(&learners.speeds);
  return status;
}

static int compare_lessons(const void *left, const void *right) {
  const struct ls_coordinator_lesson *a = left, *b = right;
  if (a->iteration != b->iteration) return a->iteration < b->iteration ? -1 : 1;
  return a->units.first < b->units.first ? -1 : a->units.first > b->units.first;
}

static enum ls_status read_all(struct ls_run_history *history, struct ls_journal *journal,
                               const char *path, struct ls_error *err) {
  struct reader reader = {.history = history, .err = err};
  struct ls_journal_summary summary;
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK) status = ls_journal_each_result(journal, on_result, &reader, err);
  if (status == LS_OK && history->lessons_count == 0)
    status = ls_fail(err, LS_EINVAL, "--history %s: no task of that run was done", path);
  history->mean_seconds = reader.moments.mean;
  if (status == LS_OK) status = compare_within_slots(&reader);
  if (status == LS_OK) status = read_pools(history, journal, err);
  if (status == LS_OK) status = learn_from_events(history, journal, summary.sessions, err);
  free(reader.places);
  if (status != LS_OK) return status;
  qsort(history->lessons, history->lessons_count, sizeof *history->lessons, compare_lessons);
  return LS_OK;
}

enum ls_status ls_run_history_read(struct ls_run_history *history, const char *path,
                                   struct ls_error *err) {
  struct ls_journal *journal = NULL;
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  *history = (struct ls_run_history){0};
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = read_all(history, journal, path, err);
  ls_journal_close(journal);
  if (status != LS_OK) ls_run_history_close(history);
  return status;
}
