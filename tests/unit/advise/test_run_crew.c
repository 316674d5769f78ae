/* test_run_crew.c: the workers that a run takes for a deadline or a price, by what is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advise/run_crew.h"
#include "policies/chunking.h"

static const double NONE = (double)NAN;

static struct ls_candidate make_candidate(void) {
  struct ls_candidate candidate = {.chunking = ls_chunking_find("ss"), .prefetch = 1};
  ls_arguments_init(&candidate.arguments, candidate.chunking->parameters);
  return candidate;
}

/* A dear worker of speed 2 and two cheap ones of speed 1, units of a second. */
static void open_platform(struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, 3, NULL), LS_OK);
  platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5;
  platform->workers[0].price_per_s = 10;
}

static struct ls_offer advise(const struct ls_platform *platform, uint64_t units,
                              struct ls_terms terms, size_t *count) {
  struct ls_candidate candidate = make_candidate();
  struct ls_crew_advice advice;
  struct ls_run_situation situation = {
      .platform = platform, .units = units, .workers = 3, .prefetch = 1, .seed = 1};
  assert_int_equal(ls_run_advise_crew(&situation, &candidate, &terms, &advice, NULL), LS_OK);
  assert_true(advice.deal.is_met);
  const struct ls_crew *crew = &advice.crews.items[advice.deal.index];
  struct ls_offer offer = crew->offer;
  *count = crew->count;
  ls_crew_advice_close(&advice);
  return offer;
}

/* More units than are simulated: time and price are those of all. */
static void time_and_price_are_of_all_units(void **state) {
  struct ls_platform platform;
  size_t count = 0;
  (void)state;
  open_platform(&platform);
  for (uint64_t units = 1000; units <= 100000; units *= 10) {
    double half_s = (double)units / 2;
    struct ls_offer offer =
        advise(&platform, units, (struct ls_terms){1.02 * half_s, NONE}, &count);
    assert_int_equal(count, 2); /* the cheap ones */
    assert_true(offer.time_s > 0.99 * half_s && offer.time_s < 1.02 * half_s);
    assert_true(offer.price > 1.98 * half_s && offer.price < 2.05 * half_s);
    offer = advise(&platform, units, (struct ls_terms){NONE, 1e9}, &count);
    assert_int_equal(count, 3);
  }
  ls_platform_close(&platform);
}

static void nothing_known_is_refused(void **state) {
  struct ls_candidate candidate = make_candidate();
  struct ls_crew_advice advice;
  struct ls_terms terms = {5, NONE};
  struct ls_run_situation situation = {.units = 10, .workers = 3, .prefetch = 1};
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_run_advise_crew(&situation, &candidate, &terms, &advice, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--platform, --times or --history"));
  ls_crew_advice_close(&advice);
}

static struct ls_run_sites advise_sites(const struct ls_platform *platform, uint64_t units) {
  struct ls_candidate candidate = make_candidate();
  struct ls_run_sites sites;
  struct ls_run_situation situation = {
      .platform = platform, .units = units, .workers = 3, .prefetch = 1, .seed = 1};
  assert_int_equal(ls_run_advise_sites(&situation, &candidate, &sites, NULL), LS_OK);
  return sites;
}

/* Two near workers of a second a unit, and a far one of half a second, behind ten seconds. */
static void a_far_worker_pays_where_there_is_much_to_do(void **state) {
  struct ls_platform platform;
  (void)state;
  open_platform(&platform);
  assert_int_equal(advise_sites(&platform, 100).far, 0);
  platform.workers[0].delay_s = 10;
  struct ls_run_sites sites = advise_sites(&platform, 1000);
  assert_int_equal(sites.far, 1);
  assert_true(fabs(sites.near_s - 500) < 2);
  assert_true(sites.all_s < 495 && sites.all_s > 250);
  sites = advise_sites(&platform, 4);
  assert_true(fabs(sites.near_s - 2) < 1e-9);
  assert_true(sites.all_s >= sites.near_s);
  assert_int_equal(advise_sites(NULL, 100).far, 0);
  /* The far one is not among the first, and may join. */
  platform.workers[0].delay_s = 0;
  platform.workers[2].delay_s = 10;
  struct ls_candidate candidate = make_candidate();
  struct ls_run_situation situation = {
      .platform = &platform, .units = 1000, .workers = 2, .prefetch = 1, .seed = 1};
  assert_int_equal(ls_run_advise_sites(&situation, &candidate, &sites, NULL), LS_OK);
  assert_int_equal(sites.far, 0);
  situation.is_remote = true;
  assert_int_equal(ls_run_advise_sites(&situation, &candidate, &sites, NULL), LS_OK);
  assert_int_equal(sites.far, 1);
  assert_true(sites.all_s < sites.near_s);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_far_worker_pays_where_there_is_much_to_do),
      cmocka_unit_test(time_and_price_are_of_all_units),
      cmocka_unit_test(nothing_known_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
