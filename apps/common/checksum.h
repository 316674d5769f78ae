/* checksum.h: 64-bit FNV-1a: tells changed inputs, and by it the vectors know responses and
 * pictures.
 */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START  UINT64_C(0xcbf29ce484222325)
#define CHECKSUM_FACTOR UINT64_C(0x100000001b3)

static inline uint64_t checksum_add(uint64_t checksum, const void *data, size_t length) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < length; i++) checksum = (checksum ^ bytes[i]) * CHECKSUM_FACTOR;
  return checksum;
}

#endif
