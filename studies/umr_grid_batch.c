/* umr_grid_batch.c: the grid by the closed forms and the batch replay. */
#include <assert.h>
#include <string.h>

#include "planners/rounds/mi.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/one_round.h"
#include "planners/star/reduced_star.h"
#include "studies/replay_batch.h"
#include "studies/umr_grid.h"

enum {
  WORKERS_MAX = 50,
  INSTALLMENTS_MAX = 8,
  LANES = 32, /* cases that the batch replay plays together */
  ROUNDS_MAX = LS_UMR_ROUNDS_MAX
};
static const double LOAD = 1000;

/* Everything that one pair needs, of fixed size. */
struct board {
  const struct ls_umr_grid_pair *pair;
  struct ls_star_worker workers[WORKERS_MAX];
  double compute_latencies_s[LS_UMR_GRID_LATENCIES];
  double row[LS_UMR_GRID_LATENCIES]; /* makespans of all compute latencies */
  double units[WORKERS_MAX * (INSTALLMENTS_MAX + 1)], numbers[4 * WORKERS_MAX];
  double scratch[(WORKERS_MAX + 1) * LS_UMR_GRID_LATENCIES + WORKERS_MAX * INSTALLMENTS_MAX];
  /* Uniform rounds of some cases with equally many rounds: units by round and, of the last round,
   * by worker; each row holds a number per case. */
  double rounds[ROUNDS_MAX][LANES], last[WORKERS_MAX][LANES];
  double lane_network_s[LANES], lane_compute_s[LANES], lane_makespans_s[LANES];
  size_t lane_cases[LANES];
  const double *rows[ROUNDS_MAX * WORKERS_MAX];
  uint8_t rounds_of[LS_UMR_GRID_CASES];
};

static struct ls_star_worker make_worker(const struct ls_umr_grid_pair *pair,
                                         const struct ls_umr_grid_case *at) {
  return (struct ls_star_worker){.send_latency_s = ls_umr_grid_latency_s(at->network),
                                 .send_per_unit_s = 1 / (double)pair->bandwidth,
                                 .compute_latency_s = ls_umr_grid_latency_s(at->compute),
                                 .compute_per_unit_s = 1};
}

/* Only latencies change from case to case. */
static void set_workers(struct board *board, const struct ls_umr_grid_case *at) {
  double network_s = ls_umr_grid_latency_s(at->network);
  double compute_s = ls_umr_grid_latency_s(at->compute);
  for (size_t i = 0; i < board->pair->workers; i++) {
    board->workers[i].send_latency_s = network_s;
    board->workers[i].compute_latency_s = compute_s;
  }
}

static struct ls_replay_batch make_batch(struct board *board, size_t workers, size_t messages) {
  return (struct ls_replay_batch){.workers_count = workers,
                                  .messages_count = messages,
                                  .cases_count = LS_UMR_GRID_LATENCIES,
                                  .transfer_per_unit_s = 1 / (double)board->pair->bandwidth,
                                  .compute_per_unit_s = 1,
                                  .compute_latencies_s = board->compute_latencies_s,
                                  .scratch = board->scratch};
}

/* The first case behind `from` with another network latency. */
static size_t end_of_row(const struct ls_umr_grid_case *cases, size_t count, size_t from) {
  size_t end = from + 1;
  while (end < count && cases[end].network == cases[from].network) end++;
  return end;
}

/* Plays all compute latencies of a row with the same units, and keeps those that are wanted. */
static void play_row(struct board *board, const struct ls_replay_batch *batch,
                     const struct ls_umr_grid_case *cases, size_t count, double *makespans_s) {
  ls_replay_batch_same(batch, ls_umr_grid_latency_s(cases[0].network), board->units, board->row);
  for (size_t i = 0; i < count; i++) makespans_s[i] = board->row[cases[i].compute];
}

static void play_installments(struct board *board, size_t installments,
                              const struct ls_umr_grid_case *cases, size_t count,
                              double *makespans_s) {
  size_t workers = board->pair->workers;
  struct ls_replay_batch batch = make_batch(board, workers, workers * installments);
  ls_mi_sizes(1 / (double)board->pair->bandwidth, workers, installments, LOAD, board->units);
  for (size_t i = 0; i < count;) {
    size_t end = end_of_row(cases, count, i);
    play_row(board, &batch, cases + i, end - i, makespans_s + i);
    i = end;
  }
}

/* Identical workers: the sizes of one round do not depend on the compute latency. */
static void play_one_round(struct board *board, const struct ls_umr_grid_case *cases, size_t count,
                           double *makespans_s) {
  for (size_t i = 0; i < count;) {
    size_t end = end_of_row(cases, count, i);
    set_workers(board, &cases[i]);
    size_t used = ls_one_round_sizes(board->workers, board->pair->workers, LOAD, board->numbers,
                                     board->units);
    struct ls_replay_batch batch = make_batch(board, used, used);
    play_row(board, &batch, cases + i, end - i, makespans_s + i);
    i = end;
  }
}

