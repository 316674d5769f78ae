/* returns_fixture.h: random stars whose results return, and oracles that try all orders. */
#ifndef LS_TESTS_UNIT_PLANNERS_RETURNS_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_RETURNS_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "planners/returns/dual_simplex.h"
#include "planners/returns/returns.h"

static inline double returns_draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

/* The classes of platforms, one after the other: w/c of 0.1, 1, 3, 10; d = z c with z of
 * 0.2, 0.8, 1, 1.5, or d of its own. */
static inline void returns_make(struct ls_returns *returns, struct ls_random *random, size_t count,
                                size_t kind, bool is_one_port) {
  static const double ratios[] = {0.1, 1, 3, 10}, back[] = {0.2, 0.8, 1, 1.5, 0};
  *returns = (struct ls_returns){.count = count, .is_one_port = is_one_port};
  returns->workers = calloc(count, sizeof *returns->workers);
  assert_non_null(returns->workers);
  for (size_t i = 0; i < count; i++) {
    struct ls_returns_worker *worker = &returns->workers[i];
    worker->send_s = returns_draw(random, 0.5, 1.5);
    worker->compute_s = returns_draw(random, 0.5, 1.5) * ratios[kind % 4];
    double own = returns_draw(random, 0.5, 1.5), z = back[kind / 4 % 5];
    worker->reply_s = z > 0 ? z * worker->send_s : own;
  }
}

/* Costs given as triples c, w, d. */
static inline void returns_take(struct ls_returns *returns, const double (*costs)[3],
                                size_t count) {
  *returns = (struct ls_returns){.count = count};
  returns->workers = calloc(count, sizeof *returns->workers);
  assert_non_null(returns->workers);
  for (size_t i = 0; i < count; i++) {
    returns->workers[i] =
        (struct ls_returns_worker){costs[i][0], costs[i][1], costs[i][2], 0, 0, 0};
  }
}

static inline void returns_platform(const struct ls_returns *returns,
                                    struct ls_platform *platform) {
  if (ls_platform_init(platform, returns->count, NULL) != LS_OK) fail_msg("no memory");
  platform->ports = returns->is_one_port ? LS_PORTS_ONE : LS_PORTS_TWO;
  for (size_t i = 0; i < returns->count; i++) {
    const struct ls_returns_worker *worker = &returns->workers[i];
    platform->workers[i].costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){worker->send_latency_s, worker->send_s};
    platform->workers[i].costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){worker->compute_latency_s, worker->compute_s};
    platform->workers[i].costs[LS_OPERATION_REPLY] =
        (struct ls_cost){worker->reply_latency_s, worker->reply_s};
  }
}

/* Plans `load` units by NAME or NAME:ARGUMENT; the caller closes the plan. */
static inline void returns_plan(const struct ls_returns *returns, const char *text, double load,
                                bool is_whole, struct ls_plan *plan) {
  const struct ls_planner *planner;
  struct ls_error err = {0};
  struct ls_platform platform;
  returns_platform(returns, &platform);
  struct ls_planner_setup setup = {.platform = &platform, .load = load};
  if (ls_planner_parse(text, &planner, &setup, &err) != LS_OK) fail_msg("%s", err.text);
  setup.is_whole = is_whole;
  if (ls_planner_run(planner, &setup, NULL, plan, &err) != LS_OK) fail_msg("%s", err.text);
  ls_platform_close(&platform);
}

static inline double returns_throughput(const struct ls_returns *returns, const char *text) {
  struct ls_plan plan;
  returns_plan(returns, text, 1, false, &plan);
  double throughput = ls_plan_get(&plan, "throughput", (double)NAN);
  ls_plan_close(&plan);
  return throughput;
}

static inline bool returns_permute(uint8_t *order, size_t count) {
  size_t i = count - 1, j = count - 1;
  while (i > 0 && order[i - 1] > order[i]) i--;
  bool is_last = i == 0;
  if (!is_last) {
    while (order[j] < order[i - 1]) j--;
    uint8_t kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
  for (size_t end = count - 1; i < end; i++, end--) {
    uint8_t kept = order[i];
    order[i] = order[end];
    order[end] = kept;
  }
  return !is_last;
}

enum returns_kind { RETURNS_ANY, RETURNS_FIFO, RETURNS_LIFO };

/* The best throughput over all pairs of orders (of a kind), with the rows of all workers. */
static inline double returns_enumerate(const struct ls_returns *returns, enum returns_kind kind) {
  uint32_t workers[LS_SMALL_MAX] = {0};
  struct ls_small small;
  struct ls_pair pair = {0};
  double best = 0;
  size_t count = returns->count;
  for (size_t i = 0; i < count; i++) workers[i] = (uint32_t)i;
  ls_small_init(&small, returns, workers, count);
  for (size_t i = 0; i < count; i++) pair.order[0][i] = pair.order[1][i] = (uint8_t)i;
  do {
    for (size_t i = 0; i < count; i++) {
      if (kind == RETURNS_ANY) pair.order[1][i] = (uint8_t)i;
      if (kind == RETURNS_FIFO) pair.order[1][i] = pair.order[0][count - 1 - i];
      if (kind == RETURNS_LIFO) pair.order[1][i] = pair.order[0][i];
    }
    do {
      best = fmax(best, ls_pair_value(&small, &pair, NULL));
    } while (kind == RETURNS_ANY && returns_permute(pair.order[1], count));
  } while (returns_permute(pair.order[0], count));
  return best * small.unit;
}

static inline void expect_near(double got, double wanted, double tolerance) {
  if (!(fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted))))
    fail_msg("%.17g is not %.17g within %g", got, wanted, tolerance);
}

/* The platforms of Figures 3 and 4 (recovered), and the trap of unused workers' rows. */
static const double returns_figure3[3][3] = {{1, 1, 1}, {1, 1, 1}, {5, 5, 5}};
static const double returns_figure4[3][3] = {{7, 6, 7}, {12, 5, 12}, {8, 5, 8}};
static const double returns_trap[3][3] = {{1, 0.2, 1}, {1, 0.2, 1}, {9, 9, 9}};

#endif
