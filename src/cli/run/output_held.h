/* output_held.h: outputs that wait for their turn, in one private file without a name; compressed
 * if asked.
 */
#ifndef LS_CLI_RUN_OUTPUT_HELD_H
#define LS_CLI_RUN_OUTPUT_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/output/writer.h"

/* Copies an output to a descriptor; false: errno says why. */
bool ls_output_copy(const struct ls_output *output, int file);

/* Starts as ls_held_make(). */
struct ls_held {
  int file;       /* -1: not needed so far */
  uint64_t bytes; /* of it */
  uint64_t count; /* outputs in it */
  bool compresses;
};

struct ls_held ls_held_make(bool compresses);
/* Keeps both outputs of a task; `*place` finds them again. After a failure (LS_EIO, LS_ENOMEM) the
 * next ones take their room. */
LS_CHECKED enum ls_status ls_held_put(struct ls_held *held,
                                      const struct ls_output *const outputs[2], uint64_t *place,
                                      struct ls_error *err);
/* Gives them to the writer, once; the space of the file comes back when none is left. */
LS_CHECKED enum ls_status ls_held_give(struct ls_held *held, uint64_t place,
                                       struct ls_writer *writer, struct ls_error *err);
void ls_held_close(struct ls_held *held);

#endif
