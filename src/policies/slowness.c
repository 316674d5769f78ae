/* slowness.c: the law of how much longer than expected units take.
 *
 * Reference:  kaplan1958; the bins, the first beliefs and the tail are ours.
 * Assumes:    runs are stopped before their ends for reasons that have nothing to do with how much
 *             longer they would have lasted, at the ratio where they are stopped.
 * Answers:    the product over the bins of the share of those still at risk that did not end there;
 *             of n at risk, d ends and c stops mixed evenly within a bin leave
 *             ((n-d-c)/n)^(d/(d+c)): of two like runs of a unit, one is stopped wherever the other
 *             ends.  Beyond the last bin with an observation L, the tail S(L) (L / r)^2 of Pareto's
 *             law, under which what has lasted t is expected to last for t more.
 * Cost:       O(bins) for an estimate, O(1) for a question.
 * Symbols:    none.
 */
#include "policies/slowness.h"

#include <math.h>

enum { OCTAVES_BELOW = 4 };
/* Believed before any run is seen: ten that ended as expected, and half a one, one of some twenty,
 * that lasts at least three times as long, as in clusters that were measured (Ananthanarayanan and
 * others 2013). */
static const double FIRST_ENDED = 10, FIRST_LONGER = 0.5, FIRST_LONGEST = 3;
static const double LEAST_RATIO = 1.0 / (1 << OCTAVES_BELOW);
/* A time that is d times an edge, divided by d, may lie so much below the edge. */
static const double ROUNDING = 1e-12;

static size_t find_bin(double ratio) {
  double place = floor((log2(ratio) + OCTAVES_BELOW) * LS_SLOWNESS_OCTAVE);
  if (!(place > 0)) return 0;
  return place < LS_SLOWNESS_BINS - 1 ? (size_t)place : LS_SLOWNESS_BINS - 1;
}

static double find_edge(size_t bin) {
  return exp2((double)bin / LS_SLOWNESS_OCTAVE - OCTAVES_BELOW);
}

void ls_slowness_end(struct ls_slowness *slowness, double ratio) {
  slowness->ended[find_bin(ratio)]++;
}

void ls_slowness_censor(struct ls_slowness *slowness, double ratio) {
  slowness->censored[find_bin(ratio)]++;
}

void ls_slowness_estimate(const struct ls_slowness *slowness, struct ls_slowness_law *law) {
  /* The first belief ends just below the expected time, so that one is its upper edge. */
  const size_t expected = OCTAVES_BELOW * LS_SLOWNESS_OCTAVE - 1;
  double at_risk = FIRST_ENDED + FIRST_LONGER;
  law->last_bin = find_bin(FIRST_LONGEST);
  law->ended = law->censored = 0;
  for (size_t i = 0; i < LS_SLOWNESS_BINS; i++) {
    law->ended += slowness->ended[i];
    law->censored += slowness->censored[i];
    double seen = slowness->ended[i] + slowness->censored[i];
    at_risk += seen;
    if (seen > 0 && i >= law->last_bin) law->last_bin = i + 1;
  }
  law->last = find_edge(law->last_bin);
  law->longer[0] = 1;
  for (size_t i = 0; i < LS_SLOWNESS_BINS; i++) {
    double ended = slowness->ended[i] + (i == expected ? FIRST_ENDED : 0);
    double gone = ended + slowness->censored[i];
    /* The few that went on are at risk to the end. */
    double left = fmax(FIRST_LONGER, at_risk - gone);
    double share = ended > 0 ? pow(left / at_risk, ended / gone) : 1;
    law->longer[i + 1] = law->longer[i] * share;
    at_risk = left;
  }
}

double ls_slowness_longer(const struct ls_slowness_law *law, double ratio) {
  if (!(ratio > LEAST_RATIO)) return 1;
  if (ratio >= law->last) {
    double share = law->last / ratio;
    return law->longer[law->last_bin] * share * share;
  }
  /* Straight lines over the logarithm of the ratio. */
  double place = (log2(ratio) + OCTAVES_BELOW) * LS_SLOWNESS_OCTAVE, bin = floor(place);
  size_t i = bin < LS_SLOWNESS_BINS ? (size_t)bin : LS_SLOWNESS_BINS - 1;
  return law->longer[i] + (law->longer[i + 1] - law->longer[i]) * fmin(1, place - bin);
}

double ls_slowness_next_edge(double ratio) {
  double reached = ratio * (1 + ROUNDING);
  size_t bin = reached > 0 ? find_bin(reached) : 0;
  size_t half = (OCTAVES_BELOW - 1) * LS_SLOWNESS_OCTAVE;
  if (bin < half) return find_edge(half);
  double edge = find_edge(bin + 1);
  /* Rounding may have put the edge itself into the bin below. */
  if (edge <= reached) edge = find_edge(bin + 2);
  return bin + 1 < LS_SLOWNESS_BINS ? edge : (double)INFINITY;
}
