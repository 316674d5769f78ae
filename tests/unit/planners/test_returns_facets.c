#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "returns_branch_fixture.h"

/* Loads of random scenarios of all workers meet the facets of each two in the time left to them. */
static void every_scenario_meets_every_facet(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 61, "facets");
  for (size_t kind = 0; kind < 24; kind++) {
    struct branch_sample sample;
    sample_open(&sample, &random, 4, kind);
    const struct ls_small *small = &sample.branch.small;
    for (size_t turn = 0; turn < 50; turn++) {
      struct ls_pair pair;
      double loads[LS_SMALL_MAX];
      size_t place[2][4];
      ls_pair_shuffle(&pair, 4, &random);
      (void)ls_pair_value(small, &pair, loads);
      for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < 4; k++) place[side][pair.order[side][k]] = k;
      }
      for (size_t i = 0; i < 4; i++) {
        for (size_t j = i + 1; j < 4; j++) {
          int exact = 3 * (place[0][i] < place[0][j] ? 1 : 2) + (place[1][i] < place[1][j] ? 1 : 2);
          double wait = 0;
          for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < 4; k++) {
              if (place[side][k] < place[side][i] && place[side][k] < place[side][j])
                wait += small->cost[side][k] * loads[k];
            }
          }
          const int states[] = {0, exact, exact / 3 * 3, exact % 3};
          for (size_t s = 0; s < 4; s++) {
            const struct ls_facets *facets = &sample.branch.facets[i][j][states[s]];
            assert_true(facets->count >= 1);
            for (size_t k = 0; k < facets->count; k++)
              assert_true(facets->facet[k].a * loads[i] + facets->facet[k].b * loads[j] + wait <=
                          1 + 1e-9);
          }
        }
      }
    }
    sample_close(&sample);
  }
}

/* The hull is no larger than needed: the two's best scenario lies on it. */
static void the_best_of_two_lies_on_a_facet(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 62, "facets");
  for (size_t kind = 0; kind < 40; kind++) {
    struct branch_sample sample;
    sample_open(&sample, &random, 2, kind);
    const struct ls_facets *facets = &sample.branch.facets[0][1][0];
    const double *gain = sample.branch.small.gain;
    double most = 0; /* of gain.x over the hull: at a corner */
    for (size_t k = 0; k <= facets->count; k++) {
      double x = 0, y = 1;
      if (k == 0) {
        x = 1;
        y = 0;
      } else if (k < facets->count) {
        const struct ls_facet *a = &facets->facet[k - 1], *b = &facets->facet[k];
        double determinant = a->a * b->b - a->b * b->a;
        x = (b->b - a->b) / determinant;
        y = (a->a - b->a) / determinant;
      }
      most = fmax(most, gain[0] * x + gain[1] * y);
    }
    expect_near(most, sample.best, 1e-10);
    sample_close(&sample);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_scenario_meets_every_facet),
      cmocka_unit_test(the_best_of_two_lies_on_a_facet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
