#include "cli/pack/pack_division.h"

#include <stdlib.h>
#include <string.h>

#include "planners/pack/pack_bags.h"
#include "planners/pack/pack_bound.h"
#include "planners/pack/pack_choice.h"
#include "planners/pack/pack_jobs.h"

/* A neighbour is searched for less far. */
enum { NEIGHBOUR_SHARE = 8 };

/* Speeds as they were given, and by their size. */
struct speeds {
  double *given, *sorted;
  uint32_t *places; /* of the sorted ones among the given */
  size_t count;
};

static enum ls_status open_speeds(struct speeds *speeds, const double *given, size_t count) {
  *speeds = (struct speeds){.given = calloc(count, sizeof *speeds->given),
                            .sorted = calloc(count, sizeof *speeds->sorted),
                            .places = calloc(count, sizeof *speeds->places),
                            .count = count};
  if (speeds->given == NULL || speeds->sorted == NULL || speeds->places == NULL) return LS_ENOMEM;
  for (size_t k = 0; k < count; k++) speeds->given[k] = given == NULL ? 1 : given[k];
  enum ls_status status = ls_pack_arrange(speeds->given, NULL, count, speeds->places);
  for (size_t k = 0; k < count && status == LS_OK; k++)
    speeds->sorted[k] = speeds->given[speeds->places[k]];
  return status;
}

static void close_speeds(struct speeds *speeds) {
  free(speeds->given);
  free(speeds->sorted);
  free(speeds->places);
}

static enum ls_status open_parts(struct ls_pack_division *out, size_t tasks, size_t parts) {
  out->count = parts;
  out->part_of = calloc(tasks + 1, sizeof *out->part_of);
  out->order = calloc(tasks + 1, sizeof *out->order);
  out->parts = calloc(parts, sizeof *out->parts);
  bool has_memory = out->part_of != NULL && out->order != NULL && out->parts != NULL;
  return has_memory ? LS_OK : LS_ENOMEM;
}

static enum ls_status make_shards(const struct ls_pack_options *options,
                                  const struct ls_pack_tasks *tasks, const struct speeds *speeds,
                                  struct ls_pack_division *out) {
  struct ls_pack_problem problem = {tasks->seconds, tasks->count, speeds->sorted, speeds->count};
  struct ls_budget budget = {.work_max = options->work};
  struct ls_pack_result result;
  enum ls_status status = open_parts(out, tasks->count, speeds->count);
  if (status == LS_OK) status = ls_pack_choose(&problem, &budget, &result, NULL);
  if (status != LS_OK) return status;
  for (size_t k = 0; k < speeds->count; k++) out->parts[k].speed = speeds->given[k];
  for (size_t i = 0; i < tasks->count; i++)
    out->part_of[i] = speeds->places[result.packing.shard_of[i]];
  out->makespan_s = result.packing.makespan_s;
  out->bound_s = result.bound_s;
  out->gap = ls_pack_gap(&result);
  out->algorithm = result.algorithm;
  out->is_optimal = result.is_optimal;
  ls_pack_result_close(&result);
  return LS_OK;
}

static enum ls_status make_jobs(const struct ls_pack_options *options,
                                const struct ls_pack_tasks *tasks, struct ls_pack_division *out) {
  struct ls_budget budget = {.work_max = options->work};
  struct ls_pack_jobs jobs;
  enum ls_status status = ls_pack_jobs_make(tasks->seconds, tasks->count,
                                            options->job_s - options->start_s, &budget, &jobs);
  if (status != LS_OK) return status;
  status = open_parts(out, tasks->count, jobs.jobs);
  for (size_t k = 0; k < jobs.jobs && status == LS_OK; k++) {
    out->parts[k].speed = 1;
    if (jobs.seconds[k] > out->makespan_s) out->makespan_s = jobs.seconds[k];
  }
  if (status == LS_OK) memcpy(out->part_of, jobs.job_of, tasks->count * sizeof *jobs.job_of);
  out->jobs_least = jobs.least;
  out->too_long = jobs.too_long;
  out->is_optimal = jobs.is_optimal;
  out->algorithm = "first fit decreasing";
  ls_pack_jobs_close(&jobs);
  return status;
}

