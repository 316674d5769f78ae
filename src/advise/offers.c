#include "advise/offers.h"

#include <assert.h>
#include <math.h>

static const double TOLERANCE = 1e-9;
/* Slower than the fastest by no more than the ideal interval allows. */
static const double NEARLY = 1.1;

static bool is_there(const struct ls_offer *offer) {
  return isfinite(offer->time_s) && isfinite(offer->price);
}

/* Does the one with this number keep the other from the front? */
static bool is_better(const struct ls_offer *offers, size_t one, size_t other) {
  const struct ls_offer *a = &offers[one], *b = &offers[other];
  if (a->time_s > b->time_s || a->price > b->price) return false;
  return a->time_s < b->time_s || a->price < b->price || one < other;
}

size_t ls_offers_front(const struct ls_offer *offers, size_t count, bool *is_front) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    is_front[i] = is_there(&offers[i]);
    for (size_t j = 0; j < count && is_front[i]; j++)
      if (j != i && is_there(&offers[j]) && is_better(offers, j, i)) is_front[i] = false;
    found += is_front[i];
  }
  return found;
}

static bool is_within(double value, double most) {
  return value <= most + TOLERANCE * fabs(most);
}

/* The least of one figure, of equals the least of the other, of equals the first. */
static bool is_before(const struct ls_offer *a, const struct ls_offer *b, bool by_price) {
  double first_a = by_price ? a->price : a->time_s, first_b = by_price ? b->price : b->time_s;
  double then_a = by_price ? a->time_s : a->price, then_b = by_price ? b->time_s : b->price;
  if (first_a < first_b || first_a > first_b) return first_a < first_b;
  return then_a < then_b;
}

/* The first by price or time among those within both limits; `count`: there is none. */
static size_t find_first(const struct ls_offer *offers, size_t count, const struct ls_offer *most,
                         bool by_price) {
  size_t best = count;
  for (size_t i = 0; i < count; i++) {
    if (!is_there(&offers[i]) || !is_within(offers[i].time_s, most->time_s) ||
        !is_within(offers[i].price, most->price))
      continue;
    if (best == count || is_before(&offers[i], &offers[best], by_price)) best = i;
  }
  return best;
}

bool ls_offers_choose(const struct ls_offer *offers, size_t count, const struct ls_terms *terms,
                      struct ls_deal *deal) {
  const struct ls_offer any = {(double)INFINITY, (double)INFINITY};
  bool has_price = !isnan(terms->price_max), has_deadline = !isnan(terms->deadline_s);
  assert(!(has_price && has_deadline));
  size_t fastest = find_first(offers, count, &any, false);
  if (fastest == count) return false;
  struct ls_offer most = any;
  if (has_deadline) most.time_s = terms->deadline_s;
  if (has_price) most.price = terms->price_max;
  if (!has_deadline && !has_price) most.time_s = NEARLY * offers[fastest].time_s;
  size_t found = find_first(offers, count, &most, !has_price);
  deal->is_met = found < count;
  if (!deal->is_met) found = has_price ? find_first(offers, count, &any, true) : fastest;
  deal->index = found;
  return true;
}
