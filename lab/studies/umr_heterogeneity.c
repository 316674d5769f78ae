/* umr_heterogeneity.c: Figure 11 of the UMR paper: different workers, with and without selection.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "lab/studies/planning.h"
#include "lab/studies/study.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { WORKERS = 10, LOAD = 1000, SAMPLES = 1000, SAMPLES_JUDGED = 30, BLOCK = 50, DEGREES = 10 };

/* How much workers may differ, and makespan over ideal with selection: from an independent
 * computation (docs/theory/umr.md, 6), since the figure prints no numbers.  Judged is within three
 * standard errors of our mean and half of the last digit. */
static const struct degree {
  double het, recomputed;
} degrees[DEGREES] = {{1, 1.064},  {2, 1.065},   {5, 1.074},   {10, 1.096}, {20, 1.135},
                      {50, 1.164}, {100, 1.172}, {200, 1.179}, {500, 1.18}, {1000, 1.182}};
static const double ERRORS = 3, HALF_DIGIT = 0.0005;
enum { DEGREE_50 = 5 };

struct work {
  uint64_t seed;
  size_t samples, blocks; /* for each degree */
};

/* Makespans over the ideal, for the samples of one block. */
struct part {
  double with[BLOCK], without[BLOCK];
};

static double draw(struct ls_random *random, double mean, double het) {
  double spread = (het - 1) / (het + 1);
  return mean * (1 - spread + 2 * spread * ls_random_real(random));
}

/* Of each worker in turn S, cLat, nLat, B; the sum of the speeds. */
static double draw_platform(struct ls_random *random, double het, struct ls_platform *platform) {
  double speed = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    double rate = draw(random, 1, het);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1 / rate;
    worker->costs[LS_OPERATION_COMPUTE].latency_s = draw(random, 1, het);
    worker->costs[LS_OPERATION_TRANSFER].latency_s = draw(random, 0.1, het);
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s = 1 / draw(random, 20, het);
    speed += rate;
  }
  return speed;
}

static enum ls_status play_block(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct part *part = result;
  size_t degree = index / work->blocks, block = index % work->blocks;
  char stream[48];
  struct ls_random random;
  struct ls_platform platform;
  enum ls_status status = ls_platform_init(&platform, WORKERS, err);
  if (status != LS_OK) return status;
  (void)snprintf(stream, sizeof stream, "het %g block %zu", degrees[degree].het, block);
  ls_random_init(&random, work->seed, stream);
  for (size_t i = 0; i < BLOCK && block * BLOCK + i < work->samples; i++) {
    struct ls_study_plan plan;
    double ideal_s = LOAD / draw_platform(&random, degrees[degree].het, &platform);
    status = ls_study_plan(&platform, LOAD, "umr", &plan, err);
    if (status != LS_OK) break;
    part->with[i] = plan.makespan_s / ideal_s;
    status = ls_study_plan(&platform, LOAD, "umr:selection=none", &plan, err);
    if (status != LS_OK) break;
    part->without[i] = plan.makespan_s / ideal_s;
  }
  ls_platform_close(&platform);
  return status;
}

/* The results of one degree. */
struct finding {
  struct ls_moments with, without;
  double without_median;
};

static void find(const struct work *work, const struct part *parts, double *scratch,
                 struct finding *finding) {
  *finding = (struct finding){0};
  for (size_t i = 0; i < work->samples; i++) {
    const struct part *part = &parts[i / BLOCK];
    ls_moments_add(&finding->with, part->with[i % BLOCK]);
    ls_moments_add(&finding->without, part->without[i % BLOCK]);
    scratch[i] = part->without[i % BLOCK];
  }
  ls_sort_ascending(scratch, work->samples);
  finding->without_median = ls_quantile_sorted(scratch, work->samples, 0.5);
}

static void draw_findings(const struct finding *findings, struct ls_study_report *report) {
  double x[DEGREES], with[DEGREES], without[DEGREES], median[DEGREES];
  struct ls_bytes svg = {0};
  for (size_t i = 0; i < DEGREES; i++) {
    x[i] = degrees[i].het;
    with[i] = findings[i].with.mean;
    without[i] = findings[i].without.mean;
    median[i] = findings[i].without_median;
  }
  struct ls_plot_series series[] = {
      {"with selection, mean", x, with, DEGREES, true, true},
      {"without, mean", x, without, DEGREES, true, true},
      {"without, median", x, median, DEGREES, true, true},
  };
  char subtitle[96];
  (void)snprintf(subtitle, sizeof subtitle, "10 workers, load 1000; over %llu samples for each het",
                 (unsigned long long)findings[0].with.count);
  struct ls_plot plot = {.title = "Yang & Casanova 2002, Figure 11: different workers",
                         .subtitle = subtitle,
                         .x = {.label = "het, largest over least (no unit)", .is_log = true},
                         .y = {.label = "makespan / (W / sum of S) (no unit)"},
                         .series = series,
                         .series_count = 3};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "umr-fig11.svg", &svg);
}

