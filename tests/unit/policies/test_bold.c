#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../../support/chunking_driver.h"

struct facts {
  double mean, deviation, overhead;
};

static struct driver start(uint64_t units, size_t workers, struct facts facts) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("bold"), units, workers);
  driver.setup.mean_seconds = facts.mean;
  driver.setup.deviation_seconds = facts.deviation;
  driver.setup.overhead_seconds = facts.overhead;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void the_first_chunks_are_the_specified_ones(void **state) {
  (void)state;
  const uint64_t expected[] = {105, 105, 105, 105, 105, 106, 106, 107, 96, 84};
  struct driver driver = start(1024, 8, (struct facts){1, 0.5, 0.1});
  for (uint32_t i = 0; i < 10; i++) assert_int_equal(driver_ask(&driver, i % 8), expected[i]);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* Bold: the fair share at once, where nothing varies. */
static void without_deviation_the_first_chunk_is_the_fair_share(void **state) {
  (void)state;
  struct driver driver = start(800, 8, (struct facts){1, 0, 0.1});
  assert_int_equal(driver_ask(&driver, 0), 100);
  driver_close(&driver);
}

static void more_deviation_makes_the_first_chunk_smaller(void **state) {
  (void)state;
  uint64_t latest = UINT64_MAX;
  for (int i = 0; i < 10; i++) {
    struct driver driver = start(4096, 8, (struct facts){1, 0.3 * i, 0.05});
    uint64_t units = driver_ask(&driver, 0);
    assert_true(units >= 1 && units <= latest);
    latest = units;
    driver_close(&driver);
  }
  assert_true(latest < 512);
}

/* Sizes stay possible for extreme facts, as time goes on, with losses and returns. */
static void chunks_are_possible_whatever_happens(void **state) {
  (void)state;
  const struct facts cases[] = {{1, 0, 0},      {1e-9, 1e3, 0}, {1e6, 1, 1e-20}, {1, 1, 1e9},
                                {1, 0.25, 0.1}, {1, 0.3535, 0}, {1, 0.36, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct driver driver = start(500, 5, cases[k]);
    for (uint32_t i = 0; driver.view.units_unassigned > 0; i++) {
      uint64_t before = driver.view.units_unassigned;
      uint64_t units = driver_ask(&driver, i % 5);
      assert_true(units >= 1 && units <= before);
      driver.view.now_s += (double)(i % 7) * cases[k].mean;
      if (i == 3) driver_lose(&driver, 3, units);
      if (i == 3) driver_join(&driver, 3);
      if (i == 6) {
        driver.view.units_unassigned += 2;
        driver.policy->on_return(driver.state, &driver.view, 2);
      }
      assert_true(i < 2000);
    }
    driver_close(&driver);
  }
}

/* A worker that is lost at once leaves the estimates as they were without it. */
static void a_loss_undoes_what_was_given(void **state) {
  (void)state;
  struct driver one = start(1024, 8, (struct facts){1, 0.5, 0.1});
  struct driver other = start(1024, 8, (struct facts){1, 0.5, 0.1});
  uint64_t units = driver_ask(&one, 0);
  driver_lose(&one, 0, units);
  assert_int_equal(driver_ask(&one, 1), driver_ask(&other, 1));
  driver_close(&one);
  driver_close(&other);
}

static void without_facts_it_is_fac2(void **state) {
  (void)state;
  const double unknown = (double)NAN;
  const struct facts cases[] = {{unknown, 1, 1}, {1, unknown, 1}, {1, 1, unknown}};
  for (size_t k = 0; k < 3; k++) {
    struct driver driver = start(1000, 4, cases[k]), plain;
    driver_prepare(&plain, ls_chunking_find("fac2"), 1000, 4);
    assert_int_equal(driver_start(&plain, NULL), LS_OK);
    for (uint32_t i = 0; plain.view.units_unassigned > 0; i++) {
      assert_int_equal(driver_ask(&driver, i % 4), driver_ask(&plain, i % 4));
    }
    driver_close(&driver);
    driver_close(&plain);
  }
}

static void impossible_facts_are_refused(void **state) {
  (void)state;
  const struct {
    struct facts facts;
    const char *name;
  } cases[] = {{{0, 1, 1}, "mean_seconds"},
               {{1, -1, 1}, "deviation_seconds"},
               {{1, 1, -1}, "overhead_seconds"},
               {{1, 1, (double)INFINITY}, "overhead_seconds"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct driver driver;
    struct ls_error err = {0};
    driver_prepare(&driver, ls_chunking_find("bold"), 10, 2);
    driver.setup.mean_seconds = cases[i].facts.mean;
    driver.setup.deviation_seconds = cases[i].facts.deviation;
    driver.setup.overhead_seconds = cases[i].facts.overhead;
    assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, cases[i].name));
    driver_close(&driver);
  }
}

/* The formula once more, with the estimates as the paper keeps them, worker by worker. */
struct reference {
  double mean, deviation, overhead, workers;
  double open, estimated, speed, latest_s;
  double units[4], start_s[4];
};

static double reference_rate(const struct reference *r, double units) {
  return units / (units * r->mean + r->overhead);
}

static uint64_t reference_ask(struct reference *r, size_t worker, double left, double now_s) {
  double variation = r->deviation / r->mean, a = 2 * variation * variation;
  double b = a > 0 ? 8 * a * log(8 * a) : 0, c1 = r->overhead / (r->mean * log(2));
  double c2 = sqrt(2 * acos(-1.0)) * c1, size = 1;
  r->estimated -= (now_s - r->latest_s) * r->speed;
  r->latest_s = now_s;
  if (r->units[worker] > 0) {
    double rate = reference_rate(r, r->units[worker]);
    r->estimated -= r->units[worker] - (now_s - r->start_s[worker]) * rate;
    r->open -= r->units[worker];
    r->speed -= rate;
  }
  double fair = left / r->workers;
  if (fair > 1) {
    double most = fmax(left, fmax(0, r->estimated)), t = most / r->workers, logarithm = log(fair);
    double q = b + fair > 0 ? fair / (b + fair) : 1, below = 1 + 1 / logarithm - q;
    double d = below > 0 ? left / below : HUGE_VAL;
    size = t;
    if (d > c2) {
      double s = isfinite(d) ? a * (log(d) - log(c2)) * (1 + r->open / (most * r->workers)) : a;
      double w = b > 0 ? log(q * logarithm) + log(b) : log(logarithm);
      s = isfinite(d) ? fmax(0, s) : s;
      size = fmin(t, t + s / 2 - sqrt(s * (t + s / 4)) + (w > 0 ? c1 * w : 0));
    }
  }
  double units = fmin(fmax(trunc(size), 1), left);
  r->units[worker] = units;
  r->start_s[worker] = now_s;
  r->speed += reference_rate(r, units);
  return (uint64_t)units;
}

/* Workers of unequal speed come back at their own times: what has ended counts no more. */
static void chunks_are_exact_after_others_have_ended(void **state) {
  (void)state;
  const struct facts cases[] = {{1, 0.5, 0.1}, {1, 1, 0.5}, {2, 0.7, 0.01}, {0.1, 0.2, 0.3}};
  const double seconds[4] = {1, 0.6, 1.7, 2.5};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct driver driver = start(4000, 4, cases[k]);
    struct reference r = {.mean = cases[k].mean,
                          .deviation = cases[k].deviation,
                          .overhead = cases[k].overhead,
                          .workers = 4,
                          .open = 4000,
                          .estimated = 4000};
    double free_s[4] = {0};
    size_t chunks = 0;
    while (driver.view.units_unassigned > 0) {
      uint32_t worker = 0;
      for (uint32_t i = 1; i < 4; i++)
        if (free_s[i] < free_s[worker]) worker = i;
      driver.view.now_s = free_s[worker];
      uint64_t expected =
          reference_ask(&r, worker, (double)driver.view.units_unassigned, free_s[worker]);
      uint64_t units = driver_ask(&driver, worker);
      assert_int_equal(units, expected);
      free_s[worker] += (double)units * cases[k].mean * seconds[worker];
      chunks++;
    }
    assert_true(chunks > 4);
    driver_close(&driver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_chunks_are_the_specified_ones),
      cmocka_unit_test(without_deviation_the_first_chunk_is_the_fair_share),
      cmocka_unit_test(more_deviation_makes_the_first_chunk_smaller),
      cmocka_unit_test(chunks_are_possible_whatever_happens),
      cmocka_unit_test(a_loss_undoes_what_was_given),
      cmocka_unit_test(without_facts_it_is_fac2),
      cmocka_unit_test(impossible_facts_are_refused),
      cmocka_unit_test(chunks_are_exact_after_others_have_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
