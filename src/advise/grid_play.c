#include "advise/grid_play.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/star_batch.h"
#include "model/replay.h"
#include "planners/planner.h"

/* The plans that can be played together, of one piece. */
struct together {
  struct ls_star_batch *batch; /* NULL: none can */
  double *latencies_s;
};

static enum ls_status open_together(struct together *together, const struct ls_grid_piece *piece,
                                    const struct ls_grid_point *points, size_t count,
                                    struct ls_error *err) {
  const double *values = points[0].values;
  *together = (struct together){0};
  if (ls_grid_point_is_drawn(&points[0]) || values[LS_GRID_DELAY] > 0 ||
      piece->grid->ports != LS_PORTS_TWO)
    return LS_OK;
  together->latencies_s = calloc(count, 2 * sizeof *together->latencies_s);
  if (together->latencies_s == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", count);
  for (size_t i = 0; i < count; i++) {
    together->latencies_s[i] = points[i].values[LS_GRID_TRANSFER_LATENCY];
    together->latencies_s[count + i] = points[i].values[LS_GRID_COMPUTE_LATENCY];
  }
  const struct ls_star_batch_setup setup = {.workers = (size_t)values[LS_GRID_WORKERS],
                                            .load = values[LS_GRID_LOAD],
                                            .transfer_per_unit_s = 1 / values[LS_GRID_RATE],
                                            .compute_per_unit_s = 1 / values[LS_GRID_SPEED],
                                            .transfer_latencies_s = together->latencies_s,
                                            .compute_latencies_s = together->latencies_s + count,
                                            .count = count};
  return ls_star_batch_create(&together->batch, &setup, err);
}

static void close_together(struct together *together) {
  ls_star_batch_destroy(together->batch);
  free(together->latencies_s);
}

/* False: this planner's plans are not among those, or not on these platforms. */
static bool play_together(const struct together *together, const char *label, double *makespans_s) {
  static const char installments[] = "mi:";
  if (together->batch == NULL) return false;
  if (strcmp(label, "umr") == 0) return ls_star_batch_umr(together->batch, makespans_s);
  if (strcmp(label, "one-round") == 0) return ls_star_batch_one_round(together->batch, makespans_s);
  if (strncmp(label, installments, strlen(installments)) != 0) return false;
  const char *digits = label + strlen(installments);
  size_t length = strspn(digits, "0123456789"), number = 0;
  if (length == 0 || length > 3 || digits[length] != '\0') return false;
  for (size_t i = 0; i < length; i++) number = 10 * number + (size_t)(digits[i] - '0');
  if (number < 1 || number > LS_STAR_BATCH_INSTALLMENTS_MAX) return false;
  return ls_star_batch_installments(together->batch, number, makespans_s);
}

/* Some platforms of one block, and who plans for them. */
struct order {
  const struct ls_platform_grid *grid;
  const struct ls_grid_planners *planners;
  const struct ls_grid_point *points;
  size_t count;
};

/* What ls_planner_run does, but for the times of the chunks, which nobody reads. */
static enum ls_status make_plan(const struct ls_planner *planner,
                                const struct ls_planner_setup *setup, const char *label,
                                struct ls_plan *plan, struct ls_error *err) {
  double total = 0;
  if (setup->is_whole) return ls_planner_run(planner, setup, label, plan, err);
  ls_plan_init(plan, label, setup->load);
  enum ls_status status = ls_planner_make(planner, setup, plan, err);
  if (status == LS_OK) status = ls_plan_finish(plan, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK && !ls_planner_gave_all(plan, &total))
    status = ls_fail(err, LS_EINVAL, "the chunks of %s are not the load", label);
  return status;
}

/* A planner that refuses the platform has no makespan there. */
static enum ls_status plan_one(const struct ls_planner *planner,
                               const struct ls_planner_setup *setup, const char *label,
                               struct ls_plan *plan, double *makespan_s) {
  struct ls_error reason = {0};
  enum ls_status status = make_plan(planner, setup, label, plan, &reason);
  *makespan_s = (double)INFINITY;
  if (status == LS_OK && plan->outcome == LS_PLAN_OK)
    status = ls_replay_makespan(plan, setup->platform, makespan_s, &reason);
  return status == LS_EINVAL ? LS_OK : status;
}

static enum ls_status plan_all(const struct order *order, const struct ls_planner *planner,
                               struct ls_planner_setup *setup, const char *label,
                               double *makespans_s) {
  struct ls_platform platform;
  struct ls_plan plan;
  bool is_same =
      planner->ignores_latencies && !setup->is_whole && !ls_grid_point_is_drawn(&order->points[0]);
  enum ls_status status = ls_platform_grid_make(order->grid, &order->points[0], &platform, NULL);
  if (status != LS_OK) return status;
  setup->platform = &platform;
  setup->load = order->points[0].values[LS_GRID_LOAD];
  status = plan_one(planner, setup, label, &plan, &makespans_s[0]);
  for (size_t i = 1; i < order->count && status == LS_OK; i++) {
    ls_platform_grid_set(&order->points[i], &platform);
    makespans_s[i] = (double)INFINITY;
    if (is_same && isfinite(makespans_s[0])) {
      status = ls_replay_makespan(&plan, &platform, &makespans_s[i], NULL);
    } else if (!is_same) {
      ls_plan_close(&plan);
      status = plan_one(planner, setup, label, &plan, &makespans_s[i]);
    }
  }
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return status;
}

static enum ls_status plan_each(const struct order *order, const char *label, double *makespans_s,
                                struct ls_error *err) {
  const struct ls_planner *planner = NULL;
  struct ls_planner_setup setup = {.platform = NULL};
  enum ls_status status = ls_planner_parse(label, &planner, &setup, err);
  if (status != LS_OK) return status;
  setup.is_whole |= order->planners->is_whole;
  if (order->planners->work_max > 0) setup.budget.work_max = order->planners->work_max;
  status = plan_all(order, planner, &setup, label, makespans_s);
  ls_arguments_close(&setup.arguments);
  if (status == LS_OK) return LS_OK;
  return ls_fail(err, status, "algorithm %s: no memory for its plans", label);
}

enum ls_status ls_grid_play(const struct ls_grid_piece *piece,
                            const struct ls_grid_planners *planners, double *makespans_s,
                            size_t stride, struct ls_error *err) {
  size_t count = 0;
  struct together together = {0};
  struct ls_grid_point *points = ls_grid_piece_points(piece, &count);
  if (points == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", piece->count);
  const struct order order = {piece->grid, planners, points, count};
  assert(count <= stride);
  enum ls_status status = LS_OK;
  if (count > 0 && !planners->is_one_by_one && !planners->is_whole)
    status = open_together(&together, piece, points, count, err);
  for (size_t i = 0; i < planners->count && count > 0 && status == LS_OK; i++) {
    double *row = makespans_s + i * stride;
    if (!play_together(&together, planners->labels[i], row))
      status = plan_each(&order, planners->labels[i], row, err);
  }
  close_together(&together);
  free(points);
  return status;
}
