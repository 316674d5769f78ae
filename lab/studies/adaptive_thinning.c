/* adaptive_thinning.c: how many workers for an application whose tasks end one after the other: the
 * thinning of images in 8, 16 and 32 parts (Table 4-9 of the thesis, whose images are lost, on
 * synthetic ones; docs/theory/adaptive.md, 6 and 7).
 *
 * The order is `average`.  The least possible time of an image is the sum of its iterations'
 * largest parts.
 *
 * Ours are means of 1000 images, and are judged by the chance that is left in them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "lab/studies/batches.h"
#include "lab/studies/study.h"
#include "lab/studies/synthetic_images.h"
#include "policies/sizing.h"
#include "runtime/os/parallel_map.h"

enum { ITERATIONS = LS_STUDY_IMAGE_ITERATIONS, PARTS_MAX = LS_STUDY_IMAGE_PARTS_MAX };
enum { IMAGES = 1000, SIZES = 3 };
enum { NONE, SELF, ASP, PERFECT, MODES };

static const size_t sizes[SIZES] = {8, 16, 32};
static const char *const modes[MODES] = {"none", "self", "asp", "perfect"};

enum { WORKERS, EFFICIENCY, TIME, EER, FIGURES };
static const char *const figure_names[FIGURES] = {"workers", "efficiency", "time / least",
                                                  "EER / least time"};

/* Means of an independent computation with 1500 images, and those of docs/theory/adaptive.md, 6 and
 * 7, with 20 images (0: none). */
static const struct reference {
  double recomputed[FIGURES], specified[FIGURES];
} references[SIZES][MODES] = {{{{4.86, 0.5612, 1.0000, 1.8074}, {4.8, 0.58, 1, 0}},
                               {{3.05, 0.8645, 1.0527, 1.2181}, {3.1, 0.87, 1.053, 1.216}},
                               {{3.28, 0.8356, 1.0153, 1.2158}, {0, 0, 1.019, 1.219}},
                               {{3.04, 0.8834, 1.0421, 1.1804}, {0, 0, 1.04, 1.179}}},
                              {{{9.31, 0.5152, 1.0000, 1.9609}, {9.4, 0.51, 1, 0}},
                               {{5.60, 0.8386, 1.0206, 1.2172}, {5.6, 0.84, 1.017, 1.211}},
                               {{5.43, 0.8660, 1.0273, 1.1871}, {0, 0, 1.026, 1.181}},
                               {{5.23, 0.8897, 1.0372, 1.1665}, {0, 0, 1.034, 1.159}}},
                              {{{18.21, 0.4896, 1.0000, 2.0550}, {18.3, 0.49, 1, 0}},
                               {{10.63, 0.8239, 1.0084, 1.2241}, {10.6, 0.83, 1.009, 1.223}},
                               {{9.64, 0.8851, 1.0374, 1.1727}, {0, 0, 1.037, 1.172}},
                               {{9.55, 0.8959, 1.0346, 1.1554}, {0, 0.9, 1.036, 1.155}}}};
enum { IMAGES_RECOMPUTED = 1500, IMAGES_SPECIFIED = 20 };

/* Four standard errors of the difference of two means; half of the last digit. */
static const double NOISES = 4;
static const double HALF_DIGITS[FIGURES] = {0.005, 0.00005, 0.00005, 0.00005};
/* Section 7's; 0: the chance of 20 images says how near. */
static const double TOLERANCES[FIGURES] = {0.5, 0.02, 0.015, 0};
static const double ASP_EER_MAX = 1.04;
enum { IMAGES_LEAST = 30 }; /* the deviation of fewer says little */

struct work {
  uint64_t seed;
  size_t images;
};

/* Of one image in one mode. */
struct outcome {
  double time_s, least_s, useful_s, up_s, workers; /* sums over the iterations */
};

struct part {
  struct outcome outcomes[MODES];
};

static enum ls_status find_perfect(const struct ls_study_image_times *times, size_t *workers,
                                   struct ls_error *err) {
  struct ls_eer_point points[PARTS_MAX];
  struct ls_list_setup setup = {
      .work = times->live, .tasks = times->live_count, .workers = times->live_count};
  enum ls_status status = ls_eer_curve(&setup, points, err);
  if (status == LS_OK) *workers = points[ls_eer_perfect(points, times->live_count)].workers;
  return status;
}

/* A run of one image; the times are the same in all modes. */
struct run {
  const struct ls_study_image *image;
  const struct ls_sizing *sizing; /* NULL: none, or perfect */
  bool is_perfect;
  struct ls_sizing_view sizing_view;
  struct ls_ordering_view view;
  struct ls_task_history *history;
  struct outcome *outcome;
};

