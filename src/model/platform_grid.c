#include "model/platform_grid.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

const char *const ls_grid_axis_names[LS_GRID_AXES] = {
    "load",          "workers",          "speed",           "rate", "delay",
    "heterogeneity", "transfer_latency", "compute_latency", "seed"};
const char *const ls_grid_axis_labels[LS_GRID_AXES] = {
    "load, units", "workers",       "speed of a worker, units/s", "rate of the network, units/s",
    "delay, s",    "heterogeneity", "latency of a transfer, s",   "latency of computing, s",
    "seed"};

/* A step that is met but for the last digits counts as met. */
static const double ALMOST = 1e-9;

size_t ls_grid_range_count(const struct ls_grid_range *range) {
  double steps = floor((range->last - range->first) / range->step + ALMOST);
  if (!(steps < LS_GRID_VALUES_MOST)) return LS_GRID_VALUES_MOST + 1;
  return steps < 0 ? 0 : (size_t)steps + 1;
}

double ls_grid_range_value(const struct ls_grid_range *range, size_t index) {
  char text[40];
  double value = range->first + (double)index * range->step;
  if (!(floor(value) < value)) return value;
  (void)snprintf(text, sizeof text, "%.12g", value);
  return strtod(text, NULL);
}

/* 1.1 x 10 is a little more than 11, and 2.3 x 10 might be a little less than 23. */
static double round_down(double value) {
  return floor(value * (1 + 1e-12));
}

static struct ls_grid_range rates_of(const struct ls_platform_grid *grid, size_t index) {
  struct ls_grid_range range = grid->rates_of_workers;
  double workers = grid->axes[LS_GRID_WORKERS].items[index];
  range.first = round_down(range.first * workers);
  range.last = round_down(range.last * workers);
  return range;
}

