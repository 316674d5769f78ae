/* auto_replication.c: no, single or complete replication, and the number of extra workers.
 *
 * Reference:  heymann2001, chapter 5 (docs/theory/adaptive.md, 5); the choice is ours.
 * Assumes:    losses that come at a constant rate; tasks that take about what they took before.
 * Answers:    in front of an iteration the extra workers X, 0 .. 3 and no more than there may be,
 *             and 0, 1 or X replicas, for which the expected worsening in time plus
 *             `efficiency_weight` times that in efficiency is least, against the same workers
 *             without extra ones and losses.  A choice is held unless another one saves two points
 *             in the mean over the iterations since, and more than chance makes (Student, 95 %).
 *             Where the times of tasks are not known, or nothing can be kept: all extra workers,
 *             no replicas.  At the end of an iteration a replica of a running task where the
 *             seconds that it is expected to save exceed those that it is expected to run, times
 *             `efficiency_weight` / n: n workers lose so much of their efficiency by it.
 * Cost:       O(9 K n^2 T) in front of an iteration, bounded by WORK_MAX.
 * Symbols:    X -> extra, K -> midpoints, NR, SR, CR -> 0, 1, X replicas, lambda -> loss_rate.
 */
#include <math.h>

#include "base/student.h"
#include "policies/outlook.h"
#include "policies/replication.h"
#include "theory/loss.h"

enum { MIDPOINTS_MAX = 40, MIDPOINTS_LEAST = 4 };
enum { WORK_USUAL = 20000000, WORK_MAX = 80000000 };
static const double SAVING_LEAST = 2, CONFIDENCE = 0.95; /* points */

static const struct ls_parameter auto_parameters[] = {
    {"efficiency_weight", "per cent of time that a per cent of efficiency is worth",
     LS_PARAMETER_REAL, 0.5, 0, 1e6, NULL},
    {0}};

static const struct candidate {
  size_t extra, replicas;
} candidates[LS_REPLICATION_CANDIDATES] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1},
                                           {2, 2}, {3, 0}, {3, 1}, {3, 3}};

/* Time plus weighted efficiency, in per cent; a worker is lost with the probability that the rate
 * gives while an iteration without losses lasts. */
static enum ls_status score(const struct ls_replication_view *view, struct ls_loss_study *study,
                            double *points) {
  struct ls_worsening lost, spared;
  double total_s = 0, largest_s = 0;
  for (size_t i = 0; i < study->tasks; i++) {
    total_s += study->work[i];
    largest_s = fmax(largest_s, study->work[i]);
  }
  double lasts_s = fmax(largest_s, total_s / (double)study->workers);
  double q = -expm1(-view->loss_rate * (double)(study->workers + study->extra) * lasts_s);
  double weight = ls_arguments_get(&view->arguments, auto_parameters, "efficiency_weight");
  enum ls_status status = ls_loss_expect(study, &lost, NULL);
  if (status == LS_OK) status = ls_loss_spared(study, &spared, NULL);
  if (status != LS_OK) return status;
  double lost_points = lost.time_percent + weight * lost.efficiency_percent;
  *points = (1 - q) * (spared.time_percent + weight * spared.efficiency_percent);
  if (q > 0) *points += q * lost_points;
  return LS_OK;
}

/* Instants of loss that all candidates can afford; 0: too few. */
static size_t afford_midpoints(const struct ls_replication_view *view, size_t most) {
  double workers = (double)(view->workers_wanted + most);
  double work = LS_REPLICATION_CANDIDATES * workers * workers * (double)view->units;
  if (!(work * MIDPOINTS_LEAST <= WORK_MAX)) return 0;
  return (size_t)fmin(MIDPOINTS_MAX, fmax(MIDPOINTS_LEAST, floor(WORK_USUAL / work)));
}

static bool is_open(size_t candidate, size_t most) {
  return candidates[candidate].extra <= most;
}

/* All extra workers, and no replicas. */
static size_t find_plain(size_t most) {
  size_t plain = 0;
  for (size_t i = 0; i < LS_REPLICATION_CANDIDATES; i++)
    if (candidates[i].replicas == 0 && is_open(i, most)) plain = i;
  return plain;
}

