#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "motif_case.h"

static void numbers_and_positions_are_one_to_one(void **state) {
  (void)state;
  struct motif_case made;
  uint64_t starts[SEQUENCES_MAX], before[SEQUENCES_MAX];
  open_case(&made, 1, 4, 3, 5, 4);
  assert_int_equal(made.space.vectors, 5 * 5 * 5 * 5);
  for (uint64_t number = 0; number < made.space.vectors; number++) {
    space_unpack(&made.space, number, 4, starts);
    assert_int_equal(space_pack(&made.space, starts, 4), number);
    for (size_t i = 0; i < 4; i++) assert_in_range(starts[i], 0, 4);
    /* Lexicographic, the last sequence fastest. */
    if (number > 0) assert_true(starts[3] == before[3] + 1 || starts[3] == 0);
    memcpy(before, starts, sizeof before);
  }
  close_case(&made);
}

static void score_is_that_of_the_definition(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct motif_case made;
    uint64_t starts[SEQUENCES_MAX], profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
    struct ls_random chance;
    open_any_case(&made, seed);
    ls_random_init(&chance, seed, "vector");
    space_unpack(&made.space, ls_random_below(&chance, made.space.vectors), made.space.sequences,
                 starts);
    for (size_t depth = 0; depth <= made.space.sequences; depth++) {
      profile_of(&made.space, starts, depth, profile);
      assert_int_equal(profile_score(&made.space, profile, favourites),
                       score_plainly(&made, starts, depth));
    }
    /* Between l ceil(t/4) and l t. */
    uint64_t score = score_plainly(&made, starts, made.space.sequences);
    bool is_plain = sequences_are_plain(&made.sequences);
    size_t least = is_plain ? made.space.length * ((made.space.sequences + 3) / 4) : 0;
    assert_in_range(score, least, made.space.length * made.space.sequences);
    close_case(&made);
  }
}

/* As many rows as there may be: the counts need all their bits. */
static void counts_of_many_rows_are_exact(void **state) {
  (void)state;
  struct motif_case made;
  uint64_t starts[SEQUENCES_MAX] = {0}, profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  for (uint8_t letters = 1; letters <= 4; letters++) {
    open_case(&made, letters, SEQUENCES_MAX, 100, 1, letters);
    profile_of(&made.space, starts, SEQUENCES_MAX, profile);
    assert_int_equal(profile_score(&made.space, profile, favourites),
                     score_plainly(&made, starts, SEQUENCES_MAX));
    close_case(&made);
  }
}

static void row_adds_what_the_score_grows_by(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct motif_case made;
    uint64_t starts[SEQUENCES_MAX] = {0}, profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
    open_any_case(&made, seed);
    size_t last = made.space.sequences - 1;
    uint64_t chosen, first = seed % made.space.positions[last], most = 0, where = first;
    profile_of(&made.space, starts, last, profile);
    uint64_t before = profile_score(&made.space, profile, favourites);
    for (starts[last] = first; starts[last] < made.space.positions[last]; starts[last]++) {
      uint64_t grown = score_plainly(&made, starts, last + 1) - before;
      const uint64_t *row = space_row(&made.space, last, starts[last]);
      assert_int_equal(profile_match(&made.space, favourites, row), grown);
      if (grown > most) where = starts[last];
      if (grown > most) most = grown;
    }
    struct ls_range rest = {first, made.space.positions[last] - first};
    assert_int_equal(profile_choose(&made.space, favourites, last, rest, &chosen), most);
    assert_int_equal(chosen, where);
    close_case(&made);
  }
}

static void consensus_prefers_the_first_letter(void **state) {
  (void)state;
  struct sequences two;
  struct space space;
  uint64_t starts[2] = {0}, profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  char consensus[5] = {0};
  assert_int_equal(sequences_open(&two, 2, 4, NULL), LS_OK);
  memcpy(two.letters, (const uint8_t[]){3, 2, 1, 0, 3, 1, 2, 3}, 8);
  assert_int_equal(space_open(&space, &two, 4, true, NULL), LS_OK);
  profile_of(&space, starts, 2, profile);
  assert_int_equal(profile_score(&space, profile, favourites), 5);
  favourites_spell(&space, favourites, consensus);
  assert_string_equal(consensus, "TCCA");
  space_close(&space);
  sequences_close(&two);
}

static void best_is_the_highest_and_then_the_first(void **state) {
  (void)state;
  struct best best = {0}, none = {0}, other = {true, 7, 1};
  best_merge(&best, &none);
  assert_false(best.is_known);
  best_take(&best, 0, 9);
  assert_same_best(best, (struct best){true, 0, 9});
  best_take(&best, 7, 5);
  best_take(&best, 7, 6);
  best_take(&best, 6, 0);
  assert_same_best(best, (struct best){true, 7, 5});
  best_merge(&best, &other);
  best_merge(&best, &none);
  assert_same_best(best, (struct best){true, 7, 1});
}

static void too_many_vectors_are_refused(void **state) {
  (void)state;
  struct sequences many;
  struct space space;
  struct ls_error err = {0};
  assert_int_equal(sequences_open(&many, 62, 3, NULL), LS_OK);
  assert_int_equal(space_open(&space, &many, 2, true, NULL), LS_OK);
  assert_true(space.vectors == UINT64_C(1) << 62);
  space_close(&space);
  assert_int_equal(space_open(&space, &many, 1, true, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "3 positions in each of 62 sequences"));
  sequences_close(&many);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_and_positions_are_one_to_one),
      cmocka_unit_test(score_is_that_of_the_definition),
      cmocka_unit_test(counts_of_many_rows_are_exact),
      cmocka_unit_test(row_adds_what_the_score_grows_by),
      cmocka_unit_test(consensus_prefers_the_first_letter),
      cmocka_unit_test(best_is_the_highest_and_then_the_first),
      cmocka_unit_test(too_many_vectors_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
