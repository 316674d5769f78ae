/* books_fixture.h: what the tests of the coordinator's books share. */
#ifndef LS_TESTS_COORDINATOR_BOOKS_FIXTURE_H
#define LS_TESTS_COORDINATOR_BOOKS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "coordinator/books/ledger.h"

/* A ledger of `units` that wait, in an order of their own if `is_shuffled`, and `slots`. */
static inline void open_ledger(struct ls_ledger *ledger, uint64_t units, size_t slots,
                               struct ls_random *shuffles) {
  struct ls_ledger_page page;
  ls_ledger_init(ledger);
  assert_int_equal(ls_ledger_add_slots(ledger, slots), LS_OK);
  assert_int_equal(ls_ledger_page_init(&page, units), LS_OK);
  if (shuffles != NULL) {
    page.order = calloc(units, sizeof *page.order);
    page.order_count = units;
    for (uint64_t i = 0; i < units; i++) {
      uint64_t j = ls_random_below(shuffles, i + 1);
      page.order[i] = page.order[j];
      page.order[j] = i;
    }
  }
  assert_int_equal(ls_ledger_open(ledger, &page), LS_OK);
}

/* The units of a chunk, counted from its ranges. */
static inline uint64_t count_ranges(const struct ls_ledger *ledger, uint32_t chunk,
                                    size_t *ranges) {
  uint32_t cursor = LS_INDEX_NONE;
  struct ls_range range;
  uint64_t units = 0;
  *ranges = 0;
  while (ls_ledger_next_range(ledger, &ledger->chunks[chunk], &cursor, &range)) {
    units += range.count;
    (*ranges)++;
  }
  return units;
}

#endif
