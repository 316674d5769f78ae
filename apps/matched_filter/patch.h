/* patch.h: the pixels of a block of an image and of its surroundings, as numbers.
 *
 * BORDER pixels on every side, also where the image ends: there they are what the edge says.
 */
#ifndef MATCHED_PATCH_H
#define MATCHED_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include "blocks.h"

enum edge { EDGE_ZERO, EDGE_NEAREST };

struct patch {
  size_t width, height; /* of the block */
  int32_t *pixels;      /* (width + 2 BORDER) * (height + 2 BORDER), row by row; owned */
  size_t room;
};

/* Samples as a file has them. */
struct samples {
  const unsigned char *data; /* of the area, row by row */
  struct area area;
  size_t bytes; /* of a sample: 1, or 2, the larger first */
};

/* Fills the patch of a block: `samples` has it, widened as far as the image goes.  LS_ENOMEM. */
LS_CHECKED enum ls_status patch_fill(struct patch *patch, const struct samples *samples,
                                     struct area block, enum edge edge, struct ls_error *err);
void patch_close(struct patch *patch);

#endif
