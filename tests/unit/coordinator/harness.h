/* harness.h: a coordinator under test: one event in, the actions out as text.
 *
 * Small policies stand here, so that these tests depend on no published one.
 */
#ifndef LS_TESTS_COORDINATOR_HARNESS_H
#define LS_TESTS_COORDINATOR_HARNESS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "coordinator/coordinator.h"

/* What the test policies heard and answer. */
enum { HEARING_SLOTS = 64 };

struct hearing {
  uint64_t size;    /* units per chunk; 0: nothing for anybody */
  uint64_t not_for; /* the worker that gets nothing, plus 1; 0: none */
  uint64_t asked, reports, joined, resumed, lost, returned, units_back, unassigned;
  struct ls_chunking_report report;
  double latest; /* the last time of the report */
  struct ls_chunking_setup setup;
  double weights[HEARING_SLOTS]; /* those of the setup */
  double view_weight;            /* of the worker that changed last */
  uint32_t next_worker;          /* pushed */
  bool refuses_setup;
};

static struct hearing hearing;

static inline enum ls_status hear_init(struct ls_arena *arena,
                                       const struct ls_chunking_setup *setup, void **state,
                                       struct ls_error *err) {
  if (hearing.refuses_setup) return ls_fail(err, LS_EINVAL, "the setup is not to my liking");
  uint64_t *units = ls_arena_take(arena, sizeof *units);
  if (units == NULL) return ls_fail(err, LS_ENOMEM, "no memory to hear with");
  *units = setup->units;
  *state = units;
  hearing.setup = *setup;
  assert_true(setup->slots <= HEARING_SLOTS);
  for (size_t i = 0; setup->weights != NULL && i < setup->slots; i++)
    hearing.weights[i] = setup->weights[i];
  if (setup->weights != NULL) hearing.setup.weights = hearing.weights;
  return LS_OK;
}

static inline uint64_t hear_next(void *state, const struct ls_chunking_view *view,
                                 uint32_t worker) {
  assert_true(*(uint64_t *)state == view->units);
  assert_true(view->units_unassigned >= 1);
  assert_true(view->is_present[worker]);
  assert_true(view->workers_present >= 1);
  hearing.asked++;
  hearing.unassigned = view->units_unassigned;
  return hearing.not_for == (uint64_t)worker + 1 ? 0 : hearing.size;
}

static inline bool hear_send(void *state, const struct ls_chunking_view *view, uint32_t *worker,
                             uint64_t *units) {
  assert_non_null(state);
  hearing.asked++;
  if (hearing.size == 0 || !view->is_present[hearing.next_worker]) return false;
  *worker = hearing.next_worker;
  *units = hearing.size;
  return true;
}

static inline void hear_report(void *state, const struct ls_chunking_view *view,
                               const struct ls_chunking_report *report) {
  assert_non_null(state);
  assert_true(view->is_present[report->worker]);
  assert_true(report->units > 0 || report->units_gone > 0);
  hearing.reports++;
  hearing.report = *report;
  if (report->latest_count > 0) hearing.latest = report->latest[report->latest_count - 1];
}

static inline void hear_worker(void *state, const struct ls_chunking_view *view, uint32_t worker,
                               enum ls_chunking_change change, uint64_t units_back) {
  assert_non_null(state);
  assert_true(worker < view->slots);
  assert_true(view->is_present[worker] == (change != LS_CHUNKING_LOST));
  hearing.joined += change == LS_CHUNKING_JOINED;
  hearing.resumed += change == LS_CHUNKING_RESUMED;
  hearing.lost += change == LS_CHUNKING_LOST;
  hearing.units_back += units_back;
  hearing.view_weight = view->weights[worker];
}

static inline void hear_return(void *state, const struct ls_chunking_view *view,
                               uint64_t units_back) {
  assert_non_null(state);
  assert_true(view->units_unassigned >= units_back);
  hearing.returned += units_back;
}

static const struct ls_chunking hearing_policy = {
    .name = "hearing",
    .summary = "gives chunks of one size and remembers what it hears",
    .reference = "none",
    .init = hear_init,
    .next_units = hear_next,
    .on_report = hear_report,
    .on_worker = hear_worker,
    .on_return = hear_return,
};

static const struct ls_chunking pushing_policy = {
    .name = "pushing",
    .summary = "pushes chunks of one size to one worker",
    .reference = "none",
    .is_pushed = true,
    .init = hear_init,
    .next_send = hear_send,
    .on_worker = hear_worker,
    .on_return = hear_return,
};

/* As little as a policy may be: like ss, without state and without ears. */
static inline uint64_t give_one(void *state, const struct ls_chunking_view *view, uint32_t worker) {
  (void)state;
  (void)worker;
  return view->units_unassigned > 0 ? 1 : 0;
}
static const struct ls_chunking single_policy = {
    .name = "single",
    .summary = "one unit",
    .reference = "none",
    .next_units = give_one,
};

/* The last unit first. */
static inline enum ls_status arrange_backwards(uint64_t *order, const struct ls_ordering_view *view,
                                               struct ls_error *err) {
  (void)err;
  for (uint64_t i = 0; i < view->units; i++) order[i] = view->units - 1 - i;
  return LS_OK;
}
static const struct ls_ordering backwards = {.name = "backwards",
                                             .summary = "the last first",
                                             .reference = "none",
                                             .arrange = arrange_backwards};

