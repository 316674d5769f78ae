/* efficiency.h: useful work over time up, summed over workers, each at its worker's price.
 *
 * efficiency = sum of price_i * useful seconds_i / sum of price_i * seconds up_i: an idle second of
 * a dear worker weighs more than that of a cheap one.  Equal prices, which are 1 unless set, leave
 * plain seconds; so do workers that all cost nothing.  Source: heymann2001, chapter 6.
 */
#ifndef LS_MODEL_EFFICIENCY_H
#define LS_MODEL_EFFICIENCY_H

#include "base/statistics.h"

/* Starts as {0}. */
struct ls_efficiency_sums {
  struct ls_sum useful_s, up_s;
  struct ls_sum useful_price, price; /* the same, each second at its worker's price */
};

void ls_efficiency_add_up(struct ls_efficiency_sums *sums, double price_per_s, double up_s);
void ls_efficiency_add_useful(struct ls_efficiency_sums *sums, double price_per_s, double useful_s);
/* 0 when nobody was up. */
double ls_efficiency_value(const struct ls_efficiency_sums *sums);

#endif
