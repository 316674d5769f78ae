#include "lab/studies/measured_law.h"

#include <math.h>

static double draw_normal(struct ls_random *random) {
  double first = 1 - ls_random_real(random), second = ls_random_real(random);
  return sqrt(-2 * log(first)) * cos(6.283185307179586 * second);
}

double ls_study_measure(const struct ls_cost *law, double units, const struct ls_study_noise *noise,
                        struct ls_random *random) {
  double seconds = law->latency_s + law->per_unit_s * units;
  seconds *= 1 + noise->share * draw_normal(random);
  seconds += noise->constant_s * draw_normal(random);
  if (ls_random_real(random) < noise->outliers) seconds *= 1.5 + 2.5 * ls_random_real(random);
  return fmax(seconds, 0);
}
