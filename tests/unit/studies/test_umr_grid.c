#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "studies/planning.h"
#include "studies/umr_grid.h"

static void the_grid_has_the_published_number_of_pairs(void **state) {
  (void)state;
  uint32_t workers = 10, bandwidth = 10;
  for (size_t i = 0; i < LS_UMR_GRID_PAIRS; i++) {
    struct ls_umr_grid_pair pair = ls_umr_grid_pair(i);
    if (pair.workers != workers) {
      assert_int_equal(bandwidth, 5 * workers);
      assert_int_equal(pair.workers, workers + 5);
      workers = pair.workers;
      assert_int_equal(pair.bandwidth, workers * 11 / 10); /* floor(1.1 N) */
    } else {
      assert_int_equal(pair.bandwidth, bandwidth + 1);
    }
    bandwidth = pair.bandwidth;
  }
  assert_int_equal(workers, 50);
  assert_int_equal(bandwidth, 250);
  assert_int_equal(LS_UMR_GRID_PAIRS * LS_UMR_GRID_CASES, 1229984);
  assert_int_equal(LS_UMR_GRID_PAIRS * LS_UMR_GRID_LATENCIES * LS_UMR_GRID_SMALL, 144704);
}

static void latencies_reach_from_0_to_0_99_seconds(void **state) {
  (void)state;
  assert_true(!(ls_umr_grid_latency_s(0) > 0));
  assert_true(fabs(ls_umr_grid_latency_s(33) - 0.99) < 1e-15);
  assert_true(ls_umr_grid_latency_s(LS_UMR_GRID_SMALL - 1) < 0.1);
  assert_true(ls_umr_grid_latency_s(LS_UMR_GRID_SMALL) > 0.1);
}

static size_t draw_cases(struct ls_random *random, struct ls_umr_grid_case *cases) {
  size_t count = 0;
  for (uint8_t i = 0; i < LS_UMR_GRID_LATENCIES; i++) {
    for (uint8_t j = 0; j < LS_UMR_GRID_LATENCIES; j++) {
      /* Without latencies there are most rounds, and most of what can differ. */
      if (i * j > 0 && ls_random_below(random, 20) > 0) continue;
      cases[count++] = (struct ls_umr_grid_case){.network = i, .compute = j};
    }
  }
  return count;
}

/* Not one bit may differ: plan after plan by the planners, or all cases side by side. */
static void the_batch_has_the_digits_of_the_planners(void **state) {
  (void)state;
  struct ls_umr_grid_makespans *general = calloc(1, sizeof *general);
  struct ls_umr_grid_makespans *batch = calloc(1, sizeof *batch);
  struct ls_umr_grid_case cases[LS_UMR_GRID_CASES];
  struct ls_random random;
  assert_non_null(general);
  assert_non_null(batch);
  ls_random_init(&random, 11, "pairs");
  for (int turn = 0; turn < 6; turn++) {
    /* The first and the last pair, and some between. */
    size_t index = turn == 0   ? 0
                   : turn == 1 ? LS_UMR_GRID_PAIRS - 1
                               : ls_random_below(&random, LS_UMR_GRID_PAIRS);
    struct ls_umr_grid_pair pair = ls_umr_grid_pair(index);
    size_t count = draw_cases(&random, cases);
    assert_int_equal(ls_umr_grid_play(&pair, cases, count, general, NULL), LS_OK);
    assert_int_equal(ls_umr_grid_play_batch(&pair, cases, count, batch, NULL), LS_OK);
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++)
      assert_memory_equal(general->at[i], batch->at[i], count * sizeof(double));
  }
  free(general);
  free(batch);
}

static double plan_alone(const struct ls_umr_grid_pair *pair, const struct ls_umr_grid_case *at,
                         size_t algorithm) {
  struct ls_platform platform;
  struct ls_study_plan plan;
  char name[16] = "umr";
  struct ls_cost transfer = {ls_umr_grid_latency_s(at->network), 1 / (double)pair->bandwidth};
  struct ls_cost compute = {ls_umr_grid_latency_s(at->compute), 1};
  if (algorithm == LS_GRID_ONE_BATCH) strcpy(name, "one-round");
  if (algorithm >= LS_GRID_MI_1 && algorithm < LS_GRID_ONE_BATCH)
    snprintf(name, sizeof name, "mi:%zu", algorithm - LS_GRID_MI_1 + 1);
  assert_int_equal(ls_study_identical(&platform, pair->workers, transfer, compute, NULL), LS_OK);
  assert_int_equal(ls_study_plan(&platform, 1000, name, &plan, NULL), LS_OK);
  ls_platform_close(&platform);
  return plan.makespan_s;
}

/* The grid holds for a configuration what `loadstar plan` would print. */
static void a_case_alone_is_that_of_the_command_line(void **state) {
  (void)state;
  struct ls_umr_grid_makespans *batch = calloc(1, sizeof *batch);
  const struct ls_umr_grid_case cases[] = {{0, 0}, {0, 5}, {3, 0}, {3, 1}, {33, 2}, {33, 33}};
  enum { COUNT = sizeof cases / sizeof *cases };
  assert_non_null(batch);
  for (size_t index = 0; index < LS_UMR_GRID_PAIRS; index += 250) {
    struct ls_umr_grid_pair pair = ls_umr_grid_pair(index);
    assert_int_equal(ls_umr_grid_play_batch(&pair, cases, COUNT, batch, NULL), LS_OK);
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++) {
      for (size_t j = 0; j < COUNT; j++) {
        double alone = plan_alone(&pair, &cases[j], i);
        assert_memory_equal(&batch->at[i][j], &alone, sizeof alone);
      }
    }
  }
  free(batch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_grid_has_the_published_number_of_pairs),
      cmocka_unit_test(latencies_reach_from_0_to_0_99_seconds),
      cmocka_unit_test(the_batch_has_the_digits_of_the_planners),
      cmocka_unit_test(a_case_alone_is_that_of_the_command_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
