/* Single fork: what is known of it without a fork, at its ends and for many tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "theory/single_fork.h"

#define assert_near(got, expected, tolerance)                                            \
  do {                                                                                   \
    double got_ = (got), expected_ = (expected);                                         \
    if (!(fabs(got_ - expected_) <= (tolerance)*fabs(expected_)))                        \
      fail_msg("line %d: %s is %.17g, expected %.17g", __LINE__, #got, got_, expected_); \
  } while (0)

static struct ls_fork_expectation expect(enum ls_fork_law law, double least_s, double shape,
                                         size_t tasks, size_t left, size_t replicas) {
  struct ls_fork_setup setup = {law, least_s, shape, tasks, left, replicas};
  struct ls_fork_expectation expectation;
  struct ls_error err = {0};
  if (ls_fork_expect(&setup, &expectation, &err) != LS_OK) fail_msg("%s", err.text);
  return expectation;
}

/* Without replicas the fork is nothing, wherever it stands: the integrals add up. */
static void without_replicas_it_is_the_longest_of_all(void **state) {
  (void)state;
  for (size_t tasks = 2; tasks < 60; tasks = tasks * 2 + 1) {
    struct ls_fork_expectation one = expect(LS_FORK_SHIFTED_EXPONENTIAL, 0.7, 2, tasks, 0, 0);
    struct ls_fork_expectation two = expect(LS_FORK_PARETO, 0.7, 2.5, tasks, 0, 0);
    assert_near(one.worker_s, (double)tasks * 1.2, 1e-12);
    assert_near(two.worker_s, (double)tasks * 0.7 * 2.5 / 1.5, 1e-9);
    for (size_t left = 1; left <= tasks; left += 1 + tasks / 5) {
      struct ls_fork_expectation got = expect(LS_FORK_SHIFTED_EXPONENTIAL, 0.7, 2, tasks, left, 0);
      assert_near(got.latency_s, one.latency_s, 1e-12);
      assert_near(got.worker_s, one.worker_s, 1e-12);
      got = expect(LS_FORK_PARETO, 0.7, 2.5, tasks, left, 0);
      assert_near(got.latency_s, two.latency_s, 1e-6);
      assert_near(got.worker_s, two.worker_s, 1e-6);
    }
  }
}

/* Tails that hardly have a mean, and such that are nearly none. */
static void extreme_shapes_without_replicas_are_exact(void **state) {
  static const double shapes[] = {1.05, 100, 300, 1000};
  static const double longer_s[] = {354.34, 0.03672, 0.01207, 0.00361};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    struct ls_fork_expectation got = expect(LS_FORK_PARETO, 1, shapes[i], 20, 4, 0);
    assert_near(got.latency_s - 1, longer_s[i], 2e-3);
    assert_near(got.worker_s, 20 * shapes[i] / (shapes[i] - 1), 1e-12);
  }
}

/* The last of two at the fork at x, with one replica of a large shape a: what is left has the
 * exponential mean x / a until a replica could end, which it never is by then. */
static void with_a_large_shape_replicas_come_too_late(void **state) {
  static const double shapes[] = {50, 100, 300, 1000, 1e5};
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    struct ls_fork_expectation none = expect(LS_FORK_PARETO, 3, shapes[i], 20, 4, 0);
    struct ls_fork_expectation one = expect(LS_FORK_PARETO, 3, shapes[i], 20, 4, 1);
    assert_near(one.latency_s - 3, none.latency_s - 3, 1e-6);
    assert_true(one.worker_s > none.worker_s && one.latency_s <= none.latency_s * (1 + 1e-9));
  }
}

static void what_is_beyond_all_numbers_is_refused(void **state) {
  struct ls_fork_setup setup = {LS_FORK_PARETO, 1e307, 1.01, 20, 4, 1};
  struct ls_fork_expectation expectation = {7, 7};
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_fork_expect(&setup, &expectation, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "least_s is 1e+307 and shape 1.01"));
  assert_true(expectation.latency_s > 6 && expectation.latency_s < 8);
}

/* Pure exponential times know no head start: r replicas of the last one make it r + 1 times as
 * fast, and cost nothing. */
static void exponential_replicas_are_for_nothing(void **state) {
  (void)state;
  struct ls_fork_expectation got = expect(LS_FORK_SHIFTED_EXPONENTIAL, 0, 2, 4, 1, 2);
  assert_near(got.latency_s, (1.0 / 4 + 1.0 / 3 + 1.0 / 2 + 1.0 / 3) / 2, 1e-12);
  assert_near(got.worker_s, 2, 1e-12);
}

static double draw(const struct ls_fork_setup *setup, struct ls_random *random) {
  double chance = 1 - ls_random_real(random);
  if (setup->law == LS_FORK_PARETO) return setup->least_s * pow(chance, -1 / setup->shape);
  return setup->least_s - log(chance) / setup->shape;
}

