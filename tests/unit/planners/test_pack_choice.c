#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"
#include "planners/pack/pack_choice.h"

static void small_divisions_are_optimal_and_proven(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  struct ls_pack_result result;
  ls_random_init(&random, 7, "cases");
  for (int i = 0; i < 200; i++) {
    draw_case(&drawn, &random, 1 + ls_random_below(&random, 8), 1 + ls_random_below(&random, 4),
              i % 2 == 0);
    assert_int_equal(ls_pack_choose(&drawn.problem, NULL, &result, NULL), LS_OK);
    expect_division(&drawn.problem, &result.packing);
    assert_true(result.is_optimal);
    assert_true(result.packing.makespan_s <= find_optimum(&drawn.problem) * (1 + 1e-8));
    assert_true(ls_pack_gap(&result) < 1e-8);
    ls_pack_result_close(&result);
  }
}

static void the_same_problem_has_one_answer(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  struct ls_pack_result first, second;
  const struct ls_budget budget = {.work_max = 200000};
  ls_random_init(&random, 8, "cases");
  draw_case(&drawn, &random, TASKS_MAX, SHARDS_MAX, true);
  assert_int_equal(ls_pack_choose(&drawn.problem, &budget, &first, NULL), LS_OK);
  assert_int_equal(ls_pack_choose(&drawn.problem, &budget, &second, NULL), LS_OK);
  assert_memory_equal(first.packing.shard_of, second.packing.shard_of,
                      TASKS_MAX * sizeof *first.packing.shard_of);
  assert_true(first.bound_s <= first.packing.makespan_s);
  assert_true(ls_pack_gap(&first) < 0.01);
  ls_pack_result_close(&first);
  ls_pack_result_close(&second);
}

/* Each has a page's worth of facts, and all names differ. */
static void the_list_is_whole(void **state) {
  (void)state;
  for (size_t i = 0; ls_pack_algorithms[i] != NULL; i++) {
    assert_non_null(ls_pack_algorithms[i]->summary);
    assert_non_null(ls_pack_algorithms[i]->reference);
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(ls_pack_algorithms[i]->name, ls_pack_algorithms[k]->name);
  }
}

static void more_shards_than_tasks_are_empty(void **state) {
  (void)state;
  const double seconds[] = {2, 1}, ones[] = {1, 1, 1, 1, 1};
  const struct ls_pack_problem problem = {seconds, 2, ones, 5};
  struct ls_pack_result result;
  assert_int_equal(ls_pack_choose(&problem, NULL, &result, NULL), LS_OK);
  assert_true(result.is_optimal && fabs(result.packing.makespan_s - 2) < 1e-12);
  ls_pack_result_close(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_divisions_are_optimal_and_proven),
      cmocka_unit_test(the_same_problem_has_one_answer),
      cmocka_unit_test(the_list_is_whole),
      cmocka_unit_test(more_shards_than_tasks_are_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
