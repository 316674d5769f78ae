/* returns.h: loads whose results return: the problem, and what all planners of returns
 * share.
 *
 * A scenario is an order of sends and an order of returns of the same enrolled workers, one chunk
 * each; the sends are packed from time 0, the returns up to the end.  Without latencies everything
 * is linear in the load: a scenario has a throughput, and loads are given for one second.  Orders
 * hold worker numbers.  The theory: docs/theory/returns.md, 1.
 */
#ifndef LS_PLANNERS_RETURNS_RETURNS_H
#define LS_PLANNERS_RETURNS_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "planners/planner.h"

/* One worker: seconds per unit, and latencies in seconds. */
struct ls_returns_worker {
  double send_s, compute_s, reply_s;
  double send_latency_s, compute_latency_s, reply_latency_s;
};

struct ls_returns_limits; /* returns_limits.h */

/* Which orders a planner may choose: those that it was given or that its rule makes; returns in the
 * order of sends, in the reverse one; or any. */
enum ls_returns_freedom {
  LS_RETURNS_GIVEN_ORDERS,
  LS_RETURNS_FIFO_ORDERS,
  LS_RETURNS_LIFO_ORDERS,
  LS_RETURNS_ANY_ORDERS
};

/* The problem: the costs of the workers, and the load to plan for them. Throughputs are those of
 * the costs alone. */
struct ls_returns {
  size_t count;
  struct ls_returns_worker *workers; /* owned */
  struct ls_returns_limits *limits;  /* by worker; owned; NULL: none has any */
  bool is_one_port;
  bool has_latency;
  double load;                     /* units */
  bool is_whole;                   /* whole units are wanted */
  enum ls_returns_freedom freedom; /* what whole units may change; the planner says so */
  struct ls_budget *budget;        /* of who looks for orders and subsets; NULL: no limit */
};

/* Orders of the same `count` workers and their units, by position in the order of sends. Room for
 * as many workers as the platform has. Owned. */
struct ls_scenario {
  size_t count;
  uint32_t *sends, *returns;
  double *units;  /* by worker; 0 of those that are not in the orders */
  double *ends_s; /* by worker; scratch */
  double throughput;
};

/* Does the theory cover the platform? (ls_planner's applicable) */
bool ls_returns_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why);
/* Reads costs and load of a platform that the theory covers. LS_EINVAL: a worker that costs
 * nothing. The caller closes. */
LS_CHECKED enum ls_status ls_returns_open(struct ls_returns *returns,
                                          const struct ls_planner_setup *setup,
                                          struct ls_budget *budget, struct ls_error *err);
void ls_returns_close(struct ls_returns *returns);

LS_CHECKED enum ls_status ls_scenario_open(struct ls_scenario *scenario, size_t workers_count,
                                           struct ls_error *err);
void ls_scenario_close(struct ls_scenario *scenario);
void ls_scenario_copy(struct ls_scenario *to, const struct ls_scenario *from, size_t workers_count);
/* Drops workers without units from the orders. */
void ls_scenario_compact(struct ls_scenario *scenario);
/* Drops from the orders, and leaves without units, who is not kept (by worker). */
void ls_scenario_keep(struct ls_scenario *scenario, const bool *is_kept);
/* The workers that are not in the orders stand behind in both, without units. */
void ls_scenario_list_others(struct ls_scenario *scenario, size_t workers_count);
/* Every worker once, in both orders as listed. */
void ls_scenario_list(struct ls_scenario *scenario, const uint32_t *order, size_t count);

/* When the last return ends, everything as early as possible, `units` by worker; workers without
 * units cost nothing. Uses the scenario's scratch. */
double ls_returns_makespan(const struct ls_returns *returns, const struct ls_scenario *scenario,
                           const double *units);

#endif
