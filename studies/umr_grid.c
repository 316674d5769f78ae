#include "studies/umr_grid.h"

#include <assert.h>
#include <stdio.h>

#include "model/replay.h"
#include "planners/planner.h"

enum { WORKERS_LEAST = 10, WORKERS_MOST = 50, WORKERS_STEP = 5, LOAD = 1000 };

const char *const ls_umr_grid_names[LS_GRID_ALGORITHMS] = {
    "UMR", "MI-1", "MI-2", "MI-3", "MI-4", "MI-5", "MI-6", "MI-7", "MI-8", "One-Batch"};

struct ls_umr_grid_pair ls_umr_grid_pair(size_t index) {
  for (uint32_t workers = WORKERS_LEAST; workers <= WORKERS_MOST; workers += WORKERS_STEP) {
    uint32_t least = workers * 11 / 10, count = 5 * workers - least + 1;
    if (index < count) {
      return (struct ls_umr_grid_pair){.workers = workers, .bandwidth = least + (uint32_t)index};
    }
    index -= count;
  }
  assert(false && "a pair of the grid");
  return (struct ls_umr_grid_pair){0};
}

double ls_umr_grid_latency_s(size_t index) {
  assert(index < LS_UMR_GRID_LATENCIES);
  return (double)index * 3 / 100;
}

/* A platform whose latencies change from case to case, and a plan's makespan on it. */
struct bench {
  struct ls_platform platform;
  struct ls_planner_setup setup;
};

static enum ls_status open_bench(const struct ls_umr_grid_pair *pair, struct bench *bench,
                                 struct ls_error *err) {
  enum ls_status status = ls_platform_init(&bench->platform, pair->workers, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < pair->workers; i++) {
    bench->platform.workers[i].costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){0, 1 / (double)pair->bandwidth};
    bench->platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0, 1};
  }
  bench->setup = (struct ls_planner_setup){.platform = &bench->platform, .load = LOAD};
  return LS_OK;
}

static void set_latencies(struct bench *bench, const struct ls_umr_grid_case *at) {
  double network_s = ls_umr_grid_latency_s(at->network);
  double compute_s = ls_umr_grid_latency_s(at->compute);
  for (size_t i = 0; i < bench->platform.workers_count; i++) {
    bench->platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = network_s;
    bench->platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s = compute_s;
  }
}

static enum ls_status make_plan(struct bench *bench, const char *algorithm, struct ls_plan *plan,
                                struct ls_error *err) {
  const struct ls_planner *planner;
  ls_plan_init(plan, algorithm, LOAD);
  enum ls_status status = ls_planner_parse(algorithm, &planner, &bench->setup, err);
  if (status == LS_OK) status = ls_planner_make(planner, &bench->setup, plan, err);
  if (status == LS_OK && plan->outcome != LS_PLAN_OK) {
    status = ls_fail(err, LS_EINVAL, "%s does not apply: %s", algorithm, plan->why);
  }
  return status;
}

/* A planner's own makespan for each case. */
static enum ls_status play_planner(struct bench *bench, const char *algorithm,
                                   const struct ls_umr_grid_case *cases, size_t count,
                                   double *makespans_s, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_plan plan;
    set_latencies(bench, &cases[i]);
    status = make_plan(bench, algorithm, &plan, err);
    if (status == LS_OK) {
      status = ls_replay_makespan(&plan, &bench->platform, &makespans_s[i], err);
    }
    ls_plan_close(&plan);
  }
  return status;
}

/* Installments ignore the latencies: one plan serves all cases. */
static enum ls_status play_installments(struct bench *bench, size_t installments,
                                        const struct ls_umr_grid_case *cases, size_t count,
                                        double *makespans_s, struct ls_error *err) {
  char algorithm[32];
  struct ls_plan plan;
  (void)snprintf(algorithm, sizeof algorithm, "mi:%zu", installments);
  enum ls_status status = make_plan(bench, algorithm, &plan, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    set_latencies(bench, &cases[i]);
    status = ls_replay_makespan(&plan, &bench->platform, &makespans_s[i], err);
  }
  ls_plan_close(&plan);
  return status;
}

enum ls_status ls_umr_grid_play(const struct ls_umr_grid_pair *pair,
                                const struct ls_umr_grid_case *cases, size_t count,
                                struct ls_umr_grid_makespans *makespans, struct ls_error *err) {
  struct bench bench;
  assert(count <= LS_UMR_GRID_CASES);
  enum ls_status status = open_bench(pair, &bench, err);
  if (status != LS_OK) return status;
  status = play_planner(&bench, "umr", cases, count, makespans->at[LS_GRID_UMR], err);
  for (size_t i = LS_GRID_MI_1; i < LS_GRID_ONE_BATCH && status == LS_OK; i++) {
    status = play_installments(&bench, i, cases, count, makespans->at[i], err);
  }
  if (status == LS_OK) {
    status = play_planner(&bench, "one-round", cases, count, makespans->at[LS_GRID_ONE_BATCH], err);
  }
  ls_platform_close(&bench.platform);
  if (status == LS_OK) return LS_OK;
  return ls_fail_while(err, status, "N = %u, B = %u", (unsigned)pair->workers,
                       (unsigned)pair->bandwidth);
}
