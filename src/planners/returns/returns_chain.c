/* returns_chain.c: loads of a FIFO or LIFO with latencies, each from the one before.
 *
 * Reference:  beaumont2005, the recurrences of Theorems 1 and 2; the latencies in them are the
 *             project's own.
 * Assumes:    a FIFO or a LIFO as listed, two ports (one port: the makespan counts it, the loads
 *             do not).
 * Answers:    the rows of two neighbours i, j are both tight when
 *               FIFO:  c_j a_j + C_j + w_j a_j + W_j = w_i a_i + W_i + d_i a_i + D_i,
 *               LIFO:  c_j a_j + C_j + w_j a_j + W_j + d_j a_j + D_j = w_i a_i + W_i;
 *             a worker whose load would not be positive is passed over. The first load is found by
 *             bisection, so that all are the load of the problem.
 * Cost:       O(p) a step, about a thousand steps.
 * Symbols:    a -> units; c, w, d -> send_s, compute_s, reply_s; C, W, D -> their latencies.
 */
#include "planners/returns/returns_chain.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Numbers of workers that are tried, from the first of the order on; steps of bisection. */
enum { PARTS = 16, STEPS = 60 };

struct chain {
  const struct ls_returns *returns;
  struct ls_scenario *scenario;
  size_t count; /* of the order, from its beginning */
  bool is_fifo;
};

static bool is_fifo(const struct ls_scenario *scenario) {
  return memcmp(scenario->sends, scenario->returns, scenario->count * sizeof *scenario->sends) == 0;
}

static bool is_lifo(const struct ls_scenario *scenario) {
  for (size_t k = 0; k < scenario->count; k++)
    if (scenario->sends[k] != scenario->returns[scenario->count - 1 - k]) return false;
  return true;
}

/* The units of all when the first one has these; their sum. */
static double load_from(const struct chain *chain, double first) {
  double sum = 0, span_s = 0, *units = chain->scenario->units;
  memset(units, 0, chain->returns->count * sizeof *units);
  for (size_t k = 0; k < chain->count; k++) {
    uint32_t number = chain->scenario->sends[k];
    const struct ls_returns_worker *worker = &chain->returns->workers[number];
    double unit_s = worker->send_s + worker->compute_s;
    double latency_s = worker->send_latency_s + worker->compute_latency_s;
    if (!chain->is_fifo) {
      unit_s += worker->reply_s;
      latency_s += worker->reply_latency_s;
    }
    double load = k == 0 ? first : (span_s - latency_s) / unit_s;
    if (!(load > 0) || !isfinite(load)) continue;
    units[number] = load;
    sum += load;
    span_s = worker->compute_latency_s + worker->compute_s * load;
    if (chain->is_fifo) span_s += worker->reply_latency_s + worker->reply_s * load;
  }
  return sum;
}

/* Sets the units of so many workers; their makespan. Where a worker more makes the sum jump, the
 * units are brought to the load. */
static double load_chain(const struct chain *chain) {
  double least = 0, most = chain->returns->load, *units = chain->scenario->units;
  for (int step = 0; step < STEPS; step++) {
    double first = least + (most - least) / 2;
    if (load_from(chain, first) >= chain->returns->load)
      most = first;
    else
      least = first;
  }
  double sum = load_from(chain, most);
  if (!(sum > 0) || !isfinite(sum)) return (double)INFINITY;
  for (size_t k = 0; k < chain->count; k++)
    units[chain->scenario->sends[k]] *= chain->returns->load / sum;
  return ls_returns_makespan(chain->returns, chain->scenario, units);
}

double ls_returns_chain(const struct ls_returns *returns, struct ls_scenario *scenario) {
  struct chain chain = {.returns = returns, .scenario = scenario, .is_fifo = is_fifo(scenario)};
  double best_s = (double)INFINITY;
  size_t best = 0;
  if (scenario->count == 0 || (!chain.is_fifo && !is_lifo(scenario))) return best_s;
  for (size_t part = 1; part <= PARTS; part++) {
    chain.count = (scenario->count * part + PARTS - 1) / PARTS;
    double makespan_s = load_chain(&chain);
    if (!(makespan_s < best_s)) continue;
    best_s = makespan_s;
    best = chain.count;
  }
  chain.count = best > 0 ? best : scenario->count;
  return load_chain(&chain);
}
