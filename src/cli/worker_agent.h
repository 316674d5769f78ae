/* worker_agent.h: the worker that is an agent: it keeps workers of a run on its machine.
 */
#ifndef LS_CLI_WORKER_AGENT_H
#define LS_CLI_WORKER_AGENT_H

#include "base/status.h"
#include "runtime/worker/worker.h"

/* Do the letters name the folder of an agent? LS_EINVAL. */
LS_CHECKED enum ls_status ls_worker_agent_check(const char *letters, struct ls_error *err);
/* The letters of its folder, and that of its program, if it was shipped (else NULL); "-": it stays.
 */
struct ls_worker_agent {
  const char *letters, *shipped;
};

/* Serves a master over standard input and output until it is told to end; the exit status. What the
 * workers have in common stands in `worker`. `name` stands in front of messages. */
int ls_worker_agent_run(const char *name, const struct ls_worker_agent *agent,
                        const struct ls_worker_options *worker);

#endif
