/* digest.h: 64-bit FNV-1a: a number for some bytes that is the same on every machine.
 *
 * For names and for recognising what was seen before, never against somebody who means harm.
 */
#ifndef LS_BASE_DIGEST_H
#define LS_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* Of no bytes. */
#define LS_DIGEST_START UINT64_C(0xcbf29ce484222325)

/* Goes on from `digest` with further bytes. Inline: a run digests all that it reads. */
static inline uint64_t ls_digest_add(uint64_t digest, const void *data, size_t length) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < length; i++) digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
  return digest;
}

#endif
