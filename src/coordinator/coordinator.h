/* coordinator.h: the master as a pure state machine: events in, actions out.
 *
 * ls_coordinator_step is the only place where the state changes.  It knows no clock, socket or
 * file. Each unit is in one state: waiting, sent, done, failed.  A chunk is a set of unit ranges at
 * one worker; it lives until every unit of it has a result or has gone back.  Invariants (asserted
 * at every move): waiting + sent + settled = N of the iteration; a unit is settled at most once;
 * nothing is sent to a worker that is not there.
 */
#ifndef LS_COORDINATOR_COORDINATOR_H
#define LS_COORDINATOR_COORDINATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/action.h"
#include "coordinator/event.h"
#include "policies/chunking.h"
#include "policies/ordering.h"
#include "policies/replication.h"
#include "policies/sizing.h"

#define LS_WORKER_NONE UINT32_MAX

/* What units took in an earlier iteration or run: seconds each, on a machine of speed 1. */
struct ls_coordinator_lesson {
  uint32_t iteration;
  struct ls_range units;
  double seconds;
};

/* A policy that ADVICE may change to; it is not pushed. */
struct ls_coordinator_choice {
  const struct ls_chunking *chunking;
  struct ls_arguments arguments;
};

struct ls_coordinator_config {
  const struct ls_chunking *chunking;
  struct ls_arguments arguments;            /* of the chunking policy */
  const struct ls_ordering *ordering;       /* NULL: fifo */
  const struct ls_sizing *sizing;           /* NULL: fixed */
  const struct ls_replication *replication; /* NULL: none */
  /* Of these; copied; NULL: the defaults. */
  const struct ls_arguments *ordering_arguments, *sizing_arguments, *replication_arguments;
  const struct ls_coordinator_lesson *lessons; /* of earlier runs, by iteration; needed in create */
  size_t lessons_count;
  const struct ls_coordinator_choice *choices; /* copied; NULL: none */
  size_t choices_count;
  size_t extra;          /* workers wanted above those of the sizing, for replicas; < workers */
  double loss_rate;      /* declared losses per second and worker; 0: measured */
  size_t workers;        /* p: wanted at the start, >= 1 */
  size_t workers_max;    /* highest number of worker numbers ever used in the run, >= workers */
  const double *weights; /* workers_max entries or NULL; copied */
  double mean_seconds, deviation_seconds,
      overhead_seconds; /* NAN: unknown, and from the second iteration on what was observed */
  const struct ls_planned_chunk *plan; /* follow-plan; copied */
  size_t plan_count;
  uint64_t seed;
  uint32_t retries;    /* further attempts of a task that failed */
  uint32_t kills_max;  /* a task that lost so many workers is given up; 0: never */
  double silence_s;    /* a worker not heard for so long is lost; 0: never */
  double suspension_s; /* a worker suspended for so long is lost; 0: never */
  double deadline_s;   /* the run stops handing out then; 0: never */
  /* No unit is sent ahead to a busy worker while no more units wait than workers are idle or on
   * their way. The published rules, and so the simulator, do not have it. */
  bool spares_newcomers;
  bool is_exact; /* check the whole invariant after every step (O(N), for tests) */
};

/* What was already settled in an earlier session of the same run. */
struct ls_coordinator_past {
  uint32_t iteration;
  const struct ls_range *done;
  size_t done_count;
  const struct ls_range *failed; /* final failures that are not to be repeated */
  size_t failed_count;
};

/* What is known beforehand of the seconds that the units take, `count` entries each. */
struct ls_coordinator_times {
  const double *expected; /* declared, the same for all iterations; NULL: nothing */
  const double *actual;   /* those of the next iteration (simulation); NULL: not known */
  uint64_t count;
};