/* Second stage: bags to machines whose speeds are known now. */
static enum ls_status place_bags(const struct ls_pack_options *options,
                                 const struct ls_pack_tasks *tasks, const double *sizes,
                                 struct ls_pack_division *out) {
  struct speeds speeds;
  struct ls_pack_result result;
  enum ls_status status = open_speeds(&speeds, options->speeds, options->speeds_count);
  out->machine_of = calloc(out->count, sizeof *out->machine_of);
  struct ls_pack_problem bags = {sizes, out->count, speeds.sorted, speeds.count};
  struct ls_pack_problem all = {tasks->seconds, tasks->count, speeds.sorted, speeds.count};
  if (status == LS_OK && out->machine_of == NULL) status = LS_ENOMEM;
  if (status == LS_OK) status = ls_pack_choose(&bags, NULL, &result, NULL);
  if (status == LS_OK) {
    for (size_t k = 0; k < out->count; k++)
      out->machine_of[k] = speeds.places[result.packing.shard_of[k]];
    out->machines_s = result.packing.makespan_s;
    out->bound_s = ls_pack_bound(&all);
    ls_pack_result_close(&result);
  }
  close_speeds(&speeds);
  return status;
}

static enum ls_status make_bags(const struct ls_pack_options *options,
                                const struct ls_pack_tasks *tasks, struct ls_pack_division *out) {
  struct ls_pack_bags bags;
  size_t machines = (size_t)options->machines;
  enum ls_status status =
      ls_pack_bags_make(tasks->seconds, tasks->count, (size_t)options->shards, machines, &bags);
  if (status != LS_OK) return status;
  status = open_parts(out, tasks->count, (size_t)options->shards);
  if (status == LS_OK) {
    memcpy(out->part_of, bags.bag_of, tasks->count * sizeof *bags.bag_of);
    for (size_t k = 0; k < out->count; k++) out->parts[k].speed = 1;
    out->makespan_s = bags.sizes[0];
    out->ratio = bags.ratio;
    out->sand_ratio = ls_pack_sand_ratio(out->count, machines);
    out->algorithm = bags.made;
    if (options->speeds_count > 0) status = place_bags(options, tasks, bags.sizes, out);
  }
  ls_pack_bags_close(&bags);
  return status;
}

static enum ls_status measure_parts(const struct ls_pack_options *options,
                                    const struct ls_pack_tasks *tasks,
                                    struct ls_pack_division *out) {
  size_t *next = calloc(out->count + 1, sizeof *next);
  if (next == NULL) return LS_ENOMEM;
  for (size_t i = 0; i < tasks->count; i++) {
    struct ls_pack_part *part = &out->parts[out->part_of[i]];
    part->seconds += tasks->seconds[i];
    part->variance += tasks->variances[i];
    part->tasks++;
  }
  for (size_t k = 0; k < out->count; k++)
    if (out->parts[k].tasks > 0)
      out->machine_s += options->start_s + out->parts[k].seconds / out->parts[k].speed;
  for (size_t k = 0; k < out->count; k++) next[k + 1] = next[k] + out->parts[k].tasks;
  for (size_t i = 0; i < tasks->count; i++) out->order[next[out->part_of[i]]++] = (uint32_t)i;
  free(next);
  return LS_OK;
}

static enum ls_status draw_spread(const struct ls_pack_options *options,
                                  const struct ls_pack_tasks *tasks, struct ls_pack_division *out) {
  if (!tasks->has_times || !tasks->has_spread || out->mode == LS_PACK_BAGS) return LS_OK;
  double *numbers = calloc(3 * out->count, sizeof *numbers);
  if (numbers == NULL) return LS_ENOMEM;
  double *variances = numbers + out->count, *speeds = variances + out->count;
  for (size_t k = 0; k < out->count; k++) {
    numbers[k] = out->parts[k].seconds;
    variances[k] = out->parts[k].variance;
    speeds[k] = out->parts[k].speed;
  }
  struct ls_pack_shards shards = {numbers, variances, speeds, out->count};
  enum ls_status status = ls_pack_spread_draw(&shards, options->seed, &out->spread);
  out->has_spread = status == LS_OK;
  free(numbers);
  return status;
}

