/* list_schedule.c: list scheduling.
 *
 * Reference:  graham1969; heymann2001, chapter 3.
 * Assumes:    independent tasks, no costs but computing, all workers there from the start.
 * Answers:    the schedule; with the largest task first its makespan is at most 4/3 - 1/(3n) times
 *             the optimum on n equal workers, with any list at most 2 - 1/n times.
 * Cost:       O(T log n) for T tasks on n workers.
 * Symbols:    T -> tasks, n -> workers.
 */
#include "theory/list_schedule.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/statistics.h"

struct keyed {
  double key;
  uint64_t number;
};

static int compare_keyed(const void *left, const void *right) {
  const struct keyed *a = left, *b = right;
  if (a->key > b->key) return -1;
  if (a->key < b->key) return 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

enum ls_status ls_list_sort(const double *keys, size_t count, uint64_t *list,
                            struct ls_error *err) {
  struct keyed *sorted = calloc(count + 1, sizeof *sorted);
  if (sorted == NULL) return ls_fail(err, LS_ENOMEM, "no memory to sort %zu tasks", count);
  for (size_t i = 0; i < count; i++) sorted[i] = (struct keyed){keys[i], i};
  qsort(sorted, count, sizeof *sorted, compare_keyed);
  for (size_t i = 0; i < count; i++) list[i] = sorted[i].number;
  assert(count == 0 || !(sorted[0].key < sorted[count - 1].key));
  free(sorted);
  return LS_OK;
}

static double read_or_one(const double *values, size_t i) {
  return values != NULL ? values[i] : 1;
}

static enum ls_status check_setup(const struct ls_list_setup *setup, struct ls_error *err) {
  if (setup->workers == 0) return ls_fail(err, LS_EINVAL, "workers is 0, must be >= 1");
  for (size_t i = 0; i < setup->tasks; i++) {
    if (setup->work[i] >= 0 && isfinite(setup->work[i])) continue;
    return ls_fail(err, LS_EINVAL, "task %zu: work is %g, must be >= 0 and finite", i,
                   setup->work[i]);
  }
  for (size_t i = 0; i < setup->workers; i++) {
    double per_unit = read_or_one(setup->per_unit, i), cost = read_or_one(setup->costs, i);
    if (!(per_unit > 0) || !isfinite(per_unit)) {
      return ls_fail(err, LS_EINVAL, "worker %zu: per_unit is %g, must be > 0 and finite", i,
                     per_unit);
    }
    if (!(cost >= 0) || !isfinite(cost)) {
      return ls_fail(err, LS_EINVAL, "worker %zu: cost is %g, must be >= 0 and finite", i, cost);
    }
  }
  return LS_OK;
}

/* The fastest worker stands first and is preferred where several are free: its position is the
 * priority in the heap, and the payload. */
static enum ls_status fill_free(const struct ls_list_setup *setup, struct ls_heap *free_at,
                                struct keyed *fastest) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < setup->workers; i++) {
    fastest[i] = (struct keyed){-read_or_one(setup->per_unit, i), i};
  }
  qsort(fastest, setup->workers, sizeof *fastest, compare_keyed);
  for (size_t i = 0; i < setup->workers && status == LS_OK; i++) {
    status = ls_heap_push(free_at, 0, (uint32_t)i, i);
  }
  assert(status != LS_OK || free_at->count == setup->workers);
  return status;
}

static enum ls_status assign(const struct ls_list_setup *setup, struct ls_heap *free_at,
                             const struct keyed *fastest, struct ls_list_schedule *schedule,
                             uint32_t *worker_of_task) {
  struct ls_sum useful = {0}, costs = {0};
  double makespan_s = 0;
  for (size_t i = 0; i < setup->tasks; i++) {
    struct ls_heap_item first;
    size_t task = setup->list != NULL ? (size_t)setup->list[i] : i;
    bool is_there = ls_heap_pop(free_at, &first);
    assert(is_there && task < setup->tasks);
    assert(first.payload < setup->workers);
    size_t worker = (size_t)fastest[first.payload].number;
    double seconds = setup->work[task] * read_or_one(setup->per_unit, worker);
    double end_s = first.time_s + seconds;
    if (end_s > makespan_s) makespan_s = end_s;
    ls_sum_add(&useful, seconds * read_or_one(setup->costs, worker));
    if (worker_of_task != NULL) worker_of_task[task] = (uint32_t)worker;
    enum ls_status status = ls_heap_push(free_at, end_s, (uint32_t)first.payload, first.payload);
    if (status != LS_OK) return status;
  }
  for (size_t i = 0; i < setup->workers; i++) ls_sum_add(&costs, read_or_one(setup->costs, i));
  assert(free_at->count == setup->workers && makespan_s >= 0);
  schedule->makespan_s = makespan_s;
  schedule->useful_cost = ls_sum_value(&useful);
  schedule->up_cost = makespan_s * ls_sum_value(&costs);
  /* No worker is busy for longer than the schedule lasts. */
  assert(!(schedule->useful_cost > schedule->up_cost * (1 + 1e-9)));
  schedule->efficiency = schedule->up_cost > 0 ? schedule->useful_cost / schedule->up_cost : 1;
  return LS_OK;
}

enum ls_status ls_list_schedule(const struct ls_list_setup *setup,
                                struct ls_list_schedule *schedule, uint32_t *worker_of_task,
                                struct ls_error *err) {
  struct ls_heap free_at = {0};
  enum ls_status status = check_setup(setup, err);
  if (status != LS_OK) return status;
  struct keyed *fastest = calloc(setup->workers, sizeof *fastest);
  status = fastest == NULL ? LS_ENOMEM : fill_free(setup, &free_at, fastest);
  if (status == LS_OK) status = assign(setup, &free_at, fastest, schedule, worker_of_task);
  ls_heap_close(&free_at);
  free(fastest);
  if (status != LS_OK) return ls_fail(err, status, "no memory for %zu workers", setup->workers);
  return LS_OK;
}
