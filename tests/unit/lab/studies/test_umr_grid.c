#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/random.h"
#include "lab/studies/planning.h"
#include "lab/studies/umr_grid.h"

static void open_grid(struct ls_platform_grid *grid, const char *text) {
  struct ls_error err = {0};
  if (ls_umr_grid_open(grid, text, &err) != LS_OK) fail_msg("%s", err.text);
}

static void the_grid_has_the_published_number_of_pairs(void **state) {
  (void)state;
  struct ls_platform_grid grid, small;
  uint32_t workers = 10, bandwidth = 10;
  open_grid(&grid, ls_umr_grid_text);
  open_grid(&small, ls_umr_grid_small_text);
  assert_int_equal(grid.blocks, LS_UMR_GRID_PAIRS);
  for (size_t i = 0; i < LS_UMR_GRID_PAIRS; i++) {
    struct ls_grid_point point = ls_platform_grid_point(&grid, i, 0);
    if ((uint32_t)point.values[LS_GRID_WORKERS] != workers) {
      assert_int_equal(bandwidth, 5 * workers);
      assert_int_equal(point.values[LS_GRID_WORKERS], workers + 5);
      workers += 5;
      assert_int_equal(point.values[LS_GRID_RATE], workers * 11 / 10); /* floor(1.1 N) */
    } else {
      assert_int_equal(point.values[LS_GRID_RATE], bandwidth + 1);
    }
    bandwidth = (uint32_t)point.values[LS_GRID_RATE];
  }
  assert_int_equal(workers, 50);
  assert_int_equal(bandwidth, 250);
  assert_int_equal(ls_platform_grid_count(&grid), 1229984);
  assert_int_equal(ls_platform_grid_count(&small), 144704);
  assert_int_equal(grid.block_platforms, LS_UMR_GRID_CASES);
  ls_platform_grid_close(&grid);
  ls_platform_grid_close(&small);
}

/* Hundredths, to the bit. */
static void latencies_reach_from_0_to_0_99_seconds(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  open_grid(&grid, ls_umr_grid_text);
  for (size_t i = 0; i < LS_UMR_GRID_CASES; i++) {
    struct ls_grid_point point = ls_platform_grid_point(&grid, 5, i);
    double network_s = (double)(i / LS_UMR_GRID_LATENCIES) * 3 / 100;
    double compute_s = (double)(i % LS_UMR_GRID_LATENCIES) * 3 / 100;
    assert_memory_equal(&point.values[LS_GRID_TRANSFER_LATENCY], &network_s, sizeof network_s);
    assert_memory_equal(&point.values[LS_GRID_COMPUTE_LATENCY], &compute_s, sizeof compute_s);
  }
  ls_platform_grid_close(&grid);
}

static size_t draw_cases(struct ls_random *random, bool *is_wanted) {
  size_t count = 0;
  for (size_t i = 0; i < LS_UMR_GRID_CASES; i++) {
    /* Without latencies there are most rounds, and most of what can differ. */
    bool has_both = i / LS_UMR_GRID_LATENCIES > 0 && i % LS_UMR_GRID_LATENCIES > 0;
    is_wanted[i] = !has_both || ls_random_below(random, 20) == 0;
    count += is_wanted[i];
  }
  return count;
}

/* Not one bit may differ: plan after plan by the planners, or all cases side by side. */
static void the_batch_has_the_digits_of_the_planners(void **state) {
  (void)state;
  struct ls_umr_grid_makespans *general = calloc(1, sizeof *general);
  struct ls_umr_grid_makespans *batch = calloc(1, sizeof *batch);
  struct ls_platform_grid grid;
  struct ls_random random;
  bool is_wanted[LS_UMR_GRID_CASES];
  assert_non_null(general);
  assert_non_null(batch);
  open_grid(&grid, ls_umr_grid_text);
  ls_random_init(&random, 11, "pairs");
  for (int turn = 0; turn < 6; turn++) {
    /* The first and the last pair, and some between. */
    size_t index = turn == 0   ? 0
                   : turn == 1 ? LS_UMR_GRID_PAIRS - 1
                               : ls_random_below(&random, LS_UMR_GRID_PAIRS);
    struct ls_grid_piece piece = ls_grid_piece(&grid, LS_UMR_GRID_CASES, index);
    size_t count = draw_cases(&random, is_wanted);
    piece.is_wanted = is_wanted;
    assert_int_equal(ls_umr_grid_play(&piece, true, general, NULL), LS_OK);
    assert_int_equal(ls_umr_grid_play(&piece, false, batch, NULL), LS_OK);
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++)
      assert_memory_equal(general->at[i], batch->at[i], count * sizeof(double));
  }
  ls_platform_grid_close(&grid);
  free(general);
  free(batch);
}

/* The grid holds for a configuration what `loadstar plan` would print. */
static void a_case_alone_is_that_of_the_command_line(void **state) {
  (void)state;
  struct ls_umr_grid_makespans *batch = calloc(1, sizeof *batch);
  struct ls_platform_grid grid;
  const size_t cases[] = {0, 5, 3 * 34, 3 * 34 + 1, 33 * 34 + 2, 33 * 34 + 33};
  assert_non_null(batch);
  open_grid(&grid, ls_umr_grid_text);
  for (size_t index = 0; index < LS_UMR_GRID_PAIRS; index += 250) {
    struct ls_grid_piece piece = ls_grid_piece(&grid, LS_UMR_GRID_CASES, index);
    assert_int_equal(ls_umr_grid_play(&piece, false, batch, NULL), LS_OK);
    for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
      struct ls_grid_point point = ls_platform_grid_point(&grid, index, cases[j]);
      struct ls_platform platform;
      assert_int_equal(ls_platform_grid_make(&grid, &point, &platform, NULL), LS_OK);
      for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++) {
        struct ls_study_plan plan;
        assert_int_equal(ls_study_plan(&platform, 1000, ls_umr_grid_labels[i], &plan, NULL), LS_OK);
        assert_memory_equal(&batch->at[i][cases[j]], &plan.makespan_s, sizeof plan.makespan_s);
      }
      ls_platform_close(&platform);
    }
  }
  ls_platform_grid_close(&grid);
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
