/* Counts of workers follow from what changed, by pool and at any time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/places.h"

static void add(struct ls_places *places, double time_s, enum ls_place_change_kind kind,
                uint32_t pool, uint64_t workers) {
  const struct ls_place_change change = {
      .time_s = time_s, .kind = kind, .pool = pool, .workers = workers};
  assert_int_equal(ls_places_add(places, &change, NULL), LS_OK);
}

static void a_pool_is_known_by_its_name(void **state) {
  struct ls_places places = {0};
  uint32_t slurm, local, again;
  (void)state;
  assert_int_equal(ls_places_pool(&places, "slurm", &slurm, NULL), LS_OK);
  assert_int_equal(ls_places_pool(&places, "local", &local, NULL), LS_OK);
  assert_int_equal(ls_places_pool(&places, "slurm", &again, NULL), LS_OK);
  assert_int_equal(slurm, again);
  assert_int_not_equal(slurm, local);
  assert_int_equal(places.pools_count, 2);
  ls_places_close(&places);
}

static void counts_follow_the_changes_in_the_order_of_time(void **state) {
  struct ls_places places = {.end_s = 10};
  (void)state;
  add(&places, 9, LS_PLACE_LOST_SUSPENDED, 1, 1);
  add(&places, 0, LS_PLACE_WANTED, 0, 3);
  add(&places, 0, LS_PLACE_PENDING, 1, 3);
  add(&places, 1, LS_PLACE_GRANTED, 1, 2);
  add(&places, 2, LS_PLACE_JOINED, 1, 2);
  add(&places, 2, LS_PLACE_JOINED, 0, 1);
  add(&places, 3, LS_PLACE_SUSPENDED, 1, 1);
  add(&places, 4, LS_PLACE_LEFT, 1, 1);
  add(&places, 5, LS_PLACE_REFUSED, 1, 1);
  ls_places_sort(&places);
  struct ls_places_counts counts = ls_places_at(&places, LS_PLACES_ALL, 1);
  assert_int_equal(counts.wanted, 3);
  assert_int_equal(counts.pending, 1);
  assert_int_equal(counts.coming, 2);
  counts = ls_places_at(&places, 1, 3);
  assert_int_equal(counts.working, 1);
  assert_int_equal(counts.suspended, 1);
  counts = ls_places_at(&places, 0, 10);
  assert_int_equal(counts.working, 1);
  assert_int_equal(counts.lost, 0);
  assert_int_equal(counts.wanted, 3);
  counts = ls_places_at(&places, LS_PLACES_ALL, 10);
  assert_int_equal(counts.pending, 0);
  assert_int_equal(counts.working, 1);
  assert_int_equal(counts.suspended, 0);
  assert_int_equal(counts.suspensions, 1);
  assert_int_equal(counts.joined, 3);
  assert_int_equal(counts.left, 1);
  assert_int_equal(counts.lost, 1);
  ls_places_close(&places);
}

/* Of two on their way one comes; another one comes by itself, and one once more. */
static void only_who_was_granted_was_on_its_way(void **state) {
  struct ls_places places = {.end_s = 3};
  (void)state;
  add(&places, 0, LS_PLACE_GRANTED, 0, 2);
  add(&places, 1, LS_PLACE_ARRIVED, 1, 1);
  add(&places, 1, LS_PLACE_JOINED, 0, 1);
  add(&places, 2, LS_PLACE_LOST, 0, 1);
  add(&places, 3, LS_PLACE_ARRIVED, 0, 1);
  ls_places_sort(&places);
  struct ls_places_counts counts = ls_places_at(&places, LS_PLACES_ALL, 3);
  assert_int_equal(counts.coming, 1);
  assert_int_equal(counts.working, 2);
  assert_int_equal(counts.joined, 3);
  ls_places_close(&places);
}

/* A pool that tells an end twice breaks no count. */
static void no_count_falls_below_nothing(void **state) {
  struct ls_places places = {.end_s = 1};
  (void)state;
  add(&places, 0, LS_PLACE_LOST, 0, 2);
  add(&places, 0, LS_PLACE_MISSED, 0, 1);
  add(&places, 0, LS_PLACE_RESUMED, 0, 1);
  ls_places_sort(&places);
  struct ls_places_counts counts = ls_places_at(&places, 0, 1);
  assert_int_equal(counts.working, 1);
  assert_int_equal(counts.coming, 0);
  assert_int_equal(counts.suspended, 0);
  ls_places_close(&places);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pool_is_known_by_its_name),
      cmocka_unit_test(counts_follow_the_changes_in_the_order_of_time),
      cmocka_unit_test(only_who_was_granted_was_on_its_way),
      cmocka_unit_test(no_count_falls_below_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
