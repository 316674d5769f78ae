/* pgm.h: the header of a binary grey picture (PGM, P5). Pure. */
#ifndef MATCHED_PGM_H
#define MATCHED_PGM_H

#include <loadstar.h>

#include "../common/netpbm_header.h"

/* A header that is longer, by its comments, is refused. */
enum { PGM_HEADER_MAX = 4096 };

/* `text` is the beginning of a file, as much of it as there is up to PGM_HEADER_MAX; its source is
 * named in messages.  LS_EINVAL. */
LS_CHECKED enum ls_status pgm_read_header(const struct ls_text *text, struct netpbm_header *pgm,
                                          struct ls_error *err);

#endif
