/* shortage.h: why there are not more workers, in a sentence.
 *
 * "32 wanted: 20 work, 1 suspended since 0:40, 6 pending since 3:12 (Priority; expected 14:05), 5
 * not asked for (backlog=2; refused at 8: QOSMaxSubmitJobPerUserLimit, next try in 40 s)".
 */
#ifndef LS_RUNTIME_POOL_SHORTAGE_H
#define LS_RUNTIME_POOL_SHORTAGE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "coordinator/coordinator.h"
#include "runtime/pool/pools.h"

/* `has_times`: with the times that pass; without them the sentence changes only when something has
 * happened. */
void ls_shortage_write(const struct ls_coordinator_totals *totals, const struct ls_pools *pools,
                       bool has_times, struct ls_bytes *out);

#endif
