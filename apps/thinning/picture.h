/* picture.h: a picture in black and white, and the files of netpbm that it is read from: PBM (P1,
 * P4) as it is, PGM (P2, P5) by a threshold. Reading a text is pure.
 */
#ifndef THINNING_PICTURE_H
#define THINNING_PICTURE_H

#include <loadstar.h>

struct picture {
  size_t width, height; /* >= 1; less than 2^31 pixels */
  size_t row_bytes;
  unsigned char *rows; /* as in PBM files: 8 pixels a byte, the first one highest, black is 1; the
                          last byte of a row is filled up with 0 */
};

/* Below 0: none. */
#define THRESHOLD_NONE (-1.0)

/* Of a file's bytes; its source is named in messages.  A sample of a grey picture is black below
 * `threshold` times its maxval, half of it when there is none.  LS_EINVAL: no picture of these
 * forms, or a threshold for what is black and white already. */
LS_CHECKED enum ls_status picture_parse(const struct ls_text *text, double threshold,
                                        struct picture *picture, struct ls_error *err);
/* The same of a file; LS_EINVAL: it cannot be read. */
LS_CHECKED enum ls_status picture_read(const char *path, double threshold, struct picture *picture,
                                       struct ls_error *err);
void picture_close(struct picture *picture);
/* Black pixels. */
uint64_t picture_count(const struct picture *picture);
/* Writes a file (P4) under a name of its own, and puts it in its place. LS_EIO. */
LS_CHECKED enum ls_status picture_write(const struct picture *picture, const char *path,
                                        struct ls_error *err);

#endif
