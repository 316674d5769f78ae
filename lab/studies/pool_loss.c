/* pool_loss.c: Table 5-3 of the thesis: cycles of ten tasks of a ray tracer on seven workers, one
 * of which is lost in a cycle with a given probability and back in the next one; without an extra
 * worker, with one, and with one and a replica.
 *
 * Expected are exact means over the worker and the time of the loss (docs/theory/adaptive.md, 5).
 * The print's own figures have the restart of the worker in them, and its losing replica is waited
 * for; ours is cancelled.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/side_by_side.h"
#include "lab/studies/study.h"
#include "theory/loss.h"

enum { TASKS = 10, WORKERS = 7, MIDPOINTS = 40, PROBABILITIES = 3, STRATEGIES = 3 };
enum { TIME, EFFICIENCY, FIGURES };
enum { NO_EXTRA, NO_REPLICA, REPLICA };

static const double task_seconds[TASKS] = {56, 46, 40, 35, 31, 28, 26, 24, 22, 21};
static const double probabilities[PROBABILITIES] = {0.2, 0.5, 0.9};
static const char *const figure_names[FIGURES] = {"time", "efficiency"};
static const struct strategy {
  const char *name;
  size_t extra, replicas;
} strategies[STRATEGIES] = {{"NR+0", 0, 0}, {"NR+1", 1, 0}, {"CR+1", 1, 1}};

/* Worsening in per cent: as printed, and as docs/theory/pool.md, 1 has the expectation. */
static const double printed[FIGURES][STRATEGIES][PROBABILITIES] = {
    {{6.45, 16.73, 27.92}, {3.41, 8.42, 15.77}, {7.47, 10.24, 17.02}},
    {{1.6, 7.64, 12.27}, {10.63, 14.01, 18.23}, {16.69, 16.26, 19.74}}};
static const double specified[FIGURES][STRATEGIES][PROBABILITIES] = {
    {{4.1, 10.4, 18.7}, {2.8, 7.1, 12.8}, {2.1, 5.2, 9.4}},
    {{1.5, 3.7, 6.6}, {13.1, 13.9, 15.0}, {12.8, 13.3, 13.9}}};
/* Half of the last digit; what is measured, in points (docs/theory/pool.md, 1). */
static const double HALF_DIGIT = 0.05, MEASURED_NEAR = 3;

enum { ROWS = STRATEGIES * PROBABILITIES * FIGURES };

static const char WITH_RESTARTS[] =
    "the print has the restart of the lost worker in it, and waits for losing replicas";

/* Worsening with a loss (A) and without (B). */
struct worsening {
  double lost[FIGURES], spared[FIGURES];
};

static enum ls_status find_worsening(const struct strategy *strategy, size_t midpoints,
                                     struct worsening *worsening, struct ls_error *err) {
  struct ls_loss_study study = {.work = task_seconds,
                                .tasks = TASKS,
                                .workers = WORKERS,
                                .extra = strategy->extra,
                                .replicas = strategy->replicas,
                                .midpoints = midpoints};
  struct ls_worsening lost, spared;
  enum ls_status status = ls_loss_expect(&study, &lost, err);
  if (status == LS_OK) status = ls_loss_spared(&study, &spared, err);
  if (status != LS_OK) return status;
  *worsening = (struct worsening){{lost.time_percent, lost.efficiency_percent},
                                  {spared.time_percent, spared.efficiency_percent}};
  return LS_OK;
}

static size_t find_index(size_t strategy, size_t probability, size_t figure) {
  return (strategy * PROBABILITIES + probability) * FIGURES + figure;
}

static void fill_rows(size_t strategy, const struct worsening *worsening, bool is_all,
                      struct ls_study_beside *rows) {
  for (size_t k = 0; k < PROBABILITIES; k++) {
    for (size_t f = 0; f < FIGURES; f++) {
      struct ls_study_beside *row = &rows[find_index(strategy, k, f)];
      double q = probabilities[k];
      (void)snprintf(row->name, sizeof row->name, "%s, a loss in %.0f %%: %s, %%",
                     strategies[strategy].name, 100 * q, figure_names[f]);
      row->printed = printed[f][strategy][k];
      row->specified = specified[f][strategy][k];
      row->near = is_all ? HALF_DIGIT : (double)NAN;
      row->expected = q * worsening->lost[f] + (1 - q) * worsening->spared[f];
      row->tolerance = MEASURED_NEAR;
    }
  }
}

/* "Using an extra machine significantly reduces the worsening percentage for execution time"; and
 * the replica gains where its loser is not waited for. */
static void compare_strategies(const struct ls_study_beside *rows, struct ls_study_report *report) {
  for (size_t k = 0; k < PROBABILITIES; k++) {
    const struct ls_study_beside *none = &rows[find_index(NO_EXTRA, k, TIME)];
    const struct ls_study_beside *extra = &rows[find_index(NO_REPLICA, k, TIME)];
    const struct ls_study_beside *replica = &rows[find_index(REPLICA, k, TIME)];
    char name[96];
    (void)snprintf(name, sizeof name, "a loss in %.0f %%: time of NR+0 less NR+1, points",
                   100 * probabilities[k]);
    ls_study_compare(report, name, ls_study_at_least(LS_STUDY_PRINTED, 0),
                     none->expected - extra->expected);
    (void)snprintf(name, sizeof name, "a loss in %.0f %%: time of NR+1 less CR+1, points",
                   100 * probabilities[k]);
    ls_study_compare(report, name, ls_study_at_least(LS_STUDY_SPECIFIED, 0),
                     extra->expected - replica->expected);
    if (isnan(extra->measured) || isnan(replica->measured)) continue;
    (void)snprintf(name, sizeof name, "a loss in %.0f %%: time of NR+1 less CR+1, measured, points",
                   100 * probabilities[k]);
    ls_study_compare(report, name, ls_study_at_least(LS_STUDY_SPECIFIED, 0),
                     extra->measured - replica->measured);
  }
}

static enum ls_status run_loss(const struct ls_study_options *options,
                               struct ls_study_report *report, struct ls_error *err) {
  struct ls_study_beside rows[ROWS] = {0};
  bool is_all = options->sample == 0 || options->sample >= MIDPOINTS;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < STRATEGIES && status == LS_OK; i++) {
    struct worsening worsening;
    status = find_worsening(&strategies[i], is_all ? MIDPOINTS : (size_t)options->sample,
                            &worsening, err);
    if (status == LS_OK) fill_rows(i, &worsening, is_all, rows);
  }
  if (status == LS_OK) status = ls_study_beside_read(options->measured, rows, ROWS, err);
  if (status != LS_OK) return status;
  ls_study_print(report,
                 "Worsening in %% against %d workers without a loss: no replication (NR) with 0 "
                 "and 1 extra worker,\ncomplete replication (CR) with 1.\n\n",
                 WORKERS);
  ls_study_beside_report(rows, ROWS, WITH_RESTARTS, report);
  compare_strategies(rows, report);
  return LS_OK;
}

const struct ls_study ls_study_pool_loss = {
    .name = "pool-loss",
    .summary = "ten tasks on seven workers, one of which is lost: printed, expected, and measured",
    .reference = "heymann2001, Table 5-3",
    .takes_measured = true,
    .run = run_loss,
};
