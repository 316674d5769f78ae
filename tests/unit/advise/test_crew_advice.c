/* test_crew_advice.c: the crew that is advised keeps the terms, at the least price of all crews. */
#include "world_fixture.h"

#include "advise/crew_advice.h"

static const double NONE = (double)NAN;

static struct ls_crew_advice advise(struct world *world, struct ls_terms terms) {
  struct ls_candidate candidate = make_candidate("ss", 1, 0);
  struct ls_crew_advice advice;
  struct ls_crew_advice_setup setup = {.world = {.context = world, .draw = world_draw},
                                       .candidate = &candidate,
                                       .terms = terms,
                                       .draws = 2,
                                       .tries_max = 100,
                                       .scale = 1};
  assert_int_equal(ls_crew_advise(&setup, &advice, NULL), LS_OK);
  return advice;
}

/* Two workers at 4 units/s and a price of 8, six at 1 and 1: a unit of the slow ones costs half. */
static void the_cheapest_crew_within_the_deadline_is_advised(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 0);
  for (size_t i = 6; i < 8; i++) world.platform.workers[i].price_per_s = 8;
  /* 200 units: the six in 34 s, all in 14.3 s. */
  struct ls_crew_advice advice = advise(&world, (struct ls_terms){40, NONE});
  assert_true(advice.deal.is_met && advice.crews.is_complete);
  assert_int_equal(advice.crews.count, 7 * 3 - 1);
  const struct ls_crew *crew = &advice.crews.items[advice.deal.index];
  assert_true(crew->count <= 6 && crew->offer.time_s <= 40);
  for (size_t i = 0; i < crew->count; i++) assert_true(crew->workers[i] < 6);
  ls_crew_advice_close(&advice);
  advice = advise(&world, (struct ls_terms){16, NONE});
  crew = &advice.crews.items[advice.deal.index];
  assert_true(advice.deal.is_met && crew->offer.time_s <= 16);
  assert_int_equal(crew->workers[crew->count - 1], 7);
  ls_crew_advice_close(&advice);
  advice = advise(&world, (struct ls_terms){5, NONE});
  assert_false(advice.deal.is_met);
  assert_int_equal(advice.crews.items[advice.deal.index].count, 8);
  ls_crew_advice_close(&advice);
  advice = advise(&world, (struct ls_terms){NONE, 1});
  assert_false(advice.deal.is_met);
  for (size_t i = 0; i < advice.crews.count; i++)
    assert_true(advice.crews.items[i].offer.price >=
                advice.crews.items[advice.deal.index].offer.price);
  ls_crew_advice_close(&advice);
  ls_platform_close(&world.platform);
}

/* A world of half the units tells half of time and price. */
static void scale_is_that_of_time_and_price(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 0);
  struct ls_candidate candidate = make_candidate("ss", 1, 0);
  struct ls_crew_advice advice[2];
  for (size_t i = 0; i < 2; i++) {
    struct ls_crew_advice_setup setup = {.world = {.context = &world, .draw = world_draw},
                                         .candidate = &candidate,
                                         .terms = {NONE, NONE},
                                         .draws = 1,
                                         .tries_max = 100,
                                         .scale = (double)(i + 1)};
    assert_int_equal(ls_crew_advise(&setup, &advice[i], NULL), LS_OK);
  }
  for (size_t i = 0; i < advice[0].crews.count; i++) {
    const struct ls_offer *one = &advice[0].crews.items[i].offer,
                          *two = &advice[1].crews.items[i].offer;
    assert_true(fabs(two->time_s - 2 * one->time_s) < 1e-9 * two->time_s);
    assert_true(fabs(two->price - 2 * one->price) < 1e-9 * two->price);
  }
  ls_crew_advice_close(&advice[0]);
  ls_crew_advice_close(&advice[1]);
  ls_platform_close(&world.platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cheapest_crew_within_the_deadline_is_advised),
      cmocka_unit_test(scale_is_that_of_time_and_price),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
