/* adaptive_curves.c: Figures 3-6 to 3-26 of the thesis on iterated applications: efficiency and
 * time of four orders over the number of workers.
 *
 * The figures print no numbers; the text says what they show.  A point is the mean over the
 * iterations of one workload, drawn by the seed.
 */
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "lab/studies/batches.h"
#include "lab/studies/study.h"
#include "policies/ordering.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"
#include "theory/workload.h"

enum { TASKS = 30, ORDERS = 4, SHARES = 3, KINDS = 4, DEVIATIONS = 5, LENGTHS = 2, CREWS = 5 };
enum { SCENES = SHARES * KINDS * DEVIATIONS * LENGTHS };
enum { RANDOM, AVERAGE, LPTF, EXPECTATION };

static const char *const orders[ORDERS] = {"random", "average", "lptf", "lptf-expectation"};
static const char *const kinds[KINDS] = {"0-0", "0-1", "1-0", "1-1"};
static const double shares[SHARES] = {30, 60, 90};
static const double deviations[DEVIATIONS] = {0, 0.1, 0.3, 0.6, 1};
static const uint64_t lengths[LENGTHS] = {10, 35};
static const size_t crews[CREWS] = {1, 5, 10, 15, 30};

/* By order and number of workers, from 1 on. */
struct scene {
  double efficiency[ORDERS][TASKS], time_s[ORDERS][TASKS];
};

static size_t find_scene(size_t share, size_t kind, size_t deviation, size_t length) {
  return ((length * DEVIATIONS + deviation) * KINDS + kind) * SHARES + share;
}

static enum ls_status play_iteration(const struct ls_ordering_view *view, struct scene *scene,
                                     struct ls_error *err) {
  enum ls_status status = LS_OK;
  double work = 0;
  for (size_t i = 0; i < TASKS; i++) work += view->actual[i];
  for (size_t k = 0; k < ORDERS; k++) {
    for (size_t n = 0; n < TASKS && status == LS_OK; n++) {
      struct ls_list_schedule schedule;
      status =
          ls_study_batch(&(struct ls_study_order){orders[k], NULL}, view, n + 1, &schedule, err);
      scene->time_s[k][n] += schedule.makespan_s;
      scene->efficiency[k][n] += work / ((double)(n + 1) * schedule.makespan_s);
    }
  }
  return status;
}

/* One workload: its iterations. */
struct course {
  struct ls_workload workload;
  double deviation;
  uint64_t iterations, seed;
};

static enum ls_status play(const struct course *course, struct scene *scene, struct ls_error *err) {
  double base[TASKS], actual[TASKS];
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  struct ls_random random;
  ls_random_init(&random, course->seed, "curves");
  enum ls_status status = ls_workload_make(&course->workload, base, err);
  if (status == LS_OK) status = ls_task_history_create(&setup, &history, err);
  if (status == LS_OK) status = ls_task_history_reserve(history, TASKS, err);
  struct ls_ordering_view view = {
      .units = TASKS, .seed = course->seed, .expected = base, .actual = actual, .history = history};
  for (; view.iteration < course->iterations && status == LS_OK; view.iteration++) {
    for (size_t i = 0; i < TASKS; i++)
      actual[i] = ls_workload_vary(base[i], course->deviation, ls_random_real(&random));
    status = play_iteration(&view, scene, err);
    for (size_t i = 0; i < TASKS; i++) ls_task_history_observe(history, i, actual[i]);
    ls_task_history_close_iteration(history);
  }
  ls_task_history_destroy(history);
  for (size_t i = 0; i < (size_t)ORDERS * TASKS; i++) {
    scene->time_s[i / TASKS][i % TASKS] /= (double)course->iterations;
    scene->efficiency[i / TASKS][i % TASKS] /= (double)course->iterations;
  }
  return status;
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct ls_study_options *options = context;
  size_t kind = index / SHARES % KINDS;
  const struct course course = {
      .workload = {TASKS, shares[index % SHARES], kind / 2 > 0, kind % 2 > 0, 100},
      .deviation = deviations[index / SHARES / KINDS % DEVIATIONS],
      .iterations = lengths[index / SHARES / KINDS / DEVIATIONS],
      .seed = options->seed};
  return play(&course, result, err);
}

/* How much longer an order takes than the one that knows all times, in per cent. */
static double find_loss(const struct scene *scene, size_t order, size_t worker) {
  return 100 * (scene->time_s[order][worker] / scene->time_s[LPTF][worker] - 1);
}

/* ---- what the text says ---- */

/* What the order by averages reaches of the efficiency of the one that knows all times: of the same
 * draws, so that those of more iterations are no others. */
static double find_share(const struct scene *scene, size_t worker) {
  return scene->efficiency[AVERAGE][worker] / scene->efficiency[LPTF][worker];
}

/* The largest loss of a random order. */
static size_t find_peak(const struct scene *scene) {
  size_t peak = 0;
  for (size_t n = 1; n < TASKS; n++)
    if (find_loss(scene, RANDOM, n) > find_loss(scene, RANDOM, peak)) peak = n;
  return peak + 1;
}

