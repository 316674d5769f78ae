#include "coordinator/worker_side.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The most actions of one event, beside those for each job that waits and each chunk that is held.
 */
enum { ACTIONS_MAX = 8 };

void ls_side_actions_close(struct ls_side_actions *actions) {
  free(actions->items);
  free(actions->times);
  *actions = (struct ls_side_actions){0};
}

void ls_worker_side_init(struct ls_worker_side *side, const struct ls_side_settings *settings) {
  *side = (struct ls_worker_side){.settings = *settings};
}

void ls_worker_side_close(struct ls_worker_side *side) {
  ls_job_queue_close(&side->queue);
  free(side->times);
  free(side->held);
  *side = (struct ls_worker_side){.settings = side->settings};
}

void ls_worker_side_clear(struct ls_worker_side *side) {
  ls_job_queue_clear(&side->queue);
  side->is_running = side->has_begun = side->is_asking = false;
  side->is_leaving = side->is_released = false;
  side->merged.units.count = 0;
  side->times_count = 0;
  side->held_count = 0;
}

static struct ls_side_action *add_action(struct ls_side_actions *actions,
                                         enum ls_side_action_kind kind) {
  assert(actions->count < actions->capacity);
  struct ls_side_action *action = &actions->items[actions->count++];
  action->kind = kind;
  return action;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Units that are here and have not ended. */
static uint64_t count_units(const struct ls_worker_side *side) {
  return side->queue.units + (side->is_running ? side->running.units.count : 0);
}

/* Units to ask for now; 0: none. */
static uint64_t measure_room(const struct ls_worker_side *side) {
  const struct ls_side_settings *settings = &side->settings;
  if (settings->asking == LS_ASKING_NOTHING || side->is_asking || side->is_released ||
      side->is_leaving)
    return 0;
  uint64_t waiting = ls_worker_side_waiting(side);
  bool may_ask =
      settings->prefetch > 0 ? waiting < settings->prefetch : waiting == 0 && !side->is_running;
  if (!may_ask) return 0;
  /* One unit more than may wait when nothing runs: it starts at once. */
  uint64_t units = settings->prefetch - waiting + (side->is_running ? 0 : 1);
  if (settings->room > 0) {
    uint64_t here = count_units(side);
    units = here < settings->room ? least(units, settings->room - here) : 0;
  }
  return settings->asking == LS_ASKING_ONE ? least(units, 1) : units;
}

uint64_t ls_worker_side_milestone(const struct ls_worker_side *side) {
  const struct ls_side_settings *settings = &side->settings;
  assert(side->is_running && side->has_begun && settings->has_progress);
  uint64_t next = side->running.units.count;
  bool may_ask = settings->asking != LS_ASKING_NOTHING && !side->is_asking && !side->is_released &&
                 !side->is_leaving && settings->prefetch > 0;
  if (may_ask) {
    uint64_t waiting = ls_worker_side_waiting(side), here = count_units(side), ask = 1;
    if (waiting >= settings->prefetch) ask = waiting - settings->prefetch + 1;
    if (settings->room > 0 && here - least(here, ask) >= settings->room)
      ask = here - settings->room + 1;
    next = least(next, ask);
  }
  if (settings->report_every > 0)
    next = least(next, settings->report_every - side->finished % settings->report_every);
  return next;
}

/* The last times of `count` units in all become part of the actions. */
static void move_times(const struct ls_worker_side *side, const double *times, size_t count,
                       struct ls_side_result *result, struct ls_side_actions *actions) {
  size_t wanted = (size_t)least(least(count, side->settings.history), result->units.count);
  result->first_time = actions->times_count;
  result->times_count = wanted;
  if (wanted == 0) return;
  memcpy(actions->times + actions->times_count, times + count - wanted, wanted * sizeof *times);
  actions->times_count += wanted;
}

static void tell_merged(struct ls_worker_side *side, struct ls_side_actions *actions) {
  if (side->merged.units.count == 0) return;
  struct ls_side_result *told = &add_action(actions, LS_SIDE_ACTION_TELL)->result;
  *told = side->merged;
  move_times(side, side->times, side->times_count, told, actions);
  side->merged.units.count = 0;
  side->times_count = 0;
}

static void drop(struct ls_side_actions *actions, uint64_t payload, uint64_t units) {
  add_action(actions, LS_SIDE_ACTION_DROP)->drop =
      (struct ls_side_drop){.payload = payload, .units = units};
}

static bool is_chunk_here(const struct ls_worker_side *side, uint64_t chunk) {
  if (side->is_running && side->running.chunk == chunk) return true;
  const struct ls_job *job;
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; i++)
    if (job->chunk == chunk) return true;
  return false;
}

