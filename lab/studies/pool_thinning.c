/* pool_thinning.c: Tables 4-9 and 4-11 to 4-18 of the thesis: images that are thinned in parts, by
 * as many workers as there are live parts or by a self-adjusting number, on like machines and on
 * unlike ones, there with the times of parts divided by the speed of who computed them (alpha) and
 * without.
 *
 * The thesis' images are lost, and its unlike machines had other speeds in each run.  Expected are
 * means over synthetic images (synthetic_images.h) under list scheduling; the unlike workers have
 * speeds of 1, .55, .35 and .19, eight of each.  So only signs and bounds are judged.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "lab/studies/batches.h"
#include "lab/studies/side_by_side.h"
#include "lab/studies/study.h"
#include "lab/studies/synthetic_images.h"
#include "policies/sizing.h"
#include "runtime/os/parallel_map.h"

enum { IMAGES = 300, IMAGES_LEAST = 20, PARTS_MAX = LS_STUDY_IMAGE_PARTS_MAX };
enum { SIZE_8, SIZE_16, SIZE_32, UNLIKE, WORLDS };
enum { NONE, SELF, SELF_PLAIN, MODES };
enum { TIME, WORKERS, EFFICIENCY, FIGURES };

/* Of the self-adjusting rule, as Figure 4-7 prints it. */
static const double PRINTED_SLACK = 0.15, SLACK_STEP = 0.001;

static const double speeds[] = {1, 0.55, 0.35, 0.19};
enum { SPEEDS = sizeof speeds / sizeof *speeds };
static const struct world {
  const char *name;
  size_t parts;
  const char *efficiency_least; /* of the self-adjusting sizing */
} worlds[WORLDS] = {{"8 like workers", 8, "0.8"},
                    {"16 like workers", 16, "0.8"},
                    {"32 like workers", 32, "0.8"},
                    {"32 unlike workers", 32, "0.7"}};

/* Of each image in each world; the print has three images on like machines, two on unlike ones. */
enum { PRINTED_IMAGES = 3 };
static const struct printed {
  size_t images;
  double of[MODES][FIGURES][PRINTED_IMAGES];
} printed[WORLDS] = {{3,
                      {{{4141, 3179, 2948}, {5.5, 5.3, 5.57}, {0.41, 0.64, 0.59}},
                       {{4473, 3230, 3094}, {2.45, 3.89, 2.85}, {0.88, 0.8, 0.88}},
                       {{0}}}},
                     {3,
                      {{{2634, 1562, 1678}, {9.12, 10.36, 7.02}, {0.41, 0.59, 0.64}},
                       {{2648, 1833, 1732}, {4.17, 6.55, 4.01}, {0.89, 0.82, 0.86}},
                       {{0}}}},
                     {3,
                      {{{1533, 1204, 1001}, {12.85, 21.11, 11.34}, {0.48, 0.399, 0.7}},
                       {{1703, 1399, 1002}, {7.37, 9.41, 8.92}, {0.86, 0.83, 0.87}},
                       {{0}}}},
                     /* Means of four runs: Tables 4-15, 4-17; 4-16, 4-18. */
                     {2,
                      {{{2839.55, 1088.65}, {13.975, 18.7525}, {0.5, 0.5}},
                       {{2901.8, 1239.7}, {8.1375, 10.7325}, {0.8025, 0.7375}},
                       {{0}}}}};
/* Tables 4-12, 4-14 with alpha, 4-11, 4-13 without, of runs on other machines: time, efficiency. */
static const double with_alpha[2][2] = {{2646.625, 1140.35}, {0.81, 0.7675}};
static const double without_alpha[2][2] = {{3555.525, 1425.8}, {0.8025, 0.785}};

/* Words of the thesis on all cases or most, and docs/theory/pool.md, 1. */
static const double SAVED_LEAST = 20, SLOWER_MOST = 15, LIKE_LEAST = 0.8, UNLIKE_LEAST = 0.7;
static const char LOST[] = "the images are lost, and the machines had other speeds";

/* ---- one image ---- */

struct outcome {
  double time_s, useful_s, up_s, workers; /* sums over the iterations */
};

struct run {
  const struct ls_study_image *image;
  const struct ls_sizing *sizing; /* NULL: a worker for each live part */
  bool has_alpha;
  double per_unit[PARTS_MAX]; /* seconds for one by worker, the fastest first */
  struct ls_sizing_view sizing_view;
  struct ls_ordering_view view;
  struct ls_task_history *history;
  struct outcome *outcome;
};

