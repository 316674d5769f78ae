#include "lab/studies/synthetic_images.h"

#include <assert.h>
#include <math.h>

#include "theory/workload.h"

void ls_study_image_draw(struct ls_random *random, size_t parts, struct ls_study_image *image) {
  assert(parts > 0 && parts <= LS_STUDY_IMAGE_PARTS_MAX);
  size_t dearest = 0;
  image->parts = parts;
  for (size_t i = 0; i < parts; i++) {
    image->costs[i] = 0.15 + 0.85 * ls_random_real(random);
    double end = trunc(LS_STUDY_IMAGE_ITERATIONS * (0.12 + 0.88 * ls_random_real(random)));
    image->ends[i] = (size_t)fmax(3, end);
    if (image->costs[i] > image->costs[dearest]) dearest = i;
  }
  image->ends[dearest] = LS_STUDY_IMAGE_ITERATIONS;
}

void ls_study_image_times(struct ls_random *random, const struct ls_study_image *image,
                          size_t iteration, struct ls_study_image_times *times) {
  times->live_count = 0;
  for (size_t i = 0; i < image->parts; i++) {
    double done = (double)iteration / (double)image->ends[i];
    double usual = image->costs[i] * (1 - 0.85 * done);
    double seconds = ls_workload_vary(usual, 0.05, ls_random_real(random));
    times->all[i] = iteration < image->ends[i] ? seconds : 0;
    if (iteration < image->ends[i]) times->live[times->live_count++] = seconds;
  }
}
