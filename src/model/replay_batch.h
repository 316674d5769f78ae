/* replay_batch.h: the replay of many cases at once, where identical workers are sent to in turn.
 *
 * A case is one plan on one platform: `workers_count` identical workers with a transfer and a
 * compute cost (no other station costs anything, nothing comes back, two-port), messages in the
 * order of the workers, again and again.  Cases differ in their latencies, and in their units if
 * wanted.  They stand side by side, so that the processor plays several in one instruction; every
 * makespan has the same digits as ls_replay_makespan gives it.
 */
#ifndef LS_MODEL_REPLAY_BATCH_H
#define LS_MODEL_REPLAY_BATCH_H

#include <stddef.h>

struct ls_replay_batch {
  size_t workers_count, messages_count, cases_count; /* >= 1 each */
  double transfer_per_unit_s, compute_per_unit_s;    /* of every case; >= 0, finite */
  const double *compute_latencies_s;                 /* by case; >= 0, finite */
  double *scratch; /* room for ls_replay_batch_scratch numbers; borrowed */
};

/* How many numbers of scratch a batch of this size needs. */
size_t ls_replay_batch_scratch(size_t workers_count, size_t messages_count, size_t cases_count);
/* Every case sends the same `units` (by message, each finite and > 0) with the same transfer
 * latency. O(messages * cases). */
void ls_replay_batch_same(const struct ls_replay_batch *batch, double transfer_latency_s,
                          const double *units, double *makespans_s);
/* Every case has its own transfer latency and units: units[message][case], finite and > 0; messages
 * with equal units may share a row. O(messages * cases). */
void ls_replay_batch_each(const struct ls_replay_batch *batch, const double *transfer_latencies_s,
                          const double *const *units, double *makespans_s);

#endif
