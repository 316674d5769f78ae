#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "returns_branch_fixture.h"

/* Every scenario of the node that beats the best known one meets the row. */
static void better_scenarios_meet_the_row(void **state) {
  (void)state;
  struct ls_random random;
  size_t met = 0;
  ls_random_init(&random, 71, "weigh");
  for (size_t kind = 0; kind < 30; kind++) {
    struct branch_sample sample;
    struct ls_branch_node node;
    double row[LS_SMALL_MAX];
    sample_open(&sample, &random, 4, kind);
    struct ls_branch *branch = &sample.branch;
    branch->is_full = false;
    branch->best_value = ls_pair_value(&branch->small, &branch->best, NULL) * 0.97;
    ls_branch_root(branch, &node);
    if (ls_branch_relax(branch, &node)) {
      double excess = ls_branch_weigh(branch, &node, row);
      double at_vertex = -1;
      for (size_t j = 0; j < 4; j++) at_vertex += row[j] * node.vertex.point[j];
      expect_near(excess, at_vertex, 1e-9);
      struct ls_pair pair = {.order = {{0, 1, 2, 3}, {0, 1, 2, 3}}};
      do {
        do {
          double loads[LS_SMALL_MAX], used = 0;
          if (ls_pair_value(&branch->small, &pair, loads) <= branch->best_value) continue;
          for (size_t j = 0; j < 4; j++) used += row[j] * loads[j];
          assert_true(used <= 1 + 1e-8);
          met++;
        } while (returns_permute(pair.order[1], 4));
      } while (returns_permute(pair.order[0], 4));
    }
    sample_close(&sample);
  }
  assert_true(met > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(better_scenarios_meet_the_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
