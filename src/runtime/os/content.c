#include "runtime/os/content.h"

#include <errno.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 17 };

_Static_assert(LS_CONTENT_BYTES == crypto_generichash_BYTES,
               "of BLAKE2b, 256 bits are the default");

void ls_content_begin(struct ls_content *content) {
  /* Chooses the fastest way of this processor, once. It cannot fail without a key. */
  (void)!sodium_init();
  (void)crypto_generichash_init(&content->state, NULL, 0, LS_CONTENT_BYTES);
}

void ls_content_add(struct ls_content *content, const void *data, size_t length) {
  (void)crypto_generichash_update(&content->state, data, length);
}

void ls_content_end(struct ls_content *content, unsigned char name[LS_CONTENT_BYTES]) {
  (void)crypto_generichash_final(&content->state, name, LS_CONTENT_BYTES);
}

bool ls_content_of_file(int file, unsigned char name[LS_CONTENT_BYTES]) {
  unsigned char block[BLOCK_BYTES];
  struct ls_content content;
  off_t offset = 0;
  ls_content_begin(&content);
  for (;;) {
    ssize_t length = pread(file, block, sizeof block, offset);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return false;
    if (length == 0) break;
    ls_content_add(&content, block, (size_t)length);
    offset += length;
  }
  ls_content_end(&content, name);
  return true;
}

void ls_content_write(const unsigned char name[LS_CONTENT_BYTES],
                      char digits[LS_CONTENT_DIGITS + 1]) {
  (void)sodium_bin2hex(digits, LS_CONTENT_DIGITS + 1, name, LS_CONTENT_BYTES);
}
