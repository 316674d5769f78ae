/* pack_fixture.h: small problems of dividing tasks, and the optimum by trying everything. */
#ifndef LS_TESTS_UNIT_PLANNERS_PACK_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_PACK_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "planners/pack/pack_bound.h"
#include "planners/pack/pack_list.h"

enum { TASKS_MAX = 64, SHARDS_MAX = 8 };

struct case_of {
  double seconds[TASKS_MAX], speeds[SHARDS_MAX];
  struct ls_pack_problem problem;
};

static inline int compare_falling(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  if (left > right) return -1;
  return left < right;
}

/* Times of whole numbers of tenths, or any; speeds 1, or from 1 down. */
static inline void draw_case(struct case_of *drawn, struct ls_random *random, size_t tasks,
                             size_t shards, bool has_speeds) {
  bool is_whole = ls_random_below(random, 2) == 0;
  for (size_t i = 0; i < tasks; i++)
    drawn->seconds[i] = is_whole ? (double)ls_random_below(random, 100) / 10
                                 : 10 * ls_random_real(random) * ls_random_real(random);
  for (size_t k = 0; k < shards; k++)
    drawn->speeds[k] = has_speeds ? 0.2 + ls_random_real(random) : 1;
  qsort(drawn->seconds, tasks, sizeof(double), compare_falling);
  qsort(drawn->speeds, shards, sizeof(double), compare_falling);
  drawn->problem = (struct ls_pack_problem){drawn->seconds, tasks, drawn->speeds, shards};
}

static inline double try_all(const struct ls_pack_problem *problem, size_t task, double *work,
                             double best) {
  double longest = 0;
  for (size_t k = 0; k < problem->shards; k++)
    if (work[k] / problem->speeds[k] > longest) longest = work[k] / problem->speeds[k];
  if (longest >= best) return best;
  if (task == problem->tasks) return longest;
  for (size_t k = 0; k < problem->shards; k++) {
    work[k] += problem->seconds[task];
    best = try_all(problem, task + 1, work, best);
    work[k] -= problem->seconds[task];
  }
  return best;
}

/* Of few tasks. */
static inline double find_optimum(const struct ls_pack_problem *problem) {
  double work[SHARDS_MAX] = {0};
  return try_all(problem, 0, work, 1e300);
}

/* Each task is in one shard, what is said of the shards is so, and nothing is below the bound. */
static inline void expect_division(const struct ls_pack_problem *problem,
                                   const struct ls_packing *packing) {
  double work[TASKS_MAX] = {0}, longest = 0;
  for (size_t i = 0; i < problem->tasks; i++) {
    assert_true(packing->shard_of[i] < problem->shards);
    work[packing->shard_of[i]] += problem->seconds[i];
  }
  for (size_t k = 0; k < problem->shards; k++) {
    assert_true(work[k] - packing->seconds[k] < 1e-9 && packing->seconds[k] - work[k] < 1e-9);
    if (work[k] / problem->speeds[k] > longest) longest = work[k] / problem->speeds[k];
  }
  assert_true(longest - packing->makespan_s < 1e-9 && packing->makespan_s - longest < 1e-9);
  assert_true(packing->makespan_s >= ls_pack_bound(problem) * (1 - 1e-9));
}

static inline void open_search(struct ls_pack_search *search, const struct ls_pack_problem *problem,
                               uint64_t work_max) {
  *search = (struct ls_pack_search){
      .problem = problem, .bound_s = ls_pack_bound(problem), .budget = {.work_max = work_max}};
  assert_int_equal(ls_packing_init(&search->best, problem), LS_OK);
  assert_int_equal(ls_packing_init(&search->trial, problem), LS_OK);
}

static inline void close_search(struct ls_pack_search *search) {
  ls_packing_close(&search->best);
  ls_packing_close(&search->trial);
}

/* One algorithm behind the longest first, of which it makes nothing worse; its makespan. */
static inline double divide_by(const struct ls_pack_algorithm *algorithm,
                               const struct ls_pack_problem *problem) {
  struct ls_pack_search search;
  open_search(&search, problem, 400000);
  assert_int_equal(ls_pack_lptf.divide(&search), LS_OK);
  double before_s = search.best.makespan_s;
  assert_int_equal(algorithm->divide(&search), LS_OK);
  expect_division(problem, &search.best);
  assert_true(search.best.makespan_s <= before_s);
  assert_non_null(search.found_by);
  double makespan_s = search.best.makespan_s;
  close_search(&search);
  return makespan_s;
}

#endif
