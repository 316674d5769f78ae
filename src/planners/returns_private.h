/* returns_private.h: loads whose results return: the problem, and what all planners of returns
 * share.
 *
 * A scenario is an order of sends and an order of returns of the same enrolled workers, one chunk
 * each; the sends are packed from time 0, the returns up to the end.  Without latencies everything
 * is linear in the load: a scenario has a throughput, and loads are given for one second.  Orders
 * hold worker numbers.  beaumont2005 and the project's specification of returns are cited in the
 * files.
 */
#ifndef LS_PLANNERS_RETURNS_PRIVATE_H
#define LS_PLANNERS_RETURNS_PRIVATE_H

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

/* The problem: what the workers cost, and what is to be planned for them. Throughputs are those of
 * the costs alone. */
struct ls_returns {
  size_t count;
  struct ls_returns_worker *workers; /* owned */
  bool is_one_port;
  bool has_latency;
  double load;   /* units */
  bool is_whole; /* whole units are wanted */
  /* Asked between the programs of an enumeration: true ends it. NULL: never. */
  bool (*stop)(void *context);
  void *stop_context;
};

/* Orders of the same `count` workers and their units, by position in the order of sends. Room for
 * as many workers as the platform has. Owned. */
struct ls_scenario {
  size_t count;
  uint32_t *sends, *returns;
  double *units;  /* by worker; 0 of those who are not in the orders */
  double *ends_s; /* by worker; scratch */
  double throughput;
};

/* What a planner tells of how it found a scenario. */
struct ls_returns_verdict {
  double makespan_s;  /* predicted, of the problem's load */
  bool is_proven;     /* no scenario of the planner's kind is better */
  double gap;         /* at most so much better, relatively; NAN: not known */
  uint64_t nodes;     /* of a search; 0: none */
  bool is_search;     /* nodes and the gap are worth telling */
  bool is_stopped;    /* by the caller's clock or the limit of work: the best so far */
  double linear_s;    /* makespan of the orders without latencies and with parts of units, which
                         neither improves; 0: not known */
  double latencies_s; /* what latencies add to it at most */
};

/* Reads costs and load. A platform that the theory does not cover makes `plan` refuse; LS_EINVAL: a
 * worker that costs nothing. The caller closes. */
LS_CHECKED enum ls_status ls_returns_open(struct ls_returns *returns,
                                          const struct ls_planner_setup *setup,
                                          struct ls_plan *plan, struct ls_error *err);
void ls_returns_close(struct ls_returns *returns);

LS_CHECKED enum ls_status ls_scenario_open(struct ls_scenario *scenario, size_t workers_count,
                                           struct ls_error *err);
void ls_scenario_close(struct ls_scenario *scenario);
void ls_scenario_copy(struct ls_scenario *to, const struct ls_scenario *from, size_t workers_count);
/* Drops workers without units from the orders. */
void ls_scenario_compact(struct ls_scenario *scenario);
/* Everybody once, in both orders as listed. */
void ls_scenario_list(struct ls_scenario *scenario, const uint32_t *order, size_t count);

/* When the last return ends, everything as early as possible, `units` by worker; workers without
 * units cost nothing. Uses the scenario's scratch. */
double ls_returns_makespan(const struct ls_returns *returns, const struct ls_scenario *scenario,
                           const double *units);

/* What the latencies of those who get something add at most to a makespan without them. */
double ls_returns_latencies(const struct ls_returns *returns, const struct ls_scenario *scenario);
/* Turns a scenario, whose units may be for any load, into the plan of returns->load: rounds where
 * whole units are wanted, adds chunks, returns and parameters. The verdict is on parts of units;
 * the plan says what it means for whole ones. */
LS_CHECKED enum ls_status ls_returns_emit(const struct ls_returns *returns,
                                          struct ls_scenario *scenario,
                                          const struct ls_returns_verdict *verdict,
                                          struct ls_plan *plan, struct ls_error *err);
/* Emits a scenario with its throughput and the units for one second; with latencies the best subset
 * of it in the same orders. */
LS_CHECKED enum ls_status ls_returns_finish(const struct ls_returns *returns,
                                            struct ls_scenario *scenario, bool is_proven,
                                            struct ls_plan *plan, struct ls_error *err);
/* Whole units of a scenario: rounded down, then what is left handed out, by largest remainder or to
 * whom it delays least, whichever ends earlier. `total` units, over the workers of the orders. */
LS_CHECKED enum ls_status ls_returns_round(const struct ls_returns *returns,
                                           const struct ls_scenario *scenario, uint64_t total,
                                           double *units, struct ls_error *err);

/* ---- orders with a closed form (returns_orders.c) ---- */

/* Sets the throughput and the units for one second of the LIFO (FIFO) of scenario->sends as listed,
 * everybody loaded; the returns are set. FIFO: two-port, send + compute > 0. */
void ls_returns_lifo_loads(const struct ls_returns *returns, struct ls_scenario *scenario);
void ls_returns_fifo_loads(const struct ls_returns *returns, struct ls_scenario *scenario);
/* The best LIFO, both ports. */
LS_CHECKED enum ls_status ls_returns_lifo(const struct ls_returns *returns,
                                          struct ls_scenario *scenario, struct ls_error *err);
