/* counted_memory.h: allocations are counted, and one of them fails where a test says so.
 *
 * The linker directs malloc, calloc and realloc here (--wrap, in the folder's meson.build).
 */
#ifndef LS_TESTS_SUPPORT_COUNTED_MEMORY_H
#define LS_TESTS_SUPPORT_COUNTED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static size_t allocations;         /* so far */
static long allocations_left = -1; /* until one fails; < 0: none will */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool must_fail(void) {
  allocations++;
  return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t size) {
  return must_fail() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  return must_fail() ? NULL : __real_realloc(memory, size);
}

#endif
