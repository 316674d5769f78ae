/* measured_fixture.h: measurements of known laws, with noise and outliers, by seed. */
#ifndef LS_TESTS_UNIT_CALIBRATE_MEASURED_FIXTURE_H
#define LS_TESTS_UNIT_CALIBRATE_MEASURED_FIXTURE_H

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/random.h"
#include "calibrate/affine_fit.h"

static inline double draw_normal(struct ls_random *random) {
  double first = 1 - ls_random_real(random), second = ls_random_real(random);
  return sqrt(-2 * log(first)) * cos(6.283185307179586 * second);
}

/* How measurements miss the law: in parts of the time, in seconds, and how many of them are
 * outliers, half as long again to four times as long. */
struct noise {
  double share, constant_s, outliers;
};

static inline double measure_law(const struct ls_cost *law, double units, const struct noise *noise,
                                 struct ls_random *random) {
  double seconds = law->latency_s + law->per_unit_s * units;
  seconds *= 1 + noise->share * draw_normal(random);
  seconds += noise->constant_s * draw_normal(random);
  if (ls_random_real(random) < noise->outliers) seconds *= 1.5 + 2.5 * ls_random_real(random);
  return fmax(seconds, 0);
}

/* The sizes of docs/theory/scow.md, 7: 25 to 450 and 500 to 2500. */
enum { FIXTURE_SIZES = 39, FIXTURE_SIZES_FIRST = 18, FIXTURE_OPERATIONS = 4 };

static inline double fixture_size(size_t index) {
  return index < FIXTURE_SIZES_FIRST ? 25 * ((double)index + 1)
                                     : 500 + 100 * (double)(index - FIXTURE_SIZES_FIRST);
}

/* Table 6-7: prepare, send, receive, compute in the first and in the second window. */
static const struct ls_cost fixture_laws[2][FIXTURE_OPERATIONS] = {
    {{2.2e-5, 4.6e-7}, {2.2e-5, 3.2e-7}, {2.3e-5, 3.9e-7}, {2.0e-5, 1.1e-5}},
    {{5.7e-6, 4.5e-7}, {-1.1e-3, 4.0e-6}, {-2.3e-4, 4.1e-6}, {-1.0e-4, 1.1e-5}}};

#endif
