/* Pools add up, and each worker has one slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_pools.h"

static const double halves[] = {1, 0.5, 0.5};

/* Options with a pool of three workers at half speed but the first, and one of two. */
static struct ls_run_options add_pools(struct ls_run_options options) {
  const struct ls_run_pool first = {"ssh", 3, halves}, second = {"slurm", 2, NULL};
  ls_run_pools_need_door(&options, false);
  assert_int_equal(ls_run_pools_add(&options, &first, NULL), LS_OK);
  assert_int_equal(ls_run_pools_add(&options, &second, NULL), LS_OK);
  return options;
}

static void check_speeds(const struct ls_run_options *options, const double *expected,
                         size_t count) {
  assert_int_equal(ls_run_pools_workers(options), count);
  for (size_t i = 0; i < count; i++) {
    double speed = ls_run_pools_speed(options, i);
    if (speed < expected[i] || speed > expected[i])
      fail_msg("slot %zu has %g, expected %g", i, speed, expected[i]);
  }
}

static void check_words(const struct ls_run_options *options, const char *expected) {
  struct ls_bytes text = {0};
  ls_run_pools_describe(options, &text);
  assert_string_equal(ls_bytes_text(&text), expected);
  ls_bytes_close(&text);
}

static void alone_a_run_has_its_cores(void **state) {
  (void)state;
  struct ls_run_options options = {0};
  assert_true(ls_run_pools_cores() >= 1);
  assert_int_equal(ls_run_pools_workers(&options), ls_run_pools_cores());
  assert_false(ls_run_pools_is_sized(&options));
  assert_false(ls_run_pools_has_speeds(&options));
  assert_false(ls_run_pools_is_remote(&options));
  check_words(&options, "");
  options.listen = "tcp://*:1";
  assert_true(ls_run_pools_is_remote(&options));
  /* Guests that are reckoned with. */
  options.has_no_local = true;
  assert_int_equal(ls_run_pools_workers(&options), ls_run_pools_cores());
}

static void pools_follow_the_local_workers(void **state) {
  (void)state;
  double speeds[] = {0.25, 1};
  struct ls_run_options options =
      add_pools((struct ls_run_options){.workers = 3, .speeds = speeds, .speeds_count = 2});
  check_speeds(&options, (const double[]){0.25, 1, 0.25, 1, 0.5, 0.5, 1, 1}, 8);
  assert_int_equal(ls_run_pools_own(&options), 3);
  assert_true(ls_run_pools_is_sized(&options) && ls_run_pools_is_remote(&options));
  check_words(&options, "3 local, 3 ssh, 2 slurm");
  free(options.elsewhere.speeds);
}

/* The user said nothing of this machine, so it helps. */
static void cores_stay_unless_they_are_forbidden(void **state) {
  (void)state;
  struct ls_run_options options = add_pools((struct ls_run_options){0});
  assert_int_equal(ls_run_pools_workers(&options), ls_run_pools_cores() + 5);
  assert_true(ls_run_pools_has_speeds(&options));
  options.has_no_local = true;
  check_speeds(&options, (const double[]){1, 0.5, 0.5, 1, 1}, 5);
  check_words(&options, "3 ssh, 2 slurm");
  free(options.elsewhere.speeds);
}

static void guests_that_are_reckoned_with_follow_the_pools(void **state) {
  (void)state;
  double speeds[] = {0.25, 0.75};
  struct ls_run_options options = add_pools((struct ls_run_options){.workers = 2,
                                                                    .has_no_local = true,
                                                                    .listen = "tcp://*:*",
                                                                    .speeds = speeds,
                                                                    .speeds_count = 2});
  check_speeds(&options, (const double[]){1, 0.5, 0.5, 1, 1, 0.25, 0.75}, 7);
  free(options.elsewhere.speeds);
}

static void one_door_does_for_all_pools(void **state) {
  (void)state;
  struct ls_run_options options = {0};
  ls_run_pools_need_door(&options, false);
  assert_string_equal(options.elsewhere.door, "tcp://127.0.0.1:*");
  ls_run_pools_need_door(&options, true);
  assert_string_equal(options.elsewhere.door, "tcp://*:*");
  ls_run_pools_need_door(&options, false);
  assert_string_equal(options.elsewhere.door, "tcp://*:*");
}

