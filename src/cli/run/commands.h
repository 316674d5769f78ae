/* commands.h: command lines as an application: the tasks of `loadstar run`.
 *
 * The master's state holds the template, the inputs and where outputs go; a worker needs none of
 * it, since a chunk's input holds the words of each command.
 */
#ifndef LS_CLI_COMMANDS_H
#define LS_CLI_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/blocks.h"
#include "cli/run/bundler.h"
#include "cli/run/joblog.h"
#include "cli/run/output.h"
#include "cli/run/output_places.h"
#include "cli/run/results.h"
#include "cli/run/task_files.h"
#include "cli/run/task_source.h"
#include "cli/run/template.h"
#include "runtime/application.h"

/* The master's state. All pointers are borrowed; those to outputs may be NULL. */
struct ls_commands {
  const struct ls_template *compiled;
  struct ls_task_source *source;
  struct ls_blocks *blocks;        /* NULL: tasks have none */
  struct ls_task_files *files;     /* NULL: tasks have none */
  const struct ls_template *needs; /* the label that a task needs; NULL: all tasks are for all */
  struct ls_output_places places;
  struct ls_delivery *delivery;
  struct ls_writer *writer; /* what delivery writes to */
  bool (*is_hurried)(void); /* the user waits for no outputs any more; NULL: never */
  struct ls_joblog *joblog;
  struct ls_results *results;
  double epoch_s; /* calendar time of the run's beginning; 0: not known yet */
  const struct ls_bundling *bundling; /* tasks are of several units; NULL: of one */
  struct ls_bundler bundler;
  struct ls_bytes packed; /* a bundle for people and logs */
  struct ls_expansion expansion;
  const char *const *words; /* of the command that was made last */
  size_t words_count;
  const char **values; /* one per source */
  struct ls_bytes line;
};

/* `state` is a struct ls_commands. Its `more` is for a source that is a stream, its `need` for
 * tasks that have needs. */
extern const struct ls_app ls_commands_app;

/* Makes room for the values. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_commands_init(struct ls_commands *commands, struct ls_error *err);
void ls_commands_close(struct ls_commands *commands);
/* The values of units on one line, as a shell would read them, into `commands->line`. */
LS_CHECKED enum ls_status ls_commands_name_inputs(struct ls_commands *commands,
                                                  struct ls_range units, struct ls_error *err);
/* The command of a task on one line, for people and logs, into `commands->line`. */
LS_CHECKED enum ls_status ls_commands_describe(struct ls_commands *commands, struct ls_range units,
                                               uint32_t slot, struct ls_error *err);

#endif