static enum ls_status choose_workers(struct run *run, const struct ls_study_image_times *times,
                                     size_t *workers, struct ls_error *err) {
  *workers = times->live_count;
  if (run->is_perfect) return find_perfect(times, workers, err);
  if (run->sizing == NULL) return LS_OK;
  run->sizing_view.units = times->live_count;
  *workers = run->sizing->wanted(&run->sizing_view, run->image->parts);
  return LS_OK;
}

static enum ls_status play_iteration(struct run *run, const struct ls_study_image_times *times,
                                     struct ls_error *err) {
  static const struct ls_study_order order = {"average", NULL};
  struct ls_list_schedule schedule;
  struct ls_task_facts facts;
  size_t workers = 0;
  enum ls_status status = choose_workers(run, times, &workers, err);
  run->view.actual = times->all;
  if (status == LS_OK) status = ls_task_facts(times->live, times->live_count, &facts, err);
  if (status == LS_OK) status = ls_study_batch(&order, &run->view, workers, &schedule, err);
  if (status != LS_OK) return status;
  run->outcome->time_s += schedule.makespan_s;
  run->outcome->least_s += facts.largest_s;
  run->outcome->useful_s += schedule.useful_cost;
  run->outcome->up_s += schedule.up_cost;
  run->outcome->workers += (double)workers;
  run->sizing_view.is_start = 0;
  run->sizing_view.iteration = run->view.iteration;
  run->sizing_view.wanted = run->sizing_view.current = workers;
  run->sizing_view.iteration_seconds = schedule.makespan_s;
  run->sizing_view.efficiency = schedule.efficiency;
  run->sizing_view.tasks = facts;
  for (size_t i = 0; i < run->image->parts; i++) {
    if (times->all[i] > 0) ls_task_history_observe(run->history, i, times->all[i]);
  }
  ls_task_history_close_iteration(run->history);
  return LS_OK;
}

/* These times are exact: the rules need no slack but their own. */
static enum ls_status set_arguments(struct run *run, struct ls_error *err) {
  struct ls_arguments *arguments = &run->sizing_view.arguments;
  if (run->sizing == NULL) return LS_OK;
  ls_arguments_init(arguments, run->sizing->parameters);
  if (strcmp(run->sizing->name, "asp") != 0) return LS_OK;
  return ls_arguments_set(arguments, run->sizing->parameters, "slack", "0", err);
}

static enum ls_status play_image(const struct ls_study_image *image, size_t mode, uint64_t seed,
                                 struct outcome *outcome, struct ls_error *err) {
  struct ls_sizing_memory memory = {0};
  const struct ls_task_history_setup setup = {0};
  struct ls_random random;
  struct run run = {.image = image,
                    .sizing = ls_sizing_find(modes[mode]),
                    .is_perfect = mode == PERFECT,
                    .view = {.units = image->parts, .seed = seed},
                    .sizing_view = {.is_start = 1, .memory = &memory},
                    .outcome = outcome};
  ls_random_init(&random, seed, "times");
  enum ls_status status = set_arguments(&run, err);
  if (status == LS_OK) status = ls_task_history_create(&setup, &run.history, err);
  if (status == LS_OK) status = ls_task_history_reserve(run.history, image->parts, err);
  run.view.history = run.history;
  for (size_t i = 0; i < ITERATIONS && status == LS_OK; i++) {
    struct ls_study_image_times times;
    ls_study_image_times(&random, image, i, &times);
    run.view.iteration = (uint32_t)i;
    status = play_iteration(&run, &times, err);
  }
  ls_task_history_destroy(run.history);
  return status;
}

static enum ls_status play_item(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct part *part = result;
  struct ls_random random;
  struct ls_study_image image;
  char stream[32];
  (void)snprintf(stream, sizeof stream, "image %zu", index);
  ls_random_init(&random, work->seed, stream);
  ls_study_image_draw(&random, sizes[index / work->images], &image);
  uint64_t seed = ls_random_u64(&random);
  enum ls_status status = LS_OK;
  for (size_t mode = 0; mode < MODES && status == LS_OK; mode++) {
    status = play_image(&image, mode, seed, &part->outcomes[mode], err);
  }
  return status;
}

/* ---- what is reported ---- */

/* Over the images. */
struct means {
  struct ls_moments of[FIGURES];
};

static void find_means(const struct part *parts, size_t images, size_t mode, struct means *means) {
  *means = (struct means){0};
  for (size_t i = 0; i < images; i++) {
    const struct outcome *outcome = &parts[i].outcomes[mode];
    double useful = outcome->useful_s / outcome->up_s, time = outcome->time_s / outcome->least_s;
    ls_moments_add(&means->of[WORKERS], outcome->workers / ITERATIONS);
    ls_moments_add(&means->of[EFFICIENCY], useful);
    ls_moments_add(&means->of[TIME], time);
    ls_moments_add(&means->of[EER], time / useful);
  }
}

