#include "model/replay_batch.h"

#include <assert.h>
#include <string.h>

/* The loops over the cases are all that takes time.  Their arrays never overlap and their bodies
 * hold no branch, so compilers turn them into vector instructions, which round as single ones do.
 * The operations are those of replay.c in the same order; what is left out there adds 0. */

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* The next message of a worker: when it has arrived, and the work in it. */
struct arrival {
  double end_s, work_s;
};

static inline double compute(double free_s, const struct arrival *arrival, double latency_s) {
  return larger(arrival->end_s, free_s) + (latency_s + arrival->work_s);
}

static void play_arrival(size_t cases, struct arrival arrival, const double *restrict latencies_s,
                         double *restrict free_s) {
  for (size_t i = 0; i < cases; i++) free_s[i] = compute(free_s[i], &arrival, latencies_s[i]);
}

/* Several at once, to read and write the cases less often. */
enum { STRIDE = 4 };
static void play_arrivals(size_t cases, const struct arrival *arrivals,
                          const double *restrict latencies_s, double *restrict free_s) {
  const struct arrival first = arrivals[0], second = arrivals[1];
  const struct arrival third = arrivals[2], fourth = arrivals[3];
  for (size_t i = 0; i < cases; i++) {
    double latency_s = latencies_s[i];
    double end_s = compute(free_s[i], &first, latency_s);
    end_s = compute(end_s, &second, latency_s);
    end_s = compute(end_s, &third, latency_s);
    free_s[i] = compute(end_s, &fourth, latency_s);
  }
}

/* The times of one message, by case. */
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

static void keep_latest(size_t cases, const double *restrict free_s, double *restrict makespans_s) {
  for (size_t i = 0; i < cases; i++) makespans_s[i] = larger(makespans_s[i], free_s[i]);
}

size_t ls_replay_batch_scratch(size_t workers_count, size_t messages_count, size_t cases_count) {
  assert(workers_count > 0 && cases_count > 0);
  size_t same = messages_count + cases_count, each = (workers_count + 1) * cases_count;
  return same > each ? same : each;
}

static void check_batch(const struct ls_replay_batch *batch) {
  assert(batch->workers_count > 0 && batch->messages_count > 0 && batch->cases_count > 0);
  assert(batch->transfer_per_unit_s >= 0 && batch->compute_per_unit_s >= 0);
}

static void clear(double *numbers, size_t count) {
  memset(numbers, 0, count * sizeof *numbers);
}

/* With the same units in every case the network is the same, too, so its times are found once, and
 * then one worker after another is played. */
void ls_replay_batch_same(const struct ls_replay_batch *batch, double transfer_latency_s,
                          const double *units, double *makespans_s) {
  check_batch(batch);
  assert(transfer_latency_s >= 0);
  double *ends_s = batch->scratch, *free_s = ends_s + batch->messages_count, network_s = 0;
  size_t cases = batch->cases_count, messages = batch->messages_count;
  assert(messages + cases <= ls_replay_batch_scratch(batch->workers_count, messages, cases));
  for (size_t i = 0; i < messages; i++) {
    network_s += transfer_latency_s + batch->transfer_per_unit_s * units[i];
    ends_s[i] = network_s;
  }
  assert(network_s >= 0);
  clear(makespans_s, cases);
  for (size_t worker = 0; worker < batch->workers_count; worker++) {
    struct arrival arrivals[STRIDE];
    size_t waiting = 0;
    clear(free_s, cases);
    for (size_t i = worker; i < messages; i += batch->workers_count) {
      arrivals[waiting++] = (struct arrival){ends_s[i], batch->compute_per_unit_s * units[i]};
      if (waiting < STRIDE) continue;
      play_arrivals(cases, arrivals, batch->compute_latencies_s, free_s);
      waiting = 0;
    }
    assert(waiting < STRIDE);
    for (size_t i = 0; i < waiting; i++) {
      play_arrival(cases, arrivals[i], batch->compute_latencies_s, free_s);
    }
    keep_latest(cases, free_s, makespans_s);
  }
  assert(makespans_s[0] >= network_s);
}

void ls_replay_batch_each(const struct ls_replay_batch *batch, const double *transfer_latencies_s,
                          const double *const *units, double *makespans_s) {
  check_batch(batch);
  size_t cases = batch->cases_count, workers = batch->workers_count;
  assert(workers * cases + cases <= ls_replay_batch_scratch(workers, batch->messages_count, cases));
  double *free_s = batch->scratch, *network_s = free_s + workers * cases;
  struct message message = {.transfer_latencies_s = transfer_latencies_s,
                            .compute_latencies_s = batch->compute_latencies_s,
                            .transfer_per_unit_s = batch->transfer_per_unit_s,
                            .compute_per_unit_s = batch->compute_per_unit_s};
  clear(free_s, (workers + 1) * cases);
  for (size_t i = 0, worker = 0; i < batch->messages_count; i++) {
    assert(worker < workers);
    message.units = units[i];
    play_message(cases, &message, network_s, free_s + worker * cases);
    worker = worker + 1 < workers ? worker + 1 : 0;
  }
  clear(makespans_s, cases);
  for (size_t i = 0; i < workers; i++) keep_latest(cases, free_s + i * cases, makespans_s);
  assert(makespans_s[0] >= network_s[0]);
}
