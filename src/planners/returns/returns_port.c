/* returns_port.c: FIFO orders where sends and returns share one port.
 *
 * Reference:  docs/theory/returns.md, 3; beaumont2005b treats the case.
 * Assumes:    no latencies.
 * Answers:    d = z c: the order by c (z <= 1), or against c (z > 1), with the program's loads.
 *             Where the port is full, the workers 1..k-1 of the order have full rows and worker k
 *             has what the port leaves (z > 1: the same in reversed time); the best k is found in
 *             O(p).  Uncorrelated costs: the best of three orders by the program, not proven; of
 *             more than 1000 workers only their prefixes are looked at.
 * Cost:       O(p log p) for d = z c; three programs for uncorrelated costs.
 * Symbols:    c -> send_s, w -> compute_s, d -> reply_s, theta -> scale.
 */

#include "planners/returns/returns_port.h"

#include <math.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_program.h"

/* Prefixes are as good as the program where d = z c, and all there is beyond ORDER_WORKERS_MAX. */
enum { PROGRAM_WORKERS_MAX = 200, ORDER_WORKERS_MAX = 1000 };

/* Loads of a prefix of an order: all rows full, or the last worker's load set by the port. */
struct prefix {
  size_t count;
  double throughput, scale, last; /* units of the recurrence times scale; of the last worker */
};

struct costs {
  double send_s, compute_s, reply_s;
};

/* In reversed time sends are returns, and the order runs backwards. */
static struct costs cost_at(const struct ls_returns *returns, const struct ls_scenario *scenario,
                            size_t place, bool is_mirrored) {
  size_t index = is_mirrored ? scenario->count - 1 - place : place;
  const struct ls_returns_worker *worker = &returns->workers[scenario->sends[index]];
  if (is_mirrored) return (struct costs){worker->reply_s, worker->compute_s, worker->send_s};
  return (struct costs){worker->send_s, worker->compute_s, worker->reply_s};
}

/* Sums over the workers before the one looked at: of u, and of c u, d u. */
struct sums {
  double units, sent_s, replied_s;
};

/* The best the worker `at` can add as the last one, whose own u is `u`. */
static struct prefix try_last(const struct sums *before, const struct costs *at, double u,
                              size_t count) {
  struct prefix found = {.count = count};
  double time_s = 1 + before->replied_s;
  double full_s = time_s + at->reply_s * u;
  double port = before->sent_s + before->replied_s + (at->send_s + at->reply_s) * u;
  if (port <= full_s) { /* the port is not full: all rows are */
    found.scale = 1 / full_s;
    found.last = u / full_s;
  } else {
    double used = before->sent_s + before->replied_s;
    double determinant = time_s * (at->send_s + at->reply_s) - at->reply_s * used;
    found.scale = at->send_s / determinant;
    found.last = (time_s - used) / determinant;
    double row =
        found.scale * before->sent_s + (at->send_s + at->compute_s + at->reply_s) * found.last;
    if (!(determinant > 0) || !(found.last >= 0) || !(row <= 1 + 1e-12)) return (struct prefix){0};
  }
  found.throughput = found.scale * before->units + found.last;
  return found;
}

static const double LARGE = 1e100;

static struct prefix find_prefix(const struct ls_returns *returns,
                                 const struct ls_scenario *scenario, bool is_mirrored) {
  struct prefix best = {0};
  struct sums sums = {0};
  double u = 1;
  for (size_t k = 0; k < scenario->count && u < LARGE; k++) {
    struct costs at = cost_at(returns, scenario, k, is_mirrored);
    if (!(at.send_s + at.compute_s > 0)) break;
    u /= at.send_s + at.compute_s;
    struct prefix here = try_last(&sums, &at, u, k + 1);
    if (here.throughput > best.throughput * (1 + 1e-14)) best = here;
    sums.units += u;
    sums.sent_s += at.send_s * u;
    sums.replied_s += at.reply_s * u;
    u *= at.reply_s + at.compute_s;
  }
  return best;
}

static void set_prefix(const struct ls_returns *returns, struct ls_scenario *scenario,
                       const struct prefix *prefix, bool is_mirrored) {
  double u = prefix->scale;
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  for (size_t k = 0; k < prefix->count; k++) {
    struct costs at = cost_at(returns, scenario, k, is_mirrored);
    u /= at.send_s + at.compute_s;
    size_t index = is_mirrored ? scenario->count - 1 - k : k;
    scenario->units[scenario->sends[index]] = k + 1 == prefix->count ? prefix->last : u;
    u *= at.reply_s + at.compute_s;
  }
  memcpy(scenario->returns, scenario->sends, scenario->count * sizeof *scenario->sends);
  scenario->throughput = prefix->throughput;
  ls_scenario_compact(scenario);
}

