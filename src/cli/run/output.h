/* output.h: delivers the outputs of tasks: never mixed, and in the order of the tasks if asked.
 *
 * An output goes to the writer as a whole when its task has settled.  With keep-order, outputs
 * whose turn has not come go to one private, unlinked spool file; each unit from the first whose
 * turn has not come to the last that has ended costs 8 bytes of memory.  A task whose output has
 * not left costs 16.
 */
#ifndef LS_CLI_OUTPUT_H
#define LS_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"
#include "runtime/application.h"
#include "runtime/output/writer.h"

struct ls_delivery_setup {
  bool keeps_order;
  bool compresses;                /* outputs whose turn has not come */
  struct ls_writer *writer;       /* borrowed */
  void (*prepare)(void *context); /* called before anything is given to it; may be NULL */
  void *context;
};

struct ls_delivery;

LS_CHECKED enum ls_status ls_delivery_create(const struct ls_delivery_setup *setup,
                                             struct ls_delivery **out, struct ls_error *err);
void ls_delivery_destroy(struct ls_delivery *delivery);
/* The outputs of a settled unit: given to the writer, or held until its turn comes. With keep-order
 * a second delivery of a unit is ignored. LS_EIO: an output or the spool cannot be written;
 * LS_ECLOSED: nobody reads it. */
LS_CHECKED enum ls_status ls_delivery_add(struct ls_delivery *delivery, uint64_t unit,
                                          const struct ls_output *output,
                                          const struct ls_output *error_output,
                                          struct ls_error *err);
/* The same of a unit whose outputs are all with the writer, or go elsewhere. */
LS_CHECKED enum ls_status ls_delivery_end(struct ls_delivery *delivery, uint64_t unit,
                                          struct ls_error *err);
/* Units whose outputs were delivered before: no output waits for them. */
LS_CHECKED enum ls_status ls_delivery_skip(struct ls_delivery *delivery, struct ls_range units,
                                           struct ls_error *err);
/* Gives bytes to the writer at once. */
LS_CHECKED enum ls_status ls_delivery_show(struct ls_delivery *delivery,
                                           enum ls_writer_stream stream,
                                           const struct ls_output *output, struct ls_error *err);
bool ls_delivery_keeps_order(const struct ls_delivery *delivery);
/* The turn of all units below has come (keep-order only). */
uint64_t ls_delivery_frontier(const struct ls_delivery *delivery);
/* The next units whose outputs have left; count 0: none for now. Never waits. */
struct ls_range ls_delivery_take_left(struct ls_delivery *delivery);
/* Writes what is still held, in order, across the gaps. */
LS_CHECKED enum ls_status ls_delivery_flush(struct ls_delivery *delivery, struct ls_error *err);

#endif
