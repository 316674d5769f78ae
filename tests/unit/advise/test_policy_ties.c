/* Cases of made-up makespans: what their differences tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/policy_ties.h"

enum { POLICIES = 4, SEEDS = 4 };

static const char *const policies[] = {"a", "b", "c", "d"};
static const char *const orders[] = {NULL};
static const char *const names[] = {"one", "two"};

struct fixture {
  double makespans[2 * POLICIES * SEEDS];
  struct ls_policy_case cases[2 * POLICIES];
  struct ls_policy_grid grid;
};

/* The grid's figures of what is in `makespans`. */
static void fill(struct fixture *fixture, size_t platforms, size_t seeds) {
  fixture->grid = (struct ls_policy_grid){.policies = {policies, POLICIES},
                                          .orders = {orders, 1},
                                          .platform_names = {names, platforms},
                                          .seeds = seeds,
                                          .makespans = fixture->makespans};
  for (size_t i = 0; i < platforms * POLICIES; i++) {
    struct ls_moments moments = {0};
    for (size_t k = 0; k < seeds; k++) ls_moments_add(&moments, fixture->makespans[i * seeds + k]);
    fixture->cases[i] = (struct ls_policy_case){.policy = i % POLICIES,
                                                .platform = i / POLICIES,
                                                .makespan_s = ls_policy_figure_of(&moments)};
  }
}

/* c is 0.1 s behind with every seed, which the makespans, 10 s apart, would hide. */
static void small_differences_that_hold_with_every_seed_are_no_tie(void **state) {
  (void)state;
  struct fixture fixture = {.makespans = {10, 20, 30, 40,         /* a: the best */
                                          10.5, 19.5, 30.6, 39.6, /* b: now before, now behind */
                                          10.1, 20.1, 30.1, 40.1, /* c */
                                          10, 20, 30, 40}};       /* d: as a */
  fill(&fixture, 1, SEEDS);
  struct ls_policy_tie best = ls_policy_tie_find(&fixture.grid, fixture.cases, 0);
  assert_true(best.is_best && !best.is_tied);
  struct ls_policy_tie tied = ls_policy_tie_find(&fixture.grid, fixture.cases, 1);
  assert_true(tied.is_tied && !tied.is_best);
  assert_true(fabs(tied.behind_s.mean - 0.05) < 1e-12);
  /* Differences 0.5 -0.5 0.6 -0.4: deviation 0.5802; Student's quantile of three is 3.1824. */
  assert_true(fabs(tied.behind_s.half_width - 3.182446 * 0.580230 / 2) < 1e-5);
  struct ls_policy_tie clear = ls_policy_tie_find(&fixture.grid, fixture.cases, 2);
  assert_true(!clear.is_tied && !clear.is_best);
  assert_true(fabs(clear.behind_s.mean - 0.1) < 1e-12);
  assert_true(fixture.cases[2].makespan_s.half_width > 1);
  struct ls_policy_tie equal = ls_policy_tie_find(&fixture.grid, fixture.cases, 3);
  assert_true(equal.is_tied && !equal.is_best);
  assert_int_equal(equal.same_as, 0);
  assert_true(tied.same_as == SIZE_MAX && clear.same_as == SIZE_MAX && best.same_as == SIZE_MAX);
}

/* 0.1 + 0.2 is not 0.3 to the last bit. */
static void what_rounding_tells_apart_is_equal(void **state) {
  (void)state;
  struct fixture fixture = {.makespans = {0.3, 0.1 + 0.2, 0.3 * (1 + 1e-8), 0.3}};
  fill(&fixture, 1, 1);
  for (size_t i = 1; i < POLICIES; i++) {
    struct ls_policy_tie tie = ls_policy_tie_find(&fixture.grid, fixture.cases, i);
    assert_int_equal(tie.is_tied, i != 2);
    assert_int_equal(tie.same_as == 0, i != 2);
  }
}

static void who_has_other_chunks_is_another_policy(void **state) {
  (void)state;
  struct fixture fixture = {.makespans = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}};
  fill(&fixture, 1, SEEDS);
  fixture.cases[1].chunks.mean = 7;
  assert_true(ls_policy_tie_find(&fixture.grid, fixture.cases, 1).same_as == SIZE_MAX);
  assert_int_equal(ls_policy_tie_find(&fixture.grid, fixture.cases, 3).same_as, 0);
}

/* The list may be ranked: the makespans are found by what a case is. */
static void each_platform_has_its_own_best_in_a_ranked_list(void **state) {
  (void)state;
  struct fixture fixture = {.makespans = {5, 5, 5, 5, 4, 4, 4, 4, 9, 9, 9, 9, 9, 9, 9, 9,
                                          2, 2, 2, 2, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1}};
  fill(&fixture, 2, SEEDS);
  ls_policy_grid_rank(fixture.cases, 2 * POLICIES);
  assert_int_equal(fixture.cases[0].policy, 1);
  assert_true(ls_policy_tie_find(&fixture.grid, fixture.cases, 0).is_best);
  assert_false(ls_policy_tie_find(&fixture.grid, fixture.cases, 1).is_tied);
  assert_int_equal(ls_policy_tie_find(&fixture.grid, fixture.cases, 3).same_as, 2);
  assert_int_equal(fixture.cases[POLICIES].policy, 2);
  assert_true(ls_policy_tie_find(&fixture.grid, fixture.cases, POLICIES).is_best);
  assert_int_equal(ls_policy_tie_find(&fixture.grid, fixture.cases, POLICIES + 1).same_as,
                   POLICIES);
  /* One seed of four is behind: nothing that four could tell. */
  assert_int_equal(fixture.cases[POLICIES + 2].policy, 1);
  assert_true(ls_policy_tie_find(&fixture.grid, fixture.cases, POLICIES + 2).is_tied);
  assert_false(ls_policy_tie_find(&fixture.grid, fixture.cases, POLICIES + 3).is_tied);
}

static void one_seed_ties_equals_only(void **state) {
  (void)state;
  struct fixture fixture = {.makespans = {3, 3, 3.0001, 4}};
  fill(&fixture, 1, 1);
  assert_true(ls_policy_tie_find(&fixture.grid, fixture.cases, 1).is_tied);
  assert_false(ls_policy_tie_find(&fixture.grid, fixture.cases, 2).is_tied);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_differences_that_hold_with_every_seed_are_no_tie),
      cmocka_unit_test(what_rounding_tells_apart_is_equal),
      cmocka_unit_test(who_has_other_chunks_is_another_policy),
      cmocka_unit_test(each_platform_has_its_own_best_in_a_ranked_list),
      cmocka_unit_test(one_seed_ties_equals_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
