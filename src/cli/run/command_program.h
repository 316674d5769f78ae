/* command_program.h: is the program of a command there at all?
 */
#ifndef LS_CLI_RUN_COMMAND_PROGRAM_H
#define LS_CLI_RUN_COMMAND_PROGRAM_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/run/template.h"

/* The first word of a command, where it is the same for every task and is run without a shell;
 * NULL: it is not. Borrowed. */
const char *ls_command_program_name(const struct ls_command_line *command,
                                    const struct ls_template *compiled);
/* Could it be run from here, as execvp would? With `is_elsewhere` it starts in another folder, and
 * what depends on that is taken to be there. LS_EINVAL names it, and why not. */
LS_CHECKED enum ls_status ls_command_program_check(const char *name, bool is_elsewhere,
                                                   struct ls_error *err);

#endif