enum ls_status ls_returns_fifo_one_port_in_order(const struct ls_returns *returns,
                                                 struct ls_scenario *scenario,
                                                 struct ls_error *err) {
  memcpy(scenario->returns, scenario->sends, scenario->count * sizeof *scenario->sends);
  if (scenario->count <= ORDER_WORKERS_MAX) return ls_returns_program(returns, scenario, err);
  struct prefix forwards = find_prefix(returns, scenario, false);
  struct prefix backwards = find_prefix(returns, scenario, true);
  bool is_mirrored = backwards.throughput > forwards.throughput;
  set_prefix(returns, scenario, is_mirrored ? &backwards : &forwards, is_mirrored);
  return LS_OK;
}

static void reverse_order(struct ls_scenario *scenario) {
  for (size_t i = 0; i < scenario->count / 2; i++) {
    uint32_t worker = scenario->sends[i];
    scenario->sends[i] = scenario->sends[scenario->count - 1 - i];
    scenario->sends[scenario->count - 1 - i] = worker;
  }
}

/* d = z c. */
static enum ls_status find_related(const struct ls_returns *returns, double ratio,
                                   struct ls_scenario *scenario, struct ls_error *err) {
  bool is_mirrored = ratio > 1;
  enum ls_returns_key key = is_mirrored ? LS_RETURNS_BY_REPLY : LS_RETURNS_BY_SEND;
  enum ls_status status = ls_returns_sort(returns, key, scenario->sends, err);
  if (status != LS_OK) return status;
  scenario->count = returns->count;
  if (is_mirrored) reverse_order(scenario);
  if (scenario->count <= PROGRAM_WORKERS_MAX) {
    memcpy(scenario->returns, scenario->sends, scenario->count * sizeof *scenario->sends);
    return ls_returns_program(returns, scenario, err);
  }
  struct prefix best = find_prefix(returns, scenario, is_mirrored);
  set_prefix(returns, scenario, &best, is_mirrored);
  return LS_OK;
}

/* Takes the order in `candidate` when it is better. */
static enum ls_status offer_order(const struct ls_returns *returns, struct ls_scenario *candidate,
                                  struct ls_scenario *best, struct ls_error *err) {
  enum ls_status status = ls_returns_fifo_one_port_in_order(returns, candidate, err);
  if (status == LS_OK && candidate->throughput > best->throughput * (1 + 1e-13))
    ls_scenario_copy(best, candidate, returns->count);
  return status;
}

static enum ls_status find_unrelated(const struct ls_returns *returns, struct ls_scenario *scenario,
                                     struct ls_error *err) {
  struct ls_returns two_port = *returns;
  two_port.is_one_port = false;
  struct ls_scenario candidate;
  enum ls_status status = ls_scenario_open(&candidate, returns->count, err);
  if (status != LS_OK) return status;
  bool is_proven;
  scenario->throughput = 0;
  status = ls_returns_fifo(&two_port, &candidate, &is_proven, err);
  if (status == LS_OK) status = offer_order(returns, &candidate, scenario, err);
  if (status == LS_OK) status = ls_returns_sort(returns, LS_RETURNS_BY_SEND, candidate.sends, err);
  candidate.count = returns->count;
  if (status == LS_OK) status = offer_order(returns, &candidate, scenario, err);
  if (status == LS_OK) status = ls_returns_sort(returns, LS_RETURNS_BY_REPLY, candidate.sends, err);
  candidate.count = returns->count;
  reverse_order(&candidate);
  if (status == LS_OK) status = offer_order(returns, &candidate, scenario, err);
  ls_scenario_close(&candidate);
  return status;
}

enum ls_status ls_returns_fifo_one_port(const struct ls_returns *returns,
                                        struct ls_scenario *scenario, bool *is_proven,
                                        struct ls_error *err) {
  double ratio = ls_returns_ratio(returns);
  *is_proven = false; /* the order is not proven best; it was the best on 600 platforms */
  if (!isnan(ratio)) return find_related(returns, ratio, scenario, err);
  return find_unrelated(returns, scenario, err);
}
