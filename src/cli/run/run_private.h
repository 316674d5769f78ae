/* run_private.h: the state of one `loadstar run`, shared by its files.
 *
 * run_job.c and run_lines.c say what is to be run, run_outputs.c what is shown and kept of it,
 * run_master.c runs it, run_conclusion.c says what it came to; run.c calls them.
 */
#ifndef LS_CLI_RUN_PRIVATE_H
#define LS_CLI_RUN_PRIVATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/run/commands.h"
#include "cli/run/failures.h"
#include "cli/run/progress.h"
#include "cli/run/repeat.h"
#include "cli/run/run_account.h"
#include "cli/run/run_calibrate.h"
#include "cli/run/run_keeper.h"
#include "cli/run/run_labels.h"
#include "cli/run/run_learnt.h"
#include "cli/run/run_left.h"
#include "cli/run/run_mpi.h"
#include "cli/run/run_options.h"
#include "cli/run/run_policy.h"
#include "cli/run/run_resume.h"
#include "cli/run/run_site.h"
#include "cli/run/run_size.h"
#include "cli/run/run_slurm.h"
#include "cli/run/run_ssh.h"
#include "cli/run/run_staff.h"
#include "cli/run/run_words.h"
#include "cli/run/summary_file.h"
#include "runtime/master/master.h"
#include "runtime/os/program.h"

/* One run, from the command line to the exit status. */
struct ls_run {
  const char *name; /* "loadstar run", for messages */
  enum ls_run_names names;
  int argc;
  char **argv;
  struct ls_run_options options;
  struct ls_run_resume resume;
  struct ls_run_left left;       /* for choices before the run begins */
  const struct ls_app *user_app; /* NULL: command lines */
  struct ls_app app;
  void *state;
  bool is_open;    /* the application has opened that state */
  char **words;    /* of the application, NULL-terminated */
  uint64_t units;  /* of the first iteration */
  uint64_t digest; /* of the inputs */

  struct ls_task_source source;
  bool is_recorded;  /* the source is the journal's */
  bool lacks_inputs; /* and the input had not ended when the journal's run did */
  struct ls_template compiled, needs, tag, results_name;
  uint64_t *sequences; /* of --retry-failed: the numbers that its tasks had */
  struct ls_run_words words_of_tasks;
  struct ls_shell_words shell; /* of command lines */
  struct ls_command_line command;
  struct ls_commands commands;
  struct ls_blocks blocks;
  struct ls_task_files files;
  struct ls_file_source file_source;
  struct ls_output_target file_target;
  struct ls_writer *writer; /* of outputs and of words while the run goes on */
  struct ls_run_policy policy;
  struct ls_run_staff staff;
  struct ls_run_account account;
  struct ls_run_size size;
  struct ls_course_rows course; /* so far, if it is to be learnt from */
  bool learns, has_told;        /* has_told: while the run goes on */
  struct ls_run_learnt learnt;  /* behind the run */
  struct ls_run_calibrate calibrate;
  struct ls_progress progress;
  struct ls_failures failures;
  struct ls_master_report report;
  char directory[PATH_MAX];
  struct ls_site site;            /* where it happens: the first thing that is known */
  char program[LS_PROGRAM_BYTES]; /* if others may join */
  struct ls_pool_choice pools[LS_RUN_POOLS_MAX]; /* of the site */
  struct ls_bytes results_text;                  /* of --results, if it was made */
  struct ls_bytes command_text, policy_text, site_text, pools_text;
  struct ls_run_keeper keeper;
  struct ls_run_ssh ssh;
  struct ls_run_mpi mpi;
  struct ls_slurm_setup slurm;          /* if it is wanted */
  struct ls_run_labels labels;          /* of the workers of the pools */
  struct ls_bytes advice;               /* the last one of the run, in words */
  struct ls_repeat repeat;              /* of what failed */
  struct ls_summary_file *summary_file; /* NULL: no JSON is wanted */

  bool is_halted;
  bool is_counted; /* the exit status is the number of failed tasks */
  bool is_unread;  /* the reader of the output is gone: end as other programs do */
};

