/* output_left.h: --files: an output stays in a file of its own, whose name is printed instead.
 */
#ifndef LS_CLI_RUN_OUTPUT_LEFT_H
#define LS_CLI_RUN_OUTPUT_LEFT_H

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/application.h"

/* Writes the output to a new file in the folder for temporary files; `name`: its path and a line
 * end. LS_EIO. */
LS_CHECKED enum ls_status ls_output_leave(const struct ls_output *output, struct ls_bytes *name,
                                          struct ls_error *err);

#endif
