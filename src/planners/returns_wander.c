/* returns_wander.c: good pairs of orders by local search.
 *
 * Reference:  section 6 of the project's specification of returns; beyond 12 workers this project's
 *             own: swaps of neighbours and drops in closed form (returns_chain.c).
 * Assumes:    no latencies.
 * Answers:    never worse than the best FIFO and the best LIFO.  Up to 12 workers the better of
 *             them, random pairs and the best pair disturbed are climbed from, and unused workers'
 *             rows left out at the end.  Up to
 *             400 workers the best is disturbed and climbed again.  Beyond, and for many workers
 *             on one port, the better of FIFO and LIFO (one port: also the pair found for two).
 * Cost:       O(p^2) programs of microseconds to 12 workers, else O(p^2) a swap made.
 * Symbols:    none.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "planners/returns_chain_private.h"
#include "planners/returns_small_private.h"

enum { CHAIN_MAX = 400, PASSES_MAX = 1000, KICKS_PER_START = 2, KICK_SWAPS = 3 };

struct wander {
  const struct ls_returns *returns;
  struct ls_returns_search *search;
  struct ls_scenario *best, candidate;
};

static bool is_over(struct wander *wander) {
  struct ls_returns_search *search = wander->search;
  if (search->work_max > 0 && search->nodes >= search->work_max) search->is_stopped = true;
  if (!search->is_stopped && search->stop != NULL)
    search->is_stopped = search->stop(search->stop_context);
  return search->is_stopped;
}

/* Keeps the candidate when it is better. */
static void offer(struct wander *wander) {
  if (!(wander->candidate.throughput > wander->best->throughput * (1 + 1e-13))) return;
  ls_scenario_copy(wander->best, &wander->candidate, wander->returns->count);
}

/* ---- to 12 workers ---- */

static void climb_small(struct wander *wander, const struct ls_small *small,
                        const uint32_t *workers, struct ls_pair *pair) {
  struct ls_returns_search *search = wander->search;
  struct ls_climb climb = {.stop = search->stop,
                           .stop_context = search->stop_context,
                           .programs = search->nodes,
                           .programs_max = search->work_max,
                           .is_stopped = search->is_stopped};
  (void)ls_pair_climb(small, pair, &climb);
  search->nodes = climb.programs;
  search->is_stopped = climb.is_stopped;
  ls_pair_to(pair, small, wander->returns, workers, &wander->candidate);
  offer(wander);
}

