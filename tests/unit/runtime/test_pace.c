/* How often master and workers say that they live follows from their number and from what that
 * costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/master/pace.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-9;
}

static void beats_cost_a_percent_of_a_core(void **state) {
  (void)state;
  assert_true(is_near(ls_pace_derive(1000, 30e-6), 3));
  assert_true(is_near(ls_pace_derive(500, 30e-6), 1.5));
  assert_true(is_near(ls_pace_derive(4, 30e-6), 1));
  assert_true(is_near(ls_pace_derive(1000, 0), 1)); /* not measured */
  assert_true(is_near(ls_pace_derive(1000000, 30e-6), 60));
}

/* A second in which each of them beats once, `each_s` at the loop and as much elsewhere. */
static bool beat(struct ls_pace *pace, uint64_t workers, double each_s, double now_s) {
  const struct ls_pace_round heard = {
      .processor_s = each_s * (double)workers / 2, .messages = workers, .beats = workers};
  const struct ls_pace_round pulsed = {.processor_s = each_s * (double)workers / 2,
                                       .has_pulsed = true};
  ls_pace_add(pace, &heard);
  ls_pace_add(pace, &pulsed);
  return ls_pace_look(pace, (size_t)workers, pace->others_s + each_s * (double)workers, now_s);
}

static void what_a_beat_costs_is_measured(void **state) {
  struct ls_pace pace;
  (void)state;
  ls_pace_init(&pace, 0);
  assert_true(is_near(pace.heartbeat_s, 1));
  assert_true(beat(&pace, 1000, 15e-6, 1));
  assert_true(is_near(pace.beat_s, 30e-6));
  assert_true(is_near(pace.heartbeat_s, 3));
  /* The least counts: a busy machine makes nothing cheaper. */
  assert_false(beat(&pace, 1000, 50e-6, 4));
  assert_true(is_near(pace.heartbeat_s, 3));
  assert_true(beat(&pace, 1000, 10e-6, 7));
  assert_true(is_near(pace.heartbeat_s, 2));
  assert_true(is_near(pace.most_s, 3));
}

/* Rounds with results, or in which nobody was heard, say nothing of beats; nor does a second in
 * which most of what came was something else, or hardly anybody beat. */
static void only_what_beats_cost_is_measured(void **state) {
  struct ls_pace pace;
  const struct ls_pace_round idle = {.processor_s = 1}, mixed = {1, 500, 450, true},
                             beats = {1e-3, 100, 100, false}, few = {1, 8, 8, true},
                             results = {1, 1000, 0, false};
  (void)state;
  ls_pace_init(&pace, 0);
  ls_pace_add(&pace, &idle);
  ls_pace_add(&pace, &mixed);
  ls_pace_add(&pace, &beats);
  (void)ls_pace_look(&pace, 1, 6e-3, 1);
  assert_true(is_near(pace.beat_s, 1e-5 + 1e-5));
  ls_pace_init(&pace, 0);
  ls_pace_add(&pace, &few);
  assert_false(ls_pace_look(&pace, 1000, 1, 1));
  ls_pace_add(&pace, &beats);
  ls_pace_add(&pace, &results);
  assert_false(ls_pace_look(&pace, 1000, 2, 2));
  assert_true(is_near(pace.beat_s, 0));
}

static void a_worker_more_is_no_other_heartbeat(void **state) {
  struct ls_pace pace;
  (void)state;
  ls_pace_init(&pace, 0);
  assert_true(beat(&pace, 1000, 15e-6, 1));
  assert_false(beat(&pace, 1100, 15e-6, 4));
  assert_true(beat(&pace, 1300, 15e-6, 7));
  assert_true(is_near(pace.heartbeat_s, 3.9));
  assert_true(beat(&pace, 100, 15e-6, 11));
  assert_true(is_near(pace.heartbeat_s, 1));
}

static void the_users_word_counts(void **state) {
  struct ls_pace pace;
  (void)state;
  ls_pace_init(&pace, 0.5);
  assert_false(beat(&pace, 1000, 1e-3, 1));
  assert_true(is_near(pace.heartbeat_s, 0.5));
  assert_false(ls_pace_judge(&pace, 100));
  assert_true(is_near(pace.judged_s, 0.5));
}

/* Workers that have not heard of it yet go by the former one. */
static void silence_is_judged_by_the_longer_one(void **state) {
  struct ls_pace pace;
  (void)state;
  ls_pace_init(&pace, 0);
  assert_true(beat(&pace, 1000, 15e-6, 1));
  assert_true(ls_pace_judge(&pace, 1));
  assert_true(is_near(pace.judged_s, 3));
  assert_false(ls_pace_judge(&pace, 1));
  assert_true(beat(&pace, 400, 15e-6, 4));
  assert_true(is_near(pace.heartbeat_s, 1.2));
  assert_false(ls_pace_judge(&pace, 4));
  assert_false(ls_pace_judge(&pace, 15.9));
  assert_true(is_near(pace.judged_s, 3));
  assert_true(ls_pace_judge(&pace, 16));
  assert_true(is_near(pace.judged_s, 1.2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beats_cost_a_percent_of_a_core),
      cmocka_unit_test(what_a_beat_costs_is_measured),
      cmocka_unit_test(only_what_beats_cost_is_measured),
      cmocka_unit_test(a_worker_more_is_no_other_heartbeat),
      cmocka_unit_test(the_users_word_counts),
      cmocka_unit_test(silence_is_judged_by_the_longer_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
