/* adaptive_predictors.c: what the predictors of a task's next time are worth to the order of the
 * tasks, in four situations (docs/theory/adaptive.md, 6).
 *
 * A case is a workload of 30 tasks that all differ, with a share of the large ones of 30 to 90 %,
 * and a seed; its figure is the sum of the makespans over that of `lptf`, which knows the times.
 * The first iteration, which is random for all, does not count.  That section does not say
 * for which workload its ratios hold, so they are shown; those of an independent computation with
 * the workloads of this study are judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "lab/studies/batches.h"
#include "lab/studies/study.h"
#include "runtime/os/parallel_map.h"
#include "theory/eer.h"
#include "theory/workload.h"

enum { TASKS = 30, ITERATIONS = 35, SEEDS = 30, SHARES = 7, SITUATIONS = 4 };
enum { PREDICTORS = LS_PREDICTORS + 1 }; /* and the choice among them */

/* The most that the choice may lose against the best single predictor, per cent. */
static const double CHOSEN_LOSS_MAX = 0.3;
/* A mean is off by more than four times its deviation once in 16,000 times. */
static const double NOISES = 4;
static const char UNKNOWN_LOAD[] = "docs/theory/adaptive.md, 6, does not say with which workload";

static const struct situation {
  const char *name;
  double deviation;
  bool is_falling; /* half of the tasks fall 5 % an iteration */
  bool has_step;   /* a third of the tasks takes three times as long from the middle on */
  double specified[PREDICTORS]; /* 0: none */
  struct recomputed {
    double mean, deviation;             /* deviation: of a mean over all cases of this study */
  } recomputed[PREDICTORS], work_ratio; /* of 96 independent computations; 0: none */
} situations[SITUATIONS] = {
    {"noise of 0.3",
     0.3,
     false,
     false,
     {[LS_PREDICTOR_MEAN] = 1.0008, [LS_PREDICTOR_LAST] = 1.0045, [LS_PREDICTOR_CHOSEN] = 1.0008},
     {[LS_PREDICTOR_MEAN] = {1.00032, 0.00008},
      [LS_PREDICTOR_LAST] = {1.00440, 0.00018},
      [LS_PREDICTOR_MEAN_LAST] = {1.00142, 0.00011},
      [LS_PREDICTOR_SMOOTH] = {1.00072, 0.00010}},
     {1, 0.0007}},
    {"noise of 0.6",
     0.6,
     false,
     false,
     {[LS_PREDICTOR_MEAN] = 1.0067, [LS_PREDICTOR_LAST] = 1.030, [LS_PREDICTOR_CHOSEN] = 1.0069},
     {[LS_PREDICTOR_MEAN] = {1.00556, 0.00023},
      [LS_PREDICTOR_LAST] = {1.02371, 0.00055},
      [LS_PREDICTOR_MEAN_LAST] = {1.01119, 0.00042},
      [LS_PREDICTOR_SMOOTH] = {1.00764, 0.00030}},
     {1, 0.0009}},
    {"half falling, 0.3",
     0.3,
     true,
     false,
     {[LS_PREDICTOR_MEAN] = 1.0016, [LS_PREDICTOR_SMOOTH] = 1.0009, [LS_PREDICTOR_CHOSEN] = 1.0009},
     {[LS_PREDICTOR_MEAN] = {1.00261, 0.00036},
      [LS_PREDICTOR_LAST] = {1.00248, 0.00028},
      [LS_PREDICTOR_MEAN_LAST] = {1.00135, 0.00018},
      [LS_PREDICTOR_SMOOTH] = {1.00134, 0.00017}},
     {0.73826, 0.0049}},
    {"a third threefold, 0.6",
     0.6,
     false,
     true,
     {[LS_PREDICTOR_MEAN] = 1.0076, [LS_PREDICTOR_SMOOTH] = 1.0057, [LS_PREDICTOR_CHOSEN] = 1.0062},
     {[LS_PREDICTOR_MEAN] = {1.00774, 0.00068},
      [LS_PREDICTOR_LAST] = {1.01473, 0.00094},
      [LS_PREDICTOR_MEAN_LAST] = {1.00729, 0.00051},
      [LS_PREDICTOR_SMOOTH] = {1.00557, 0.00041}},
     {1.34286, 0.0096}},
};

struct work {
  uint64_t seed;
  size_t seeds;
};

