/* iteration.c: an iteration begins, ends, and the run with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/coordinator_private.h"

static bool is_permuted(const struct ls_coordinator *c) {
  assert(c->config.workers > 0);
  return c->config.ordering != NULL && c->config.ordering->arrange != NULL;
}

/* Marks the waiting units of the ranges; their number. */
static uint64_t mark(uint8_t *state, const struct ls_range *ranges, size_t count, uint8_t mark) {
  uint64_t marked = 0;
  assert(mark != LS_UNIT_WAITING);
  for (size_t i = 0; i < count; i++) {
    for (uint64_t j = ranges[i].first; j < ranges[i].first + ranges[i].count; j++) {
      if (state[j] != LS_UNIT_WAITING) continue;
      state[j] = mark;
      marked++;
    }
  }
  return marked;
}

static enum ls_status check_past(const struct ls_range *ranges, size_t count, uint64_t units,
                                 struct ls_error *err) {
  assert(count == 0 || ranges != NULL);
  for (size_t i = 0; i < count; i++) {
    if (ranges[i].count == 0 || ls_range_is_within(&ranges[i], units)) continue;
    return ls_fail(err, LS_EINVAL,
                   "settled range %zu is %llu+%llu, expected within the %llu units of the "
                   "iteration",
                   i, (unsigned long long)ranges[i].first, (unsigned long long)ranges[i].count,
                   (unsigned long long)units);
  }
  return LS_OK;
}

static enum ls_status prepare_order(struct ls_coordinator *c, struct ls_prepared *prepared,
                                    struct ls_error *err) {
  size_t gaps = c->past.done_count + c->past.failed_count + 1;
  assert(prepared->state != NULL);
  /* In any other order every unit may stand alone, in a list that it never leaves. */
  size_t pieces = is_permuted(c) ? prepared->units + 8 : gaps + 2 * c->parked_chunks + 8;
  if (c->config.replication != NULL) pieces += 2 * c->config.workers_max;
  if (ls_pieces_reserve(&c->pieces, pieces) != LS_OK) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu pieces of work", pieces);
  }
  if (!is_permuted(c)) return LS_OK;
  uint32_t iteration = c->has_past ? c->past.iteration : c->iteration + (c->has_started ? 1 : 0);
  prepared->order = calloc(prepared->units, sizeof *prepared->order);
  if (prepared->order == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for the order of %llu units",
                   (unsigned long long)prepared->units);
  }
  const struct ls_learning *learning = &c->learning;
  bool is_declared = learning->declared_count >= prepared->units;
  struct ls_ordering_view view = {.units = prepared->units,
                                  .iteration = iteration,
                                  .seed = c->config.seed,
                                  .expected = is_declared ? learning->expected : NULL,
                                  .actual = is_declared ? learning->actual : NULL,
                                  .history = learning->history,
                                  .arguments = learning->ordering};
  enum ls_status status = c->config.ordering->arrange(prepared->order, &view, err);
  if (status != LS_OK) return status;
  for (uint64_t i = 0; i < prepared->units; i++) {
    uint64_t unit = prepared->order[i];
    assert(unit < prepared->units);
    if (prepared->state[unit] == LS_UNIT_WAITING) prepared->order[prepared->order_count++] = unit;
  }
  return LS_OK;
}

void ls_iteration_discard(struct ls_prepared *prepared) {
  assert(prepared != NULL);
  free(prepared->state);
  free(prepared->order);
  free(prepared->policy_state);
  free(prepared->seconds);
  *prepared = (struct ls_prepared){0};
}

