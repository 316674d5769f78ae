/* result_bounds.h: what a worker says of a result is no more than the master knows to be possible.
 *
 * Times come from the worker's clock, and steer who gets what: a worker that lies, or whose clock
 * does, may waste its own time and nobody else's.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_RESULT_BOUNDS_H
#define LS_RUNTIME_MASTER_GUESTS_RESULT_BOUNDS_H

#include "protocol/message.h"

/* `out_s`: since its chunk was decided.  Times beyond it, but for what two clocks may differ by,
 * become that; those that are too small to be one become 0, and squares fit the sum. */
void ls_result_bound(struct ls_message *result, double out_s);

#endif
