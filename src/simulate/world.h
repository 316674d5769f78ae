/* world.h: a whole simulation from words: the name of a policy and the JSON of its arguments.
 *
 * The arguments are those of the vectors and of `loadstar simulate --arguments`: the world (task
 * times, load by others, workers that join, leave, are reclaimed), the facts that the policies may
 * know, and the parameters of the chunking policy, each by its name.  Draws come from the seed, in
 * a stream for each purpose.
 */
#ifndef LS_SIMULATE_WORLD_H
#define LS_SIMULATE_WORLD_H

#include "base/json.h"
#include "base/random.h"
#include "base/status.h"
#include "simulate/prefetch_choice.h"
#include "simulate/simulate.h"

struct ls_world_request {
  const struct ls_platform *platform; /* borrowed as long as the world lives */
  uint64_t units;
  const char *policy;         /* "gss", "gss:2", "tss:4,rounding=real" */
  const struct ls_plan *plan; /* of whole units, to be followed instead; borrowed; NULL: none */
  const char *order;          /* "average:smooth"; NULL: as the arguments say, else fifo */
  const char *sizing;         /* NULL: as the arguments say, else fixed */
  const char *replication;    /* NULL: as the arguments say, else none */
  struct ls_json arguments;   /* `.value` NULL: none */
  bool has_seed, knows_facts; /* knows_facts: weights, mean, deviation, overhead from the world */
  uint64_t seed;              /* instead of the arguments' */
  enum ls_asking asking;      /* unless the arguments say */
  double error;               /* of what is expected of a chunk: `chunk_error` of the setup */
};

/* Everything that `setup` points to. */
struct ls_world {
  struct ls_simulation setup;
  double *task_work, *expected_work, *weights, *speeds;
  uint64_t task_work_count;
  struct ls_simulated_change *changes[3]; /* leave, join, depart */
  struct ls_simulated_advice *advice;
  struct ls_coordinator_choice *choices; /* of the advice */
  struct ls_simulated_pause *pauses;
  struct ls_simulated_addition *additions;
  struct ls_ranges *idle; /* of each iteration */
  char **labels;          /* by worker */
  struct ls_event_need *needs;
  struct ls_availability **availability;
  size_t *availability_count;
  struct ls_arguments order_arguments, sizing_arguments, replication_arguments;
  bool chooses_prefetch; /* "prefetch": "auto", by playing this very world */
  struct ls_prefetch_choice prefetch;
};

/* LS_EINVAL names the argument, its value and what was expected. On success the caller closes. */
LS_CHECKED enum ls_status ls_world_open(struct ls_world *world,
                                        const struct ls_world_request *request,
                                        struct ls_error *err);
void ls_world_close(struct ls_world *world);
/* The names of all arguments but the policy's own, ended by NULL. */
extern const char *const ls_world_names[];

/* No schedule ends before: the work of an iteration, but for its idle units, over the nominal speed
 * of all workers, or its longest task on the fastest one; summed over the iterations. Where workers
 * draw the times of units, so it is in the mean only. */
double ls_world_bound(const struct ls_world *world);

#endif
