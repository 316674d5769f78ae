#include "runtime/pool/pools.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/os/clock.h"

enum { FILES_MORE = 2 }; /* of the caller */

size_t ls_pools_count_slots(const struct ls_pool_choice *choices, size_t count) {
  size_t slots = 0;
  for (size_t i = 0; i < count; ++i) slots += choices[i].setup.slots;
  return slots;
}

const struct ls_pool_kind *ls_pools_find_kind(const struct ls_pool_choice *choices, size_t count,
                                              size_t place) {
  for (size_t i = 0; i < count; ++i) {
    if (place <= choices[i].setup.slots) return choices[i].kind;
    place -= choices[i].setup.slots;
  }
  return NULL;
}

enum ls_status ls_pools_open(struct ls_pools *pools, const struct ls_pool_choice *choices,
                             size_t count, struct ls_error *err) {
  struct ls_pools made = {.items = calloc(count + 1, sizeof *made.items),
                          .files = calloc(count + FILES_MORE, sizeof *made.files),
                          .ready = calloc(count + FILES_MORE, sizeof *made.ready)};
  enum ls_status status = LS_OK;
  if (made.items == NULL || made.files == NULL || made.ready == NULL) {
    status = ls_fail(err, LS_ENOMEM, "out of memory for %zu pools", count);
  }
  for (size_t i = 0; i < count && status == LS_OK; ++i) {
    struct ls_pools_item *item = &made.items[i];
    struct ls_pool_setup setup = choices[i].setup;
    setup.first_slot = (uint32_t)made.slots + 1;
    *item = (struct ls_pools_item){choices[i].kind, NULL, setup.first_slot, setup.slots};
    status = item->kind->open(&setup, &item->pool, err);
    made.count += status == LS_OK;
    made.slots += setup.slots;
  }
  if (status == LS_OK) {
    *pools = made;
  } else {
    ls_pools_close(&made, 0);
  }
  return status;
}

void ls_pools_request(struct ls_pools *pools, size_t n) {
  for (size_t i = 0; i < pools->count && n > 0; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    struct ls_pool_counts counts = item->kind->counts(item->pool);
    size_t taken = counts.wanted + counts.granted;
    size_t room = taken < item->slots ? item->slots - taken : 0;
    /* What nobody has room for is refused, or kept waiting, by the last one. */
    size_t here = i + 1 == pools->count || n < room ? n : room;
    if (here > 0) item->kind->request(item->pool, here);
    n -= here;
  }
}

/* The pool of a slot; NULL: none. */
static const struct ls_pools_item *find_pool(const struct ls_pools *pools, uint32_t slot) {
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    if (slot >= item->first && slot - item->first < item->slots) return item;
  }
  return NULL;
}

bool ls_pools_has_lifeline(const struct ls_pools *pools, uint32_t slot) {
  const struct ls_pools_item *item = find_pool(pools, slot);
  return item != NULL && item->kind->has_lifelines;
}

void ls_pools_kill(struct ls_pools *pools, uint32_t slot) {
  const struct ls_pools_item *item = find_pool(pools, slot);
  if (item != NULL) item->kind->kill(item->pool, slot);
}

void ls_pools_limit(struct ls_pools *pools, double seconds) {
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    if (item->kind->limit != NULL) item->kind->limit(item->pool, seconds);
  }
}

bool ls_pools_poll(struct ls_pools *pools, struct ls_pool_news *news) {
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[pools->next];
    if (item->kind->poll(item->pool, news)) return true;
    pools->next = (pools->next + 1) % pools->count;
  }
  return false;
}

double ls_pools_patience_s(const struct ls_pools *pools) {
  double patience_s = HUGE_VAL;
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    patience_s = fmin(patience_s, item->kind->patience_s(item->pool));
  }
  return patience_s;
}

void ls_pools_look_for_files(struct ls_pools *pools) {
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    pools->files[i] = item->kind->file(item->pool);
    pools->ready[i] = false;
  }
}

uint32_t ls_pools_slot(const struct ls_pools *pools, const struct ls_pool_claim *claim) {
  uint32_t slot = 0;
  for (size_t i = 0; i < pools->count && slot == 0; ++i) {
    slot = pools->items[i].kind->slot(pools->items[i].pool, claim);
  }
  return slot;
}

uint64_t ls_pools_lease(const struct ls_pools *pools, uint32_t slot) {
  const struct ls_pools_item *item = find_pool(pools, slot);
  return item != NULL && item->kind->lease != NULL ? item->kind->lease(item->pool, slot) : 0;
}

const struct ls_pool_kind *ls_pools_last(const struct ls_pools *pools) {
  return pools->items[pools->next].kind;
}

void ls_pools_see(struct ls_pools *pools, uint32_t slot, enum ls_pool_sight sight) {
  const struct ls_pools_item *item = find_pool(pools, slot);
  if (item != NULL && item->kind->see != NULL) item->kind->see(item->pool, slot, sight);
}

struct ls_pool_counts ls_pools_counts(const struct ls_pools *pools) {
  struct ls_pool_counts sum = {0};
  for (size_t i = 0; i < pools->count; ++i) {
    struct ls_pool_counts counts = pools->items[i].kind->counts(pools->items[i].pool);
    sum.wanted += counts.wanted;
    sum.hopeless += counts.hopeless;
    sum.granted += counts.granted;
    if (sum.why == NULL) sum.why = counts.why;
  }
  return sum;
}

bool ls_pools_is_pending(const struct ls_pools *pools) {
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    struct ls_pool_counts counts = item->kind->counts(item->pool);
    if (!item->kind->has_lifelines && counts.wanted > counts.hindered) return true;
  }
  return false;
}

bool ls_pools_are_coming(const struct ls_pools *pools) {
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    struct ls_pool_counts counts = item->kind->counts(item->pool);
    if (!item->kind->has_lifelines && counts.wanted + counts.granted > counts.hindered) return true;
  }
  return false;
}

void ls_pools_close(struct ls_pools *pools, double patience_s) {
  double until_s = ls_clock_s() + patience_s;
  for (size_t i = 0; i < pools->count; ++i) {
    const struct ls_pools_item *item = &pools->items[i];
    item->kind->close(item->pool, fmax(0, until_s - ls_clock_s()));
  }
  free(pools->items);
  free(pools->files);
  free(pools->ready);
  *pools = (struct ls_pools){0};
}
