/* makespan_fit.c: costs whose replays last as long as the runs did.
 *
 * Reference:  D. Marquardt, An algorithm for least-squares estimation of nonlinear parameters,
 *             1963.
 * Assumes:    a makespan is a sum of costs along the chain of chunks that ends last, so it is
 *             linear in the costs until another chain does.
 * Answers:    the best of several starts around the given costs, since where chains change there
 *             are valleys that hold a search.
 * Cost:       a replay of each run for an evaluation; five evaluations a step.
 */
#include "advise/makespan_fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/replay_asked.h"

enum { TRANSFER_LATENCY, TRANSFER_RATE, COMPUTE_LATENCY, COMPUTE_FACTOR, NUMBERS };
enum { STARTS = 1 + 2 * NUMBERS };

/* In the scales of the numbers: how far apart starts are, and the step of a derivative. */
static const double APART = 0.2, SMALL = 1e-6, MOST = 10;
static const double DAMPING_FIRST = 1e-3, DAMPING_MOST = 1e9, GAIN_LEAST = 1e-6;
/* Of equally good costs, those nearest to where the search began. */
static const double NEARNESS = 1e-9;

struct search {
  const struct ls_makespan_runs *runs;
  const struct ls_makespan_limits *limits;
  struct ls_platform *platform;  /* its costs are those of the point that is looked at */
  struct ls_worker_model *given; /* as they were */
  double scales[NUMBERS], least[NUMBERS];
  uint64_t evaluations;
  double *slopes; /* of each run's residual: [run * NUMBERS + number] */
  double *moved;  /* residuals beside the point */
};

/* A point of the search, in scales: 0 is the platform as it was. */
struct point {
  double numbers[NUMBERS];
  double *residuals; /* log(predicted / happened) of each run */
  double cost;
};

static void set_costs(const struct search *search, const double *numbers) {
  double moves[NUMBERS];
  for (size_t i = 0; i < NUMBERS; i++) moves[i] = numbers[i] * search->scales[i];
  for (size_t i = 0; i < search->platform->workers_count; i++) {
    struct ls_cost *transfer = &search->platform->workers[i].costs[LS_OPERATION_TRANSFER];
    struct ls_cost *compute = &search->platform->workers[i].costs[LS_OPERATION_COMPUTE];
    const struct ls_cost *costs = search->given[i].costs;
    transfer->latency_s = fmax(0, costs[LS_OPERATION_TRANSFER].latency_s + moves[TRANSFER_LATENCY]);
    transfer->per_unit_s = fmax(0, costs[LS_OPERATION_TRANSFER].per_unit_s + moves[TRANSFER_RATE]);
    compute->latency_s = fmax(0, costs[LS_OPERATION_COMPUTE].latency_s + moves[COMPUTE_LATENCY]);
    compute->per_unit_s = costs[LS_OPERATION_COMPUTE].per_unit_s * exp(moves[COMPUTE_FACTOR]);
  }
}

static enum ls_status find_residuals(struct search *search, const double *numbers,
                                     double *residuals, struct ls_error *err) {
  set_costs(search, numbers);
  search->evaluations++;
  for (size_t i = 0; i < search->runs->count; i++) {
    const struct ls_makespan_run *run = &search->runs->items[i];
    enum ls_status status = ls_replay_asked(run->plan, search->platform, run->asked_units, err);
    if (status != LS_OK) return status;
    residuals[i] = log(fmax(run->plan->makespan_s, 1e-9 * run->makespan_s) / run->makespan_s);
  }
  return LS_OK;
}

static double add_squares(const double *numbers, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i] * numbers[i];
  return sum;
}

static enum ls_status evaluate(struct search *search, struct point *point, struct ls_error *err) {
  enum ls_status status = find_residuals(search, point->numbers, point->residuals, err);
  if (status == LS_OK)
    point->cost = add_squares(point->residuals, search->runs->count) +
                  NEARNESS * add_squares(point->numbers, NUMBERS);
  return status;
}

static bool is_over(const struct search *search) {
  if (search->evaluations >= search->limits->evaluations) return true;
  return search->limits->stop != NULL && search->limits->stop(search->limits->context);
}

static enum ls_status find_slopes(struct search *search, const struct point *at,
                                  struct ls_error *err) {
  for (size_t j = 0; j < NUMBERS; j++) {
    double numbers[NUMBERS];
    memcpy(numbers, at->numbers, sizeof numbers);
    numbers[j] += SMALL;
    enum ls_status status = find_residuals(search, numbers, search->moved, err);
    if (status != LS_OK) return status;
    for (size_t i = 0; i < search->runs->count; i++)
      search->slopes[i * NUMBERS + j] = (search->moved[i] - at->residuals[i]) / SMALL;
  }
  return LS_OK;
}

