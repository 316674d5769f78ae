/* test_offers.c: the front, and what terms choose from it, beside brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/offers.h"
#include "base/random.h"

enum { MOST = 24 };
static const double NONE = (double)NAN;

/* Few values, so that equals are many; some offers are none. */
static size_t draw_offers(struct ls_random *random, struct ls_offer *offers) {
  size_t count = 1 + (size_t)ls_random_below(random, MOST);
  for (size_t i = 0; i < count; i++) {
    offers[i] = (struct ls_offer){1 + (double)ls_random_below(random, 8),
                                  (double)ls_random_below(random, 8)};
    if (i > 0 && ls_random_below(random, 8) == 0) offers[i].time_s = (double)INFINITY;
  }
  return count;
}

static bool beats(const struct ls_offer *a, const struct ls_offer *b) {
  return a->time_s <= b->time_s && a->price <= b->price &&
         (a->time_s < b->time_s || a->price < b->price);
}

static void front_is_not_dominated_and_complete(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "front");
  for (int trial = 0; trial < 2000; trial++) {
    struct ls_offer offers[MOST];
    bool is_front[MOST];
    size_t count = draw_offers(&random, offers), found = 0;
    assert_true(ls_offers_front(offers, count, is_front) >= 1);
    for (size_t i = 0; i < count; i++) {
      bool is_beaten = !isfinite(offers[i].time_s);
      for (size_t j = 0; j < count; j++) {
        if (beats(&offers[j], &offers[i])) is_beaten = true;
        bool is_equal = offers[j].time_s == offers[i].time_s && offers[j].price == offers[i].price;
        if (j < i && is_equal) is_beaten = true;
      }
      assert_int_equal(is_front[i], !is_beaten);
      found += is_front[i];
    }
    assert_int_equal(ls_offers_front(offers, count, is_front), found);
  }
}

static void what_terms_choose_is_on_the_front_and_within_them(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "terms");
  for (int trial = 0; trial < 2000; trial++) {
    struct ls_offer offers[MOST];
    bool is_front[MOST];
    size_t count = draw_offers(&random, offers);
    double limit = (double)ls_random_below(&random, 20) / 2;
    struct ls_terms all[] = {{limit, NONE}, {NONE, limit}, {NONE, NONE}};
    (void)ls_offers_front(offers, count, is_front);
    for (size_t k = 0; k < 3; k++) {
      struct ls_deal deal;
      assert_true(ls_offers_choose(offers, count, &all[k], &deal));
      const struct ls_offer *chosen = &offers[deal.index];
      assert_true(is_front[deal.index]);
      bool can_be_met = k == 2;
      for (size_t i = 0; i < count; i++) {
        if (!isfinite(offers[i].time_s)) continue;
        double value = k == 0 ? offers[i].time_s : offers[i].price;
        if (k < 2 && value <= limit) can_be_met = true;
        if (k == 0 && value <= limit) assert_true(chosen->price <= offers[i].price);
        if (k == 1 && value <= limit) assert_true(chosen->time_s <= offers[i].time_s);
        if (k == 2) assert_true(chosen->time_s <= 1.1 * offers[i].time_s * (1 + 1e-8));
      }
      assert_int_equal(deal.is_met, can_be_met);
      if (deal.is_met) continue;
      for (size_t i = 0; i < count; i++)
        assert_true(k == 0 ? chosen->time_s <= offers[i].time_s
                           : chosen->price <= offers[i].price || !isfinite(offers[i].time_s));
    }
  }
}

/* Three workers that are as cheap as four but for rounding are not worth the longer time. */
static void rounding_is_neither_time_nor_price(void **state) {
  static const struct ls_offer offers[] = {
      {6.6666666666666661, 20}, {5.0000000000000009, 20.000000000000004}, {5, 30}};
  struct ls_terms all[] = {{7, NONE}, {NONE, 40}, {NONE, NONE}};
  bool is_front[3];
  (void)state;
  assert_int_equal(ls_offers_front(offers, 3, is_front), 1);
  assert_true(is_front[1]);
  for (size_t k = 0; k < 3; k++) {
    struct ls_deal deal;
    assert_true(ls_offers_choose(offers, 3, &all[k], &deal));
    assert_int_equal(deal.index, 1);
    assert_true(deal.is_met);
  }
}

static void looser_terms_are_never_dearer_nor_slower(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "looser");
  for (int trial = 0; trial < 500; trial++) {
    struct ls_offer offers[MOST];
    double price = (double)INFINITY, time_s = (double)INFINITY;
    size_t count = draw_offers(&random, offers);
    for (double limit = 0; limit < 12; limit += 0.5) {
      struct ls_deal deal;
      assert_true(ls_offers_choose(offers, count, &(struct ls_terms){limit, NONE}, &deal));
      if (deal.is_met) assert_true(offers[deal.index].price <= price);
      if (deal.is_met) price = offers[deal.index].price;
      assert_true(ls_offers_choose(offers, count, &(struct ls_terms){NONE, limit}, &deal));
      if (deal.is_met) assert_true(offers[deal.index].time_s <= time_s);
      if (deal.is_met) time_s = offers[deal.index].time_s;
    }
  }
}

static void no_offer_is_no_deal(void **state) {
  struct ls_deal deal;
  struct ls_offer none = {(double)INFINITY, 1};
  (void)state;
  assert_false(ls_offers_choose(&none, 1, &(struct ls_terms){NONE, NONE}, &deal));
  assert_false(ls_offers_choose(NULL, 0, &(struct ls_terms){3, NONE}, &deal));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(front_is_not_dominated_and_complete),
      cmocka_unit_test(what_terms_choose_is_on_the_front_and_within_them),
      cmocka_unit_test(rounding_is_neither_time_nor_price),
      cmocka_unit_test(looser_terms_are_never_dearer_nor_slower),
      cmocka_unit_test(no_offer_is_no_deal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
