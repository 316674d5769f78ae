/* calibrate_recovery.c: how often the intervals of a calibration hold the law that made the
 * measurements, under noise, outliers and machines that become slower while they are measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/affine_fit.h"
#include "lab/studies/measured_law.h"
#include "lab/studies/study.h"
#include "runtime/os/parallel_map.h"

enum { TRUTHS = 1000, POINTS = 60, IN_DOUBT = 20, SIZES = 10 };

/* Nine of ten, within three of a hundred over a thousand truths. */
static const double COVERAGE = 0.9, TOLERANCE = 0.03;
static const char ORDERED[] =
    "sizes that grow while a machine becomes slower make a rate of the drift: measure in random "
    "order";

/* `constant` is in parts of the latency; `drift`: by so much slower at the end; `points`: 0 is
 * POINTS. */
static const struct kind {
  const char *name;
  double share, constant, outliers, drift;
  bool is_ordered;
  size_t points;
} kinds[] = {
    {"2 % noise", 0.02, 0, 0, 0, false, 0},
    {"5 % noise, 8 % outliers", 0.05, 0, 0.08, 0, false, 0},
    {"noise of a twentieth of the latency", 0, 0.05, 0, 0, false, 0},
    {"both kinds of noise, 5 % outliers", 0.02, 0.02, 0.05, 0, false, 0},
    {"15 % noise", 0.15, 0, 0, 0, false, 0},
    {"2 % noise, drift of 5 %, random moments", 0.02, 0, 0, 0.05, false, 0},
    {"2 % noise, drift of 5 %, growing sizes", 0.02, 0, 0, 0.05, true, 0},
    {"8 points, 5 % noise", 0.05, 0, 0, 0, false, 8},
    {"8 points, noise of a twentieth", 0, 0.05, 0, 0, false, 8},
    {"12 points, 5 % noise", 0.05, 0, 0, 0, false, 12},
    {"12 points, noise of a twentieth", 0, 0.05, 0, 0, false, 12},
    {"12 points, 5 % noise, 8 % outliers", 0.05, 0, 0.08, 0, false, 12},
    {"20 points, 5 % noise", 0.05, 0, 0, 0, false, 20},
    {"20 points, both kinds of noise", 0.02, 0.02, 0, 0, false, 20},
    {"40 points, 5 % noise, 8 % outliers", 0.05, 0, 0.08, 0, false, 40},
    {"40 points, noise of a twentieth", 0, 0.05, 0, 0, false, 40},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct context {
  size_t truths;
  uint64_t seed;
};

struct finding {
  bool holds_latency, holds_rate;
  double error; /* of the rate, relative */
};

static bool holds(const struct ls_interval *interval, double truth) {
  return interval->least <= truth && truth <= interval->most;
}

/* At moments of the drift that grow with the sizes, or at any; how many points there are. */
static size_t measure(const struct kind *kind, const struct ls_cost *law, struct ls_random *random,
                      double *units, double *seconds) {
  struct ls_study_noise noise = {kind->share, kind->constant * law->latency_s, kind->outliers};
  size_t points = kind->points > 0 ? kind->points : POINTS;
  uint64_t order[POINTS];
  for (size_t i = 0; i < points; i++) order[i] = i;
  if (!kind->is_ordered) ls_random_shuffle(random, order, points);
  for (size_t i = 0; i < points; i++) {
    size_t size = (size_t)order[i] * SIZES / points;
    double moment = kind->is_ordered ? (double)i / (double)(points - 1) : ls_random_real(random);
    double slowness = 1 + kind->drift * moment;
    units[i] = 10 + 50 * (double)size;
    seconds[i] = slowness * ls_study_measure(law, units[i], &noise, random);
  }
  return points;
}

/* A machine that drifts is as slow on average as in the middle of the measurements. */
static enum ls_status find_truth(void *context, size_t index, void *result, struct ls_error *err) {
  const struct context *all = context;
  const struct kind *kind = &kinds[index / all->truths];
  struct finding *finding = result;
  struct ls_random random;
  struct ls_affine_fit fit;
  double units[POINTS], seconds[POINTS];
  ls_random_init(&random, (all->seed << 32) + index, kind->name);
  struct ls_cost law = {0.02 + 0.2 * ls_random_real(&random),
                        0.001 * (1 + 9 * ls_random_real(&random))};
  struct ls_points points = {units, seconds, measure(kind, &law, &random, units, seconds)};
  enum ls_status status = ls_affine_fit(&points, &fit, err);
  if (status != LS_OK) return status;
  double middle = 1 + kind->drift / 2;
  finding->holds_latency = holds(&fit.latency_s, middle * law.latency_s);
  finding->holds_rate = holds(&fit.per_unit_s, middle * law.per_unit_s);
  finding->error = fit.law.per_unit_s / (middle * law.per_unit_s) - 1;
  return LS_OK;
}

/* Four standard errors of a share of so many, beyond those of the specified thousand. So few points
 * whose noise grows with the time may have one that does not for all that they tell: then a latency
 * would be known much worse, so its interval is too wide, and must not be too narrow. */
static struct ls_study_expected expect(const struct kind *kind, bool is_latency, size_t truths) {
  double tolerance = truths < TRUTHS ? TOLERANCE + 4 * sqrt(0.09 / (double)truths) : TOLERANCE;
  if (kind->is_ordered) return ls_study_unjudged(LS_STUDY_SPECIFIED, COVERAGE, ORDERED);
  bool is_in_doubt = kind->points > 0 && kind->points <= IN_DOUBT && !(kind->constant > 0);
  if (is_latency && is_in_doubt) return ls_study_at_least(LS_STUDY_SPECIFIED, COVERAGE - tolerance);
  return ls_study_near(LS_STUDY_SPECIFIED, COVERAGE, tolerance);
}

static void judge(const struct kind *kind, bool is_latency, double share, size_t truths,
                  struct ls_study_report *report) {
  char name[96];
  (void)snprintf(name, sizeof name, "%s: %s within its interval", kind->name,
                 is_latency ? "latency" : "rate");
  ls_study_compare(report, name, expect(kind, is_latency, truths), share);
}

static void report_kind(const struct kind *kind, const struct finding *findings, size_t truths,
                        struct ls_study_report *report) {
  size_t latencies = 0, rates = 0;
  double squares = 0;
  for (size_t i = 0; i < truths; i++) {
    latencies += findings[i].holds_latency;
    rates += findings[i].holds_rate;
    squares += findings[i].error * findings[i].error / (double)truths;
  }
  double latency = (double)latencies / (double)truths, rate = (double)rates / (double)truths;
  ls_study_print(report, "%-42s %8.1f %% %8.1f %% %10.2f %%\n", kind->name, 100 * latency,
                 100 * rate, 100 * sqrt(squares));
  judge(kind, true, latency, truths, report);
  judge(kind, false, rate, truths, report);
}

static enum ls_status run_recovery(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct context context = {
      options->sample > 0 && options->sample < TRUTHS ? (size_t)options->sample : TRUTHS,
      options->seed};
  struct finding *findings = calloc(KINDS * context.truths, sizeof *findings);
  if (findings == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu truths", KINDS * context.truths);
  struct ls_parallel_map map = {.count = KINDS * context.truths,
                                .result_bytes = sizeof *findings,
                                .processes = options->processes,
                                .compute = find_truth,
                                .context = &context};
  enum ls_status status = ls_parallel_map(&map, findings, err);
  if (status == LS_OK) {
    ls_study_print(report,
                   "Of %zu laws each, %d measurements, or fewer, of %d sizes: how many lie "
                   "within their 90 %% intervals, and what the rate misses the truth by (root of "
                   "the mean square)\n"
                   "%-42s %10s %10s %12s\n",
                   context.truths, POINTS, SIZES, "", "latency", "rate", "error");
    for (size_t k = 0; k < KINDS; k++)
      report_kind(&kinds[k], findings + k * context.truths, context.truths, report);
  }
  free(findings);
  return status;
}

const struct ls_study ls_study_calibrate_recovery = {
    .name = "calibrate-recovery",
    .summary = "how often the intervals of a calibration hold the truth",
    .reference = "docs/theory/scow.md, 7",
    .run = run_recovery,
};
