/* The speeds of the machines of an earlier run, by its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "advise/past_speeds.h"
#include "base/random.h"

static void join(struct ls_past_speeds *past, uint32_t worker, uint64_t place, double benchmark) {
  ls_past_speeds_hear(
      past, &(struct ls_event){.kind = LS_EVENT_JOINED, .worker = worker, .joined.place = place});
  if (benchmark > 0)
    ls_past_speeds_hear(
        past, &(struct ls_event){.kind = LS_EVENT_HEARTBEAT, .worker = worker, .speed = benchmark});
}

static void end(struct ls_past_speeds *past, uint32_t worker, struct ls_range units,
                double seconds) {
  ls_past_speeds_hear(
      past, &(struct ls_event){
                .kind = LS_EVENT_RESULT,
                .worker = worker,
                .result = {.units = units, .outcome = LS_OUTCOME_DONE, .seconds = seconds}});
}

/* The estimate, and what the test looks at of it: `count` machines of places 1, 2, ... */
static void expect(struct ls_past_speeds *past, size_t count, const double *ratios,
                   double tolerance) {
  struct ls_coordinator_host *hosts = NULL;
  size_t hosts_count = 99;
  assert_int_equal(ls_past_speeds_estimate(past, &hosts, &hosts_count), LS_OK);
  assert_int_equal(hosts_count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(hosts[i].place, i + 1);
    if (!(fabs(hosts[i].speed / hosts[0].speed - ratios[i]) <= tolerance))
      fail_msg("machine %zu: %.9g beside %.9g, expected a ratio of %g", i + 1, hosts[i].speed,
               hosts[0].speed, ratios[i]);
  }
  free(hosts);
  ls_past_speeds_close(past);
}

/* Units of 1 to 30 seconds; which machine has which is drawn anew in each iteration. */
static void units_that_several_did_tell_machines_apart(void **state) {
  static const double speeds[] = {1, 0.5, 0.2};
  struct ls_past_speeds past = {.status = LS_OK};
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "test");
  /* The benchmarks are all wrong; two workers are on one machine; one has no place. */
  for (uint32_t worker = 0; worker < 4; worker++) join(&past, worker, 1 + worker % 3, 1);
  join(&past, 4, 0, 7);
  for (int iteration = 0; iteration < 8; iteration++) {
    for (uint64_t unit = 0; unit < 30; unit++) {
      uint32_t worker = (uint32_t)ls_random_below(&random, 5);
      double speed = worker < 4 ? speeds[worker % 3] : 100;
      end(&past, worker, (struct ls_range){10 * unit, 2}, 2 * (double)(1 + unit) / speed);
    }
  }
  expect(&past, 3, speeds, 0.02);
}

/* Times times speeds are what the units have of their own. */
static void a_range_is_weighed_by_who_did_it(void **state) {
  struct ls_past_speeds past = {.status = LS_OK};
  struct ls_coordinator_host *hosts = NULL;
  size_t hosts_count = 0;
  (void)state;
  for (uint32_t worker = 0; worker < 2; worker++) join(&past, worker, 1 + worker, 0);
  join(&past, 2, 0, 0);
  assert_true(fabs(ls_past_speeds_of(&past, (struct ls_range){0, 1}, 1) - 1) < 1e-12);
  for (uint64_t unit = 0; unit < 40; unit++)
    for (uint32_t worker = 0; worker < 2; worker++)
      end(&past, worker, (struct ls_range){3 * unit, 3}, 3 * (double)(1 + unit) * (1 + 3 * worker));
  end(&past, 2, (struct ls_range){0, 3}, 300);
  assert_int_equal(ls_past_speeds_estimate(&past, &hosts, &hosts_count), LS_OK);
  assert_int_equal(hosts_count, 2);
  for (uint64_t unit = 0; unit < 40; unit++) {
    struct ls_range units = {3 * unit, 3};
    double fast_s = (double)(1 + unit), slow_s = 4 * fast_s;
    double work = fast_s * ls_past_speeds_of(&past, units, fast_s);
    assert_true(fabs(work / (slow_s * ls_past_speeds_of(&past, units, slow_s)) - 1) < 0.02);
    assert_true(fabs(work / fast_s / hosts[0].speed - 1) < 1e-12);
  }
  /* Nobody's time, another range, and one that a worker without a place did. */
  assert_true(fabs(ls_past_speeds_of(&past, (struct ls_range){0, 3}, 1.5) - 1) < 1e-12);
  assert_true(fabs(ls_past_speeds_of(&past, (struct ls_range){0, 2}, 1) - 1) < 1e-12);
  assert_true(fabs(ls_past_speeds_of(&past, (struct ls_range){0, 3}, 100) - 1) < 1e-12);
  free(hosts);
  ls_past_speeds_close(&past);
}

/* Each machine has its own units, as an order that learns would have it. */
static void else_what_they_begin_with_stays(void **state) {
  static const double benchmarks[] = {1, 0.5}, means[] = {1, 0.1};
  (void)state;
  for (int has_benchmarks = 0; has_benchmarks < 2; has_benchmarks++) {
    struct ls_past_speeds past = {.status = LS_OK};
    for (uint32_t worker = 0; worker < 2; worker++)
      join(&past, worker, 2 - worker, has_benchmarks ? benchmarks[1 - worker] : 0);
    for (uint64_t i = 0; i < 400; i++)
      end(&past, i % 2, (struct ls_range){i % 40, 1}, i % 2 == 0 ? 10 : 1);
    expect(&past, 2, has_benchmarks ? benchmarks : means, 0.02);
  }
}

/* Too few units, failures, times that are none, another session. */
static void what_tells_nothing_is_no_machine(void **state) {
  struct ls_past_speeds past = {.status = LS_OK};
  (void)state;
  expect(&past, 0, NULL, 0);
  join(&past, 0, 1, 0);
  join(&past, 1, 2, 0);
  for (uint64_t i = 0; i < 9; i++) end(&past, 0, (struct ls_range){i, 1}, 1);
  end(&past, 1, (struct ls_range){0, 2}, 1);
  end(&past, 1, (struct ls_range){2, 9}, 0);
  end(&past, 1, (struct ls_range){2, 9}, (double)INFINITY);
  ls_past_speeds_hear(
      &past,
      &(struct ls_event){.kind = LS_EVENT_RESULT,
                         .worker = 1,
                         .result = {.units = {0, 9}, .outcome = LS_OUTCOME_FAILED, .seconds = 1}});
  ls_past_speeds_begin(&past);
  end(&past, 1, (struct ls_range){0, 9}, 1);
  end(&past, 77, (struct ls_range){0, 9}, 1);
  expect(&past, 0, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_that_several_did_tell_machines_apart),
      cmocka_unit_test(a_range_is_weighed_by_who_did_it),
      cmocka_unit_test(else_what_they_begin_with_stays),
      cmocka_unit_test(what_tells_nothing_is_no_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
