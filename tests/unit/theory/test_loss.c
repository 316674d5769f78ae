/* Losing workers: the worked example, the expectations, several losses, what replicas may cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "theory/loss.h"
#include "theory/workload.h"

static const double eight[] = {8, 5, 4, 4, 3, 3, 1, 1};

static struct ls_loss_cycle play(size_t workers, size_t replicas,
                                 const struct ls_lost_worker *losses, size_t count) {
  struct ls_loss_setup setup = {.work = eight,
                                .tasks = 8,
                                .workers = workers,
                                .replicas = replicas,
                                .losses = losses,
                                .losses_count = count};
  struct ls_loss_cycle cycle;
  assert_int_equal(ls_loss_play(&setup, &cycle, NULL), LS_OK);
  return cycle;
}

/* Figures 5-1, 5-2 and 5-5 of heymann2001 with the tasks that fit them. */
static void the_figures_of_chapter_five_come_out(void **state) {
  const struct ls_lost_worker first = {0, 4}, third = {2, 4};
  (void)state;
  assert_true(fabs(play(4, 0, NULL, 0).makespan_s - 8) < 1e-12);
  assert_true(fabs(play(4, 0, NULL, 0).efficiency - 29.0 / 32) < 1e-12);
  assert_true(fabs(play(4, 0, &first, 1).makespan_s - 12) < 1e-12);
  assert_true(fabs(play(4, 0, &first, 1).efficiency - 29.0 / 40) < 1e-12);
  assert_true(fabs(play(6, 2, &first, 1).makespan_s - 8) < 1e-12);
  assert_true(fabs(play(6, 1, &third, 1).makespan_s - 9) < 1e-12);
  assert_true(fabs(play(6, 0, &first, 1).makespan_s - 12) < 1e-12);
}

/* heymann2001, table 5-1 in expectation: 30 % and 90 % (docs/theory/adaptive.md, 7). */
static void expectations_are_those_of_table_5_1(void **state) {
  const struct {
    double share;
    size_t workers, extra, replicas;
    double time, efficiency;
  } rows[] = {{30, 20, 0, 0, 11.3, 6.0}, {30, 20, 1, 1, 7.9, 8.6},  {30, 20, 2, 2, 5.7, 11.4},
              {40, 14, 0, 0, 14.2, 7.1}, {40, 14, 2, 1, 5.0, 12.8}, {50, 11, 3, 3, 1.9, 19.8},
              {60, 9, 1, 0, 9.9, 10.8},  {70, 8, 2, 2, 5.6, 19.4},  {80, 7, 3, 1, 6.4, 29.5},
              {90, 6, 0, 0, 31.1, 12.9}, {90, 6, 3, 3, 2.7, 30.6}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double work[50];
    struct ls_workload workload = {50, rows[i].share, true, true, 100};
    struct ls_worsening worsening;
    assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
    struct ls_loss_study study = {.work = work,
                                  .tasks = 50,
                                  .workers = rows[i].workers,
                                  .extra = rows[i].extra,
                                  .replicas = rows[i].replicas,
                                  .midpoints = 40};
    assert_int_equal(ls_loss_expect(&study, &worsening, NULL), LS_OK);
    assert_true(fabs(worsening.time_percent - rows[i].time) <= 0.05 + 1e-9);
    assert_true(fabs(worsening.efficiency_percent - rows[i].efficiency) <= 0.05 + 1e-9);
  }
}

/* Nothing may be lost for good or counted twice: the useful seconds are those of every task once,
 * and the cycle ends while one worker stays. */
static void every_task_ends_whatever_is_lost(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 5, "losses");
  for (int trial = 0; trial < 500; trial++) {
    double work[12], total = 0;
    size_t tasks = 1 + (size_t)ls_random_below(&random, 12);
    size_t workers = 2 + (size_t)ls_random_below(&random, 5);
    size_t count = (size_t)ls_random_below(&random, workers);
    struct ls_lost_worker losses[6];
    for (size_t i = 0; i < tasks; i++) {
      work[i] = 1 + (double)ls_random_below(&random, 20);
      total += work[i];
    }
    for (size_t i = 0; i < count; i++)
      losses[i] = (struct ls_lost_worker){i, 30 * ls_random_real(&random)};
    struct ls_loss_setup setup = {.work = work,
                                  .tasks = tasks,
                                  .workers = workers,
                                  .replicas = (size_t)ls_random_below(&random, 4),
                                  .losses = losses,
                                  .losses_count = count,
                                  .has_spare_replicas = ls_random_below(&random, 2) == 1};
    struct ls_loss_cycle cycle;
    assert_int_equal(ls_loss_play(&setup, &cycle, NULL), LS_OK);
    assert_true(isfinite(cycle.makespan_s));
    double up_s = 0;
    for (size_t i = 0; i < workers; i++) {
      up_s += i < count ? fmin(losses[i].time_s, cycle.makespan_s) : cycle.makespan_s;
    }
    assert_true(fabs(cycle.efficiency - total / up_s) < 1e-9);
    assert_true(cycle.makespan_s >= total / (double)workers - 1e-9);
    assert_true(cycle.efficiency <= 1 + 1e-9);
  }
}

