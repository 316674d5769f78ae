/* povray_output.h: what povray has written: a picture, or why there is none. Pure. */
#ifndef RAYTRACE_POVRAY_OUTPUT_H
#define RAYTRACE_POVRAY_OUTPUT_H

#include <stddef.h>

#include <loadstar.h>

/* A header that is longer, by its comments, is refused. */
enum { POVRAY_HEADER_MAX = 4096, PIXEL_BYTES = 3 };

struct picture_size {
  size_t width, height;
};

/* Where the pixels begin in a picture (PPM, P6) of that size with 3 bytes a pixel. `text` is the
 * beginning of its file, as much of it as there is up to POVRAY_HEADER_MAX.  LS_EINVAL. */
LS_CHECKED enum ls_status povray_find_pixels(const struct ls_text *text, struct picture_size size,
                                             size_t *at, struct ls_error *err);
/* Appends, in one line, the last error that povray named, or its last words. */
void povray_write_reason(struct ls_text messages, struct ls_bytes *reason);

#endif
