/* Replicas: who gets them, that the first valid one wins, and that nothing counts twice. */
#include <math.h>

#include "harness.h"

static uint64_t replicas_wanted;
static double worth;

static uint64_t want_replicas(const struct ls_replication_view *view) {
  assert_true(view->workers_present >= 1);
  return replicas_wanted;
}

static double weigh(const struct ls_replica_facts *facts) {
  assert_true(facts->elapsed_s >= 0);
  return worth;
}

static const struct ls_replication listed = {
    .name = "listed", .summary = "first units", .reference = "none", .replicas = want_replicas};
static const struct ls_replication spare = {.name = "spare",
                                            .summary = "running units",
                                            .reference = "none",
                                            .replicas = want_replicas,
                                            .worth = weigh};

static void open_run(struct rig *rig, const struct ls_replication *replication, uint64_t replicas,
                     uint64_t units) {
  struct ls_coordinator_config config = rig_config(1);
  config.replication = replication;
  config.retries = 3;
  config.kills_max = 2;
  replicas_wanted = replicas;
  worth = 1;
  rig_open(rig, &config);
  for (uint32_t i = 0; i < 3; i++) rig_worker(rig, LS_EVENT_JOINED, i);
  rig_iteration(rig, units);
}

static const char *report(struct rig *rig, uint32_t worker, uint64_t chunk, uint64_t unit,
                          enum ls_outcome outcome) {
  return rig_step(
      rig, (struct ls_event){
               .kind = LS_EVENT_RESULT,
               .worker = worker,
               .result = {.chunk = chunk, .units = {unit, 1}, .outcome = outcome, .seconds = 1}});
}

static void the_replica_stands_right_behind_the_original(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &listed, 1, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+1");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  assert_true(rig_noted(&rig, LS_NOTE_REPLICA));
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 1+1");
  struct ls_coordinator_totals totals = rig_totals(&rig);
  assert_int_equal(totals.sent, 2);
  assert_int_equal(totals.waiting, 1);
  assert_int_equal(totals.replicas, 1);
  rig_close(&rig);
}

/* Replicas of a resumed iteration are those of the first units that are left of it, in its order.
 */
static void a_resumed_iteration_has_replicas_too(void **state) {
  static const char *const sent[2][2] = {{"2+1", "3+1"}, {"6+1", "5+1"}};
  const struct ls_range done[] = {{0, 2}, {4, 1}}, failed = {7, 1};
  const struct ls_coordinator_past past = {
      .iteration = 3, .done = done, .done_count = 2, .failed = &failed, .failed_count = 1};
  struct ls_error err = {0};
  (void)state;
  for (size_t is_ordered = 0; is_ordered < 2; is_ordered++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.replication = &listed;
    if (is_ordered) config.ordering = &backwards;
    replicas_wanted = 2;
    rig_open(&rig, &config);
    assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, &err), LS_OK);
    for (uint32_t i = 0; i < 4; i++) rig_worker(&rig, LS_EVENT_JOINED, i);
    rig_iteration(&rig, 8);
    for (uint32_t worker = 0; worker < 4; worker++) {
      const char *unit = sent[is_ordered][worker / 2];
      assert_non_null(strstr(rig_ready(&rig, worker), unit));
      assert_int_equal(rig_totals(&rig).replicas, (worker + 1) / 2);
    }
    /* The third unit is none of the two that stand twice. */
    assert_int_equal(rig_totals(&rig).sent, 2);
    assert_non_null(strstr(rig_ready(&rig, 0), is_ordered ? "3+1" : "5+1"));
    assert_non_null(strstr(rig_ready(&rig, 1), is_ordered ? "2+1" : "6+1"));
    assert_int_equal(rig_totals(&rig).replicas, 2);
    rig_close(&rig);
  }
}

/* The worker that has the original gets another unit. */
/* One that begins without units, and grows: what was due in the last one is not of this one. */
static void an_iteration_without_units_has_no_replicas(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &listed, 6, 6);
  rig_step(&rig, rig_asking(0, 0, 6));
  for (uint64_t i = 0; i < 6; i++) rig_done(&rig, 0, i, i, 1);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ITERATION, .is_incomplete = true});
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ADDED, .added = {.units = 2, .is_last = true}});
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 6: 0+1");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 7: 1+1");
  rig_close(&rig);
}

static void nobody_gets_a_replica_of_its_own_unit(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &listed, 1, 3);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 1+1");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 0+1");
  rig_close(&rig);
}

