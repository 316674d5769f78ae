#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "branch_fixture.h"
#include "planners/returns/dual_simplex.h"
#include "planners/returns/relax.h"

/* The bound of a node is not below the best pair of orders that agrees with it. */
static void bounds_hold_at_every_node(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 81, "relax");
  for (size_t kind = 0; kind < 60; kind++) {
    struct branch_sample sample;
    struct ls_branch_node node;
    struct ls_pair fixed, pair = {.order = {{0, 1, 2, 3}, {0, 1, 2, 3}}};
    double best = 0;
    sample_open(&sample, &random, 4, kind);
    ls_pair_shuffle(&fixed, 4, &random);
    size_t places = kind % 4;
    do {
      do {
        if (memcmp(pair.order[0], fixed.order[0], places) != 0 ||
            memcmp(pair.order[1], fixed.order[1], places) != 0)
          continue;
        best = fmax(best, ls_pair_value(&sample.branch.small, &pair, NULL));
      } while (returns_permute(pair.order[1], 4));
    } while (returns_permute(pair.order[0], 4));
    ls_branch_root(&sample.branch, &node);
    sample_fix(&node, &fixed, 4, places);
    bool is_open = ls_branch_relax(&sample.branch, &node);
    /* Closed: nothing beats what smaller subsets reach. */
    if (is_open)
      assert_true(node.vertex.bound >= best - 1e-9);
    else
      assert_true(best <= sample.branch.best_value * (1 + 1e-9));
    sample_close(&sample);
  }
}

/* With everything fixed nothing is left to guess. */
static void the_bound_of_a_leaf_is_its_value(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 82, "relax");
  for (size_t kind = 0; kind < 40; kind++) {
    struct branch_sample sample;
    struct ls_branch_node node;
    struct ls_pair pair;
    sample_open(&sample, &random, 4, kind);
    sample.branch.is_full = false; /* the pair may leave a worker idle */
    sample.branch.best_value = 0;
    ls_pair_shuffle(&pair, 4, &random);
    ls_branch_root(&sample.branch, &node);
    sample_fix(&node, &pair, 4, 4);
    assert_true(ls_branch_relax(&sample.branch, &node));
    expect_near(node.vertex.bound, ls_pair_value(&sample.branch.small, &pair, NULL), 1e-8);
    sample_close(&sample);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_hold_at_every_node),
      cmocka_unit_test(the_bound_of_a_leaf_is_its_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
