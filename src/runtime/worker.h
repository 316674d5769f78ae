/* worker.h: a worker's loop in real time.
 *
 * Joins (HELLO, WELCOME), asks, receives chunks while it computes (prefetch), answers results,
 * beats; ends when it is released, when its master is silent for too long, or when `lifeline`
 * reaches its end; then it stops the running units.
 */
#ifndef LS_RUNTIME_WORKER_H
#define LS_RUNTIME_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/transport.h"

struct ls_executor_kind; /* runtime/executor.h */

struct ls_worker_options {
  const struct ls_transport *transport;
  const char *address;
  const char *name;  /* shown to people */
  const char *token; /* "" for none */
  double speed;      /* in (0, 1] */
  int lifeline;      /* descriptor whose end of file means that the master is gone; -1: none */
  bool is_thread;    /* compute in this thread (inproc) */
  const struct ls_executor_kind *executor; /* of the application's units; NULL: this thread's or a
                                              child's */
  const _Atomic int *interrupts;           /* > 0: leave in order (BYE); may be NULL */
  /* The application, or NULL: the command runner only. */
  const struct ls_app *app;
};

/* The text of WELCOME is JSON: see settings.h.  Returns LS_OK after a release; LS_EINTERRUPTED
 * after leaving in order; LS_EIO: the master vanished or could not be reached; LS_EINVAL: refused,
 * or the application does not open; LS_ECORRUPT: the master sends a message that no master sends.
 * A worker that is a process removes LOADSTAR_TOKEN from its environment, so that no command sees
 * it. */
LS_CHECKED enum ls_status ls_worker_run(const struct ls_worker_options *options,
                                        struct ls_error *err);

#endif