static struct ls_side_held *find_held(const struct ls_worker_side *side, uint64_t chunk) {
  for (size_t i = 0; i < side->held_count; i++)
    if (side->held[i].chunk == chunk) return &side->held[i];
  return NULL;
}

/* The kept results of the chunk leave when all of it has ended and it was fetched. */
static void let_go(struct ls_worker_side *side, uint64_t chunk, struct ls_side_actions *actions) {
  struct ls_side_held *held = find_held(side, chunk);
  if (held == NULL || !held->is_fetched || is_chunk_here(side, chunk)) return;
  if (side->merged.chunk == chunk) tell_merged(side, actions);
  add_action(actions, LS_SIDE_ACTION_LET_GO)->let_go =
      (struct ls_side_let_go){.chunk = chunk, .payload = held->payload};
  *held = side->held[--side->held_count];
}

static void on_chunk(struct ls_worker_side *side, const struct ls_side_chunk *arrived,
                     struct ls_side_actions *actions) {
  if (!arrived->is_followed) side->is_asking = false;
  if (side->is_leaving || side->is_released) {
    for (size_t i = 0; i < arrived->ranges_count; i++)
      drop(actions, arrived->payload, arrived->ranges[i].count);
    return;
  }
  for (size_t i = 0; i < arrived->ranges_count; i++)
    ls_job_queue_push(&side->queue, &(struct ls_job){.chunk = arrived->chunk,
                                                     .units = arrived->ranges[i],
                                                     .payload = arrived->payload,
                                                     .is_first = i == 0,
                                                     .is_held = arrived->is_held});
  if (arrived->is_held && find_held(side, arrived->chunk) == NULL)
    side->held[side->held_count++] =
        (struct ls_side_held){.chunk = arrived->chunk, .payload = arrived->payload};
}

/* The times of the last units of `merged`: as many as are wanted, and never more than twice as many
 * are kept. */
static void keep_times(struct ls_worker_side *side, const struct ls_side_ended *ended) {
  size_t wanted = (size_t)least(ended->units, side->settings.history);
  if (wanted == 0) return;
  if (side->times_count + wanted > side->times_capacity) {
    size_t kept = (size_t)least(side->times_count, side->settings.history - wanted);
    memmove(side->times, side->times + side->times_count - kept, kept * sizeof *side->times);
    side->times_count = kept;
  }
  double *times = side->times + side->times_count;
  for (size_t i = 0; i < wanted; i++)
    times[i] = ended->times != NULL ? ended->times[ended->times_count - wanted + i]
                                    : ended->seconds / (double)ended->units;
  side->times_count += wanted;
}

/* Finished units that continue each other are one result. */
static void merge(struct ls_worker_side *side, const struct ls_side_ended *ended,
                  struct ls_side_actions *actions) {
  struct ls_side_result *merged = &side->merged;
  const struct ls_job *job = &side->running;
  bool is_continued =
      merged->chunk == job->chunk && merged->units.first + merged->units.count == job->units.first;
  if (!is_continued) tell_merged(side, actions);
  if (merged->units.count == 0) {
    merged->chunk = job->chunk;
    merged->units.first = job->units.first;
    merged->outcome = LS_OUTCOME_DONE;
    merged->is_held = job->is_held;
    merged->seconds = merged->squares = 0;
  }
  merged->units.count += ended->units;
  merged->seconds += ended->seconds;
  merged->squares += ended->squares;
  keep_times(side, ended);
}

