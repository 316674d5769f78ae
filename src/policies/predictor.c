/* predictor.c: predictors of task times and the choice among them.
 *
 * Reference:  heymann2001, chapter 3 ("Random & Average" uses the mean) and its future work; the
 *             choice is ours.
 * Assumes:    that a task keeps its number from one iteration to the next.
 * Answers:    for each predictor the mean absolute relative error over the last 5 iterations; the
 *             least one is used, another only when it is 2 % better.
 * Cost:       O(T log T) for an iteration of T tasks, for the ranks; O(1) for a prediction.
 * Symbols:    K -> recent, a -> smoothing.
 */
#include "policies/predictor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static const double BETTER = 0.98;
enum { RECENT_DEFAULT = 3 };
static const double SMOOTHING_DEFAULT = 0.3;

const char *const ls_predictor_names[] = {
    [LS_PREDICTOR_MEAN] = "mean",
    [LS_PREDICTOR_LAST] = "last",
    [LS_PREDICTOR_MEAN_LAST] = "mean-last",
    [LS_PREDICTOR_SMOOTH] = "smooth",
    [LS_PREDICTOR_RANK] = "rank",
    [LS_PREDICTOR_CHOSEN] = "chosen",
    NULL,
};

struct record {
  double observed; /* in the present iteration; NAN: not yet */
  uint64_t count;
  double mean, last, smooth;
  double recent[LS_PREDICTOR_RECENT_MAX]; /* ring: value number i at i mod K */
  double mean_rank;                       /* 0: the shortest, 1: the longest */
};

struct ranked {
  double seconds;
  uint64_t task;
};

struct ls_task_history {
  struct ls_task_history_setup setup;
  struct record *records;
  size_t tasks, capacity;
  struct ranked *sorted; /* the last iteration's times, ascending; room for all tasks */
  size_t sorted_count, sorted_capacity;
  uint64_t iterations;
  double errors[LS_PREDICTORS][LS_PREDICTOR_WINDOW];
  uint64_t errors_count; /* iterations with errors */
  enum ls_predictor_kind chosen;
};

