/* step.c: the only place where the state changes: one event in, actions out. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/handlers_private.h"

struct ls_action *ls_step_make_room(struct ls_coordinator *c) {
  struct ls_actions *actions = c->actions;
  void *items = actions->items;
  enum ls_status status =
      ls_array_reserve(&items, &actions->capacity, actions->count + 1, sizeof *actions->items);
  actions->items = items;
  ls_step_fail(c, status);
  /* The last one is written over: the actions of a failed step are not performed. */
  if (status != LS_OK && actions->count == 0) return &c->spare;
  if (status != LS_OK) actions->count--;
  return &actions->items[actions->count++];
}

void ls_step_write_note(struct ls_coordinator *c, const struct ls_note *note) {
  struct ls_actions *actions = c->actions;
  void *items = actions->notes;
  enum ls_status status = ls_array_reserve(&items, &actions->notes_capacity,
                                           actions->notes_count + 1, sizeof *actions->notes);
  actions->notes = items;
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  struct ls_note *made = &actions->notes[actions->notes_count++];
  *made = *note;
  made->now_s = c->now_s;
}

void ls_step_wake(struct ls_coordinator *c, double time_s) {
  assert(!isnan(time_s));
  if (!(time_s < c->wake_s) || c->is_finished) return;
  c->wake_s = time_s;
  ls_step_act(c, LS_ACTION_WAKE_AT, LS_WORKER_NONE)->time_s = time_s;
}

static enum ls_status add_weights(struct ls_coordinator *c, size_t slots) {
  void *items = c->weights;
  size_t known = c->view.slots;
  enum ls_status status = ls_array_reserve(&items, &c->weights_capacity, slots, sizeof *c->weights);
  c->weights = items;
  c->view.weights = c->weights;
  for (size_t i = known; i < slots && status == LS_OK; i++)
    c->weights[i] = ls_step_weight(c, (uint32_t)i);
  return status;
}

static enum ls_status add_visits(struct ls_coordinator *c, size_t slots) {
  void *items = c->visits;
  enum ls_status status = ls_array_reserve(&items, &c->visits_capacity, slots, sizeof *c->visits);
  c->visits = items;
  for (size_t i = c->view.slots; i < slots && status == LS_OK; i++)
    c->visits[i] = ls_visit_begin(&(struct ls_event_joined){0}, (double)NAN, 0);
  return status;
}

static enum ls_status add_ranks(struct ls_coordinator *c, size_t slots) {
  void *items = c->ranks;
  enum ls_status status = ls_array_reserve(&items, &c->ranks_capacity, slots, sizeof *c->ranks);
  c->ranks = items;
  return status;
}

static enum ls_status add_lasting(struct ls_coordinator *c, size_t slots) {
  void *items = c->lasting;
  enum ls_status status = ls_array_reserve(&items, &c->lasting_capacity, slots, sizeof *c->lasting);
  c->lasting = items;
  return status;
}

enum ls_status ls_step_add_slots(struct ls_coordinator *c, size_t slots) {
  if (slots <= c->view.slots) return LS_OK;
  enum ls_status status = ls_roster_add_slots(&c->roster, slots);
  if (status == LS_OK) status = ls_ledger_add_slots(&c->ledger, slots);
  if (status == LS_OK) status = ls_record_add_slots(&c->record, slots);
  if (status == LS_OK) status = add_weights(c, slots);
  if (status == LS_OK) status = add_ranks(c, slots);
  if (status == LS_OK) status = add_visits(c, slots);
  if (status == LS_OK) status = add_lasting(c, slots);
  if (status == LS_OK) status = ls_rooms_add_slots(&c->rooms, slots);
  if (status == LS_OK) status = ls_spares_add_slots(&c->spares, slots);
  c->view.units_free = c->rooms.free;
  c->view.is_present = c->roster.is_present;
  c->view.is_counted = c->roster.is_counted;
  if (status == LS_OK) status = ls_lane_add_slots(c, slots);
  /* Crews grow when somebody comes who may have their units. */
  bool has_seats = c->crews == NULL && c->policy != NULL && c->policy->chunking->resize != NULL;
  if (status == LS_OK && has_seats)
    status = c->policy->chunking->resize(c->policy->state, slots, NULL);
  if (status == LS_OK) c->view.slots = slots;
  return status;
}

