/* iterated_search.c: good pairs of orders by local search.
 *
 * Reference:  docs/theory/returns.md, 6; beyond 12 workers this project's own: swaps of
 *             neighbours and drops in closed form (basis_update.c).
 * Assumes:    no latencies.
 * Answers:    never worse than the best FIFO and the best LIFO.  Up to 12 workers the better of
 *             them, random pairs and the best pair disturbed are climbed from, and unused workers'
 *             rows left out at the end.  Up to
 *             400 workers the best is disturbed and climbed again.  Beyond, and for many workers
 *             on one port, the better of FIFO and LIFO (one port: also the pair found for two).
 * Cost:       O(p^2) programs of microseconds to 12 workers, else O(p^2) a swap made.
 * Symbols:    none.
 */

#include "planners/returns/iterated_search.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "planners/returns/basis_update.h"
#include "planners/returns/dual_simplex.h"
#include "planners/returns/pair_search.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_program.h"

enum { BASIS_MAX = 400, PASSES_MAX = 1000, KICKS_PER_START = 2, KICK_SWAPS = 3 };

struct iterated {
  const struct ls_returns *returns;
  const struct ls_iterated_search *search;
  struct ls_scenario *best, candidate;
};

/* Keeps the candidate when it is better. */
static void offer(struct iterated *iterated) {
  if (!(iterated->candidate.throughput > iterated->best->throughput * (1 + 1e-13))) return;
  ls_scenario_copy(iterated->best, &iterated->candidate, iterated->returns->count);
}

/* ---- to 12 workers ---- */

static void climb_small(struct iterated *iterated, const struct ls_small *small,
                        const uint32_t *workers, struct ls_pair *pair) {
  (void)ls_pair_climb(small, pair, iterated->returns->budget);
  ls_pair_to(pair, small, iterated->returns, workers, &iterated->candidate);
  offer(iterated);
}

/* The rows of the enrolled only: every subset of the best pair. */
static void leave_rows_out(struct iterated *iterated) {
  const struct ls_scenario *best = iterated->best;
  size_t count = best->count;
  uint32_t listed[LS_SMALL_MAX], members[LS_SMALL_MAX];
  struct ls_scenario orders = *best; /* of the listed; a view of what offer() overwrites */
  uint32_t sends[LS_SMALL_MAX], returned[LS_SMALL_MAX];
  memcpy(sends, best->sends, count * sizeof *sends);
  memcpy(returned, best->returns, count * sizeof *returned);
  memcpy(listed, best->sends, count * sizeof *listed);
  orders.sends = sends;
  orders.returns = returned;
  for (uint32_t mask = 1; mask + 1 < (uint32_t)1 << count; mask++) {
    struct ls_small small;
    struct ls_pair pair;
    size_t chosen = 0;
    for (size_t k = 0; k < count; k++) {
      if (((mask >> k) & 1) != 0) members[chosen++] = listed[k];
    }
    ls_small_init(&small, iterated->returns, members, chosen);
    ls_pair_of(&pair, &small, members, &orders);
    ls_pair_to(&pair, &small, iterated->returns, members, &iterated->candidate);
    offer(iterated);
  }
}

/* Some workers of the pair change places at random. */
static void kick(struct ls_pair *pair, size_t count, struct ls_random *random) {
  for (int swap = 0; swap < KICK_SWAPS; swap++) {
    uint8_t *order = pair->order[ls_random_below(random, 2)];
    size_t i = ls_random_below(random, count), j = ls_random_below(random, count);
    uint8_t worker = order[i];
    order[i] = order[j];
    order[j] = worker;
  }
}

static void iterate_small(struct iterated *iterated) {
  uint32_t workers[LS_SMALL_MAX];
  size_t count = iterated->returns->count;
  struct ls_small small;
  struct ls_pair pair;
  struct ls_random random;
  for (size_t i = 0; i < count; i++) workers[i] = (uint32_t)i;
  ls_small_init(&small, iterated->returns, workers, count);
  ls_random_init(&random, iterated->search->seed, "returns-search");
  ls_pair_of(&pair, &small, workers, iterated->best);
  climb_small(iterated, &small, workers, &pair);
  for (uint64_t start = 0;
       start < iterated->search->starts && !ls_budget_is_spent(iterated->returns->budget);
       start++) {
    ls_pair_shuffle(&pair, count, &random);
    climb_small(iterated, &small, workers, &pair);
  }
  for (uint64_t turn = 0; turn < KICKS_PER_START * iterated->search->starts &&
                          !ls_budget_is_spent(iterated->returns->budget);
       turn++) {
    ls_pair_of(&pair, &small, workers, iterated->best);
    kick(&pair, count, &random);
    climb_small(iterated, &small, workers, &pair);
  }
  ls_scenario_compact(iterated->best);
  leave_rows_out(iterated);
}

