/* online_prefetch.c: Figures 5.5 to 5.8 of the thesis on Monitor, simulated: the strategies when
 * more and more tasks wait at the workers.
 *
 * The thesis ran 1024 image tasks on 8 machines and prints curves without numbers.  Here 8 workers
 * of different speed have a latency of a tenth of a task; in the dynamic environment others use
 * their machines by the seven patterns.  One unit of our prefetch is up to two of the thesis' (it
 * has two queues).  An independent computation gives some means of the static environment, which
 * depend on the latency and the speeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "report/plot.h"
#include "runtime/parallel_map.h"
#include "simulate/world.h"
#include "studies/study.h"

enum { WORKERS = 8, UNITS = 1024, POLICIES = 7, STEPS = 9, SEEDS = 10 };

/* Strategies that may be faster than ss. */
static const double FASTER_MAX = 3;
/* A mean is off by more than four times its deviation once in 16,000 times. */
static const double NOISES = 4;

static const char *const policies[POLICIES] = {
    "sc", "ss", "gss", "tss", "fac2", "wf2", "monitor:report_every=4"};
static const double prefetches[STEPS] = {0, 1, 2, 4, 8, 16, 32, 64, 128};

struct cell {
  double to_bound;
};

struct grid {
  uint64_t seed;
  size_t seeds;
};

/* A tenth of a task as latency; speeds uniform in 0.7 to 1.3. */
static enum ls_status make_platform(struct ls_platform *platform, uint64_t seed,
                                    struct ls_error *err) {
  struct ls_random random;
  enum ls_status status = ls_platform_init(platform, WORKERS, err);
  if (status != LS_OK) return status;
  ls_random_init(&random, seed, "speeds");
  platform->prepare.latency_s = 0.01;
  for (size_t i = 0; i < WORKERS; i++) {
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s =
        1 / (0.7 + 0.6 * ls_random_real(&random));
    platform->workers[i].delay_s = 0.1;
  }
  return LS_OK;
}

static json_t *make_arguments(bool is_dynamic, double prefetch, uint64_t seed, double bound_s) {
  if (!is_dynamic) return json_pack("{s:s,s:i}", "weights", "nominal", "prefetch", (int)prefetch);
  return json_pack("{s:s,s:i,s:{s:s,s:i,s:f,s:f}}", "weights", "nominal", "prefetch", (int)prefetch,
                   "load_pattern", "kind", "seven", "first", (int)(seed % 7), "duration",
                   1.3 * bound_s, "slot", fmax(0.5, bound_s / 64));
}

