/* image.h: a picture file whose rows are read where they lie. */
#ifndef MATCHED_IMAGE_H
#define MATCHED_IMAGE_H

#include <stdint.h>

#include "blocks.h"
#include "pgm.h"

struct image {
  const char *path; /* borrowed */
  int file;         /* -1: closed */
  struct netpbm_header pgm;
};

/* LS_EINVAL: no file of this form, or shorter than its header says. */
LS_CHECKED enum ls_status image_open(struct image *image, const char *path, struct ls_error *err);
void image_close(struct image *image);
struct area image_area(const struct image *image);
/* Appends the samples of an area, row by row, as the file has them. LS_EIO: the file is shorter by
 * now; LS_EINVAL: a sample is larger than the maxval. */
LS_CHECKED enum ls_status image_read(const struct image *image, struct area area,
                                     struct ls_bytes *samples, struct ls_error *err);
/* Appends a number that changes with size, maxval and samples. */
LS_CHECKED enum ls_status image_digest(const struct image *image, struct ls_bytes *digest,
                                       struct ls_error *err);

#endif
