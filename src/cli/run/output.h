/* output.h: delivers the outputs of tasks: never mixed, and in the order of the tasks if asked.
 *
 * An output is written as a whole when its task has settled.  With keep-order, outputs whose turn
 * has not come go to one private, unlinked spool file.  Each unit from the first whose turn has not
 * come to the last that has ended costs 8 bytes of memory.
 */
#ifndef LS_CLI_OUTPUT_H
#define LS_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"
#include "runtime/application.h"

struct ls_delivery_setup {
  bool keeps_order;
  int output, error_output;       /* descriptors to write to */
  void (*prepare)(void *context); /* called before anything is written; may be NULL */
  void *context;
};

struct ls_delivery;

LS_CHECKED enum ls_status ls_delivery_create(const struct ls_delivery_setup *setup,
                                             struct ls_delivery **out, struct ls_error *err);
void ls_delivery_destroy(struct ls_delivery *delivery);
/* The outputs of a settled unit: written, or held until its turn comes. With keep-order a second
 * delivery of a unit is ignored. LS_EIO: an output or the spool cannot be written. */
LS_CHECKED enum ls_status ls_delivery_add(struct ls_delivery *delivery, uint64_t unit,
                                          const struct ls_output *output,
                                          const struct ls_output *error_output,
                                          struct ls_error *err);
/* Units whose outputs were delivered before: no output waits for them. */
LS_CHECKED enum ls_status ls_delivery_skip(struct ls_delivery *delivery, struct ls_range units,
                                           struct ls_error *err);
/* All units below were delivered (keep-order only). */
uint64_t ls_delivery_frontier(const struct ls_delivery *delivery);
/* Writes what is still held, in order, across the gaps. */
LS_CHECKED enum ls_status ls_delivery_flush(struct ls_delivery *delivery, struct ls_error *err);
/* Copies an output to a descriptor; false: errno says why. */
bool ls_output_copy(const struct ls_output *output, int file);

#endif
