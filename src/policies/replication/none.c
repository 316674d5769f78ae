/* none.c: no replication.
 *
 * Reference:  none.
 * Assumes:    that a lost unit is cheap to do again.
 * Answers:    0 replicas.
 * Cost:       O(1).
 * Symbols:    none.
 */
#include "policies/replication.h"

const struct ls_replication ls_replication_none = {
    .name = "none",
    .summary = "every task runs once, and again only when its worker is lost",
    .reference = "none",
    .replicas = ls_replicate_nothing,
};
