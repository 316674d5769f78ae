/* replication.h: which running units deserve a replica?  The interface of replications.
 *
 * Replicas come in two ways.  `replicas` says how many of the first units of an iteration's list
 * stand twice, the replica right behind the original.  `worth` says whether a worker for which
 * nothing waits should run a replica of a unit that another one runs.  The first valid result wins;
 * the other run is cancelled.
 */
#ifndef LS_POLICIES_REPLICATION_H
#define LS_POLICIES_REPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameter.h"
#include "base/statistics.h"
#include "base/status.h"
#include "policies/slowness.h"

/* The choices of `auto`: NR, SR and CR on 0 to 3 extra workers. */
enum { LS_REPLICATION_CANDIDATES = 9, LS_EXTRA_MOST = 3 };

/* What a replication that chooses keeps from one iteration to the next; {0} at first. */
struct ls_replication_memory {
  bool is_chosen, is_known; /* is_known: the choice is of this iteration */
  size_t chosen;
  struct ls_moments saved[LS_REPLICATION_CANDIDATES]; /* by each instead of it, since it is held */
};

/* The facts known when an iteration begins. */
struct ls_replication_view {
  uint64_t units;
  size_t workers_wanted;  /* that the iteration needs */
  size_t workers_present; /* those above are extra ones */
  double loss_rate;       /* losses per second and worker, measured or declared; 0: none known */
  /* Expected seconds by unit, in any order; NULL: not known. */
  const double *seconds;
  struct ls_replication_memory *memory; /* NULL: nothing is kept, and nothing chosen */
  struct ls_arguments arguments;
};

/* The facts known of one running unit when a worker is free and nothing waits. */
struct ls_replica_facts {
  double elapsed_s;  /* since it was sent */
  double expected_s; /* where it runs; NAN: not known */
  double replica_s;  /* where the replica would run; NAN: not known */
  double loss_rate;
  uint64_t units, units_ended;       /* of the iteration, idle ones left out; 0 units: it may get
                                         more */
  size_t workers;                    /* that are there */
  size_t replicas;                   /* that run */
  const struct ls_slowness_law *law; /* of the run so far; NULL: nothing is known */
  struct ls_arguments arguments;
};

/* No number of units: there was no memory to find one. */
#define LS_REPLICAS_NO_MEMORY UINT64_MAX
#define LS_EXTRA_NO_MEMORY    SIZE_MAX

struct ls_replication {
  const char *name, *summary, *reference;
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  bool learns;                           /* makes use of expected seconds */
  /* How many of the first units of the list of an iteration stand twice, 0 .. units; or
   * LS_REPLICAS_NO_MEMORY. */
  uint64_t (*replicas)(const struct ls_replication_view *view);
  /* Asked before it, for an iteration that needs `workers_wanted`: extra workers, 0 .. most; or
   * LS_EXTRA_NO_MEMORY.  NULL: as many as there may be. */
  size_t (*extra)(const struct ls_replication_view *view, size_t most);
  /* The expected gain in seconds less the price of the replica; > 0: worth it.  It does not grow
   * with `replica_s`.  NULL: never. */
  double (*worth)(const struct ls_replica_facts *facts);
  /* Where nothing but time changes: so many seconds the unit will have lasted when it is to be
   * weighed again; INFINITY: time does not make it worth more.  NULL: it never does. */
  double (*weigh_again_s)(const struct ls_replica_facts *facts);
  /* `worth` costs so much that its answer holds until then, or until the law of slowness is made of
   * a sixteenth more; both depend on the unit, the workers' speeds, the law and the loss rate
   * alone, and `weigh_again_s` not on `replica_s`. */
  bool is_dear;
};

/* No unit stands twice in front: of those that replicate running units only. */
uint64_t ls_replicate_nothing(const struct ls_replication_view *view);

extern const struct ls_replication
    *const ls_replications[]; /* NULL-terminated; replication/list.h */
const struct ls_replication *ls_replication_find(const char *name);

#endif
