/* returns_curves.c: Figures 7, 8 and 9 of the paper on loads with return messages: heuristics
 * against the best FIFO over w/c, and how many workers that enrols. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/returns_platforms.h"
#include "lab/studies/study.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { POINTS = 7, PLATFORMS = 50, WORKERS = 100, KINDS = 3, MEANS = KINDS + 1 };

static const double ratios[POINTS] = {0.1, 1, 3.2, 10, 32, 56, 100};
static const char *const kinds[KINDS] = {"fifo-inc-c", "fifo-inc-w", "lifo"};

/* Means of an independent computation (docs/theory/returns.md, 10) on platforms of the same kind:
 * throughput of INC-C, INC-W and LIFO over the best FIFO, and workers that the best FIFO enrols. */
static const double recomputed[2][POINTS][MEANS] = {{{.998, .603, .600, 19.5},
                                                     {.988, .639, .645, 24.7},
                                                     {.969, .705, .709, 35.7},
                                                     {.964, .826, .797, 56.7},
                                                     {.999, .944, .908, 93.6},
                                                     {1.000, .969, .957, 100},
                                                     {1.000, .982, .998, 100}},
                                                    {{.663, .663, .602, 11.8},
                                                     {.691, .691, .652, 16.9},
                                                     {.758, .758, .720, 26.5},
                                                     {.867, .867, .813, 45.2},
                                                     {.982, .982, .930, 77.8},
                                                     {1.000, 1.000, .977, 99.7},
                                                     {1.000, 1.000, 1.009, 100}}};

struct sample {
  uint64_t seed, platforms;
};

struct setting {
  double z;
  struct sample sample;
};

struct means {
  double at[MEANS];
};

static enum ls_status play_platform(const struct ls_platform *platform, struct means *means,
                                    struct ls_error *err) {
  double best = 1;
  enum ls_status status = ls_study_throughput(platform, "fifo", &best, &means->at[KINDS], err);
  for (size_t k = 0; k < KINDS && status == LS_OK; k++) {
    status = ls_study_throughput(platform, kinds[k], &means->at[k], NULL, err);
    means->at[k] /= best;
  }
  return status;
}

/* Item: platform of a point; the draws of one do not move those of another. */
static enum ls_status play_item(void *context, size_t index, void *result, struct ls_error *err) {
  const struct setting *setting = context;
  struct ls_random random;
  struct ls_platform platform;
  char stream[64];
  (void)snprintf(stream, sizeof stream, "returns curves %zu", index);
  ls_random_init(&random, setting->sample.seed, stream);
  double ratio = ratios[index / setting->sample.platforms];
  enum ls_status status =
      ls_study_returns_star(&platform, WORKERS, ratio, setting->z, &random, err);
  if (status != LS_OK) return status;
  status = play_platform(&platform, result, err);
  ls_platform_close(&platform);
  return status;
}

static enum ls_status find_means(const struct ls_study_options *options, double z,
                                 struct means means[POINTS], struct sample *sample,
                                 struct ls_error *err) {
  *sample = (struct sample){options->seed, options->sample > 0 ? options->sample : PLATFORMS};
  struct setting setting = {z, *sample};
  size_t platforms = (size_t)sample->platforms, count = POINTS * platforms;
  struct means *all = calloc(count, sizeof *all);
  if (all == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", count);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *all,
                                .processes = options->processes,
                                .compute = play_item,
                                .context = &setting};
  enum ls_status status = ls_parallel_map(&map, all, err);
  for (size_t point = 0; point < POINTS && status == LS_OK; point++) {
    for (size_t k = 0; k < MEANS; k++) {
      struct ls_sum sum = {0};
      for (size_t i = 0; i < platforms; i++) ls_sum_add(&sum, all[point * platforms + i].at[k]);
      means[point].at[k] = ls_sum_value(&sum) / (double)platforms;
    }
  }
  free(all);
  return status;
}

/* Fewer platforms than the reference's scatter more: nothing is judged. */
static struct ls_study_expected expect(const struct sample *sample, double mean, double tolerance) {
  return ls_study_judged_if(sample->platforms >= PLATFORMS,
                            ls_study_near(LS_STUDY_RECOMPUTED, mean, tolerance));
}

/* One of the three figures. */
struct figure {
  const char *file, *title, *label;
  double z;
  size_t first, count; /* of the means */
};