/* Those of workers come first. */
static bool is_of_worker(enum ls_event_kind kind) {
  _Static_assert((int)LS_EVENT_JOINED == 0 && (int)LS_EVENT_RESUMED == 7, "events of workers");
  return kind <= LS_EVENT_RESUMED;
}

/* What a worker says of itself. */
static enum ls_status check_worker(const struct ls_event *event, struct ls_error *err) {
  if (event->kind == LS_EVENT_JOINED && !(event->joined.lifetime_s >= 0))
    return ls_fail(err, LS_EINVAL, "JOINED: lifetime_s is %g, must be >= 0",
                   event->joined.lifetime_s);
  if (event->kind == LS_EVENT_SUSPENDED && (unsigned)event->suspended.reason >= LS_AWAY_COUNT)
    return ls_fail(err, LS_EINVAL, "SUSPENDED: reason is %d, must be < %d",
                   (int)event->suspended.reason, (int)LS_AWAY_COUNT);
  if (event->kind == LS_EVENT_HEARTBEAT && (!(event->answer_s >= 0) || !isfinite(event->answer_s)))
    return ls_fail(err, LS_EINVAL, "HEARTBEAT: answer_s is %g, must be >= 0 and finite",
                   event->answer_s);
  if (event->kind == LS_EVENT_HEARTBEAT && (!(event->send_s >= 0) || !isfinite(event->send_s)))
    return ls_fail(err, LS_EINVAL, "HEARTBEAT: send_s is %g, must be >= 0 and finite",
                   event->send_s);
  bool is_speed = event->kind != LS_EVENT_HEARTBEAT || fabs(event->speed) <= 0 ||
                  (event->speed >= LS_EVENT_SPEED_LEAST && event->speed <= LS_EVENT_SPEED_MOST);
  if (!is_speed)
    return ls_fail(err, LS_EINVAL, "HEARTBEAT: speed is %g, must be 0, or from %g to %g",
                   event->speed, LS_EVENT_SPEED_LEAST, LS_EVENT_SPEED_MOST);
  return LS_OK;
}

static enum ls_status check_event(const struct ls_coordinator *c, const struct ls_event *event,
                                  struct ls_error *err) {
  if ((unsigned)event->kind >= LS_EVENT_COUNT)
    return ls_fail(err, LS_EINVAL, "event kind is %d, must be < %d", (int)event->kind,
                   (int)LS_EVENT_COUNT);
  if (!isfinite(event->now_s))
    return ls_fail(err, LS_EINVAL, "%s: now_s is %g, must be finite", ls_event_name(event->kind),
                   event->now_s);
  if (is_of_worker(event->kind) && event->worker >= c->config.workers_max)
    return ls_fail(err, LS_EINVAL, "%s: worker is %u, must be < %zu", ls_event_name(event->kind),
                   (unsigned)event->worker, c->config.workers_max);
  if (event->kind == LS_EVENT_READY) return LS_OK;
  if (event->kind == LS_EVENT_RESULT)
    return ls_outcome_is_result(event->result.outcome)
               ? LS_OK
               : ls_fail(err, LS_EINVAL, "RESULT: outcome is %d, which is no result",
                         (int)event->result.outcome);
  if (event->kind == LS_EVENT_LOST && (unsigned)event->lost >= LS_LOSS_COUNT)
    return ls_fail(err, LS_EINVAL, "LOST: cause is %d, must be < %d", (int)event->lost,
                   (int)LS_LOSS_COUNT);
  if (event->kind == LS_EVENT_ITERATION && c->is_open && !c->is_stopping)
    return ls_fail(
        err, LS_EINVAL, "ITERATION: iteration %u has %llu unsettled units, expected 0",
        (unsigned)c->iteration,
        (unsigned long long)(ls_ledger_waiting(&c->ledger) + c->ledger.sent + c->ledger.paused));
  return check_worker(event, err);
}

