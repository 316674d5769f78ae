#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise/makespan_fit.h"
#include "base/random.h"
#include "model/replay.h"

enum { WORKERS = 3, RUNS = 6 };

static struct ls_platform make_platform(double transfer, double latency, double factor) {
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, WORKERS, NULL), LS_OK);
  for (size_t i = 0; i < WORKERS; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){transfer, transfer / 10};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){latency, factor * (1 + 0.3 * (double)i)};
  }
  return platform;
}

/* Runs of other chunk sizes each: small chunks tell latencies, large ones rates. */
static void make_runs(const struct ls_platform *truth, struct ls_plan *plans,
                      struct ls_makespan_run *runs) {
  struct ls_random random;
  ls_random_init(&random, 9, "runs");
  for (size_t i = 0; i < RUNS; i++) {
    ls_plan_init(&plans[i], "run", 0);
    for (size_t k = 0; k < 30; k++) {
      double units = (double)(1 + ls_random_below(&random, (uint64_t)1 << (2 * i)));
      plans[i].load += units;
      ls_plan_add(&plans[i], (uint32_t)(k % WORKERS), 0, units);
    }
    runs[i] = (struct ls_makespan_run){.plan = &plans[i]};
    assert_int_equal(ls_replay_makespan(&plans[i], truth, &runs[i].makespan_s, NULL), LS_OK);
  }
}

/* Runs on the true platform, and another one that is to be fitted to them. */
struct trial {
  struct ls_platform truth, platform;
  struct ls_plan plans[RUNS];
  struct ls_makespan_run items[RUNS];
  struct ls_makespan_runs runs;
};

/* Takes `platform`. */
static void open_trial(struct trial *trial, struct ls_platform platform) {
  trial->truth = make_platform(0.4, 0.7, 0.5);
  trial->platform = platform;
  make_runs(&trial->truth, trial->plans, trial->items);
  trial->runs = (struct ls_makespan_runs){trial->items, RUNS};
}

static void close_trial(struct trial *trial) {
  for (size_t i = 0; i < RUNS; i++) ls_plan_close(&trial->plans[i]);
  ls_platform_close(&trial->truth);
  ls_platform_close(&trial->platform);
}

static struct ls_makespan_fit fit_trial(struct trial *trial, struct ls_makespan_limits limits) {
  struct ls_makespan_fit fit;
  struct ls_error err = {0};
  if (ls_makespan_fit(&trial->runs, &limits, &trial->platform, &fit, &err) != LS_OK)
    fail_msg("%s", err.text);
  return fit;
}

/* From a platform without transfers and latencies, whose rates are wrong. */
static void makespans_come_out_of_the_fitted_costs(void **state) {
  (void)state;
  struct trial trial;
  open_trial(&trial, make_platform(0, 0, 0.4));
  struct ls_makespan_fit fit = fit_trial(&trial, (struct ls_makespan_limits){.evaluations = 20000});
  assert_true(fit.error_before > 0.2);
  if (fit.error_after > 0.001)
    fail_msg("the error is %g after %llu", fit.error_after, (unsigned long long)fit.evaluations);
  for (size_t i = 0; i < WORKERS; i++)
    for (int j = 0; j < LS_OPERATION_COUNT; j++)
      assert_true(trial.platform.workers[i].costs[j].latency_s >= 0 &&
                  trial.platform.workers[i].costs[j].per_unit_s >= 0);
  close_trial(&trial);
}

static void costs_that_are_right_stay(void **state) {
  (void)state;
  struct trial trial;
  open_trial(&trial, make_platform(0.4, 0.7, 0.5));
  struct ls_makespan_fit fit = fit_trial(&trial, (struct ls_makespan_limits){.evaluations = 5000});
  const struct ls_cost *compute = &trial.platform.workers[2].costs[LS_OPERATION_COMPUTE];
  assert_true(fit.error_after <= 1e-9 && fabs(fit.compute_factor - 1) <= 1e-9);
  assert_true(fabs(compute->latency_s - 0.7) <= 1e-9);
  close_trial(&trial);
}

static bool stop_now(void *context) {
  (void)context;
  return true;
}

static void a_limit_stops_and_says_so(void **state) {
  (void)state;
  struct trial trial;
  open_trial(&trial, make_platform(0, 0, 0.4));
  const struct ls_makespan_limits limits[] = {{.evaluations = 30},
                                              {.evaluations = 20000, .stop = stop_now}};
  for (size_t i = 0; i < 2; i++) {
    struct ls_makespan_fit fit = fit_trial(&trial, limits[i]);
    assert_true(fit.is_stopped && fit.evaluations <= 100);
    assert_true(fit.error_after <= fit.error_before);
  }
  close_trial(&trial);
}

static void what_cannot_be_fitted_is_refused(void **state) {
  (void)state;
  struct ls_platform platform = make_platform(0, 0, 1);
  struct ls_plan plan;
  struct ls_makespan_fit fit;
  struct ls_makespan_limits limits = {.evaluations = 10};
  struct ls_error err = {0};
  ls_plan_init(&plan, "run", 0);
  struct ls_makespan_run run = {&plan, NULL, 1};
  struct ls_makespan_runs none = {&run, 0}, one = {&run, 1};
  assert_int_equal(ls_makespan_fit(&none, &limits, &platform, &fit, &err), LS_EINVAL);
  assert_int_equal(ls_makespan_fit(&one, &limits, &platform, &fit, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "run 0: has no chunks"));
  plan.load = 1;
  ls_plan_add(&plan, WORKERS, 0, 1);
  assert_int_equal(ls_makespan_fit(&one, &limits, &platform, &fit, &err), LS_EINVAL);
  run.makespan_s = 0;
  assert_int_equal(ls_makespan_fit(&one, &limits, &platform, &fit, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "makespan is 0"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(makespans_come_out_of_the_fitted_costs),
      cmocka_unit_test(costs_that_are_right_stay),
      cmocka_unit_test(a_limit_stops_and_says_so),
      cmocka_unit_test(what_cannot_be_fitted_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
