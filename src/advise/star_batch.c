#include "advise/star_batch.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/replay_batch.h"
#include "planners/rounds/mi.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/one_round.h"
#include "planners/star/reduced_star.h"

enum {
  LANES = 32, /* platforms with units of their own that are played together */
  ROUNDS_MAX = LS_UMR_ROUNDS_MAX
};

struct ls_star_batch {
  struct ls_star_batch_setup setup;
  struct ls_star_worker *workers;
  double *units, *numbers, *scratch;
  /* Uniform rounds of some platforms with equally many rounds: units by round and, of the last
   * round, by worker; each row holds a number per platform. */
  double (*rounds)[LANES], (*last)[LANES];
  const double **rows;
  double lane_transfer_s[LANES], lane_compute_s[LANES], lane_makespans_s[LANES];
  size_t lane_platforms[LANES];
  uint8_t *rounds_of;
};

_Static_assert((int)LS_STAR_BATCH_INSTALLMENTS_MAX <= (int)ROUNDS_MAX, "rooms are for rounds");

static enum ls_status make_room(struct ls_star_batch *batch) {
  size_t workers = batch->setup.workers;
  size_t messages = workers * ROUNDS_MAX;
  size_t cases = batch->setup.count > LANES ? batch->setup.count : LANES;
  batch->workers = calloc(workers, sizeof *batch->workers);
  batch->units = calloc(workers, (LS_STAR_BATCH_INSTALLMENTS_MAX + 1) * sizeof *batch->units);
  batch->numbers = calloc(workers, 4 * sizeof *batch->numbers);
  batch->scratch =
      malloc(ls_replay_batch_scratch(workers, messages, cases) * sizeof *batch->scratch);
  batch->rounds = calloc(ROUNDS_MAX, sizeof *batch->rounds);
  batch->last = calloc(workers, sizeof *batch->last);
  batch->rows = calloc(messages, sizeof *batch->rows);
  batch->rounds_of = calloc(batch->setup.count, sizeof *batch->rounds_of);
  bool has_all = batch->workers != NULL && batch->units != NULL && batch->numbers != NULL &&
                 batch->scratch != NULL && batch->rounds != NULL && batch->last != NULL &&
                 batch->rows != NULL && batch->rounds_of != NULL;
  return has_all ? LS_OK : LS_ENOMEM;
}

enum ls_status ls_star_batch_create(struct ls_star_batch **batch,
                                    const struct ls_star_batch_setup *setup, struct ls_error *err) {
  assert(setup->workers >= 1 && setup->count >= 1);
  struct ls_star_batch *made = calloc(1, sizeof *made);
  if (made != NULL) made->setup = *setup;
  if (made == NULL || make_room(made) != LS_OK) {
    ls_star_batch_destroy(made);
    return ls_fail(err, LS_ENOMEM, "no memory for plans on %zu platforms of %zu workers",
                   setup->count, setup->workers);
  }
  for (size_t i = 0; i < setup->workers; i++) {
    made->workers[i] = (struct ls_star_worker){.send_per_unit_s = setup->transfer_per_unit_s,
                                               .compute_per_unit_s = setup->compute_per_unit_s,
                                               .number = (uint32_t)i};
  }
  *batch = made;
  return LS_OK;
}

void ls_star_batch_destroy(struct ls_star_batch *batch) {
  if (batch == NULL) return;
  free(batch->workers);
  free(batch->units);
  free(batch->numbers);
  free(batch->scratch);
  free(batch->rounds);
  free(batch->last);
  free(batch->rows);
  free(batch->rounds_of);
  free(batch);
}

/* Only latencies change from platform to platform. */
static void set_workers(struct ls_star_batch *batch, size_t platform) {
  double transfer_s = batch->setup.transfer_latencies_s[platform];
  double compute_s = batch->setup.compute_latencies_s[platform];
  for (size_t i = 0; i < batch->setup.workers; i++) {
    batch->workers[i].send_latency_s = transfer_s;
    batch->workers[i].compute_latency_s = compute_s;
  }
}

static struct ls_replay_batch make_batch(struct ls_star_batch *batch, size_t workers,
                                         size_t messages) {
  return (struct ls_replay_batch){.workers_count = workers,
                                  .messages_count = messages,
                                  .transfer_per_unit_s = batch->setup.transfer_per_unit_s,
                                  .compute_per_unit_s = batch->setup.compute_per_unit_s,
                                  .scratch = batch->scratch};
}

/* The first platform behind `from` with another transfer latency. */
static size_t end_of_row(const struct ls_star_batch *batch, size_t from) {
  const double *latencies_s = batch->setup.transfer_latencies_s;
  size_t end = from + 1;
  while (end < batch->setup.count && !(latencies_s[end] < latencies_s[from]) &&
         !(latencies_s[end] > latencies_s[from]))
    end++;
  return end;
}

/* Plays the platforms of a row with the same units. */
static bool play_row(struct ls_star_batch *batch, struct ls_replay_batch *replay, size_t from,
                     size_t end, double *makespans_s) {
  for (size_t i = 0; i < replay->messages_count; i++)
    if (!(batch->units[i] > 0)) return false;
  replay->cases_count = end - from;
  replay->compute_latencies_s = batch->setup.compute_latencies_s + from;
  ls_replay_batch_same(replay, batch->setup.transfer_latencies_s[from], batch->units,
                       makespans_s + from);
  return true;
}

