/* Replicas of running units by the replications themselves: what they are told, that time wakes
 * them up, and that an original goes on until its unit is settled. */
#include <math.h>

#include "base/random.h"
#include "harness.h"

static void open_run(struct rig *rig, const struct ls_replication *replication, size_t workers) {
  struct ls_coordinator_config config = rig_config(1);
  config.replication = replication;
  config.workers = workers;
  rig_open(rig, &config);
}

static void finish_unit(struct rig *rig, double now_s, uint32_t worker, uint64_t unit) {
  rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                  .now_s = now_s,
                                  .worker = worker,
                                  .result = {.chunk = unit, .units = {unit, 1}, .seconds = now_s}});
}

static struct ls_replica_facts told;

static double remember(const struct ls_replica_facts *facts) {
  told = *facts;
  return -1;
}

static const struct ls_replication asking = {.name = "asking",
                                             .summary = "remembers the facts",
                                             .reference = "none",
                                             .replicas = ls_replicate_nothing,
                                             .worth = remember};

static void facts_tell_how_far_the_iteration_is(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &asking, 3);
  rig_start(&rig, 3, 5);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  for (uint64_t unit = 0; unit < 3; unit++) finish_unit(&rig, 10, (uint32_t)unit, unit);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_at(&rig, 14, LS_EVENT_READY, 2);
  assert_int_equal(told.units, 5);
  assert_int_equal(told.units_ended, 3);
  assert_int_equal(told.workers, 3);
  assert_int_equal(told.replicas, 0);
  assert_true(fabs(told.elapsed_s - 4) < 1e-12);
  assert_true(fabs(told.expected_s - 10) < 1e-12);
  rig_close(&rig);
}

/* Those that have nothing to do are no tasks. */
static void idle_units_are_left_out(void **state) {
  static const struct ls_range idle = {1, 90};
  struct rig rig;
  (void)state;
  open_run(&rig, &asking, 2);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_ITERATION, .iteration_units = 93, .idle = &idle, .idle_count = 1});
  for (int i = 0; i < 3; i++) rig_ready(&rig, 0);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                   .now_s = 4,
                                   .worker = 0,
                                   .result = {.chunk = 0, .units = {0, 1}, .seconds = 4}});
  rig_ready(&rig, 1);
  assert_int_equal(told.units, 3);
  assert_int_equal(told.units_ended, 1);
  rig_close(&rig);
}

/* Of tasks from a pipe nobody knows how many are left. */
static void an_incomplete_iteration_has_no_number_of_units(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &asking, 2);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_ITERATION, .iteration_units = 1, .is_incomplete = true});
  rig_ready(&rig, 0);
  told.units = 77;
  rig_ready(&rig, 1);
  assert_int_equal(told.units, 0);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ADDED, .added = {.is_last = true}});
  assert_int_equal(told.units, 1);
  rig_close(&rig);
}

/* Half a loss in 45,000 seconds is believed before any is seen. */
static void losses_are_measured_from_a_prior_on(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &asking, 3);
  rig_start(&rig, 3, 1);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  assert_true(fabs(told.loss_rate * 45000 - 0.5) < 1e-9);
  rig_at(&rig, 5000, LS_EVENT_LEAVING, 2);
  rig_ready(&rig, 1);
  assert_true(fabs(told.loss_rate * (45000 + 3 * 5000.0) - 1.5) < 1e-9);
  rig_close(&rig);
}

/* What ended, by what was expected of it then, and what was stopped. */
static void the_run_is_the_teacher_of_slowness(void **state) {
  static struct ls_replication learner;
  struct rig rig;
  (void)state;
  learner = asking;
  learner.learns = true;
  open_run(&rig, &learner, 3);
  rig_start(&rig, 3, 5);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  for (uint64_t unit = 0; unit < 3; unit++) finish_unit(&rig, 10, (uint32_t)unit, unit);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  assert_non_null(told.law);
  /* The first one had nothing to be compared with. */
  assert_true(fabs(told.law->ended - 2) < 1e-12);
  rig_close(&rig);
}

