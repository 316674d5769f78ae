#include "model/efficiency.h"

#include <assert.h>

void ls_efficiency_add_up(struct ls_efficiency_sums *sums, double price_per_s, double up_s) {
  assert(price_per_s >= 0);
  ls_sum_add(&sums->up_s, up_s);
  ls_sum_add(&sums->price, price_per_s * up_s);
}

void ls_efficiency_add_useful(struct ls_efficiency_sums *sums, double price_per_s,
                              double useful_s) {
  assert(price_per_s >= 0);
  ls_sum_add(&sums->useful_s, useful_s);
  ls_sum_add(&sums->useful_price, price_per_s * useful_s);
}

double ls_efficiency_value(const struct ls_efficiency_sums *sums) {
  double price = ls_sum_value(&sums->price), up_s = ls_sum_value(&sums->up_s);
  if (price > 0) return ls_sum_value(&sums->useful_price) / price;
  return up_s > 0 ? ls_sum_value(&sums->useful_s) / up_s : 0;
}
