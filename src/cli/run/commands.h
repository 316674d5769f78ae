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
#include "cli/run/output_dress.h"
#include "cli/run/output_lines.h"
#include "cli/run/output_places.h"
#include "cli/run/result_names.h"
#include "cli/run/results.h"
#include "cli/run/results_table.h"
#include "cli/run/task_files.h"
#include "cli/run/task_row.h"
#include "cli/run/task_source.h"
#include "cli/run/template.h"
#include "runtime/application.h"

/* The master's state. All pointers are borrowed; those to outputs may be NULL. */
struct ls_commands {
  const struct ls_template *compiled;
  struct ls_task_source *source;
  struct ls_blocks *blocks;        /* NULL: tasks have none */
  const char *block_name;          /* of the last one that was expanded */
  struct ls_task_files *files;     /* NULL: tasks have none */
  const struct ls_template *needs; /* the label that a task needs; NULL: all tasks are for all */
  const struct ls_template *tag;   /* before each line of outputs that are shown; NULL: nothing */
  struct ls_output_places places;
  struct ls_delivery *delivery;
  struct ls_writer *writer; /* what delivery writes to */
  bool (*is_hurried)(void); /* the user waits for no outputs any more; NULL: never */
  struct ls_joblog *joblog;
  struct ls_results *results;
  const struct ls_bundling *bundling; /* tasks are of several units; NULL: of one */
  struct ls_bundler bundler;
  struct ls_bytes packed; /* a bundle for people and logs */
  struct ls_result_names result_names;
  const struct ls_template *results_name; /* of each task; NULL: it has none */
  struct ls_results_table *table;
  enum ls_table_form shown_table; /* rows in place of outputs; LS_TABLE_NONE: none */
  struct ls_table_columns table_columns;
  bool awaits_heading;       /* of that table */
  bool is_synced;            /* of those names */
  bool repeats_failures;     /* of an earlier session, perhaps in other commands */
  bool leaves_files;         /* outputs, and their names are shown */
  const uint64_t *sequences; /* numbers in logs, by unit; NULL: from 1 */
  double epoch_s;            /* calendar time of the run's beginning; 0: not known yet */
  struct ls_expansion expansion;
  const char *const *words; /* of the command that was made last */
  size_t words_count;
  struct ls_bytes line, text, log_line, inputs, table_row;
  uint64_t slots;               /* places of workers; 0: not known */
  struct ls_task_row row;       /* of the task that was looked at last */
  struct ls_dressed dressed[2]; /* the outputs that are delivered */
  bool has_dressed;             /* by ls_commands_init */
  bool tells_beginnings;        /* each command is shown when it begins */
  bool tells_on_output;         /* standard output, not standard error */
  bool heads_outputs;           /* each output begins with the command */
  struct ls_range *told;        /* tasks that run and were shown */
  size_t told_count, told_capacity;
  bool shows_lines; /* while tasks run, too */
  struct ls_live_lines live;
};

/* `state` is a struct ls_commands. Its `more` is for a source that is a stream, its `need` for
 * tasks that have needs. */
extern const struct ls_app ls_commands_app;

/* Makes what outputs that are delivered need. */
void ls_commands_init(struct ls_commands *commands);
void ls_commands_close(struct ls_commands *commands);
/* A text of a task, such as its tag, into `commands->text`; of several units the values of all,
 * with spaces between, and the number of the first. */
LS_CHECKED enum ls_status ls_commands_fill_in(struct ls_commands *commands,
                                              const struct ls_template *compiled,
                                              struct ls_range units, uint32_t slot,
                                              struct ls_error *err);
/* The same of the first input alone. */
LS_CHECKED enum ls_status ls_commands_fill_in_first(struct ls_commands *commands,
                                                    const struct ls_template *compiled,
                                                    uint64_t unit, uint32_t slot,
                                                    struct ls_error *err);

/* A task has one unit, or several: those of `task`. */

/* commands_record.c: what is kept of tasks: results and job log. */
LS_CHECKED enum ls_status ls_commands_record(struct ls_commands *commands,
                                             const struct ls_unit_result *result,
                                             struct ls_range task, struct ls_error *err);
/* The command of a task as the job log has it, into `commands->log_line`. */
LS_CHECKED enum ls_status ls_commands_write_log_line(struct ls_commands *commands,
                                                     struct ls_range task, uint32_t slot,
                                                     struct ls_error *err);
/* A row of a table that stands in place of the outputs, into `commands->table_row`. */
LS_CHECKED enum ls_status ls_commands_write_row(struct ls_commands *commands,
                                                const struct ls_unit_result *result,
                                                struct ls_range task, struct ls_error *err);

/* commands_output.c: what is shown of tasks. */
/* The outputs of a settled task, as far as they were not shown, in the place of its first unit. */
LS_CHECKED enum ls_status ls_commands_deliver(struct ls_commands *commands,
                                              const struct ls_unit_result *result,
                                              struct ls_range task, struct ls_error *err);
/* Units whose outputs left in an earlier session. */
LS_CHECKED enum ls_status ls_commands_skip(struct ls_commands *commands, struct ls_range units,
                                           struct ls_error *err);
/* What a running unit has written; or that it has begun. */
LS_CHECKED enum ls_status ls_commands_show(struct ls_commands *commands,
                                           const struct ls_unit_lines *lines, struct ls_error *err);
/* The words of a task's command, into `commands->words`. */
LS_CHECKED enum ls_status ls_commands_expand(struct ls_commands *commands, struct ls_range task,
                                             uint32_t slot, struct ls_error *err);
/* The values of units on one line, as a shell would read them, into `commands->line`. */
LS_CHECKED enum ls_status ls_commands_name_inputs(struct ls_commands *commands,
                                                  struct ls_range units, struct ls_error *err);
/* The command of a task on one line, for people and logs, into `commands->line`. */
LS_CHECKED enum ls_status ls_commands_describe(struct ls_commands *commands, struct ls_range task,
                                               uint32_t slot, struct ls_error *err);

#endif
