/* The law of slowness of an earlier run, by its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/past_slowness.h"
#include "base/random.h"

static const struct ls_actions nothing_sent;

static void hear(struct ls_past_slowness *past, enum ls_event_kind kind, double now_s,
                 uint32_t worker) {
  const struct ls_event event = {.kind = kind, .now_s = now_s, .worker = worker};
  ls_past_slowness_hear(past, &event, &nothing_sent);
}

static void send(struct ls_past_slowness *past, double now_s, uint32_t worker, uint64_t unit) {
  struct ls_range range = {unit, 1};
  struct ls_action action = {
      .kind = LS_ACTION_SEND, .worker = worker, .send = {.units = 1, .ranges_count = 1}};
  struct ls_actions sends = {.items = &action, .count = 1, .ranges = &range, .ranges_count = 1};
  const struct ls_event event = {.kind = LS_EVENT_READY, .now_s = now_s, .worker = worker};
  ls_past_slowness_hear(past, &event, &sends);
}

static void end(struct ls_past_slowness *past, double now_s, uint32_t worker, uint64_t unit,
                double seconds) {
  const struct ls_event event = {
      .kind = LS_EVENT_RESULT,
      .now_s = now_s,
      .worker = worker,
      .result = {.units = {unit, 1},
                 .outcome = seconds >= 0 ? LS_OUTCOME_DONE : LS_OUTCOME_FAILED,
                 .seconds = seconds}};
  ls_past_slowness_hear(past, &event, &nothing_sent);
}

static void check(const struct ls_past_slowness *past, const struct ls_slowness *expected) {
  for (size_t i = 0; i < LS_SLOWNESS_BINS; i++) {
    assert_true(fabs(past->slowness.ended[i] - expected->ended[i]) < 1e-12);
    assert_true(fabs(past->slowness.censored[i] - expected->censored[i]) < 1e-12);
  }
}

/* Of the first unit that ends nothing was expected; of the others the mean so far; in the next
 * iteration their own times. */
static void units_that_ended_are_measured_by_what_was_expected(void **state) {
  struct ls_past_slowness past = {.status = LS_OK};
  struct ls_slowness expected = {{0}, {0}};
  (void)state;
  hear(&past, LS_EVENT_ITERATION, 0, 0);
  for (uint32_t i = 0; i < 3; i++) send(&past, 0, i, i);
  end(&past, 10, 0, 0, 10);
  check(&past, &expected);
  end(&past, 15, 1, 1, 15);
  ls_slowness_end(&expected, 1.5);
  end(&past, 40, 2, 2, 40);
  ls_slowness_end(&expected, 3.2);
  check(&past, &expected);
  hear(&past, LS_EVENT_ITERATION, 40, 0);
  send(&past, 40, 0, 2);
  end(&past, 60, 0, 2, 20);
  ls_slowness_end(&expected, 0.5);
  check(&past, &expected);
  assert_int_equal(past.status, LS_OK);
  ls_past_slowness_close(&past);
}

/* The replica of unit 1 wins at 20: the original, begun behind another unit at 6, was stopped after
 * 14 s. */
static void a_run_that_was_stopped_would_have_lasted_longer(void **state) {
  struct ls_past_slowness past = {.status = LS_OK};
  struct ls_slowness expected = {{0}, {0}};
  (void)state;
  hear(&past, LS_EVENT_ITERATION, 0, 0);
  send(&past, 0, 0, 0);
  send(&past, 1, 0, 1);
  end(&past, 6, 0, 0, 6);
  send(&past, 13, 1, 1);
  end(&past, 20, 1, 1, 7);
  ls_slowness_end(&expected, 7.0 / 6);
  ls_slowness_censor(&expected, 14.0 / 6);
  check(&past, &expected);
  /* What the loser says afterwards is no news. */
  end(&past, 21, 0, 1, 15);
  check(&past, &expected);
  ls_past_slowness_close(&past);
}

/* It waited behind another unit. */
static void what_had_not_begun_says_nothing(void **state) {
  struct ls_past_slowness past = {.status = LS_OK};
  struct ls_slowness expected = {{0}, {0}};
  (void)state;
  hear(&past, LS_EVENT_ITERATION, 0, 0);
  send(&past, 0, 2, 5);
  end(&past, 4, 2, 5, 4);
  send(&past, 4, 0, 0);
  send(&past, 4, 0, 1);
  send(&past, 4, 1, 1);
  end(&past, 8, 1, 1, 4);
  ls_slowness_end(&expected, 1);
  check(&past, &expected);
  ls_past_slowness_close(&past);
}

/* A machine that is lost, or a run that failed, is not slow; what runs elsewhere goes on. */
static void losses_and_failures_are_no_slowness(void **state) {
  struct ls_past_slowness past = {.status = LS_OK};
  struct ls_slowness expected = {{0}, {0}};
  (void)state;
  hear(&past, LS_EVENT_ITERATION, 0, 0);
  send(&past, 0, 2, 5);
  end(&past, 4, 2, 5, 4);
  send(&past, 4, 0, 0);
  send(&past, 4, 1, 0);
  hear(&past, LS_EVENT_LOST, 5, 0);
  send(&past, 6, 2, 0);
  end(&past, 7, 1, 0, -1);
  check(&past, &expected);
  end(&past, 14, 2, 0, 8);
  ls_slowness_end(&expected, 2);
  check(&past, &expected);
  /* Another session: the workers of the last one are gone. */
  send(&past, 14, 0, 1);
  ls_past_slowness_begin(&past);
  send(&past, 20, 1, 1);
  end(&past, 26, 1, 1, 6);
  ls_slowness_end(&expected, 1);
  check(&past, &expected);
  ls_past_slowness_close(&past);
}

/* Records that make no sense are none of its business, but do no harm. */
static void any_events_are_borne(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct ls_past_slowness past = {.status = LS_OK};
    struct ls_random random;
    ls_random_init(&random, seed, "events");
    for (size_t i = 0; i < 400; i++) {
      uint32_t worker = (uint32_t)ls_random_below(&random, 5);
      uint64_t unit = ls_random_below(&random, 8);
      if (ls_random_below(&random, 50) == 0) unit = UINT64_MAX - 1;
      if (ls_random_below(&random, 90) == 0) worker = UINT32_MAX - 1;
      switch (ls_random_below(&random, 6)) {
        case 0:
          hear(&past, LS_EVENT_LOST, (double)i, worker);
          break;
        case 1:
          if (ls_random_below(&random, 9) == 0) hear(&past, LS_EVENT_ITERATION, (double)i, 0);
          break;
        case 2:
        case 3:
          send(&past, (double)i, worker, unit);
          break;
        default:
          end(&past, (double)i, worker, unit, ls_random_real(&random) - 0.2);
          break;
      }
    }
    assert_int_equal(past.status, LS_OK);
    ls_past_slowness_close(&past);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_that_ended_are_measured_by_what_was_expected),
      cmocka_unit_test(a_run_that_was_stopped_would_have_lasted_longer),
      cmocka_unit_test(what_had_not_begun_says_nothing),
      cmocka_unit_test(losses_and_failures_are_no_slowness),
      cmocka_unit_test(any_events_are_borne),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
