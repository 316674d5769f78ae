/* Windows and rooms of workers whose results return.  The oracle solves the program of every pair
 * of orders of every subset in units and seconds, as docs/theory/returns.md, 1 and 7 write it, with
 * the limits as rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/long_run.h"
#include "../../support/unless_sanitized.h"
#include "base/random.h"
#include "model/validate.h"
#include "planners/planner.h"
#include "planners/returns/returns_limits.h"
#include "returns_fixture.h"
#include "solve/linear.h"

enum { ORACLE_WORKERS_MAX = 4 };

static const char *const planners[] = {"fifo",       "lifo",          "fifo-inc-c",    "fifo-inc-w",
                                       "returns-lp", "returns-exact", "returns-search"};
enum { PLANNERS = sizeof planners / sizeof *planners };

struct orders { /* of `count` workers */
  size_t count;
  uint8_t sends[ORACLE_WORKERS_MAX], returns[ORACLE_WORKERS_MAX];
};

static struct ls_cost cost_of(const struct ls_platform *platform, size_t worker,
                              enum ls_operation operation) {
  return platform->workers[worker].costs[operation];
}

static size_t find_place(const uint8_t *order, size_t count, uint8_t worker) {
  for (size_t k = 0; k < count; k++)
    if (order[k] == worker) return k;
  return count;
}

/* A cost of worker k's chunk in the row begun last; its latency, which is paid with or without. */
static double add_cost(struct ls_linear *program, size_t k, struct ls_cost cost) {
  ls_linear_entry(program, k, cost.per_unit_s);
  return cost.latency_s;
}

static void add_rows(const struct ls_platform *platform, const struct orders *orders,
                     struct ls_linear *program) {
  for (size_t i = 0; i < orders->count; i++) {
    size_t row = ls_linear_row(program, LS_AT_MOST, 0);
    size_t own = find_place(orders->returns, orders->count, orders->sends[i]);
    double latency_s = 0;
    for (size_t k = 0; k < orders->count; k++) {
      uint8_t worker = orders->sends[k];
      size_t back = find_place(orders->returns, orders->count, worker);
      if (k <= i)
        latency_s += add_cost(program, k, cost_of(platform, worker, LS_OPERATION_TRANSFER));
      if (k == i)
        latency_s += add_cost(program, k, cost_of(platform, worker, LS_OPERATION_COMPUTE));
      if (back >= own)
        latency_s += add_cost(program, k, cost_of(platform, worker, LS_OPERATION_REPLY));
    }
    ls_linear_entry(program, orders->count, -1);
    program->bounds[row] = -latency_s;
  }
}

static void add_port(const struct ls_platform *platform, const struct orders *orders,
                     struct ls_linear *program) {
  size_t row = ls_linear_row(program, LS_AT_MOST, 0);
  double latency_s = 0;
  for (size_t k = 0; k < orders->count; k++) {
    uint8_t worker = orders->sends[k];
    latency_s += add_cost(program, k, cost_of(platform, worker, LS_OPERATION_TRANSFER));
    latency_s += add_cost(program, k, cost_of(platform, worker, LS_OPERATION_REPLY));
  }
  ls_linear_entry(program, orders->count, -1);
  program->bounds[row] = -latency_s;
}

/* INFINITY: no sizes within the limits are the load. */
static double solve_orders(const struct ls_platform *platform, double load,
                           const struct orders *orders) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  ls_linear_init(&program, false);
  for (size_t k = 0; k < orders->count; k++) (void)ls_linear_column(&program, 0);
  (void)ls_linear_column(&program, 1);
  add_rows(platform, orders, &program);
  if (platform->ports == LS_PORTS_ONE) add_port(platform, orders, &program);
  (void)ls_linear_row(&program, LS_EQUAL, load);
  for (size_t k = 0; k < orders->count; k++) ls_linear_entry(&program, k, 1);
  for (size_t k = 0; k < orders->count; k++) {
    const struct ls_worker_model *worker = &platform->workers[orders->sends[k]];
    (void)ls_linear_row(&program, LS_AT_LEAST, worker->window_from);
    ls_linear_entry(&program, k, 1);
    (void)ls_linear_row(&program, LS_AT_MOST,
                        fmin(fmin(worker->window_to, worker->room_units), load));
    ls_linear_entry(&program, k, 1);
  }
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  double makespan_s = solution.outcome == LS_LINEAR_OPTIMAL ? solution.objective : (double)INFINITY;
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return makespan_s;
}