/* The first result ends the other run of its unit: that would have lasted longer. */
static void what_is_stopped_teaches_that_it_would_have_lasted_longer(void **state) {
  static struct ls_replication learner;
  struct ls_slowness expected = {{0}, {0}};
  struct ls_slowness_law law;
  struct rig rig;
  (void)state;
  learner = *ls_replication_find("clone");
  learner.learns = true;
  open_run(&rig, &learner, 3);
  rig_start(&rig, 3, 2);
  rig_ready(&rig, 0);
  rig_at(&rig, 5, LS_EVENT_READY, 1);
  finish_unit(&rig, 10, 0, 0);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 1+1");
  /* The original has run for 12 s and the replica for 7 s when it ends. */
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                   .now_s = 17,
                                   .worker = 2,
                                   .result = {.chunk = 2, .units = {1, 1}, .seconds = 7}});
  learner.worth = remember;
  rig_iteration(&rig, 1);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  /* The times of the last iteration are known by now: 10 s for unit 0. */
  assert_non_null(told.law);
  assert_true(fabs(told.law->censored - 1) < 1e-12);
  assert_true(fabs(told.law->ended - 1) < 1e-12);
  ls_slowness_end(&expected, 0.7);
  ls_slowness_censor(&expected, 1.2);
  ls_slowness_estimate(&expected, &law);
  assert_int_equal(told.law->last_bin, law.last_bin);
  for (size_t i = 0; i <= LS_SLOWNESS_BINS; i++)
    assert_true(fabs(told.law->longer[i] - law.longer[i]) < 1e-12);
  rig_close(&rig);
}

/* The first belief is that of earlier runs; their lessons and those of this run are the next one's.
 */
static void earlier_runs_are_believed_at_first(void **state) {
  struct ls_slowness earlier = {{0}, {0}}, known;
  static struct ls_replication learner;
  struct rig rig;
  (void)state;
  learner = asking;
  learner.learns = true;
  for (size_t i = 0; i < 40; i++) ls_slowness_end(&earlier, i % 4 == 0 ? 8 : 0.9);
  ls_slowness_censor(&earlier, 3);
  struct ls_coordinator_config config = rig_config(1);
  config.replication = &learner;
  config.slowness = &earlier;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 3);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  finish_unit(&rig, 10, 0, 0);
  rig_ready(&rig, 0);
  finish_unit(&rig, 20, 1, 1);
  rig_ready(&rig, 1);
  assert_true(fabs(told.law->ended - 41) < 1e-12 && fabs(told.law->censored - 1) < 1e-12);
  assert_true(ls_slowness_longer(told.law, 5) > 0.2);
  ls_coordinator_slowness(rig.coordinator, &known);
  ls_slowness_end(&earlier, 2);
  assert_memory_equal(&known, &earlier, sizeof known);
  rig_close(&rig);
}

/* Nothing else happens: the last unit is looked at when it has lasted 1.5 times the others. */
static void time_alone_makes_a_unit_late(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, ls_replication_find("late"), 2);
  rig_start(&rig, 2, 2);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  finish_unit(&rig, 10, 0, 0);
  rig_ready(&rig, 0);
  assert_int_equal(rig.actions.items[0].kind, LS_ACTION_WAKE_AT);
  assert_true(fabs(rig.actions.items[0].time_s - 15) < 1e-9);
  assert_int_equal(rig_totals(&rig).replicas, 0);
  assert_string_equal(rig_at(&rig, 15, LS_EVENT_TIMER, LS_WORKER_NONE),
                      "send worker 0 chunk 2: 1+1");
  rig_close(&rig);
}

static void join_at(struct rig *rig, uint32_t worker, uint64_t place) {
  rig_step(rig, (struct ls_event){
                    .kind = LS_EVENT_JOINED, .worker = worker, .joined = {.place = place}});
}

/* The fastest idle worker is on the machine of the original, and another machine is there: the
 * slower one on it gets the replica when it is time for that, and nothing else happens then. */
static void a_slower_worker_that_is_suited_is_woken_for(void **state) {
  static const double weights[] = {1, 4, 0.6};
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.replication = ls_replication_find("late");
  config.workers = 3;
  config.weights = weights;
  config.weights_count = 3;
  rig_open(&rig, &config);
  join_at(&rig, 0, 5);
  join_at(&rig, 1, 5);
  join_at(&rig, 2, 6);
  rig_iteration(&rig, 2);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                   .now_s = 10,
                                   .worker = 1,
                                   .result = {.chunk = 1, .units = {1, 1}, .seconds = 2.5}});
  assert_string_equal(rig_ready(&rig, 1), "");
  /* Worker 0 takes 10 s for a unit, and is late at 15; worker 2 would take 16.7. */
  rig_ready(&rig, 2);
  assert_int_equal(rig.actions.count, 1);
  assert_int_equal(rig.actions.items[0].kind, LS_ACTION_WAKE_AT);
  double time_s = rig.actions.items[0].time_s;
  assert_true(fabs(time_s - 10 / 0.6) < 1e-9);
  assert_string_equal(rig_at(&rig, time_s, LS_EVENT_TIMER, LS_WORKER_NONE),
                      "send worker 2 chunk 2: 0+1");
  rig_close(&rig);
}

/* ---- random runs ---- */

enum { WORKERS = 8, UNITS = 30, CHUNKS_MAX = 4000 };

