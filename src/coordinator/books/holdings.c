#include "coordinator/books/holdings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right) {
  const struct ls_event_held *a = left, *b = right;
  if (a->chunk != b->chunk) return a->chunk < b->chunk ? -1 : 1;
  if (a->units.first != b->units.first) return a->units.first < b->units.first ? -1 : 1;
  return 0;
}

/* Neighbours that touch become one. */
static size_t join(struct ls_event_held *items, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct ls_event_held *last = kept > 0 ? &items[kept - 1] : NULL;
    uint64_t ahead = last != NULL ? items[i].units.first - last->units.first : 0;
    if (last == NULL || last->chunk != items[i].chunk || ahead > last->units.count) {
      items[kept++] = items[i];
    } else if (ahead + items[i].units.count > last->units.count) {
      last->units.count = ahead + items[i].units.count;
    }
  }
  return kept;
}

enum ls_status ls_holdings_open(struct ls_holdings *holdings, const struct ls_event_held *told,
                                size_t count) {
  *holdings = (struct ls_holdings){0};
  if (count == 0) return LS_OK;
  holdings->items = malloc(count * sizeof *holdings->items);
  if (holdings->items == NULL) return LS_ENOMEM;
  memcpy(holdings->items, told, count * sizeof *told);
  qsort(holdings->items, count, sizeof *holdings->items, compare);
  holdings->count = join(holdings->items, count);
  return LS_OK;
}

void ls_holdings_close(struct ls_holdings *holdings) {
  free(holdings->items);
  *holdings = (struct ls_holdings){0};
}

/* The first item behind those that begin at the unit of the chunk, or before it. */
static size_t find_behind(const struct ls_holdings *holdings, uint64_t chunk, uint64_t unit) {
  const struct ls_event_held wanted = {chunk, {unit, 0}};
  size_t low = 0, high = holdings->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(&holdings->items[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct ls_range ls_holdings_find_gap(const struct ls_holdings *holdings, uint64_t chunk,
                                     struct ls_range range) {
  uint64_t end = range.first + range.count, first = range.first;
  size_t behind = find_behind(holdings, chunk, first);
  const struct ls_event_held *before = behind > 0 ? &holdings->items[behind - 1] : NULL;
  if (before != NULL && before->chunk == chunk && first - before->units.first < before->units.count)
    first = before->units.first + before->units.count;
  if (first >= end) return (struct ls_range){end, 0};
  /* What is held behind it does not touch it. */
  const struct ls_event_held *next = behind < holdings->count ? &holdings->items[behind] : NULL;
  if (next != NULL && next->chunk == chunk && next->units.first < end) end = next->units.first;
  return (struct ls_range){first, end - first};
}

uint64_t ls_holdings_count_chunk(const struct ls_holdings *holdings, size_t *at) {
  assert(*at < holdings->count);
  uint64_t chunk = holdings->items[*at].chunk, units = 0;
  for (; *at < holdings->count && holdings->items[*at].chunk == chunk; ++*at)
    units += holdings->items[*at].units.count;
  return units;
}