/* What the master knows of an iteration: seconds by the wall clock, for the order divided by the
 * worker's slowness. */
static enum ls_status look_back(struct run *run, const struct ls_study_image_times *times,
                                const uint32_t *worker_of_task, struct ls_error *err) {
  double wall[PARTS_MAX];
  size_t live = 0;
  for (size_t i = 0; i < run->image->parts; i++) {
    if (!(times->all[i] > 0)) continue;
    double seconds = times->all[i] * run->per_unit[worker_of_task[i]];
    wall[live++] = seconds;
    ls_task_history_observe(run->history, i, run->has_alpha ? times->all[i] : seconds);
  }
  ls_task_history_close_iteration(run->history);
  return ls_task_facts(wall, live, &run->sizing_view.tasks, err);
}

static enum ls_status play_iteration(struct run *run, const struct ls_study_image_times *times,
                                     struct ls_error *err) {
  static const struct ls_study_order order = {"average", NULL};
  uint32_t worker_of_task[PARTS_MAX];
  struct ls_list_schedule schedule;
  size_t workers = times->live_count;
  run->view.actual = times->all;
  run->sizing_view.units = times->live_count;
  if (run->sizing != NULL) workers = run->sizing->wanted(&run->sizing_view, run->image->parts);
  const struct ls_study_crew crew = {workers, run->per_unit, worker_of_task};
  enum ls_status status = ls_study_batch_on(&order, &run->view, &crew, &schedule, err);
  if (status == LS_OK) status = look_back(run, times, worker_of_task, err);
  if (status != LS_OK) return status;
  run->outcome->time_s += schedule.makespan_s;
  run->outcome->useful_s += schedule.useful_cost;
  run->outcome->up_s += schedule.up_cost;
  run->outcome->workers += (double)workers;
  run->sizing_view.is_start = 0;
  run->sizing_view.iteration = run->view.iteration;
  run->sizing_view.wanted = run->sizing_view.current = workers;
  run->sizing_view.iteration_seconds = schedule.makespan_s;
  run->sizing_view.efficiency = schedule.efficiency;
  return LS_OK;
}

static enum ls_status play_iterations(struct run *run, uint64_t seed, struct ls_error *err) {
  struct ls_random random;
  enum ls_status status = LS_OK;
  ls_random_init(&random, seed, "times");
  for (size_t i = 0; i < LS_STUDY_IMAGE_ITERATIONS && status == LS_OK; i++) {
    struct ls_study_image_times times;
    ls_study_image_times(&random, run->image, i, &times);
    run->view.iteration = (uint32_t)i;
    status = play_iteration(run, &times, err);
  }
  return status;
}

static enum ls_status play_image(const struct ls_study_image *image, size_t world, size_t mode,
                                 uint64_t seed, struct outcome *outcome, struct ls_error *err) {
  const struct ls_task_history_setup setup = {0};
  struct run run = {.image = image,
                    .sizing = mode == NONE ? NULL : ls_sizing_find("self"),
                    .has_alpha = mode != SELF_PLAIN,
                    .sizing_view = {.is_start = 1},
                    .view = {.units = image->parts, .seed = seed},
                    .outcome = outcome};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < image->parts; i++)
    run.per_unit[i] = world == UNLIKE ? 1 / speeds[i * SPEEDS / image->parts] : 1;
  if (run.sizing != NULL) {
    ls_arguments_init(&run.sizing_view.arguments, run.sizing->parameters);
    status = ls_arguments_set(&run.sizing_view.arguments, run.sizing->parameters, "efficiency",
                              worlds[world].efficiency_least, err);
  }
  if (status == LS_OK) status = ls_task_history_create(&setup, &run.history, err);
  if (status == LS_OK) status = ls_task_history_reserve(run.history, image->parts, err);
  run.view.history = run.history;
  if (status == LS_OK) status = play_iterations(&run, seed, err);
  ls_task_history_destroy(run.history);
  return status;
}

struct work {
  uint64_t seed;
  size_t images;
};

struct part {
  struct outcome outcomes[MODES];
};

static enum ls_status play_item(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct part *part = result;
  struct ls_random random;
  struct ls_study_image image;
  size_t world = index / work->images;
  char stream[32];
  (void)snprintf(stream, sizeof stream, "image %zu", index);
  ls_random_init(&random, work->seed, stream);
  ls_study_image_draw(&random, worlds[world].parts, &image);
  uint64_t seed = ls_random_u64(&random);
  enum ls_status status = LS_OK;
  for (size_t mode = 0; mode < MODES && status == LS_OK; mode++) {
    if (mode != SELF_PLAIN || world == UNLIKE)
      status = play_image(&image, world, mode, seed, &part->outcomes[mode], err);
  }
  return status;
}

