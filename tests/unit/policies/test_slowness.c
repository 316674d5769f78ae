/* The law of slowness: what was seen, what was stopped, and what nobody has seen yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "policies/slowness.h"

static void before_anything_is_seen_one_in_twenty_straggles(void **state) {
  struct ls_slowness slowness = {0};
  struct ls_slowness_law law;
  (void)state;
  ls_slowness_estimate(&slowness, &law);
  assert_true(ls_slowness_longer(&law, 0.9) > 0.9);
  assert_true(fabs(ls_slowness_longer(&law, 1) - 1.0 / 21) < 1e-12);
  assert_true(fabs(ls_slowness_longer(&law, 2.8) - 1.0 / 21) < 1e-12);
  /* What has lasted longer lasts as long again: the mean of the tail (x / r)^2. */
  for (double ratio = 3; ratio < 50; ratio *= 1.7)
    assert_true(fabs(ls_slowness_longer(&law, 2 * ratio) / ls_slowness_longer(&law, ratio) - 0.25) <
                1e-9);
}

static double estimate_longer(const struct ls_slowness *slowness, double ratio) {
  struct ls_slowness_law law;
  ls_slowness_estimate(slowness, &law);
  return ls_slowness_longer(&law, ratio);
}

/* A run and its replica end together, and one is stopped: that is no sign that it would have gone
 * on.  With a thousand such pairs the belief is what a thousand runs alone leave of it, but for the
 * chance of pairs. */
static void twins_that_are_stopped_at_the_end_do_not_seem_slow(void **state) {
  struct ls_slowness alone = {0}, twins = {0};
  (void)state;
  for (size_t i = 0; i < 1000; i++) {
    ls_slowness_end(&alone, 1);
    ls_slowness_end(&twins, 1);
    ls_slowness_censor(&twins, 1);
  }
  assert_true(estimate_longer(&alone, 1.2) < 0.001);
  assert_true(estimate_longer(&twins, 1.2) < 0.02);
  assert_true(estimate_longer(&twins, 1.2) > estimate_longer(&alone, 1.2));
}

/* Of times from Pareto's law, one in three stopped anywhere, the share of longer ones comes out. */
static void stopped_runs_do_not_mislead(void **state) {
  struct ls_slowness slowness = {0};
  struct ls_slowness_law law;
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "slowness");
  for (size_t i = 0; i < 20000; i++) {
    double ratio = 0.5 / sqrt(1 - ls_random_real(&random));
    double stop = ls_random_below(&random, 3) == 0 ? 0.3 + 2 * ls_random_real(&random) : 1e9;
    if (stop < ratio)
      ls_slowness_censor(&slowness, stop);
    else
      ls_slowness_end(&slowness, ratio);
  }
  ls_slowness_estimate(&slowness, &law);
  for (double ratio = 0.5; ratio < 6; ratio *= 1.3)
    assert_true(fabs(ls_slowness_longer(&law, ratio) / (0.25 / (ratio * ratio)) - 1) < 0.1);
}

static void the_share_only_falls(void **state) {
  struct ls_random random;
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct ls_slowness slowness = {0};
    struct ls_slowness_law law;
    ls_random_init(&random, seed, "slowness");
    for (uint64_t i = ls_random_below(&random, 30); i > 0; i--) {
      double ratio = exp(8 * ls_random_real(&random) - 4);
      if (ls_random_below(&random, 3) == 0)
        ls_slowness_censor(&slowness, ratio);
      else
        ls_slowness_end(&slowness, ratio);
    }
    ls_slowness_estimate(&slowness, &law);
    double before = 1;
    for (double ratio = 0.01; ratio < 1000; ratio *= 1.03) {
      double longer = ls_slowness_longer(&law, ratio);
      assert_true(longer > 0 && longer <= before + 1e-15);
      before = longer;
    }
  }
}

static void edges_rise(void **state) {
  (void)state;
  assert_true(fabs(ls_slowness_next_edge(0) - 0.5) < 1e-12);
  double edge = 0.5;
  size_t count = 0;
  for (; isfinite(edge); count++) {
    double next = ls_slowness_next_edge(edge);
    assert_true(next > edge);
    edge = next;
  }
  assert_true(count >= 60 && count <= 8 * 9 + 1);
}

/* The time of an edge is told as d times the edge, and comes back divided by d. */
static void an_edge_is_reached_in_spite_of_rounding(void **state) {
  struct ls_random random;
  size_t below = 0;
  (void)state;
  ls_random_init(&random, 2, "edges");
  for (size_t i = 0; i < 2000; i++) {
    double d = i == 0 ? 15.018497750787187 : exp(20 * ls_random_real(&random) - 10);
    for (double edge = 0.5; isfinite(edge);) {
      double ratio = d * edge / d, next = ls_slowness_next_edge(ratio);
      below += ratio < edge;
      assert_true(next > edge * 1.01);
      edge = next;
    }
  }
  assert_true(below > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(before_anything_is_seen_one_in_twenty_straggles),
      cmocka_unit_test(twins_that_are_stopped_at_the_end_do_not_seem_slow),
      cmocka_unit_test(stopped_runs_do_not_mislead),
      cmocka_unit_test(the_share_only_falls),
      cmocka_unit_test(edges_rise),
      cmocka_unit_test(an_edge_is_reached_in_spite_of_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
