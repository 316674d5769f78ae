#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/star/reduced_star.h"
#include "umr_fixture.h"

static void reduce(const struct ls_platform *platform, struct ls_reduced_star *workers) {
  assert_int_equal(ls_reduced_star_init(workers, platform, NULL), LS_OK);
}

static void open_platform(struct ls_platform *platform, size_t count) {
  assert_int_equal(ls_platform_init(platform, count, NULL), LS_OK);
}

static void the_slower_station_per_unit_is_the_way_out(void **state) {
  struct ls_platform platform;
  struct ls_reduced_star workers;
  (void)state;
  open_platform(&platform, 3);
  platform.prepare = (struct ls_cost){0.25, 0.5};
  platform.workers[0].costs[LS_OPERATION_SEND] = (struct ls_cost){0.5, 0.25};
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){9, 0.5};
  platform.workers[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0, 2};
  /* Equal per unit: the larger latency. */
  platform.workers[2].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){3, 0.5};
  platform.workers[2].delay_s = 7;
  platform.workers[2].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){1, 2};
  platform.workers[2].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3, 4};
  reduce(&platform, &workers);
  assert_true(is_close(workers.items[0].send_latency_s, 0.75, 0));
  assert_true(is_close(workers.items[0].send_per_unit_s, 0.75, 0));
  assert_true(is_close(workers.items[1].send_latency_s, 0, 0));
  assert_true(is_close(workers.items[1].send_per_unit_s, 2, 0));
  assert_true(is_close(workers.items[2].send_latency_s, 3, 0));
  assert_true(is_close(workers.items[2].delay_s, 7, 0));
  assert_true(is_close(workers.items[2].compute_latency_s, 4, 0));
  assert_true(is_close(workers.items[2].compute_per_unit_s, 6, 0));
  ls_reduced_star_close(&workers);
  ls_platform_close(&platform);
}

static bool is_exact(const struct ls_platform *platform) {
  struct ls_reduced_star workers;
  reduce(platform, &workers);
  bool found = workers.is_exact;
  ls_reduced_star_close(&workers);
  return found;
}

static void what_is_left_out_is_known(void **state) {
  struct ls_platform platform;
  (void)state;
  open_platform(&platform, 2);
  platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 1;
  assert_true(is_exact(&platform));
  platform.ports = LS_PORTS_ONE;
  assert_true(is_exact(&platform));
  platform.ports = LS_PORTS_MULTI;
  assert_false(is_exact(&platform));
  platform.ports = LS_PORTS_TWO;
  platform.prepare.latency_s = 0.1;
  assert_false(is_exact(&platform));
  platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
  assert_true(is_exact(&platform));
  platform.workers[0].costs[LS_OPERATION_REPLY].latency_s = 0.1;
  assert_false(is_exact(&platform));
  ls_platform_close(&platform);
}

/* S/B 0.5, 0.2, 0.5, 0.1, 0.4: sorted 3 1 4 0 2; sums 0.1 0.3 0.7 1.2. */
static void workers_are_sorted_and_selected_by_ratio(void **state) {
  static const double ratios[] = {0.5, 0.2, 0.5, 0.1, 0.4};
  static const uint32_t sorted[] = {3, 1, 4, 0, 2};
  struct ls_platform platform;
  struct ls_reduced_star workers;
  (void)state;
  open_platform(&platform, 5);
  for (size_t i = 0; i < 5; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = ratios[i];
  reduce(&platform, &workers);
  ls_reduced_star_take(&workers, LS_STAR_PLATFORM);
  for (size_t i = 0; i < 5; i++) assert_int_equal(workers.items[i].number, i);
  ls_reduced_star_take(&workers, LS_STAR_SORTED);
  assert_int_equal(workers.count, 5);
  for (size_t i = 0; i < 5; i++) assert_int_equal(workers.items[i].number, sorted[i]);
  ls_reduced_star_close(&workers);
  reduce(&platform, &workers);
  ls_reduced_star_take(&workers, LS_STAR_SELECTED);
  assert_int_equal(workers.count, 3);
  for (size_t i = 0; i < 3; i++) assert_int_equal(workers.items[i].number, sorted[i]);
  ls_reduced_star_close(&workers);
  ls_platform_close(&platform);
}

static void at_least_one_worker_is_selected(void **state) {
  struct ls_platform platform;
  struct ls_reduced_star workers;
  (void)state;
  open_platform(&platform, 2);
  platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 3;
  platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 2;
  reduce(&platform, &workers);
  ls_reduced_star_take(&workers, LS_STAR_SELECTED);
  assert_int_equal(workers.count, 1);
  assert_int_equal(workers.items[0].number, 1);
  ls_reduced_star_close(&workers);
  ls_platform_close(&platform);
}

static void identical_workers_are_all_selected(void **state) {
  struct ls_platform platform;
  struct ls_reduced_star workers;
  (void)state;
  open_platform(&platform, 7);
  for (size_t i = 0; i < 7; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 3;
  reduce(&platform, &workers);
  ls_reduced_star_take(&workers, LS_STAR_SELECTED);
  assert_int_equal(workers.count, 7);
  ls_reduced_star_close(&workers);
  ls_platform_close(&platform);
}

static size_t count_sets(const struct ls_platform *platform) {
  struct ls_reduced_star sets[LS_STAR_SETS];
  size_t count;
  assert_int_equal(ls_star_sets_init(sets, &count, platform, NULL), LS_OK);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < i; k++) assert_false(ls_reduced_star_are_equal(&sets[i], &sets[k]));
  }
  ls_star_sets_close(sets, count);
  return count;
}