static void the_first_result_wins_and_the_other_replica_is_cancelled(void **state) {
  struct rig rig;
  (void)state;
  for (uint32_t winner = 0; winner < 2; winner++) {
    open_run(&rig, &listed, 1, 1);
    rig_ready(&rig, 0);
    rig_ready(&rig, 1);
    const char *expected[] = {
        "settle worker 0 chunk 0: 0+1 done; cancel worker 1 chunk 1; iteration done 0",
        "settle worker 1 chunk 1: 0+1 done; cancel worker 0 chunk 0; iteration done 0"};
    assert_string_equal(report(&rig, winner, winner, 0, LS_OUTCOME_DONE), expected[winner]);
    assert_int_equal(rig_totals(&rig).replicas_won, winner);
    /* What the loser says afterwards is dropped. */
    assert_string_equal(report(&rig, 1 - winner, 1 - winner, 0, LS_OUTCOME_DONE), "");
    assert_int_equal(rig_totals(&rig).done, 1);
    assert_int_equal(rig_totals(&rig).results_dropped, 1);
    rig_close(&rig);
  }
}

/* That is what it was made for: it is not wasted. */
static void a_replica_that_outlives_the_original_has_won(void **state) {
  struct rig rig;
  (void)state;
  for (int is_lost = 0; is_lost < 2; is_lost++) {
    open_run(&rig, &listed, 1, 1);
    rig_ready(&rig, 0);
    rig_ready(&rig, 1);
    if (is_lost) {
      rig_worker(&rig, LS_EVENT_LOST, 0);
    } else {
      report(&rig, 0, 0, 0, LS_OUTCOME_FAILED);
    }
    assert_int_equal(rig_totals(&rig).replicas_won, 0);
    report(&rig, 1, 1, 0, LS_OUTCOME_DONE);
    assert_int_equal(rig_totals(&rig).replicas_won, 1);
    rig_close(&rig);
  }
}

static void a_lost_replica_leaves_the_unit_to_the_other(void **state) {
  struct rig rig;
  (void)state;
  for (uint32_t lost = 0; lost < 2; lost++) {
    open_run(&rig, &listed, 1, 1);
    rig_ready(&rig, 0);
    rig_ready(&rig, 1);
    rig_worker(&rig, LS_EVENT_LOST, lost);
    assert_int_equal(rig_totals(&rig).waiting, 0);
    assert_int_equal(rig_totals(&rig).sent, 1);
    rig_vacate(&rig, 1 - lost);
    assert_int_equal(rig_totals(&rig).waiting, 1);
    assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 0+1");
    rig_close(&rig);
  }
}

/* A failure counts where a replica runs, too: else a task that always fails would go on for ever.
 */
static void failures_of_replicas_count_as_attempts(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &listed, 1, 1);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  assert_string_equal(report(&rig, 0, 0, 0, LS_OUTCOME_FAILED), "");
  assert_int_equal(rig_totals(&rig).sent, 1);
  assert_string_equal(report(&rig, 1, 1, 0, LS_OUTCOME_FAILED), "");
  assert_int_equal(rig_totals(&rig).waiting, 1);
  for (uint64_t chunk = 2; chunk < 4; chunk++) {
    rig_ready(&rig, 2);
    report(&rig, 2, chunk, 0, LS_OUTCOME_FAILED);
  }
  assert_int_equal(rig_totals(&rig).failed, 1);
  rig_close(&rig);
}

/* One unit, which two of three workers run, without retries; replicas are always worth it. */
static void open_replicated_unit(struct rig *rig) {
  struct ls_coordinator_config config = rig_config(1);
  config.replication = &spare;
  replicas_wanted = 0;
  worth = 1;
  rig_open(rig, &config);
  for (uint32_t i = 0; i < 3; i++) rig_worker(rig, LS_EVENT_JOINED, i);
  rig_iteration(rig, 1);
  rig_ready(rig, 0);
  rig_ready(rig, 1);
  assert_int_equal(rig_totals(rig).replicas, 1);
}