/* The best over the pairs of orders of every subset of the workers, of a kind. */
static double enumerate(const struct ls_platform *platform, double load, enum returns_kind kind) {
  double best_s = (double)INFINITY;
  for (uint32_t mask = 1; mask < (uint32_t)1 << platform->workers_count; mask++) {
    struct orders orders = {0};
    uint8_t first[ORACLE_WORKERS_MAX];
    for (uint8_t i = 0; i < platform->workers_count; i++)
      if (((mask >> i) & 1) != 0) first[orders.count++] = i;
    memcpy(orders.sends, first, sizeof first);
    do {
      for (size_t k = 0; k < orders.count; k++) {
        if (kind == RETURNS_ANY) orders.returns[k] = first[k];
        if (kind == RETURNS_FIFO) orders.returns[k] = orders.sends[k];
        if (kind == RETURNS_LIFO) orders.returns[k] = orders.sends[orders.count - 1 - k];
      }
      do {
        best_s = fmin(best_s, solve_orders(platform, load, &orders));
      } while (kind == RETURNS_ANY && returns_permute(orders.returns, orders.count));
    } while (returns_permute(orders.sends, orders.count));
  }
  return best_s;
}

static void open_platform(struct ls_platform *platform, struct ls_random *random, size_t count,
                          size_t kind) {
  struct ls_returns returns;
  returns_make(&returns, random, count, kind, kind % 3 == 0);
  for (size_t i = 0; kind % 4 == 0 && i < count; i++) {
    returns.workers[i].send_latency_s = returns_draw(random, 0, 2);
    returns.workers[i].compute_latency_s = returns_draw(random, 0, 2);
    returns.workers[i].reply_latency_s = returns_draw(random, 0, 2);
  }
  returns_platform(&returns, platform);
  ls_returns_close(&returns);
}

/* Limits about the fair share of a load, of most workers. */
static void draw_limits(struct ls_platform *platform, struct ls_random *random, double load) {
  double share = load / (double)platform->workers_count;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (ls_random_below(random, 2) == 0) worker->window_from = returns_draw(random, 0, 1.2) * share;
    if (ls_random_below(random, 2) == 0)
      worker->window_to = worker->window_from + returns_draw(random, 0, 2) * share;
    if (ls_random_below(random, 4) == 0)
      worker->room_units = fmax(worker->window_from, returns_draw(random, 0.5, 2) * share);
  }
}

static void make_plan(const struct ls_platform *platform, const char *name, double load,
                      bool is_whole, struct ls_plan *plan) {
  const struct ls_planner *planner;
  struct ls_error err;
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  if (ls_planner_parse(name, &planner, &setup, &err) != LS_OK) fail_msg("%s", err.text);
  setup.is_whole = is_whole;
  if (ls_planner_run(planner, &setup, NULL, plan, &err) != LS_OK)
    fail_msg("%s: %s", name, err.text);
  if (plan->outcome == LS_PLAN_OK && ls_validate_plan(plan, platform, &err) != LS_OK)
    fail_msg("%s: %s", name, err.text);
  if (plan->outcome == LS_PLAN_OK && is_whole) assert_true(ls_plan_is_whole(plan));
  if (plan->outcome != LS_PLAN_OK) assert_non_null(strstr(plan->why, "outside its window"));
  ls_arguments_close(&setup.arguments);
}

