/* netpbm_header.h: the headers of netpbm's files: PBM (P1, P4), PGM (P2, P5), PPM (P3, P6). Pure.
 *
 * What several applications share.  An application says by itself which forms it takes: the words
 * of a refusal are its own.  docs/decisions/0022-one-reader-of-headers.md
 */
#ifndef COMMON_NETPBM_HEADER_H
#define COMMON_NETPBM_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

struct netpbm_reader {
  const char *application; /* before each message */
  const struct ls_text *text;
  size_t at; /* the next byte */
};

/* Behind the header of what is not plain follows the first sample. */
struct netpbm_header {
  uint32_t width, height; /* >= 1; less than 2^31 pixels */
  uint32_t maxval;        /* 1 .. 65535; of PBM 1 */
  size_t sample_bytes;    /* 1, or with a maxval above 255 2, the larger one first */
  size_t header_bytes;    /* of a plain picture: up to the last digit of the header */
};

struct netpbm_field {
  const char *name; /* for messages */
  uint32_t least, most;
};

/* The digit behind the P of a file, '1' to '6'; '\0': these are none of netpbm's. */
char netpbm_form(const struct ls_text *text);
/* Reads the header of a text that has a form, of which the beginning is enough.  LS_EINVAL. */
LS_CHECKED enum ls_status netpbm_read_header(struct netpbm_reader *reader,
                                             struct netpbm_header *header, struct ls_error *err);
/* The next byte; -1: there is none. */
int netpbm_peek(const struct netpbm_reader *reader);
/* Goes to the next byte that is neither white nor in a comment, which ends with its line. */
void netpbm_skip_space(struct netpbm_reader *reader);
/* Reads a number that stands behind something white or a comment.  LS_EINVAL. */
LS_CHECKED enum ls_status netpbm_read_number(struct netpbm_reader *reader,
                                             struct netpbm_field field, uint32_t *number,
                                             struct ls_error *err);

#endif