/* Gauss's elimination with the largest pivot; the matrix is that of squares, damped. */
static void solve(double matrix[NUMBERS][NUMBERS + 1], double *solution) {
  for (size_t k = 0; k < NUMBERS; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < NUMBERS; i++)
      if (fabs(matrix[i][k]) > fabs(matrix[pivot][k])) pivot = i;
    for (size_t j = 0; j <= NUMBERS; j++) {
      double kept = matrix[k][j];
      matrix[k][j] = matrix[pivot][j];
      matrix[pivot][j] = kept;
    }
    for (size_t i = k + 1; i < NUMBERS; i++) {
      double factor = matrix[i][k] / matrix[k][k];
      for (size_t j = k; j <= NUMBERS; j++) matrix[i][j] -= factor * matrix[k][j];
    }
  }
  for (size_t k = NUMBERS; k-- > 0;) {
    solution[k] = matrix[k][NUMBERS];
    for (size_t j = k + 1; j < NUMBERS; j++) solution[k] -= matrix[k][j] * solution[j];
    solution[k] /= matrix[k][k];
  }
}

static void take_step(const struct search *search, const struct point *at, double damping,
                      struct point *next) {
  double matrix[NUMBERS][NUMBERS + 1] = {{0}}, step[NUMBERS];
  for (size_t i = 0; i < search->runs->count; i++) {
    const double *slopes = search->slopes + i * NUMBERS;
    for (size_t j = 0; j < NUMBERS; j++) {
      for (size_t k = 0; k < NUMBERS; k++) matrix[j][k] += slopes[j] * slopes[k];
      matrix[j][NUMBERS] -= slopes[j] * at->residuals[i];
    }
  }
  for (size_t j = 0; j < NUMBERS; j++) {
    matrix[j][NUMBERS] -= NEARNESS * at->numbers[j];
    matrix[j][j] += NEARNESS + damping * (matrix[j][j] + 1e-6);
  }
  solve(matrix, step);
  /* Below its least number no cost changes any more; far away nothing is near the truth. */
  for (size_t j = 0; j < NUMBERS; j++)
    next->numbers[j] = fmin(fmax(at->numbers[j] + step[j], search->least[j]), MOST);
}

static void copy_point(const struct search *search, const struct point *from, struct point *to) {
  memcpy(to->numbers, from->numbers, sizeof to->numbers);
  memcpy(to->residuals, from->residuals, search->runs->count * sizeof *to->residuals);
  to->cost = from->cost;
}

/* Down from one start. */
static enum ls_status descend(struct search *search, struct point *at, struct point *next,
                              struct ls_error *err) {
  double damping = DAMPING_FIRST;
  while (damping < DAMPING_MOST && !is_over(search)) {
    enum ls_status status = find_slopes(search, at, err);
    bool is_better = false;
    double before = at->cost;
    while (status == LS_OK && !is_better && damping < DAMPING_MOST && !is_over(search)) {
      take_step(search, at, damping, next);
      status = evaluate(search, next, err);
      is_better = next->cost < at->cost;
      damping *= is_better ? 0.2 : 4;
    }
    if (status != LS_OK) return status;
    if (is_better) copy_point(search, next, at);
    if (before - at->cost <= GAIN_LEAST * before) break;
  }
  return LS_OK;
}

/* The given costs, and beside them one number after another a step up and down. */
static void choose_start(const struct search *search, size_t start, struct point *point) {
  memset(point->numbers, 0, sizeof point->numbers);
  if (start == 0) return;
  size_t number = (start - 1) / 2;
  double step = start % 2 == 1 ? APART : -APART;
  point->numbers[number] = fmax(step, search->least[number]);
}

