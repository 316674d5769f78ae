/* slowness.h: how much longer than expected units take: a law that is learnt from a run.
 *
 * A run of a unit that ended after `ratio` times its expected seconds is an end at that ratio; one
 * that was stopped before its end says only that it would have lasted longer (it is censored).  The
 * share of runs that last longer than a ratio is estimated from both (Kaplan and Meier), over bins
 * of an eighth of an octave.  Beyond all that was seen, what has lasted so long is expected to last
 * as long again.  A value: it owns no memory, and {0} has seen nothing.
 */
#ifndef LS_POLICIES_SLOWNESS_H
#define LS_POLICIES_SLOWNESS_H

#include <stddef.h>

/* Bins of an octave, from a sixteenth to 256 times the expected time. */
enum { LS_SLOWNESS_OCTAVE = 8, LS_SLOWNESS_BINS = 12 * LS_SLOWNESS_OCTAVE };

struct ls_slowness {
  double ended[LS_SLOWNESS_BINS], censored[LS_SLOWNESS_BINS];
};

/* The estimate, for many questions. */
struct ls_slowness_law {
  double longer[LS_SLOWNESS_BINS + 1]; /* share that lasts longer than the lower edge of the bin */
  double ended, censored;              /* runs that it is made of */
  double last;                         /* ratio from which on nothing was seen */
  size_t last_bin;
};

/* Ratios are > 0; those outside the bins count at the ends. */
void ls_slowness_end(struct ls_slowness *slowness, double ratio);
void ls_slowness_censor(struct ls_slowness *slowness, double ratio);
/* Before anything was seen: as expected, but for few. */
void ls_slowness_estimate(const struct ls_slowness *slowness, struct ls_slowness_law *law);
/* The share that lasts longer than the ratio, in (0, 1]. */
double ls_slowness_longer(const struct ls_slowness_law *law, double ratio);
/* The next edge of a bin above the ratio, but not below half the expected time.  A ratio that is an
 * edge but for rounding (1e-12 of it) has reached it. */
double ls_slowness_next_edge(double ratio);

#endif
