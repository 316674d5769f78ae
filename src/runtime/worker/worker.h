/* worker.h: a worker's loop in real time.
 *
 * Joins (HELLO, WELCOME), asks, receives chunks while it computes (prefetch), answers results,
 * beats.  When its connection is cut, or silent for too long, it goes on with what runs and
 * connects anew: its master knows it again, and gets the results that it has not made durable.  It
 * ends when it is released, when it was told to go and nothing runs, when its time or its patience
 * is over, or when `lifeline` reaches its end (far away: and the connection, too); then it stops
 * what runs.  A worker with a lifeline waits for a silent master for ever, unless that is far.
 */
#ifndef LS_RUNTIME_WORKER_WORKER_H
#define LS_RUNTIME_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/transport/transport.h"

struct ls_executor_kind; /* runtime/execute/executor.h */

struct ls_worker_options {
  const struct ls_transport *transport;
  const char *address;
  const char *name;             /* shown to people */
  const struct ls_curve *curve; /* of the run's keys; NULL: none */
  const char *program;          /* which program this is: its version and digest; NULL: not said */
  double speed;                 /* in (0, 1] */
  int lifeline;   /* descriptor whose end of file means that the master is gone; -1: none */
  bool is_far;    /* the lifeline is of who started it on this machine, the master is elsewhere: its
                     silence counts */
  bool is_thread; /* compute in this thread (inproc) */
  const struct ls_executor_kind *executor; /* of the application's units; NULL: this thread's or a
                                              child's */
  /* Counts of signals, each may be NULL. 1: leave in order, 2: stop at once. */
  const _Atomic int *interrupts;
  const _Atomic int *suspensions; /* SIGTSTP: say so, then stop */
  const _Atomic int *returns;     /* SIGCONT */
  const char *place;              /* what the pool calls it (its job); NULL: nothing */
  const char *labels;             /* what it has (base/labels.h); NULL: nothing */
  double lifetime_s;              /* seconds that it has; 0: not limited */
  double wait_s; /* for a master that is not there yet; 0: it must be there, and answer in 10 s */
  /* Of commands that run in sandboxes. */
  const char *cache;    /* the folder of inputs and sandboxes; NULL: in TMPDIR, by the run */
  uint64_t cache_bytes; /* that the machine may keep of inputs; 0: what the master says */
  bool keeps_cache;     /* for runs to come */
  /* The application, or NULL: the command runner only. */
  const struct ls_app *app;
};

/* The text of WELCOME is JSON: see settings.h.  Returns LS_OK after a release, or after leaving in
 * order; LS_EINTERRUPTED: told to stop at once, or before it had joined; LS_EIO: the master
 * vanished or could not be reached; LS_EINVAL: refused, keys of another run, a lifetime that is too
 * short to leave in order, or the application does not open; LS_ECORRUPT: the master sends a
 * message that no master sends. */
LS_CHECKED enum ls_status ls_worker_run(const struct ls_worker_options *options,
                                        struct ls_error *err);

#endif