/* A failure is no valid result: the other replica decides, whichever of the two it is. */
static void a_replica_that_fails_without_retries_leaves_the_unit_to_the_other(void **state) {
  static const enum ls_outcome failures[] = {LS_OUTCOME_FAILED, LS_OUTCOME_TIMED_OUT};
  struct rig rig;
  (void)state;
  for (uint32_t run = 0; run < 8; run++) {
    uint32_t first = run % 2, other = 1 - first;
    enum ls_outcome failure = failures[run / 2 % 2];
    bool fails_again = run >= 4;
    open_replicated_unit(&rig);
    assert_string_equal(report(&rig, first, first, 0, failure), "");
    assert_true(rig_noted(&rig, LS_NOTE_LEFT));
    assert_int_equal(rig_totals(&rig).sent, 1);
    assert_int_equal(rig_totals(&rig).failed, 0);
    report(&rig, other, other, 0, fails_again ? failure : LS_OUTCOME_DONE);
    assert_int_equal(rig_totals(&rig).failed, fails_again);
    assert_int_equal(rig_totals(&rig).done, !fails_again);
    /* The SETTLE says that it was the second attempt. */
    assert_int_equal(rig.actions.items[0].kind, LS_ACTION_SETTLE);
    assert_int_equal(rig.actions.items[0].settle.attempt, 2);
    rig_close(&rig);
  }
}

/* Else a unit that always fails would be replicated for ever, each replica covering for the other.
 */
static void a_unit_that_was_left_to_a_replica_gets_no_further_one(void **state) {
  struct rig rig;
  (void)state;
  open_replicated_unit(&rig);
  report(&rig, 0, 0, 0, LS_OUTCOME_FAILED);
  assert_string_equal(rig_ready(&rig, 2), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  /* A loss decides nothing: the unit is sent again, alone, and its next failure is the last. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "send worker 2 chunk 2: 0+1");
  assert_string_equal(rig_worker(&rig, LS_EVENT_HEARTBEAT, 2), "");
  assert_string_equal(report(&rig, 2, 2, 0, LS_OUTCOME_FAILED),
                      "settle worker 2 chunk 2: 0+1 failed; iteration done 0");
  assert_int_equal(rig_totals(&rig).replicas, 1);
  rig_close(&rig);
}

/* The replica that is due comes too late for a unit that has failed once too often. */
static void a_listed_replica_is_not_made_of_an_exhausted_unit(void **state) {
  struct rig rig;
  struct ls_coordinator_config config = rig_config(1);
  (void)state;
  config.replication = &listed;
  replicas_wanted = 1;
  rig_open(&rig, &config);
  for (uint32_t i = 0; i < 4; i++) rig_worker(&rig, LS_EVENT_JOINED, i);
  rig_iteration(&rig, 2);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  report(&rig, 0, 0, 0, LS_OUTCOME_FAILED);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 1+1");
  assert_string_equal(rig_ready(&rig, 3), "");
  assert_string_equal(report(&rig, 1, 1, 0, LS_OUTCOME_FAILED),
                      "settle worker 1 chunk 1: 0+1 failed");
  rig_close(&rig);
}

/* Every unit of one answer has a fate of its own. */
static void of_a_failed_chunk_the_replicated_unit_goes_on(void **state) {
  struct rig rig;
  struct ls_coordinator_config config = rig_config(3);
  (void)state;
  config.replication = &listed;
  replicas_wanted = 1;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_iteration(&rig, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+3");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 3}, LS_OUTCOME_FAILED),
                      "settle worker 0 chunk 0: 1+2 failed");
  assert_int_equal(rig_totals(&rig).sent, 1);
  rig_done(&rig, 1, 1, 0, 1);
  assert_int_equal(rig_totals(&rig).done, 1);
  assert_int_equal(rig_totals(&rig).failed, 2);
  rig_close(&rig);
}

static void a_unit_that_kills_its_workers_is_given_up_with_its_replicas(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &spare, 0, 1);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 0+1");
  const char *actions = rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_non_null(
      strstr(actions, "settle worker 1 chunk 1: 0+1 given up; cancel worker 2 chunk 2"));
  assert_int_equal(rig_totals(&rig).given_up, 1);
  rig_close(&rig);
}

static void idle_workers_replica_what_is_worth_it(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &spare, 0, 1);
  rig_ready(&rig, 0);
  worth = -1;
  assert_string_equal(rig_ready(&rig, 1), "");
  /* Time makes it worth its price. */
  worth = 1;
  assert_string_equal(rig_worker(&rig, LS_EVENT_HEARTBEAT, 0), "send worker 1 chunk 1: 0+1");
  rig_close(&rig);
}

static void spare_replicas_give_way_to_units_that_come_back(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &spare, 0, 2);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 0+1");
  const char *actions = rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_non_null(strstr(actions, "cancel worker 2 chunk 2"));
  assert_int_equal(rig_totals(&rig).waiting, 1);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 3: 1+1");
  rig_close(&rig);
}