/* From there on each further worker costs efficiency. */
static size_t find_drop(const struct scene *scene) {
  size_t n = TASKS - 1;
  while (n > 0 && scene->efficiency[LPTF][n - 1] > scene->efficiency[LPTF][n]) n--;
  return n + 1;
}

static void compare_words(const struct scene *scenes, struct ls_study_report *report) {
  static const char CHANCE[] = "where a random order loses most is left to chance";
  static const char ONE_OF_MANY[] = "the largest of 360 differences of random means";
  static const char READ_OFF[] =
      "read off a curve whose last peak is at 18 (0.952), with 0.940 at 19 and 0.893 at 20";
  double gain = 0, mean = 0, behind = 0;
  for (size_t share = 0; share < SHARES; share++) {
    for (size_t kind = 0; kind < KINDS; kind++) {
      const struct scene *still = &scenes[find_scene(share, kind, 0, 1)];
      const struct scene *few = &scenes[find_scene(share, kind, DEVIATIONS - 1, 0)];
      const struct scene *many = &scenes[find_scene(share, kind, DEVIATIONS - 1, 1)];
      for (size_t n = 0; n < TASKS; n++) {
        double more = 100 * (find_share(many, n) - find_share(few, n));
        gain = fmax(gain, more);
        mean += more / (SHARES * KINDS * TASKS);
        behind = fmax(behind, find_loss(still, EXPECTATION, n));
      }
    }
  }
  ls_study_compare(report, "W 30 %, 0-1, D 0: efficiency falls from N workers on",
                   ls_study_unjudged(LS_STUDY_PRINTED, 19, READ_OFF),
                   (double)find_drop(&scenes[find_scene(0, 1, 0, 1)]));
  ls_study_compare(report, "W 30 %, 1-0, D 0: efficiency falls from N workers on",
                   ls_study_near(LS_STUDY_PRINTED, 12, 0),
                   (double)find_drop(&scenes[find_scene(0, 2, 0, 1)]));
  ls_study_compare(report, "D 100 %: average gains from 10 to 35 iterations, points in the mean",
                   ls_study_at_most(LS_STUDY_PRINTED, 5), mean);
  ls_study_compare(report, "D 100 %: average gains from 10 to 35 iterations, points at most",
                   ls_study_unjudged(LS_STUDY_PRINTED, 5, ONE_OF_MANY), gain);
  ls_study_compare(report, "D 0: lptf-expectation over lptf, % at most",
                   ls_study_near(LS_STUDY_SPECIFIED, 0, 1e-9), behind);
  ls_study_compare(report, "W 90 %, 1-1, D 0: random is worst with N workers",
                   ls_study_unjudged(LS_STUDY_PRINTED, 5, CHANCE),
                   (double)find_peak(&scenes[find_scene(2, 3, 0, 1)]));
  ls_study_compare(report, "W 30 %, 1-1, D 0: random is worst with N workers",
                   ls_study_unjudged(LS_STUDY_PRINTED, 14, CHANCE),
                   (double)find_peak(&scenes[find_scene(0, 3, 0, 1)]));
}

/* ---- the drawings ---- */

struct panel {
  const char *figure, *part; /* "3-7", "a" */
  const char *words, *x, *y;
};

static void draw(const struct panel *panel, const struct ls_plot_series *series, size_t count,
                 struct ls_study_report *report) {
  char file[64], title[128];
  struct ls_bytes svg = {0};
  (void)snprintf(file, sizeof file, "adaptive-fig%s%s.svg", panel->figure, panel->part);
  (void)snprintf(title, sizeof title, "Heymann 2001, Figure %s%s: %s", panel->figure, panel->part,
                 panel->words);
  const struct ls_plot plot = {.title = title,
                               .subtitle = "30 tasks, means over the iterations",
                               .x = {.label = panel->x},
                               .y = {.label = panel->y, .has_zero = true},
                               .series = series,
                               .series_count = count};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, file, &svg);
}

/* Efficiency, or the loss of time against lptf, over the workers. */
static void draw_scene(const struct scene *scene, const char *number, const char *part,
                       const char *words, bool is_time, struct ls_study_report *report) {
  double workers[TASKS], losses[ORDERS][TASKS];
  struct ls_plot_series series[ORDERS];
  for (size_t n = 0; n < TASKS; n++) workers[n] = (double)(n + 1);
  for (size_t k = 0; k < ORDERS; k++) {
    for (size_t n = 0; n < TASKS; n++) losses[k][n] = find_loss(scene, k, n);
    series[k] = (struct ls_plot_series){
        orders[k], workers, is_time ? losses[k] : scene->efficiency[k], TASKS, false, true};
  }
  const struct panel panel = {number, part, words, "workers",
                              is_time ? "time over that of lptf, %" : "efficiency"};
  draw(&panel, series, ORDERS, report);
}

