/* task_files.h: the files that each task of a run takes with it, by its inputs.
 *
 * All that can be wrong with them is found before the run: a file that is not there, two that would
 * have one name, an output of two tasks.
 */
#ifndef LS_CLI_RUN_TASK_FILES_H
#define LS_CLI_RUN_TASK_FILES_H

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/file_options.h"
#include "cli/run/file_table.h"
#include "cli/run/task_row.h"
#include "cli/run/task_source.h"
#include "cli/run/template.h"
#include "protocol/staging.h"

/* An option with replacement strings. */
struct ls_file_pattern {
  const char *option; /* "--stage-in" */
  struct ls_template compiled;
};

/* Starts as {0}. */
struct ls_task_files {
  const struct ls_task_source *source;
  const struct ls_grammar *grammar;
  struct ls_file_pattern *inputs, *outputs;
  size_t inputs_count, outputs_count;
  bool returns_failed;
  struct ls_file_table table;
  /* Of the task that was looked at last: */
  struct ls_task_row row;
  struct ls_expansion expansion;
  struct ls_bytes names;
  size_t *offsets; /* of the names of its inputs, and then of its outputs */
  struct ls_staged_input *staged;
  const char **output_names;
};

/* Finds and reads the inputs of all tasks that are known. `options`, `source` and `grammar` are
 * borrowed until close. LS_EINVAL. */
LS_CHECKED enum ls_status ls_task_files_open(struct ls_task_files *files,
                                             const struct ls_file_options *options,
                                             const struct ls_task_source *source,
                                             const struct ls_grammar *grammar,
                                             struct ls_error *err);
/* The files of a task; borrowed until the next call. */
LS_CHECKED enum ls_status ls_task_files_of(struct ls_task_files *files, uint64_t task,
                                           struct ls_staging *staging, struct ls_error *err);
/* Where an output of a task belongs; borrowed until the next call. LS_ECORRUPT: there is no such
 * task or output. */
LS_CHECKED enum ls_status ls_task_files_output(struct ls_task_files *files, uint64_t task,
                                               size_t index, const char **path,
                                               struct ls_error *err);
void ls_task_files_close(struct ls_task_files *files);

#endif
