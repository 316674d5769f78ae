/* synthetic_images.h: pictures that are thinned in parts, by what their parts cost.
 *
 * Part k costs c_k, uniform in 0.15 to 1, and converges at iteration max(3, L (0.12 + 0.88 u)), the
 * dearest one at L = 100; until then its time falls linearly to 0.15 c_k, give or take 5 %
 * (docs/theory/adaptive.md, 6).
 */
#ifndef LS_LAB_SYNTHETIC_IMAGES_H
#define LS_LAB_SYNTHETIC_IMAGES_H

#include <stddef.h>

#include "base/random.h"

enum { LS_STUDY_IMAGE_ITERATIONS = 100, LS_STUDY_IMAGE_PARTS_MAX = 32 };

struct ls_study_image {
  size_t parts;
  double costs[LS_STUDY_IMAGE_PARTS_MAX];
  size_t ends[LS_STUDY_IMAGE_PARTS_MAX]; /* the iteration before which a part has converged */
};

/* `parts` <= LS_STUDY_IMAGE_PARTS_MAX. */
void ls_study_image_draw(struct ls_random *random, size_t parts, struct ls_study_image *image);

/* One iteration's times: of all parts, 0 for those that have converged, and of the live ones. */
struct ls_study_image_times {
  double all[LS_STUDY_IMAGE_PARTS_MAX], live[LS_STUDY_IMAGE_PARTS_MAX];
  size_t live_count;
};

void ls_study_image_times(struct ls_random *random, const struct ls_study_image *image,
                          size_t iteration, struct ls_study_image_times *times);

#endif