/* The best FIFO; `is_proven` false: one port and uncorrelated costs. */
LS_CHECKED enum ls_status ls_returns_fifo(const struct ls_returns *returns,
                                          struct ls_scenario *scenario, bool *is_proven,
                                          struct ls_error *err);
/* Lists the workers, too, that a FIFO leaves out, where the rule of its order has them, without
 * units: with latencies they may be the better ones. */
void ls_returns_fifo_list_all(const struct ls_returns *returns, struct ls_scenario *scenario);
/* The FIFO in the order of the sends as listed; with one port the best loads (of more than 1000
 * workers: of the first or last ones only), where zeros tell who is out. */
LS_CHECKED enum ls_status ls_returns_fifo_in_order(const struct ls_returns *returns,
                                                   struct ls_scenario *scenario,
                                                   struct ls_error *err);
/* The same two with one port (returns_port.c). */
LS_CHECKED enum ls_status ls_returns_fifo_one_port(const struct ls_returns *returns,
                                                   struct ls_scenario *scenario, bool *is_proven,
                                                   struct ls_error *err);
LS_CHECKED enum ls_status ls_returns_fifo_one_port_in_order(const struct ls_returns *returns,
                                                            struct ls_scenario *scenario,
                                                            struct ls_error *err);
/* Sorts all workers by a cost, ties by number, into `order`. */
enum ls_returns_key { LS_RETURNS_BY_SEND, LS_RETURNS_BY_COMPUTE, LS_RETURNS_BY_REPLY };
LS_CHECKED enum ls_status ls_returns_sort(const struct ls_returns *returns, enum ls_returns_key key,
                                          uint32_t *order, struct ls_error *err);
/* d = z c for all workers: z; else NAN. */
double ls_returns_ratio(const struct ls_returns *returns);

/* ---- any pair of orders, by Clp (returns_program.c), and its subsets (returns_subset.c) ---- */

/* Of more workers only those with the most units take part where there are latencies. */
enum { LS_RETURNS_AFFINE_MAX = 200 };

/* The best loads of scenario->sends and ->returns for one second with the rows of all the listed
 * workers; units that are 0 leave a worker idle. */
LS_CHECKED enum ls_status ls_returns_program(const struct ls_returns *returns,
                                             struct ls_scenario *scenario, struct ls_error *err);
/* The same with the rows of those only who are enrolled: the best over the subsets of the listed
 * workers (all subsets to 12 workers, else by dropping and adding). Compact. Sets the verdict's
 * makespan, is_proven and is_stopped; stopped, it is the best so far. */
LS_CHECKED enum ls_status ls_returns_enrolled(const struct ls_returns *returns,
                                              struct ls_scenario *scenario,
                                              struct ls_returns_verdict *verdict,
                                              struct ls_error *err);
/* With latencies: the units of returns->load in these orders, all listed workers enrolled, and when
 * the last return ends; INFINITY when somebody would get nothing. */
LS_CHECKED enum ls_status ls_returns_affine(const struct ls_returns *returns,
                                            struct ls_scenario *scenario, double *makespan_s,
                                            struct ls_error *err);
/* The same with latencies. Of more than 12 workers those who have units are the start, if any. */
LS_CHECKED enum ls_status ls_returns_affine_enrolled(const struct ls_returns *returns,
                                                     struct ls_scenario *scenario,
                                                     struct ls_returns_verdict *verdict,
                                                     struct ls_error *err);

/* ---- searches (returns_doll.c, returns_wander.c, returns_detour.c) ---- */

/* How far a search may go, and how far it went. */
struct ls_returns_search {
  bool (*stop)(void *context); /* NULL: never */
  void *stop_context;
  uint64_t work_max; /* nodes, or programs; 0: no limit */
  uint64_t starts;   /* random starts of the local search */
  uint64_t seed;
  /* filled: */
  uint64_t nodes;
  bool is_stopped;
  double upper_bound; /* of the throughput; INFINITY: not known */
};

/* The best scenario of at most LS_RETURNS_EXACT_MAX workers, without latencies: proven when
 * upper_bound is its throughput. */
enum { LS_RETURNS_EXACT_MAX = 12, LS_RETURNS_ALL_AFFINE_MAX = 4 };
LS_CHECKED enum ls_status ls_returns_exact(const struct ls_returns *returns,
                                           struct ls_returns_search *search,
                                           struct ls_scenario *scenario, struct ls_error *err);
/* A good scenario of any number of workers, without latencies; never worse than the best FIFO and
 * the best LIFO. */
LS_CHECKED enum ls_status ls_returns_local(const struct ls_returns *returns,
                                           struct ls_returns_search *search,
                                           struct ls_scenario *scenario, struct ls_error *err);
/* With latencies, from a scenario that is good without: all scenarios of at most 4 workers
 * (*is_proven), else drops, adds and swaps while they help. */
LS_CHECKED enum ls_status ls_returns_detour(const struct ls_returns *returns,
                                            struct ls_returns_search *search,
                                            struct ls_scenario *scenario, double *makespan_s,
                                            struct ls_error *err);

#endif
