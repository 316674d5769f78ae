#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"

static void the_largest_comes_first_and_ties_decide_equal_ones(void **state) {
  (void)state;
  const double numbers[] = {1, 3, 0, 3, 2, 1e300, 1e-300, 3};
  const uint64_t ties[] = {0, 9, 0, 7, 0, 0, 0, 8};
  const uint32_t plain[] = {5, 1, 3, 7, 4, 0, 6, 2}, tied[] = {5, 3, 7, 1, 4, 0, 6, 2};
  uint32_t places[8];
  assert_int_equal(ls_pack_arrange(numbers, NULL, 8, places), LS_OK);
  assert_memory_equal(places, plain, sizeof plain);
  assert_int_equal(ls_pack_arrange(numbers, ties, 8, places), LS_OK);
  assert_memory_equal(places, tied, sizeof tied);
  assert_int_equal(ls_pack_arrange(numbers, ties, 0, places), LS_OK);
}

static void many_numbers_are_sorted(void **state) {
  (void)state;
  enum { MANY = 10000 };
  double *numbers = calloc(MANY, sizeof *numbers);
  uint32_t *places = calloc(MANY, sizeof *places);
  unsigned char *seen = calloc(MANY, 1);
  struct ls_random random;
  assert_non_null(numbers);
  assert_non_null(places);
  assert_non_null(seen);
  ls_random_init(&random, 1, "numbers");
  for (size_t i = 0; i < MANY; i++) numbers[i] = ls_random_real(&random) * 1000;
  assert_int_equal(ls_pack_arrange(numbers, NULL, MANY, places), LS_OK);
  for (size_t i = 0; i < MANY; i++) {
    assert_true(i == 0 || numbers[places[i]] <= numbers[places[i - 1]]);
    assert_int_equal(seen[places[i]]++, 0);
  }
  free(numbers);
  free(places);
  free(seen);
}

static void only_a_shorter_division_becomes_the_best(void **state) {
  (void)state;
  const double seconds[] = {4, 3, 2}, speeds[] = {2, 1};
  const struct ls_pack_problem problem = {seconds, 3, speeds, 2};
  struct ls_pack_search search;
  assert_false(ls_pack_is_uniform(&problem));
  open_search(&search, &problem, 0);
  assert_false(ls_pack_is_enough(&search));
  search.trial.shard_of[2] = 1;
  ls_pack_offer(&search, "first");
  assert_true(fabs(search.best.makespan_s - 3.5) < 1e-12);
  search.trial.shard_of[0] = search.trial.shard_of[1] = search.trial.shard_of[2] = 1;
  ls_pack_offer(&search, "second");
  assert_string_equal(search.found_by, "first");
  /* 3 on the slow one: both end at 3, which is 9 over 3. */
  search.trial.shard_of[0] = search.trial.shard_of[2] = 0;
  ls_pack_offer(&search, "third");
  assert_string_equal(search.found_by, "third");
  assert_true(ls_pack_is_enough(&search));
  ls_packing_copy(&search.trial, &search.best, &problem);
  expect_division(&problem, &search.trial);
  close_search(&search);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_comes_first_and_ties_decide_equal_ones),
      cmocka_unit_test(many_numbers_are_sorted),
      cmocka_unit_test(only_a_shorter_division_becomes_the_best),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
