/* test_crews.c: the search over crews beside all crews, on seeded platforms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "advise/crews.h"
#include "base/random.h"
#include "policies/chunking.h"
#include "simulate/simulate.h"

enum { WORKERS_MAX = 8, UNITS = 60 };

/* Speeds and prices have nothing to do with each other; the master needs some time for each. */
static void open_market(struct ls_platform *platform, size_t workers, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "market");
  assert_int_equal(ls_platform_init(platform, workers, NULL), LS_OK);
  platform->prepare.latency_s = 0.02 * (double)ls_random_below(&random, 5);
  for (size_t i = 0; i < workers; i++) {
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5 + 2 * ls_random_real(&random);
    platform->workers[i].price_per_s = 0.2 + 5 * ls_random_real(&random);
  }
}

static enum ls_status judge(void *context, struct ls_crew *crews, size_t count,
                            struct ls_error *err) {
  const struct ls_platform *platform = context;
  for (size_t i = 0; i < count; i++) {
    struct ls_worker_model workers[WORKERS_MAX];
    struct ls_platform own = ls_crew_platform(platform, &crews[i], workers);
    struct ls_simulation setup = {.platform = &own,
                                  .units = UNITS,
                                  .prefetch = 1,
                                  .config = {.chunking = ls_chunking_find("ss")}};
    struct ls_simulated result;
    ls_arguments_init(&setup.config.arguments, setup.config.chunking->parameters);
    enum ls_status status = ls_simulate(&setup, &result, NULL, err);
    if (status != LS_OK) return status;
    crews[i].offer = (struct ls_offer){result.makespan_s, result.price};
  }
  return LS_OK;
}

static struct ls_crews search(struct ls_platform *platform, size_t tries_max) {
  struct ls_crews crews = {0};
  struct ls_crew_search setup = {
      .platform = platform, .tries_max = tries_max, .judge = judge, .context = platform};
  assert_int_equal(ls_crews_search(&setup, &crews, NULL), LS_OK);
  return crews;
}

static double price_within(const struct ls_crews *crews, double deadline_s) {
  double least = (double)INFINITY;
  for (size_t i = 0; i < crews->count; i++)
    if (crews->items[i].offer.time_s <= deadline_s)
      least = fmin(least, crews->items[i].offer.price);
  return least;
}

static double time_within(const struct ls_crews *crews, double price) {
  double least = (double)INFINITY;
  for (size_t i = 0; i < crews->count; i++)
    if (crews->items[i].offer.price <= price) least = fmin(least, crews->items[i].offer.time_s);
  return least;
}

/* At eight deadlines and prices between the extremes of each of 30 platforms, half of the crews
 * or less are tried. On 200 other platforms the price is 0.0004 more in the mean, 0.29 at worst. */
static void search_is_near_all_crews(void **state) {
  double dearer = 0, slower = 0, dearest = 0, slowest = 0;
  size_t cases = 0, tried = 0, all = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 30; seed++) {
    struct ls_platform platform;
    open_market(&platform, 6 + (size_t)(seed % 3), seed);
    struct ls_crews complete = search(&platform, 1000), found;
    size_t crews = (1U << platform.workers_count) - 1;
    assert_true(complete.is_complete);
    assert_int_equal(complete.count, crews);
    found = search(&platform, crews / 2);
    assert_false(found.is_complete);
    double fastest_s = time_within(&complete, 1e9), cheapest = price_within(&complete, 1e9);
    /* Both extremes are found. */
    assert_true(time_within(&found, 1e9) <= fastest_s * (1 + 1e-9));
    assert_true(price_within(&found, 1e9) <= cheapest * (1 + 1e-9));
    for (double factor = 1.1; factor < 3; factor *= 1.15, cases++) {
      double price = price_within(&complete, factor * fastest_s);
      double more = price_within(&found, factor * fastest_s) / price - 1;
      double time_s = time_within(&complete, factor * cheapest);
      double longer = time_within(&found, factor * cheapest) / time_s - 1;
      assert_true(more >= 0 && longer >= 0);
      dearer += more;
      slower += longer;
      dearest = fmax(dearest, more);
      slowest = fmax(slowest, longer);
    }
    tried += found.count;
    all += complete.count;
    ls_crews_close(&complete);
    ls_crews_close(&found);
    ls_platform_close(&platform);
  }
  print_message(
      "%zu of %zu crews: dearer by %.4f in the mean, %.4f at most; slower by %.4f, %.4f\n", tried,
      all, dearer / (double)cases, dearest, slower / (double)cases, slowest);
  assert_true(dearer / (double)cases < 0.001 && slower / (double)cases < 0.001);
  assert_true(dearest < 0.02 && slowest < 0.02);
}

/* Where all workers are equal, crews are numbers of workers: what there was before prices. */
static void equal_workers_are_numbers(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 8, NULL), LS_OK);
  struct ls_crews crews = search(&platform, 8);
  assert_true(crews.is_complete);
  assert_int_equal(crews.count, 8);
  for (size_t n = 1; n <= 8; n++) {
    assert_int_equal(crews.items[n - 1].count, n);
    for (size_t i = 0; i < n; i++) assert_int_equal(crews.items[n - 1].workers[i], i);
  }
  ls_crews_close(&crews);
  ls_platform_close(&platform);
}

/* Two kinds of three and of two workers: 4 x 3 - 1 crews. */
static void limits_of_size_hold(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 5, NULL), LS_OK);
  for (size_t i = 3; i < 5; i++) platform.workers[i].price_per_s = 2;
  struct ls_crews crews = search(&platform, 100);
  assert_int_equal(crews.count, 11);
  ls_crews_close(&crews);
  struct ls_crew_search setup = {.platform = &platform,
                                 .least = 2,
                                 .most = 3,
                                 .tries_max = 100,
                                 .judge = judge,
                                 .context = &platform};
  assert_int_equal(ls_crews_search(&setup, &crews, NULL), LS_OK);
  assert_int_equal(crews.count, 3 + 3); /* 2+0 1+1 0+2, 3+0 2+1 1+2 */
  for (size_t i = 0; i < crews.count; i++)
    assert_true(crews.items[i].count >= 2 && crews.items[i].count <= 3);
  ls_crews_close(&crews);
  ls_platform_close(&platform);
}

static bool stop_at_once(void *context) {
  (void)context;
  return true;
}

static void stopped_search_keeps_its_first_crews(void **state) {
  struct ls_platform platform;
  struct ls_crews crews = {0};
  (void)state;
  open_market(&platform, 8, 4);
  struct ls_crew_search setup = {.platform = &platform,
                                 .tries_max = 200,
                                 .judge = judge,
                                 .context = &platform,
                                 .stop = stop_at_once};
  assert_int_equal(ls_crews_search(&setup, &crews, NULL), LS_OK);
  assert_true(crews.count >= 8 && crews.count <= 3 * 8);
  ls_crews_close(&crews);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(search_is_near_all_crews),
      cmocka_unit_test(equal_workers_are_numbers),
      cmocka_unit_test(limits_of_size_hold),
      cmocka_unit_test(stopped_search_keeps_its_first_crews),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
