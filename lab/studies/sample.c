#include "lab/studies/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

enum { SAMPLE_LEAST = 30 };

static bool is_all(const struct ls_study_options *options, size_t cases) {
  return options->sample == 0 || options->sample >= cases;
}

/* Knuth's algorithm S: each case in turn is taken with the chance that fills the sample. */
enum ls_status ls_study_sample(const struct ls_study_options *options, size_t cases,
                               bool **is_wanted, struct ls_error *err) {
  *is_wanted = NULL;
  if (is_all(options, cases)) return LS_OK;
  bool *wanted = calloc(cases, sizeof *wanted);
  if (wanted == NULL) return ls_fail(err, LS_ENOMEM, "no memory to choose from %zu cases", cases);
  struct ls_random random;
  ls_random_init(&random, options->seed, "sample");
  uint64_t left = options->sample;
  for (size_t i = 0; i < cases && left > 0; i++) {
    wanted[i] = ls_random_below(&random, cases - i) < left;
    left -= wanted[i];
  }
  *is_wanted = wanted;
  return LS_OK;
}

double ls_study_sampling_error(const struct ls_study_options *options, size_t cases) {
  if (is_all(options, cases)) return 0;
  if (options->sample < SAMPLE_LEAST) return (double)NAN;
  double sample = (double)options->sample;
  return 4 * sqrt((1 - sample / (double)cases) / sample);
}