/* The standard error of a mean. */
static double find_error(const struct ls_moments *moments) {
  return ls_moments_deviation(moments) / sqrt((double)moments->count);
}

static void print_findings(const struct finding *findings, size_t samples,
                           struct ls_study_report *report) {
  ls_study_print(report,
                 "%zu samples for each het (the paper: 100).  The figure prints no numbers.\n"
                 "%6s %9s %9s %9s %9s %9s\n",
                 samples, "het", "with", "error", "without", "median", "error");
  for (size_t i = 0; i < DEGREES; i++) {
    const struct finding *finding = &findings[i];
    ls_study_print(report, "%6g %9.4f %9.4f %9.4f %9.4f %9.4f\n", degrees[i].het,
                   finding->with.mean, find_error(&finding->with), finding->without.mean,
                   finding->without_median, find_error(&finding->without));
  }
}

static void compare_findings(const struct finding *findings, struct ls_study_report *report) {
  const struct finding *last = &findings[DEGREES - 1];
  size_t worse = 0, samples = (size_t)last->with.count;
  for (size_t i = 0; i < DEGREES; i++) {
    char name[80];
    double tolerance = HALF_DIGIT + ERRORS * find_error(&findings[i].with);
    (void)snprintf(name, sizeof name, "het %g, with selection", degrees[i].het);
    ls_study_compare(
        report, name,
        ls_study_judged_if(samples >= SAMPLES_JUDGED,
                           ls_study_near(LS_STUDY_RECOMPUTED, degrees[i].recomputed, tolerance)),
        findings[i].with.mean);
    worse += i >= DEGREE_50 && findings[i].without.mean > findings[i].with.mean;
  }
  /* "UMR still managed to achieve a makespan which is within 20 % of the ideal." */
  ls_study_compare(report, "het 1000, with selection",
                   ls_study_judged_if(samples >= SAMPLES, ls_study_at_most(LS_STUDY_PRINTED, 1.2)),
                   last->with.mean);
  /* "Without resource selection, UMR is not able to maintain a low makespan for het > 50." */
  ls_study_show(report, "het 50, without selection, mean", findings[DEGREE_50].without.mean);
  ls_study_show(report, "het 1000, without selection, mean", last->without.mean);
  ls_study_show(report, "het 1000, without selection, median", last->without_median);
  ls_study_compare(
      report, "het >= 50: degrees at which selection is better, of 5",
      ls_study_judged_if(samples >= SAMPLES_JUDGED, ls_study_near(LS_STUDY_PRINTED, 5, 0)),
      (double)worse);
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  struct work work = {.seed = options->seed, .samples = SAMPLES};
  if (options->sample > 0) work.samples = (size_t)options->sample;
  work.blocks = (work.samples + BLOCK - 1) / BLOCK;
  struct part *parts = calloc(work.blocks * DEGREES, sizeof *parts);
  double *scratch = calloc(work.samples, sizeof *scratch);
  struct finding findings[DEGREES];
  enum ls_status status = LS_OK;
  if (parts == NULL || scratch == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu samples", work.samples);
    goto done;
  }
  struct ls_parallel_map map = {.count = work.blocks * DEGREES,
                                .result_bytes = sizeof *parts,
                                .processes = options->processes,
                                .compute = play_block,
                                .context = &work};
  status = ls_parallel_map(&map, parts, err);
  if (status != LS_OK) goto done;
  for (size_t i = 0; i < DEGREES; i++) {
    find(&work, parts + i * work.blocks, scratch, &findings[i]);
  }
  print_findings(findings, work.samples, report);
  compare_findings(findings, report);
  draw_findings(findings, report);
done:
  free(scratch);
  free(parts);
  return status;
}

const struct ls_study ls_study_umr_figure_11 = {
    .name = "umr-fig11",
    .summary = "UMR on different workers, with and without selection",
    .reference = "yang2002, Figure 11",
    .run = run,
};
