/* The machines of the thesis on Monitor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/studies/online_world.h"

static struct ls_online_result play(struct ls_online_case played) {
  struct ls_online_result result;
  struct ls_error err = {0};
  if (ls_online_play(&played, &result, &err) != LS_OK) fail_msg("%s", err.text);
  return result;
}

/* Weighted static chunking of constant times ends with all workers together. */
static void a_case_is_near_its_bound_and_repeatable(void **state) {
  (void)state;
  struct ls_online_case played = {.policy = "sc", .seed = 3, .prefetch = 1};
  double first = play(played).to_bound;
  assert_true(first >= 1 && first < 1.02);
  assert_true(!(play(played).to_bound < first) && !(play(played).to_bound > first));
}

static void load_by_others_and_times_that_vary_take_longer(void **state) {
  (void)state;
  struct ls_online_case quiet = {.policy = "sc", .seed = 3, .prefetch = 1};
  struct ls_online_case used = quiet, varied = quiet;
  used.is_dynamic = true;
  varied.variation = 0.5;
  assert_true(play(used).to_bound > 1.1 * play(quiet).to_bound);
  assert_true(play(varied).to_bound > play(quiet).to_bound);
}

static void a_prefetch_below_0_is_found(void **state) {
  (void)state;
  struct ls_online_case played = {.policy = "ss", .seed = 3, .prefetch = 3};
  assert_int_equal(play(played).prefetch, 3);
  played.prefetch = -1;
  struct ls_online_result found = play(played);
  assert_true(found.prefetch >= 0 && found.prefetch <= 2);
  played.prefetch = found.prefetch;
  assert_true(!(play(played).to_bound > found.to_bound));
}

static void an_unknown_policy_is_refused(void **state) {
  (void)state;
  struct ls_online_case played = {.policy = "nobody", .seed = 3};
  struct ls_online_result result = {.prefetch = 77};
  struct ls_error err = {0};
  assert_int_equal(ls_online_play(&played, &result, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "nobody"));
  assert_int_equal(result.prefetch, 77);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_case_is_near_its_bound_and_repeatable),
      cmocka_unit_test(load_by_others_and_times_that_vary_take_longer),
      cmocka_unit_test(a_prefetch_below_0_is_found),
      cmocka_unit_test(an_unknown_policy_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