enum ls_status ls_task_history_create(const struct ls_task_history_setup *setup,
                                      struct ls_task_history **out, struct ls_error *err) {
  struct ls_task_history_setup made = *setup;
  if (made.recent == 0) made.recent = RECENT_DEFAULT;
  if (!(made.smoothing < 0 || made.smoothing > 0)) made.smoothing = SMOOTHING_DEFAULT;
  if (made.recent > LS_PREDICTOR_RECENT_MAX) {
    return ls_fail(err, LS_EINVAL, "recent is %zu, must be 1 to %d", made.recent,
                   LS_PREDICTOR_RECENT_MAX);
  }
  if (!(made.smoothing > 0 && made.smoothing <= 1)) {
    return ls_fail(err, LS_EINVAL, "smoothing is %g, must be > 0 and <= 1", made.smoothing);
  }
  struct ls_task_history *history = calloc(1, sizeof *history);
  if (history == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a history of tasks");
  history->setup = made;
  history->chosen = LS_PREDICTOR_MEAN;
  *out = history;
  return LS_OK;
}

void ls_task_history_destroy(struct ls_task_history *history) {
  if (history == NULL) return;
  free(history->records);
  free(history->sorted);
  free(history);
}

enum ls_status ls_task_history_reserve(struct ls_task_history *history, uint64_t tasks,
                                       struct ls_error *err) {
  void *records = history->records, *sorted = history->sorted;
  if (tasks <= history->tasks) return LS_OK;
  enum ls_status status =
      ls_array_reserve(&records, &history->capacity, (size_t)tasks, sizeof *history->records);
  history->records = records;
  if (status == LS_OK) {
    status = ls_array_reserve(&sorted, &history->sorted_capacity, (size_t)tasks,
                              sizeof *history->sorted);
    history->sorted = sorted;
  }
  if (status != LS_OK) {
    return ls_fail(err, status, "no memory for the history of %llu tasks",
                   (unsigned long long)tasks);
  }
  while (history->tasks < tasks) {
    history->records[history->tasks++] = (struct record){.observed = (double)NAN};
  }
  return LS_OK;
}

void ls_task_history_observe(struct ls_task_history *history, uint64_t task, double seconds) {
  if (task >= history->tasks || !(seconds >= 0) || !isfinite(seconds)) return;
  history->records[task].observed = seconds;
}

static double average_recent(const struct record *record, size_t recent) {
  size_t count = record->count < recent ? (size_t)record->count : recent;
  double mean = 0;
  /* Kept as a running mean, which is exact for equal values. */
  for (size_t i = 0; i < count; i++) mean += (record->recent[i] - mean) / ((double)i + 1);
  return mean;
}

static double read_rank(const struct ls_task_history *history, const struct record *record) {
  assert(history->sorted_count > 0);
  double place = record->mean_rank * ((double)history->sorted_count - 1);
  size_t below = (size_t)floor(place);
  if (below + 1 >= history->sorted_count) return history->sorted[history->sorted_count - 1].seconds;
  double low = history->sorted[below].seconds, high = history->sorted[below + 1].seconds;
  return low + (place - (double)below) * (high - low);
}

double ls_task_history_predict(const struct ls_task_history *history, enum ls_predictor_kind kind,
                               uint64_t task) {
  if (task >= history->tasks || history->records[task].count == 0) return (double)NAN;
  const struct record *record = &history->records[task];
  if (kind == LS_PREDICTOR_CHOSEN) kind = history->chosen;
  switch (kind) {
    case LS_PREDICTOR_LAST:
      return record->last;
    case LS_PREDICTOR_MEAN_LAST:
      return average_recent(record, history->setup.recent);
    case LS_PREDICTOR_SMOOTH:
      return record->smooth;
    case LS_PREDICTOR_RANK:
      return read_rank(history, record);
    default:
      return record->mean;
  }
}

bool ls_task_history_is_empty(const struct ls_task_history *history) {
  return history->iterations == 0;
}

enum ls_predictor_kind ls_task_history_chosen(const struct ls_task_history *history) {
  return history->chosen;
}

/* The mean relative error of each predictor over the observed times; false: it predicted nothing.
 */
static bool measure_errors(const struct ls_task_history *history, double errors[LS_PREDICTORS]) {
  uint64_t compared = 0;
  for (int kind = 0; kind < LS_PREDICTORS; kind++) errors[kind] = 0;
  for (size_t i = 0; i < history->tasks; i++) {
    const struct record *record = &history->records[i];
    if (isnan(record->observed) || record->count == 0 || !(record->observed > 0)) continue;
    compared++;
    for (int kind = 0; kind < LS_PREDICTORS; kind++) {
      double predicted = ls_task_history_predict(history, (enum ls_predictor_kind)kind, i);
      errors[kind] += fabs(predicted - record->observed) / record->observed;
    }
  }
  for (int kind = 0; kind < LS_PREDICTORS && compared > 0; kind++) {
    errors[kind] /= (double)compared;
  }
  return compared > 0;
}

static double average_error(const struct ls_task_history *history, int kind) {
  uint64_t count =
      history->errors_count < LS_PREDICTOR_WINDOW ? history->errors_count : LS_PREDICTOR_WINDOW;
  double sum = 0;
  assert(count > 0);
  for (uint64_t i = 0; i < count; i++) sum += history->errors[kind][i];
  return sum / (double)count;
}

static void choose(struct ls_task_history *history) {
  double errors[LS_PREDICTORS];
  if (!measure_errors(history, errors)) return;
  uint64_t place = history->errors_count++ % LS_PREDICTOR_WINDOW;
  for (int kind = 0; kind < LS_PREDICTORS; kind++) history->errors[kind][place] = errors[kind];
  int best = (int)history->chosen;
  double least = average_error(history, best) * BETTER;
  for (int kind = 0; kind < LS_PREDICTORS; kind++) {
    double error = average_error(history, kind);
    if (error < least) {
      least = error;
      best = kind;
    }
  }
  history->chosen = (enum ls_predictor_kind)best;
}

static int compare_ranked(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  if (a->seconds < b->seconds) return -1;
  if (a->seconds > b->seconds) return 1;
  return a->task < b->task ? -1 : a->task > b->task;
}

static void rank(struct ls_task_history *history) {
  history->sorted_count = 0;
  for (size_t i = 0; i < history->tasks; i++) {
    double seconds = history->records[i].observed;
    if (isnan(seconds)) continue;
    history->sorted[history->sorted_count++] = (struct ranked){seconds, i};
  }
  qsort(history->sorted, history->sorted_count, sizeof *history->sorted, compare_ranked);
}

static void learn(struct ls_task_history *history, const struct ranked *ranked, size_t place) {
  struct record *record = &history->records[ranked->task];
  double seconds = ranked->seconds;
  double places = (double)history->sorted_count - 1;
  double rank = places > 0 ? (double)place / places : 1;
  record->recent[record->count % history->setup.recent] = seconds;
  record->smooth = record->count == 0
                       ? seconds
                       : record->smooth + history->setup.smoothing * (seconds - record->smooth);
  record->count++;
  record->mean += (seconds - record->mean) / (double)record->count;
  record->mean_rank += (rank - record->mean_rank) / (double)record->count;
  record->last = seconds;
  record->observed = (double)NAN;
}

void ls_task_history_close_iteration(struct ls_task_history *history) {
  bool has_observed = false;
  for (size_t i = 0; i < history->tasks && !has_observed; i++) {
    has_observed = !isnan(history->records[i].observed);
  }
  if (!has_observed) return;
  if (history->iterations > 0) choose(history);
  rank(history);
  for (size_t i = 0; i < history->sorted_count; i++) learn(history, &history->sorted[i], i);
  history->iterations++;
}
