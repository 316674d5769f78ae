/* The replication `fork`, as the simulator plays it, is what the theory of single forks says. */
#include "support.h"

#include "base/statistics.h"
#include "policies/replication.h"
#include "theory/single_fork.h"

enum { RUNS = 1500 };

/* The law of a unit's seconds in the words of a platform. */
static void spread(struct ls_platform *platform, const struct ls_fork_setup *fork) {
  double a = fork->shape;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (fork->law == LS_FORK_PARETO) {
      double mean_s = fork->least_s * a / (a - 1);
      ls_worker_spread_units(worker, LS_DURATION_PARETO, mean_s, mean_s / sqrt(a * (a - 2)));
    } else {
      ls_worker_spread_units(worker, LS_DURATION_SHIFTED_EXPONENTIAL, fork->least_s + 1 / a, 1 / a);
    }
  }
}

static double sum_computing(const struct ls_timeline *timeline) {
  double sum_s = 0;
  for (size_t i = 0; i < timeline->spans_count; i++)
    if (timeline->spans[i].operation == LS_OPERATION_COMPUTE)
      sum_s += timeline->spans[i].end_s - timeline->spans[i].start_s;
  return sum_s;
}

static void check(const struct ls_fork_setup *fork, const char *left) {
  const struct ls_replication *replication = ls_replication_find("fork");
  struct ls_platform platform;
  struct ls_arguments arguments;
  struct ls_moments latency = {0}, cost = {0};
  struct ls_fork_expectation expected;
  open_platform(&platform, 2 * fork->tasks);
  spread(&platform, fork);
  ls_arguments_init(&arguments, replication->parameters);
  assert_int_equal(ls_arguments_set(&arguments, replication->parameters, "left", left, NULL),
                   LS_OK);
  struct ls_simulation setup = make_simulation(&platform, "ss", fork->tasks);
  setup.prefetch = 0;
  setup.wants_spans = true;
  setup.config.replication = replication;
  setup.config.replication_arguments = &arguments;
  for (uint64_t seed = 1; seed <= RUNS; seed++) {
    struct ls_timeline timeline;
    ls_timeline_init(&timeline);
    setup.config.seed = seed;
    ls_moments_add(&latency, run_simulation(&setup, &timeline).makespan_s);
    ls_moments_add(&cost, sum_computing(&timeline));
    ls_timeline_close(&timeline);
  }
  assert_int_equal(ls_fork_expect(fork, &expected, NULL), LS_OK);
  if (!(fabs(latency.mean - expected.latency_s) <=
        4 * ls_moments_deviation(&latency) / sqrt(RUNS)) ||
      !(fabs(cost.mean - expected.worker_s) <= 4 * ls_moments_deviation(&cost) / sqrt(RUNS)))
    fail_msg("left %s: latency %g, expected %g; cost %g, expected %g", left, latency.mean,
             expected.latency_s, cost.mean, expected.worker_s);
  ls_platform_close(&platform);
}

static void a_simulated_fork_is_the_expected_one(void **state) {
  static const char *const lefts[] = {"0.1", "0.3", "1"};
  static const size_t counts[] = {1, 3, 8};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    check(&(struct ls_fork_setup){LS_FORK_SHIFTED_EXPONENTIAL, 1, 1, 8, counts[i], 1}, lefts[i]);
    check(&(struct ls_fork_setup){LS_FORK_PARETO, 1, 3, 8, counts[i], 1}, lefts[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_simulated_fork_is_the_expected_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
