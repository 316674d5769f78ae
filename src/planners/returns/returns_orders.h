/* returns_orders.h: orders with a closed form. */
#ifndef LS_PLANNERS_RETURNS_RETURNS_ORDERS_H
#define LS_PLANNERS_RETURNS_RETURNS_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "planners/returns/returns.h"

/* Sets the throughput and the units for one second of the LIFO (FIFO) of scenario->sends as listed,
 * all of them loaded; the returns are set. FIFO: two-port, send + compute > 0. */
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
 * workers: of the first or last ones only), where zeros tell which ones are out. */
LS_CHECKED enum ls_status ls_returns_fifo_in_order(const struct ls_returns *returns,
                                                   struct ls_scenario *scenario,
                                                   struct ls_error *err);
/* Sorts all workers by a cost, ties by number, into `order`. */
enum ls_returns_key { LS_RETURNS_BY_SEND, LS_RETURNS_BY_COMPUTE, LS_RETURNS_BY_REPLY };
LS_CHECKED enum ls_status ls_returns_sort(const struct ls_returns *returns, enum ls_returns_key key,
                                          uint32_t *order, struct ls_error *err);
/* d = z c for all workers: z; else NAN. */
double ls_returns_ratio(const struct ls_returns *returns);

#endif
