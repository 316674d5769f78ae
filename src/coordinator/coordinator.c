/* coordinator.c: create, step, totals. */
#include "coordinator/coordinator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/coordinator_private.h"

static enum ls_status check_times(const struct ls_coordinator_config *config,
                                  struct ls_error *err) {
  const struct {
    const char *name;
    double value;
  } times[] = {{"silence_s", config->silence_s},
               {"suspension_s", config->suspension_s},
               {"deadline_s", config->deadline_s}};
  assert(config != NULL);
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    if (times[i].value >= 0 && isfinite(times[i].value)) continue;
    return ls_fail(err, LS_EINVAL, "%s is %g, must be >= 0 and finite", times[i].name,
                   times[i].value);
  }
  return LS_OK;
}

/* Advice changes how workers are answered; a pushed policy answers nobody. */
static enum ls_status check_choices(const struct ls_coordinator_config *config,
                                    struct ls_error *err) {
  assert(config->chunking != NULL);
  for (size_t i = 0; i < config->choices_count; i++) {
    bool is_pushed = config->choices[i].chunking->is_pushed;
    if (!is_pushed && !config->chunking->is_pushed) continue;
    return ls_fail(err, LS_EINVAL, "choice %zu: %s, the policy cannot change %s %s", i,
                   config->choices[i].chunking->name, is_pushed ? "to" : "from",
                   is_pushed ? config->choices[i].chunking->name : config->chunking->name);
  }
  return LS_OK;
}

static enum ls_status check_config(const struct ls_coordinator_config *config,
                                   struct ls_error *err) {
  assert(config->chunking != NULL && config->chunking->init != NULL);
  if (config->workers < 1 || config->workers > config->workers_max) {
    return ls_fail(err, LS_EINVAL, "workers is %zu, must be 1 to workers_max (%zu)",
                   config->workers, config->workers_max);
  }
  if (config->workers_max >= LS_WORKER_NONE) {
    return ls_fail(err, LS_EINVAL, "workers_max is %zu, must be < %u", config->workers_max,
                   (unsigned)LS_WORKER_NONE);
  }
  if (config->retries > LS_RETRIES_MAX) {
    return ls_fail(err, LS_EINVAL, "retries is %u, must be <= %d", (unsigned)config->retries,
                   LS_RETRIES_MAX);
  }
  if (config->kills_max > LS_KILLS_MAX) {
    return ls_fail(err, LS_EINVAL, "kills_max is %u, must be <= %d", (unsigned)config->kills_max,
                   LS_KILLS_MAX);
  }
  if (config->extra >= config->workers) {
    return ls_fail(err, LS_EINVAL, "extra is %zu, must be < workers (%zu)", config->extra,
                   config->workers);
  }
  if (!(config->loss_rate >= 0) || !isfinite(config->loss_rate)) {
    return ls_fail(err, LS_EINVAL, "loss_rate is %g, must be >= 0 and finite", config->loss_rate);
  }
  for (size_t i = 0; config->weights != NULL && i < config->workers_max; i++) {
    if (config->weights[i] >= 0 && isfinite(config->weights[i])) continue;
    return ls_fail(err, LS_EINVAL, "worker %zu: weight is %g, must be >= 0 and finite", i,
                   config->weights[i]);
  }
  for (size_t i = 0; i < config->plan_count; i++) {
    if (config->plan[i].worker < config->workers_max) continue;
    return ls_fail(err, LS_EINVAL, "chunk %zu of the plan: worker is %u, must be < %zu", i,
                   (unsigned)config->plan[i].worker, config->workers_max);
  }
  enum ls_status status = check_choices(config, err);
  return status == LS_OK ? check_times(config, err) : status;
}

/* `*copy` stays NULL for no items. */
static bool copy_items(void **copy, const void *items, size_t count, size_t item_bytes) {
  assert(copy != NULL && item_bytes > 0);
  *copy = NULL;
  if (items == NULL || count == 0) return true;
  *copy = calloc(count, item_bytes);
  if (*copy == NULL) return false;
  memcpy(*copy, items, count * item_bytes);
  return true;
}

