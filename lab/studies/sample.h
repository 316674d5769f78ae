/* sample.h: which cases of a grid take part when only some are wanted. */
#ifndef LS_LAB_SAMPLE_H
#define LS_LAB_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/studies/study.h"

/* `options->sample` of `cases`, every choice equally likely, by the seed: an array of flags that
 * the caller frees; NULL when all are wanted (no sample, or no smaller one). */
LS_CHECKED enum ls_status ls_study_sample(const struct ls_study_options *options, size_t cases,
                                          bool **is_wanted, struct ls_error *err);
/* Standard errors of a mean over such a sample, per unit of the deviation between cases, times
 * four; 0 when all cases take part.  Chance alone leaves that once in 16,000 times.  NAN for
 * samples so small that their deviation says little: a tolerance that it widens then judges
 * nothing. */
double ls_study_sampling_error(const struct ls_study_options *options, size_t cases);

#endif
