#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "branch.h"
#include "brute_force.h"
#include "motif_case.h"

static void serial_search_is_brute_force(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 500; seed++) {
    struct motif_case made;
    struct best best = {0}, brute = {0};
    uint64_t visited;
    open_any_case(&made, seed);
    struct ls_range all = {0, made.space.vectors}, starts = {0, made.space.positions[0]};
    assert_int_equal(brute_force(&made.space, all, &brute, NULL), LS_OK);
    assert_int_equal(branch_serially(&made.space, starts, &best, &visited, NULL), LS_OK);
    assert_same_best(best, brute);
    close_case(&made);
  }
}

static void shares_by_first_positions_make_the_whole(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct motif_case made;
    struct best best = {0}, brute = {0};
    uint64_t visited;
    open_any_case(&made, seed);
    struct ls_range all = {0, made.space.vectors};
    assert_int_equal(brute_force(&made.space, all, &brute, NULL), LS_OK);
    for (uint64_t i = made.space.positions[0]; i > 0; i--) {
      struct best own = {0};
      struct ls_range start = {i - 1, 1};
      assert_int_equal(branch_serially(&made.space, start, &own, &visited, NULL), LS_OK);
      best_merge(&best, &own);
    }
    assert_same_best(best, brute);
    close_case(&made);
  }
}

/* A planted motif stands out, so most of the tree is left out. */
static void little_of_the_tree_is_visited(void **state) {
  (void)state;
  struct sequences sequences;
  struct planted planted = {.length = 10, .mutations = 1};
  struct space space;
  struct best best = {0};
  uint64_t visited;
  assert_int_equal(sequences_open(&sequences, 6, 40, NULL), LS_OK);
  sequences_draw(&sequences, 3);
  assert_int_equal(sequences_plant(&sequences, &planted, 31, 3, NULL), LS_OK);
  assert_int_equal(space_open(&space, &sequences, 10, true, NULL), LS_OK);
  struct ls_range starts = {0, 31};
  assert_int_equal(branch_serially(&space, starts, &best, &visited, NULL), LS_OK);
  assert_int_equal(best.number, space_pack(&space, planted.starts, 6));
  assert_true(visited < space.vectors / 100);
  space_close(&space);
  planted_close(&planted);
  sequences_close(&sequences);
}

static void children_are_kept_by_the_rule(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct motif_case made;
    struct ls_random chance;
    uint64_t starts[SEQUENCES_MAX];
    uint8_t kept[1] = {0};
    open_any_case(&made, seed);
    const struct space *space = &made.space;
    ls_random_init(&chance, seed, "prefix");
    size_t depth = 1 + ls_random_below(&chance, space->sequences - 1);
    size_t missing = space->sequences - depth - 1;
    uint64_t most = space->sequences * space->length;
    struct branching branching = {.bound = most - ls_random_below(&chance, most)};
    for (size_t i = 0; i < depth; i++) starts[i] = ls_random_below(&chance, space->positions[i]);
    branch_expand(space, space_pack(space, starts, depth), depth, &branching, kept);
    struct best best = {0};
    uint64_t parent = score_plainly(&made, starts, depth);
    bool is_worth = parent + (missing + 1) * space->length >= branching.bound;
    for (starts[depth] = 0; starts[depth] < space->positions[depth]; starts[depth]++) {
      uint64_t score = score_plainly(&made, starts, depth + 1);
      bool is_kept = kept[0] >> starts[depth] & 1;
      assert_int_equal(is_kept, score + missing * space->length >= branching.bound);
      if (is_worth) best_take(&best, score, space_pack(space, starts, depth + 1));
    }
    assert_same_best(branching.best, best);
    close_case(&made);
  }
}

static void completed_prefix_is_a_vector_that_begins_with_it(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct motif_case made;
    struct best best = {0}, brute = {0};
    uint64_t starts[SEQUENCES_MAX];
    open_any_case(&made, seed);
    uint64_t prefix = seed % made.space.positions[0];
    struct ls_range all = {0, made.space.vectors};
    branch_complete(&made.space, prefix, 1, &best);
    space_unpack(&made.space, best.number, made.space.sequences, starts);
    assert_int_equal(starts[0], prefix);
    assert_int_equal(best.score, score_plainly(&made, starts, made.space.sequences));
    assert_int_equal(brute_force(&made.space, all, &brute, NULL), LS_OK);
    assert_true(best.score <= brute.score);
    close_case(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(serial_search_is_brute_force),
      cmocka_unit_test(shares_by_first_positions_make_the_whole),
      cmocka_unit_test(little_of_the_tree_is_visited),
      cmocka_unit_test(children_are_kept_by_the_rule),
      cmocka_unit_test(completed_prefix_is_a_vector_that_begins_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
