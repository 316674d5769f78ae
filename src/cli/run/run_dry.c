/* run_dry.c: --dry-run: what would be run, or what it would cost. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_private.h"
#include "cli/run/run_rehearse.h"

/* --dry-run=cost of what a journal leaves, whose tasks tell how long others take. */
enum ls_status ls_run_dry_find_rest(struct ls_run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  if (options->journal == NULL || run->user_app != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--dry-run=cost and --resume exclude each other without the journal of command "
                   "lines");
  /* It begins anew where there is none yet. */
  if (access(options->journal, F_OK) != 0) return LS_OK;
  enum ls_status status = ls_run_left_read(run, &run->left, err);
  if (status != LS_OK) return status;
  uint64_t left = ls_run_left_count(&run->left, run->units);
  if (left == 0)
    return ls_fail(err, LS_EINVAL, "--dry-run=cost: %s: nothing is left of %llu tasks",
                   options->journal, (unsigned long long)run->units);
  options->left = &run->left;
  bool knows_nothing =
      options->platform == NULL && options->times == NULL && options->history == NULL;
  if (knows_nothing && left < run->units) options->history = options->journal;
  return LS_OK;
}

int ls_run_dry_print(struct ls_run *run) {
  int result = ls_run_job_print(run);
  if (result != LS_EXIT_OK || !run->options.has_slurm) return result;
  ls_run_keeper_find_program(&run->keeper);
  run->slurm.program = run->keeper.program;
  return ls_run_slurm_rehearse(run->name, &run->slurm);
}

/* With --json; at standard output it stands in the place of the lines. */
static enum ls_status tell_cost_in_json(struct ls_run *run, uint64_t units,
                                        const struct ls_run_cost *cost, struct ls_error *err) {
  struct ls_summary_file *file = NULL;
  struct ls_bytes text = {0};
  if (!run->options.wants_json) return LS_OK;
  enum ls_status status = ls_summary_file_open(run->options.json, &file, err);
  if (status != LS_OK) return status;
  ls_run_rehearse_write_json(&run->account, run->name, units, cost, &text);
  status = ls_summary_file_write(file, &text, err);
  ls_summary_file_close(file);
  ls_bytes_close(&text);
  return status;
}

/* --dry-run=cost: by the policy that the run would have. */
int ls_run_dry_tell_cost(struct ls_run *run) {
  struct ls_error err = {0};
  uint64_t units = ls_run_left_count(&run->left, run->units);
  struct ls_run_cost cost;
  struct ls_bytes text = {0};
  run->account = (struct ls_run_account){
      .options = &run->options, .policy = &run->policy, .runs_commands = run->user_app == NULL};
  enum ls_status status = ls_run_rehearse_cost(&run->account, units, &cost, &err);
  if (status == LS_OK) {
    status = tell_cost_in_json(run, units, &cost, &err);
    bool is_told = run->options.wants_json &&
                   (run->options.json == NULL || strcmp(run->options.json, "-") == 0);
    if (!is_told) ls_run_rehearse_write(&run->account, run->name, units, &cost, &text);
    if (status == LS_OK && !ls_console_write(STDOUT_FILENO, text.data, text.length))
      status = ls_fail(&err, LS_EIO, "standard output cannot be written");
  }
  ls_run_cost_close(&cost);
  ls_bytes_close(&text);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(run->name, &err);
}
