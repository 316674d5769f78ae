/* worker_team.h: several workers of one machine, and the process that started them.
 *
 * Each is a process of its own, in a group of its own.  What the starter is told by a signal they
 * all are; who signals all processes of a job at once (Slurm does) has said it once.
 */
#ifndef LS_CLI_WORKER_TEAM_H
#define LS_CLI_WORKER_TEAM_H

#include "runtime/worker/worker.h"

enum { LS_WORKER_TEAM_MAX = 4096 };

/* Starts so many workers, named NAME-1 and so on, at PLACE.1 and so on if it has one, and waits for
 * their ends; the exit status: the gravest of theirs. `name` stands in front of messages. */
int ls_worker_team_run(const char *name, const struct ls_worker_options *worker, unsigned count);

#endif