static struct ls_replica_facts weighed;
static size_t weighings;

static double weigh_facts(const struct ls_replica_facts *facts) {
  weighed = *facts;
  weighings++;
  return -1;
}

static const struct ls_replication asking = {.name = "asking",
                                             .summary = "remembers the facts",
                                             .reference = "none",
                                             .replicas = want_replicas,
                                             .worth = weigh_facts};

/* A unit looks like those that this session timed: not like those settled before, of which nothing
 * is known, nor like those whose seconds nobody told. */
static void units_look_like_those_that_were_timed(void **state) {
  const struct ls_range done = {0, 1000};
  const struct ls_coordinator_past past = {.done = &done, .done_count = 1};
  (void)state;
  for (int is_resumed = 0; is_resumed < 2; is_resumed++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.replication = &asking;
    replicas_wanted = 0;
    rig_open(&rig, &config);
    if (is_resumed) assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, NULL), LS_OK);
    uint64_t first = is_resumed ? 1000 : 0;
    rig_start(&rig, 2, first + 4);
    rig_ready(&rig, 0);
    rig_ready(&rig, 0);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                     .worker = 0,
                                     .result = {.chunk = 0, .units = {first, 1}, .seconds = 10}});
    rig_step(&rig, (struct ls_event){
                       .kind = LS_EVENT_RESULT,
                       .worker = 0,
                       .result = {.chunk = 1, .units = {first + 1, 1}, .seconds = (double)NAN}});
    rig_ready(&rig, 0);
    rig_ready(&rig, 0);
    rig_ready(&rig, 1);
    assert_true(fabs(weighed.expected_s - 10) < 1e-12);
    rig_close(&rig);
  }
}

/* However many workers idle: each running unit is looked at once. */
static void an_event_weighs_a_running_unit_once(void **state) {
  static const double weights[] = {1, 1, 1, 1, 5, 1, 2, 1};
  (void)state;
  for (int is_weighed = 0; is_weighed < 2; is_weighed++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.workers = 8;
    config.replication = &asking;
    config.weights = is_weighed ? weights : NULL;
    config.weights_count = is_weighed ? 8 : 0;
    replicas_wanted = 0;
    rig_open(&rig, &config);
    rig_start(&rig, 8, 4);
    for (uint32_t i = 0; i < 8; i++) rig_ready(&rig, i);
    weighings = 0;
    rig_worker(&rig, LS_EVENT_HEARTBEAT, 0);
    assert_int_equal(weighings, 4);
    rig_close(&rig);
  }
}

/* A replication that learns, and remembers what it was shown. */
static struct {
  size_t count; /* of the times; 0: none were shown */
  double seconds[4];
} shown;

static uint64_t look(const struct ls_replication_view *view) {
  shown.count = view->seconds != NULL ? (size_t)view->units : 0;
  for (size_t i = 0; i < shown.count; i++) shown.seconds[i] = view->seconds[i];
  return 0;
}

static const struct ls_replication looking = {.name = "looking",
                                              .summary = "remembers the times",
                                              .reference = "none",
                                              .learns = true,
                                              .replicas = look};

/* Of some tasks nothing is known: then nothing is expected of any. */
static void times_are_shown_when_those_of_all_tasks_are_known(void **state) {
  static const struct ls_coordinator_lesson lessons[] = {
      {0, {0, 1}, 2}, {0, {1, 1}, 3}, {0, {2, 1}, 4}};
  (void)state;
  for (uint64_t known = 0; known <= 3; known++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.replication = &looking;
    config.lessons = lessons;
    config.lessons_count = (size_t)known;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 3);
    assert_int_equal(shown.count, known < 3 ? 0 : 3);
    for (size_t i = 0; i < shown.count; i++)
      assert_true(fabs(shown.seconds[i] - (2 + (double)i)) < 1e-12);
    rig_close(&rig);
  }
}

static void join_at(struct rig *rig, uint32_t worker, uint64_t place) {
  rig_step(rig, (struct ls_event){
                    .kind = LS_EVENT_JOINED, .worker = worker, .joined = {.place = place}});
}

/* A machine that is taken back takes both with it; so one on another machine gets the replica, and
 * one beside the original only where there is no other. */
