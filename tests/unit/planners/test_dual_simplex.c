#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/dual_simplex.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_program.h"
#include "returns_fixture.h"

struct sample {
  struct ls_returns returns;
  struct ls_small small;
  struct ls_pair pair;
  uint32_t workers[LS_SMALL_MAX];
};

static void open_sample(struct sample *sample, struct ls_random *random, size_t count,
                        size_t kind) {
  returns_make(&sample->returns, random, count, kind, kind % 3 == 2);
  for (size_t i = 0; i < count; i++) sample->workers[i] = (uint32_t)i;
  ls_small_init(&sample->small, &sample->returns, sample->workers, count);
  ls_pair_shuffle(&sample->pair, count, random);
}

/* Our simplex against Clp. */
static void the_value_of_a_pair_is_that_of_its_program(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 41, "small");
  for (size_t kind = 0; kind < 150; kind++) {
    struct sample sample;
    struct ls_scenario scenario;
    size_t count = 1 + kind % LS_SMALL_MAX;
    open_sample(&sample, &random, count, kind);
    assert_int_equal(ls_scenario_open(&scenario, count, NULL), LS_OK);
    ls_pair_to(&sample.pair, &sample.small, &sample.returns, sample.workers, &scenario);
    double ours = scenario.throughput;
    assert_int_equal(ls_returns_program(&sample.returns, &scenario, NULL), LS_OK);
    expect_near(ours, scenario.throughput, 1e-10);
    ls_scenario_close(&scenario);
    ls_returns_close(&sample.returns);
  }
}

/* Two-port: the rows of the loaded are all full when their number is the least. */
static void nobody_idles_in_an_optimal_pair(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 42, "small");
  for (size_t kind = 0; kind < 60; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 2 + kind % 4, kind, false);
    returns_plan(&returns, "returns-exact", 1, false, &plan);
    for (size_t i = 0; i < plan.chunks_count; i++)
      expect_near(plan.chunks[i].reply_start_s, plan.chunks[i].compute_end_s,
                  1e-8 * plan.makespan_s);
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

static void a_row_that_cannot_be_met_is_told(void **state) {
  (void)state;
  struct sample sample;
  struct ls_random random;
  struct ls_vertex vertex;
  ls_random_init(&random, 44, "small");
  open_sample(&sample, &random, 3, 0);
  ls_vertex_init(&vertex, &sample.small);
  /* x_0 + x_1 >= 3 while both are <= 1. */
  double row[LS_SMALL_MAX] = {-1, -1, 0};
  assert_int_equal(ls_vertex_add(&vertex, 3, row, 1), LS_PIVOT_INFEASIBLE);
  assert_int_equal(ls_vertex_add(&vertex, 3, row, 1e-8), LS_PIVOT_STUCK);
  double bound = vertex.bound;
  row[0] = row[1] = 1; /* x_0 + x_1 <= 1.5 */
  assert_int_equal(ls_vertex_add(&vertex, 3, row, 0.5), LS_PIVOT_DONE);
  expect_near(vertex.point[0] + vertex.point[1], 1.5, 1e-12);
  assert_true(vertex.bound < bound);
  ls_returns_close(&sample.returns);
}

static void pairs_become_scenarios_and_back(void **state) {
  (void)state;
  struct sample sample;
  struct ls_random random;
  struct ls_scenario scenario;
  struct ls_pair again;
  ls_random_init(&random, 45, "small");
  open_sample(&sample, &random, 6, 0);
  assert_int_equal(ls_scenario_open(&scenario, 6, NULL), LS_OK);
  ls_pair_to(&sample.pair, &sample.small, &sample.returns, sample.workers, &scenario);
  ls_pair_of(&again, &sample.small, sample.workers, &scenario);
  assert_memory_equal(sample.pair.order[0], again.order[0], 6);
  assert_memory_equal(sample.pair.order[1], again.order[1], 6);
  /* Workers that are not in the orders are sent to last and return last. */
  scenario.count = 1;
  scenario.sends[0] = scenario.returns[0] = 4;
  ls_pair_of(&again, &sample.small, sample.workers, &scenario);
  assert_memory_equal(again.order[0], ((const uint8_t[]){4, 0, 1, 2, 3, 5}), 6);
  assert_memory_equal(again.order[1], ((const uint8_t[]){0, 1, 2, 3, 5, 4}), 6);
  ls_scenario_close(&scenario);
  ls_returns_close(&sample.returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_value_of_a_pair_is_that_of_its_program),
      cmocka_unit_test(nobody_idles_in_an_optimal_pair),
      cmocka_unit_test(a_row_that_cannot_be_met_is_told),
      cmocka_unit_test(pairs_become_scenarios_and_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
