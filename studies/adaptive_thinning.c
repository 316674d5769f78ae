/* adaptive_thinning.c: how many workers for an application whose tasks end one after the other: the
 * thinning of images in 8, 16 and 32 parts (Table 4-9 of the thesis, whose images are lost, on
 * synthetic ones; the project's specification of iterated batches, sections 6 and 7).
 *
 * Part k costs c_k, uniform in 0.15 to 1, and converges at iteration max(3, L (0.12 + 0.88 u)), the
 * dearest one at L = 100; until then its time falls linearly to 0.15 c_k, give or take 5 %.  The
 * order is `average`.  The least possible time of an image is the sum of its iterations' largest
 * parts.
 *
 * The published means are those of 20 images.  Their chance is in them: the standard error of the
 * efficiency without sizing is 0.015 with 8 parts.  Ours are means of 1000, so that no chance is
 * added. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "model/workload.h"
#include "policies/sizing.h"
#include "runtime/parallel_map.h"
#include "studies/batches.h"
#include "studies/study.h"

enum { ITERATIONS = 100, IMAGES = 1000, SIZES = 3, PARTS_MAX = 32 };
enum { NONE, SELF, ASP, PERFECT, MODES };

static const size_t sizes[SIZES] = {8, 16, 32};
static const char *const modes[MODES] = {"none", "self", "asp", "perfect"};

/* Section 6: time and EER over the least possible time.  Section 7: workers and efficiency. */
static const struct published {
  double time[MODES], eer[MODES], workers[MODES], efficiency[MODES];
} published[SIZES] = {
    {{1, 1.053, 1.019, 1.040}, {0, 1.216, 1.219, 1.179}, {4.8, 3.1, 0, 0}, {.58, .87, 0, 0}},
    {{1, 1.017, 1.026, 1.034}, {0, 1.211, 1.181, 1.159}, {9.4, 5.6, 0, 0}, {.51, .84, 0, 0}},
    {{1, 1.009, 1.037, 1.036}, {0, 1.223, 1.172, 1.155}, {18.3, 10.6, 0, 0}, {.49, .83, 0, .90}}};

/* The specification's, for figures of section 7; EER of `asp` over that of `perfect`. */
static const double WORKERS_TOLERANCE = 0.5, EFFICIENCY_TOLERANCE = 0.02, TIME_TOLERANCE = 0.015;
static const double ASP_EER_MAX = 1.04;

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

struct image {
  size_t parts;
  double costs[PARTS_MAX];
  size_t ends[PARTS_MAX]; /* the iteration before which a part has converged */
};

static void draw_image(struct ls_random *random, size_t parts, struct image *image) {
  size_t dearest = 0;
  image->parts = parts;
  for (size_t i = 0; i < parts; i++) {
    image->costs[i] = 0.15 + 0.85 * ls_random_real(random);
    double end = trunc(ITERATIONS * (0.12 + 0.88 * ls_random_real(random)));
    image->ends[i] = (size_t)fmax(3, end);
    if (image->costs[i] > image->costs[dearest]) dearest = i;
  }
  image->ends[dearest] = ITERATIONS;
}

/* One iteration's times: of all parts, 0 for those that have converged, and of the live ones. */
struct times {
  double all[PARTS_MAX], live[PARTS_MAX];
  size_t live_count;
};

static void draw_times(struct ls_random *random, const struct image *image, size_t iteration,
                       struct times *times) {
  times->live_count = 0;
  for (size_t i = 0; i < image->parts; i++) {
    double done = (double)iteration / (double)image->ends[i];
    double usual = image->costs[i] * (1 - 0.85 * done);
    double seconds = ls_workload_vary(usual, 0.05, ls_random_real(random));
    times->all[i] = iteration < image->ends[i] ? seconds : 0;
    if (iteration < image->ends[i]) times->live[times->live_count++] = seconds;
  }
}

static enum ls_status find_perfect(const struct times *times, size_t *workers,
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
  const struct image *image;
  const struct ls_sizing *sizing; /* NULL: none, or perfect */
  bool is_perfect;
  struct ls_sizing_view sizing_view;
  struct ls_ordering_view view;
  struct ls_task_history *history;
  struct outcome *outcome;
};

static enum ls_status choose_workers(struct run *run, const struct times *times, size_t *workers,
                                     struct ls_error *err) {
  *workers = times->live_count;
  if (run->is_perfect) return find_perfect(times, workers, err);
  if (run->sizing == NULL) return LS_OK;
  run->sizing_view.units = times->live_count;
  *workers = run->sizing->wanted(&run->sizing_view, run->image->parts);
  return LS_OK;
}

