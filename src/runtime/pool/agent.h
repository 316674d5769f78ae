/* agent.h: the process that keeps a run's workers on a machine to which ssh leads.
 *
 * Over its standard input and output it hears of its master what a pool orders, and tells what
 * becomes of it (protocol/agent_line.h); a keeper (keeper.h) starts and ends the workers.  The
 * first line of the master holds the keys of the run.  When its input ends, the line is lost, and
 * nothing else: the workers decide by their connections.  Another agent of the same name finds the
 * folder held, and carries its own line to the one that is there.  The agent ends when it was told
 * to, or when it has neither a line nor workers; nothing is left then.
 *
 * Its folder holds the sockets of tunnels, which ssh makes, and `master`, a link to the one that
 * leads to the master now.
 */
#ifndef LS_RUNTIME_POOL_AGENT_H
#define LS_RUNTIME_POOL_AGENT_H

#include <stddef.h>

#include "base/status.h"
#include "protocol/key_file.h"
#include "runtime/pool/keeper.h"

struct ls_agent_setup {
  const char *shipped;      /* the folder from which it runs, and that goes with it; NULL: none */
  const char *name;         /* letters of its folder, LS_TEMPORARY_LETTERS of them */
  size_t cores;             /* told to the master */
  int input, output;        /* the line */
  ls_keeper_serve_fn serve; /* the life of a worker, in a fork that knows the keys */
  void (*prepare)(void);    /* of the keeper's setup */
  void *context;            /* of `serve` */
  struct ls_key_file *keys; /* is filled with those that the master sends */
};

/* LS_OK: told to end, or nobody needs it any more. LS_EIO, LS_EINVAL: no folder, no keys. The line
 * ends with the process: so whoever reads its end knows that nothing is left. */
LS_CHECKED enum ls_status ls_agent_run(const struct ls_agent_setup *setup, struct ls_error *err);

#endif