enum ls_status ls_iteration_prepare(struct ls_coordinator *c, uint64_t units,
                                    struct ls_prepared *prepared, struct ls_error *err) {
  enum ls_status status;
  *prepared = (struct ls_prepared){.units = units};
  assert(!c->is_finished);
  if (units == 0) return LS_OK;
  status = check_past(c->past.done, c->past.done_count, units, err);
  if (status == LS_OK) status = check_past(c->past.failed, c->past.failed_count, units, err);
  if (status != LS_OK) return status;
  prepared->state = calloc(units, 1);
  if (prepared->state == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for an iteration of %llu units",
                   (unsigned long long)units);
  }
  prepared->done = mark(prepared->state, c->past.done, c->past.done_count, LS_UNIT_DONE);
  prepared->failed = mark(prepared->state, c->past.failed, c->past.failed_count, LS_UNIT_FAILED);
  status = ls_learning_prepare(c, prepared, err);
  if (status == LS_OK) status = prepare_order(c, prepared, err);
  uint64_t left = units - prepared->done - prepared->failed;
  if (status == LS_OK && left > 0) {
    struct ls_policy_start start = {.choice = {c->config.chunking, c->config.arguments},
                                    .weights = c->weights != NULL ? c->weights : c->measured,
                                    .units = left};
    status = ls_policy_prepare(c, &start, &prepared->policy_state, err);
  }
  if (status != LS_OK) ls_iteration_discard(prepared);
  return status;
}

/* What waits: in the order given, or between the units that were settled before. */
static void open_waiting(struct ls_coordinator *c, const struct ls_prepared *prepared) {
  struct ls_waiting *waiting = &c->waiting;
  assert(c->pieces.live == 0 && c->chunks_live == 0);
  c->pieces.used = 0;
  c->pieces.free_first = LS_INDEX_NONE;
  c->chunks_used = 0;
  c->chunks_free = LS_INDEX_NONE;
  free(waiting->order);
  *waiting = (struct ls_waiting){.order = prepared->order};
  ls_piece_list_init(&waiting->front);
  waiting->units = prepared->units - prepared->done - prepared->failed;
  if (prepared->order != NULL) {
    waiting->end = prepared->order_count;
  } else if (waiting->units == prepared->units) {
    waiting->end = prepared->units;
  } else {
    for (uint64_t i = 0; i < prepared->units; i++) {
      if (c->state[i] == LS_UNIT_WAITING) ls_piece_append(&c->pieces, &waiting->front, i, 1);
    }
  }
}

/* Speeds of the workers that are there, in front of the array that has room for all. */
static void gather_speeds(struct ls_coordinator *c) {
  size_t count = 0;
  assert(c->active <= c->members_seen);
  if (c->learning.speeds == NULL) return;
  for (uint32_t i = 0; i < c->members_seen; i++) {
    if (c->is_active[i]) c->learning.speeds[count++] = c->weights[i];
  }
}

/* Extra workers come on top of what the sizing wants, and it is not told of them. */
static void ask_sizing(struct ls_coordinator *c, struct ls_sizing_view *view) {
  size_t extra = c->config.extra;
  assert(view->units > 0 && c->config.workers > extra);
  if (c->config.sizing == NULL) return;
  gather_speeds(c);
  view->tasks = c->learning.facts;
  view->was_changed = c->learning.was_changed;
  view->speeds = c->learning.speeds;
  view->memory = &c->learning.memory;
  view->arguments = c->learning.sizing;
  view->wanted = view->wanted > extra ? view->wanted - extra : 1;
  view->current = view->current > extra ? view->current - extra : view->current > 0;
  size_t wanted = c->config.sizing->wanted(view, c->config.workers - extra);
  c->wanted = (wanted > 0 ? wanted : 1) + extra;
  /* Who is above an advised number would go as soon as it comes. */
  if (c->wanted > c->workers_most) c->wanted = c->workers_most;
  /* The first workers come unasked; more of them than are wanted are not waited for. */
  bool is_before_all = view->is_start || c->members_seen == 0;
  if (is_before_all && c->expected > c->wanted) c->expected = c->wanted;
}

/* The units of the new iteration in place of those of the last one. */
static void take_over(struct ls_coordinator *c, const struct ls_prepared *prepared) {
  assert(!c->is_open && c->sent == 0);
  free(c->state);
  free(c->failures);
  free(c->kills);
  free(c->policy_state);
  c->failures = NULL;
  c->kills = NULL;
  c->state = prepared->state;
  c->policy_state = prepared->policy_state;
  c->units = prepared->units;
  c->done = prepared->done;
  c->failed = prepared->failed;
  c->given_up = 0;
  open_waiting(c, prepared);
}

