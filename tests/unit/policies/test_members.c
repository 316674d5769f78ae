#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "policies/chunking/members_private.h"

enum { WORKERS_MAX = 8 };
static bool is_member[WORKERS_MAX];

static struct ls_members make_members(size_t workers) {
  struct ls_chunking_setup setup = {.workers = workers, .workers_max = WORKERS_MAX};
  struct ls_members members;
  ls_members_init(&members, is_member, &setup);
  return members;
}

static void workers_of_the_platform_count_before_they_join(void **state) {
  (void)state;
  struct ls_members members = make_members(4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_false(ls_members_change(&members, is_member, i, LS_CHUNKING_JOINED));
  }
  assert_int_equal(members.places, 4);
  assert_int_equal(members.count, 4);
}

static void a_newcomer_beyond_p_makes_p_grow(void **state) {
  (void)state;
  struct ls_members members = make_members(4);
  assert_true(ls_members_change(&members, is_member, 6, LS_CHUNKING_JOINED));
  assert_int_equal(members.places, 5);
  /* Told twice, it counts once. */
  assert_false(ls_members_change(&members, is_member, 6, LS_CHUNKING_JOINED));
  assert_int_equal(members.places, 5);
}

static void p_never_falls(void **state) {
  (void)state;
  struct ls_members members = make_members(3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_false(ls_members_change(&members, is_member, i, LS_CHUNKING_LOST));
    assert_false(ls_members_change(&members, is_member, i, LS_CHUNKING_LOST));
  }
  assert_int_equal(members.places, 3);
  assert_int_equal(members.count, 0);
}

static void a_replacement_takes_the_place_of_the_lost(void **state) {
  (void)state;
  struct ls_members members = make_members(2);
  /* A pool that replaces each worker that dies must not shrink the chunks for ever. */
  for (uint32_t i = 0; i + 2 < WORKERS_MAX; i++) {
    assert_false(ls_members_change(&members, is_member, i, LS_CHUNKING_LOST));
    assert_false(ls_members_change(&members, is_member, i + 2, LS_CHUNKING_JOINED));
    assert_int_equal(members.places, 2);
  }
}

static void a_worker_that_comes_back_is_no_newcomer(void **state) {
  (void)state;
  struct ls_members members = make_members(2);
  assert_true(ls_members_change(&members, is_member, 2, LS_CHUNKING_JOINED));
  assert_false(ls_members_change(&members, is_member, 2, LS_CHUNKING_LOST));
  assert_false(ls_members_change(&members, is_member, 2, LS_CHUNKING_JOINED));
  assert_int_equal(members.places, 3);
}

static void weights_must_be_finite_and_not_negative(void **state) {
  (void)state;
  const double wrong[] = {-1, -1e-300, (double)NAN, (double)INFINITY};
  struct ls_chunking_setup setup = {.workers = 2, .workers_max = 3};
  assert_int_equal(ls_members_check_weights(&setup, NULL), LS_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    double weights[3] = {1, 0, wrong[i]};
    struct ls_error err = {0};
    setup.weights = weights;
    assert_int_equal(ls_members_check_weights(&setup, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "worker 2: weight"));
  }
}

static void zero_weights_are_fine(void **state) {
  (void)state;
  double weights[3] = {0, 0, 0};
  struct ls_chunking_setup setup = {.workers = 3, .workers_max = 3, .weights = weights};
  assert_int_equal(ls_members_check_weights(&setup, NULL), LS_OK);
}

/* The sums over p workers have p terms as long as anybody was ever there to fill them. */
static void the_lost_count_until_newcomers_take_their_places(void **state) {
  (void)state;
  bool is_counted[WORKERS_MAX] = {true, true, true, true};
  struct ls_members members = make_members(4);
  const struct {
    uint32_t worker;
    enum ls_chunking_change change;
    bool counted[6];
  } steps[] = {{1, LS_CHUNKING_LOST, {true, true, true, true, false, false}},
               {2, LS_CHUNKING_LOST, {true, true, true, true, false, false}},
               {4, LS_CHUNKING_JOINED, {true, false, true, true, true, false}},
               {1, LS_CHUNKING_JOINED, {true, true, false, true, true, false}},
               {5, LS_CHUNKING_JOINED, {true, true, false, true, true, true}}};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    (void)ls_members_change(&members, is_member, steps[k].worker, steps[k].change);
    ls_members_recount(&members, is_member, is_counted, WORKERS_MAX);
    for (size_t i = 0; i < 6; i++) assert_int_equal(is_counted[i], steps[k].counted[i]);
  }
  assert_int_equal(members.places, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_of_the_platform_count_before_they_join),
      cmocka_unit_test(a_newcomer_beyond_p_makes_p_grow),
      cmocka_unit_test(p_never_falls),
      cmocka_unit_test(the_lost_count_until_newcomers_take_their_places),
      cmocka_unit_test(a_replacement_takes_the_place_of_the_lost),
      cmocka_unit_test(a_worker_that_comes_back_is_no_newcomer),
      cmocka_unit_test(weights_must_be_finite_and_not_negative),
      cmocka_unit_test(zero_weights_are_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
