#include "coordinator/books/expiries.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

void ls_expiries_close(struct ls_expiries *expiries) {
  free(expiries->items);
  *expiries = (struct ls_expiries){0};
}

void ls_expiries_clear(struct ls_expiries *expiries) {
  expiries->count = 0;
}

static size_t find(const struct ls_expiries *expiries, uint64_t unit) {
  size_t i = 0;
  while (i < expiries->count && expiries->items[i].unit != unit) i++;
  return i;
}

enum ls_status ls_expiries_add(struct ls_expiries *expiries, uint64_t unit, double ran_s,
                               struct ls_expiry **expiry) {
  size_t i = find(expiries, unit);
  if (i == expiries->count) {
    void *items = expiries->items;
    enum ls_status status =
        ls_array_reserve(&items, &expiries->capacity, expiries->count + 1, sizeof *expiries->items);
    expiries->items = items;
    if (status != LS_OK) return status;
    expiries->items[expiries->count++] = (struct ls_expiry){.unit = unit};
  }
  struct ls_expiry *found = &expiries->items[i];
  found->ends++;
  found->ran_s = fmax(found->ran_s, ran_s);
  expiries->ends++;
  expiries->longest_s = fmax(expiries->longest_s, ran_s);
  *expiry = found;
  return LS_OK;
}

void ls_expiries_settle(struct ls_expiries *expiries, struct ls_range units, bool has_results) {
  size_t kept = 0;
  for (size_t i = 0; i < expiries->count; i++) {
    const struct ls_expiry *expiry = &expiries->items[i];
    bool is_final = expiry->unit >= units.first && expiry->unit - units.first < units.count;
    if (!is_final) {
      expiries->items[kept++] = *expiry;
    } else if (!has_results && expiry->is_lacking) {
      expiries->lacking_s = fmax(expiries->lacking_s, 2 * expiry->ran_s);
    }
  }
  expiries->count = kept;
}

double ls_expiries_lacking(const struct ls_expiries *expiries) {
  double lacking_s = expiries->lacking_s;
  for (size_t i = 0; i < expiries->count; i++)
    if (expiries->items[i].is_lacking) lacking_s = fmax(lacking_s, 2 * expiries->items[i].ran_s);
  return lacking_s;
}

const struct ls_expiry *ls_expiries_find(const struct ls_expiries *expiries, uint64_t unit) {
  size_t i = find(expiries, unit);
  return i < expiries->count ? &expiries->items[i] : NULL;
}