void ls_iteration_open(struct ls_coordinator *c, struct ls_prepared *prepared) {
  if (prepared->units == 0) {
    /* There is no further iteration; the totals stay those of the last one. */
    ls_iteration_finish(c);
    return;
  }
  struct ls_sizing_view view = {.iteration = c->iteration,
                                .is_start = !c->has_started,
                                .units = prepared->units - prepared->done - prepared->failed,
                                .wanted = c->wanted,
                                .current = c->active};
  ls_worker_count_time(c);
  view.iteration_seconds = c->now_s - c->opened_s;
  view.efficiency = c->up_seconds > 0 ? c->working_seconds / c->up_seconds : 0;
  take_over(c, prepared);
  if (c->has_past) {
    c->iteration = c->past.iteration;
  } else if (c->has_started) {
    c->iteration++;
  }
  c->has_past = false;
  c->past.done_count = c->past.failed_count = 0;
  c->has_started = true;
  c->iterations_opened++;
  c->opened_s = c->now_s;
  c->learning.all_up_seconds += c->up_seconds;
  c->up_seconds = c->working_seconds = 0;
  c->view.units = c->waiting.units;
  c->is_open = true;
  c->is_usual = ls_usual_is_possible(c);
  c->has_returned = true; /* whoever asked before is served now */
  if (c->policy_state != NULL) {
    ask_sizing(c, &view);
    ls_worker_release_surplus(c);
  }
  ls_learning_open(c, prepared);
  *prepared = (struct ls_prepared){0};
  ls_coordinator_check(c);

  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_ITERATION,
                                   .worker = LS_WORKER_NONE,
                                   .units = c->units,
                                   .extra = c->iteration});
  if (c->policy_state != NULL) {
    ls_worker_introduce(c);
    ls_worker_request(c);
    ls_worker_await(c);
    if (c->config.replication != NULL) ls_twins_open(c);
  }
  if (c->config.deadline_s > 0 && !c->is_stopping) {
    ls_worker_wake(c, c->config.deadline_s > c->now_s ? c->config.deadline_s : c->now_s);
  }
}

void ls_iteration_stop(struct ls_coordinator *c, bool is_hard) {
  assert(!c->is_finished);
  c->is_stopping = true;
  c->is_usual = false;
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_STOPPING,
                                   .worker = LS_WORKER_NONE,
                                   .units = c->sent,
                                   .extra = is_hard ? 1 : 0});
  if (!is_hard) return;
  for (uint32_t i = 0; i < c->members_seen; i++) ls_chunks_cancel(c, i);
}

void ls_iteration_finish(struct ls_coordinator *c) {
  assert(!c->is_finished && c->sent == 0);
  for (uint32_t i = 0; i < c->members_seen; i++) {
    enum ls_presence presence = c->members[i].presence;
    if (presence == LS_PRESENCE_ACTIVE || presence == LS_PRESENCE_SUSPENDED) {
      ls_actions_add(c, LS_ACTION_RELEASE, i);
    }
  }
  ls_actions_add(c, LS_ACTION_FINISH, LS_WORKER_NONE);
  c->is_finished = true;
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_FINISHED,
                                   .worker = LS_WORKER_NONE,
                                   .units = c->done,
                                   .extra = c->units - c->done});
}

void ls_iteration_continue(struct ls_coordinator *c) {
  if (c->is_finished) return;
  if (c->is_open && c->done + c->failed + c->given_up == c->units) {
    assert(c->sent == 0 && c->waiting.units == 0);
    c->is_open = c->is_usual = false;
    ls_actions_add(c, LS_ACTION_ITERATION_DONE, LS_WORKER_NONE)->count = c->iteration;
  }
  if (c->is_stopping) {
    if (c->sent == 0) ls_iteration_finish(c);
    return;
  }
  if (c->active > c->workers_most) ls_advice_release(c);
  if (c->has_returned || c->is_port_free) ls_request_serve(c);
  if (c->config.replication != NULL) ls_twins_continue(c);
}
