/* Looks at running units: how long they hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coordinator/books/spares.h"

static const struct ls_spare_case usual = {.unit = 7, .begun_s = 3, .expected_s = 10};

static struct ls_look *look_at(struct ls_spares *spares, const struct ls_spare_case *now,
                               double now_s, bool is_dear, uint64_t sent) {
  spares->now_s = now_s;
  spares->is_dear = is_dear;
  spares->sent = sent;
  struct ls_look *look = ls_spares_look(spares, 1, now);
  bool held = look->speed > 0;
  look->speed = 2;
  look->again_s = 20;
  return held ? look : NULL;
}

static void what_is_dear_holds_until_time_or_news_change_it(void **state) {
  struct ls_spares spares = {0};
  struct ls_spare_case other;
  (void)state;
  assert_int_equal(ls_spares_add_slots(&spares, 2), LS_OK);
  for (size_t i = 0; i < 64; i++) ls_spares_end(&spares, 1);
  assert_null(look_at(&spares, &usual, 4, true, 0));
  spares.pass++;
  assert_non_null(look_at(&spares, &usual, 19.9, true, 5));
  assert_null(look_at(&spares, &usual, 20, true, 5));
  /* A sixteenth more lessons. */
  for (size_t i = 0; i < 4; i++) ls_spares_stop(&spares, 1);
  assert_non_null(look_at(&spares, &usual, 5, true, 0));
  ls_spares_end(&spares, (double)NAN);
  assert_null(look_at(&spares, &usual, 5, true, 0));
  for (size_t i = 0; i < 4; i++) {
    other = usual;
    if (i == 0) other.unit = 8;
    if (i == 1) other.begun_s = 2;
    if (i == 2) other.expected_s = 10.7;
    if (i == 3) other.losses = 1;
    assert_null(look_at(&spares, &other, 5, true, 0));
    assert_null(look_at(&spares, &usual, 5, true, 0));
  }
  other.losses = 0;
  other.expected_s = 10.1;
  assert_non_null(look_at(&spares, &other, 5, true, 0));
  ls_spares_close(&spares);
}

/* Nothing is known of the unit, and nothing new is learnt. */
static void what_is_not_known_is_looked_at_once(void **state) {
  struct ls_spares spares = {0};
  struct ls_spare_case unknown = usual;
  (void)state;
  unknown.expected_s = (double)NAN;
  assert_int_equal(ls_spares_add_slots(&spares, 2), LS_OK);
  assert_null(look_at(&spares, &unknown, 5, true, 0));
  assert_non_null(look_at(&spares, &unknown, 6, true, 0));
  assert_null(look_at(&spares, &usual, 6, true, 0));
  /* The first lesson of all is news. */
  ls_spares_end(&spares, (double)NAN);
  assert_null(look_at(&spares, &usual, 6, true, 0));
  ls_spares_close(&spares);
}

static void others_hold_for_a_pass_until_a_replica_is_sent(void **state) {
  struct ls_spares spares = {0};
  (void)state;
  assert_int_equal(ls_spares_add_slots(&spares, 2), LS_OK);
  assert_null(look_at(&spares, &usual, 4, false, 0));
  assert_non_null(look_at(&spares, &usual, 40, false, 0));
  assert_null(look_at(&spares, &usual, 40, false, 1));
  spares.pass++;
  assert_null(look_at(&spares, &usual, 40, false, 1));
  ls_spares_close(&spares);
}

static void the_law_knows_all_lessons(void **state) {
  struct ls_spares spares = {0};
  (void)state;
  assert_true(ls_spares_law(&spares)->ended <= 0);
  for (size_t i = 1; i < 100; i++) {
    ls_spares_end(&spares, 0.5 + (double)i / 100);
    if (i % 3 == 0) ls_spares_stop(&spares, 0.7);
    if (i % 5 == 0) ls_spares_end(&spares, 0);
    const struct ls_slowness_law *law = ls_spares_law(&spares);
    assert_true(fabs(law->ended - (double)i) < 1e-12);
    assert_true(fabs(law->censored - (double)(i / 3)) < 1e-12);
  }
}

/* They count as lessons: few more are no news. */
static void what_is_believed_at_first_is_known(void **state) {
  struct ls_spares spares = {0};
  struct ls_slowness earlier = {{0}, {0}};
  (void)state;
  for (size_t i = 0; i < 64; i++) ls_slowness_end(&earlier, 1);
  assert_int_equal(ls_spares_add_slots(&spares, 2), LS_OK);
  ls_spares_believe(&spares, &earlier);
  assert_true(fabs(ls_spares_law(&spares)->ended - 64) < 1e-12);
  assert_null(look_at(&spares, &usual, 4, true, 0));
  for (size_t i = 0; i < 4; i++) ls_spares_end(&spares, 1);
  assert_non_null(look_at(&spares, &usual, 5, true, 0));
  ls_spares_close(&spares);
}

static void the_fastest_idle_one_is_first(void **state) {
  struct ls_spares spares = {0};
  static const double speeds[] = {1, 2, 1, 5, 2, 1};
  static const uint32_t order[] = {3, 1, 4, 0, 2, 5};
  (void)state;
  assert_int_equal(ls_spares_add_slots(&spares, 6), LS_OK);
  for (uint32_t i = 0; i < 6; i++) spares.idle[i] = (struct ls_spare_idle){speeds[i], i, i};
  spares.idle_count = 6;
  ls_spares_rank_idle(&spares);
  for (uint32_t i = 0; i < 6; i++) assert_int_equal(spares.idle[i].slot, order[i]);
  ls_spares_close(&spares);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_dear_holds_until_time_or_news_change_it),
      cmocka_unit_test(what_is_not_known_is_looked_at_once),
      cmocka_unit_test(others_hold_for_a_pass_until_a_replica_is_sent),
      cmocka_unit_test(the_law_knows_all_lessons),
      cmocka_unit_test(what_is_believed_at_first_is_known),
      cmocka_unit_test(the_fastest_idle_one_is_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
