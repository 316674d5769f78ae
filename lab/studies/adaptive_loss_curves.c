/* adaptive_loss_curves.c: Figures 5-4, 5-6 and 5-7 of the thesis on iterated applications: one
 * worker of 2 to 49 is lost, without and with extra workers and replicas.
 *
 * The figures print no numbers; the text says what they show.  A point is the expectation over the
 * instants of the loss, where the thesis has the mean of 100 runs.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/loss_cells.h"
#include "lab/studies/study.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { TASKS = 50, LEAST = 2, MOST = 49, POINTS = MOST - LEAST + 1, SHARES = 2, CURVES = 5 };
enum { N, NR_1, NR_2, CR_1, CR_2 };

/* A mean is off by more than four times its noise once in 16,000 times. */
static const double NOISES = 4, RUNS = 100;

static const double shares[SHARES] = {30, 90};
static const char *const names[CURVES] = {"N", "NR, N+1", "NR, N+2", "CR, N+1", "CR, N+2"};
static const size_t extras[CURVES] = {0, 1, 2, 1, 2};

/* No replication has no replicas; complete replication as many as there are extra workers. With
 * one of these both replications are one. */
static size_t find_strategy(size_t curve) {
  bool has_replicas = curve >= CR_1;
  for (size_t i = 0; i < LS_STUDY_LOSS_STRATEGIES; i++) {
    const struct ls_study_loss_strategy *strategy = &ls_study_loss_strategies[i];
    size_t replicas = has_replicas ? extras[curve] : 0;
    if (strategy->extra == extras[curve] && strategy->replicas == replicas) return i;
  }
  return 0;
}

struct job {
  size_t midpoints;
};

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct job *job = context;
  struct ls_study_loss_cell cell = {.tasks = TASKS,
                                    .share_percent = shares[index / POINTS / CURVES],
                                    .workers = LEAST + index % POINTS,
                                    .strategy = find_strategy(index / POINTS % CURVES),
                                    .midpoints = job->midpoints};
  return ls_study_loss_weigh(&cell, result, NULL, err);
}

/* Percent: [share][curve][workers - LEAST]. */
struct curves {
  double time[SHARES][CURVES][POINTS], efficiency[SHARES][CURVES][POINTS];
  double noise[SHARES]; /* of a mean of 100 runs, at 3 workers without extra ones */
};

static double at(double (*curve)[POINTS], size_t which, size_t workers) {
  return curve[which][workers - LEAST];
}

/* ---- what the text says ---- */

static void say(struct ls_study_report *report, size_t share, const char *what,
                struct ls_study_expected expected, double ours) {
  char name[112];
  (void)snprintf(name, sizeof name, "W %g %%: %s", shares[share], what);
  ls_study_compare(report, name, expected, ours);
}

static void compare_few(const struct curves *curves, size_t share, bool is_all,
                        struct ls_study_report *report) {
  double(*time)[POINTS] = (double(*)[POINTS])curves->time[share];
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (size_t n = LEAST; n < 5; n++) least = fmin(least, at(time, N, n));
  for (size_t k = NR_2; k <= CR_2; k += CR_2 - NR_2) most = fmax(most, at(time, k, 3));
  say(report, share, "3 workers: time, %",
      ls_study_judged_if(is_all,
                         ls_study_near(LS_STUDY_PRINTED, 50, NOISES * curves->noise[share])),
      at(time, N, 3));
  say(report, share, "less than 5 workers: least of the time, %",
      ls_study_judged_if(is_all, ls_study_at_least(LS_STUDY_PRINTED, 25)), least);
  say(report, share, "3 workers and 2 extra ones: largest of the time, %",
      ls_study_judged_if(is_all, ls_study_at_most(LS_STUDY_PRINTED, 0)), most);
}

/* "Always less than 5 %": replication against none, with as many extra workers. */
static double find_difference(const struct curves *curves, size_t share, size_t workers) {
  double(*time)[POINTS] = (double(*)[POINTS])curves->time[share];
  double largest = 0;
  for (size_t k = 0; k < 2; k++)
    largest = fmax(largest, fabs(at(time, CR_1 + k, workers) - at(time, NR_1 + k, workers)));
  return largest;
}

/* With W 30 % many are more than 23, with W 90 % more than 8. */
static void compare_many(const struct curves *curves, size_t share, bool is_all,
                         struct ls_study_report *report) {
  static const char NOT_SO_MANY[] =
      "above 8 workers it is more up to the number shown; its own Table 5-1 has 6.6 at 6";
  double largest = 0, last = 0;
  for (size_t n = share == 0 ? 24 : 9; n <= MOST; n++) {
    double difference = find_difference(curves, share, n);
    largest = fmax(largest, difference);
    if (difference >= 5) last = (double)n;
  }
  say(report, share, "many workers: replication against none, points of time",
      share == 0 ? ls_study_judged_if(is_all, ls_study_at_most(LS_STUDY_PRINTED, 5))
                 : ls_study_unjudged(LS_STUDY_PRINTED, 5, NOT_SO_MANY),
      largest);
  char name[112];
  (void)snprintf(name, sizeof name, "W %g %%: 5 points or more up to N workers", shares[share]);
  ls_study_show(report, name, last);
}

