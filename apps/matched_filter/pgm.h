/* pgm.h: the header of a binary grey picture (PGM, P5). Pure. */
#ifndef MATCHED_PGM_H
#define MATCHED_PGM_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

/* A header that is longer, by its comments, is refused. */
enum { PGM_HEADER_MAX = 4096 };

struct pgm {
  uint32_t width, height; /* >= 1; less than 2^31 pixels */
  uint32_t maxval;        /* 1 .. 65535 */
  size_t sample_bytes;    /* 1, or with a maxval above 255 2, the larger one first */
  size_t header_bytes;    /* the first sample follows */
};

/* `text` is the beginning of a file, as much of it as there is up to PGM_HEADER_MAX; its source is
 * named in messages.  LS_EINVAL. */
LS_CHECKED enum ls_status pgm_read_header(const struct ls_text *text, struct pgm *pgm,
                                          struct ls_error *err);

#endif