static void draw_means(struct ls_study_report *report, const struct figure *figure,
                       const struct sample *sample, const struct means means[POINTS]) {
  static const char *const legends[MEANS] = {"FIFO INC-C", "FIFO INC-W", "LIFO", "best FIFO"};
  double y[MEANS][POINTS];
  char subtitle[96];
  struct ls_plot_series series[MEANS];
  for (size_t k = 0; k < figure->count; k++) {
    for (size_t point = 0; point < POINTS; point++) {
      y[k][point] = means[point].at[figure->first + k];
    }
    series[k] = (struct ls_plot_series){.name = legends[figure->first + k],
                                        .x = ratios,
                                        .y = y[k],
                                        .count = POINTS,
                                        .has_points = true,
                                        .has_line = true};
  }
  (void)snprintf(subtitle, sizeof subtitle, "z = %g, %d workers, %llu platforms a point, seed %llu",
                 figure->z, WORKERS, (unsigned long long)sample->platforms,
                 (unsigned long long)sample->seed);
  struct ls_plot plot = {
      .title = figure->title,
      .subtitle = subtitle,
      .x = {.label = "w / c, computing a unit over sending it (no unit)", .is_log = true},
      .y = {.label = figure->label},
      .series = series,
      .series_count = figure->count};
  struct ls_bytes svg = {0};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, figure->file, &svg);
}

#define PAPER "Beaumont, Marchal, Robert 2005, "
static const char RATIO_LABEL[] = "throughput over that of the best FIFO";
static const struct figure figure_7 = {
    "returns-fig7.svg", PAPER "Figure 7: heuristics, z = 0.8", RATIO_LABEL, 0.8, 0, KINDS};
static const struct figure figure_8 = {"returns-fig8.svg",
                                       PAPER "Figure 8: workers that the best FIFO enrols, z = 0.8",
                                       "workers enrolled, of 100",
                                       0.8,
                                       KINDS,
                                       1};
static const struct figure figure_9 = {
    "returns-fig9.svg", PAPER "Figure 9: heuristics, z = 1", RATIO_LABEL, 1, 0, KINDS};

static enum ls_status run_ratios(const struct figure *figure,
                                 const struct ls_study_options *options,
                                 struct ls_study_report *report, struct ls_error *err) {
  struct means means[POINTS];
  struct sample sample;
  double apart = 0;
  enum ls_status status = find_means(options, figure->z, means, &sample, err);
  if (status != LS_OK) return status;
  ls_study_print(report,
                 "Throughput over that of the best FIFO; z = %g, %d workers, %llu platforms a "
                 "point, seed %llu.\n",
                 figure->z, WORKERS, (unsigned long long)sample.platforms,
                 (unsigned long long)sample.seed);
  for (size_t point = 0; point < POINTS; point++) {
    for (size_t k = 0; k < KINDS; k++) {
      char name[80];
      (void)snprintf(name, sizeof name, "%s at w/c = %g", kinds[k], ratios[point]);
      ls_study_compare(report, name,
                       expect(&sample, recomputed[figure->z < 1 ? 0 : 1][point][k], 0.01),
                       means[point].at[k]);
    }
    apart = fmax(apart, fabs(means[point].at[0] - means[point].at[1]));
  }
  /* "FIFO-INC-C and FIFO-INC-W [...] give exactly the same results." */
  if (figure == &figure_9) {
    ls_study_compare(report, "largest distance of fifo-inc-c and fifo-inc-w",
                     ls_study_near(LS_STUDY_PRINTED, 0, 1e-9), apart);
  }
  draw_means(report, figure, &sample, means);
  return LS_OK;
}

static enum ls_status run_figure_7(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  ls_study_print(report, "The paper: INC-C performs well, INC-W and LIFO only when w/c is high.\n");
  return run_ratios(&figure_7, options, report, err);
}

static enum ls_status run_figure_8(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct means means[POINTS];
  struct sample sample;
  enum ls_status status = find_means(options, figure_8.z, means, &sample, err);
  if (status != LS_OK) return status;
  ls_study_print(
      report,
      "The paper: with small w/c only few of the workers are used.\nz = 0.8, %d workers, "
      "%llu platforms a point, seed %llu.\n",
      WORKERS, (unsigned long long)sample.platforms, (unsigned long long)sample.seed);
  for (size_t point = 0; point < POINTS; point++) {
    char name[80];
    (void)snprintf(name, sizeof name, "workers enrolled at w/c = %g", ratios[point]);
    ls_study_compare(report, name, expect(&sample, recomputed[0][point][KINDS], 2),
                     means[point].at[KINDS]);
  }
  draw_means(report, &figure_8, &sample, means);
  return LS_OK;
}

static enum ls_status run_figure_9(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  ls_study_print(report, "The paper: with z = 1 only the best FIFO does well for w/c below 10.\n");
  return run_ratios(&figure_9, options, report, err);
}

const struct ls_study ls_study_returns_figure_7 = {
    .name = "returns-fig7",
    .summary = "heuristics against the best FIFO, returns of 0.8 of what was sent",
    .reference = "beaumont2005, Figure 7",
    .run = run_figure_7,
};

const struct ls_study ls_study_returns_figure_8 = {
    .name = "returns-fig8",
    .summary = "how many of 100 workers the best FIFO enrols",
    .reference = "beaumont2005, Figure 8",
    .run = run_figure_8,
};

const struct ls_study ls_study_returns_figure_9 = {
    .name = "returns-fig9",
    .summary = "heuristics against the best FIFO, returns as large as what was sent",
    .reference = "beaumont2005, Figure 9",
    .run = run_figure_9,
};