static void tell_alone(struct ls_worker_side *side, const struct ls_side_ended *ended,
                       struct ls_side_actions *actions) {
  const struct ls_job *job = &side->running;
  tell_merged(side, actions);
  keep_times(side, ended);
  struct ls_side_action *action = add_action(actions, LS_SIDE_ACTION_TELL);
  action->result = (struct ls_side_result){.chunk = job->chunk,
                                           .units = {job->units.first, ended->units},
                                           .outcome = ended->outcome,
                                           .is_held = job->is_held,
                                           .seconds = ended->seconds,
                                           .squares = ended->squares};
  move_times(side, side->times, side->times_count, &action->result, actions);
  side->times_count = 0;
}

/* Does what waits first go on where the job that has just ended stops? */
static bool is_continued(const struct ls_worker_side *side, uint64_t chunk, uint64_t end) {
  const struct ls_job *next = ls_job_queue_at(&side->queue, 0);
  return next != NULL && next->chunk == chunk && next->units.first == end;
}

static void on_ended(struct ls_worker_side *side, const struct ls_side_ended *ended,
                     struct ls_side_actions *actions) {
  struct ls_job *job = &side->running;
  assert(side->is_running && ended->units > 0);
  assert(side->has_begun || ended->outcome == LS_OUTCOME_CANCELLED);
  assert(ended->units <= job->units.count);
  uint64_t every = side->settings.report_every, before = side->finished;
  if (ended->outcome == LS_OUTCOME_DONE) side->finished += ended->units;
  if (ended->outcome == LS_OUTCOME_DONE && !ended->has_output)
    merge(side, ended, actions);
  else
    tell_alone(side, ended, actions);
  job->units.first += ended->units;
  job->units.count -= ended->units;
  drop(actions, job->payload, ended->units);
  if (every > 0 && before / every < side->finished / every) tell_merged(side, actions);
  if (job->units.count > 0) return;
  side->is_running = side->has_begun = false;
  if (!is_continued(side, job->chunk, job->units.first)) tell_merged(side, actions);
  if (job->is_held) let_go(side, job->chunk, actions);
  if (!side->is_leaving) return;
  tell_merged(side, actions);
  add_action(actions, LS_SIDE_ACTION_BYE);
}

/* The waiting units of a chunk go back. */
static void give_back(struct ls_worker_side *side, uint64_t chunk,
                      struct ls_side_actions *actions) {
  const struct ls_job *job;
  tell_merged(side, actions);
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; i++) {
    if (job->chunk != chunk) continue;
    add_action(actions, LS_SIDE_ACTION_TELL)->result = (struct ls_side_result){
        .chunk = chunk, .units = job->units, .outcome = LS_OUTCOME_CANCELLED};
    drop(actions, job->payload, job->units.count);
  }
  ls_job_queue_remove(&side->queue, chunk);
}

/* Finished units of a chunk that is not wanted whole any more are not held either. */
static void on_cancel(struct ls_worker_side *side, uint64_t chunk,
                      struct ls_side_actions *actions) {
  struct ls_side_held *held = find_held(side, chunk);
  if (!is_chunk_here(side, chunk) && held == NULL) return;
  give_back(side, chunk, actions);
  if (side->is_running && side->running.chunk == chunk) add_action(actions, LS_SIDE_ACTION_STOP);
  if (held == NULL) return;
  held->is_fetched = true;
  let_go(side, chunk, actions);
}

/* Of units that are started together and run one by one, the first has begun; those behind it. */
static struct ls_range cut_running(struct ls_worker_side *side) {
  struct ls_job *job = &side->running;
  if (!side->is_running || !side->settings.has_progress) return (struct ls_range){0, 0};
  struct ls_range rest = {job->units.first + 1, job->units.count - 1};
  job->units.count = 1;
  return rest;
}

