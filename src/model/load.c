#include "model/load.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* floor(x) means floor(x + 1e-9): a share that is whole but for rounding is whole. */
static const double FLOOR_SLACK = 1e-9;
/* Fractions that differ by less are equal, whatever their last digits say; the offset keeps simple
 * fractions away from the edges of the steps. */
static const double FRACTION_STEPS = 1e9;
static const double FRACTION_OFFSET = 0.27182818284590453;

static const double WHOLE_MOST = 9007199254740992.0; /* 2^53 */

bool ls_load_is_whole(double units) {
  return units >= 0 && units <= WHOLE_MOST && !(units - floor(units) > 0);
}

enum ls_status ls_load_check_whole(double load, struct ls_error *err) {
  if (ls_load_is_whole(load)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "load is %.17g, must be a whole number <= 2^53 for whole units",
                 load);
}

static int compare_candidates(const void *left, const void *right) {
  const struct ls_load_candidate *a = left, *b = right;
  if (a->fraction > b->fraction) return -1;
  if (a->fraction < b->fraction) return 1;
  if (a->share > b->share) return -1;
  if (a->share < b->share) return 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* Makes the sum of `units` the total: +1 along the list, round and round (once is the rule; with
 * totals near 2^53 the products themselves are only near), or -1 from its end. */
static void settle_rest(const struct ls_load_candidate *list, size_t count, uint64_t given,
                        uint64_t total, uint64_t *units) {
  assert(count > 0);
  for (size_t i = 0; given < total; i = (i + 1) % count) {
    units[list[i].index]++;
    given++;
  }
  for (size_t i = count; given > total; i = i > 1 ? i - 1 : count) {
    if (units[list[i - 1].index] == 0) continue;
    units[list[i - 1].index]--;
    given--;
  }
  assert(given == total);
}

static enum ls_status check_shares(const double *shares, size_t count, uint64_t total,
                                   struct ls_error *err) {
  if (count == 0 && total > 0) {
    return ls_fail(err, LS_EINVAL, "%llu units cannot be shared among no workers",
                   (unsigned long long)total);
  }
  for (size_t i = 0; i < count; i++) {
    if (!(isfinite(shares[i]) && shares[i] >= 0)) {
      return ls_fail(err, LS_EINVAL, "share %zu is %g, must be finite and >= 0", i, shares[i]);
    }
  }
  return LS_OK;
}

static double find_largest(const double *shares, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    assert(isfinite(shares[i]) && shares[i] >= 0);
    if (shares[i] > largest) largest = shares[i];
  }
  return largest;
}

enum ls_status ls_load_round(const double *shares, size_t count, uint64_t total, uint64_t *units,
                             struct ls_error *err) {
  enum ls_status status = check_shares(shares, count, total, err);
  if (status != LS_OK || count == 0) return status;
  struct ls_load_candidate *list = calloc(count, sizeof *list);
  if (list == NULL) return ls_fail(err, LS_ENOMEM, "no memory to round %zu shares", count);
  ls_load_round_within(shares, count, total, list, units);
  free(list);
  return LS_OK;
}

void ls_load_round_within(const double *shares, size_t count, uint64_t total,
                          struct ls_load_candidate *list, uint64_t *units) {
  double largest = find_largest(shares, count);
  if (count == 0) return;
  /* Scaling by a power of two is exact and keeps the sum and the products from overflowing. */
  int exponent = 0;
  (void)frexp(largest, &exponent);
  bool is_all_zero = !(largest > 0);
  struct ls_sum sum = {0};
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    double share = is_all_zero ? 1 : ldexp(shares[i], -exponent);
    units[i] = 0;
    if (!(share > 0)) continue;
    ls_sum_add(&sum, share);
    list[used++] = (struct ls_load_candidate){.share = share, .index = i};
  }
  assert(used > 0);
  assert(used <= count);
  double scale = ls_sum_value(&sum);
  assert(isfinite(scale) && scale > 0);
  uint64_t given = 0;
  for (size_t i = 0; i < used; i++) {
    double exact = list[i].share * (double)total / scale;
    double whole = floor(exact + FLOOR_SLACK);
    list[i].fraction = floor((exact - whole) * FRACTION_STEPS + FRACTION_OFFSET);
    units[list[i].index] = (uint64_t)whole;
    given += (uint64_t)whole;
  }
  qsort(list, used, sizeof *list, compare_candidates);
  settle_rest(list, used, given, total, units);
}
