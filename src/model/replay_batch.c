#include "model/replay_batch.h"

#include <assert.h>
#include <string.h>

/* The loops over the cases are all that takes time.  Their arrays never overlap and their bodies
 * hold no branch, so compilers turn them into vector instructions, which round as single ones do.
 * The operations are those of replay.c in the same order; what is left out there adds 0. */

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

static void play_workers(size_t cases, double transfer_end_s, double work_s,
                         const double *restrict latencies_s, double *restrict free_s) {
  for (size_t i = 0; i < cases; i++) {
    free_s[i] = larger(transfer_end_s, free_s[i]) + (latencies_s[i] + work_s);
  }
}

/* What one message needs, by case. */
struct message {
  const double *restrict units;
  const double *restrict transfer_latencies_s;
  const double *restrict compute_latencies_s;
  double transfer_per_unit_s, compute_per_unit_s;
};

static void play_message(size_t cases, const struct message *message, double *restrict network_s,
                         double *restrict free_s) {
  const double *restrict units = message->units;
  const double *restrict transfer_latencies_s = message->transfer_latencies_s;
  const double *restrict compute_latencies_s = message->compute_latencies_s;
  double transfer_per_unit_s = message->transfer_per_unit_s;
  double compute_per_unit_s = message->compute_per_unit_s;
  for (size_t i = 0; i < cases; i++) {
    double end_s = network_s[i] + (transfer_latencies_s[i] + transfer_per_unit_s * units[i]);
    network_s[i] = end_s;
    free_s[i] = larger(end_s, free_s[i]) + (compute_latencies_s[i] + compute_per_unit_s * units[i]);
  }
}

static void find_makespans(const struct ls_replay_batch *batch, const double *free_s,
                           double *makespans_s) {
  size_t cases = batch->cases_count;
  for (size_t i = 0; i < cases; i++) makespans_s[i] = 0;
  for (size_t worker = 0; worker < batch->workers_count; worker++) {
    const double *row = free_s + worker * cases;
    for (size_t i = 0; i < cases; i++) makespans_s[i] = larger(makespans_s[i], row[i]);
  }
}

size_t ls_replay_batch_scratch(size_t workers_count, size_t cases_count) {
  return (workers_count + 1) * cases_count;
}

static double *clear_scratch(const struct ls_replay_batch *batch) {
  assert(batch->workers_count > 0 && batch->messages_count > 0 && batch->cases_count > 0);
  assert(batch->scratch != NULL && batch->compute_latencies_s != NULL);
  size_t count = ls_replay_batch_scratch(batch->workers_count, batch->cases_count);
  memset(batch->scratch, 0, count * sizeof *batch->scratch);
  return batch->scratch;
}

void ls_replay_batch_same(const struct ls_replay_batch *batch, double transfer_latency_s,
                          const double *units, double *makespans_s) {
  double *free_s = clear_scratch(batch), network_s = 0;
  for (size_t i = 0, worker = 0; i < batch->messages_count; i++) {
    network_s += transfer_latency_s + batch->transfer_per_unit_s * units[i];
    play_workers(batch->cases_count, network_s, batch->compute_per_unit_s * units[i],
                 batch->compute_latencies_s, free_s + worker * batch->cases_count);
    worker = worker + 1 < batch->workers_count ? worker + 1 : 0;
  }
  find_makespans(batch, free_s, makespans_s);
}

void ls_replay_batch_each(const struct ls_replay_batch *batch, const double *transfer_latencies_s,
                          const double *const *units, double *makespans_s) {
  double *free_s = clear_scratch(batch);
  double *network_s = free_s + batch->workers_count * batch->cases_count;
  struct message message = {.transfer_latencies_s = transfer_latencies_s,
                            .compute_latencies_s = batch->compute_latencies_s,
                            .transfer_per_unit_s = batch->transfer_per_unit_s,
                            .compute_per_unit_s = batch->compute_per_unit_s};
  for (size_t i = 0, worker = 0; i < batch->messages_count; i++) {
    message.units = units[i];
    play_message(batch->cases_count, &message, network_s, free_s + worker * batch->cases_count);
    worker = worker + 1 < batch->workers_count ? worker + 1 : 0;
  }
  find_makespans(batch, free_s, makespans_s);
}
