/* measured_law.h: measurements of a law that is known, as the studies of calibration make them. */
#ifndef LS_LAB_MEASURED_LAW_H
#define LS_LAB_MEASURED_LAW_H

#include "base/random.h"
#include "model/platform.h"

/* How measurements miss the law: deviations, of the time and in seconds; how many are outliers,
 * half as long again to four times as long. */
struct ls_study_noise {
  double share, constant_s, outliers;
};

/* One measurement, >= 0 s. */
double ls_study_measure(const struct ls_cost *law, double units, const struct ls_study_noise *noise,
                        struct ls_random *random);

#endif