/* ---- what is reported ---- */

enum { SAVED, NONE_EFFICIENCY, SELF_EFFICIENCY, SLOWER, ROWS_OF_WORLD };
enum { ALPHA_TIME = WORLDS * ROWS_OF_WORLD, ALPHA_WITHOUT, ALPHA_WITH, ROWS };
static const char *const row_names[ROWS_OF_WORLD] = {"self saves workers, %", "none: efficiency",
                                                     "self: efficiency", "self is slower, %"};

/* Means over the images, of what `of` has by mode and figure. */
static void summarise(double of[MODES][FIGURES], double share, double sums[ROWS_OF_WORLD]) {
  sums[SAVED] += share * 100 * (1 - of[SELF][WORKERS] / of[NONE][WORKERS]);
  sums[NONE_EFFICIENCY] += share * of[NONE][EFFICIENCY];
  sums[SELF_EFFICIENCY] += share * of[SELF][EFFICIENCY];
  sums[SLOWER] += share * 100 * (of[SELF][TIME] / of[NONE][TIME] - 1);
}

static void summarise_printed(size_t world, double sums[ROWS_OF_WORLD]) {
  const struct printed *print = &printed[world];
  for (size_t k = 0; k < print->images; k++) {
    double of[MODES][FIGURES];
    for (size_t mode = 0; mode < MODES; mode++)
      for (size_t f = 0; f < FIGURES; f++) of[mode][f] = print->of[mode][f][k];
    summarise(of, 1 / (double)print->images, sums);
  }
}

static void summarise_parts(const struct part *parts, size_t images, double sums[ROWS_OF_WORLD],
                            double alpha[3]) {
  double share = 1 / (double)images;
  for (size_t k = 0; k < images; k++) {
    double of[MODES][FIGURES];
    for (size_t mode = 0; mode < MODES; mode++) {
      const struct outcome *outcome = &parts[k].outcomes[mode];
      of[mode][TIME] = outcome->time_s;
      of[mode][WORKERS] = outcome->workers / LS_STUDY_IMAGE_ITERATIONS;
      of[mode][EFFICIENCY] = outcome->useful_s / outcome->up_s;
    }
    summarise(of, share, sums);
    alpha[0] += share * of[SELF][TIME] / of[SELF_PLAIN][TIME];
    alpha[1] += share * of[SELF_PLAIN][EFFICIENCY];
    alpha[2] += share * of[SELF][EFFICIENCY];
  }
}

static void fill_row(struct ls_study_beside *row, double print, double expected) {
  row->printed = print;
  row->specified = row->tolerance = (double)NAN;
  row->expected = expected;
}

static void fill_rows(const struct part *parts, size_t images, struct ls_study_beside *rows) {
  static const char *const alpha_names[] = {"time with alpha / without",
                                            "without alpha: efficiency", "with alpha: efficiency"};
  double alpha[3] = {0};
  for (size_t world = 0; world < WORLDS; world++) {
    double print[ROWS_OF_WORLD] = {0}, ours[ROWS_OF_WORLD] = {0};
    summarise_printed(world, print);
    for (size_t i = 0; i < 3; i++) alpha[i] = 0; /* the last world's count */
    summarise_parts(parts + world * images, images, ours, alpha);
    for (size_t i = 0; i < ROWS_OF_WORLD; i++) {
      struct ls_study_beside *row = &rows[world * ROWS_OF_WORLD + i];
      (void)snprintf(row->name, sizeof row->name, "%s, %s", worlds[world].name, row_names[i]);
      fill_row(row, print[i], ours[i]);
    }
  }
  const double print[3] = {
      (with_alpha[0][0] / without_alpha[0][0] + with_alpha[0][1] / without_alpha[0][1]) / 2,
      (without_alpha[1][0] + without_alpha[1][1]) / 2, (with_alpha[1][0] + with_alpha[1][1]) / 2};
  for (size_t i = 0; i < 3; i++) {
    struct ls_study_beside *row = &rows[ALPHA_TIME + i];
    (void)snprintf(row->name, sizeof row->name, "%s, %s", worlds[UNLIKE].name, alpha_names[i]);
    fill_row(row, print[i], alpha[i]);
  }
}