static void ignore(struct ls_coordinator *c, uint32_t slot) {
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_IGNORED, .worker = slot});
}

/* A worker that is away says something: it asks, or leaves, or is away for another reason. */
static void on_absent_event(struct ls_coordinator *c, const struct ls_event *event) {
  uint32_t slot = event->worker;
  if (event->kind == LS_EVENT_READY) {
    ls_roster_owe(&c->roster, slot, event->ready_units > 1 ? event->ready_units : 1);
  } else if (event->kind == LS_EVENT_LEAVING) {
    ls_absence_on_leaving(c, slot);
  } else {
    ls_absence_on_changed(c, slot, &event->suspended);
  }
}

/* Only a worker that is there can do this; events from others are ignored. */
static void on_present_event(struct ls_coordinator *c, const struct ls_event *event) {
  uint32_t slot = event->worker;
  enum ls_presence presence = c->roster.slots[slot].presence;
  bool is_suspension = event->kind == LS_EVENT_SUSPENDED;
  if (presence == LS_PRESENCE_SUSPENDED && !c->is_finished) {
    on_absent_event(c, event);
  } else if (presence == LS_PRESENCE_LEAVING && is_suspension && event->suspended.is_vacated) {
    /* Who leaves would not come back for its units. */
    ls_worker_on_lost(c, slot, LS_LOSS_RECLAIMED);
  } else if (presence != LS_PRESENCE_ACTIVE || c->is_finished) {
    ignore(c, slot);
  } else if (event->kind == LS_EVENT_READY) {
    ls_request_on_ready(c, slot, event->ready_units);
  } else if (is_suspension) {
    ls_absence_on_suspended(c, slot, &event->suspended);
  } else {
    ls_absence_on_leaving(c, slot);
  }
}

static void hear_beat(struct ls_coordinator *c, const struct ls_event *beat) {
  struct ls_visit *visit = &c->visits[beat->worker];
  if (beat->answer_s > 0) visit->answer_s = beat->answer_s;
  if (beat->send_s > 0) visit->send_s = beat->send_s;
  if (beat->speed > 0) ls_speed_hear(c, beat->worker, beat->speed);
}

static bool is_sign_of_life(enum ls_event_kind kind) {
  return kind == LS_EVENT_READY || kind == LS_EVENT_RESULT || kind == LS_EVENT_HEARTBEAT ||
         kind == LS_EVENT_LEAVING;
}

/* Somebody who was only silent is back with whatever it says. */
static void hear(struct ls_coordinator *c, const struct ls_event *event) {
  uint32_t slot = event->worker;
  struct ls_roster_slot *at = &c->roster.slots[slot];
  bool is_away = at->presence == LS_PRESENCE_SUSPENDED && !c->is_finished;
  at->heard_s = c->now_s;
  if (event->kind == LS_EVENT_HEARTBEAT) hear_beat(c, event);
  if (is_away && c->visits[slot].reason == LS_AWAY_SILENT && is_sign_of_life(event->kind))
    ls_absence_on_resumed(c, slot, &(struct ls_event_resumed){0});
}

