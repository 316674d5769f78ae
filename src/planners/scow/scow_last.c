/* scow_last.c: the last and the auxiliary round.
 *
 * Symbols:  D_i -> send of worker i, K -> spacing_s, sigma_i -> offset, P -> period_s, A ->
 * after_s, m -> auxiliary, Y_i -> units, Z_i -> sizes.
 */
#include "planners/scow/scow_last.h"

#include <math.h>
#include <stdbool.h>

/* sigma_{i+1} - sigma_i: the next worker starts so much later, and may end K later. */
static double find_step(const struct ls_scow_rest *rest, size_t i) {
  double send_s =
      isnan(rest->send_s) ? ls_cost_time(&rest->workers[i].send, rest->units[i]) : rest->send_s;
  return send_s - rest->spacing_s;
}

/* The sums of which A is made, all but what depends on m. */
struct sums {
  double offsets; /* sum (sigma_i + C_i) / c_i */
  double rates;   /* sum 1/c_i */
};

static struct sums sum_up(const struct ls_scow_rest *rest) {
  struct sums sums = {0, 0};
  double offset = 0;
  for (size_t i = 0; i < rest->count; i++) {
    const struct ls_cost *compute = &rest->workers[i].compute;
    if (i > 0) offset += find_step(rest, i);
    sums.offsets += (offset + compute->latency_s) / compute->per_unit_s;
    sums.rates += 1 / compute->per_unit_s;
  }
  return sums;
}

static double find_after(const struct ls_scow_rest *rest, const struct sums *sums, double given,
                         double late_rates) {
  return (rest->load - given + sums->offsets - rest->period_s * late_rates) / sums->rates;
}

/* The largest m for which every Z is >= 0; where there is none, the largest for which those of the
 * auxiliary round are. */
static size_t choose(const struct ls_scow_rest *rest, double *latest) {
  struct sums sums = sum_up(rest);
  double offset = 0, given = 0, early_rates = 0, earliest = 0;
  size_t best = 0;
  bool has_all = false;
  /* latest[i]: the largest sigma + C of those behind position i. */
  for (size_t i = 0; i < rest->count; i++) {
    if (i > 0) offset += find_step(rest, i);
    latest[i] = offset + rest->workers[i].compute.latency_s;
  }
  for (size_t i = rest->count; i-- > 1;) latest[i - 1] = fmax(latest[i - 1], latest[i]);
  offset = 0;
  for (size_t m = 0; m <= rest->count; m++) {
    if (m > 0) {
      const struct ls_cost *compute = &rest->workers[m - 1].compute;
      if (m > 1) offset += find_step(rest, m - 1);
      earliest = m == 1 ? compute->latency_s : fmax(earliest, offset + compute->latency_s);
      given += rest->units[m - 1];
      early_rates += 1 / compute->per_unit_s;
    }
    double after_s = find_after(rest, &sums, given, sums.rates - early_rates);
    double slack = LS_SCOW_GUARD * (fabs(after_s) + rest->period_s);
    bool is_early = m == 0 || after_s + slack >= earliest;
    bool is_late = m == rest->count || after_s + rest->period_s + slack >= latest[m];
    if (is_early && (is_late || !has_all)) {
      if (is_late) has_all = true;
      best = m;
    }
  }
  return best;
}

void ls_scow_last_sizes(const struct ls_scow_rest *rest, size_t auxiliary, double *sizes,
                        double *end_s) {
  struct sums sums = sum_up(rest);
  double given = 0, late_rates = 0, offset = 0;
  for (size_t i = 0; i < rest->count; i++) {
    if (i < auxiliary)
      given += rest->units[i];
    else
      late_rates += 1 / rest->workers[i].compute.per_unit_s;
  }
  double after_s = find_after(rest, &sums, given, late_rates);
  for (size_t i = 0; i < rest->count; i++) {
    if (i > 0) offset += find_step(rest, i);
    double busy_s = after_s - offset + (i < auxiliary ? 0 : rest->period_s);
    sizes[i] = ls_scow_chunk(&rest->workers[i], busy_s);
  }
  *end_s = rest->period_s + after_s;
}

size_t ls_scow_last_round(const struct ls_scow_rest *rest, double *sizes, double *end_s) {
  size_t auxiliary = choose(rest, sizes);
  ls_scow_last_sizes(rest, auxiliary, sizes, end_s);
  return auxiliary;
}