static void on_recall(struct ls_worker_side *side, struct ls_side_actions *actions) {
  const struct ls_job *job;
  struct ls_range rest = cut_running(side);
  if (rest.count > 0) {
    tell_merged(side, actions);
    add_action(actions, LS_SIDE_ACTION_TELL)->result = (struct ls_side_result){
        .chunk = side->running.chunk, .units = rest, .outcome = LS_OUTCOME_CANCELLED};
    drop(actions, side->running.payload, rest.count);
  }
  while ((job = ls_job_queue_at(&side->queue, 0)) != NULL) {
    uint64_t chunk = job->chunk;
    give_back(side, chunk, actions);
    let_go(side, chunk, actions);
  }
}

static void on_fetch(struct ls_worker_side *side, uint64_t chunk, struct ls_side_actions *actions) {
  struct ls_side_held *held = find_held(side, chunk);
  if (held == NULL) return;
  held->is_fetched = true;
  let_go(side, chunk, actions);
}

/* Waiting units are dropped without a word: the master takes them back when the worker is gone. */
static void drop_waiting(struct ls_worker_side *side, struct ls_side_actions *actions) {
  const struct ls_job *job;
  uint64_t rest = cut_running(side).count;
  if (rest > 0) drop(actions, side->running.payload, rest);
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; i++)
    drop(actions, job->payload, job->units.count);
  ls_job_queue_clear(&side->queue);
}

static void on_leave(struct ls_worker_side *side, struct ls_side_actions *actions) {
  if (side->is_leaving) return;
  side->is_leaving = true;
  drop_waiting(side, actions);
  tell_merged(side, actions);
  if (side->is_running) return;
  add_action(actions, LS_SIDE_ACTION_BYE);
}

static void on_release(struct ls_worker_side *side, struct ls_side_actions *actions) {
  side->is_released = true;
  drop_waiting(side, actions);
  tell_merged(side, actions);
}

/* The others begin first when the running ones have ended. */
static void on_taken(struct ls_worker_side *side, uint64_t taken) {
  struct ls_job *job = &side->running;
  assert(side->is_running && taken > 0 && taken <= job->units.count);
  if (taken == job->units.count) return;
  struct ls_job rest = *job;
  rest.units.first += taken;
  rest.units.count -= taken;
  job->units.count = taken;
  ls_job_queue_put_back(&side->queue, &rest);
}

static void start_next(struct ls_worker_side *side, struct ls_side_actions *actions) {
  if (side->is_running || side->queue.count == 0) return;
  uint64_t units_max = side->settings.units_max;
  ls_job_queue_take(&side->queue, units_max > 0 ? units_max : UINT64_MAX, &side->running);
  side->is_running = true;
  side->has_begun = !side->settings.has_receive;
  (void)add_action(actions, LS_SIDE_ACTION_START);
}

/* The master hears of the finished units before it decides. */
static void ask(struct ls_worker_side *side, struct ls_side_actions *actions) {
  uint64_t units = measure_room(side);
  if (units == 0) return;
  tell_merged(side, actions);
  side->is_asking = true;
  add_action(actions, LS_SIDE_ACTION_ASK)->units = units;
}

static enum ls_status reserve_times(struct ls_worker_side *side, const struct ls_side_ended *ended,
                                    struct ls_side_actions *actions) {
  uint64_t history = side->settings.history, wanted = least(ended->units, history);
  if (wanted == 0) return LS_OK;
  /* Twice the history, so that the oldest are moved out seldom. */
  uint64_t kept = side->times_count + wanted;
  if (kept > history) kept = 2 * history;
  void *times = side->times;
  enum ls_status status =
      ls_array_reserve(&times, &side->times_capacity, (size_t)kept, sizeof *side->times);
  side->times = times;
  if (status != LS_OK) return status;
  times = actions->times;
  status = ls_array_reserve(&times, &actions->times_capacity,
                            side->times_count + 2 * (size_t)wanted, sizeof *actions->times);
  actions->times = times;
  return status;
}