static void choose_rounds(struct board *board, const struct ls_umr_grid_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct ls_umr umr;
    struct ls_star_worker worker = make_worker(board->pair, &cases[i]);
    ls_umr_init_identical(&umr, &worker, board->pair->workers, LOAD);
    board->rounds_of[i] = (uint8_t)ls_umr_choose_rounds(&umr);
  }
}

/* Puts the units of one case into its lane; false: some worker gets nothing in some round, which
 * the batch replay does not cover. */
static bool fill_lane(struct board *board, size_t lane, const struct ls_umr_grid_case *at,
                      size_t rounds) {
  struct ls_umr umr;
  double sizes[ROUNDS_MAX];
  set_workers(board, at);
  ls_umr_init_identical(&umr, board->workers, board->pair->workers, LOAD);
  ls_umr_round_sizes(&umr, rounds, sizes);
  for (size_t j = 0; j + 1 < rounds; j++) {
    board->rounds[j][lane] = ls_umr_chunk(&umr, board->workers, sizes[j]);
    if (!(board->rounds[j][lane] > 0)) return false;
  }
  if (ls_umr_last_round(&umr, board->workers, sizes[0], sizes[rounds - 1], board->units)) {
    return false;
  }
  for (size_t i = 0; i < board->pair->workers; i++) board->last[i][lane] = board->units[i];
  board->lane_network_s[lane] = board->workers[0].send_latency_s;
  board->lane_compute_s[lane] = board->workers[0].compute_latency_s;
  return true;
}

static void play_lanes(struct board *board, size_t lanes, size_t rounds, double *makespans_s) {
  size_t workers = board->pair->workers, messages = workers * rounds;
  for (size_t i = 0; i < messages; i++) {
    size_t round = i / workers;
    board->rows[i] = round + 1 < rounds ? board->rounds[round] : board->last[i % workers];
  }
  struct ls_replay_batch batch = make_batch(board, workers, messages);
  batch.cases_count = lanes;
  batch.compute_latencies_s = board->lane_compute_s;
  ls_replay_batch_each(&batch, board->lane_network_s, board->rows, board->lane_makespans_s);
  for (size_t i = 0; i < lanes; i++) {
    makespans_s[board->lane_cases[i]] = board->lane_makespans_s[i];
  }
}

/* Cases with equally many rounds share a batch. One round is the plan of one-round. */
static enum ls_status play_uniform(struct board *board, const struct ls_umr_grid_case *cases,
                                   size_t count, struct ls_umr_grid_makespans *makespans,
                                   struct ls_error *err) {
  double *makespans_s = makespans->at[LS_GRID_UMR];
  choose_rounds(board, cases, count);
  memcpy(makespans_s, makespans->at[LS_GRID_ONE_BATCH], count * sizeof *makespans_s);
  for (size_t rounds = 2; rounds <= ROUNDS_MAX; rounds++) {
    size_t lanes = 0;
    for (size_t i = 0; i < count; i++) {
      if (board->rounds_of[i] != rounds) continue;
      if (!fill_lane(board, lanes, &cases[i], rounds)) {
        return ls_fail(err, LS_EINVAL,
                       "case nLat %g, cLat %g: a chunk of %zu rounds is not > 0, use the general "
                       "replay",
                       ls_umr_grid_latency_s(cases[i].network),
                       ls_umr_grid_latency_s(cases[i].compute), rounds);
      }
      board->lane_cases[lanes++] = i;
      if (lanes < LANES) continue;
      play_lanes(board, lanes, rounds, makespans_s);
      lanes = 0;
    }
    if (lanes > 0) play_lanes(board, lanes, rounds, makespans_s);
  }
  return LS_OK;
}

enum ls_status ls_umr_grid_play_batch(const struct ls_umr_grid_pair *pair,
                                      const struct ls_umr_grid_case *cases, size_t count,
                                      struct ls_umr_grid_makespans *makespans,
                                      struct ls_error *err) {
  struct board board; /* every part is written before it is read */
  assert(pair->workers <= WORKERS_MAX && count <= LS_UMR_GRID_CASES);
  const struct ls_umr_grid_case none = {0};
  board.pair = pair;
  for (size_t i = 0; i < pair->workers; i++) {
    board.workers[i] = make_worker(pair, &none);
    board.workers[i].number = (uint32_t)i;
  }
  for (size_t i = 0; i < LS_UMR_GRID_LATENCIES; i++) {
    board.compute_latencies_s[i] = ls_umr_grid_latency_s(i);
  }
  for (size_t i = 1; i <= INSTALLMENTS_MAX; i++) {
    play_installments(&board, i, cases, count, makespans->at[LS_GRID_MI_1 + i - 1]);
  }
  play_one_round(&board, cases, count, makespans->at[LS_GRID_ONE_BATCH]);
  enum ls_status status = play_uniform(&board, cases, count, makespans, err);
  if (status == LS_OK) return LS_OK;
  return ls_fail_while(err, status, "N = %u, B = %u", (unsigned)pair->workers,
                       (unsigned)pair->bandwidth);
}
