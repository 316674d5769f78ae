/* run_resume.h: what a journal keeps of a command line, so that `--resume --journal FILE` alone
 * goes on: the options, the command, the inputs.
 *
 * A command line without a command takes all three from the journal, its own options come after the
 * recorded ones.  One with a command must agree with what is recorded, but inputs may be appended.
 */
#ifndef LS_CLI_RUN_RESUME_H
#define LS_CLI_RUN_RESUME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_options.h"
#include "cli/run/task_source.h"
#include "runtime/journal/journal.h"

/* Starts as {0}. */
struct ls_run_resume {
  struct ls_bytes options, command; /* the recorded words, each followed by a zero byte */
  size_t options_count, command_count;
  char **words;     /* the command line that was read instead; the options borrow from it */
  bool takes_tasks; /* the inputs are the journal's; no others are read */
};

/* Reads the options once more, behind the recorded ones, when the command line has no command and
 * resumes a journal. Returns -1: go on; else the exit status. `argv` and the result borrow. */
int ls_run_resume_options(struct ls_run_resume *resume, struct ls_run_options *options, int argc,
                          char **argv, const struct ls_app *app);
/* The options of the run that a journal tells of, as if it were resumed by `name` without further
 * ones. The result borrows `path`. LS_EINVAL: the recorded words are no command line. */
LS_CHECKED enum ls_status ls_run_resume_recall(struct ls_run_resume *resume,
                                               struct ls_run_options *options, char *name,
                                               const char *path, struct ls_error *err);
/* Fills an empty source with the inputs in the journal. */
LS_CHECKED enum ls_status ls_run_resume_inputs(const char *path, struct ls_task_source *source,
                                               struct ls_error *err);
/* Of the journal that is being opened: records the words of a new run, its command the first
 * `command_count` words of the options. */
void ls_run_resume_record(struct ls_journal *journal, const struct ls_run_options *options,
                          size_t command_count);
/* Do the inputs make the tasks that the journal has?  Changes nothing. LS_EMISMATCH says which task
 * differs. */
LS_CHECKED enum ls_status ls_run_resume_compare(struct ls_journal *journal,
                                                const struct ls_task_source *source,
                                                struct ls_error *err);
/* Records the inputs of a new run; of a resumed one compares them, and takes appended ones on. A
 * stream goes on to do so as its values come.
 * LS_EMISMATCH says which task differs. */
LS_CHECKED enum ls_status ls_run_resume_agree(struct ls_journal *journal,
                                              struct ls_task_source *source, struct ls_error *err);
/* How many inputs a task of that journal had; 0: it does not say. LS_EINVAL, LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_run_resume_inputs_per_task(const char *path, uint64_t *inputs,
                                                        struct ls_error *err);
void ls_run_resume_close(struct ls_run_resume *resume);

#endif
