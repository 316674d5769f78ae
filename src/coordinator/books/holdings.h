/* holdings.h: what a worker that is back says that it has, in order.
 *
 * It may tell a hundred thousand single units, in any order, and some of them twice: sorted and
 * joined, each question about them takes a search, whoever asks and whatever was told.
 */
#ifndef LS_COORDINATOR_BOOKS_HOLDINGS_H
#define LS_COORDINATOR_BOOKS_HOLDINGS_H

#include "base/status.h"
#include "coordinator/event.h"

/* By chunk, then by unit; those of one chunk do not touch. */
struct ls_holdings {
  struct ls_event_held *items;
  size_t count;
};

/* Sorts and joins what was told, which stays as it is. */
LS_CHECKED enum ls_status ls_holdings_open(struct ls_holdings *holdings,
                                           const struct ls_event_held *told, size_t count);
void ls_holdings_close(struct ls_holdings *holdings);

/* The first units of the range that are not held as such of the chunk; count 0: all are. */
struct ls_range ls_holdings_find_gap(const struct ls_holdings *holdings, uint64_t chunk,
                                     struct ls_range range);
static inline bool ls_holdings_have(const struct ls_holdings *holdings, uint64_t chunk,
                                    uint64_t unit) {
  return ls_holdings_find_gap(holdings, chunk, (struct ls_range){unit, 1}).count == 0;
}
/* The units of the chunk that stands at `*at`, which moves on to the next one; there is one. */
uint64_t ls_holdings_count_chunk(const struct ls_holdings *holdings, size_t *at);

#endif
