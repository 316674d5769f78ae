/* coordinator.h: the master as a pure state machine: events in, actions out.
 *
 * ls_coordinator_step is the only place where the state changes.  It knows no clock, socket or
 * file. Each unit is in one state: waiting, sent, done, failed.  A chunk is a set of unit ranges at
 * one worker; it lives until every unit of it has a result or has gone back.  Invariants (asserted
 * at every move): waiting + sent + settled = N of the iteration; a unit is settled at most once;
 * nothing is sent to a worker that is not there, or that has no room for it.
 */
#ifndef LS_COORDINATOR_COORDINATOR_H
#define LS_COORDINATOR_COORDINATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/action.h"
#include "coordinator/event.h"
#include "model/room.h"
#include "policies/chunking.h"
#include "policies/ordering.h"
#include "policies/replication.h"
#include "policies/sizing.h"

/* The times of units in an earlier iteration or run: seconds each, on a worker of speed 1. */
struct ls_coordinator_lesson {
  uint32_t iteration;
  struct ls_range units;
  double seconds;
};

/* A machine of an earlier run: the place that JOINED tells, and its speed beside a mean of 1. */
struct ls_coordinator_host {
  uint64_t place;
  double speed;
};

/* A policy that ADVICE may change to; it is not pushed. */
struct ls_coordinator_choice {
  const struct ls_chunking *chunking;
  struct ls_arguments arguments;
};

/* When somebody else is asked for in the place of a worker that is lost, or away; all but the first
 * for studies of losses. */
enum ls_replacing {
  LS_REPLACING_AT_ONCE,
  LS_REPLACING_BETWEEN, /* where an iteration begins, and only there as long as anybody is left */
  LS_REPLACING_NEVER    /* its place stays empty */
};

