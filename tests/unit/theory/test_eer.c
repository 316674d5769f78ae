/* EER: the published perfect numbers, the bound behind asp, edge cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "theory/eer.h"
#include "theory/workload.h"

enum { TASKS_MAX = 150 };

static size_t analyse(const struct ls_workload *workload, struct ls_eer_point *points,
                      double *asp) {
  double work[TASKS_MAX];
  assert_int_equal(ls_workload_make(workload, work, NULL), LS_OK);
  struct ls_list_setup setup = {.work = work, .tasks = workload->tasks, .workers = workload->tasks};
  assert_int_equal(ls_eer_curve(&setup, points, NULL), LS_OK);
  *asp = ls_task_asp(work, workload->tasks);
  return ls_eer_perfect(points, workload->tasks);
}

/* heymann2001, tables 4-1 and 5-2. */
static void perfect_numbers_are_the_printed_ones(void **state) {
  const size_t printed[2][7] = {{20, 14, 11, 9, 8, 7, 6}, {57, 40, 31, 26, 22, 19, 17}};
  (void)state;
  for (size_t i = 0; i < 14; i++) {
    struct ls_eer_point points[TASKS_MAX];
    double asp;
    struct ls_workload workload = {i < 7 ? 50 : 150, 30 + 10 * (double)(i % 7), true, true, 100};
    size_t perfect = analyse(&workload, points, &asp);
    assert_int_equal(points[perfect].workers, printed[i / 7][i % 7]);
  }
}

static void asp_is_near_the_perfect_number_and_eer_above_its_bound(void **state) {
  const size_t sizes[] = {30, 50, 100};
  (void)state;
  for (size_t i = 0; i < 3 * 7 * 4; i++) {
    struct ls_eer_point points[TASKS_MAX];
    double asp;
    struct ls_workload workload = {sizes[i % 3], 30 + 10 * (double)(i / 3 % 7), i / 21 % 2, i / 42,
                                   100};
    size_t perfect = analyse(&workload, points, &asp);
    double ratio = (double)points[perfect].workers / asp;
    assert_true(ratio > 0.85 && ratio < 1.25);
    for (size_t n = 1; n <= workload.tasks; n++) {
      double largest = 100 / asp, m = (double)n;
      double bound = m < asp ? 100 / m : m * largest * largest / 100;
      assert_true(points[n - 1].eer_s >= bound * (1 - 1e-9));
    }
  }
}

/* T = 50, 40 %, equal times: 24 to 26 and 30 to 33. */
static void the_ideal_set_may_have_holes(void **state) {
  struct ls_eer_point points[TASKS_MAX];
  double asp;
  struct ls_workload workload = {50, 40, false, false, 100};
  size_t perfect = analyse(&workload, points, &asp);
  (void)state;
  for (size_t n = 1; n <= 50; n++) {
    bool is_listed = (n >= 24 && n <= 26) || (n >= 30 && n <= 33);
    assert_int_equal(ls_eer_is_ideal(&points[n - 1], &points[perfect]), is_listed);
  }
}

static void usable_sets_are_those_of_the_thesis_in_words(void **state) {
  struct ls_eer_point points[TASKS_MAX];
  double asp;
  struct ls_workload workload = {50, 40, true, true, 100};
  (void)analyse(&workload, points, &asp);
  (void)state;
  for (size_t n = 1; n <= 50; n++) {
    bool is_listed = n >= 13 && n <= 17;
    assert_true(ls_eer_is_usable(&points[n - 1], &points[49]) == is_listed);
  }
}

static void degenerate_workloads_have_an_answer(void **state) {
  const double one[] = {5}, zeros[] = {0, 0, 0};
  struct ls_eer_point points[3];
  struct ls_list_setup single = {.work = one, .tasks = 1, .workers = 1};
  struct ls_list_setup nothing = {.work = zeros, .tasks = 3, .workers = 3};
  (void)state;
  assert_int_equal(ls_eer_curve(&single, points, NULL), LS_OK);
  assert_int_equal(points[ls_eer_perfect(points, 1)].workers, 1);
  assert_int_equal(ls_eer_curve(&nothing, points, NULL), LS_OK);
  assert_int_equal(points[ls_eer_perfect(points, 3)].workers, 1);
  assert_true(fabs(ls_task_asp(zeros, 3) - 1) < 1e-12);
  assert_true(isinf(ls_eer_point(3, 4, 0).eer_s));
}

