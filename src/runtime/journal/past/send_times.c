#include "runtime/journal/past/send_times.h"

#include <stdlib.h>

#include "base/array.h"

/* What the event says of the rounds, but for its SENDs. */
static void hear(struct ls_send_times *times, const struct ls_event *event,
                 const struct ls_run_course *course) {
  switch (event->kind) {
    case LS_EVENT_FREE:
    case LS_EVENT_RESULT:
    case LS_EVENT_HEARTBEAT:
      return;
    case LS_EVENT_ITERATION:
      times->iteration++;
      times->iteration_first = course->sends_count;
      times->is_open = times->is_disturbed = false;
      break;
    case LS_EVENT_LEAVING:
    case LS_EVENT_LOST:
    case LS_EVENT_SUSPENDED:
    case LS_EVENT_RESUMED:
    case LS_EVENT_STOP:
      times->is_open = false;
      times->is_disturbed = true;
      break;
    default:
      break;
  }
  times->other_s = event->now_s;
  if (!(event->now_s > times->start_s)) times->counts = false;
}

static enum ls_status add_item(struct ls_run_course *course, const struct ls_course_send *item) {
  void *sends = course->sends;
  enum ls_status status = ls_array_reserve(&sends, &course->sends_capacity, course->sends_count + 1,
                                           sizeof *course->sends);
  course->sends = sends;
  if (status == LS_OK) course->sends[course->sends_count++] = *item;
  return status;
}

static enum ls_status close_round(struct ls_send_times *times, uint32_t first_worker, double now_s,
                                  struct ls_run_course *course) {
  enum ls_status status = LS_OK;
  struct ls_course_send item = {.units = times->units / (double)times->chunks,
                                .seconds = (now_s - times->start_s) / (double)times->chunks};
  times->is_open = false;
  for (size_t i = 0; times->counts && i < times->round_workers_count && status == LS_OK; i++) {
    item.worker = first_worker + times->round_workers[i];
    status = add_item(course, &item);
  }
  return status;
}

static void open_round(struct ls_send_times *times, const struct ls_event *event) {
  times->round++;
  times->is_open = true;
  times->counts = !times->is_disturbed && event->now_s > times->other_s;
  times->start_s = event->now_s;
  times->units = 0;
  times->chunks = times->round_workers_count = 0;
}

static enum ls_status make_room(struct ls_send_times *times, uint32_t worker) {
  void *workers = times->workers, *others = times->round_workers;
  enum ls_status status = ls_array_reserve(&workers, &times->workers_capacity, (size_t)worker + 1,
                                           sizeof *times->workers);
  times->workers = workers;
  if (status != LS_OK) return status;
  while (times->workers_count <= worker)
    times->workers[times->workers_count++] = (struct ls_send_worker){0};
  status = ls_array_reserve(&others, &times->round_workers_capacity, times->round_workers_count + 1,
                            sizeof *times->round_workers);
  times->round_workers = others;
  return status;
}

static enum ls_status add_chunk(struct ls_send_times *times, uint32_t worker, uint64_t units,
                                struct ls_run_course *course) {
  enum ls_status status = make_room(times, worker);
  if (status != LS_OK) return status;
  struct ls_send_worker *to = &times->workers[worker];
  if (to->iteration != times->iteration + 1 && !times->is_disturbed) {
    course->sends_count = times->iteration_first;
    times->counts = false;
  }
  if (to->round != times->round) times->round_workers[times->round_workers_count++] = worker;
  *to = (struct ls_send_worker){.iteration = times->iteration + 1, .round = times->round};
  times->units += (double)units;
  times->chunks++;
  return LS_OK;
}

enum ls_status ls_send_times_step(struct ls_send_times *times, uint32_t first_worker,
                                  const struct ls_event *event, const struct ls_actions *actions,
                                  struct ls_run_course *course) {
  enum ls_status status = LS_OK;
  bool is_free = event->kind == LS_EVENT_FREE, has_sent = false;
  hear(times, event, course);
  if (is_free && times->is_open && event->now_s > times->start_s)
    status = close_round(times, first_worker, event->now_s, course);
  for (size_t i = 0; i < actions->count && status == LS_OK; i++) {
    const struct ls_action *action = &actions->items[i];
    if (action->kind != LS_ACTION_SEND) continue;
    if (!times->is_open || event->now_s > times->start_s) open_round(times, event);
    times->counts = times->counts && is_free;
    has_sent = true;
    status = add_chunk(times, action->worker, action->send.units, course);
  }
  if (is_free && !has_sent) times->is_open = false;
  return status;
}

void ls_send_times_close(struct ls_send_times *times) {
  free(times->round_workers);
  free(times->workers);
  *times = (struct ls_send_times){.iteration = 0};
}