/* Installments ignore the latencies: one plan serves all platforms. */
bool ls_star_batch_installments(struct ls_star_batch *batch, size_t installments,
                                double *makespans_s) {
  const struct ls_star_batch_setup *setup = &batch->setup;
  assert(installments >= 1 && installments <= LS_STAR_BATCH_INSTALLMENTS_MAX);
  struct ls_replay_batch replay = make_batch(batch, setup->workers, setup->workers * installments);
  ls_mi_sizes(setup->transfer_per_unit_s / setup->compute_per_unit_s, setup->workers, installments,
              setup->load, batch->units);
  for (size_t i = 0; i < setup->count;) {
    size_t end = end_of_row(batch, i);
    if (!play_row(batch, &replay, i, end, makespans_s)) return false;
    i = end;
  }
  return true;
}

/* Identical workers: the sizes of one round do not depend on the compute latency. */
bool ls_star_batch_one_round(struct ls_star_batch *batch, double *makespans_s) {
  for (size_t i = 0; i < batch->setup.count;) {
    size_t end = end_of_row(batch, i);
    set_workers(batch, i);
    size_t used = ls_one_round_sizes(batch->workers, batch->setup.workers, batch->setup.load,
                                     batch->numbers, batch->units);
    struct ls_replay_batch replay = make_batch(batch, used, used);
    if (!play_row(batch, &replay, i, end, makespans_s)) return false;
    i = end;
  }
  return true;
}

static void init_theory(struct ls_star_batch *batch, size_t platform, struct ls_umr *umr) {
  set_workers(batch, platform);
  ls_umr_init_identical(umr, batch->workers, batch->setup.workers, batch->setup.load);
}

static void choose_rounds(struct ls_star_batch *batch) {
  for (size_t i = 0; i < batch->setup.count; i++) {
    struct ls_umr umr;
    struct ls_star_worker worker = batch->workers[0];
    worker.send_latency_s = batch->setup.transfer_latencies_s[i];
    worker.compute_latency_s = batch->setup.compute_latencies_s[i];
    ls_umr_init_identical(&umr, &worker, batch->setup.workers, batch->setup.load);
    batch->rounds_of[i] = (uint8_t)ls_umr_choose_rounds(&umr);
  }
}

/* Puts the units of one platform into its lane; false: some worker gets nothing in some round. */
static bool fill_lane(struct ls_star_batch *batch, size_t lane, size_t platform, size_t rounds) {
  struct ls_umr umr;
  double sizes[ROUNDS_MAX];
  init_theory(batch, platform, &umr);
  ls_umr_round_sizes(&umr, rounds, sizes);
  for (size_t j = 0; j + 1 < rounds; j++) {
    batch->rounds[j][lane] = ls_umr_chunk(&umr, batch->workers, sizes[j]);
    if (!(batch->rounds[j][lane] > 0)) return false;
  }
  if (ls_umr_last_round(&umr, batch->workers, sizes[0], sizes[rounds - 1], batch->units))
    return false;
  for (size_t i = 0; i < batch->setup.workers; i++) {
    if (!(batch->units[i] > 0)) return false;
    batch->last[i][lane] = batch->units[i];
  }
  batch->lane_transfer_s[lane] = batch->setup.transfer_latencies_s[platform];
  batch->lane_compute_s[lane] = batch->setup.compute_latencies_s[platform];
  batch->lane_platforms[lane] = platform;
  return true;
}

static void play_lanes(struct ls_star_batch *batch, size_t lanes, size_t rounds,
                       double *makespans_s) {
  size_t workers = batch->setup.workers, messages = workers * rounds;
  for (size_t i = 0; i < messages; i++) {
    size_t round = i / workers;
    batch->rows[i] = round + 1 < rounds ? batch->rounds[round] : batch->last[i % workers];
  }
  struct ls_replay_batch replay = make_batch(batch, workers, messages);
  replay.cases_count = lanes;
  replay.compute_latencies_s = batch->lane_compute_s;
  ls_replay_batch_each(&replay, batch->lane_transfer_s, batch->rows, batch->lane_makespans_s);
  for (size_t i = 0; i < lanes; i++)
    makespans_s[batch->lane_platforms[i]] = batch->lane_makespans_s[i];
}

/* Platforms with equally many rounds are played together. One round is the plan of one-round. */
bool ls_star_batch_umr(struct ls_star_batch *batch, double *makespans_s) {
  choose_rounds(batch);
  if (!ls_star_batch_one_round(batch, makespans_s)) return false;
  for (size_t rounds = 2; rounds <= ROUNDS_MAX; rounds++) {
    size_t lanes = 0;
    for (size_t i = 0; i < batch->setup.count; i++) {
      if (batch->rounds_of[i] != rounds) continue;
      if (!fill_lane(batch, lanes++, i, rounds)) return false;
      if (lanes < LANES) continue;
      play_lanes(batch, lanes, rounds, makespans_s);
      lanes = 0;
    }
    if (lanes > 0) play_lanes(batch, lanes, rounds, makespans_s);
  }
  return true;
}
