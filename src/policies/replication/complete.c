/* complete.c: complete replication (CR).
 *
 * Reference:  heymann2001, chapter 5.
 * Assumes:    an order with the largest task first, and extra workers.
 * Answers:    as many replicas, of the first tasks of the list, as there are extra workers.
 * Cost:       O(1).
 * Symbols:    X -> extra.
 */
#include "policies/replication.h"

static uint64_t replicate_extra(const struct ls_replication_view *view) {
  if (view->workers_present <= view->workers_wanted) return 0;
  uint64_t extra = view->workers_present - view->workers_wanted;
  return extra < view->units ? extra : view->units;
}

const struct ls_replication ls_replication_complete = {
    .name = "complete",
    .summary = "as many of the first tasks run twice as there are extra workers",
    .reference = "Heymann 2001",
    .replicas = replicate_extra,
};