/* Of one case: makespans over that of lptf, and the work done over that of as many iterations
 * without noise, fall and step. */
struct part {
  double ratios[PREDICTORS], work;
};

struct scene {
  const struct situation *situation;
  struct ls_random random;
  double base[TASKS], actual[TASKS];
  bool is_changing[TASKS]; /* the half that falls, or the third that steps */
  size_t workers;
};

static enum ls_status set_scene(const struct work *work, size_t index, struct scene *scene,
                                struct ls_error *err) {
  size_t cases = SHARES * work->seeds;
  char stream[48];
  struct ls_workload workload = {TASKS, 30 + 10 * (double)(index % SHARES), true, true, 100};
  *scene = (struct scene){.situation = &situations[index / cases]};
  (void)snprintf(stream, sizeof stream, "predictors %zu", index);
  ls_random_init(&scene->random, work->seed, stream);
  uint64_t left = scene->situation->is_falling ? TASKS / 2 : TASKS / 3;
  for (uint64_t i = 0; i < TASKS; i++) {
    scene->is_changing[i] = ls_random_below(&scene->random, TASKS - i) < left;
    left -= scene->is_changing[i];
  }
  enum ls_status status = ls_workload_make(&workload, scene->base, err);
  if (status == LS_OK) scene->workers = (size_t)(ls_task_asp(scene->base, TASKS) + 0.5);
  return status;
}

static void draw_times(struct scene *scene, uint32_t iteration) {
  const struct situation *situation = scene->situation;
  bool is_later = situation->has_step && iteration >= ITERATIONS / 2;
  for (size_t i = 0; i < TASKS; i++) {
    double usual = scene->base[i];
    if (situation->is_falling && scene->is_changing[i]) usual *= pow(0.95, iteration);
    if (is_later && scene->is_changing[i]) usual *= 3;
    scene->actual[i] =
        ls_workload_vary(usual, situation->deviation, ls_random_real(&scene->random));
  }
}

/* Adds the makespans of the predictors and, as the last one, of lptf. */
static enum ls_status play_iteration(const struct scene *scene, const struct ls_ordering_view *view,
                                     double *spans, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t k = 0; k <= PREDICTORS && status == LS_OK; k++) {
    struct ls_study_order order = {"lptf", NULL};
    struct ls_list_schedule schedule = {0};
    if (k < PREDICTORS) order = (struct ls_study_order){"average", ls_predictor_names[k]};
    status = ls_study_batch(&order, view, scene->workers, &schedule, err);
    spans[k] += schedule.makespan_s;
  }
  return status;
}

static enum ls_status play_case(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct part *part = result;
  struct scene scene;
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  double spans[PREDICTORS + 1] = {0}, usual = 0, done = 0;
  enum ls_status status = set_scene(work, index, &scene, err);
  if (status == LS_OK) status = ls_task_history_create(&setup, &history, err);
  if (status == LS_OK) status = ls_task_history_reserve(history, TASKS, err);
  struct ls_ordering_view view = {.units = TASKS, .actual = scene.actual, .history = history};
  for (view.iteration = 0; view.iteration < ITERATIONS && status == LS_OK; view.iteration++) {
    draw_times(&scene, view.iteration);
    for (size_t i = 0; i < TASKS; i++) {
      usual += scene.base[i];
      done += scene.actual[i];
    }
    if (view.iteration > 0) status = play_iteration(&scene, &view, spans, err);
    for (size_t i = 0; i < TASKS; i++) ls_task_history_observe(history, i, scene.actual[i]);
    ls_task_history_close_iteration(history);
  }
  ls_task_history_destroy(history);
  for (size_t k = 0; k < PREDICTORS; k++) part->ratios[k] = spans[k] / spans[PREDICTORS];
  part->work = done / usual;
  return status;
}

static struct ls_study_expected expect_recomputed(const struct recomputed *recomputed,
                                                  bool is_judged) {
  return ls_study_judged_if(is_judged, ls_study_near(LS_STUDY_RECOMPUTED, recomputed->mean,
                                                     NOISES * recomputed->deviation));
}

