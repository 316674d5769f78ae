/* List scheduling: published examples, its bounds against the optimum by enumeration, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "theory/list_schedule.h"

static const double ten[] = {9, 8, 7, 6, 5, 5, 4, 3, 2, 1};

static double play(const double *work, size_t tasks, const uint64_t *list, size_t workers) {
  struct ls_list_setup setup = {.work = work, .tasks = tasks, .list = list, .workers = workers};
  struct ls_list_schedule schedule;
  assert_int_equal(ls_list_schedule(&setup, &schedule, NULL, NULL), LS_OK);
  return schedule.makespan_s;
}

static void tasks_go_to_the_worker_that_is_free_first(void **state) {
  const uint32_t expected[] = {0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
  uint32_t worker_of_task[10];
  struct ls_list_setup setup = {.work = ten, .tasks = 10, .workers = 2};
  struct ls_list_schedule schedule;
  (void)state;
  assert_int_equal(ls_list_schedule(&setup, &schedule, worker_of_task, NULL), LS_OK);
  assert_memory_equal(worker_of_task, expected, sizeof expected);
  assert_true(fabs(schedule.makespan_s - 25) < 1e-12);
  assert_true(fabs(schedule.efficiency - 1) < 1e-12);
}

/* The fastest worker stands last on purpose. */
static void the_fastest_free_worker_takes_the_first_task(void **state) {
  const double per_unit[] = {2, 1, 0.5};
  const uint32_t expected[] = {2, 1, 0, 2, 2, 1, 2, 2, 1, 2};
  uint32_t worker_of_task[10];
  struct ls_list_setup setup = {.work = ten, .tasks = 10, .workers = 3, .per_unit = per_unit};
  struct ls_list_schedule schedule;
  (void)state;
  assert_int_equal(ls_list_schedule(&setup, &schedule, worker_of_task, NULL), LS_OK);
  assert_memory_equal(worker_of_task, expected, sizeof expected);
  assert_true(fabs(schedule.makespan_s - 15) < 1e-12);
}

static double enumerate(const double *work, size_t tasks, size_t workers) {
  double best = (double)INFINITY;
  size_t cases = 1;
  for (size_t i = 0; i < tasks; i++) cases *= workers;
  for (size_t code = 0; code < cases; code++) {
    double load[4] = {0}, most = 0;
    size_t rest = code;
    for (size_t i = 0; i < tasks; i++, rest /= workers) load[rest % workers] += work[i];
    for (size_t i = 0; i < workers; i++) most = fmax(most, load[i]);
    best = fmin(best, most);
  }
  return best;
}

static void makespans_keep_the_bounds_of_graham(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 7, "bounds");
  for (int trial = 0; trial < 60; trial++) {
    double work[7];
    uint64_t sorted[7];
    size_t tasks = 1 + (size_t)ls_random_below(&random, 7);
    for (size_t i = 0; i < tasks; i++) work[i] = (double)ls_random_below(&random, 20);
    assert_int_equal(ls_list_sort(work, tasks, sorted, NULL), LS_OK);
    for (size_t workers = 1; workers <= 4; workers++) {
      double optimum = enumerate(work, tasks, workers), m = (double)workers;
      assert_true(play(work, tasks, sorted, workers) <= (4.0 / 3 - 1 / (3 * m)) * optimum + 1e-9);
      assert_true(play(work, tasks, NULL, workers) <= (2 - 1 / m) * optimum + 1e-9);
      assert_true(play(work, tasks, NULL, workers) >= optimum - 1e-9);
    }
  }
}

static void prices_of_one_are_plain_efficiency_and_their_scale_does_not_matter(void **state) {
  const double ones[] = {1, 1, 1}, tens[] = {10, 10, 10}, uneven[] = {1, 5, 2},
               scaled[] = {3, 15, 6};
  const double *costs[] = {NULL, ones, tens, uneven, scaled};
  double efficiencies[5];
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    struct ls_list_setup setup = {.work = ten, .tasks = 10, .workers = 3, .costs = costs[i]};
    struct ls_list_schedule schedule;
    assert_int_equal(ls_list_schedule(&setup, &schedule, NULL, NULL), LS_OK);
    efficiencies[i] = schedule.efficiency;
  }
  assert_true(fabs(efficiencies[0] - 50.0 / (3 * 17)) < 1e-12);
  assert_true(fabs(efficiencies[1] - efficiencies[0]) < 1e-12);
  assert_true(fabs(efficiencies[2] - efficiencies[0]) < 1e-12);
  assert_true(fabs(efficiencies[4] - efficiencies[3]) < 1e-12);
}

static void sorting_is_stable_and_descending(void **state) {
  const double keys[] = {1, 3, 3, (double)INFINITY, 0, 3};
  const uint64_t expected[] = {3, 1, 2, 5, 0, 4};
  uint64_t list[6];
  (void)state;
  assert_int_equal(ls_list_sort(keys, 6, list, NULL), LS_OK);
  assert_memory_equal(list, expected, sizeof expected);
}

static void nonsense_is_refused_by_name(void **state) {
  struct ls_error err = {0};
  struct ls_list_schedule schedule = {.makespan_s = -1};
  const double bad[] = {1, -2}, stopped[] = {0}, negative[] = {-1};
  struct ls_list_setup nobody = {.work = ten, .tasks = 2, .workers = 0};
  struct ls_list_setup work = {.work = bad, .tasks = 2, .workers = 1};
  struct ls_list_setup speed = {.work = ten, .tasks = 2, .workers = 1, .per_unit = stopped};
  struct ls_list_setup cost = {.work = ten, .tasks = 2, .workers = 1, .costs = negative};
  (void)state;
  assert_int_equal(ls_list_schedule(&nobody, &schedule, NULL, &err), LS_EINVAL);
  assert_int_equal(ls_list_schedule(&work, &schedule, NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "task 1: work is -2"));
  assert_int_equal(ls_list_schedule(&speed, &schedule, NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "per_unit is 0"));
  assert_int_equal(ls_list_schedule(&cost, &schedule, NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "cost is -1"));
  assert_true(schedule.makespan_s < 0);
}

static void no_tasks_take_no_time(void **state) {
  (void)state;
  assert_true(fabs(play(ten, 0, NULL, 3)) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_go_to_the_worker_that_is_free_first),
      cmocka_unit_test(the_fastest_free_worker_takes_the_first_task),
      cmocka_unit_test(makespans_keep_the_bounds_of_graham),
      cmocka_unit_test(prices_of_one_are_plain_efficiency_and_their_scale_does_not_matter),
      cmocka_unit_test(sorting_is_stable_and_descending),
      cmocka_unit_test(nonsense_is_refused_by_name),
      cmocka_unit_test(no_tasks_take_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