static double end_of(const struct ls_platform *platform, const char *name, double load,
                     bool *is_fitted) {
  struct ls_plan plan;
  make_plan(platform, name, load, false, &plan);
  double end_s = plan.outcome == LS_PLAN_OK ? plan.makespan_s : (double)INFINITY;
  if (is_fitted != NULL) *is_fitted = ls_plan_get(&plan, "fitted", 0) > 0;
  ls_plan_close(&plan);
  return end_s;
}

/* To four workers the two searches find the best within the limits, or know that there is none. */
static void few_workers_get_the_best_loads_within_their_limits(void **state) {
  (void)state;
  struct ls_random random;
  size_t bound = 0, refused = 0;
  ls_random_init(&random, 1, "limits");
  for (size_t kind = 0; kind < 24; kind++) {
    struct ls_platform platform;
    double load = returns_draw(&random, 1, 200);
    open_platform(&platform, &random, 1 + kind % 4, kind);
    double free_s = end_of(&platform, "returns-exact", load, NULL);
    draw_limits(&platform, &random, load);
    double best_s = enumerate(&platform, load, RETURNS_ANY);
    for (size_t i = PLANNERS - 2; i < PLANNERS; i++) {
      bool is_fitted;
      double end_s = end_of(&platform, planners[i], load, &is_fitted);
      /* The program found it, no repair of its loads. */
      assert_false(is_fitted);
      assert_int_equal(isinf(end_s) != 0, isinf(best_s) != 0);
      if (isfinite(best_s) && !(fabs(end_s - best_s) <= 1e-9 * best_s))
        fail_msg("kind %zu: %s ends at %.17g, expected %.17g", kind, planners[i], end_s, best_s);
    }
    refused += isinf(best_s) != 0;
    bound += isfinite(best_s) && best_s > free_s * (1 + 1e-6);
    ls_platform_close(&platform);
  }
  assert_in_range(refused, 1, 12);
  assert_in_range(bound, 6, 24);
}

/* LIFO and FIFO orders are those without limits; the workers in them are the best. */
static void other_planners_keep_the_limits(void **state) {
  (void)state;
  struct ls_random random;
  size_t plans = 0;
  ls_random_init(&random, 2, "limits");
  for (size_t kind = 0; kind < 24; kind++) {
    struct ls_platform platform;
    double load = returns_draw(&random, 1, 200);
    open_platform(&platform, &random, 1 + kind % 4, kind);
    draw_limits(&platform, &random, load);
    double fifo_s = enumerate(&platform, load, RETURNS_FIFO);
    double lifo_s = enumerate(&platform, load, RETURNS_LIFO);
    for (size_t i = 0; i < PLANNERS - 2; i++) {
      bool is_fitted, is_lifo = i == 1;
      double end_s = end_of(&platform, planners[i], load, &is_fitted);
      assert_false(is_fitted);
      assert_int_equal(isinf(end_s) != 0, isinf(fifo_s) != 0);
      if (isinf(end_s)) continue;
      assert_true(end_s >= (is_lifo ? lifo_s : fifo_s) * (1 - 1e-9));
      plans++;
    }
    ls_platform_close(&platform);
  }
  assert_true(plans > 50);
}

/* Where the loads without limits lie within them, nothing changes. */
static void wide_limits_change_nothing(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "limits");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_platform platform;
    open_platform(&platform, &random, 1 + kind % 6, kind);
    for (size_t i = 0; i < PLANNERS; i++) {
      struct ls_plan plain, wide;
      make_plan(&platform, planners[i], 50, false, &plain);
      for (size_t k = 0; k < platform.workers_count; k++) platform.workers[k].window_to = 50;
      make_plan(&platform, planners[i], 50, false, &wide);
      for (size_t k = 0; k < platform.workers_count; k++)
        platform.workers[k].window_to = (double)INFINITY;
      assert_true(fabs(plain.makespan_s - wide.makespan_s) <= 1e-12 * plain.makespan_s);
      assert_true(ls_plan_get(&plain, "proven", 2) == ls_plan_get(&wide, "proven", 2));
      ls_plan_close(&plain);
      ls_plan_close(&wide);
    }
    ls_platform_close(&platform);
  }
}

