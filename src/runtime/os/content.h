/* content.h: what names the content of a file: BLAKE2b-256 of its bytes (libsodium). */
#ifndef LS_RUNTIME_OS_CONTENT_H
#define LS_RUNTIME_OS_CONTENT_H

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>

#include "protocol/staging.h"

enum { LS_CONTENT_DIGITS = 2 * LS_CONTENT_BYTES };

/* A content that comes in parts. */
struct ls_content {
  crypto_generichash_state state;
};

void ls_content_begin(struct ls_content *content);
void ls_content_add(struct ls_content *content, const void *data, size_t length);
void ls_content_end(struct ls_content *content, unsigned char name[LS_CONTENT_BYTES]);
/* Of all that can be read from a descriptor, from its beginning; false: errno says why not. */
bool ls_content_of_file(int file, unsigned char name[LS_CONTENT_BYTES]);
/* As digits, with a zero byte behind. */
void ls_content_write(const unsigned char name[LS_CONTENT_BYTES],
                      char digits[LS_CONTENT_DIGITS + 1]);

#endif
