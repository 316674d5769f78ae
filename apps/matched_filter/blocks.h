/* blocks.h: an image cut into blocks, the units of the work.
 *
 * Blocks are numbered row by row; the last ones of a row or column may be smaller.  To filter a
 * block takes the pixels around it, too, as far as the image goes.
 */
#ifndef MATCHED_BLOCKS_H
#define MATCHED_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

/* Pixels of an image: columns x .. x + width - 1 of rows y .. y + height - 1. */
struct area {
  size_t x, y, width, height;
};

struct blocks {
  size_t width, height;             /* of the image */
  size_t block_width, block_height; /* of a block that no end of the image cuts */
  size_t across, down;
};

/* Neighbours that are read at once. */
struct stretch {
  struct ls_range units;
  size_t blocks_across; /* in each of its rows of blocks */
  struct area area;     /* with the surroundings */
};

enum { STRETCHES_MAX = 3 };

/* Blocks that are larger than the image are as large as it is. */
void blocks_init(struct blocks *blocks, struct area image, size_t block_width, size_t block_height);
uint64_t blocks_count(const struct blocks *blocks);
struct area blocks_area(const struct blocks *blocks, uint64_t unit);
/* The same area and what is around it. */
struct area blocks_widen(const struct blocks *blocks, struct area area);
/* A range of units as rectangles: the rest of a row of blocks, whole rows, the beginning of one.
 * Returns their number. */
size_t blocks_stretch(const struct blocks *blocks, struct ls_range units,
                      struct stretch stretches[STRETCHES_MAX]);

#endif
