/* returns_plan.h: from a scenario to a plan, and the planner's verdict on the scenario. */
#ifndef LS_PLANNERS_RETURNS_RETURNS_PLAN_H
#define LS_PLANNERS_RETURNS_RETURNS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "planners/returns/returns.h"

/* The verdict of a planner on a scenario that it found. */
struct ls_returns_verdict {
  double makespan_s;  /* predicted, of the problem's load */
  bool is_proven;     /* no scenario of the planner's kind is better */
  double gap;         /* at most so much better, relatively; NAN: not known */
  uint64_t nodes;     /* of a search; 0: none */
  bool is_search;     /* nodes and the gap are worth telling */
  double linear_s;    /* makespan of the orders without latencies and with parts of units, which
                         neither improves; 0: not known */
  double latencies_s; /* the most that latencies add to it */
  /* Of a plan of whole units: the most that they add to the makespan; whether no orders that they
   * may change to would do better with parts of units. */
  double rounding_s;
  bool has_least;
  const char *why; /* how the loads were found, where that is not as usual; else NULL */
};

/* The most that the latencies of the loaded workers add to a makespan without latencies. */
double ls_returns_latencies(const struct ls_returns *returns, const struct ls_scenario *scenario);
/* What looks for loads with latencies, windows and rooms. */
struct ls_returns_search {
  /* The scenario is where it starts and what it finds; the verdict's makespan, INFINITY: nothing */
  enum ls_status (*run)(const struct ls_returns *returns, struct ls_scenario *scenario,
                        struct ls_returns_verdict *verdict, struct ls_error *err);
  const struct ls_scenario *listed; /* the orders to start from; NULL: those of the scenario */
};
/* The scenario, good without latencies and limits, becomes what the search finds.  Where that is
 * nothing, it stays: fit.h brings its chunks into the limits or says which one lies outside. */
LS_CHECKED enum ls_status ls_returns_improve(const struct ls_returns *returns,
                                             const struct ls_returns_search *search,
                                             struct ls_scenario *scenario,
                                             struct ls_returns_verdict *verdict,
                                             struct ls_error *err);
/* Turns a scenario, whose units may be for any load, into the plan of returns->load: rounds where
 * whole units are wanted, adds chunks, returns and parameters. The verdict is on parts of units;
 * the plan says what it means for whole ones. */
LS_CHECKED enum ls_status ls_returns_emit(const struct ls_returns *returns,
                                          struct ls_scenario *scenario,
                                          const struct ls_returns_verdict *verdict,
                                          struct ls_plan *plan, struct ls_error *err);
/* Emits a scenario with its throughput and the units for one second; with latencies, and where
 * windows and rooms do not take these units, the best subset of it in the same orders. */
LS_CHECKED enum ls_status ls_returns_finish(const struct ls_returns *returns,
                                            struct ls_scenario *scenario, bool is_proven,
                                            struct ls_plan *plan, struct ls_error *err);
/* Whole units of a scenario: rounded down, then the rest handed out, by largest remainder or to the
 * worker that it delays least, whichever ends earlier. `total` units, over the workers of the
 * orders. */
LS_CHECKED enum ls_status ls_returns_round(const struct ls_returns *returns,
                                           const struct ls_scenario *scenario, uint64_t total,
                                           double *units, struct ls_error *err);

#endif