struct ls_coordinator_config {
  const struct ls_chunking *chunking;
  struct ls_arguments arguments;            /* of the chunking policy */
  const struct ls_ordering *ordering;       /* NULL: fifo */
  const struct ls_sizing *sizing;           /* NULL: fixed */
  const struct ls_replication *replication; /* NULL: none */
  /* Of these; copied; NULL: the defaults. */
  const struct ls_arguments *ordering_arguments, *sizing_arguments, *replication_arguments;
  /* Of earlier runs or sessions, by iteration; needed in create; without effect where neither order
   * nor replication learns. */
  const struct ls_coordinator_lesson *lessons;
  size_t lessons_count;
  /* What earlier runs showed of slowness, believed at first by a replication that learns; copied;
   * NULL: nothing. */
  const struct ls_slowness *slowness;
  const struct ls_coordinator_choice *choices; /* copied; NULL: none */
  size_t choices_count;
  size_t extra;     /* workers wanted above those of the sizing, for replicas; < workers; the most
                       where the replication chooses */
  double loss_rate; /* declared losses per second and worker; 0: measured */
  /* Of earlier runs with such workers: they count as if they were of this one. */
  double past_losses, past_up_s;
  size_t workers;     /* p: wanted at the start, >= 1 */
  size_t workers_max; /* no more slots than these, >= workers */
  size_t workers_min; /* no unit is handed out before so many were there at once; 0: as 1 */
  /* Of the first `weights_count` slots, whoever is in them; all others weigh 1; copied; or NULL:
   * what ADVICE measures of a worker is its weight then, and goes with it. */
  const double *weights;
  size_t weights_count;
  /* Where none were told, a worker that has ended 3 units has the weight that they show, and it is
   * renewed; before, that of its benchmark; of policies that do not learn by themselves. The
   * published rules do not have it. */
  bool learns_weights;
  /* Where no weights were told, a worker that has ended 3 units of which something was expected has
   * the speed that these show, from the next iteration on: for orders and replications, and for who
   * is released first. The published rules do not have it. */
  bool learns_speeds;
  /* Speeds of an earlier run, by place, ascending: first values, before benchmarks; copied. */
  const struct ls_coordinator_host *hosts;
  size_t hosts_count;
  const struct ls_room *rooms; /* of the first `rooms_count` slots, all others have any; copied */
  size_t rooms_count;
  /* The units are so many equal parts, one behind the other; the first one is for the worker in
   * slot 0 alone, and so on. 0: any worker may have any unit. No iteration of another number is
   * opened, and nothing goes with it that moves units between workers or permutes them. */
  size_t homes;
  /* Units may need labels, of which workers say what they have. Nothing goes with it that moves
   * units between workers, or takes workers away. */
  bool has_needs;
  /* Of who is awaited in the first slots (base/labels.h; NULL: none), until one comes and says it;
   * borrowed until destroy. */
  const char *const *labels;
  size_t labels_count;
  double mean_seconds, deviation_seconds,
      overhead_seconds; /* NAN: unknown, and from the second iteration on the observed ones */
  /* Its costs are known to the policies, of the first slots in its order; borrowed until destroy;
   * NULL: they are not */
  const struct ls_platform *platform;
  /* follow-plan: chunks of whole units for slots, and the order of their results, if it has one;
   * copied; or NULL */
  const struct ls_plan *plan;
  uint64_t seed;
  uint32_t retries;     /* further attempts of a task that failed */
  double retry_delay_s; /* for so long after a failure there is no further one */
  uint32_t kills_max;   /* a task that lost so many workers is given up; 0: never */
  /* At most so many of the first units of a chunk are one task, which dies as a whole; 0: each is
   * one. */
  uint64_t task_units_max;
  /* The units of a task that died are sent one by one, and given up each for itself, after
   * kills_max workers more. */
  bool isolates_lost;
  /* Limits of patience, see patience.h; 0: not told. */
  double
      heartbeat_s;   /* workers say so often that they live; 0: nobody is silent but by silence_s */
  double grant_s;    /* from a request to its worker, at first; 0: nobody is replaced while away */
  double silence_s;  /* a worker not heard for so long is away; 0: derived */
  double patience_s; /* a worker away for so long is lost; 0: derived */
  double deadline_s; /* the run stops handing out then; 0: never */
  enum ls_replacing replacing;
  /* No unit is sent ahead to a busy worker while no more units wait than workers are idle or on
   * their way, nor, until a unit has ended, while workers are on their way. Of a request of an idle
   * one only the first chunk is sent while others are idle, so that the first units begin first.
   * The published rules do not have it. */
  bool spares_newcomers;
  /* No iteration follows the one that opens: workers that cost are released when nothing is left
   * for them. */
  bool is_single;
  /* What waits at a busy worker is taken back for one that is idle, of a plan behind its last
   * chunk.  It needs `spares_newcomers`; the published rules do not have it. */
  bool recalls;
  /* The driver's master serves one request at a time: what came back is given to who was refused
   * one request for each FREE, for which AWAIT_FREE asks. Else the master is always free. */
  bool is_paced;
  /* Between two chunks, to whichever workers, so long at least: starts of tasks, where rooms say
   * that a worker has one at a time. Not of a policy that pushes. */
  double start_delay_s;
  bool is_once; /* what was sent is sent to nobody else while its worker may live: no way back */
  uint64_t report_every; /* the policy hears of a worker after so many of its units; 0: as the
                            policy's parameter says */
  bool is_exact;         /* check the whole invariant after every step (O(N), for tests) */
};

/* The units that an earlier session of the same run settled. */
struct ls_coordinator_past {
  uint32_t iteration;
  const struct ls_range *done;
  size_t done_count;
  const struct ls_range *failed; /* final failures that are not to be repeated */
  size_t failed_count;
};

/* The seconds of the units as far as they are known beforehand, `count` entries each. */
struct ls_coordinator_times {
  const double *expected; /* declared, the same for all iterations; NULL: nothing */
  const double *actual;   /* those of the next iteration (simulation); NULL: not known */
  uint64_t count;
};