/* What is expected, and what was measured if anything was. */
static void compare(const struct ls_study_beside *row, struct ls_study_expected expected,
                    bool is_judged, struct ls_study_report *report) {
  char name[LS_STUDY_BESIDE_NAME_BYTES + 16];
  ls_study_compare(report, row->name, ls_study_judged_if(is_judged, expected), row->expected);
  (void)snprintf(name, sizeof name, "%.63s, measured", row->name);
  if (!isnan(row->measured)) ls_study_compare(report, name, expected, row->measured);
}

static void compare_all(const struct ls_study_beside *rows, bool is_judged,
                        struct ls_study_report *report) {
  for (size_t world = 0; world < WORLDS; world++) {
    const struct ls_study_beside *row = rows + world * ROWS_OF_WORLD;
    double least = world == UNLIKE ? UNLIKE_LEAST : LIKE_LEAST;
    compare(&row[SAVED], ls_study_at_least(LS_STUDY_PRINTED, SAVED_LEAST), is_judged, report);
    compare(&row[SELF_EFFICIENCY], ls_study_at_least(LS_STUDY_PRINTED, least), is_judged, report);
    compare(&row[SLOWER], ls_study_at_most(LS_STUDY_PRINTED, SLOWER_MOST), is_judged, report);
  }
  compare(&rows[ALPHA_TIME], ls_study_at_most(LS_STUDY_PRINTED, 1), is_judged, report);
  compare(&rows[ALPHA_WITH], ls_study_at_least(LS_STUDY_PRINTED, UNLIKE_LEAST), is_judged, report);
}

/* Beyond its longest task an iteration may last so much longer, as a share of that, without a
 * further worker, where the shortest task is shorter than that. */
static double find_slack(void) {
  enum { STEPS = 1000 };
  const struct ls_sizing *sizing = ls_sizing_find("self");
  struct ls_sizing_view view = {.iteration = 1,
                                .units = STEPS,
                                .wanted = 10,
                                .current = 10,
                                .efficiency = 1,
                                .tasks = {.tasks = 20, .total_s = 10, .largest_s = 1, .asp = 10}};
  size_t step = 0;
  ls_arguments_init(&view.arguments, sizing->parameters);
  do {
    view.iteration_seconds = 1 + ((double)step + 0.5) / STEPS;
    if (sizing->wanted(&view, STEPS) > view.wanted) break;
  } while (++step < STEPS);
  ls_arguments_close(&view.arguments);
  return (double)step / STEPS;
}

static enum ls_status report_images(const struct ls_study_options *options,
                                    const struct part *parts, size_t images,
                                    struct ls_study_report *report, struct ls_error *err) {
  struct ls_study_beside rows[ROWS] = {0};
  fill_rows(parts, images, rows);
  enum ls_status status = ls_study_beside_read(options->measured, rows, ROWS, err);
  if (status != LS_OK) return status;
  ls_study_print(report,
                 "Printed are means over the images of the thesis, expected over %zu synthetic "
                 "ones; as many parts as workers,\nof which none keeps one for each live part.\n\n",
                 images);
  ls_study_beside_report(rows, ROWS, LOST, report);
  compare_all(rows, images >= IMAGES_LEAST, report);
  ls_study_compare(report, "self: slack of an iteration / longest task (Figure 4-7)",
                   ls_study_near(LS_STUDY_PRINTED, PRINTED_SLACK, SLACK_STEP), find_slack());
  return LS_OK;
}

static enum ls_status run_thinning(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct work work = {options->seed, options->sample > 0 ? (size_t)options->sample : IMAGES};
  struct part *parts = calloc(WORLDS * work.images, sizeof *parts);
  if (parts == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu images", work.images);
  struct ls_parallel_map map = {.count = WORLDS * work.images,
                                .result_bytes = sizeof *parts,
                                .processes = options->processes,
                                .compute = play_item,
                                .context = &work};
  enum ls_status status = ls_parallel_map(&map, parts, err);
  if (status == LS_OK) status = report_images(options, parts, work.images, report, err);
  free(parts);
  return status;
}

const struct ls_study ls_study_pool_thinning = {
    .name = "pool-thinning",
    .summary = "thinning of images on like and unlike workers: printed, expected, and measured",
    .reference = "heymann2001, Tables 4-9 and 4-11 to 4-18",
    .takes_measured = true,
    .run = run_thinning,
};