static void on_worker_event(struct ls_coordinator *c, const struct ls_event *event) {
  uint32_t slot = event->worker;
  bool is_there = ls_roster_is_there(&c->roster, slot);
  if (is_there) hear(c, event);
  switch (event->kind) {
    case LS_EVENT_JOINED:
      ls_worker_on_joined(c, slot, &event->joined);
      break;
    case LS_EVENT_LOST:
      ls_worker_on_lost(c, slot, event->lost);
      break;
    case LS_EVENT_RESULT:
      ls_result_on_result(c, slot, &event->result);
      break;
    case LS_EVENT_RESUMED:
      if (is_there && !c->is_finished)
        ls_absence_on_resumed(c, slot, &event->resumed);
      else
        ignore(c, slot);
      break;
    case LS_EVENT_HEARTBEAT:
      if (!is_there) ignore(c, slot);
      break;
    default:
      if (is_there)
        on_present_event(c, event);
      else
        ignore(c, slot);
  }
}

static void on_other_event(struct ls_coordinator *c, const struct ls_event *event) {
  if (c->is_finished) return;
  switch (event->kind) {
    case LS_EVENT_TIMER:
      ls_worker_on_timer(c);
      break;
    case LS_EVENT_FREE:
      c->is_free = true;
      c->awaits_free = false;
      break;
    case LS_EVENT_STOP:
      ls_iteration_stop(c, event->is_hard);
      break;
    case LS_EVENT_GRANTED:
      ls_worker_on_granted(c, event->granted);
      break;
    case LS_EVENT_REFUSED:
      ls_worker_on_refused(c, event->refused);
      break;
    default:
      break;
  }
}

/* The events that can be refused for their content. */
static enum ls_status on_refusable(struct ls_coordinator *c, const struct ls_event *event,
                                   struct ls_error *err) {
  if (c->is_finished) return LS_OK;
  if (event->kind == LS_EVENT_ADVICE) return ls_advice_on_advice(c, &event->advice, err);
  if (c->is_stopping) return LS_OK;
  return event->kind == LS_EVENT_ADDED ? ls_iteration_on_added(c, &event->added, err)
                                       : ls_iteration_on_iteration(c, event, err);
}

static bool is_refusable(enum ls_event_kind kind) {
  return kind == LS_EVENT_ITERATION || kind == LS_EVENT_ADDED || kind == LS_EVENT_ADVICE;
}

static enum ls_status handle(struct ls_coordinator *c, const struct ls_event *event,
                             struct ls_error *err) {
  if (is_of_worker(event->kind)) {
    on_worker_event(c, event);
  } else if (is_refusable(event->kind)) {
    return on_refusable(c, event, err);
  } else {
    on_other_event(c, event);
  }
  return LS_OK;
}

enum ls_status ls_coordinator_step(struct ls_coordinator *c, const struct ls_event *event,
                                   struct ls_actions *actions, struct ls_error *err) {
  assert(c->actions == NULL);
  actions->count = actions->ranges_count = actions->notes_count = 0;
  actions->units_dropped = 0;
  enum ls_status status = check_event(c, event, err);
  if (status != LS_OK) return status;
  if (!c->has_failed) {
    if (event->now_s > c->now_s) c->now_s = event->now_s;
    c->actions = actions;
    c->has_returned = false;
    ls_patience_hear(&c->patience, c->wake_s, c->now_s);
    status = handle(c, event, err);
    if (status == LS_OK) ls_iteration_continue(c);
    if (status == LS_OK && !c->has_failed) ls_lease_look(c);
    /* A policy that pushes may have nothing for the workers that are there. */
    if (!c->config.chunking->is_pushed) c->is_free = false;
    c->actions = NULL;
    if (status == LS_EINVAL) return status;
    ls_step_fail(c, status);
  }
  if (c->has_failed) {
    actions->count = actions->ranges_count = actions->notes_count = 0;
    if (event->kind == LS_EVENT_ITERATION)
      return ls_fail(err, LS_ENOMEM, "no memory for the %llu units of an iteration",
                     (unsigned long long)event->iteration_units);
    return ls_fail(err, LS_ENOMEM, "%s: no memory for what follows from it; the run is over",
                   ls_event_name(event->kind));
  }
  if (c->config.is_exact) assert(ls_coordinator_is_sound(c));
  return LS_OK;
}