/* One run by its definition. */
static struct ls_fork_expectation play(const struct ls_fork_setup *setup,
                                       struct ls_random *random) {
  double times[16], sum = 0, last = 0, fork_s = 0;
  for (size_t i = 0; i < setup->tasks; i++) {
    size_t at = i;
    double time = draw(setup, random);
    for (; at > 0 && times[at - 1] > time; at--) times[at] = times[at - 1];
    times[at] = time;
  }
  size_t ended = setup->tasks - setup->left;
  if (ended > 0) fork_s = times[ended - 1];
  for (size_t i = 0; i < ended; i++) sum += times[i];
  for (size_t i = ended; i < setup->tasks; i++) {
    double rest = times[i] - fork_s;
    for (size_t k = 0; k < setup->replicas; k++) rest = fmin(rest, draw(setup, random));
    last = fmax(last, rest);
    sum += fork_s + ((double)setup->replicas + 1) * rest;
  }
  return (struct ls_fork_expectation){fork_s + last, sum};
}

static void the_expectations_are_the_means_of_many_runs(void **state) {
  static const struct ls_fork_setup setups[] = {{LS_FORK_SHIFTED_EXPONENTIAL, 1, 1, 10, 2, 1},
                                                {LS_FORK_SHIFTED_EXPONENTIAL, 0.5, 2, 9, 4, 2},
                                                {LS_FORK_SHIFTED_EXPONENTIAL, 1, 1, 5, 5, 1},
                                                {LS_FORK_PARETO, 1, 2.6, 10, 2, 1},
                                                {LS_FORK_PARETO, 0.5, 2.5, 12, 5, 2},
                                                {LS_FORK_PARETO, 2, 3, 6, 6, 1},
                                                {LS_FORK_PARETO, 1, 3, 2, 1, 1},
                                                {LS_FORK_PARETO, 1, 1.01, 10, 2, 2},
                                                {LS_FORK_PARETO, 1, 50, 10, 2, 1},
                                                {LS_FORK_PARETO, 1, 1000, 10, 2, 1}};
  enum { RUNS = 20000 };
  (void)state;
  for (size_t i = 0; i < sizeof setups / sizeof *setups; i++) {
    const struct ls_fork_setup *at = &setups[i];
    struct ls_moments latency = {0}, cost = {0};
    struct ls_random random;
    ls_random_init(&random, 1 + i, "fork");
    for (size_t k = 0; k < RUNS; k++) {
      struct ls_fork_expectation run = play(at, &random);
      ls_moments_add(&latency, run.latency_s);
      ls_moments_add(&cost, run.worker_s);
    }
    struct ls_fork_expectation got =
        expect(at->law, at->least_s, at->shape, at->tasks, at->left, at->replicas);
    double error = 4 * ls_moments_deviation(&latency) / sqrt(RUNS);
    assert_true(fabs(got.latency_s - latency.mean) <= error);
    error = 4 * ls_moments_deviation(&cost) / sqrt(RUNS);
    assert_true(fabs(got.worker_s - cost.mean) <= error);
  }
}

/* What the closed form of many tasks leaves out falls with their number. */
static void the_limit_comes_nearer_as_the_tasks_grow(void **state) {
  (void)state;
  for (int law = 0; law < 2; law++) {
    double before = (double)INFINITY;
    for (size_t tasks = 100; tasks <= 10000; tasks *= 10) {
      struct ls_fork_setup setup = {(enum ls_fork_law)law, 1, 2, tasks, tasks / 10, 1};
      struct ls_fork_expectation got;
      double limit_s;
      assert_int_equal(ls_fork_expect(&setup, &got, NULL), LS_OK);
      assert_int_equal(ls_fork_limit(&setup, &limit_s, NULL), LS_OK);
      double off = fabs(limit_s / got.latency_s - 1);
      assert_true(off < before);
      before = off;
    }
    assert_true(before < 0.02);
  }
}

static void what_cannot_be_is_refused(void **state) {
  static const struct ls_fork_setup wrong[] = {{LS_FORK_PARETO, 0, 2, 5, 1, 1},
                                               {LS_FORK_PARETO, 1, 1, 5, 1, 1},
                                               {LS_FORK_SHIFTED_EXPONENTIAL, -1, 1, 5, 1, 1},
                                               {LS_FORK_SHIFTED_EXPONENTIAL, 1, 0, 5, 1, 1},
                                               {LS_FORK_SHIFTED_EXPONENTIAL, 1, 1, 0, 0, 1},
                                               {LS_FORK_SHIFTED_EXPONENTIAL, 1, 1, 5, 6, 1}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_fork_expectation expectation;
    double limit_s;
    assert_int_equal(ls_fork_expect(&wrong[i], &expectation, NULL), LS_EINVAL);
    assert_int_equal(ls_fork_limit(&wrong[i], &limit_s, NULL), LS_EINVAL);
  }
  struct ls_fork_setup ends = {LS_FORK_PARETO, 1, 2, 5, 0, 1};
  double limit_s;
  assert_int_equal(ls_fork_limit(&ends, &limit_s, NULL), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_replicas_it_is_the_longest_of_all),
      cmocka_unit_test(extreme_shapes_without_replicas_are_exact),
      cmocka_unit_test(with_a_large_shape_replicas_come_too_late),
      cmocka_unit_test(what_is_beyond_all_numbers_is_refused),
      cmocka_unit_test(exponential_replicas_are_for_nothing),
      cmocka_unit_test(the_expectations_are_the_means_of_many_runs),
      cmocka_unit_test(the_limit_comes_nearer_as_the_tasks_grow),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
