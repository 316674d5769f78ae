#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum { CAPACITY_AT_FIRST = 8 };

enum ls_status ls_array_reserve(void **items, size_t *capacity, size_t needed, size_t item_bytes) {
  assert(item_bytes > 0);
  if (needed <= *capacity) return LS_OK;
  if (needed > (size_t)PTRDIFF_MAX / item_bytes) return LS_ENOMEM;
  size_t grown = *capacity + *capacity / 2;
  if (grown < CAPACITY_AT_FIRST) grown = CAPACITY_AT_FIRST;
  if (grown < needed || grown > (size_t)PTRDIFF_MAX / item_bytes) grown = needed;
  void *moved = realloc(*items, grown * item_bytes);
  if (moved == NULL) return LS_ENOMEM;
  *items = moved;
  *capacity = grown;
  return LS_OK;
}