static enum ls_status count_rates(struct ls_platform_grid *grid, struct ls_error *err) {
  size_t workers = grid->axes[LS_GRID_WORKERS].count, sum = 0;
  grid->first_rates = calloc(workers + 1, sizeof *grid->first_rates);
  if (grid->first_rates == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a grid");
  for (size_t i = 0; i < workers; i++) {
    size_t count = grid->axes[LS_GRID_RATE].count;
    if (grid->has_rates_of_workers) {
      struct ls_grid_range range = rates_of(grid, i);
      count = ls_grid_range_count(&range);
      if (!(range.first > 0) || count == 0 || count > LS_GRID_VALUES_MOST)
        return ls_fail(
            err, LS_EINVAL, "rate goes from %g to %g for %g workers, expected 1 to %d values > 0",
            range.first, range.last, grid->axes[LS_GRID_WORKERS].items[i], LS_GRID_VALUES_MOST);
    }
    sum += count;
    grid->first_rates[i + 1] = sum;
  }
  return LS_OK;
}

/* By the numbers of values: 0, and `product` as it was, when that is too much. */
static bool multiply(uint64_t *product, size_t factor) {
  if (factor > LS_GRID_PLATFORMS_MOST / *product) return false;
  *product *= factor;
  return true;
}

enum ls_status ls_platform_grid_finish(struct ls_platform_grid *grid, struct ls_error *err) {
  enum ls_status status = count_rates(grid, err);
  if (status != LS_OK) return status;
  const struct ls_grid_values *axes = grid->axes;
  uint64_t all = 1;
  bool is_good = multiply(&all, grid->first_rates[axes[LS_GRID_WORKERS].count]);
  for (size_t i = 0; i < LS_GRID_AXES && is_good; i++)
    if (i != LS_GRID_WORKERS && i != LS_GRID_RATE) is_good = multiply(&all, axes[i].count);
  if (!is_good)
    return ls_fail(err, LS_EINVAL, "the grid has more than %llu platforms",
                   (unsigned long long)LS_GRID_PLATFORMS_MOST);
  grid->block_platforms = axes[LS_GRID_TRANSFER_LATENCY].count *
                          axes[LS_GRID_COMPUTE_LATENCY].count * axes[LS_GRID_SEED].count;
  grid->blocks = all / grid->block_platforms;
  return LS_OK;
}

void ls_platform_grid_close(struct ls_platform_grid *grid) {
  for (size_t i = 0; i < LS_GRID_AXES; i++) free(grid->axes[i].items);
  free(grid->first_rates);
  *grid = (struct ls_platform_grid){0};
}

uint64_t ls_platform_grid_count(const struct ls_platform_grid *grid) {
  return (uint64_t)grid->blocks * grid->block_platforms;
}

/* Takes the value of an axis that `number` says, and leaves the rest of it. */
static double take(const struct ls_platform_grid *grid, enum ls_grid_axis axis, size_t *number) {
  const struct ls_grid_values *values = &grid->axes[axis];
  double value = values->items[*number % values->count];
  *number /= values->count;
  return value;
}

/* Pairs of workers and rate are numbered as one axis, with the speeds between them. */
static void take_pair(const struct ls_platform_grid *grid, size_t *number,
                      struct ls_grid_point *point) {
  size_t workers = grid->axes[LS_GRID_WORKERS].count, speeds = grid->axes[LS_GRID_SPEED].count;
  size_t all = grid->first_rates[workers] * speeds, rest = *number % all, i = 0;
  *number /= all;
  while (rest >= grid->first_rates[i + 1] * speeds) i++;
  rest -= grid->first_rates[i] * speeds;
  size_t rates = grid->first_rates[i + 1] - grid->first_rates[i], rate = rest % rates;
  point->values[LS_GRID_WORKERS] = grid->axes[LS_GRID_WORKERS].items[i];
  point->values[LS_GRID_SPEED] = grid->axes[LS_GRID_SPEED].items[rest / rates];
  if (!grid->has_rates_of_workers) {
    point->values[LS_GRID_RATE] = grid->axes[LS_GRID_RATE].items[rate];
    return;
  }
  struct ls_grid_range range = rates_of(grid, i);
  point->values[LS_GRID_RATE] = ls_grid_range_value(&range, rate);
}

struct ls_grid_point ls_platform_grid_point(const struct ls_platform_grid *grid, size_t block,
                                            size_t index) {
  struct ls_grid_point point;
  assert(block < grid->blocks && index < grid->block_platforms);
  point.values[LS_GRID_SEED] = take(grid, LS_GRID_SEED, &index);
  point.values[LS_GRID_COMPUTE_LATENCY] = take(grid, LS_GRID_COMPUTE_LATENCY, &index);
  point.values[LS_GRID_TRANSFER_LATENCY] = take(grid, LS_GRID_TRANSFER_LATENCY, &index);
  point.values[LS_GRID_HETEROGENEITY] = take(grid, LS_GRID_HETEROGENEITY, &block);
  point.values[LS_GRID_DELAY] = take(grid, LS_GRID_DELAY, &block);
  take_pair(grid, &block, &point);
  point.values[LS_GRID_LOAD] = take(grid, LS_GRID_LOAD, &block);
  return point;
}

bool ls_grid_point_is_drawn(const struct ls_grid_point *point) {
  return point->values[LS_GRID_HETEROGENEITY] > 1;
}

/* Uniform around the mean, as in Figure 11 of yang2002; the mean itself takes no chance. */
static double draw(struct ls_random *random, double mean, double heterogeneity) {
  double spread = (heterogeneity - 1) / (heterogeneity + 1);
  if (!(spread > 0)) return mean;
  return mean * (1 - spread + 2 * spread * ls_random_real(random));
}

void ls_platform_grid_set(const struct ls_grid_point *point, struct ls_platform *platform) {
  const double *values = point->values, heterogeneity = values[LS_GRID_HETEROGENEITY];
  struct ls_random random;
  assert(platform->workers_count == (size_t)values[LS_GRID_WORKERS]);
  ls_random_init(&random, (uint64_t)values[LS_GRID_SEED], "platform");
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    struct ls_cost *compute = &worker->costs[LS_OPERATION_COMPUTE];
    struct ls_cost *transfer = &worker->costs[LS_OPERATION_TRANSFER];
    compute->per_unit_s = 1 / draw(&random, values[LS_GRID_SPEED], heterogeneity);
    compute->latency_s = draw(&random, values[LS_GRID_COMPUTE_LATENCY], heterogeneity);
    transfer->latency_s = draw(&random, values[LS_GRID_TRANSFER_LATENCY], heterogeneity);
    transfer->per_unit_s = 1 / draw(&random, values[LS_GRID_RATE], heterogeneity);
    worker->delay_s = values[LS_GRID_DELAY];
  }
}

enum ls_status ls_platform_grid_make(const struct ls_platform_grid *grid,
                                     const struct ls_grid_point *point,
                                     struct ls_platform *platform, struct ls_error *err) {
  enum ls_status status = ls_platform_init(platform, (size_t)point->values[LS_GRID_WORKERS], err);
  if (status != LS_OK) return status;
  platform->ports = grid->ports;
  ls_platform_grid_set(point, platform);
  return LS_OK;
}