static void facts_describe_the_largest_fifth(void **state) {
  const double seconds[] = {1, 1, 1, 4, 1, 1, 10, 1, 1, 1};
  struct ls_task_facts facts;
  (void)state;
  assert_int_equal(ls_task_facts(seconds, 10, &facts, NULL), LS_OK);
  assert_true(fabs(facts.total_s - 22) < 1e-12);
  assert_true(fabs(facts.asp - 2.2) < 1e-12);
  assert_true(fabs(facts.share_percent - 100 * 14.0 / 22) < 1e-9);
  assert_true(facts.is_large_different);
  assert_true(fabs(facts.least_s - 1) < 1e-12);
}

static void asp_rounds_up_and_counts_speeds(void **state) {
  const double speeds[] = {2, 1, 0.5};
  (void)state;
  assert_int_equal(ls_eer_size_by_asp(2.8, NULL, 10), 3);
  assert_int_equal(ls_eer_size_by_asp(3.0, NULL, 10), 3);
  assert_int_equal(ls_eer_size_by_asp(0.2, NULL, 10), 1);
  assert_int_equal(ls_eer_size_by_asp(20, NULL, 10), 10);
  /* 1.2 times the fastest (2) needs 2.4: the two fastest have 3. */
  assert_int_equal(ls_eer_size_by_asp(1.2, speeds, 3), 2);
  assert_int_equal(ls_eer_size_by_asp(9, speeds, 3), 3);
}

/* Four tasks of 1 s: the curve's perfect number is that of ls_eer_curve; a failed one is none. */
static void crew_is_found_from_the_tasks_that_counted(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_eer_crew crew = {.perfect = 77};
  ls_timeline_init(&timeline);
  assert_int_equal(ls_eer_crew_of(&timeline, &crew, NULL), LS_OK);
  assert_int_equal(crew.perfect, 0);
  struct ls_span span = {
      .resource = LS_RESOURCE_WORKER, .operation = LS_OPERATION_COMPUTE, .units = 4, .end_s = 4};
  ls_timeline_add_span(&timeline, &span);
  span.outcome = LS_OUTCOME_FAILED;
  ls_timeline_add_span(&timeline, &span);
  assert_int_equal(ls_eer_crew_of(&timeline, &crew, NULL), LS_OK);
  assert_int_equal(crew.perfect, 4);
  assert_true(crew.ideal_from <= 4 && crew.ideal_to == 4);
  assert_true(fabs(crew.asp - 4) < 1e-12);
  span.outcome = LS_OUTCOME_DONE;
  span.units = 1000000;
  ls_timeline_add_span(&timeline, &span);
  assert_int_equal(ls_eer_crew_of(&timeline, &crew, NULL), LS_OK);
  assert_int_equal(crew.perfect, 0);
  ls_timeline_close(&timeline);
}

/* The facts of tasks, counted once more: of 1 to 40 tasks in any order. */
static void facts_are_those_of_the_times(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 5, "facts");
  for (size_t count = 1; count <= 40; count++) {
    double seconds[40], total = 0, largest = 0, least = HUGE_VAL, share = 0;
    for (size_t i = 0; i < count; i++) {
      seconds[i] = 0.5 + ls_random_real(&random);
      total += seconds[i];
      largest = fmax(largest, seconds[i]);
      least = fmin(least, seconds[i]);
    }
    /* The largest fifth of them. */
    size_t large = (size_t)floor(0.2 * (double)count + 0.5);
    if (large == 0) large = 1;
    for (size_t i = 0; i < count; i++) {
      size_t before = 0;
      for (size_t k = 0; k < count; k++) before += seconds[k] > seconds[i];
      if (before < large) share += seconds[i];
    }
    struct ls_task_facts facts;
    assert_int_equal(ls_task_facts(seconds, count, &facts, NULL), LS_OK);
    assert_int_equal(facts.tasks, count);
    assert_true(fabs(facts.total_s - total) < 1e-12 * total);
    assert_true(fabs(facts.largest_s - largest) < 1e-15);
    assert_true(fabs(facts.least_s - least) < 1e-15);
    assert_true(fabs(facts.asp - total / largest) < 1e-12 * facts.asp);
    assert_true(fabs(facts.share_percent - 100 * share / total) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(perfect_numbers_are_the_printed_ones),
      cmocka_unit_test(asp_is_near_the_perfect_number_and_eer_above_its_bound),
      cmocka_unit_test(the_ideal_set_may_have_holes),
      cmocka_unit_test(usable_sets_are_those_of_the_thesis_in_words),
      cmocka_unit_test(degenerate_workloads_have_an_answer),
      cmocka_unit_test(facts_describe_the_largest_fifth),
      cmocka_unit_test(asp_rounds_up_and_counts_speeds),
      cmocka_unit_test(crew_is_found_from_the_tasks_that_counted),
      cmocka_unit_test(facts_are_those_of_the_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