static void too_many_workers_are_refused(void **state) {
  (void)state;
  struct ls_run_options options = add_pools((struct ls_run_options){0});
  const struct ls_run_pool more = {"slurm", LS_RUN_WORKERS_MAX - 4, NULL};
  struct ls_error err = {0};
  assert_int_equal(ls_run_pools_add(&options, &more, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "4097 workers"));
  assert_int_equal(options.elsewhere.workers, 5);
  free(options.elsewhere.speeds);
}

static void ranks_come_before_local_workers(void **state) {
  (void)state;
  const struct ls_run_pool ranks = {"mpi", 3, halves}, ssh = {"ssh", 1, &halves[1]};
  double own[] = {0.25, 0.75};
  struct ls_run_options options = {.workers = 2, .speeds = own, .speeds_count = 2};
  options.elsewhere.ranks = 3;
  assert_int_equal(ls_run_pools_add(&options, &ranks, NULL), LS_OK);
  assert_int_equal(ls_run_pools_add(&options, &ssh, NULL), LS_OK);
  check_speeds(&options, (double[]){1, 0.5, 0.5, 0.25, 0.75, 0.5}, 6);
  assert_true(ls_run_pools_is_remote(&options));
  free(options.elsewhere.speeds);
}

static void ranks_alone_are_all_there_is(void **state) {
  (void)state;
  const struct ls_run_pool ranks = {"mpi", 3, halves};
  struct ls_run_options options = {.has_no_local = true};
  options.elsewhere.ranks = 3;
  assert_int_equal(ls_run_pools_add(&options, &ranks, NULL), LS_OK);
  check_speeds(&options, halves, 3);
  check_words(&options, "3 mpi");
  free(options.elsewhere.speeds);
}

enum { PART_MOST = 4 };

/* Every worker another speed: ranks are 1/2, 1/3 ..., pools 1/16, 1/17 ..., own ones 1/64, ... */
static double speed_of(size_t part, size_t i) {
  static const double firsts[] = {2, 16, 64};
  return 1 / (firsts[part] + (double)i);
}

static size_t append_part(double *expected, size_t count, size_t part, size_t length) {
  for (size_t i = 0; i < length; i++) expected[count++] = speed_of(part, i);
  return count;
}

static void check_order(size_t ranks, size_t others, size_t own, bool has_no_local) {
  double speeds[3][PART_MOST], expected[3 * PART_MOST];
  for (size_t part = 0; part < 3; part++)
    for (size_t i = 0; i < PART_MOST; i++) speeds[part][i] = speed_of(part, i);
  struct ls_run_options options = {
      .workers = (uint32_t)own, .speeds = speeds[2], .speeds_count = own};
  const struct ls_run_pool mpi = {"mpi", ranks, speeds[0]}, ssh = {"ssh", others, speeds[1]};
  options.has_no_local = has_no_local;
  options.elsewhere.ranks = ranks;
  ls_run_pools_need_door(&options, false);
  assert_int_equal(ls_run_pools_add(&options, &mpi, NULL), LS_OK);
  assert_int_equal(ls_run_pools_add(&options, &ssh, NULL), LS_OK);
  size_t count = append_part(expected, 0, 0, ranks);
  if (!has_no_local) count = append_part(expected, count, 2, own);
  count = append_part(expected, count, 1, others);
  if (has_no_local) count = append_part(expected, count, 2, own);
  check_speeds(&options, expected, count);
  free(options.elsewhere.speeds);
}

/* Ranks, then this machine's workers, then pools, and guests that are reckoned with at the end: as
 * many of each as there may be. */
static void each_slot_has_the_speed_of_its_worker(void **state) {
  (void)state;
  for (size_t i = 0; i < 2 * (PART_MOST + 1) * (PART_MOST + 1) * PART_MOST; i++) {
    size_t rest = i / 2;
    size_t ranks = rest % (PART_MOST + 1), others = rest / (PART_MOST + 1) % (PART_MOST + 1);
    check_order(ranks, others, 1 + rest / (PART_MOST + 1) / (PART_MOST + 1), i % 2 == 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alone_a_run_has_its_cores),
      cmocka_unit_test(pools_follow_the_local_workers),
      cmocka_unit_test(ranks_come_before_local_workers),
      cmocka_unit_test(ranks_alone_are_all_there_is),
      cmocka_unit_test(each_slot_has_the_speed_of_its_worker),
      cmocka_unit_test(cores_stay_unless_they_are_forbidden),
      cmocka_unit_test(guests_that_are_reckoned_with_follow_the_pools),
      cmocka_unit_test(one_door_does_for_all_pools),
      cmocka_unit_test(too_many_workers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