static bool allocate(struct ls_coordinator *c, const struct ls_coordinator_config *config) {
  void *weights = NULL, *plan = NULL, *choices = NULL;
  assert(config->workers_max > 0);
  bool is_copied =
      copy_items(&weights, config->weights, config->workers_max, sizeof *config->weights) &&
      copy_items(&plan, config->plan, config->plan_count, sizeof *config->plan) &&
      copy_items(&choices, config->choices, config->choices_count, sizeof *config->choices);
  c->weights = weights;
  c->plan = plan;
  c->choices = choices;
  c->members = calloc(config->workers_max, sizeof *c->members);
  c->is_active = calloc(config->workers_max, sizeof *c->is_active);
  c->earlier = calloc(config->workers_max, sizeof *c->earlier);
  return is_copied && c->members != NULL && c->is_active != NULL && c->earlier != NULL;
}

enum ls_status ls_coordinator_create(const struct ls_coordinator_config *config,
                                     struct ls_coordinator **out, struct ls_error *err) {
  enum ls_status status = check_config(config, err);
  if (status != LS_OK) return status;
  struct ls_coordinator *c = calloc(1, sizeof *c);
  if (c == NULL || !allocate(c, config)) {
    ls_coordinator_destroy(c);
    return ls_fail(err, LS_ENOMEM, "no memory for a coordinator of %zu workers",
                   config->workers_max);
  }
  c->config = *config;
  c->config.weights = c->weights;
  c->config.plan = c->plan;
  c->config.choices = c->choices;
  for (size_t i = 0; i < config->workers_max; i++) {
    c->members[i].first_chunk = c->members[i].last_chunk = LS_INDEX_NONE;
  }
  status = ls_learning_init(c, config, err);
  if (status != LS_OK) {
    ls_coordinator_destroy(c);
    return status;
  }
  c->view.is_present = c->is_active;
  c->report_every = ls_chunking_report_every(config->chunking, &config->arguments);
  c->parked_first = c->parked_last = LS_INDEX_NONE;
  c->pieces.free_first = c->chunks_free = LS_INDEX_NONE;
  ls_piece_list_init(&c->waiting.front);
  /* The driver starts the first workers by itself. */
  c->wanted = c->expected = config->workers;
  c->workers_most = SIZE_MAX;
  c->wake_s = HUGE_VAL;
  *out = c;
  return LS_OK;
}

static void release_past(struct ls_coordinator *c) {
  assert(c != NULL);
  free((void *)c->past.done);
  free((void *)c->past.failed);
  c->past = (struct ls_coordinator_past){0};
}

void ls_coordinator_destroy(struct ls_coordinator *c) {
  if (c == NULL) return;
  assert(c->actions == NULL);
  release_past(c);
  free(c->weights);
  free(c->plan);
  free(c->choices);
  free(c->measured);
  free(c->state);
  free(c->failures);
  free(c->kills);
  free(c->waiting.order);
  free(c->pieces.items);
  free(c->policy_state);
  free(c->chunks);
  ls_learning_close(c);
  free(c->twins.items);
  free(c->twins.due);
  free(c->members);
  free(c->is_active);
  free(c->earlier);
  free(c);
}

enum ls_status ls_coordinator_restore(struct ls_coordinator *c,
                                      const struct ls_coordinator_past *past,
                                      struct ls_error *err) {
  void *done = NULL, *failed = NULL;
  assert(c->actions == NULL);
  if (c->has_started || c->members_seen > 0) {
    return ls_fail(err, LS_EINVAL, "the past of a run must be told before its first event");
  }
  if (!copy_items(&done, past->done, past->done_count, sizeof *past->done) ||
      !copy_items(&failed, past->failed, past->failed_count, sizeof *past->failed)) {
    free(done);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu settled ranges",
                   past->done_count + past->failed_count);
  }
  release_past(c);
  c->past = *past;
  c->past.done = done;
  c->past.failed = failed;
  c->has_past = true;
  return LS_OK;
}

