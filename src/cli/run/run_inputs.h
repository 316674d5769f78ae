/* run_inputs.h: the inputs of `loadstar run`: read before the run begins, or while it goes on.
 *
 * Many sources, and all that has to know every task first (an order, a plan), read them
 * whole.  One source that is no small file is a stream: the run begins with what is there.
 */
#ifndef LS_CLI_RUN_INPUTS_H
#define LS_CLI_RUN_INPUTS_H

#include <stddef.h>

#include "base/status.h"
#include "cli/run/run_options.h"
#include "cli/run/task_source.h"

/* The word of options->words from which on inputs are named; words_count: none. */
size_t ls_run_inputs_mark(const struct ls_run_options *options);
/* Does a replacement string of the command, or of an option, or a name count on all inputs? */
bool ls_run_inputs_need_all(const struct ls_run_options *options);
/* Fills the source, which is {0}; waits a moment for a stream, which mostly ends in it. `name`
 * ("loadstar run") stands in the remark that a terminal is read. */
LS_CHECKED enum ls_status ls_run_inputs_read(const struct ls_run_options *options, const char *name,
                                             struct ls_task_source *source, struct ls_error *err);

#endif