/* Nearly always there is memory enough. */
static bool has_memory(const struct ls_worker_side *side, const struct ls_side_event *event,
                       const struct ls_side_actions *actions) {
  if (side->settings.history > 0) return false;
  if (event->kind == LS_SIDE_EVENT_ENDED) return actions->capacity >= ACTIONS_MAX;
  size_t ranges = event->arrived.ranges_count;
  return event->kind == LS_SIDE_EVENT_CHUNK && !event->arrived.is_held &&
         ranges <= side->queue.capacity - side->queue.count && ranges <= actions->capacity &&
         actions->capacity - ranges >= ACTIONS_MAX;
}

static enum ls_status reserve(struct ls_worker_side *side, const struct ls_side_event *event,
                              struct ls_side_actions *actions) {
  size_t needed = ACTIONS_MAX;
  enum ls_status status = LS_OK;
  if (event->kind == LS_SIDE_EVENT_ENDED) {
    status = reserve_times(side, &event->ended, actions);
  } else if (event->kind == LS_SIDE_EVENT_CHUNK) {
    needed += event->arrived.ranges_count;
    status = ls_job_queue_reserve(&side->queue, event->arrived.ranges_count);
    if (status == LS_OK && event->arrived.is_held) {
      void *held = side->held;
      status =
          ls_array_reserve(&held, &side->held_capacity, side->held_count + 1, sizeof *side->held);
      side->held = held;
    }
  } else {
    if (event->kind == LS_SIDE_EVENT_TAKEN) status = ls_job_queue_reserve(&side->queue, 1);
    needed += 2 * side->queue.count + side->held_count;
  }
  if (status == LS_OK && side->times_count > actions->times_capacity) {
    void *times = actions->times;
    status = ls_array_reserve(&times, &actions->times_capacity, side->times_count,
                              sizeof *actions->times);
    actions->times = times;
  }
  if (status != LS_OK || needed <= actions->capacity) return status;
  void *items = actions->items;
  status = ls_array_reserve(&items, &actions->capacity, needed, sizeof *actions->items);
  actions->items = items;
  return status;
}

enum ls_status ls_worker_side_step(struct ls_worker_side *side, const struct ls_side_event *event,
                                   struct ls_side_actions *actions) {
  if (!has_memory(side, event, actions)) {
    enum ls_status status = reserve(side, event, actions);
    if (status != LS_OK) return status;
  }
  actions->count = actions->times_count = 0;
  switch (event->kind) {
    case LS_SIDE_EVENT_JOINED:
      side->is_asking = false;
      break;
    case LS_SIDE_EVENT_CHUNK:
      on_chunk(side, &event->arrived, actions);
      break;
    case LS_SIDE_EVENT_BEGUN:
      assert(side->is_running && !side->has_begun);
      side->has_begun = true;
      break;
    case LS_SIDE_EVENT_TAKEN:
      on_taken(side, event->taken);
      break;
    case LS_SIDE_EVENT_ENDED:
      on_ended(side, &event->ended, actions);
      break;
    case LS_SIDE_EVENT_CANCEL:
      on_cancel(side, event->chunk, actions);
      break;
    case LS_SIDE_EVENT_RECALL:
      on_recall(side, actions);
      break;
    case LS_SIDE_EVENT_FETCH:
      on_fetch(side, event->chunk, actions);
      break;
    case LS_SIDE_EVENT_PREFETCH:
      side->settings.prefetch = event->prefetch;
      break;
    case LS_SIDE_EVENT_DUE:
      tell_merged(side, actions);
      break;
    case LS_SIDE_EVENT_LEAVE:
      on_leave(side, actions);
      break;
    case LS_SIDE_EVENT_RELEASE:
      on_release(side, actions);
      break;
    case LS_SIDE_EVENT_COUNT:
      break;
  }
  start_next(side, actions);
  if (!event->is_held_back) ask(side, actions);
  return LS_OK;
}