static bool is_of_worker(enum ls_event_kind kind) {
  assert((unsigned)kind < LS_EVENT_COUNT);
  switch (kind) {
    case LS_EVENT_JOINED:
    case LS_EVENT_READY:
    case LS_EVENT_RESULT:
    case LS_EVENT_REPORT:
    case LS_EVENT_HEARTBEAT:
    case LS_EVENT_LOST:
    case LS_EVENT_SUSPENDED:
    case LS_EVENT_RESUMED:
      return true;
    default:
      return false;
  }
}

static enum ls_status check_event(const struct ls_coordinator *c, const struct ls_event *event,
                                  struct ls_error *err) {
  assert(event != NULL);
  if ((unsigned)event->kind >= LS_EVENT_COUNT) {
    return ls_fail(err, LS_EINVAL, "event kind is %d, must be < %d", (int)event->kind,
                   (int)LS_EVENT_COUNT);
  }
  if (!isfinite(event->now_s)) {
    return ls_fail(err, LS_EINVAL, "%s: now_s is %g, must be finite", ls_event_name(event->kind),
                   event->now_s);
  }
  if (is_of_worker(event->kind) && event->worker >= c->config.workers_max) {
    return ls_fail(err, LS_EINVAL, "%s: worker is %u, must be < %zu", ls_event_name(event->kind),
                   (unsigned)event->worker, c->config.workers_max);
  }
  if (event->kind == LS_EVENT_RESULT && (unsigned)event->outcome >= LS_OUTCOME_COUNT) {
    return ls_fail(err, LS_EINVAL, "RESULT: outcome is %d, must be < %d", (int)event->outcome,
                   (int)LS_OUTCOME_COUNT);
  }
  if (event->kind == LS_EVENT_ITERATION && c->is_open && !c->is_stopping) {
    return ls_fail(err, LS_EINVAL, "ITERATION: iteration %u has %llu unsettled units, expected 0",
                   (unsigned)c->iteration, (unsigned long long)(c->waiting.units + c->sent));
  }
  return LS_OK;
}

/* A worker that is there does what only such a one can; anything else it says is ignored. */
static void on_worker_event(struct ls_coordinator *c, const struct ls_event *event) {
  struct ls_member *member = &c->members[event->worker];
  bool is_active = member->presence == LS_PRESENCE_ACTIVE;
  bool is_there = is_active || member->presence == LS_PRESENCE_SUSPENDED;
  assert(is_active == c->is_active[event->worker]);
  if (is_there) member->heard_s = c->now_s;
  switch (event->kind) {
    case LS_EVENT_JOINED:
      ls_worker_on_joined(c, event->worker);
      return;
    case LS_EVENT_LOST:
      ls_worker_on_lost(c, event->worker, false);
      return;
    case LS_EVENT_RESUMED:
      ls_worker_on_resumed(c, event->worker);
      return;
    case LS_EVENT_RESULT:
      ls_result_on_result(c, event);
      return;
    case LS_EVENT_HEARTBEAT:
      if (is_there) return;
      break;
    default:
      break;
  }
  if (!is_active || c->is_finished) {
    ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_IGNORED, .worker = event->worker});
  } else if (event->kind == LS_EVENT_READY) {
    ls_request_on_ready(c, event);
  } else if (event->kind == LS_EVENT_REPORT) {
    ls_request_on_report(c, event);
  } else if (event->kind == LS_EVENT_SUSPENDED) {
    ls_worker_on_suspended(c, event->worker);
  }
}

static void on_event(struct ls_coordinator *c, const struct ls_event *event) {
  assert(c->actions != NULL);
  if (is_of_worker(event->kind)) {
    on_worker_event(c, event);
    return;
  }
  if (c->is_finished) return;
  switch (event->kind) {
    case LS_EVENT_TIMER:
      ls_worker_on_timer(c);
      break;
    case LS_EVENT_FREE:
      ls_request_on_free(c);
      break;
    case LS_EVENT_STOP:
      ls_iteration_stop(c, event->is_hard);
      break;
    case LS_EVENT_GRANTED:
      ls_worker_on_granted(c, event->count);
      break;
    default:
      break;
  }
}

