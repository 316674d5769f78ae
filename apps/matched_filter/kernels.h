/* kernels.h: the bank of a matched filter, in whole numbers.
 *
 * A vessel is a bright ridge, across which its profile is a Gaussian hill: a square of 21 x 21
 * pixels, shrunk to 7 scales and turned by 30 angles.  Kernels are numbered scale by scale, then
 * angle.  Their taps are whole and add up to exactly 0, so the response to a whole image is whole:
 * any order, split and vector width gives the same bits.
 */
#ifndef MATCHED_KERNELS_H
#define MATCHED_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

enum { SCALES = 7, ANGLES = 30, KERNELS = SCALES * ANGLES };
/* How far a kernel reaches from its centre, at most. */
enum { BORDER = 11, SIDE_MAX = 2 * BORDER + 1 };
/* With pixels up to this one no sum of taps times pixels leaves 32 bits. */
enum { PIXEL_NARROW_MAX = 17214 };

/* What is made of the kernels' responses to the surroundings of a pixel. */
enum response { RESPONSE_SUM, RESPONSE_RECTIFIED, RESPONSE_MAX };

struct tap {
  int16_t dx, dy; /* to the right, down */
  int32_t weight; /* not 0 */
};

struct kernel {
  int half_side; /* its taps are at most so far away */
  size_t first, count;
};

struct kernels {
  size_t count;
  struct kernel items[KERNELS];
  struct tap *taps; /* of all, row by row in each */
};

/* The bank: for `max` all kernels have the same norm, so that scales compare. */
LS_CHECKED enum ls_status kernels_make(struct kernels *kernels, enum response response,
                                       struct ls_error *err);
/* One kernel, the sum of all: a sum of correlations is one correlation with the sum. */
LS_CHECKED enum ls_status kernels_make_composite(struct kernels *kernels, struct ls_error *err);
void kernels_close(struct kernels *kernels);

#endif
