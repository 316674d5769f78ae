/* What a worker says that it has, in any order and twice, is known unit by unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "coordinator/books/holdings.h"

enum { CHUNKS = 3, UNITS = 24, TOLD_MAX = 12, SEEDS = 2000, MANY = 200000 };

static bool is_told(const struct ls_event_held *told, size_t count, uint64_t chunk, uint64_t unit) {
  for (size_t i = 0; i < count; i++)
    if (told[i].chunk == chunk && unit - told[i].units.first < told[i].units.count) return true;
  return false;
}

/* The first gap, found unit by unit. */
static struct ls_range find_plainly(const struct ls_event_held *told, size_t count, uint64_t chunk,
                                    struct ls_range range) {
  uint64_t end = range.first + range.count, first = range.first;
  while (first < end && is_told(told, count, chunk, first)) first++;
  struct ls_range gap = {first, 0};
  while (gap.first + gap.count < end && !is_told(told, count, chunk, gap.first + gap.count))
    gap.count++;
  return gap;
}

static void check_gaps(const struct ls_event_held *told, size_t count,
                       const struct ls_holdings *holdings) {
  for (uint64_t chunk = 0; chunk < CHUNKS; chunk++)
    for (uint64_t first = 0; first < UNITS; first++)
      for (uint64_t units = 1; units <= UNITS - first; units++) {
        struct ls_range range = {first, units};
        struct ls_range expected = find_plainly(told, count, chunk, range);
        struct ls_range gap = ls_holdings_find_gap(holdings, chunk, range);
        assert_int_equal(gap.count, expected.count);
        assert_int_equal(gap.first, expected.first);
      }
}

static void check_counts(const struct ls_event_held *told, size_t count,
                         const struct ls_holdings *holdings) {
  for (size_t at = 0; at < holdings->count;) {
    uint64_t chunk = holdings->items[at].chunk, expected = 0;
    for (uint64_t unit = 0; unit < UNITS; unit++) expected += is_told(told, count, chunk, unit);
    assert_int_equal(ls_holdings_count_chunk(holdings, &at), expected);
    assert_true(at == holdings->count || holdings->items[at].chunk > chunk);
  }
}

static void gaps_are_those_of_what_was_told(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_event_held told[TOLD_MAX];
    struct ls_holdings holdings;
    struct ls_random random;
    ls_random_init(&random, seed, "holdings");
    size_t count = (size_t)ls_random_below(&random, TOLD_MAX + 1);
    for (size_t i = 0; i < count; i++) {
      uint64_t first = ls_random_below(&random, UNITS);
      told[i] = (struct ls_event_held){ls_random_below(&random, CHUNKS),
                                       {first, 1 + ls_random_below(&random, UNITS - first)}};
    }
    assert_int_equal(ls_holdings_open(&holdings, told, count), LS_OK);
    check_gaps(told, count, &holdings);
    check_counts(told, count, &holdings);
    ls_holdings_close(&holdings);
  }
}

static void the_largest_ranges_do_not_wrap(void **state) {
  static const struct ls_event_held told[] = {{7, {1, UINT64_MAX - 1}}, {7, {0, UINT64_MAX}}};
  struct ls_holdings holdings;
  (void)state;
  assert_int_equal(ls_holdings_open(&holdings, told, 2), LS_OK);
  assert_true(ls_holdings_have(&holdings, 7, 0) && ls_holdings_have(&holdings, 7, 1));
  assert_false(ls_holdings_have(&holdings, 8, 0));
  size_t at = 0;
  assert_true(ls_holdings_count_chunk(&holdings, &at) == UINT64_MAX);
  ls_holdings_close(&holdings);
}

/* A worker that is back may have nothing. */
static void nothing_is_one_gap(void **state) {
  struct ls_holdings holdings;
  (void)state;
  assert_int_equal(ls_holdings_open(&holdings, NULL, 0), LS_OK);
  struct ls_range gap = ls_holdings_find_gap(&holdings, 3, (struct ls_range){5, 7});
  assert_true(gap.first == 5 && gap.count == 7);
  assert_false(ls_holdings_have(&holdings, 3, 5));
  ls_holdings_close(&holdings);
}

/* Were each question a walk over all, this would not end today. */
static void many_single_units_are_no_matter(void **state) {
  struct ls_event_held *told = malloc(MANY * sizeof *told);
  struct ls_holdings holdings;
  (void)state;
  assert_non_null(told);
  for (uint64_t i = 0; i < MANY; i++) told[i] = (struct ls_event_held){1, {2 * (MANY - i), 1}};
  assert_int_equal(ls_holdings_open(&holdings, told, MANY), LS_OK);
  for (uint64_t unit = 2; unit < 2 * MANY; unit++)
    assert_true(ls_holdings_have(&holdings, 1, unit) == (unit % 2 == 0));
  ls_holdings_close(&holdings);
  free(told);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_are_those_of_what_was_told),
      cmocka_unit_test(the_largest_ranges_do_not_wrap),
      cmocka_unit_test(nothing_is_one_gap),
      cmocka_unit_test(many_single_units_are_no_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