/* From here on the step decides, and nothing can fail. */
static void begin(struct ls_coordinator *c, const struct ls_event *event,
                  struct ls_actions *actions) {
  assert(c->actions == NULL);
  if (event->now_s > c->now_s) c->now_s = event->now_s;
  c->actions = actions;
  c->has_returned = false;
}

/* This event and the next need memory of their own; all others need not pay for it. */
static enum ls_status on_iteration(struct ls_coordinator *c, const struct ls_event *event,
                                   struct ls_actions *actions, struct ls_error *err) {
  struct ls_prepared prepared = {0};
  assert(event->kind == LS_EVENT_ITERATION);
  if (c->is_finished || c->is_stopping) return LS_OK;
  enum ls_status status = ls_iteration_prepare(c, event->units.count, &prepared, err);
  if (status != LS_OK) return status;
  begin(c, event, actions);
  ls_iteration_open(c, &prepared);
  return LS_OK;
}

static enum ls_status on_advice(struct ls_coordinator *c, const struct ls_event *event,
                                struct ls_actions *actions, struct ls_error *err) {
  struct ls_advised advised = {0};
  assert(event->kind == LS_EVENT_ADVICE);
  if (c->is_finished || c->is_stopping) return LS_OK;
  enum ls_status status = ls_advice_prepare(c, event, &advised, err);
  if (status != LS_OK) return status;
  begin(c, event, actions);
  ls_advice_follow(c, event, &advised);
  return LS_OK;
}

enum ls_status ls_step_long(struct ls_coordinator *c, const struct ls_event *event,
                            struct ls_actions *actions, struct ls_error *err) {
  assert(c->actions == NULL && actions->count == 0);
  enum ls_status status = check_event(c, event, err);
  if (status != LS_OK) return status;
  status = ls_step_reserve(c, event, actions);
  if (status != LS_OK) {
    return ls_fail(err, status, "no memory for what %s causes", ls_event_name(event->kind));
  }
  if (event->kind == LS_EVENT_ITERATION || event->kind == LS_EVENT_ADVICE) {
    status = event->kind == LS_EVENT_ITERATION ? on_iteration(c, event, actions, err)
                                               : on_advice(c, event, actions, err);
    if (status != LS_OK) return status;
  } else {
    begin(c, event, actions);
    on_event(c, event);
  }
  if (c->actions != NULL) ls_iteration_continue(c);
  c->actions = NULL;
  ls_coordinator_check(c);
  if (c->config.is_exact) assert(ls_coordinator_is_sound(c));
  return LS_OK;
}

enum ls_status ls_coordinator_step(struct ls_coordinator *c, const struct ls_event *event,
                                   struct ls_actions *actions, struct ls_error *err) {
  assert(c->actions == NULL && actions != NULL);
  actions->count = actions->ranges_count = actions->notes_count = 0;
  if (c->is_usual && event->kind == LS_EVENT_RESULT)
    return ls_usual_on_result(c, event, actions, err);
  if (c->is_usual && event->kind == LS_EVENT_READY)
    return ls_usual_on_ready(c, event, actions, err);
  return ls_step_long(c, event, actions, err);
}

void ls_coordinator_totals(const struct ls_coordinator *c, struct ls_coordinator_totals *totals) {
  assert(totals != NULL);
  *totals = (struct ls_coordinator_totals){
      .units = c->units,
      .waiting = c->waiting.units,
      .sent = c->sent,
      .done = c->done,
      .failed = c->failed,
      .given_up = c->given_up,
      .chunks = c->next_chunk,
      .requests = c->requests,
      .results_dropped = c->results_dropped,
      .units_retried = c->units_retried,
      .units_returned = c->units_returned,
      .copies = c->twins.copies,
      .copies_won = c->twins.copies_won,
      .workers_wanted = c->wanted,
      .workers_present = c->active + c->suspended,
      .workers_lost = c->lost,
      .chunking = c->config.chunking,
      .iteration = c->iteration,
      .is_stopping = c->is_stopping,
      .is_finished = c->is_finished,
  };
}
