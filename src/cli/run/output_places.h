/* output_places.h: the outputs of tasks that are files, on their way to their places.
 *
 * A file arrives without a name in the folder of its place.  When its task is settled it gets a
 * name of its own beside the place, and takes the place once the journal has the task: whatever is
 * killed meanwhile, the place holds what it held before, or the whole output.  The name follows
 * from place and task, so that a resumed run finds what had not taken its place.
 */
#ifndef LS_CLI_RUN_OUTPUT_PLACES_H
#define LS_CLI_RUN_OUTPUT_PLACES_H

#include <stdbool.h>

#include "cli/run/task_files.h"
#include "runtime/output/output_files.h"

struct ls_output_places {
  struct ls_task_files *files; /* borrowed */
  bool is_synced;
};

/* For struct ls_output_target: the context is the places. */
int ls_output_places_open(void *context, uint64_t unit, size_t index, struct ls_error *err);
LS_CHECKED enum ls_status ls_output_places_keep(void *context, uint64_t unit,
                                                const struct ls_output_file *files, size_t count,
                                                struct ls_error *err);
/* The outputs of a settled task take their places, unless they did before. LS_EIO. */
LS_CHECKED enum ls_status ls_output_places_take(const struct ls_output_places *places,
                                                uint64_t unit, struct ls_error *err);

#endif
