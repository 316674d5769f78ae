/* picture.h: responses as an 8-bit grey picture. */
#ifndef MATCHED_PICTURE_H
#define MATCHED_PICTURE_H

#include "facts.h"

/* floor((510 (R - min) + D) / (2 D)) with D = max - min; 0 when all are equal. */
void picture_scale(const int64_t *responses, size_t count, const struct facts *facts,
                   unsigned char *pixels);
/* The header of its file. Returns its length; `text` has room. */
enum { PICTURE_HEADER_ROOM = 48 };
size_t picture_write_header(struct area image, char text[PICTURE_HEADER_ROOM]);

#endif
