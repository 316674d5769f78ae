/* inner_blocks.h: an area filtered in blocks of a size that the worker finds by itself.
 *
 * What a block of some size costs a pixel depends on the processor's caches and vectors, and on
 * what the filter does once for a row or a block.  So each worker cuts its first areas into ever
 * larger blocks, from small ones on (beyond the edge of a cache lies a second valley), then into
 * those around 32, measures its own processor time, and stays with the best.  The responses are the
 * same bits whatever the size.
 */
#ifndef MATCHED_INNER_BLOCKS_H
#define MATCHED_INNER_BLOCKS_H

#include <stdbool.h>

#include <loadstar.h>

#include "filter.h"

/* Areas of so many pixels across and down are the units where the size is found. */
enum { INNER_AREA_SIDE = 128 };

struct inner_blocks {
  double (*clock_s)(void);
  struct ls_size_climb climb;
  size_t index;         /* of the size in use */
  size_t areas, blocks; /* that were measured with it */
  double least_s;       /* for a pixel of one of these areas */
  bool is_back;         /* the climb from the small sizes has ended, */
  size_t first;         /* here, and one from 32 goes on */
  bool is_at_rest;
  struct patch patch; /* of a block */
  int64_t *responses; /* of a block; owned, NULL: none was needed yet */
};

/* `clock_s`: processor time of the thread that filters. */
void inner_blocks_init(struct inner_blocks *inner, double (*clock_s)(void));
void inner_blocks_close(struct inner_blocks *inner);
/* The side of the blocks of the next area. */
size_t inner_blocks_side(const struct inner_blocks *inner);
/* An area of at most INNER_AREA_SIDE a side. */
struct inner_area {
  const struct filter *filter;
  struct samples samples; /* of the area, widened as far as the image goes */
  struct area area;
  enum edge edge;
};

/* Writes its responses, row by row.  LS_ENOMEM. */
LS_CHECKED enum ls_status inner_blocks_filter(struct inner_blocks *inner,
                                              const struct inner_area *given, int64_t *responses,
                                              struct ls_error *err);

#endif
