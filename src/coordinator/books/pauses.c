#include "coordinator/books/pauses.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_pauses_close(struct ls_pauses *pauses) {
  free(pauses->items);
  *pauses = (struct ls_pauses){0};
}

void ls_pauses_clear(struct ls_pauses *pauses) {
  pauses->first = pauses->count = 0;
}

enum ls_status ls_pauses_add(struct ls_pauses *pauses, uint64_t unit, double until_s) {
  /* Moved only when at least half of the list was taken: so each one is moved once on average. */
  if (pauses->first > pauses->count) {
    memmove(pauses->items, pauses->items + pauses->first, pauses->count * sizeof *pauses->items);
    pauses->first = 0;
  }
  size_t end = pauses->first + pauses->count;
  assert(pauses->count == 0 || pauses->items[end - 1].until_s <= until_s);
  void *items = pauses->items;
  enum ls_status status =
      ls_array_reserve(&items, &pauses->capacity, end + 1, sizeof *pauses->items);
  pauses->items = items;
  if (status != LS_OK) return status;
  pauses->items[end] = (struct ls_pause){unit, until_s};
  pauses->count++;
  return LS_OK;
}

bool ls_pauses_take(struct ls_pauses *pauses, double now_s, uint64_t *unit) {
  if (pauses->count == 0 || pauses->items[pauses->first].until_s > now_s) return false;
  *unit = pauses->items[pauses->first].unit;
  pauses->first++;
  pauses->count--;
  return true;
}

double ls_pauses_over_s(const struct ls_pauses *pauses) {
  return pauses->count > 0 ? pauses->items[pauses->first].until_s : HUGE_VAL;
}
