#include "cli/worker_process.h"

#include "cli/console.h"
#include "cli/interrupts.h"
#include "runtime/pool/pool.h"

int ls_worker_serve(const char *name, struct ls_worker_options *worker) {
  struct ls_error err = {0};
  /* The master ends a worker of its pool, and says so to the user. */
  bool has_master = worker->lifeline >= 0;
  struct ls_worker_signals signals = ls_interrupts_start_worker(name, has_master);
  worker->interrupts = signals.interrupts;
  worker->suspensions = signals.suspensions;
  worker->returns = signals.returns;
  enum ls_status status = ls_worker_run(worker, &err);
  if (status == LS_OK) return LS_EXIT_OK;
  if (!has_master || status == LS_EINVAL) return ls_console_fail(name, &err);
  if (status == LS_ENOMEM) return LS_POOL_EXIT_NO_ROOM;
  return ls_console_exit(status);
}
