/* drawn_times_private.h: the work of a job's units where a worker's law spreads it, or where what
 * is expected of a chunk errs.
 *
 * Each worker draws from a stream of its own, one number for each unit in the order in which its
 * jobs begin, so that no worker's luck moves another's.
 */
#ifndef LS_SIMULATE_DRAWN_TIMES_PRIVATE_H
#define LS_SIMULATE_DRAWN_TIMES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "simulate/task_times.h"

struct ls_engine;

/* Of one worker. */
struct ls_drawn_times {
  struct ls_task_times times;
  struct ls_random chance;
  struct ls_task_times errors; /* of whole chunks, by a stream of its own */
  struct ls_random error_chance;
  double error;   /* of the present chunk, a factor */
  double *before; /* work of the job's first units: prefix sums, `capacity` entries */
  size_t capacity;
};

/* Of all workers whose law spreads anything; false: there is no memory. */
bool ls_drawn_times_open(struct ls_engine *engine);
void ls_drawn_times_close(struct ls_engine *engine);
/* Draws for the `units` units of a job that begins at this worker; false: there is no memory, which
 * is noted. */
bool ls_drawn_times_draw(struct ls_engine *engine, uint32_t worker, uint64_t units);

#endif