/* ---- the drawings ---- */

static void draw(const double (*curves)[POINTS], size_t count, const char *file, const char *title,
                 const char *label, struct ls_study_report *report) {
  double workers[POINTS];
  struct ls_bytes svg = {0};
  struct ls_plot_series series[CURVES];
  /* With extra workers the thesis begins at 3. */
  size_t first = count > 1 ? 1 : 0;
  for (size_t i = 0; i < POINTS; i++) workers[i] = (double)(LEAST + i);
  for (size_t k = 0; k < count; k++)
    series[k] = (struct ls_plot_series){names[k],       workers + first, curves[k] + first,
                                        POINTS - first, false,           true};
  const struct ls_plot plot = {.title = title,
                               .subtitle = "50 tasks; expectation over the instants of a loss",
                               .x = {.label = "workers"},
                               .y = {.label = label, .has_zero = true},
                               .series = series,
                               .series_count = count};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, file, &svg);
}

static void draw_all(const struct curves *curves, struct ls_study_report *report) {
  for (size_t share = 0; share < SHARES; share++) {
    char file[64], title[96];
    const double w = shares[share];
    const double(*time)[POINTS] = (const double(*)[POINTS])curves->time[share];
    const double(*efficiency)[POINTS] = (const double(*)[POINTS])curves->efficiency[share];
    const char *figure = share == 0 ? "5-6" : "5-7";
    (void)snprintf(file, sizeof file, "adaptive-fig5-4%c.svg", share == 0 ? 'a' : 'b');
    (void)snprintf(title, sizeof title, "Heymann 2001, Figure 5-4: time, W %g %%", w);
    draw(time, 1, file, title, "worsening of time, %", report);
    (void)snprintf(file, sizeof file, "adaptive-fig5-4%c-efficiency.svg", share == 0 ? 'a' : 'b');
    (void)snprintf(title, sizeof title, "Heymann 2001, Figure 5-4: efficiency, W %g %%", w);
    draw(efficiency, 1, file, title, "worsening of efficiency, %", report);
    (void)snprintf(file, sizeof file, "adaptive-fig%sa.svg", figure);
    (void)snprintf(title, sizeof title, "Heymann 2001, Figure %s: efficiency, W %g %%", figure, w);
    draw(efficiency, CURVES, file, title, "worsening of efficiency, %", report);
    (void)snprintf(file, sizeof file, "adaptive-fig%sb.svg", figure);
    (void)snprintf(title, sizeof title, "Heymann 2001, Figure %s: time, W %g %%", figure, w);
    draw(time, CURVES, file, title, "worsening of time, %", report);
  }
}

static void collect(const struct ls_worsening *cells, struct curves *curves) {
  for (size_t i = 0; i < (size_t)SHARES * CURVES * POINTS; i++) {
    size_t share = i / POINTS / CURVES, curve = i / POINTS % CURVES;
    curves->time[share][curve][i % POINTS] = cells[i].time_percent;
    curves->efficiency[share][curve][i % POINTS] = cells[i].efficiency_percent;
    if (curve == N && i % POINTS == 3 - LEAST)
      curves->noise[share] = cells[i].time_deviation / sqrt(RUNS);
  }
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  static const char BEFORE[] = "read off a curve of random runs before its last steps";
  struct ls_worsening cells[SHARES * CURVES * POINTS];
  struct curves curves;
  bool is_all = options->sample == 0 || options->sample >= LS_STUDY_LOSS_MIDPOINTS;
  struct job job = {is_all ? LS_STUDY_LOSS_MIDPOINTS : (size_t)options->sample};
  struct ls_parallel_map map = {.count = SHARES * CURVES * POINTS,
                                .result_bytes = sizeof *cells,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &job};
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status != LS_OK) return status;
  collect(cells, &curves);
  ls_study_print(report,
                 "Worsening in %% when one worker is lost in a cycle; the figures print no "
                 "numbers, their text does.\n");
  for (size_t share = 0; share < SHARES; share++) {
    compare_few(&curves, share, is_all, report);
    compare_many(&curves, share, is_all, report);
  }
  say(report, 0, "17 workers: time, %", ls_study_unjudged(LS_STUDY_PRINTED, 15, BEFORE),
      curves.time[0][N][17 - LEAST]);
  draw_all(&curves, report);
  return LS_OK;
}

const struct ls_study ls_study_adaptive_loss_curves = {
    .name = "adaptive-loss-curves",
    .summary = "a lost worker over the number of workers, with extra workers and replicas",
    .reference = "heymann2001, Figures 5-4, 5-6 and 5-7",
    .run = run,
};
