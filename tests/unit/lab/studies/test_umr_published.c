#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lab/studies/umr_published.h"

static const struct ls_umr_published *const tables[] = {&ls_umr_table_2, &ls_umr_table_3};
enum { TABLES = sizeof tables / sizeof *tables };

/* The wins decide the mean rank, so a digit copied wrongly would show.  Wins are
 * printed in tenths of a point, cut: nine of them may be 0.009 off together. */
static void printed_ranks_follow_from_printed_wins(void **state) {
  (void)state;
  for (size_t t = 0; t < TABLES; t++) {
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++) {
      double rank = 0;
      for (size_t j = 0; j < LS_GRID_ALGORITHMS; j++) {
        if (j > i) rank += 1 - tables[t]->rows[i].wins[j] / 100;
        if (j < i) rank += tables[t]->rows[j].wins[i] / 100;
      }
      assert_true(fabs(rank - tables[t]->rows[i].rank) < 0.015);
    }
  }
}

/* UMR is nearly always the best, so makespans over UMR's and over the best are nearly the same. */
static void printed_makespans_follow_from_printed_degradations(void **state) {
  (void)state;
  for (size_t t = 0; t < TABLES; t++) {
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++) {
      const struct ls_umr_published_row *row = &tables[t]->rows[i];
      assert_true(fabs(row->norm - (1 + row->degradation / 100)) < 0.01);
    }
  }
}

static void wins_stand_above_the_diagonal_only(void **state) {
  (void)state;
  for (size_t t = 0; t < TABLES; t++) {
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++) {
      for (size_t j = 0; j < LS_GRID_ALGORITHMS; j++) {
        double wins = tables[t]->rows[i].wins[j];
        if (j > i)
          assert_true(wins > 0 && wins <= 100);
        else
          assert_true(isnan(wins));
      }
    }
  }
}

/* Known differences are named entry by entry; everything else has the one tolerance. */
static void only_known_entries_have_a_wider_tolerance(void **state) {
  (void)state;
  size_t wider[TABLES] = {0};
  for (size_t t = 0; t < TABLES; t++) {
    for (size_t i = 0; i < LS_GRID_ALGORITHMS; i++) {
      for (size_t j = i + 1; j < LS_GRID_ALGORITHMS; j++)
        wider[t] += ls_umr_wins_tolerance(tables[t], i, j) > 0.13;
    }
  }
  assert_int_equal(wider[0], 0);
  assert_int_equal(wider[1], 4 + 2 + 1); /* UMR and MI-5 .. 8, MI-6 and MI-7 and MI-8, one tie */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed_ranks_follow_from_printed_wins),
      cmocka_unit_test(printed_makespans_follow_from_printed_degradations),
      cmocka_unit_test(wins_stand_above_the_diagonal_only),
      cmocka_unit_test(only_known_entries_have_a_wider_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