static enum ls_status play_iteration(struct run *run, const struct times *times,
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

static enum ls_status play_image(const struct image *image, size_t mode, uint64_t seed,
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
  if (run.sizing != NULL) ls_arguments_init(&run.sizing_view.arguments, run.sizing->parameters);
  ls_random_init(&random, seed, "times");
  enum ls_status status = ls_task_history_create(&setup, &run.history, err);
  if (status == LS_OK) status = ls_task_history_reserve(run.history, image->parts, err);
  run.view.history = run.history;
  for (size_t i = 0; i < ITERATIONS && status == LS_OK; i++) {
    struct times times;
    draw_times(&random, image, i, &times);
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
  struct image image;
  char stream[32];
  (void)snprintf(stream, sizeof stream, "image %zu", index);
  ls_random_init(&random, work->seed, stream);
  draw_image(&random, sizes[index / work->images], &image);
  uint64_t seed = ls_random_u64(&random);
  enum ls_status status = LS_OK;
  for (size_t mode = 0; mode < MODES && status == LS_OK; mode++) {
    status = play_image(&image, mode, seed, &part->outcomes[mode], err);
  }
  return status;
}

/* ---- what is reported ---- */

/* Means over the images. */
struct means {
  double time, eer, workers, efficiency;
};

static struct means find_means(const struct part *parts, size_t images, size_t mode) {
  struct ls_moments time = {0}, eer = {0}, workers = {0}, efficiency = {0};
  for (size_t i = 0; i < images; i++) {
    const struct outcome *outcome = &parts[i].outcomes[mode];
    double useful = outcome->useful_s / outcome->up_s;
    ls_moments_add(&time, outcome->time_s / outcome->least_s);
    ls_moments_add(&eer, outcome->time_s / outcome->least_s / useful);
    ls_moments_add(&workers, outcome->workers / ITERATIONS);
    ls_moments_add(&efficiency, useful);
  }
  return (struct means){time.mean, eer.mean, workers.mean, efficiency.mean};
}

/* A published value of 0: there is none.  Where `tolerance` is NAN, for information. */
static void compare(struct ls_study_report *report, const char *words[2], size_t parts,
                    const double values[2], double tolerance) {
  char name[96];
  if (!(values[0] > 0)) return;
  (void)snprintf(name, sizeof name, "%zu parts, %s: %s", parts, words[0], words[1]);
  ls_study_compare(report, name, values[0], values[1], tolerance);
}

static void compare_mode(struct ls_study_report *report, size_t size, size_t mode,
                         const struct means *means, bool is_judged) {
  const struct published *wanted = &published[size];
  const double unknown = (double)NAN;
  bool is_of_section_7 = mode == NONE || mode == SELF || wanted->efficiency[mode] > 0;
  double time_tolerance = is_judged && is_of_section_7 ? TIME_TOLERANCE : unknown;
  compare(report, (const char *[]){modes[mode], "workers"}, sizes[size],
          (const double[]){wanted->workers[mode], means->workers},
          is_judged ? WORKERS_TOLERANCE : unknown);
  compare(report, (const char *[]){modes[mode], "efficiency"}, sizes[size],
          (const double[]){wanted->efficiency[mode], means->efficiency},
          is_judged ? EFFICIENCY_TOLERANCE : unknown);
  compare(report, (const char *[]){modes[mode], "time / least"}, sizes[size],
          (const double[]){wanted->time[mode], means->time}, time_tolerance);
  compare(report, (const char *[]){modes[mode], "EER / least time"}, sizes[size],
          (const double[]){wanted->eer[mode], means->eer}, unknown);
}

static void report_size(size_t size, const struct part *parts, size_t images,
                        struct ls_study_report *report) {
  char name[96];
  bool is_judged = images >= IMAGES;
  double eer[MODES];
  for (size_t mode = 0; mode < MODES; mode++) {
    struct means means = find_means(parts, images, mode);
    eer[mode] = means.eer;
    ls_study_print(report, "%5zu  %-8s %8.2f %11.3f %9.3f %8.3f\n", sizes[size], modes[mode],
                   means.workers, means.efficiency, means.time, means.eer);
    compare_mode(report, size, mode, &means, is_judged);
  }
  (void)snprintf(name, sizeof name, "%zu parts: EER of asp over 1.04 times that of perfect, by",
                 sizes[size]);
  ls_study_compare(report, name, 0, fmax(0, eer[ASP] / eer[PERFECT] - ASP_EER_MAX),
                   is_judged ? 0 : (double)NAN);
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
                   "%zu images (published: 20) of %d iterations each; time and EER are over the "
                   "least possible "
                   "time\n\n%5s  %-8s %8s %11s %9s %8s\n",
                   work.images, ITERATIONS, "parts", "workers", "number", "efficiency", "time",
                   "EER");
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
