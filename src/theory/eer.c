/* eer.c: execution time to efficiency ratio.
 *
 * Reference:  heymann2001, chapters 3 and 4; the closed form is ours.
 * Assumes:    that the perfect number is the argument of the least EER; E counts prices.
 * Answers:    time(n) >= max(max t, sum t / n), hence EER >= sum t / n below asp and
 *             n max^2 / sum t above: least at n = asp = sum t / max t.
 * Cost:       O(n T log n) for a curve, O(T log T) for the facts.
 * Symbols:    T -> tasks, n -> workers, E -> efficiency.
 */
#include "theory/eer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

static const double TIE = 1e-9;
static const double IDEAL = 1.1, USABLE_EFFICIENCY = 0.8, USABLE_TIME = 1.1;
static const double DIFFERENT = 1.5;

struct ls_eer_point ls_eer_point(size_t workers, double time_s, double efficiency) {
  assert(workers > 0);
  double eer_s = efficiency > 0 ? time_s / efficiency : (double)INFINITY;
  return (struct ls_eer_point){workers, time_s, efficiency, eer_s};
}

/* Prefixes of the sorted workers are the fastest n. */
static void sort_workers(const struct ls_list_setup *setup, const uint64_t *list, double *per_unit,
                         double *costs) {
  for (size_t i = 0; i < setup->workers; i++) {
    assert(list[i] < setup->workers);
    per_unit[i] = setup->per_unit != NULL ? setup->per_unit[list[i]] : 1;
    costs[i] = setup->costs != NULL ? setup->costs[list[i]] : 1;
  }
}

static enum ls_status sort_fastest(const struct ls_list_setup *setup, uint64_t *list,
                                   double *scratch, struct ls_error *err) {
  for (size_t i = 0; i < setup->workers; i++) {
    scratch[i] = setup->per_unit != NULL ? -setup->per_unit[i] : 0;
  }
  return ls_list_sort(scratch, setup->workers, list, err);
}

enum ls_status ls_eer_curve(const struct ls_list_setup *setup, struct ls_eer_point *points,
                            struct ls_error *err) {
  size_t workers = setup->workers;
  size_t most = workers > setup->tasks ? workers : setup->tasks;
  assert(most >= workers && most >= setup->tasks);
  uint64_t *list = calloc(most + 1, sizeof *list);
  double *per_unit = calloc(workers + 1, sizeof *per_unit);
  double *costs = calloc(workers + 1, sizeof *costs);
  enum ls_status status = LS_OK;
  if (list == NULL || per_unit == NULL || costs == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for a curve of %zu workers", workers);
    goto done;
  }
  status = sort_fastest(setup, list, per_unit, err);
  if (status != LS_OK) goto done;
  sort_workers(setup, list, per_unit, costs);
  status = ls_list_sort(setup->work, setup->tasks, list, err);
  struct ls_list_setup fastest = *setup;
  fastest.list = list;
  fastest.per_unit = per_unit;
  fastest.costs = costs;
  for (size_t n = 1; n <= workers && status == LS_OK; n++) {
    struct ls_list_schedule schedule;
    fastest.workers = n;
    status = ls_list_schedule(&fastest, &schedule, NULL, err);
    if (status == LS_OK) points[n - 1] = ls_eer_point(n, schedule.makespan_s, schedule.efficiency);
  }
done:
  free(list);
  free(per_unit);
  free(costs);
  return status;
}

size_t ls_eer_perfect(const struct ls_eer_point *points, size_t count) {
  size_t best = 0;
  assert(count > 0);
  for (size_t i = 1; i < count; i++) {
    if (points[i].eer_s < points[best].eer_s * (1 - TIE)) best = i;
  }
  assert(best < count);
  return best;
}

bool ls_eer_is_ideal(const struct ls_eer_point *point, const struct ls_eer_point *perfect) {
  assert(perfect->eer_s >= 0);
  return point->eer_s <= IDEAL * perfect->eer_s * (1 + TIE);
}

