/* strip.h: rows of a picture that are thinned together, as words of 64 pixels. Pure.
 *
 * Rows are given and taken as PBM files have them: 8 pixels a byte, the first one highest, the last
 * byte filled up.  What lies outside of the rows given is white.
 */
#ifndef THINNING_STRIP_H
#define THINNING_STRIP_H

#include <loadstar.h>

#include "rules.h"

struct strip {
  size_t width, words;     /* pixels and words of a row */
  size_t rows;             /* that are thinned */
  uint64_t *before, *half; /* what an iteration begins with; behind the first of two steps */
  uint64_t *after;         /* and behind the last one */
};

/* So many rows of so many pixels, with their halos all white. LS_ENOMEM. */
LS_CHECKED enum ls_status strip_init(struct strip *strip, size_t width, size_t rows,
                                     struct ls_error *err);
void strip_close(struct strip *strip);
/* Bytes of a row. */
size_t strip_row_bytes(size_t width);
/* Gives a row: 0 is the first one that is thinned, -2 .. -1 and `rows` .. rows + 1 are its halos.
 */
void strip_put_row(struct strip *strip, ptrdiff_t row, const unsigned char *bytes);
/* Thins by one iteration, so often, each time from what was given. */
void strip_thin(struct strip *strip, const struct algorithm *algorithm, uint64_t times);
/* Has a pixel of the rows gone? */
bool strip_is_changed(const struct strip *strip);
/* A row that was thinned. */
void strip_get_row(const struct strip *strip, size_t row, unsigned char *bytes);

#endif
