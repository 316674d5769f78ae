/* past_slowness.c: the law of slowness of an earlier run. */
#include "advise/past_slowness.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* Further units, and workers in further slots, teach nothing. */
enum { UNITS_MAX = 1 << 18, SLOTS_MAX = 1 << 16 };

void ls_past_slowness_close(struct ls_past_slowness *past) {
  free(past->units);
  free(past->slots);
  *past = (struct ls_past_slowness){.status = LS_OK};
}

static void leave_slot(struct ls_past_slot *slot) {
  *slot = (struct ls_past_slot){.visit = slot->visit + 1};
}

void ls_past_slowness_begin(struct ls_past_slowness *past) {
  for (size_t i = 0; i < past->slots_count; i++) leave_slot(&past->slots[i]);
}

/* NULL: it teaches nothing. */
static struct ls_past_slot *find_slot(struct ls_past_slowness *past, uint32_t slot) {
  void *slots = past->slots;
  if (slot >= SLOTS_MAX || past->status != LS_OK) return NULL;
  past->status =
      ls_array_reserve(&slots, &past->slots_capacity, (size_t)slot + 1, sizeof *past->slots);
  past->slots = slots;
  if (past->status != LS_OK) return NULL;
  while (past->slots_count <= slot) past->slots[past->slots_count++] = (struct ls_past_slot){0};
  return &past->slots[slot];
}

static struct ls_past_unit *find_unit(struct ls_past_slowness *past, uint64_t unit) {
  void *units = past->units;
  if (unit >= UNITS_MAX || past->status != LS_OK) return NULL;
  past->status =
      ls_array_reserve(&units, &past->units_capacity, (size_t)unit + 1, sizeof *past->units);
  past->units = units;
  if (past->status != LS_OK) return NULL;
  while (past->units_count <= unit) past->units[past->units_count++] = (struct ls_past_unit){0};
  struct ls_past_unit *found = &past->units[unit];
  if (found->iteration != past->iteration) found->runs_count = 0;
  found->iteration = past->iteration;
  return found;
}

static void note_sent(struct ls_past_slowness *past, uint32_t slot, uint64_t unit, double now_s) {
  struct ls_past_slot *at = find_slot(past, slot);
  struct ls_past_unit *of = find_unit(past, unit);
  if (at == NULL) return;
  uint32_t rank = at->sent++;
  /* Runs at workers that are gone make room. */
  for (uint32_t i = 0; of != NULL && i < of->runs_count;) {
    if (past->slots[of->runs[i].slot].visit == of->runs[i].visit) {
      i++;
    } else {
      of->runs[i] = of->runs[--of->runs_count];
    }
  }
  if (of != NULL && of->runs_count < 2)
    of->runs[of->runs_count++] = (struct ls_past_unit_run){slot, at->visit, rank, now_s};
}

/* What was expected of the unit; NAN: nothing. */
static double expect(const struct ls_past_slowness *past, const struct ls_past_unit *of) {
  if (of->count > 0) return of->seconds / of->count;
  return past->iteration_units > 0 ? past->iteration_seconds / past->iteration_units : (double)NAN;
}

/* Another run of the unit ends for this one: what had begun would have lasted longer. */
static void note_stop(struct ls_past_slowness *past, const struct ls_past_unit_run *run,
                      double expected_s) {
  struct ls_past_slot *at = &past->slots[run->slot];
  if (at->visit != run->visit) return;
  double ratio = (past->now_s - fmax(run->sent_s, at->result_s)) / expected_s;
  if (at->resolved >= run->rank && ratio > 0) ls_slowness_censor(&past->slowness, ratio);
  at->resolved++;
}

/* `seconds`: of the unit, if it is done; `is_alone`: it was told by itself. */
static void note_ended(struct ls_past_slowness *past, uint32_t slot, uint64_t unit, double seconds,
                       bool is_alone) {
  struct ls_past_slot *at = find_slot(past, slot);
  struct ls_past_unit *of = find_unit(past, unit);
  if (at == NULL || of == NULL) return;
  double expected_s = expect(past, of);
  uint32_t runs_count = of->runs_count, own = 0;
  while (own < runs_count &&
         (of->runs[own].slot != slot || of->runs[own].visit != past->slots[slot].visit))
    own++;
  if (own == runs_count) return;
  past->slots[slot].resolved++;
  of->runs_count = 0;
  if (!(seconds >= 0)) {
    /* It goes on elsewhere, if it runs there. */
    if (runs_count == 2) of->runs[of->runs_count++] = of->runs[1 - own];
    return;
  }
  if (is_alone && seconds / expected_s > 0) ls_slowness_end(&past->slowness, seconds / expected_s);
  if (runs_count == 2) note_stop(past, &of->runs[1 - own], expected_s);
  of->seconds += seconds;
  of->count++;
}

static void hear_result(struct ls_past_slowness *past, const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  struct ls_past_slot *at = find_slot(past, event->worker);
  double count = (double)result->units.count, seconds = result->seconds / count;
  bool is_told = result->outcome == LS_OUTCOME_DONE && seconds >= 0 && isfinite(seconds);
  if (at == NULL) return;
  for (uint64_t i = 0; i < result->units.count && i < UNITS_MAX; i++)
    note_ended(past, event->worker, result->units.first + i, is_told ? seconds : -1,
               result->units.count == 1);
  at->result_s = event->now_s;
  if (!is_told) return;
  past->iteration_seconds += result->seconds;
  past->iteration_units += count;
}

void ls_past_slowness_hear(struct ls_past_slowness *past, const struct ls_event *event,
                           const struct ls_actions *sends) {
  struct ls_past_slot *at;
  past->now_s = event->now_s;
  switch (event->kind) {
    case LS_EVENT_ITERATION:
      past->iteration++;
      past->iteration_seconds = past->iteration_units = 0;
      break;
    case LS_EVENT_JOINED:
    case LS_EVENT_LOST:
    case LS_EVENT_SUSPENDED:
      at = find_slot(past, event->worker);
      if (at != NULL) leave_slot(at);
      break;
    case LS_EVENT_RESULT:
      hear_result(past, event);
      break;
    default:
      break;
  }
  for (size_t i = 0; i < sends->count; i++) {
    const struct ls_action *action = &sends->items[i];
    for (size_t k = 0; k < action->send.ranges_count; k++) {
      struct ls_range range = sends->ranges[action->send.first_range + k];
      for (uint64_t u = 0; u < range.count && range.first + u < UNITS_MAX; u++)
        note_sent(past, action->worker, range.first + u, event->now_s);
    }
  }
}