static enum ls_status play(const struct ls_platform *platform, size_t index, uint64_t seed,
                           struct cell *cell, struct ls_error *err) {
  struct ls_world world;
  struct ls_simulated result;
  double speed = 0;
  for (size_t i = 0; i < WORKERS; i++)
    speed += 1 / platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
  size_t policy = index % POLICIES, step = index / POLICIES % STEPS;
  json_t *arguments =
      make_arguments(index / POLICIES / STEPS > 0, prefetches[step], seed, UNITS / speed);
  if (arguments == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a world");
  struct ls_world_request request = {.platform = platform,
                                     .units = UNITS,
                                     .policy = policies[policy],
                                     .arguments = ls_json_top(arguments, "study"),
                                     .has_seed = true,
                                     .seed = seed,
                                     .asking = LS_ASKING_ONE};
  enum ls_status status = ls_world_open(&world, &request, err);
  if (status == LS_OK) {
    status = ls_simulate(&world.setup, &result, NULL, err);
    if (status == LS_OK) cell->to_bound = result.makespan_s / ls_world_bound(&world);
    ls_world_close(&world);
  }
  json_decref(arguments);
  return status;
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct grid *grid = context;
  struct ls_platform platform;
  uint64_t seed = grid->seed + index % grid->seeds;
  enum ls_status status = make_platform(&platform, seed, err);
  if (status != LS_OK) return status;
  status = play(&platform, index / grid->seeds, seed, result, err);
  ls_platform_close(&platform);
  return status;
}

/* Means over the seeds: [environment][step][policy]. */
struct means {
  double of[2][STEPS][POLICIES];
};

static void average(const struct cell *cells, size_t seeds, struct means *means) {
  for (size_t index = 0; index < (size_t)2 * STEPS * POLICIES; index++) {
    struct ls_moments moments = {0};
    for (size_t k = 0; k < seeds; k++) ls_moments_add(&moments, cells[index * seeds + k].to_bound);
    means->of[index / POLICIES / STEPS][index / POLICIES % STEPS][index % POLICIES] = moments.mean;
  }
}

static void print_table(struct ls_study_report *report, const char *title,
                        double (*means)[POLICIES]) {
  ls_study_print(report, "%s: makespan over work / total speed\n%8s", title, "prefetch");
  for (size_t k = 0; k < POLICIES; k++) ls_study_print(report, " %8.7s", policies[k]);
  ls_study_print(report, "\n");
  for (size_t step = 0; step < STEPS; step++) {
    ls_study_print(report, "%8g", prefetches[step]);
    for (size_t k = 0; k < POLICIES; k++) ls_study_print(report, " %8.4f", means[step][k]);
    ls_study_print(report, "\n");
  }
  ls_study_print(report, "\n");
}

/* One of the two environments. */
struct environment {
  const char *file, *title, *words;
};

static void draw(struct ls_study_report *report, const struct environment *environment,
                 const struct grid *grid, double (*means)[POLICIES]) {
  static const char *const names[POLICIES] = {
      "sc", "ss", "gss", "tss", "fac2", "wf2", "monitor, reports every 4"};
  double columns[POLICIES][STEPS];
  char subtitle[128];
  struct ls_plot_series series[POLICIES];
  struct ls_bytes svg = {0};
  for (size_t k = 0; k < POLICIES; k++) {
    for (size_t step = 0; step < STEPS; step++) columns[k][step] = means[step][k];
    series[k] = (struct ls_plot_series){.name = names[k],
                                        .x = prefetches,
                                        .y = columns[k],
                                        .count = STEPS,
                                        .has_points = true,
                                        .has_line = true};
  }
  (void)snprintf(subtitle, sizeof subtitle, "%d tasks, %d workers, mean of %zu draws, seed %llu on",
                 UNITS, WORKERS, grid->seeds, (unsigned long long)grid->seed);
  struct ls_plot plot = {.title = environment->title,
                         .subtitle = subtitle,
                         .x = {.label = "prefetch, units", .is_log = true, .has_zero = true},
                         .y = {.label = "makespan / (work / total speed) (no unit)"},
                         .series = series,
                         .series_count = POLICIES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, environment->file, &svg);
}

/* Every strategy but static chunking, which sends all at once. */
static bool do_all_lose(double const (*steps)[POLICIES], size_t step) {
  for (size_t k = 1; k < POLICIES; k++)
    if (!(steps[step][k] > fmin(steps[1][k], steps[2][k]))) return false;
  return true;
}

/* How many strategies are faster than ss; "SS clearly is among the fastest", says the thesis. */
static double count_faster(double const (*steps)[POLICIES]) {
  double best[POLICIES];
  size_t faster = 0;
  for (size_t k = 0; k < POLICIES; k++) {
    best[k] = steps[0][k];
    for (size_t step = 1; step < STEPS; step++) best[k] = fmin(best[k], steps[step][k]);
  }
  for (size_t k = 0; k < POLICIES; k++) faster += best[k] < best[1];
  return (double)faster;
}

/* Means of an independent computation over 30,000 draws of the speeds, and the deviation of one. */
static const struct recomputed {
  size_t policy, step;
  double mean, deviation;
} recomputed[] = {
    {1, 0, 1.22032, 0.01309},
    {1, 1, 1.00752, 0.00193},
    {4, 0, 1.01856, 0.00160},
    {4, 1, 1.00754, 0.00198},
};

static void judge_means(struct ls_study_report *report, const struct means *means, size_t seeds) {
  for (size_t i = 0; i < sizeof recomputed / sizeof *recomputed; i++) {
    const struct recomputed *row = &recomputed[i];
    char name[96];
    (void)snprintf(name, sizeof name, "static: %s, prefetch %g: makespan over the bound",
                   policies[row->policy], prefetches[row->step]);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_RECOMPUTED, row->mean,
                                   NOISES * row->deviation / sqrt((double)seeds)),
                     means->of[0][row->step][row->policy]);
  }
}