/* The rows of the enrolled only: every subset of the best pair. */
static void leave_rows_out(struct wander *wander) {
  const struct ls_scenario *best = wander->best;
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
    ls_small_init(&small, wander->returns, members, chosen);
    ls_pair_of(&pair, &small, members, &orders);
    ls_pair_to(&pair, &small, wander->returns, members, &wander->candidate);
    offer(wander);
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

static void wander_small(struct wander *wander) {
  uint32_t workers[LS_SMALL_MAX];
  size_t count = wander->returns->count;
  struct ls_small small;
  struct ls_pair pair;
  struct ls_random random;
  for (size_t i = 0; i < count; i++) workers[i] = (uint32_t)i;
  ls_small_init(&small, wander->returns, workers, count);
  ls_random_init(&random, wander->search->seed, "returns-search");
  ls_pair_of(&pair, &small, workers, wander->best);
  climb_small(wander, &small, workers, &pair);
  for (uint64_t start = 0; start < wander->search->starts && !is_over(wander); start++) {
    ls_pair_shuffle(&pair, count, &random);
    climb_small(wander, &small, workers, &pair);
  }
  for (uint64_t turn = 0; turn < KICKS_PER_START * wander->search->starts && !is_over(wander);
       turn++) {
    ls_pair_of(&pair, &small, workers, wander->best);
    kick(&pair, count, &random);
    climb_small(wander, &small, workers, &pair);
  }
  ls_scenario_compact(wander->best);
  leave_rows_out(wander);
}

/* ---- more workers ---- */

static void climb_chain(struct wander *wander, struct ls_chain *chain) {
  bool has_improved = true;
  for (int pass = 0; pass < PASSES_MAX && has_improved && !is_over(wander); pass++) {
    has_improved = false;
    for (int side = 0; side < 2; side++) {
      for (size_t place = 0; place + 1 < chain->count; place++) {
        wander->search->nodes++;
        if (ls_chain_swap(chain, side, place, 1e-12)) has_improved = true;
      }
    }
    for (size_t i = 0; i < chain->count; i++) {
      if (ls_chain_drop(chain, i)) has_improved = true;
    }
  }
}

/* Inverses drift: the candidate is what the orders give afresh. */
static void offer_chain(struct wander *wander, struct ls_chain *chain) {
  ls_chain_store(chain, wander->returns, &wander->candidate);
  if (!ls_chain_load(chain, wander->returns, &wander->candidate)) return;
  ls_chain_store(chain, wander->returns, &wander->candidate);
  offer(wander);
}

static void disturb(struct ls_chain *chain, struct ls_random *random) {
  for (size_t k = 0; k < chain->count && chain->count > 1; k++) {
    int side = (int)ls_random_below(random, 2);
    (void)ls_chain_swap(chain, side, ls_random_below(random, chain->count - 1), -0.01);
  }
}

static void wander_chain(struct wander *wander, struct ls_chain *chain,
                         const struct ls_scenario *start) {
  struct ls_random random;
  ls_random_init(&random, wander->search->seed, "returns-search");
  if (!ls_chain_load(chain, wander->returns, start)) return;
  climb_chain(wander, chain);
  offer_chain(wander, chain);
  for (uint64_t turn = 0; turn < wander->search->starts && !is_over(wander); turn++) {
    if (!ls_chain_load(chain, wander->returns, wander->best)) return;
    disturb(chain, &random);
    climb_chain(wander, chain);
    offer_chain(wander, chain);
  }
}

/* From the better of the two; the other one only climbs. */
static enum ls_status wander_large(struct wander *wander, struct ls_error *err) {
  struct ls_chain chain;
  struct ls_scenario start;
  enum ls_status status = ls_scenario_open(&start, wander->returns->count, err);
  if (status != LS_OK) return status;
  status = ls_chain_open(&chain, wander->returns->count, err);
  if (status == LS_OK) {
    bool is_proven;
    status = ls_returns_fifo(wander->returns, &start, &is_proven, err);
    if (status == LS_OK) wander_chain(wander, &chain, &start);
    if (status == LS_OK) status = ls_returns_lifo(wander->returns, &start, err);
    if (status == LS_OK) wander_chain(wander, &chain, &start);
  }
  ls_chain_close(&chain);
  ls_scenario_close(&start);
  return status;
}

/* One port: the pair found for two ports, with the loads that one allows. */
static enum ls_status narrow(struct wander *wander, struct ls_error *err) {
  struct ls_returns two_port = *wander->returns;
  two_port.is_one_port = false;
  enum ls_status status = ls_returns_local(&two_port, wander->search, &wander->candidate, err);
  if (status != LS_OK) return status;
  status = ls_returns_program(wander->returns, &wander->candidate, err);
  if (status != LS_OK) return status;
  ls_scenario_compact(&wander->candidate);
  offer(wander);
  return LS_OK;
}

enum ls_status ls_returns_local(const struct ls_returns *returns, struct ls_returns_search *search,
                                struct ls_scenario *scenario, struct ls_error *err) {
  struct wander wander = {.returns = returns, .search = search, .best = scenario};
  bool is_proven;
  search->nodes = 0;
  search->is_stopped = false;
  search->upper_bound = HUGE_VAL;
  enum ls_status status = ls_scenario_open(&wander.candidate, returns->count, err);
  if (status == LS_OK) status = ls_returns_fifo(returns, scenario, &is_proven, err);
  if (status == LS_OK) status = ls_returns_lifo(returns, &wander.candidate, err);
  if (status == LS_OK) {
    offer(&wander);
    if (returns->count <= LS_SMALL_MAX)
      wander_small(&wander);
    else if (returns->count <= CHAIN_MAX)
      status = returns->is_one_port ? narrow(&wander, err) : wander_large(&wander, err);
  }
  ls_scenario_close(&wander.candidate);
  return status;
}
