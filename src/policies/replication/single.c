/* single.c: single replication (SR).
 *
 * Reference:  heymann2001, chapter 5.
 * Assumes:    an order with the largest task first, and an extra worker.
 * Answers:    one replica, of the first task of the list; none without an extra worker.
 * Cost:       O(1).
 * Symbols:    none.
 */
#include "policies/replication.h"

static uint64_t replicate_first(const struct ls_replication_view *view) {
  return view->units > 0 && view->workers_present > view->workers_wanted;
}

const struct ls_replication ls_replication_single = {
    .name = "single",
    .summary = "the first task of the list runs twice while there is an extra worker",
    .reference = "Heymann 2001",
    .replicas = replicate_first,
};
