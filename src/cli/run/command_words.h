/* command_words.h: is a command one that can be meant?
 */
#ifndef LS_CLI_COMMAND_WORDS_H
#define LS_CLI_COMMAND_WORDS_H

#include "base/status.h"
#include "cli/run/template.h"

/* LS_EINVAL: the first word, such as 'wc -c < {}' or 'a|b', is what a shell would make a command
 * of, and no program has that name. `compiled` is the command's. */
LS_CHECKED enum ls_status ls_command_words_check(const struct ls_command_line *command,
                                                 const struct ls_template *compiled,
                                                 struct ls_error *err);

#endif
