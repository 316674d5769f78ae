/* array.h: growing arrays of plain values.
 *
 * An array is a pointer, a count and a capacity, which its owner keeps as it likes; this file only
 * grows the storage (by half, at least to what is needed) and checks the multiplication.
 */
#ifndef LS_BASE_ARRAY_H
#define LS_BASE_ARRAY_H

#include <stddef.h>

#include "base/status.h"

/* Makes room for `needed` items of `item_bytes` each in `*items` (NULL at first), of which there is
 * room for `*capacity`.  On failure (LS_ENOMEM, also on overflow) nothing changes. */
LS_CHECKED enum ls_status ls_array_reserve(void **items, size_t *capacity, size_t needed,
                                           size_t item_bytes);

#endif
