/* plane.h: a file that has a value for each pixel of an image, block by block.
 *
 * The values of a block lie together, row by row, so that one call moves them; where the block is
 * the image, all lie row by row.
 * Values are written where they belong as they come, by any process, in any order and also twice.
 */
#ifndef MATCHED_PLANE_H
#define MATCHED_PLANE_H

#include <stddef.h>

#include "blocks.h"

struct plane {
  int file;         /* -1: closed */
  const char *path; /* borrowed; NULL: in memory, gone with the process */
  struct blocks blocks;
  size_t value_bytes;
  size_t header_bytes; /* before the first value */
};

/* Opens the file of `plane->path`; leaves what is in it. LS_EIO. Nothing to do when it is open. */
LS_CHECKED enum ls_status plane_open(struct plane *plane, struct ls_error *err);
/* The same, and makes the file when there is none. Only the master does: what a worker whose master
 * has gone would make has no values but its own. */
LS_CHECKED enum ls_status plane_make(struct plane *plane, struct ls_error *err);
void plane_close(struct plane *plane);
/* Values of an area, row by row. LS_EIO. */
LS_CHECKED enum ls_status plane_write(const struct plane *plane, struct area area, const void *data,
                                      struct ls_error *err);
LS_CHECKED enum ls_status plane_read(const struct plane *plane, struct area area, void *data,
                                     struct ls_error *err);
enum { PLANE_HEADER_MAX = 64 };
/* Leaves what is in the file if it begins with these `header_bytes` (at most PLANE_HEADER_MAX):
 * else it is another one's, and is emptied and begun anew. LS_EIO. */
LS_CHECKED enum ls_status plane_claim(const struct plane *plane, const char *header,
                                      struct ls_error *err);
/* Puts this value wherever the file is too short for one. LS_EIO. */
LS_CHECKED enum ls_status plane_extend(const struct plane *plane, const void *value,
                                       struct ls_error *err);
/* Cuts off what an earlier, longer file has left, and writes the header. */
LS_CHECKED enum ls_status plane_finish(const struct plane *plane, const char *header,
                                       struct ls_error *err);
/* What was written is on the disk. */
LS_CHECKED enum ls_status plane_sync(const struct plane *plane, struct ls_error *err);

#endif