struct ls_coordinator_totals {
  uint64_t units, waiting, sent, done, failed,
      given_up;        /* of this iteration; failed excludes given_up */
  uint64_t units_idle; /* of it, too: nothing was to be done for them; they count as done */
  /* Handed out in this run: a replica is a chunk of its own, and so is what is sent again after a
   * failure or a loss; a chunk that came back whole before it began is none. */
  uint64_t chunks;
  uint64_t units_unbegun; /* in such chunks; they are among those returned */
  uint64_t requests, results_dropped, units_retried, units_returned; /* of the run */
  uint64_t results_late; /* units that settled after they had been taken from their worker */
  uint64_t expiries;     /* units that the end of their worker's lifetime stopped, */
  double expired_s;      /* and the longest that one of them had run */
  double lacking_s;      /* one without a result needs so long, and nobody had that left; 0: none */
  uint64_t recalls;      /* orders to give back what waits, for idle workers */
  uint64_t replicas, replicas_won; /* sent, and those whose result counted; of the run */
  size_t workers_wanted;
  size_t workers_present, workers_lost;
  size_t workers_suspended; /* of those present, whoever is away for now; */
  size_t workers_unheard;   /* of these, not because their pool, or they, said so */
  double grant_s;           /* from a request to its worker, by now; 0: not told, and nobody came */
  double loss_rate;         /* losses per second and worker: declared, or by what was seen so far */
  uint64_t losses;          /* of workers that were there; of this run, as what follows */
  double up_s;              /* seconds of all workers that were there */
  double replicas_lost_s;   /* that second runs of a unit took until the other one had won */
  const struct ls_chunking *chunking; /* in use */
  uint32_t iteration;
  bool is_stopping, is_finished;
  bool is_pausing; /* something waits for its next attempt, or all for the next start */
};

/* Units that wait for a worker with a label that nobody has who is there or away for a while. */
struct ls_coordinator_lack {
  const char *label;    /* borrowed */
  uint64_t units, unit; /* so many; the one that is next */
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
/* The only place where the state changes. `actions` is cleared, then filled.
 *
 * LS_EINVAL: an event that no correct driver sends (a worker >= workers_max, an outcome that is no
 * result, an ITERATION before the previous one is done), an ITERATION that order or policy refuse,
 * an ADVICE of a policy that there is not or that refuses; nothing is decided then.  LS_ENOMEM: the
 * run is over, for this step and all later ones; a run with a journal is resumed from it.
 *
 * A worker is named by its slot.  JOINED may name a slot whose worker was lost or released: the
 * worker in it is then a fresh one.  Drivers give the lowest free slot, since all that is kept by
 * slot is as long as the highest one.  LOST may also name a worker that was expected and never
 * joined: what a policy keeps for it is then free.  For policies a suspended worker is a lost one
 * until it resumes, a leaving one for good.  One READY is answered with at most 4096 chunks.
 *
 * Advice on the policy: the waiting units of the iteration are a load of their own to the new
 * policy, which takes the measurements so far for weights that were not declared.  Advice on
 * workers: as many are wanted from now on; the slowest above that number are released once they
 * have nothing. */
LS_CHECKED enum ls_status ls_coordinator_step(struct ls_coordinator *coordinator,
                                              const struct ls_event *event,
                                              struct ls_actions *actions, struct ls_error *err);
void ls_coordinator_totals(const struct ls_coordinator *coordinator,
                           struct ls_coordinator_totals *totals);
/* One for each label, between steps: `*lane` is 0 at first; false: there are no more. */
bool ls_coordinator_next_lack(struct ls_coordinator *coordinator, uint32_t *lane,
                              struct ls_coordinator_lack *lack);
/* Of READYs that came together the one of the greatest precedence is to be told first: the speed,
 * where the head of a list is for the fastest worker; else all are equal. */
double ls_coordinator_precedence(const struct ls_coordinator *coordinator, uint32_t worker);
/* What is believed by now, for the next run. */
void ls_coordinator_slowness(const struct ls_coordinator *coordinator,
                             struct ls_slowness *slowness);
/* Is the whole invariant true? For tests; O(N). */
bool ls_coordinator_is_sound(const struct ls_coordinator *coordinator);

#endif