/* run_master.c */
/* Words for the user, after the outputs that were given before; waits for no reader. */
void ls_run_say(struct ls_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with the run's name before them, also where nothing is given out yet; `context` is the
 * run. */
void ls_run_warn(void *context, const char *text);
/* Once the policy is chosen: what is expected of it, and whether the run learns what it costs. */
void ls_run_foresee(struct ls_run *run);
/* Runs all of it, with the workers of its pools; the report tells what it came to. */
LS_CHECKED enum ls_status ls_run_master_serve(struct ls_run *run, struct ls_error *err);

/* run_job.c */
/* Reads inputs and command, or takes those of the journal that is resumed. */
LS_CHECKED enum ls_status ls_run_job_read_commands(struct ls_run *run, struct ls_error *err);
/* The commands of the run of this journal, into an empty `run`, which ls_run_job_close ends: none
 * of them runs. */
LS_CHECKED enum ls_status ls_run_job_recall(struct ls_run *run, const char *path,
                                            struct ls_error *err);
/* Closes the commands, and what they were made of. */
void ls_run_job_close(struct ls_run *run);
/* Opens the application with its words. */
LS_CHECKED enum ls_status ls_run_job_open_app(struct ls_run *run, struct ls_error *err);
/* While the journal is opened: it keeps what a resume needs. `context` is the run. */
LS_CHECKED enum ls_status ls_run_job_agree(void *context, struct ls_journal *journal,
                                           struct ls_error *err);
/* Puts the folder that the run begins in into `directory`; "": it cannot be known. */
void ls_run_job_find_directory(struct ls_run *run);
/* What the run is, for its journal; borrowed from the run. */
struct ls_journal_job ls_run_job_facts(const struct ls_run *run);
/* --dry-run: prints the commands alone; the exit status. */
int ls_run_job_print(struct ls_run *run);

/* run_lines.c */
/* How many inputs fill each command line, into the options, if that is wanted; now that all inputs
 * and the number of workers are known. */
LS_CHECKED enum ls_status ls_run_lines_measure(struct ls_run *run, struct ls_error *err);

/* run_outputs.c */
/* What is shown and kept of tasks, before they are known to run. */
LS_CHECKED enum ls_status ls_run_outputs_prepare(struct ls_run *run, struct ls_error *err);
/* Is the command of a line in the job log still that of its task? LS_EINVAL: it is not. */
LS_CHECKED enum ls_status ls_run_outputs_compare(struct ls_run *run,
                                                 const struct ls_joblog_record *record,
                                                 struct ls_error *err);
/* The tasks are the commands that have failed by the job log. */
LS_CHECKED enum ls_status ls_run_outputs_read_failed(struct ls_run *run, struct ls_error *err);
/* Once the journal is held: a start that it refuses leaves these files as they were. `context` is
 * the run, here and below. */
LS_CHECKED enum ls_status ls_run_outputs_open(void *context, struct ls_error *err);
LS_CHECKED enum ls_status ls_run_outputs_show(void *context, const struct ls_unit_lines *lines,
                                              struct ls_error *err);
const char *ls_run_outputs_name_unit(void *context, uint64_t unit);
void ls_run_outputs_close(struct ls_run *run);
/* run_blocks.c */
/* Opens the data that are divided, if there are any: the blocks are the inputs then. */
LS_CHECKED enum ls_status ls_run_blocks_open(struct ls_run *run, struct ls_error *err);
/* Of a stream, before its blocks are compared with the journal's: what was settled need not be
 * kept. */
LS_CHECKED enum ls_status ls_run_blocks_resume(struct ls_run *run, struct ls_journal *journal,
                                               struct ls_error *err);
/* With --round-robin, while the run goes on: `is_ending`, so no more of the data is dealt out. */
void ls_run_blocks_attend(struct ls_run *run, bool is_ending);
/* Behind the run: says what nobody has read. */
void ls_run_blocks_finish(struct ls_run *run);

/* run_dry.c */
/* --dry-run: prints the commands, and the line for Slurm; the exit status. */
int ls_run_dry_print(struct ls_run *run);
/* --dry-run=cost with a journal that is resumed: what is left of it, whose tasks tell how long
 * others take, before the policy is chosen. LS_EINVAL: nothing is left, or it is no such journal.
 */
LS_CHECKED enum ls_status ls_run_dry_find_rest(struct ls_run *run, struct ls_error *err);
/* --dry-run=cost: prints it, by the policy that the run would have; the exit status. */
int ls_run_dry_tell_cost(struct ls_run *run);

/* run_drawing.c */
/* Before the run: can the drawing be written? LS_EINVAL names the file. */
LS_CHECKED enum ls_status ls_run_drawing_check(const struct ls_run_options *options,
                                               struct ls_error *err);
/* Behind the run: the drawing that was asked for, of its journal. LS_EIO names the file. */
LS_CHECKED enum ls_status ls_run_draw(const struct ls_run *run, struct ls_error *err);

/* run_files.c */
/* What tasks take with them is looked at before any of them runs. */
LS_CHECKED enum ls_status ls_run_files_open(struct ls_run *run, struct ls_error *err);
/* A worker has got a file: `context` is the run. */
void ls_run_files_note(void *context, struct ls_journal *journal, uint32_t worker,
                       const struct ls_file_sent *sent);

/* run_conclusion.c */
/* Outputs, summary and exit status of a run that ended with `status`. */
int ls_run_conclude(struct ls_run *run, enum ls_status status, struct ls_error *err);

#endif
