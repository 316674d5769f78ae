/* iterations_private.h: the iterations of a simulation, one after another.
 */
#ifndef LS_SIMULATE_ITERATIONS_PRIVATE_H
#define LS_SIMULATE_ITERATIONS_PRIVATE_H

#include <stdint.h>

#include "simulate/simulate.h"

struct ls_engine;

uint64_t ls_simulated_iteration_units(const struct ls_simulation *setup, uint32_t iteration);
/* Those that have nothing to do. */
const struct ls_ranges *ls_simulated_iteration_idle(const struct ls_simulation *setup,
                                                    uint32_t iteration);
/* Is the unit among them?  Units are asked for in ascending order; `*range`, 0 at first, is where
 * the search goes on. */
bool ls_simulated_is_idle(const struct ls_ranges *idle, size_t *range, uint64_t unit);
/* Opens the first iteration. */
void ls_simulated_iteration_open(struct ls_engine *engine);
/* The coordinator has all results of the iteration: the next one begins, or the run ends. */
void ls_simulated_iteration_begin(struct ls_engine *engine);
/* Writes down what the present iteration was like. */
void ls_simulated_iteration_measure(struct ls_engine *engine, double end_s);

#endif
