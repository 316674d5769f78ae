/* A cell of the tables of lost workers. */
#include "study_fixture.h"

#include "lab/studies/loss_cells.h"

/* Table 5-1, W 30 %, as docs/theory/adaptive.md, 7 has it; without a loss extra workers gain time.
 */
static void a_cell_is_one_workload_and_one_strategy(void **state) {
  static const struct {
    const char *name;
    size_t strategy;
    double time, efficiency;
  } rows[] = {{"NR0", 0, 11.3, 6.0}, {"SR2", 4, 5.2, 10.6}, {"CR3", 8, 3.7, 14.0}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ls_study_loss_cell cell = {50, 30, 20, rows[i].strategy, LS_STUDY_LOSS_MIDPOINTS};
    struct ls_worsening lost, spared;
    assert_string_equal(ls_study_loss_strategies[rows[i].strategy].name, rows[i].name);
    assert_int_equal(ls_study_loss_weigh(&cell, &lost, &spared, NULL), LS_OK);
    assert_true(fabs(lost.time_percent - rows[i].time) < 0.05 + 1e-9);
    assert_true(fabs(lost.efficiency_percent - rows[i].efficiency) < 0.05 + 1e-9);
    assert_true(spared.time_percent < lost.time_percent);
    struct ls_worsening alone;
    assert_int_equal(ls_study_loss_weigh(&cell, &alone, NULL, NULL), LS_OK);
    assert_memory_equal(&alone, &lost, sizeof alone);
  }
}

/* Complete replication has a replica for each extra worker, single replication one. */
static void strategies_are_named_for_their_replicas(void **state) {
  (void)state;
  for (size_t i = 0; i < LS_STUDY_LOSS_STRATEGIES; i++) {
    const struct ls_study_loss_strategy *strategy = &ls_study_loss_strategies[i];
    size_t replicas = strategy->name[0] == 'C' ? strategy->extra : strategy->name[0] == 'S' ? 1 : 0;
    assert_int_equal(strategy->replicas, replicas);
    assert_int_equal(strategy->extra, (size_t)(strategy->name[2] - '0'));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cell_is_one_workload_and_one_strategy),
      cmocka_unit_test(strategies_are_named_for_their_replicas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