static void losses_after_the_end_change_nothing(void **state) {
  const struct ls_lost_worker late = {1, 100}, never = {1, (double)INFINITY};
  (void)state;
  for (size_t replicas = 0; replicas < 4; replicas++) {
    struct ls_loss_cycle calm = play(5, replicas, NULL, 0);
    assert_true(fabs(play(5, replicas, &late, 1).makespan_s - calm.makespan_s) < 1e-12);
    assert_true(fabs(play(5, replicas, &never, 1).efficiency - calm.efficiency) < 1e-12);
  }
}

/* With more than one loss the rule of the thesis would forget the task. */
static void a_task_that_is_lost_with_its_replica_runs_again(void **state) {
  const struct ls_lost_worker both[] = {{0, 4}, {1, 5}};
  (void)state;
  struct ls_loss_cycle cycle = play(6, 1, both, 2);
  assert_true(isfinite(cycle.makespan_s) && cycle.makespan_s >= 5 + 8 - 1e-12);
}

static void losing_all_workers_takes_for_ever(void **state) {
  const struct ls_lost_worker only = {0, 4};
  struct ls_worsening worsening;
  struct ls_loss_study study = {.work = eight, .tasks = 8, .workers = 1, .midpoints = 3};
  (void)state;
  assert_true(isinf(play(1, 0, &only, 1).makespan_s));
  assert_int_equal(ls_loss_expect(&study, &worsening, NULL), LS_OK);
  assert_true(isinf(worsening.time_percent));
}

/* Ours is the best number of replicas with spare ones at the end: at equal workers never slower
 * than complete replication. */
static void the_chosen_replicas_are_never_slower_than_complete_replication(void **state) {
  const size_t perfect[] = {20, 14, 11, 9, 8, 7, 6};
  (void)state;
  for (size_t i = 0; i < 7; i++) {
    double work[50];
    struct ls_workload workload = {50, 30 + 10 * (double)i, true, true, 100};
    assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
    for (size_t extra = 1; extra <= 3; extra++) {
      struct ls_loss_study study = {.work = work,
                                    .tasks = 50,
                                    .workers = perfect[i],
                                    .extra = extra,
                                    .replicas = extra,
                                    .midpoints = 5};
      struct ls_worsening complete, ours;
      assert_int_equal(ls_loss_expect(&study, &complete, NULL), LS_OK);
      study.has_spare_replicas = true;
      assert_int_equal(ls_loss_choose(&study, 1, 0, &study.replicas, NULL), LS_OK);
      assert_int_equal(ls_loss_expect(&study, &ours, NULL), LS_OK);
      assert_true(ours.time_percent <= complete.time_percent + 1e-9);
    }
  }
}

static void without_losses_nothing_is_replicated(void **state) {
  struct ls_loss_study study = {
      .work = eight, .tasks = 8, .workers = 4, .extra = 2, .midpoints = 4};
  size_t replicas = 9;
  (void)state;
  assert_int_equal(ls_loss_choose(&study, 0, 0, &replicas, NULL), LS_OK);
  assert_int_equal(replicas, 0);
}

static void nonsense_is_refused_by_name(void **state) {
  const struct ls_lost_worker outside = {4, 1}, early = {0, -1};
  struct ls_loss_setup setup = {.work = eight, .tasks = 8, .workers = 4, .losses_count = 1};
  struct ls_loss_study study = {.work = eight, .tasks = 8, .workers = 4};
  struct ls_loss_cycle cycle;
  struct ls_worsening worsening;
  struct ls_error err = {0};
  size_t replicas;
  (void)state;
  setup.losses = &outside;
  assert_int_equal(ls_loss_play(&setup, &cycle, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker is 4, must be < 4"));
  setup.losses = &early;
  assert_int_equal(ls_loss_play(&setup, &cycle, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "time is -1"));
  assert_int_equal(ls_loss_expect(&study, &worsening, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "midpoints is 0"));
  assert_int_equal(ls_loss_choose(&study, 2, 0, &replicas, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "loss_probability is 2"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_figures_of_chapter_five_come_out),
      cmocka_unit_test(expectations_are_those_of_table_5_1),
      cmocka_unit_test(every_task_ends_whatever_is_lost),
      cmocka_unit_test(losses_after_the_end_change_nothing),
      cmocka_unit_test(a_task_that_is_lost_with_its_replica_runs_again),
      cmocka_unit_test(losing_all_workers_takes_for_ever),
      cmocka_unit_test(the_chosen_replicas_are_never_slower_than_complete_replication),
      cmocka_unit_test(without_losses_nothing_is_replicated),
      cmocka_unit_test(nonsense_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
