/* worker_process.h: the life of a worker that is a process, from its options to its exit status. */
#ifndef LS_CLI_WORKER_PROCESS_H
#define LS_CLI_WORKER_PROCESS_H

#include "runtime/worker/worker.h"

enum { LS_WORKER_PLACE_MAX = 100 }; /* letters of --place */

/* `name` stands in front of messages. `options->interrupts` is set here. */
int ls_worker_serve(const char *name, struct ls_worker_options *options);

#endif
