/* ranges.h: a growing list of ranges of units.
 *
 * A range that continues the last one is joined to it, so that a list in order is as short as it
 * can be.  Sticky, as bytes.h: after the first failure (memory) all further additions are ignored
 * and `failed` stays set.  Initialise with {0}.
 */
#ifndef LS_BASE_RANGES_H
#define LS_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/range.h"

LS_C_BEGIN

struct ls_ranges {
  struct ls_range *items; /* `count` of them, in the order in which they were added */
  size_t count, capacity;
  bool failed;
};

/* A range of no units adds nothing. */
void ls_ranges_add(struct ls_ranges *ranges, struct ls_range range);
/* Forgets the ranges (and `failed`), keeps the storage. */
void ls_ranges_clear(struct ls_ranges *ranges);
/* Releases the storage and leaves an empty list. */
void ls_ranges_close(struct ls_ranges *ranges);

LS_C_END

#endif