struct rig {
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  struct ls_bytes text;
  double now_s;
};

/* Chunks of `size` units for at most 8 workers, 2 of them wanted; nothing else is set. */
static inline struct ls_coordinator_config rig_config(uint64_t size) {
  hearing = (struct hearing){.size = size};
  return (struct ls_coordinator_config){.chunking = &hearing_policy,
                                        .workers = 2,
                                        .workers_max = 8,
                                        .mean_seconds = (double)NAN,
                                        .deviation_seconds = (double)NAN,
                                        .overhead_seconds = (double)NAN,
                                        .is_exact = true};
}

static inline void rig_open(struct rig *rig, const struct ls_coordinator_config *config) {
  *rig = (struct rig){.actions.wants_notes = 1};
  struct ls_error err = {0};
  if (ls_coordinator_create(config, &rig->coordinator, &err) != LS_OK) fail_msg("%s", err.text);
}

static inline void rig_close(struct rig *rig) {
  ls_coordinator_destroy(rig->coordinator);
  ls_actions_close(&rig->actions);
  ls_bytes_close(&rig->text);
}

/* The actions in words, separated by "; ". */
static inline const char *rig_step(struct rig *rig, struct ls_event event) {
  struct ls_error err = {0};
  if (rig->now_s > event.now_s) event.now_s = rig->now_s;
  rig->now_s = event.now_s;
  if (ls_coordinator_step(rig->coordinator, &event, &rig->actions, &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
  assert_true(ls_coordinator_is_sound(rig->coordinator));
  ls_bytes_clear(&rig->text);
  for (size_t i = 0; i < rig->actions.count; i++) {
    if (i > 0) ls_bytes_append_text(&rig->text, "; ");
    ls_action_write(&rig->actions, &rig->actions.items[i], &rig->text);
  }
  assert_false(rig->text.failed);
  return ls_bytes_text(&rig->text);
}

static inline enum ls_status rig_try(struct rig *rig, struct ls_event event, struct ls_error *err) {
  return ls_coordinator_step(rig->coordinator, &event, &rig->actions, err);
}

static inline bool rig_noted(const struct rig *rig, enum ls_note_kind kind) {
  for (size_t i = 0; i < rig->actions.notes_count; i++) {
    if (rig->actions.notes[i].kind == kind) return true;
  }
  return false;
}

static inline struct ls_coordinator_totals rig_totals(const struct rig *rig) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(rig->coordinator, &totals);
  return totals;
}

static inline void assert_same_totals(const struct ls_coordinator_totals *a,
                                      const struct ls_coordinator_totals *b) {
  assert_memory_equal(a, b, offsetof(struct ls_coordinator_totals, is_stopping));
  assert_true(a->is_stopping == b->is_stopping && a->is_finished == b->is_finished);
}

static inline const char *rig_worker(struct rig *rig, enum ls_event_kind kind, uint32_t worker) {
  return rig_step(rig, (struct ls_event){.kind = kind, .worker = worker});
}

static inline const char *rig_at(struct rig *rig, double now_s, enum ls_event_kind kind,
                                 uint32_t worker) {
  return rig_step(rig, (struct ls_event){.kind = kind, .worker = worker, .now_s = now_s});
}

/* Its machine is taken back with all that it had. */
static inline const char *rig_vacate(struct rig *rig, uint32_t worker) {
  return rig_step(
      rig, (struct ls_event){
               .kind = LS_EVENT_SUSPENDED, .worker = worker, .suspended = {.is_vacated = true}});
}

static inline const char *rig_ready(struct rig *rig, uint32_t worker) {
  return rig_worker(rig, LS_EVENT_READY, worker);
}

static inline const char *rig_iteration(struct rig *rig, uint64_t units) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = units});
}

static inline const char *rig_result(struct rig *rig, uint32_t worker, uint64_t chunk,
                                     struct ls_range units, enum ls_outcome outcome) {
  return rig_step(
      rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                             .worker = worker,
                             .result = {.chunk = chunk, .units = units, .outcome = outcome}});
}

static inline const char *rig_done(struct rig *rig, uint32_t worker, uint64_t chunk, uint64_t first,
                                   uint64_t count) {
  return rig_result(rig, worker, chunk, (struct ls_range){first, count}, LS_OUTCOME_DONE);
}

/* Workers 0 .. workers - 1 are there and the first iteration has `units`. */
static inline void rig_start(struct rig *rig, uint32_t workers, uint64_t units) {
  for (uint32_t i = 0; i < workers; i++) rig_worker(rig, LS_EVENT_JOINED, i);
  rig_iteration(rig, units);
}

/* Single units; two workers there. */
static inline void rig_open_pair(struct rig *rig, uint64_t units) {
  struct ls_coordinator_config config = rig_config(1);
  rig_open(rig, &config);
  rig_start(rig, 2, units);
}

static inline struct ls_event rig_asking(double now_s, uint32_t worker, uint64_t units) {
  return (struct ls_event){
      .kind = LS_EVENT_READY, .now_s = now_s, .worker = worker, .ready_units = units};
}

static inline struct ls_event rig_suspended(double now_s, uint32_t worker, enum ls_away reason) {
  return (struct ls_event){.kind = LS_EVENT_SUSPENDED,
                           .now_s = now_s,
                           .worker = worker,
                           .suspended = {.reason = reason}};
}

#endif