static void a_replica_runs_on_another_machine_if_there_is_one(void **state) {
  for (int is_spare = 0; is_spare < 2; is_spare++) {
    struct rig rig;
    (void)state;
    struct ls_coordinator_config config = rig_config(1);
    config.replication = is_spare ? &spare : &listed;
    replicas_wanted = is_spare ? 0 : 1;
    worth = 1;
    rig_open(&rig, &config);
    join_at(&rig, 0, 5);
    join_at(&rig, 1, 5);
    join_at(&rig, 2, 6);
    rig_iteration(&rig, 1);
    assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+1");
    assert_string_equal(rig_ready(&rig, 1), "");
    assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 1: 0+1");
    rig_close(&rig);
    rig_open(&rig, &config);
    join_at(&rig, 0, 5);
    join_at(&rig, 1, 5);
    rig_iteration(&rig, 1);
    assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+1");
    assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
    rig_close(&rig);
  }
}

/* Unit 0 runs from 0 s at worker 0, and from 4 s at worker 1, whose result comes at 10 s. */
static void the_seconds_of_the_run_that_was_stopped_are_counted(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, &listed, 1, 3);
  rig_ready(&rig, 0);
  rig_at(&rig, 4, LS_EVENT_READY, 1);
  assert_true(!(rig_totals(&rig).replicas_lost_s > 0));
  rig_at(&rig, 10, LS_EVENT_HEARTBEAT, 0);
  report(&rig, 1, 1, 0, LS_OUTCOME_DONE);
  assert_true(fabs(rig_totals(&rig).replicas_lost_s - 10) < 1e-9);
  assert_int_equal(rig_totals(&rig).replicas_won, 1);
  rig_close(&rig);
}

/* Earlier runs count as if they were of this one, until a rate is declared. */
static void losses_of_earlier_runs_count(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  assert_float_equal(rig_totals(&rig).loss_rate, 0.5 / 45000, 1e-12);
  rig_close(&rig);
  config.past_losses = 4;
  config.past_up_s = 5000;
  rig_open(&rig, &config);
  assert_float_equal(rig_totals(&rig).loss_rate, 4.5 / 50000, 1e-12);
  rig_close(&rig);
  config.loss_rate = 0.25;
  rig_open(&rig, &config);
  assert_float_equal(rig_totals(&rig).loss_rate, 0.25, 1e-12);
  rig_close(&rig);
}

/* It was refused what waits for a worker to come, as it was busy; now it is not. */
static void who_lost_its_replica_gets_what_it_asked_for(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.replication = &listed;
  config.workers = 3;
  config.spares_newcomers = true;
  replicas_wanted = 1;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_iteration(&rig, 2);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+1");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(report(&rig, 0, 0, 0, LS_OUTCOME_DONE),
                      "settle worker 0 chunk 0: 0+1 done; cancel worker 1 chunk 1; "
                      "send worker 1 chunk 2: 1+1");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_seconds_of_the_run_that_was_stopped_are_counted),
      cmocka_unit_test(losses_of_earlier_runs_count),
      cmocka_unit_test(the_replica_stands_right_behind_the_original),
      cmocka_unit_test(a_resumed_iteration_has_replicas_too),
      cmocka_unit_test(an_iteration_without_units_has_no_replicas),
      cmocka_unit_test(nobody_gets_a_replica_of_its_own_unit),
      cmocka_unit_test(the_first_result_wins_and_the_other_replica_is_cancelled),
      cmocka_unit_test(a_replica_that_outlives_the_original_has_won),
      cmocka_unit_test(a_lost_replica_leaves_the_unit_to_the_other),
      cmocka_unit_test(failures_of_replicas_count_as_attempts),
      cmocka_unit_test(a_replica_that_fails_without_retries_leaves_the_unit_to_the_other),
      cmocka_unit_test(a_unit_that_was_left_to_a_replica_gets_no_further_one),
      cmocka_unit_test(a_listed_replica_is_not_made_of_an_exhausted_unit),
      cmocka_unit_test(of_a_failed_chunk_the_replicated_unit_goes_on),
      cmocka_unit_test(a_unit_that_kills_its_workers_is_given_up_with_its_replicas),
      cmocka_unit_test(idle_workers_replica_what_is_worth_it),
      cmocka_unit_test(spare_replicas_give_way_to_units_that_come_back),
      cmocka_unit_test(units_look_like_those_that_were_timed),
      cmocka_unit_test(an_event_weighs_a_running_unit_once),
      cmocka_unit_test(times_are_shown_when_those_of_all_tasks_are_known),
      cmocka_unit_test(who_lost_its_replica_gets_what_it_asked_for),
      cmocka_unit_test(a_replica_runs_on_another_machine_if_there_is_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