static void equal_sets_are_tried_once(void **state) {
  struct ls_platform platform;
  (void)state;
  open_platform(&platform, 3);
  platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s =
      platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.1;
  platform.workers[2].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.1;
  assert_int_equal(count_sets(&platform), 1);
  platform.workers[2].costs[LS_OPERATION_TRANSFER].per_unit_s =
      0.2; /* sorted already, all selected */
  assert_int_equal(count_sets(&platform), 1);
  platform.workers[2].costs[LS_OPERATION_TRANSFER].per_unit_s =
      2; /* sorted already, not all selected */
  assert_int_equal(count_sets(&platform), 2);
  platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 3; /* another order, too */
  assert_int_equal(count_sets(&platform), 3);
  ls_platform_close(&platform);
}

static void free_computing_and_free_sending_are_refused(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why = {{0}};
  (void)state;
  open_platform(&platform, 3);
  assert_true(ls_reduced_star_keeps_busy(&platform, &why));
  assert_true(ls_reduced_star_takes_time(&platform, &why));
  assert_true(ls_reduced_star_is_alike(&platform, &why));
  assert_string_equal(why.text, "");
  assert_false(ls_reduced_star_grows(&platform, &why));
  assert_non_null(strstr(why.text, "sending costs nothing"));
  platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 1;
  assert_true(ls_reduced_star_grows(&platform, &why));
  assert_false(ls_reduced_star_is_alike(&platform, &why));
  assert_non_null(strstr(why.text, "not identical"));
  platform.workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  assert_false(ls_reduced_star_keeps_busy(&platform, &why));
  assert_non_null(strstr(why.text, "worker 2"));
  assert_false(ls_reduced_star_takes_time(&platform, &why));
  assert_non_null(strstr(why.text, "worker 2"));
  ls_platform_close(&platform);
}

/* However much there is to say, it ends with a whole text. */
static void notes_are_cut_where_the_room_ends(void **state) {
  struct ls_star_notes notes = {{0}};
  (void)state;
  ls_star_note(&notes, "%d of %d", 1, 2);
  ls_star_note(&notes, "more");
  assert_string_equal(notes.text, "1 of 2; more");
  for (int i = 0; i < 100; i++) ls_star_note(&notes, "a note of some length, number %d", i);
  assert_true(strlen(notes.text) < sizeof notes.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_slower_station_per_unit_is_the_way_out),
      cmocka_unit_test(what_is_left_out_is_known),
      cmocka_unit_test(workers_are_sorted_and_selected_by_ratio),
      cmocka_unit_test(at_least_one_worker_is_selected),
      cmocka_unit_test(identical_workers_are_all_selected),
      cmocka_unit_test(equal_sets_are_tried_once),
      cmocka_unit_test(free_computing_and_free_sending_are_refused),
      cmocka_unit_test(notes_are_cut_where_the_room_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