static void whole_units_stay_within_the_limits(void **state) {
  (void)state;
  struct ls_random random;
  size_t plans = 0;
  ls_random_init(&random, 4, "limits");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_platform platform;
    double load = 1 + (double)ls_random_below(&random, 100);
    open_platform(&platform, &random, 1 + kind % 5, kind);
    draw_limits(&platform, &random, load);
    for (size_t i = 0; i < PLANNERS; i++) {
      struct ls_plan plan;
      make_plan(&platform, planners[i], load, true, &plan);
      plans += plan.outcome == LS_PLAN_OK;
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
  }
  assert_true(plans > 70);
}

/* Each may hold a little: nearly all are needed, also those that are of no use without limits. */
static void small_rooms_take_many_workers(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "limits");
  for (size_t kind = 0; kind < 6; kind++) {
    struct ls_platform platform;
    size_t count = kind % 3 == 0 ? 8 : kind % 3 == 1 ? 13 : 30;
    open_platform(&platform, &random, count, kind);
    for (size_t i = 0; i < count; i++) {
      platform.workers[i].room_units = 10;
      platform.workers[i].window_from = i % 2 == 0 ? 6 : 0;
    }
    double load = 10 * (double)count - 5;
    for (size_t i = 0; i < PLANNERS; i++) {
      if (count > 8 && strcmp(planners[i], "returns-exact") == 0) continue;
      bool is_fitted;
      assert_true(isfinite(end_of(&platform, planners[i], load, &is_fitted)));
      assert_false(is_fitted);
    }
    ls_platform_close(&platform);
  }
}

/* What the program leaves of rounding disappears; nobody leaves its limits for it. */
static void loads_settle_on_the_load(void **state) {
  (void)state;
  struct ls_returns_limits limits[] = {{2, 5}, {0, (double)INFINITY}, {3, 3}};
  struct ls_returns_worker workers[] = {{1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  struct ls_returns returns = {.count = 3, .workers = workers, .limits = limits, .load = 10};
  struct ls_scenario scenario;
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){0, 1, 2}, 3);
  scenario.units[0] = 5 + 1e-9;
  scenario.units[1] = 2 - 1e-9;
  scenario.units[2] = 3 - 1e-9;
  ls_returns_settle(&returns, &scenario);
  expect_near(scenario.units[0] + scenario.units[1] + scenario.units[2], 10, 1e-15);
  assert_true(scenario.units[0] <= 5 && scenario.units[2] >= 3 && scenario.units[2] <= 3);
  assert_true(ls_returns_fits(&returns, &scenario));
  assert_true(ls_returns_can_hold(&returns, &scenario));
  scenario.units[2] = 2;
  assert_false(ls_returns_fits(&returns, &scenario));
  returns.load = 4;
  assert_false(ls_returns_can_hold(&returns, &scenario)); /* the least are 5 */
  bool is_enrolled[3] = {true, true, true};
  assert_true(ls_returns_enrol(&returns, &scenario, is_enrolled));
  assert_false(is_enrolled[0] && is_enrolled[2]);
  limits[1].most = -1;
  assert_true(ls_returns_enrol(&returns, &scenario, is_enrolled));
  assert_true(is_enrolled[0] && !is_enrolled[1] && !is_enrolled[2]);
  limits[0].most = 3;
  assert_false(ls_returns_enrol(&returns, &scenario, is_enrolled));
  ls_scenario_close(&scenario);
}

