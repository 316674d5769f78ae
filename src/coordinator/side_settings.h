/* side_settings.h: what a worker's side is told on joining, the same in a simulation and in a run.
 */
#ifndef LS_COORDINATOR_SIDE_SETTINGS_H
#define LS_COORDINATOR_SIDE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/coordinator.h"

/* Small messages of a worker wait so long for others, in a run and by default in a simulation:
 * units that end meanwhile are told together. */
#define LS_SIDE_HOLD_S 0.002

enum ls_asking {
  LS_ASKING_ROOM,    /* for all the room that prefetch leaves */
  LS_ASKING_ONE,     /* for one chunk, as published */
  LS_ASKING_NOTHING, /* the policy pushes */
  LS_ASKING_COUNT
};

struct ls_side_settings {
  enum ls_asking asking;
  uint64_t prefetch;
  uint64_t room;         /* units that may be here at once, the running ones included; 0: any */
  uint64_t report_every; /* told after so many finished units of the run; 0: with requests only */
  uint64_t history;      /* the latest times that a result tells one by one; UINT64_MAX: all */
  uint64_t units_max;    /* of one START; 0: any. The driver may change it between steps */
  bool has_progress;     /* units that are started run one by one, and the driver knows how far it
                            is: one runs, the others wait; else all of them run */
  bool has_receive;      /* started units wait until BEGUN */
};

/* What the coordinator of this config wants of its workers: a pushed policy that nobody asks, one
 * that spares newcomers that they ask for all their room; reports and times as far as anybody
 * listens. The rest is the driver's to fill in. */
struct ls_side_settings ls_side_settings_of(const struct ls_coordinator_config *config);
/* Does the order, the sizing or the replication learn the time of each unit? */
bool ls_side_is_learning(const struct ls_coordinator_config *config);
/* Does the policy need weights, which nobody told and which it does not learn by itself? */
bool ls_side_is_weighing(const struct ls_coordinator_config *config);
/* Does anybody want to know what units take: the policy, one that advice may change to, or those
 * that learn? */
bool ls_side_has_listeners(const struct ls_coordinator_config *config);
/* The policy of this choice hears of a worker after so many of its units; 0: with requests only. */
uint64_t ls_side_report_every(const struct ls_coordinator_config *config,
                              const struct ls_coordinator_choice *choice);
/* "room", "one", "nothing". */
const char *ls_asking_name(enum ls_asking asking);

#endif
