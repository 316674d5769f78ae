/* picture.c: docs/theory/matched-filter.md, 4. */
#include "picture.h"

#include <stdio.h>
#include <string.h>

enum { WHITE = 255 };

void picture_scale(const int64_t *responses, size_t count, const struct facts *facts,
                   unsigned char *pixels) {
  uint64_t spread = (uint64_t)(facts->max - facts->min);
  if (spread == 0) {
    memset(pixels, 0, count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t above = (uint64_t)(responses[i] - facts->min);
    pixels[i] = (unsigned char)((2 * WHITE * above + spread) / (2 * spread));
  }
}

size_t picture_write_header(struct area image, char text[PICTURE_HEADER_ROOM]) {
  return (size_t)snprintf(text, PICTURE_HEADER_ROOM, "P5\n%zu %zu\n%d\n", image.width, image.height,
                          (int)WHITE);
}
