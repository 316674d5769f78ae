/* observation.h: what the driver of a run has seen of it, for whoever advises the coordinator.
 *
 * Plain data: the driver fills them in, an adviser answers, and the answer becomes the event
 * ADVICE.
 */
#ifndef LS_COORDINATOR_OBSERVATION_H
#define LS_COORDINATOR_OBSERVATION_H

#include <stddef.h>
#include <stdint.h>

#include "model/room.h"
#include "policies/chunking.h"

/* What was seen of a present worker. */
struct ls_adviser_worker {
  double busy_s;     /* with all units that ended here, well or not */
  double latency_s;  /* one way of a message; 0: not known */
  uint64_t units;    /* that ended here */
  double squares;    /* sum of their squared seconds */
  double overhead_s; /* of a chunk, beside its units and its way */
};

struct ls_adviser_facts {
  double now_s;
  double left_s;       /* that the iteration will last if it goes on as it did */
  uint64_t units_left; /* of this iteration, or of a whole one where others may follow */
  uint64_t prefetch;   /* in use */
  const struct ls_chunking *chunking; /* in use */
  const struct ls_adviser_worker *workers;
  const struct ls_room *rooms; /* of these workers; NULL: any */
  size_t workers_count;
  size_t workers_most; /* that the run could have */
};

/* 0: no advice. */
struct ls_adviser_answer {
  uint64_t prefetch, workers;
  uint64_t policy;  /* 1 + its index in the choices of the coordinator's configuration */
  char reason[200]; /* in words; "": none */
};

#endif