/* The start that a program of integers gave did not end: every worker is as good as the next. */
static void many_equal_workers_get_a_plan(void **state) {
  static const double least[] = {3, 4, 5}, most[] = {5, 6, 5, 6, 5, 6};
  (void)state;
  for (size_t count = 20; count <= 60; count += 20) {
    struct ls_platform platform;
    struct ls_plan plan;
    assert_int_equal(ls_platform_init(&platform, count, NULL), LS_OK);
    platform.ports = LS_PORTS_TWO;
    for (size_t i = 0; i < count; i++) {
      struct ls_worker_model *worker = &platform.workers[i];
      worker->costs[LS_OPERATION_TRANSFER].per_unit_s = 0.01;
      worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 0.1;
      worker->costs[LS_OPERATION_REPLY].per_unit_s = 0.01;
      worker->window_from = least[i % 3];
      worker->window_to = most[i % 6];
    }
    for (size_t i = 0; i < PLANNERS; i++) {
      if (strcmp(planners[i], "returns-exact") == 0) continue;
      make_plan(&platform, planners[i], 10 * (double)count / 3, false, &plan);
      assert_int_equal(plan.outcome, LS_PLAN_OK);
      assert_true(isnan(ls_plan_get(&plan, "fitted", (double)NAN)));
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
  }
}

/* 0.1 * 3 * 10 is more than 3, but one chunk of 3 units all the same. */
static void whole_windows_may_miss_by_rounding(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.ports = LS_PORTS_TWO;
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 1;
    platform.workers[i].costs[LS_OPERATION_REPLY].per_unit_s = 1;
    platform.workers[i].window_from = 0.1 * 3 * 10;
    platform.workers[i].window_to = 3 - 1e-15;
    if (i == 0) platform.workers[i].window_to = 0.1 * 3 * 10;
  }
  platform.workers[1].window_from = 3 - 1e-15;
  for (size_t i = 0; i < PLANNERS; i++) {
    make_plan(&platform, planners[i], 6, true, &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    assert_int_equal(plan.chunks_count, 2);
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

/* Beyond the programs: workers that are idle without limits take what the others may not. */
static void idle_workers_of_very_many_are_used(void **state) {
  enum { COUNT = UNLESS_SANITIZED(250, 60) };
  (void)state;
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    for (double latency_s = 0; latency_s < 0.01; latency_s += 0.006) {
      struct ls_platform platform;
      assert_int_equal(ls_platform_init(&platform, COUNT, NULL), LS_OK);
      platform.ports = LS_PORTS_TWO;
      for (size_t i = 0; i < COUNT; i++) {
        struct ls_worker_model *worker = &platform.workers[i];
        worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){latency_s, 0.01};
        worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 0.1;
        worker->costs[LS_OPERATION_REPLY].per_unit_s = 0.01;
        worker->window_to = 4;
      }
      for (size_t i = 0; i < PLANNERS; i++) {
        struct ls_plan plan;
        bool is_program = strcmp(planners[i], "returns-lp") == 0;
        if (strcmp(planners[i], "returns-exact") == 0 || (is_program && latency_s > 0)) continue;
        make_plan(&platform, planners[i], 18 * COUNT / 5, is_whole > 0, &plan);
        if (plan.outcome != LS_PLAN_OK) fail_msg("%s: %s", planners[i], plan.why);
        assert_true(10 * plan.chunks_count >= 9 * COUNT && plan.chunks_count <= COUNT);
        if (strcmp(planners[i], "lifo") == 0) assert_true(ls_plan_get(&plan, "proven", 2) < 1);
        ls_plan_close(&plan);
        /* One more than they take. */
        make_plan(&platform, planners[i], 4 * COUNT + 1, is_whole > 0, &plan);
        assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
        ls_plan_close(&plan);
      }
      ls_platform_close(&platform);
    }
  }
}

/* Exact windows: mixtures of them are the load, which dropping workers alone does not find. */
static void workers_are_enrolled_as_the_load_needs_them(void **state) {
  struct ls_random random;
  size_t found = 0, asked = 0;
  (void)state;
  ls_random_init(&random, 6, "limits");
  for (size_t trial = 0; trial < cases_of(200, 60); trial++) {
    enum { COUNT = 20 };
    struct ls_returns_limits limits[COUNT];
    struct ls_returns_worker workers[COUNT];
    struct ls_returns returns = {.count = COUNT, .workers = workers, .limits = limits};
    struct ls_scenario scenario;
    bool is_enrolled[COUNT], had[COUNT];
    uint32_t order[COUNT];
    assert_int_equal(ls_scenario_open(&scenario, COUNT, NULL), LS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
      limits[i].least = ls_random_below(&random, 2) > 0 ? 10 : 7;
      limits[i].most = limits[i].least;
      workers[i] = (struct ls_returns_worker){1, returns_draw(&random, 1, 2), 1, 0, 0, 0};
      if (ls_random_below(&random, 3) == 0) returns.load += limits[i].least;
      had[i] = ls_random_below(&random, 2) > 0;
      order[i] = i;
    }
    ls_scenario_list(&scenario, order, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) scenario.units[i] = had[i] ? 1 + i : 0;
    memcpy(is_enrolled, had, sizeof had);
    if (returns.load > 0) {
      asked++;
      bool is_found = ls_returns_enrol(&returns, &scenario, is_enrolled);
      double sum = 0;
      for (uint32_t i = 0; i < COUNT; i++) sum += is_enrolled[i] ? limits[i].least : 0;
      found += is_found;
      if (is_found) assert_true(fabs(sum - returns.load) < 1e-9);
    }
    ls_scenario_close(&scenario);
  }
  assert_true(found * 10 >= asked * 9);
}

/* In floating point 1.1 and 2.2 are more than 3.3. */
static void windows_that_are_the_load_but_for_rounding_hold_it(void **state) {
  static const struct {
    double windows[2], load;
  } cases[] = {{{1.1, 2.2}, 3.3}, {{0.1, 0.2}, 0.3}, {{0.7, 0.1}, 0.8}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_platform platform;
    assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
    platform.ports = LS_PORTS_TWO;
    for (size_t k = 0; k < 3; k++) {
      struct ls_worker_model *worker = &platform.workers[k];
      double per_unit_s = k < 2 ? 0.1 : 10;
      if (k < 2) worker->window_from = worker->window_to = cases[i].windows[k];
      worker->costs[LS_OPERATION_TRANSFER].per_unit_s = per_unit_s;
      worker->costs[LS_OPERATION_COMPUTE].per_unit_s = per_unit_s;
      worker->costs[LS_OPERATION_REPLY].per_unit_s = per_unit_s;
    }
    for (size_t k = 0; k < PLANNERS; k++) {
      bool is_fitted;
      double end_s = end_of(&platform, planners[k], cases[i].load, &is_fitted);
      assert_false(is_fitted);
      if (!(end_s <= 0.3 * cases[i].load))
        fail_msg("%s ends at %.17g, load %g", planners[k], end_s, cases[i].load);
    }
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_workers_get_the_best_loads_within_their_limits),
      cmocka_unit_test(other_planners_keep_the_limits),
      cmocka_unit_test(wide_limits_change_nothing),
      cmocka_unit_test(whole_units_stay_within_the_limits),
      cmocka_unit_test(small_rooms_take_many_workers),
      cmocka_unit_test(loads_settle_on_the_load),
      cmocka_unit_test(many_equal_workers_get_a_plan),
      cmocka_unit_test(whole_windows_may_miss_by_rounding),
      cmocka_unit_test(idle_workers_of_very_many_are_used),
      cmocka_unit_test(workers_are_enrolled_as_the_load_needs_them),
      cmocka_unit_test(windows_that_are_the_load_but_for_rounding_hold_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
