/* advise_world.h: the world in which auto tries its candidates: the knowledge of workers, messages
 * and tasks before a run, or what has been seen of them in it.
 */
#ifndef LS_ADVISE_ADVISE_WORLD_H
#define LS_ADVISE_ADVISE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "advise/advise.h"
#include "advise/past_run.h"
#include "base/random.h"
#include "coordinator/observation.h"

/* The knowledge of a run before it begins. */
struct ls_run_situation {
  const struct ls_platform *platform;   /* as calibrated or declared; NULL: not known */
  const struct ls_run_history *history; /* NULL: nothing is known */
  const double *times;                  /* declared seconds, one per unit; NULL: not known */
  uint64_t units;
  uint64_t units_most; /* of them that are simulated; 0: as many as tell candidates apart */
  size_t workers;
  const double *weights; /* of the workers, as declared; NULL: none */
  uint64_t prefetch;
  bool is_remote;        /* workers on other machines may join */
  bool keeps_prefetch;   /* the user gave it */
  bool has_whole_chunks; /* a chunk is one task: a process that is started once for all its units */
  bool may_save;         /* fewer workers may be chosen: nothing else decides on their number */
  uint64_t seed;
  double (*clock_s)(void); /* an advice must not cost more than it brings; NULL: it may */
};

struct ls_advise_world {
  struct ls_platform platform;
  double *weights; /* relative speeds; policies know them if `knows_speeds` */
  bool knows_speeds;
  double *work; /* of the units that are simulated, of mean 1 */
  uint64_t units;
  double mean_s, deviation_s, overhead_s;
  double request_s; /* of overhead_s, for the request and its ways */
  uint64_t seed;
  /* The source of a unit's work: the first of these that there is. */
  const double *times; /* `units` entries */
  const struct ls_run_history *history;
  double variation;
  double drawn_variation; /* by the laws of the platform's workers, where there is no source */
  bool has_whole_chunks;  /* as of the situation */
  bool is_certain;        /* every draw is like the first */
  double (*clock_s)(void);
  double stop_s; /* on that clock */
};

/* Is anything known that a simulation could begin with? */
bool ls_advise_world_is_known(const struct ls_run_situation *situation);
/* The caller closes, also after a failure. */
LS_CHECKED enum ls_status ls_advise_world_open(struct ls_advise_world *world,
                                               const struct ls_run_situation *situation,
                                               struct ls_error *err);
/* The same from what was seen in the run; workers that were released are expected to be like the
 * others. */
LS_CHECKED enum ls_status ls_advise_world_observe(struct ls_advise_world *world,
                                                  const struct ls_adviser_facts *facts,
                                                  bool is_remote, double (*clock_s)(void),
                                                  struct ls_error *err);
void ls_advise_world_close(struct ls_advise_world *world);
/* For ls_advise: its world and its clock. */
struct ls_advice_world ls_advise_world_of(struct ls_advise_world *world);
bool ls_advise_world_is_over(void *world);

#endif