/* One order over the deviation, a line for each number of workers; of workload 1-1. */
static void draw_deviations(const struct scene *scenes, size_t order, size_t share, bool is_time,
                            struct ls_study_report *report) {
  double x[DEVIATIONS], y[CREWS][DEVIATIONS];
  char number[8], words[64], labels[CREWS][24];
  struct ls_plot_series series[CREWS];
  for (size_t c = 0; c < CREWS; c++) {
    for (size_t d = 0; d < DEVIATIONS; d++) {
      const struct scene *scene = &scenes[find_scene(share, KINDS - 1, d, LENGTHS - 1)];
      size_t n = crews[c] - 1;
      x[d] = 100 * deviations[d];
      y[c][d] = is_time ? scene->time_s[order][n] : scene->efficiency[order][n];
    }
    (void)snprintf(labels[c], sizeof labels[c], "%zu workers", crews[c]);
    series[c] = (struct ls_plot_series){labels[c], x, y[c], DEVIATIONS, true, true};
  }
  (void)snprintf(number, sizeof number, "3-%zu", (is_time ? 23 : 13) + order);
  (void)snprintf(words, sizeof words, "%s, W %g %% 1-1", orders[order], shares[share]);
  const struct panel panel = {number, share == 0 ? "a" : "b", words, "deviation, %",
                              is_time ? "time of an iteration" : "efficiency"};
  draw(&panel, series, CREWS, report);
}

/* Figure 3-6: the times of the tasks, and the share of those so far. */
static enum ls_status draw_workload(size_t kind, struct ls_study_report *report,
                                    struct ls_error *err) {
  double x[TASKS], work[TASKS], sum[TASKS];
  char words[64];
  static const char *const parts[KINDS] = {"a", "b", "c", "d"};
  struct ls_workload workload = {TASKS, 60, kind / 2 > 0, kind % 2 > 0, 100};
  enum ls_status status = ls_workload_make(&workload, work, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < TASKS; i++) {
    x[i] = (double)(i + 1);
    sum[i] = work[i] + (i > 0 ? sum[i - 1] : 0);
  }
  const struct ls_plot_series series[] = {{"of one task", x, work, TASKS, true, false},
                                          {"of all so far", x, sum, TASKS, false, true}};
  (void)snprintf(words, sizeof words, "W 60 %% %s", kinds[kind]);
  const struct panel panel = {"3-6", parts[kind], words, "task", "% of the work"};
  draw(&panel, series, 2, report);
  return LS_OK;
}

/* Figures 3-7 to 3-12 and, of time, 3-17 to 3-22. */
static void draw_shares(const struct scene *scenes, size_t share, bool is_time,
                        struct ls_study_report *report) {
  static const char *const parts[KINDS] = {"a", "b", "c", "d"};
  char number[8], words[64];
  size_t first = is_time ? 17 : 7;
  for (size_t kind = 0; kind < KINDS; kind++) {
    (void)snprintf(number, sizeof number, "3-%zu", first + share);
    (void)snprintf(words, sizeof words, "W %g %% %s, D 0", shares[share], kinds[kind]);
    draw_scene(&scenes[find_scene(share, kind, 0, LENGTHS - 1)], number, parts[kind], words,
               is_time, report);
  }
  for (size_t length = 0; length < LENGTHS; length++) {
    (void)snprintf(number, sizeof number, "3-%zu", first + SHARES + share);
    (void)snprintf(words, sizeof words, "W %g %% 1-1, D 100 %%, L %llu", shares[share],
                   (unsigned long long)lengths[length]);
    draw_scene(&scenes[find_scene(share, KINDS - 1, DEVIATIONS - 1, length)], number, parts[length],
               words, is_time, report);
  }
}

static enum ls_status draw_all(const struct scene *scenes, struct ls_study_report *report,
                               struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t kind = 0; kind < KINDS && status == LS_OK; kind++)
    status = draw_workload(kind, report, err);
  for (size_t is_time = 0; is_time < 2; is_time++) {
    for (size_t share = 0; share < SHARES; share++) draw_shares(scenes, share, is_time > 0, report);
    for (size_t order = 0; order < ORDERS; order++)
      for (size_t share = 0; share < SHARES; share += SHARES - 1)
        draw_deviations(scenes, order, share, is_time > 0, report);
  }
  return status;
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  struct ls_study_options copy = *options;
  struct scene scenes[SCENES];
  struct ls_parallel_map map = {.count = SCENES,
                                .result_bytes = sizeof *scenes,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &copy};
  if (options->sample > 0) ls_study_print(report, "Only %d workloads: all are played.\n", SCENES);
  enum ls_status status = ls_parallel_map(&map, scenes, err);
  if (status != LS_OK) return status;
  ls_study_print(report,
                 "The figures print no numbers, their text does. Where it does not say of which "
                 "tasks a figure is, it is 1-1 here.\n");
  compare_words(scenes, report);
  return draw_all(scenes, report, err);
}

const struct ls_study ls_study_adaptive_curves = {
    .name = "adaptive-curves",
    .summary = "efficiency and time of four orders over the number of workers",
    .reference = "heymann2001, Figures 3-6 to 3-26",
    .run = run,
};