/* A worker more is as fast as the slowest, which is the first to be saved. */
static enum ls_status try_neighbour(const struct ls_pack_options *options,
                                    const struct ls_pack_tasks *tasks, const struct speeds *speeds,
                                    size_t count, struct ls_pack_neighbour *out) {
  double *sorted = calloc(count, sizeof *sorted);
  struct ls_pack_result result;
  struct ls_pack_problem problem = {tasks->seconds, tasks->count, sorted, count};
  struct ls_budget budget = {.work_max = options->work / NEIGHBOUR_SHARE + 1};
  if (sorted == NULL) return LS_ENOMEM;
  for (size_t k = 0; k < count; k++)
    sorted[k] = speeds->sorted[k < speeds->count ? k : speeds->count - 1];
  enum ls_status status = ls_pack_choose(&problem, &budget, &result, NULL);
  if (status == LS_OK) {
    *out = (struct ls_pack_neighbour){.parts = count,
                                      .makespan_s = options->start_s + result.packing.makespan_s};
    for (size_t k = 0; k < count; k++)
      if (result.packing.seconds[k] > 0)
        out->machine_s += options->start_s + result.packing.seconds[k] / sorted[k];
    ls_pack_result_close(&result);
  }
  free(sorted);
  return status;
}

static enum ls_status try_bags(const struct ls_pack_options *options,
                               const struct ls_pack_tasks *tasks, size_t count,
                               struct ls_pack_neighbour *out) {
  struct ls_pack_bags bags;
  size_t machines = (size_t)options->machines;
  enum ls_status status = ls_pack_bags_make(tasks->seconds, tasks->count, count, machines, &bags);
  if (status != LS_OK) return status;
  *out = (struct ls_pack_neighbour){
      .parts = count, .sand_ratio = ls_pack_sand_ratio(count, machines), .ratio = bags.ratio};
  ls_pack_bags_close(&bags);
  return LS_OK;
}

static enum ls_status try_neighbours(const struct ls_pack_options *options,
                                     const struct ls_pack_tasks *tasks, const struct speeds *speeds,
                                     struct ls_pack_division *out) {
  enum ls_status status = LS_OK;
  for (int i = -1; i <= 1 && status == LS_OK; i++) {
    if (out->count == 1 && i < 0) continue;
    struct ls_pack_neighbour *place = &out->neighbours[out->neighbours_count++];
    size_t count = i < 0 ? out->count - 1 : out->count + (size_t)i;
    if (i == 0)
      *place = (struct ls_pack_neighbour){.parts = count,
                                          .makespan_s = options->start_s + out->makespan_s,
                                          .machine_s = out->machine_s,
                                          .sand_ratio = out->sand_ratio,
                                          .ratio = out->ratio};
    else if (out->mode == LS_PACK_BAGS)
      status = try_bags(options, tasks, count, place);
    else
      status = try_neighbour(options, tasks, speeds, count, place);
  }
  return status;
}

static enum ls_status divide(const struct ls_pack_options *options,
                             const struct ls_pack_tasks *tasks, struct ls_pack_division *out) {
  struct speeds speeds = {0};
  enum ls_status status = LS_OK;
  if (out->mode == LS_PACK_SHARDS) {
    status = open_speeds(&speeds, options->speeds_count > 0 ? options->speeds : NULL,
                         (size_t)options->shards);
    if (status == LS_OK) status = make_shards(options, tasks, &speeds, out);
  } else if (out->mode == LS_PACK_JOBS) {
    status = make_jobs(options, tasks, out);
    if (status == LS_OK) status = open_speeds(&speeds, NULL, out->count);
  } else {
    status = make_bags(options, tasks, out);
  }
  if (status == LS_OK) status = measure_parts(options, tasks, out);
  if (status == LS_OK) status = draw_spread(options, tasks, out);
  /* Who asks for the names of a shard alone wants no more. */
  if (status == LS_OK && options->index == 0) status = try_neighbours(options, tasks, &speeds, out);
  close_speeds(&speeds);
  return status;
}

enum ls_status ls_pack_divide(const struct ls_pack_options *options,
                              const struct ls_pack_tasks *tasks, struct ls_pack_division *out,
                              struct ls_error *err) {
  *out = (struct ls_pack_division){.mode = options->machines > 0 ? LS_PACK_BAGS
                                           : options->job_s > 0  ? LS_PACK_JOBS
                                                                 : LS_PACK_SHARDS};
  if (!(tasks->seconds[0] > 0) && out->mode == LS_PACK_BAGS)
    return ls_fail(err, LS_EINVAL, "all tasks take 0 seconds, expected one that takes longer");
  enum ls_status status = divide(options, tasks, out);
  if (status == LS_OK) return LS_OK;
  ls_pack_division_close(out);
  return ls_fail(err, status, "out of memory for a division of %zu tasks", tasks->count);
}

void ls_pack_division_close(struct ls_pack_division *division) {
  free(division->part_of);
  free(division->order);
  free(division->parts);
  free(division->machine_of);
  *division = (struct ls_pack_division){0};
}