bool ls_eer_is_usable(const struct ls_eer_point *point, const struct ls_eer_point *most) {
  assert(point->workers > 0 && most->workers > 0);
  return point->efficiency >= USABLE_EFFICIENCY * (1 - TIE) &&
         point->time_s <= USABLE_TIME * most->time_s * (1 + TIE);
}

double ls_task_asp(const double *seconds, size_t count) {
  struct ls_sum total = {0};
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    ls_sum_add(&total, seconds[i]);
    if (seconds[i] > largest) largest = seconds[i];
  }
  return largest > 0 ? ls_sum_value(&total) / largest : 1;
}

enum ls_status ls_task_facts(const double *seconds, size_t count, struct ls_task_facts *facts,
                             struct ls_error *err) {
  struct ls_sum total = {0}, share = {0};
  assert(count > 0);
  uint64_t *list = calloc(count, sizeof *list);
  if (list == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the times of %zu tasks", count);
  enum ls_status status = ls_list_sort(seconds, count, list, err);
  if (status != LS_OK) {
    free(list);
    return status;
  }
  size_t large = (size_t)floor(0.2 * (double)count + 0.5);
  if (large == 0) large = 1;
  assert(large <= count);
  for (size_t i = 0; i < count; i++) {
    ls_sum_add(&total, seconds[list[i]]);
    if (i < large) ls_sum_add(&share, seconds[list[i]]);
  }
  double sum = ls_sum_value(&total), largest = seconds[list[0]];
  assert(!(seconds[list[count - 1]] > largest));
  *facts = (struct ls_task_facts){
      .tasks = count,
      .total_s = sum,
      .largest_s = largest,
      .least_s = seconds[list[count - 1]],
      .asp = largest > 0 ? sum / largest : 1,
      .share_percent = sum > 0 ? 100 * ls_sum_value(&share) / sum : 0,
      .is_large_different = largest > DIFFERENT * seconds[list[large - 1]],
  };
  free(list);
  return LS_OK;
}

size_t ls_eer_size_by_asp(double asp, const double *speeds, size_t workers) {
  assert(workers > 0);
  if (speeds == NULL) {
    double whole = ceil(asp - TIE);
    return !(whole > 1) ? 1 : whole < (double)workers ? (size_t)whole : workers;
  }
  double sum = 0, target = asp * speeds[0];
  size_t number = 0;
  do {
    assert(number == 0 || !(speeds[number] > speeds[number - 1]));
    sum += speeds[number++];
  } while (number < workers && sum < target * (1 - TIE));
  return number;
}

enum { CREW_TASKS_MAX = 300 };

/* Seconds of the tasks that counted, one entry per unit; their number. */
static size_t gather_tasks(const struct ls_timeline *timeline, double *seconds, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation != LS_OPERATION_COMPUTE || span->outcome != LS_OUTCOME_DONE) continue;
    for (uint64_t j = 0; j < span->units && count <= most; j++, count++) {
      if (count < most) seconds[count] = (span->end_s - span->start_s) / (double)span->units;
    }
  }
  return count;
}

enum ls_status ls_eer_crew_of(const struct ls_timeline *timeline, struct ls_eer_crew *crew,
                              struct ls_error *err) {
  double tasks[CREW_TASKS_MAX];
  struct ls_eer_point points[CREW_TASKS_MAX];
  size_t count = gather_tasks(timeline, tasks, CREW_TASKS_MAX);
  if (count == 0 || count > CREW_TASKS_MAX) {
    *crew = (struct ls_eer_crew){0};
    return LS_OK;
  }
  struct ls_list_setup setup = {.work = tasks, .tasks = count, .workers = count};
  enum ls_status status = ls_eer_curve(&setup, points, err);
  if (status != LS_OK) return status;
  size_t perfect = ls_eer_perfect(points, count), first = perfect, last = perfect;
  while (first > 0 && ls_eer_is_ideal(&points[first - 1], &points[perfect])) first--;
  while (last + 1 < count && ls_eer_is_ideal(&points[last + 1], &points[perfect])) last++;
  *crew = (struct ls_eer_crew){.perfect = points[perfect].workers,
                               .ideal_from = points[first].workers,
                               .ideal_to = points[last].workers,
                               .asp = ls_task_asp(tasks, count)};
  return LS_OK;
}
