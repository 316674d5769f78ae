/* command_words.h: is a command one that can be meant?
 */
#ifndef LS_CLI_COMMAND_WORDS_H
#define LS_CLI_COMMAND_WORDS_H

#include "base/status.h"
#include "cli/run/task_source.h"
#include "cli/run/template.h"

/* A command, its template, and what tells how a shell would be given its first task. */
struct ls_command_words {
  const struct ls_command_line *command;
  const struct ls_template *compiled;
  const struct ls_grammar *grammar;
  const struct ls_task_source *source;
};

/* LS_EINVAL: the first word, such as 'wc -c < {}' or 'a|b', is what a shell would make a command
 * of, and no program has that name; the text shows what --shell would run. */
LS_CHECKED enum ls_status ls_command_words_check(const struct ls_command_words *words,
                                                 struct ls_error *err);

#endif