static enum ls_status walk(struct search *search, struct point *points, struct ls_makespan_fit *fit,
                           struct ls_error *err) {
  struct point *best = &points[0], *at = &points[1], *next = &points[2];
  enum ls_status status = evaluate(search, best, err);
  double count = (double)search->runs->count;
  if (status != LS_OK) return status;
  fit->error_before = sqrt(add_squares(best->residuals, search->runs->count) / count);
  for (size_t start = 0; start < STARTS && status == LS_OK && !is_over(search); start++) {
    choose_start(search, start, at);
    status = evaluate(search, at, err);
    if (status == LS_OK) status = descend(search, at, next, err);
    if (status == LS_OK && at->cost < best->cost) copy_point(search, at, best);
  }
  fit->is_stopped = is_over(search);
  fit->error_after = sqrt(add_squares(best->residuals, search->runs->count) / count);
  fit->transfer_latency_s = best->numbers[TRANSFER_LATENCY] * search->scales[TRANSFER_LATENCY];
  fit->transfer_per_unit_s = best->numbers[TRANSFER_RATE] * search->scales[TRANSFER_RATE];
  fit->compute_latency_s = best->numbers[COMPUTE_LATENCY] * search->scales[COMPUTE_LATENCY];
  fit->compute_factor = exp(best->numbers[COMPUTE_FACTOR]);
  fit->evaluations = search->evaluations;
  set_costs(search, best->numbers);
  return status;
}

/* What a number of 1 means: the mean seconds of a chunk, or of a unit, at the workers together. */
static void choose_scales(struct search *search) {
  double seconds = 0, chunks = 0, units = 0, workers = (double)search->platform->workers_count;
  double most[NUMBERS] = {0};
  for (size_t i = 0; i < search->runs->count; i++) {
    const struct ls_makespan_run *run = &search->runs->items[i];
    seconds += run->makespan_s * workers;
    chunks += (double)run->plan->chunks_count;
    units += run->plan->load;
  }
  search->scales[TRANSFER_LATENCY] = search->scales[COMPUTE_LATENCY] = seconds / chunks;
  /* The workers share the network: a unit may take it a p-th of the time that it takes one. */
  search->scales[TRANSFER_RATE] = seconds / units / workers;
  search->scales[COMPUTE_FACTOR] = 1;
  for (size_t i = 0; i < search->platform->workers_count; i++) {
    const struct ls_cost *costs = search->given[i].costs;
    most[TRANSFER_LATENCY] = fmax(most[TRANSFER_LATENCY], costs[LS_OPERATION_TRANSFER].latency_s);
    most[TRANSFER_RATE] = fmax(most[TRANSFER_RATE], costs[LS_OPERATION_TRANSFER].per_unit_s);
    most[COMPUTE_LATENCY] = fmax(most[COMPUTE_LATENCY], costs[LS_OPERATION_COMPUTE].latency_s);
  }
  for (size_t j = 0; j < NUMBERS; j++) search->least[j] = -most[j] / search->scales[j];
  search->least[COMPUTE_FACTOR] = -MOST;
}

static enum ls_status check_runs(const struct ls_makespan_runs *runs, struct ls_error *err) {
  if (runs->count == 0) return ls_fail(err, LS_EINVAL, "there is no run to fit makespans to");
  for (size_t i = 0; i < runs->count; i++) {
    const struct ls_makespan_run *run = &runs->items[i];
    if (!(run->makespan_s > 0 && isfinite(run->makespan_s)))
      return ls_fail(err, LS_EINVAL, "run %zu: makespan is %g, expected seconds > 0", i,
                     run->makespan_s);
    if (run->plan->chunks_count == 0) return ls_fail(err, LS_EINVAL, "run %zu: has no chunks", i);
  }
  return LS_OK;
}

enum ls_status ls_makespan_fit(const struct ls_makespan_runs *runs,
                               const struct ls_makespan_limits *limits,
                               struct ls_platform *platform, struct ls_makespan_fit *fit,
                               struct ls_error *err) {
  enum ls_status status = check_runs(runs, err);
  if (status != LS_OK) return status;
  size_t bytes = platform->workers_count * sizeof *platform->workers, count = runs->count;
  struct search search = {
      .runs = runs, .limits = limits, .platform = platform, .given = malloc(bytes)};
  double *residuals = calloc(count * (4 + NUMBERS), sizeof *residuals);
  if (search.given == NULL || residuals == NULL) {
    free(search.given);
    free(residuals);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", platform->workers_count);
  }
  struct point points[] = {{.residuals = residuals},
                           {.residuals = residuals + count},
                           {.residuals = residuals + 2 * count}};
  search.moved = residuals + 3 * count;
  search.slopes = residuals + 4 * count;
  memcpy(search.given, platform->workers, bytes);
  choose_scales(&search);
  struct ls_makespan_fit made = {.compute_factor = 1};
  status = walk(&search, points, &made, err);
  if (status == LS_OK)
    *fit = made;
  else
    memcpy(platform->workers, search.given, bytes);
  free(search.given);
  free(residuals);
  return status;
}
