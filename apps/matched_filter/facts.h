/* facts.h: what is known of the responses of a block, or of a whole image. */
#ifndef MATCHED_FACTS_H
#define MATCHED_FACTS_H

#include "blocks.h"

/* Places: the first in row order. Plain data, in the machine's own form. */
struct facts {
  int64_t min, max;
  int64_t sum; /* modulo 2^64 */
  uint32_t min_x, min_y, max_x, max_y;
};

/* Of the responses of an area, row by row. */
struct facts facts_find(const int64_t *responses, struct area area);
/* Of both together. */
struct facts facts_join(const struct facts *a, const struct facts *b);
/* As bytes: five numbers of 64 bits, the lowest byte first. */
enum { FACTS_BYTES = 40 };
void facts_write(const struct facts *facts, unsigned char bytes[FACTS_BYTES]);
struct facts facts_read(const unsigned char bytes[FACTS_BYTES]);
/* Responses in a file and on their way have their lowest byte first; the same function leads back.
 */
void facts_turn_bytes(int64_t *responses, size_t count);

#endif
