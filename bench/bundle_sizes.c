/* bundle_sizes: our policy `affine` beside fixed numbers of units, where each chunk is one process
 * that takes 2 ms to start.
 *
 * Usage: bundle_sizes [SEEDS]      (200)
 *
 * Six shapes of unit times, on two equal workers and on three of speeds 1, 1/2, 1/4 (which start as
 * much more slowly), by units and mean time.  Rivals are all of 1, 3, 10, 30, ... units in a chunk,
 * on the same seeds; the best is found in hindsight, and no bench could know it before.  Prints for
 * each row the mean makespans, ours over that best one's, and ours over the lower bound: all work
 * at all speeds, a start for each worker, and the longest unit.  To be reached: at most 1.05 of the
 * best fixed number, and on unequal workers at most 1.05 of the bound but for bimodal and giant.
 * Rows with less work for each worker than 25 starts are shown and not judged: one start more than
 * a split needs is 4 % of them, and no policy learns anything without one.  Nor is the bound of
 * rows with less than 200 starts: three chunks more for each worker are half of 3 % there.  Exits 1
 * when a row that is judged misses.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "policies/chunking.h"
#include "simulate/simulate.h"
#include "simulate/task_times.h"

enum {
  SHAPES = 6,
  GIANT = SHAPES - 1,
  BIMODAL = GIANT - 1,
  CREWS = 2,
  SIZES = 9,
  UNITS_MAX = 20000
};

static const double START_S = 0.002, REACH = 1.05, STARTS_LEAST = 25, STARTS_BOUND = 200;
static const char *const shape_names[SHAPES] = {"constant", "ramp-up", "ramp-down",
                                                "gamma",    "bimodal", "giant"};
static const uint64_t unit_counts[] = {200, 1000, 4000, UNITS_MAX};
static const double unit_means[] = {30e-6, 1e-3, 50e-3};
static const struct crew {
  size_t workers;
  double speeds[3];
} crews[CREWS] = {{2, {1, 1}}, {3, {1, 0.5, 0.25}}};

/* What plays one row. */
struct row {
  const struct crew *crew;
  size_t shape;
  uint64_t units;
  double mean_s;
  double *work;
};

struct outcome {
  double fixed_s[SIZES], ours_s, bound_s, chunks;
  uint64_t seeds;
  size_t sizes;
};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "bundle_sizes: %s\n", err->text);
  exit(2);
}

/* The rival gives so many units, as a parameter says. */
static const struct ls_parameter fixed_parameters[] = {
    {"units", "of each chunk", LS_PARAMETER_WHOLE, 1, 1, 1e9, NULL}, {0}};

static enum ls_status init_fixed(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                 void **state, struct ls_error *err) {
  uint64_t *units = ls_arena_take(arena, sizeof *units);
  if (units == NULL) return ls_chunking_no_memory(err);
  *units = (uint64_t)ls_arguments_get(&setup->arguments, fixed_parameters, "units");
  *state = units;
  return LS_OK;
}

static uint64_t give_fixed(void *state, const struct ls_chunking_view *view, uint32_t worker) {
  const uint64_t *units = state;
  (void)worker;
  return *units < view->units_unassigned ? *units : view->units_unassigned;
}

static const struct ls_chunking fixed = {.name = "fixed",
                                         .summary = "chunks of one size",
                                         .reference = "none",
                                         .parameters = fixed_parameters,
                                         .init = init_fixed,
                                         .next_units = give_fixed};

/* Work of mean 1, but for what chance does to it. */
static void draw(const struct row *row, uint64_t seed) {
  static const enum ls_task_law laws[] = {LS_TASK_CONSTANT, LS_TASK_RAMP_UP, LS_TASK_RAMP_DOWN,
                                          LS_TASK_GAMMA};
  struct ls_random random;
  struct ls_error err = {0};
  ls_random_init(&random, seed, "bundle_sizes");
  if (row->shape < BIMODAL) {
    struct ls_task_times times = {laws[row->shape], 1, 1};
    require(ls_task_times_draw(&times, &random, row->work, row->units, &err), &err);
    return;
  }
  bool is_giant = row->shape == GIANT;
  for (uint64_t i = 0; i < row->units; i++) {
    bool is_long = !is_giant && ls_random_below(&random, 10) == 0;
    row->work[i] = is_giant ? 0.8 : (is_long ? 10 : 1) / 1.9;
  }
  if (is_giant) row->work[ls_random_below(&random, row->units)] = 0.2 * (double)row->units;
}

