#include "coordinator/books/splitting.h"

#include <assert.h>

void ls_splitting_begin(struct ls_splitting *splitting, struct ls_range failed) {
  assert(failed.count > 1);
  uint64_t end = failed.first + failed.count;
  *splitting = (struct ls_splitting){.first = failed.first, .guilty_end = end, .end = end};
}

bool ls_splitting_goes_on(const struct ls_splitting *splitting) {
  return splitting->first < splitting->end;
}

struct ls_range ls_splitting_next(struct ls_splitting *splitting) {
  assert(ls_splitting_goes_on(splitting) && splitting->running.count == 0);
  uint64_t guilty = splitting->guilty_end - splitting->first;
  uint64_t count = guilty > 0 ? (guilty + 1) / 2 : splitting->end - splitting->first;
  splitting->running = (struct ls_range){splitting->first, count};
  return splitting->running;
}

void ls_splitting_take(struct ls_splitting *splitting, uint64_t units) {
  assert(units > 0 && units <= splitting->running.count);
  splitting->running.count = units;
}

bool ls_splitting_end(struct ls_splitting *splitting, bool is_well) {
  struct ls_range ran = splitting->running;
  uint64_t end = ran.first + ran.count;
  assert(ran.count > 0);
  splitting->running.count = 0;
  if (!is_well) splitting->guilty_end = end;
  bool is_over = is_well || ran.count == 1;
  if (!is_over) return false;
  splitting->first = end;
  if (splitting->guilty_end < end) splitting->guilty_end = end;
  return true;
}