struct ls_coordinator_totals {
  uint64_t units, waiting, sent, done, failed,
      given_up; /* of this iteration; failed excludes given_up */
  uint64_t chunks, requests, results_dropped, units_retried, units_returned; /* of the run */
  uint64_t copies, copies_won; /* second copies sent, and those whose result counted; of the run */
  size_t workers_wanted;
  size_t workers_present, workers_lost;
  const struct ls_chunking *chunking; /* in use */
  uint32_t iteration;
  bool is_stopping, is_finished;
};

/* A worker's only chunk is done, and it asks again at that instant. */
struct ls_exchange {
  uint32_t worker;
  double now_s;
  uint64_t chunk;        /* the one that is done; then the next one */
  struct ls_range units; /* all of it, one range; then those of the next one; none: it is parked */
  double seconds;        /* that it took */
};

struct ls_coordinator;

/* `*out` is the caller's (destroy). Nothing happens before the first ITERATION event. */
LS_CHECKED enum ls_status ls_coordinator_create(const struct ls_coordinator_config *config,
                                                struct ls_coordinator **out, struct ls_error *err);
void ls_coordinator_destroy(struct ls_coordinator *coordinator);
/* To be called before the first event: the first ITERATION event then opens iteration
 * `past->iteration` with these units settled. Ranges are copied. */
LS_CHECKED enum ls_status ls_coordinator_restore(struct ls_coordinator *coordinator,
                                                 const struct ls_coordinator_past *past,
                                                 struct ls_error *err);
/* Before an ITERATION event; copied.  LS_EINVAL: a time is no finite number >= 0.  An iteration of
 * more units than `count` is refused by the orders that need them. */
LS_CHECKED enum ls_status ls_coordinator_declare(struct ls_coordinator *coordinator,
                                                 const struct ls_coordinator_times *times,
                                                 struct ls_error *err);
/* What units of an earlier run or session took, each `seconds` on a machine of speed 1; in the
 * order of its iterations, with ls_coordinator_learn_iteration behind each. Before the first event;
 * without effect when neither order nor replication learns. */
LS_CHECKED enum ls_status ls_coordinator_learn(struct ls_coordinator *coordinator,
                                               struct ls_range units, double seconds,
                                               struct ls_error *err);
void ls_coordinator_learn_iteration(struct ls_coordinator *coordinator);
/* The only place where the state changes. `actions` is cleared, then filled. Only LS_ENOMEM can
 * come back (the state is then unchanged: memory is reserved before anything is decided) and
 * LS_EINVAL for an event that no correct driver sends (a worker number >= workers_max, an outcome
 * out of range, an ITERATION before the previous one is done) or an ITERATION that the policy
 * refuses, or an ADVICE of a policy that there is not or that refuses: nothing has changed then.
 *
 * Advice on the policy: what waits of the iteration is to the new one a load of its own, and it
 * takes what was measured so far for the weights that nobody declared.  Advice on workers: as many
 * are wanted from now on; the slowest above that number are released once they have nothing.
 *
 * One READY is answered with at most 4096 chunks.  LOST may also name a worker that was expected
 * and never joined: what a policy keeps for it is then free.  For policies a suspended worker is a
 * lost one, and a resumed one joins. */
LS_CHECKED enum ls_status ls_coordinator_step(struct ls_coordinator *coordinator,
                                              const struct ls_event *event,
                                              struct ls_actions *actions, struct ls_error *err);
/* Does in one what the steps of the RESULT and of the READY do, where both are usual and no notes
 * are wanted: the units are done, and `*exchange` names the next chunk. False: nothing has changed,
 * and the caller makes the two steps. */
bool ls_coordinator_exchange(struct ls_coordinator *coordinator, struct ls_exchange *exchange,
                             struct ls_actions *actions);
void ls_coordinator_totals(const struct ls_coordinator *coordinator,
                           struct ls_coordinator_totals *totals);
/* Is the whole invariant true? For tests; O(N). */
bool ls_coordinator_is_sound(const struct ls_coordinator *coordinator);

#endif
