/* range.h: a range of consecutive units. */
#ifndef LS_BASE_RANGE_H
#define LS_BASE_RANGE_H

#include <stdint.h>

/* Units first, first + 1, ..., first + count - 1. */
struct ls_range {
  uint64_t first, count;
};

#endif