/* Statements of the thesis and of docs/theory/online.md, 5; the means of a few draws may differ. */
static void judge(struct ls_study_report *report, const struct means *means, size_t seeds) {
  bool is_judged = seeds >= SEEDS;
  struct ls_study_expected yes = ls_study_near(LS_STUDY_SPECIFIED, 1, 0),
                           few = ls_study_at_most(LS_STUDY_SPECIFIED, FASTER_MAX);
  for (size_t e = 0; e < 2; e++) {
    const char *where = e == 0 ? "static" : "dynamic";
    char name[96];
    bool is_lost = do_all_lose(means->of[e], 5);
    (void)snprintf(name, sizeof name, "%s: with 16 all but sc lose against 1 or 2", where);
    ls_study_compare(report, name, ls_study_judged_if(is_judged, yes), is_lost);
    bool is_hidden = means->of[e][1][1] < means->of[e][0][1];
    (void)snprintf(name, sizeof name, "%s: a prefetch of 1 hides latency from ss", where);
    ls_study_compare(report, name, ls_study_judged_if(is_judged, yes), is_hidden);
    (void)snprintf(name, sizeof name, "%s: strategies faster than ss, each at its best", where);
    ls_study_compare(report, name, ls_study_judged_if(is_judged, few), count_faster(means->of[e]));
  }
  double least = means->of[0][0][0], largest = least;
  for (size_t step = 1; step < STEPS; step++) {
    least = fmin(least, means->of[0][step][0]);
    largest = fmax(largest, means->of[0][step][0]);
  }
  ls_study_compare(report, "static: sc is flat, all is sent at once (largest / least)",
                   ls_study_near(LS_STUDY_SPECIFIED, 1, 1e-9), largest / least);
}

static enum ls_status run_prefetch(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct grid grid = {.seed = options->seed,
                      .seeds = options->sample > 0 ? (size_t)options->sample : SEEDS};
  size_t count = 2 * STEPS * POLICIES * grid.seeds;
  static const struct environment environments[2] = {
      {"online-prefetch-static.svg", "Rosenvinge 2004, Figures 5.5 and 5.6: static environment",
       "Static environment (Figures 5.5 and 5.6)"},
      {"online-prefetch-dynamic.svg", "Rosenvinge 2004, Figures 5.7 and 5.8: dynamic environment",
       "Dynamic environment (Figures 5.7 and 5.8)"}};
  struct means means;
  struct cell *cells = calloc(count, sizeof *cells);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *cells,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &grid};
  if (cells == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu simulations", count);
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status == LS_OK) {
    average(cells, grid.seeds, &means);
    for (size_t e = 0; e < 2; e++) {
      print_table(report, environments[e].words, means.of[e]);
      draw(report, &environments[e], &grid, means.of[e]);
    }
    judge(report, &means, grid.seeds);
    judge_means(report, &means, grid.seeds);
  }
  free(cells);
  return status;
}

const struct ls_study ls_study_online_prefetch = {
    .name = "online-prefetch",
    .summary = "strategies over the prefetch, in static and dynamic environments",
    .reference = "rosenvinge2004, Figures 5.5 to 5.8",
    .run = run_prefetch,
};
