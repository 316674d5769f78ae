/* overhead.h: the time of a worker that goes into its chunks beside their units.
 *
 * Seen from the master: as long as a worker has units, whatever it does not compute is overhead: of
 * starting processes and calls, of reading input, of telling results.  The way of the first chunk,
 * and that of its result back, is known otherwise and taken off.  Pure: times are passed in.
 */
#ifndef LS_THEORY_OVERHEAD_H
#define LS_THEORY_OVERHEAD_H

#include <stdint.h>

/* Of one worker; starts as {0}. Those of several may be added up, field by field. */
struct ls_overhead {
  uint64_t here;           /* units that were sent and have not ended */
  double since_s;          /* from when on they may run: the last result, or the first chunk */
  double beside_s;         /* not spent computing */
  uint64_t chunks, begins; /* begins: chunks that found the worker without units */
};

void ls_overhead_sent(struct ls_overhead *overhead, uint64_t units, double now_s);
/* So many units ended, well or not; since the last end the worker computed, or was suspended, for
 * so long. */
void ls_overhead_ended(struct ls_overhead *overhead, uint64_t units, double seconds, double now_s);
/* Seconds of a chunk, where a message takes `way_s`; 0: nothing is known. */
double ls_overhead_per_chunk(const struct ls_overhead *overhead, double way_s);

#endif