/* One ratio, beside what the specification says of it and what the computation gave. */
static void compare_ratio(const struct situation *situation, size_t predictor, double ours,
                          bool is_judged, struct ls_study_report *report) {
  double specified = situation->specified[predictor];
  const struct recomputed *recomputed = &situation->recomputed[predictor];
  char name[96];
  (void)snprintf(name, sizeof name, "%s: %s", situation->name, ls_predictor_names[predictor]);
  if (specified > 0)
    ls_study_compare(report, name, ls_study_unjudged(LS_STUDY_SPECIFIED, specified, UNKNOWN_LOAD),
                     ours);
  if (recomputed->mean > 0)
    ls_study_compare(report, name, expect_recomputed(recomputed, is_judged), ours);
  if (!(specified > 0 || recomputed->mean > 0)) ls_study_show(report, name, ours);
}

static void report_situation(const struct situation *situation, const struct part *parts,
                             size_t cases, bool is_judged, struct ls_study_report *report) {
  double means[PREDICTORS], best = (double)INFINITY;
  char name[96];
  ls_study_print(report, "%-24s", situation->name);
  for (size_t k = 0; k < PREDICTORS; k++) {
    struct ls_moments moments = {0};
    for (size_t i = 0; i < cases; i++) ls_moments_add(&moments, parts[i].ratios[k]);
    means[k] = moments.mean;
    if (k != LS_PREDICTOR_CHOSEN) best = fmin(best, moments.mean);
    ls_study_print(report, " %9.4f", moments.mean);
    compare_ratio(situation, k, moments.mean, is_judged, report);
  }
  ls_study_print(report, "\n");
  struct ls_moments work = {0};
  for (size_t i = 0; i < cases; i++) ls_moments_add(&work, parts[i].work);
  (void)snprintf(name, sizeof name, "%s: work over the usual work", situation->name);
  ls_study_compare(report, name, expect_recomputed(&situation->work_ratio, is_judged), work.mean);
  double loss = 100 * (means[LS_PREDICTOR_CHOSEN] / best - 1);
  (void)snprintf(name, sizeof name, "%s: chosen over the best single one, %%", situation->name);
  ls_study_compare(
      report, name,
      ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_SPECIFIED, CHOSEN_LOSS_MAX)), loss);
}

/* Neither the order nor the choice begins with what the last iteration was. */
static enum ls_status judge_default(struct ls_study_report *report, struct ls_error *err) {
  const struct ls_ordering *average = ls_ordering_find("average");
  struct ls_arguments arguments;
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  enum ls_status status = ls_task_history_create(&setup, &history, err);
  if (status != LS_OK) return status;
  ls_arguments_init(&arguments, average->parameters);
  int own = (int)ls_arguments_get(&arguments, average->parameters, "predictor");
  bool is_last = own == LS_PREDICTOR_LAST || ls_task_history_chosen(history) == LS_PREDICTOR_LAST;
  ls_study_compare(report, "`last` is the default (0: no)", ls_study_near(LS_STUDY_SPECIFIED, 0, 0),
                   is_last);
  ls_task_history_destroy(history);
  return LS_OK;
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  struct work work = {options->seed, options->sample > 0 ? (size_t)options->sample : SEEDS};
  size_t cases = SHARES * work.seeds;
  struct part *parts = calloc(SITUATIONS * cases, sizeof *parts);
  if (parts == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu cases", cases);
  struct ls_parallel_map map = {.count = SITUATIONS * cases,
                                .result_bytes = sizeof *parts,
                                .processes = options->processes,
                                .compute = play_case,
                                .context = &work};
  enum ls_status status = ls_parallel_map(&map, parts, err);
  if (status == LS_OK) {
    ls_study_print(report,
                   "Makespan over that of the order that knows all times: %d tasks, %d iterations, "
                   "as many workers\nas the achievable speedup says, %zu seeds for each of %d "
                   "workloads.\n\n%-24s",
                   TASKS, ITERATIONS, work.seeds, SHARES, "situation");
    for (size_t k = 0; k < PREDICTORS; k++) ls_study_print(report, " %9s", ls_predictor_names[k]);
    ls_study_print(report, "\n");
    for (size_t i = 0; i < SITUATIONS; i++)
      report_situation(&situations[i], parts + i * cases, cases, work.seeds >= SEEDS, report);
    status = judge_default(report, err);
  }
  free(parts);
  return status;
}

const struct ls_study ls_study_adaptive_predictors = {
    .name = "adaptive-predictors",
    .summary = "predictors of task times, and the choice among them, by the order they make",
    .reference = "beyond heymann2001, its future work",
    .run = run,
};
