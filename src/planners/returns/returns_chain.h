/* returns_chain.h: loads of a FIFO or LIFO with latencies, without a program, for any number of
 * workers.
 */
#ifndef LS_PLANNERS_RETURNS_RETURNS_CHAIN_H
#define LS_PLANNERS_RETURNS_RETURNS_CHAIN_H

#include "planners/returns/returns.h"

/* Gives the scenario, a FIFO or a LIFO, the units of returns->load with which those that have any
 * never wait, of the first so many listed workers as are best of some numbers. The makespan;
 * INFINITY: other orders, which stay as they are, or none found. Limits are not looked at. */
double ls_returns_chain(const struct ls_returns *returns, struct ls_scenario *scenario);

#endif
