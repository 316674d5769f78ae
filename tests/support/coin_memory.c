/* coin_memory.c: large blocks of C++ libraries, in builds with the address sanitizer.
 *
 * Clp takes arrays of 160 KiB for each factorization, of however small a program.  The sanitizer
 * has the kernel map and unmap each of them: most of the time of a test that solves programs.  The
 * libraries are not instrumented, so nothing is lost when what is large goes to the C library
 * instead.  Small blocks stay with the sanitizer: they may hold the only pointers to others, which
 * would look like leaks. */
#include <stdlib.h>

enum { LARGE_BYTES = 65536 };

int __sanitizer_get_ownership(const volatile void *block);
/* The sanitizer's, also where a test wraps malloc. */
void *__interceptor_malloc(size_t bytes);
void __interceptor_free(void *block);
void *__libc_malloc(size_t bytes);
void __libc_free(void *block);

/* The linker is told to look for this name: so this file is linked, and its operators come before
 * the sanitizer's. */
extern const char ls_coin_memory;
const char ls_coin_memory = 1;

/* New and delete under the names that the C++ ABI gives them. */
void *_Znwm(size_t bytes);
void *_Znam(size_t bytes);
void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *nothrow);
void *_ZnamRKSt9nothrow_t(size_t bytes, const void *nothrow);
void _ZdlPv(void *block);
void _ZdaPv(void *block);
void _ZdlPvm(void *block, size_t bytes);
void _ZdaPvm(void *block, size_t bytes);

void *_Znwm(size_t bytes) {
  void *block = bytes < LARGE_BYTES ? __interceptor_malloc(bytes) : __libc_malloc(bytes);
  if (block == NULL) abort(); /* there is no C++ here to throw */
  return block;
}

void *_Znam(size_t bytes) {
  return _Znwm(bytes);
}

void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *nothrow) {
  (void)nothrow;
  return bytes < LARGE_BYTES ? __interceptor_malloc(bytes) : __libc_malloc(bytes);
}

void *_ZnamRKSt9nothrow_t(size_t bytes, const void *nothrow) {
  return _ZnwmRKSt9nothrow_t(bytes, nothrow);
}

void _ZdlPv(void *block) {
  if (block == NULL || __sanitizer_get_ownership(block))
    __interceptor_free(block);
  else
    __libc_free(block);
}

void _ZdaPv(void *block) {
  _ZdlPv(block);
}

void _ZdlPvm(void *block, size_t bytes) {
  (void)bytes;
  _ZdlPv(block);
}

void _ZdaPvm(void *block, size_t bytes) {
  (void)bytes;
  _ZdlPv(block);
}