static enum ls_status score_all(const struct ls_replication_view *view, size_t most,
                                double points[LS_REPLICATION_CANDIDATES]) {
  struct ls_loss_study study = {.work = view->seconds,
                                .tasks = (size_t)view->units,
                                .workers = view->workers_wanted,
                                .midpoints = afford_midpoints(view, most)};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < LS_REPLICATION_CANDIDATES && status == LS_OK; i++) {
    points[i] = (double)INFINITY;
    if (!is_open(i, most)) continue;
    study.extra = candidates[i].extra;
    study.replicas = candidates[i].replicas;
    status = score(view, &study, &points[i]);
  }
  return status;
}

/* Does the candidate save enough, and more than chance makes? */
static bool is_better(const struct ls_moments *saved) {
  if (saved->count < 2 || !(saved->mean >= SAVING_LEAST)) return false;
  double error = ls_moments_deviation(saved) / sqrt((double)saved->count);
  return saved->mean > ls_student_quantile(CONFIDENCE, saved->count - 1) * error;
}

static size_t find_least(const double *values) {
  size_t least = 0;
  for (size_t i = 1; i < LS_REPLICATION_CANDIDATES; i++)
    if (values[i] < values[least] - 1e-9) least = i;
  return least;
}

static void hold(struct ls_replication_memory *memory, size_t candidate) {
  *memory = (struct ls_replication_memory){.is_chosen = true, .chosen = candidate};
}

static void choose(struct ls_replication_memory *memory, const double *points, size_t most) {
  /* Where it may have no end, a choice is not held either. */
  if (!memory->is_chosen || !is_open(memory->chosen, most) || !isfinite(points[memory->chosen])) {
    hold(memory, find_least(points));
    return;
  }
  size_t best = memory->chosen;
  double most_saved = 0;
  for (size_t i = 0; i < LS_REPLICATION_CANDIDATES; i++) {
    struct ls_moments *saved = &memory->saved[i];
    if (i == memory->chosen || !is_open(i, most)) continue;
    /* Where the only worker may be lost, it cannot be better, and there is no mean. */
    if (!isfinite(points[i])) {
      *saved = (struct ls_moments){0};
      continue;
    }
    ls_moments_add(saved, points[memory->chosen] - points[i]);
    if (!is_better(saved) || !(saved->mean > most_saved)) continue;
    most_saved = saved->mean;
    best = i;
  }
  if (best != memory->chosen) hold(memory, best);
}

static size_t choose_extra(const struct ls_replication_view *view, size_t most) {
  struct ls_replication_memory *memory = view->memory;
  double points[LS_REPLICATION_CANDIDATES];
  if (memory == NULL) return candidates[find_plain(most)].extra;
  memory->is_known = false;
  bool is_known = view->seconds != NULL && view->units > 0 && view->workers_wanted > 0 &&
                  afford_midpoints(view, most) > 0;
  if (!is_known) return candidates[find_plain(most)].extra;
  if (score_all(view, most, points) != LS_OK) return LS_EXTRA_NO_MEMORY;
  choose(memory, points, most);
  memory->is_known = true;
  return candidates[memory->chosen].extra;
}

static uint64_t replicate_chosen(const struct ls_replication_view *view) {
  if (view->memory == NULL || !view->memory->is_known) return 0;
  if (view->workers_present <= view->workers_wanted) return 0;
  uint64_t replicas = candidates[view->memory->chosen].replicas;
  return replicas < view->units ? replicas : view->units;
}

static double weigh_replica(const struct ls_replica_facts *facts) {
  double weight = ls_arguments_get(&facts->arguments, auto_parameters, "efficiency_weight");
  return ls_outlook_worth(facts, weight / fmax(1, (double)facts->workers));
}

const struct ls_replication ls_replication_auto = {
    .name = "auto",
    .summary =
        "none, single or complete, extra workers, and replicas of running tasks by expectation",
    .reference = "ours, after Heymann 2001",
    .parameters = auto_parameters,
    .learns = true,
    .replicas = replicate_chosen,
    .extra = choose_extra,
    .worth = weigh_replica,
    .weigh_again_s = ls_outlook_next_s,
    .is_dear = true,
};
