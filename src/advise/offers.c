#include "advise/offers.h"

#include <assert.h>
#include <math.h>

static const double TOLERANCE = 1e-9;
/* Slower than the fastest by no more than the ideal interval allows. */
static const double NEARLY = 1.1;

static bool is_there(const struct ls_offer *offer) {
  return isfinite(offer->time_s) && isfinite(offer->price);
}

static bool is_within(double value, double most) {
  return value <= most + TOLERANCE * fabs(most);
}

/* Does the one with this number keep the other from the front?  Rounding makes nothing better: what
 * is worse in one figure by no more than that, and better on the whole, is better.  On the whole
 * are the products, so that no two keep each other from it. */
static bool is_better(const struct ls_offer *offers, size_t one, size_t other) {
  const struct ls_offer *a = &offers[one], *b = &offers[other];
  if (!is_within(a->time_s, b->time_s) || !is_within(a->price, b->price)) return false;
  if (a->time_s > b->time_s || a->price > b->price)
    return a->time_s * a->price < b->time_s * b->price;
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

static double get_figure(const struct ls_offer *offer, bool by_price) {
  return by_price ? offer->price : offer->time_s;
}

/* The first with the least of a figure among those within both limits; `count`: there is none. */
static size_t find_least(const struct ls_offer *offers, size_t count, const struct ls_offer *most,
                         bool by_price) {
  size_t best = count;
  for (size_t i = 0; i < count; i++) {
    if (!is_there(&offers[i]) || !is_within(offers[i].time_s, most->time_s) ||
        !is_within(offers[i].price, most->price))
      continue;
    double least = best < count ? get_figure(&offers[best], by_price) : (double)INFINITY;
    double then = best < count ? get_figure(&offers[best], !by_price) : (double)INFINITY;
    double figure = get_figure(&offers[i], by_price);
    if (figure > least || (figure >= least && get_figure(&offers[i], !by_price) >= then)) continue;
    best = i;
  }
  return best;
}

/* The least of one figure, of those that are equal but for rounding the least of the other. */
static size_t find_first(const struct ls_offer *offers, size_t count, const struct ls_offer *most,
                         bool by_price) {
  size_t least = find_least(offers, count, most, by_price);
  if (least == count) return count;
  struct ls_offer equal = *most;
  if (by_price)
    equal.price = offers[least].price;
  else
    equal.time_s = offers[least].time_s;
  return find_least(offers, count, &equal, !by_price);
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
