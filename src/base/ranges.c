#include "base/ranges.h"

#include <stdlib.h>

#include "base/array.h"

void ls_ranges_add(struct ls_ranges *ranges, struct ls_range range) {
  if (ranges->failed || range.count == 0) return;
  struct ls_range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
  if (last != NULL && last->first + last->count == range.first) {
    last->count += range.count;
    return;
  }
  void *items = ranges->items;
  if (ls_array_reserve(&items, &ranges->capacity, ranges->count + 1, sizeof *ranges->items) !=
      LS_OK) {
    ranges->failed = true;
    return;
  }
  ranges->items = items;
  ranges->items[ranges->count++] = range;
}

void ls_ranges_clear(struct ls_ranges *ranges) {
  ranges->count = 0;
  ranges->failed = false;
}

void ls_ranges_close(struct ls_ranges *ranges) {
  free(ranges->items);
  *ranges = (struct ls_ranges){0};
}
