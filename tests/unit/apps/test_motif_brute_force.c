#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "brute_force.h"
#include "motif_case.h"

static void best_is_that_of_trying_one_by_one(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct motif_case made;
    struct best best = {0};
    open_any_case(&made, seed);
    struct ls_range all = {0, made.space.vectors};
    assert_int_equal(brute_force(&made.space, all, &best, NULL), LS_OK);
    assert_same_best(best, search_plainly(&made, all));
    close_case(&made);
  }
}

/* Ranges begin and end anywhere within the positions of the last sequence. */
static void parts_make_the_whole_in_any_order(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct motif_case made;
    struct ls_random chance;
    struct best best = {0};
    uint64_t cuts[4] = {0};
    open_any_case(&made, seed);
    ls_random_init(&chance, seed, "cuts");
    uint64_t left = made.space.vectors;
    for (size_t i = 0; i < 3; i++) {
      cuts[i] = ls_random_below(&chance, left + 1);
      left -= cuts[i];
    }
    cuts[3] = left;
    uint64_t end = made.space.vectors;
    for (size_t i = 4; i > 0; i--) {
      struct ls_range part = {end - cuts[i - 1], cuts[i - 1]};
      struct best own = {0};
      end -= cuts[i - 1];
      if (part.count == 0) continue;
      assert_int_equal(brute_force(&made.space, part, &own, NULL), LS_OK);
      assert_same_best(own, search_plainly(&made, part));
      best_merge(&best, &own);
    }
    assert_same_best(best, search_plainly(&made, (struct ls_range){0, made.space.vectors}));
    close_case(&made);
  }
}

static void first_of_equal_vectors_is_the_answer(void **state) {
  (void)state;
  struct motif_case made;
  struct best best = {0};
  open_case(&made, 1, 3, 5, 4, 1);
  assert_int_equal(brute_force(&made.space, (struct ls_range){7, 50}, &best, NULL), LS_OK);
  assert_same_best(best, (struct best){true, 15, 7});
  close_case(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(best_is_that_of_trying_one_by_one),
      cmocka_unit_test(parts_make_the_whole_in_any_order),
      cmocka_unit_test(first_of_equal_vectors_is_the_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
