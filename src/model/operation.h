/* operation.h: what happens to a chunk on its way, station by station, and on which resource.
 *
 * One table names the operations for every file format, message and report.  The pure delay between
 * transfer and receive is no operation: it keeps nothing busy.
 */
#ifndef LS_MODEL_OPERATION_H
#define LS_MODEL_OPERATION_H

#include <stdbool.h>

#include "base/linkage.h"

LS_C_BEGIN

enum ls_resource {
  LS_RESOURCE_MASTER,  /* the master's processor */
  LS_RESOURCE_NETWORK, /* outwards, or both directions under one-port */
  LS_RESOURCE_RETURN,  /* inwards under two-port and multi-port */
  LS_RESOURCE_WORKER,  /* the worker's processor */
  LS_RESOURCE_READER,  /* what brings a worker's input, beside its processor */
  LS_RESOURCE_COUNT
};

/* In the order in which a chunk passes them. */
enum ls_operation {
  LS_OPERATION_PREPARE, /* costs what the master says, whoever the chunk is for */
  LS_OPERATION_SEND,
  LS_OPERATION_TRANSFER,
  LS_OPERATION_STAGE, /* the worker reads its own input */
  LS_OPERATION_RECEIVE,
  LS_OPERATION_COMPUTE,
  LS_OPERATION_REPLY,
  LS_OPERATION_COUNT
};
/* From here on an operation has a cost of its own at each worker. */
enum { LS_OPERATION_OF_WORKER = LS_OPERATION_SEND };

const char *ls_operation_name(enum ls_operation operation); /* "compute" */
const char *ls_resource_name(enum ls_resource resource);    /* "worker" */

LS_C_END

#endif
