/* command_words.h: is a command one that can be meant?
 */
#ifndef LS_CLI_COMMAND_WORDS_H
#define LS_CLI_COMMAND_WORDS_H

#include "base/status.h"
#include "cli/run/template.h"

/* LS_EINVAL: the command is one word, such as 'wc -c < {}', that no program is named, though its
 * beginning is: a command line for the shell. */
LS_CHECKED enum ls_status ls_command_words_check(const struct ls_command_line *command,
                                                 struct ls_error *err);

#endif
