/* test_splitting.c: a task that failed is halved until its guilty units are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "coordinator/books/splitting.h"

enum { UNITS_MAX = 300, FIRST = 40 };

struct trial {
  bool is_guilty[UNITS_MAX];
  int ends[UNITS_MAX]; /* how often the unit has ended */
  bool is_well[UNITS_MAX];
  int runs;
};

static bool runs_well(const struct trial *trial, struct ls_range units) {
  for (uint64_t i = 0; i < units.count; i++)
    if (trial->is_guilty[units.first - FIRST + i]) return false;
  return true;
}

/* Halves a task of `count` units; each unit must end once, and only as its own run says. */
static void split(struct trial *trial, uint64_t count, struct ls_random *random) {
  struct ls_splitting splitting;
  uint64_t next = FIRST;
  ls_splitting_begin(&splitting, (struct ls_range){FIRST, count});
  while (ls_splitting_goes_on(&splitting)) {
    struct ls_range units = ls_splitting_next(&splitting);
    assert_true(units.count > 0);
    assert_int_equal(units.first, next);
    assert_true(units.first + units.count <= FIRST + count);
    if (random != NULL && units.count > 1 && ls_random_below(random, 4) == 0) {
      units.count = 1 + ls_random_below(random, units.count);
      ls_splitting_take(&splitting, units.count);
    }
    bool is_well = runs_well(trial, units);
    trial->runs++;
    if (!ls_splitting_end(&splitting, is_well)) {
      assert_true(!is_well && units.count > 1);
      continue;
    }
    assert_true(is_well || units.count == 1);
    for (uint64_t i = 0; i < units.count; i++) {
      trial->ends[units.first - FIRST + i]++;
      trial->is_well[units.first - FIRST + i] = is_well;
    }
    next = units.first + units.count;
  }
  for (uint64_t i = 0; i < count; i++) {
    assert_int_equal(trial->ends[i], 1);
    assert_int_equal(trial->is_well[i], !trial->is_guilty[i]);
  }
}

static int count_halvings(uint64_t units) {
  int halvings = 0;
  for (; units > 1; units = (units + 1) / 2) halvings++;
  return halvings;
}

static void one_guilty_unit_costs_the_logarithm(void **state) {
  (void)state;
  for (uint64_t count = 2; count <= UNITS_MAX; count++) {
    for (uint64_t guilty = 0; guilty < count; guilty++) {
      struct trial trial = {.is_guilty = {false}};
      trial.is_guilty[guilty] = true;
      split(&trial, count, NULL);
      assert_true(trial.runs <= count_halvings(count) + 2);
    }
  }
}

/* The first run of the task failed, and nothing fails any more: still each unit is run. */
static void nobody_is_guilty_the_second_time(void **state) {
  (void)state;
  for (uint64_t count = 2; count <= UNITS_MAX; count++) {
    struct trial trial = {.is_guilty = {false}};
    split(&trial, count, NULL);
    assert_true(trial.runs <= count_halvings(count) + 1);
  }
}

static void any_number_of_guilty_units_is_found(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 7, "guilty");
  for (int round = 0; round < 3000; round++) {
    struct trial trial = {.is_guilty = {false}};
    uint64_t count = 2 + ls_random_below(&random, UNITS_MAX - 1);
    uint64_t guilty = ls_random_below(&random, count + 1);
    for (uint64_t i = 0; i < guilty; i++) trial.is_guilty[ls_random_below(&random, count)] = true;
    split(&trial, count, round % 2 == 0 ? &random : NULL);
  }
}

static void all_units_are_guilty(void **state) {
  (void)state;
  struct trial trial = {.is_guilty = {false}};
  for (int i = 0; i < 64; i++) trial.is_guilty[i] = true;
  split(&trial, 64, NULL);
  assert_true(trial.runs >= 64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_guilty_unit_costs_the_logarithm),
      cmocka_unit_test(nobody_is_guilty_the_second_time),
      cmocka_unit_test(any_number_of_guilty_units_is_found),
      cmocka_unit_test(all_units_are_guilty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
