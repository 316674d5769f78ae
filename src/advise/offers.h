/* offers.h: what ways to do the same work cost: time against price.
 *
 * One offer is better than another when it is neither slower nor dearer, and not equal to it; what
 * differs by no more than 1e-9 of itself is rounding, and counts as equal beside a gain.  The front
 * holds those that none is better than; of equal ones the first.  Terms choose one of the front:
 * the cheapest within a deadline, the fastest within a price, or, without either, the cheapest that
 * takes at most 1.1 times as long as the fastest (the ideal interval's factor).
 */
#ifndef LS_ADVISE_OFFERS_H
#define LS_ADVISE_OFFERS_H

#include <stdbool.h>
#include <stddef.h>

struct ls_offer {
  double time_s; /* not finite: there is no such way */
  double price;
};

/* At most one of them is given; NAN: it is not. */
struct ls_terms {
  double deadline_s, price_max;
};

struct ls_deal {
  size_t index;
  bool is_met; /* else it is the best that can be had: the fastest for a deadline, the cheapest for
                  a price */
};

/* `is_front`: one for each offer. The number of those on the front. */
size_t ls_offers_front(const struct ls_offer *offers, size_t count, bool *is_front);
/* False: no offer is finite. A deadline or a price counts as kept up to 1e-9 of itself. */
bool ls_offers_choose(const struct ls_offer *offers, size_t count, const struct ls_terms *terms,
                      struct ls_deal *deal);

#endif