/* ---- more workers ---- */

static void climb_basis(struct iterated *iterated, struct ls_basis *basis) {
  bool has_improved = true;
  for (int pass = 0;
       pass < PASSES_MAX && has_improved && !ls_budget_is_spent(iterated->returns->budget);
       pass++) {
    has_improved = false;
    for (int side = 0; side < 2; side++) {
      for (size_t place = 0; place + 1 < basis->count; place++) {
        ls_budget_spend(iterated->returns->budget, 1);
        if (ls_basis_swap(basis, side, place, 1e-12)) has_improved = true;
      }
    }
    for (size_t i = 0; i < basis->count; i++) {
      if (ls_basis_drop(basis, i)) has_improved = true;
    }
  }
}

/* Inverses drift: the candidate's loads are computed afresh from the orders. */
static void offer_basis(struct iterated *iterated, struct ls_basis *basis) {
  ls_basis_store(basis, iterated->returns, &iterated->candidate);
  if (!ls_basis_load(basis, iterated->returns, &iterated->candidate)) return;
  ls_basis_store(basis, iterated->returns, &iterated->candidate);
  offer(iterated);
}

static void disturb(struct ls_basis *basis, struct ls_random *random) {
  for (size_t k = 0; k < basis->count && basis->count > 1; k++) {
    int side = (int)ls_random_below(random, 2);
    (void)ls_basis_swap(basis, side, ls_random_below(random, basis->count - 1), -0.01);
  }
}

static void iterate_basis(struct iterated *iterated, struct ls_basis *basis,
                          const struct ls_scenario *start) {
  struct ls_random random;
  ls_random_init(&random, iterated->search->seed, "returns-search");
  if (!ls_basis_load(basis, iterated->returns, start)) return;
  climb_basis(iterated, basis);
  offer_basis(iterated, basis);
  for (uint64_t turn = 0;
       turn < iterated->search->starts && !ls_budget_is_spent(iterated->returns->budget); turn++) {
    if (!ls_basis_load(basis, iterated->returns, iterated->best)) return;
    disturb(basis, &random);
    climb_basis(iterated, basis);
    offer_basis(iterated, basis);
  }
}

/* From the better of the two; the other one only climbs. */
static enum ls_status iterate_large(struct iterated *iterated, struct ls_error *err) {
  struct ls_basis basis;
  struct ls_scenario start;
  enum ls_status status = ls_scenario_open(&start, iterated->returns->count, err);
  if (status != LS_OK) return status;
  status = ls_basis_open(&basis, iterated->returns->count, err);
  if (status == LS_OK) {
    bool is_proven;
    status = ls_returns_fifo(iterated->returns, &start, &is_proven, err);
    if (status == LS_OK) iterate_basis(iterated, &basis, &start);
    if (status == LS_OK) status = ls_returns_lifo(iterated->returns, &start, err);
    if (status == LS_OK) iterate_basis(iterated, &basis, &start);
  }
  ls_basis_close(&basis);
  ls_scenario_close(&start);
  return status;
}

/* One port: the pair found for two ports, with the loads that one allows. */
static enum ls_status narrow(struct iterated *iterated, struct ls_error *err) {
  struct ls_returns two_port = *iterated->returns;
  two_port.is_one_port = false;
  enum ls_status status =
      ls_iterated_search_run(&two_port, iterated->search, &iterated->candidate, err);
  if (status != LS_OK) return status;
  status = ls_returns_program(iterated->returns, &iterated->candidate, err);
  if (status != LS_OK) return status;
  ls_scenario_compact(&iterated->candidate);
  offer(iterated);
  return LS_OK;
}

enum ls_status ls_iterated_search_run(const struct ls_returns *returns,
                                      const struct ls_iterated_search *search,
                                      struct ls_scenario *scenario, struct ls_error *err) {
  struct iterated iterated = {.returns = returns, .search = search, .best = scenario};
  bool is_proven;
  enum ls_status status = ls_scenario_open(&iterated.candidate, returns->count, err);
  if (status == LS_OK) status = ls_returns_fifo(returns, scenario, &is_proven, err);
  if (status == LS_OK) status = ls_returns_lifo(returns, &iterated.candidate, err);
  if (status == LS_OK) {
    offer(&iterated);
    if (returns->count <= LS_SMALL_MAX)
      iterate_small(&iterated);
    else if (returns->count <= BASIS_MAX)
      status = returns->is_one_port ? narrow(&iterated, err) : iterate_large(&iterated, err);
  }
  ls_scenario_close(&iterated.candidate);
  return status;
}