struct course {
  struct rig rig;
  bool is_settled[UNITS];
  uint64_t unit_of[CHUNKS_MAX], running[WORKERS]; /* running: chunk + 1; 0: none */
  bool is_replica[CHUNKS_MAX], had_waiting;
};

static void follow_cancel(struct course *course, const struct ls_action *action) {
  uint64_t chunk = action->chunk;
  assert_true(chunk < CHUNKS_MAX && course->running[action->worker] == chunk + 1);
  /* Only a replica goes before its unit is settled, for units that wait. */
  if (!course->is_settled[course->unit_of[chunk]])
    assert_true(course->is_replica[chunk] && course->had_waiting);
  course->running[action->worker] = 0;
}

static void follow(struct course *course) {
  const struct ls_actions *actions = &course->rig.actions;
  for (size_t i = 0; i < actions->notes_count; i++)
    if (actions->notes[i].kind == LS_NOTE_REPLICA) {
      /* Nobody runs again what an unsent unit waits for. */
      assert_int_equal(rig_totals(&course->rig).waiting, 0);
      course->is_replica[actions->notes[i].chunk] = true;
    }
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_action *action = &actions->items[i];
    if (action->kind == LS_ACTION_SETTLE) {
      assert_false(course->is_settled[action->settle.units.first]);
      course->is_settled[action->settle.units.first] = true;
    } else if (action->kind == LS_ACTION_SEND) {
      assert_true(action->send.chunk < CHUNKS_MAX && action->send.units == 1);
      assert_int_equal(course->running[action->worker], 0);
      course->unit_of[action->send.chunk] = actions->ranges[action->send.first_range].first;
      course->running[action->worker] = action->send.chunk + 1;
    } else if (action->kind == LS_ACTION_CANCEL) {
      follow_cancel(course, action);
    }
  }
}

static void end_unit(struct course *course, uint32_t worker, double now_s) {
  uint64_t chunk = course->running[worker] - 1, unit = course->unit_of[chunk];
  course->running[worker] = 0;
  rig_step(&course->rig,
           (struct ls_event){.kind = LS_EVENT_RESULT,
                             .now_s = now_s,
                             .worker = worker,
                             .result = {.chunk = chunk, .units = {unit, 1}, .seconds = 1}});
}

static void take_step(struct course *course, struct ls_random *random, double now_s) {
  uint32_t worker = (uint32_t)ls_random_below(random, WORKERS);
  course->had_waiting = rig_totals(&course->rig).waiting > 0;
  if (ls_random_below(random, 40) == 0) {
    /* What ran there comes back, and spare replicas make room for it. */
    course->had_waiting = true;
    course->running[worker] = 0;
    rig_at(&course->rig, now_s, LS_EVENT_LOST, worker);
    follow(course);
    rig_at(&course->rig, now_s, LS_EVENT_JOINED, worker);
  } else if (course->running[worker] == 0) {
    rig_at(&course->rig, now_s, LS_EVENT_READY, worker);
  } else if (ls_random_below(random, 4) == 0) {
    end_unit(course, worker, now_s);
  } else {
    rig_at(&course->rig, now_s, LS_EVENT_TIMER, LS_WORKER_NONE);
  }
  follow(course);
}

static void an_original_is_never_stopped_for_being_long(void **state) {
  uint64_t replicas = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    for (size_t k = 0; ls_replications[k] != NULL; k++) {
      struct course course = {.had_waiting = false};
      struct ls_random random;
      ls_random_init(&random, seed, "replicas");
      open_run(&course.rig, ls_replications[k], WORKERS);
      uint64_t units = 1 + ls_random_below(&random, UNITS);
      rig_start(&course.rig, WORKERS, units);
      double now_s = 0;
      while (rig_totals(&course.rig).done < units) {
        now_s += ls_random_real(&random);
        take_step(&course, &random, now_s);
      }
      replicas += rig_totals(&course.rig).replicas;
      rig_close(&course.rig);
    }
  }
  assert_true(replicas > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_tell_how_far_the_iteration_is),
      cmocka_unit_test(idle_units_are_left_out),
      cmocka_unit_test(an_incomplete_iteration_has_no_number_of_units),
      cmocka_unit_test(losses_are_measured_from_a_prior_on),
      cmocka_unit_test(the_run_is_the_teacher_of_slowness),
      cmocka_unit_test(what_is_stopped_teaches_that_it_would_have_lasted_longer),
      cmocka_unit_test(earlier_runs_are_believed_at_first),
      cmocka_unit_test(time_alone_makes_a_unit_late),
      cmocka_unit_test(a_slower_worker_that_is_suited_is_woken_for),
      cmocka_unit_test(an_original_is_never_stopped_for_being_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