static double play(const struct row *row, const struct ls_chunking *chunking, const char *units,
                   uint64_t *chunks) {
  struct ls_platform platform;
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  struct ls_simulation setup = {
      .platform = &platform, .units = row->units, .task_work = row->work, .has_whole_chunks = true};
  require(ls_platform_init(&platform, row->crew->workers, &err), &err);
  for (size_t i = 0; i < row->crew->workers; i++) {
    double speed = row->crew->speeds[i];
    platform.workers[i].costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){START_S / speed, row->mean_s / speed};
  }
  setup.config.chunking = chunking;
  setup.config.mean_seconds = setup.config.deviation_seconds = (double)NAN;
  setup.config.overhead_seconds = (double)NAN;
  ls_arguments_init(&setup.config.arguments, chunking->parameters);
  if (units != NULL)
    require(ls_arguments_set(&setup.config.arguments, chunking->parameters, "units", units, &err),
            &err);
  require(ls_simulate(&setup, &result, NULL, &err), &err);
  ls_platform_close(&platform);
  if (chunks != NULL) *chunks = result.chunks;
  return result.makespan_s;
}

/* The slowest workers stay out where their start alone would take longer. */
static double find_bound(const struct row *row) {
  double load_s = 0, rate = 0, longest_s = 0, bound_s = HUGE_VAL;
  for (uint64_t i = 0; i < row->units; i++) {
    load_s += row->work[i] * row->mean_s;
    longest_s = fmax(longest_s, row->work[i] * row->mean_s);
  }
  for (size_t i = 0; i < row->crew->workers; i++) {
    load_s += START_S;
    rate += row->crew->speeds[i];
    bound_s = fmin(bound_s, load_s / rate);
  }
  return fmax(bound_s, longest_s + START_S);
}

static struct outcome measure(const struct row *row, uint64_t seeds) {
  static const char *const sizes[SIZES] = {"1",   "3",    "10",   "30",   "100",
                                           "300", "1000", "3000", "10000"};
  struct outcome outcome = {.seeds = row->shape < 3 ? 1 : seeds};
  const struct ls_chunking *ours = ls_chunking_find("affine");
  for (uint64_t seed = 1; seed <= outcome.seeds; seed++) {
    uint64_t chunks;
    draw(row, seed);
    outcome.ours_s += play(row, ours, NULL, &chunks);
    outcome.chunks += (double)chunks;
    outcome.bound_s += find_bound(row);
    for (outcome.sizes = 0; outcome.sizes < SIZES; outcome.sizes++) {
      if (strtoull(sizes[outcome.sizes], NULL, 10) >= row->units) break;
      outcome.fixed_s[outcome.sizes] += play(row, &fixed, sizes[outcome.sizes], NULL);
    }
  }
  return outcome;
}

/* true: nothing that is judged misses. */
static bool show(const struct row *row, const struct outcome *outcome) {
  size_t best = 0;
  unsigned size = 1;
  for (size_t i = 1; i < outcome->sizes; i++)
    if (outcome->fixed_s[i] < outcome->fixed_s[best]) best = i;
  for (size_t i = 0; i < best; i++) size = i % 2 == 0 ? size * 3 : size / 3 * 10;
  double starts = (double)row->units * row->mean_s / START_S / (double)row->crew->workers;
  double to_fixed = outcome->ours_s / outcome->fixed_s[best];
  double to_bound = outcome->ours_s / outcome->bound_s, seeds = (double)outcome->seeds;
  bool has_bound = row->crew->workers > 2 && row->shape < BIMODAL && starts >= STARTS_BOUND;
  bool is_met = to_fixed <= REACH && (!has_bound || to_bound <= REACH);
  bool is_judged = starts >= STARTS_LEAST;
  printf(
      "%zu %6llu x %8g s %-9s best fixed %5u %11.5f s, affine %11.5f s in %5.1f chunks, "
      "/ fixed %.3f, / bound %.3f %s\n",
      row->crew->workers, (unsigned long long)row->units, row->mean_s, shape_names[row->shape],
      size, outcome->fixed_s[best] / seeds, outcome->ours_s / seeds, outcome->chunks / seeds,
      to_fixed, to_bound,
      !is_judged ? "(not judged)"
      : is_met   ? ""
                 : "MISSED");
  (void)fflush(stdout);
  return is_met || !is_judged;
}

int main(int count, char **words) {
  uint64_t seeds = count > 1 ? strtoull(words[1], NULL, 10) : 200;
  double *work = malloc(UNITS_MAX * sizeof *work);
  size_t rows = 0, missed = 0;
  if (work == NULL || seeds == 0) {
    fprintf(stderr, "bundle_sizes: SEEDS is '%s', expected a whole number >= 1\n",
            count > 1 ? words[1] : "");
    free(work);
    return 2;
  }
  for (size_t i = 0; i < CREWS * 4 * 3 * SHAPES; i++) {
    const struct row row = {&crews[i / (4 * 3 * SHAPES)], i % SHAPES,
                            unit_counts[i / (3 * SHAPES) % 4], unit_means[i / SHAPES % 3], work};
    struct outcome outcome = measure(&row, seeds);
    rows++;
    missed += !show(&row, &outcome);
  }
  printf("%zu of %zu rows missed\n", missed, rows);
  free(work);
  return missed > 0 ? 1 : 0;
}