/* How far a mean of so many other images may be from ours. */
static double find_tolerance(const struct ls_moments *ours, double others) {
  if (ours->count < IMAGES_LEAST) return (double)NAN;
  return NOISES * ls_moments_deviation(ours) * sqrt(1 / (double)ours->count + 1 / others);
}

static void compare_mode(size_t size, size_t mode, const struct means *means,
                         struct ls_study_report *report) {
  const struct reference *reference = &references[size][mode];
  bool is_of_section_7 = mode == NONE || mode == SELF || reference->specified[EFFICIENCY] > 0;
  for (size_t k = 0; k < FIGURES; k++) {
    const struct ls_moments *ours = &means->of[k];
    char name[96];
    double near = is_of_section_7 ? TOLERANCES[k] : 0;
    if (!(near > 0) || ours->count < IMAGES) near += find_tolerance(ours, IMAGES_SPECIFIED);
    (void)snprintf(name, sizeof name, "%zu parts, %s: %s", sizes[size], modes[mode],
                   figure_names[k]);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_RECOMPUTED, reference->recomputed[k],
                                   HALF_DIGITS[k] + find_tolerance(ours, IMAGES_RECOMPUTED)),
                     ours->mean);
    if (!(reference->specified[k] > 0)) continue;
    ls_study_compare(report, name, ls_study_near(LS_STUDY_SPECIFIED, reference->specified[k], near),
                     ours->mean);
  }
}

/* "The strategy saved between 20% to 55% of workers"; "efficiency values above 0.8 in all cases";
 * "a penalty that in most cases is less than 15%". */
static void compare_words(size_t size, const struct means *means, bool is_judged,
                          struct ls_study_report *report) {
  const struct ls_moments *none = means[NONE].of, *self = means[SELF].of;
  double saved = 100 * (1 - self[WORKERS].mean / none[WORKERS].mean);
  const struct {
    const char *name;
    struct ls_study_expected expected;
    double ours;
  } rows[] = {
      {"self saves workers, %", ls_study_at_least(LS_STUDY_PRINTED, 20), saved},
      {"self saves workers, %", ls_study_at_most(LS_STUDY_PRINTED, 55), saved},
      {"self: efficiency", ls_study_at_least(LS_STUDY_PRINTED, 0.8), self[EFFICIENCY].mean},
      {"self is slower, %", ls_study_at_most(LS_STUDY_PRINTED, 15),
       100 * (self[TIME].mean / none[TIME].mean - 1)},
      {"EER of asp / that of perfect", ls_study_at_most(LS_STUDY_SPECIFIED, ASP_EER_MAX),
       means[ASP].of[EER].mean / means[PERFECT].of[EER].mean},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[96];
    (void)snprintf(name, sizeof name, "%zu parts: %s", sizes[size], rows[i].name);
    ls_study_compare(report, name, ls_study_judged_if(is_judged, rows[i].expected), rows[i].ours);
  }
}

static void report_size(size_t size, const struct part *parts, size_t images,
                        struct ls_study_report *report) {
  struct means means[MODES];
  for (size_t mode = 0; mode < MODES; mode++) {
    find_means(parts, images, mode, &means[mode]);
    compare_mode(size, mode, &means[mode], report);
  }
  compare_words(size, means, images >= IMAGES, report);
}

static enum ls_status run_thinning(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct work work = {options->seed, options->sample > 0 ? (size_t)options->sample : IMAGES};
  struct part *parts = calloc(SIZES * work.images, sizeof *parts);
  if (parts == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu images", work.images);
  struct ls_parallel_map map = {.count = SIZES * work.images,
                                .result_bytes = sizeof *parts,
                                .processes = options->processes,
                                .compute = play_item,
                                .context = &work};
  enum ls_status status = ls_parallel_map(&map, parts, err);
  if (status == LS_OK) {
    ls_study_print(report,
                   "%zu images of %d iterations each; time and EER are over the least possible "
                   "time.\nRecomputed are means of %d images, specified those of %d; the words of "
                   "the thesis are about three\nimages that are lost.\n",
                   work.images, ITERATIONS, IMAGES_RECOMPUTED, IMAGES_SPECIFIED);
    for (size_t i = 0; i < SIZES; i++) report_size(i, parts + i * work.images, work.images, report);
  }
  free(parts);
  return status;
}

const struct ls_study ls_study_adaptive_thinning = {
    .name = "adaptive-thinning",
    .summary = "sizings on synthetic thinning of images, whose parts end one after the other",
    .reference = "heymann2001, Table 4-9 (on synthetic images)",
    .run = run_thinning,
};
