/* run.c: `loadstar run`: from the command line to the exit status. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_auto.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"
#include "cli/subcommands.h"
#include "cli/terms_options.h"

static void close_run(struct ls_run *run) {
  ls_progress_close(&run->progress);
  ls_run_left_close(&run->left);
  ls_run_labels_close(&run->labels);
  ls_run_ssh_close(&run->ssh);
  ls_run_keeper_close(&run->keeper);
  if (run->is_open && run->app.close != NULL) run->app.close(run->state);
  ls_master_report_close(&run->report);
  ls_delivery_destroy(run->commands.delivery);
  ls_writer_close(run->writer);
  ls_run_outputs_close(run);
  ls_summary_file_close(run->summary_file);
  ls_blocks_close(&run->blocks);
  ls_task_files_close(&run->files);
  ls_template_close(&run->needs);
  ls_run_account_close(&run->account);
  ls_run_size_close(&run->size);
  ls_run_learnt_close(&run->learnt);
  ls_run_calibrate_close(&run->calibrate);
  ls_course_rows_close(&run->course);
  ls_run_policy_close(&run->policy);
  ls_run_job_close(run);
  ls_bytes_close(&run->command_text);
  ls_bytes_close(&run->policy_text);
  ls_bytes_close(&run->site_text);
  ls_bytes_close(&run->pools_text);
  ls_bytes_close(&run->advice);
  ls_repeat_close(&run->repeat);
  ls_failures_close(&run->failures);
  free(run->words);
  free(run);
}

/* The reason of auto's choice, and its expectation of each candidate, before the run. */
static void say_advice(const struct ls_run *run) {
  const struct ls_run_advised *advised = &run->policy.advised;
  if (advised->reason.length == 0 || !run->options.is_verbose) return;
  fputs(ls_bytes_text(&advised->table), stderr);
  fprintf(stderr, "%s: auto: %s\n", run->name, ls_bytes_text(&advised->reason));
}

/* What is amiss with a host harms no task. */
static void warn_of_host(void *context, const char *text) {
  const struct ls_run *run = context;
  if (!run->options.is_quiet) ls_run_warn(context, text);
}

/* Where it happens, and who will work there. */
static enum ls_status assemble(struct ls_run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  struct ls_run_ssh_wish wish = {.program = run->keeper.program,
                                 .run = run->site.keys.run,
                                 .warn = warn_of_host,
                                 .context = run};
  enum ls_status status = ls_run_site_assemble(options, &run->site, err);
  if (status == LS_OK) status = ls_run_calibrate_open(&run->calibrate, options->calibrate, err);
  if (status == LS_OK) status = ls_run_site_limit_workers(options, run->name, err);
  run->keeper.keeps_output = options->outputs.is_ungrouped;
  if (status == LS_OK) status = ls_run_keeper_start(&run->keeper, run->name, run->user_app, err);
  run->site.keeper = run->keeper.keeper;
  /* Local workers are forks of a process that has nothing of MPI. */
  if (status == LS_OK) status = ls_run_mpi_open(&run->mpi, &run->site, err);
  if (status != LS_OK) return status;
  ls_run_mpi_warn(&run->mpi, run->name, options);
  if (run->mpi.is_wanted && options->outputs.is_ungrouped)
    return ls_fail(
        err, LS_EINVAL,
        "--ungroup and ranks of MPI exclude each other; --line-buffer shows their lines");
  wish.keeper = run->keeper.keeper;
  return ls_run_ssh_open(&run->ssh, options, &wish, err);
}

/* Late results are better than none; money beyond the limit is not ours to spend. */
static bool refuses_price(const struct ls_run *run) {
  const struct ls_run_policy *policy = &run->policy;
  bool is_refused = policy->misses_terms && ls_terms_limit_price(&run->options.terms);
  if (policy->misses_terms)
    fprintf(stderr, "%s: %s%s\n", run->name, ls_bytes_text(&policy->terms_words),
            is_refused ? "; nothing was run" : "");
  return is_refused;
}

/* -j 0: no more workers than tasks, where these are known. */
static void limit_by_tasks(struct ls_run *run, uint64_t tasks) {
  struct ls_run_options *options = &run->options;
  if (!options->has_worker_by_task || run->app.more != NULL || tasks >= options->workers) return;
  options->workers = tasks > 0 ? (size_t)tasks : 1;
}

/* The rest that -m spreads has as many commands as there are workers. */
static enum ls_status find_lines(struct ls_run *run, struct ls_error *err) {
  const struct ls_bundle_options *bundles = &run->options.bundles;
  enum ls_status status = ls_run_lines_measure(run, err);
  if (status == LS_OK && bundles->line_units.count > 0 && !bundles->spreads_rest)
    limit_by_tasks(run, bundles->line_units.count);
  return status;
}

/* Tasks of other sizes take other times. */
static void warn_of_history(struct ls_run *run) {
  const char *path = run->options.history;
  uint64_t theirs = 0, ours = run->source.inputs_per_task > 0 ? run->source.inputs_per_task : 1;
  if (path == NULL || run->user_app != NULL || run->options.is_quiet) return;
  if (ls_run_resume_inputs_per_task(path, &theirs, NULL) != LS_OK) return;
  if (theirs > 0 && theirs != ours)
    fprintf(stderr,
            "%s: --history %s: a task there had %llu input%s, here it has %llu: times are taken as "
            "those of a task\n",
            run->name, path, (unsigned long long)theirs, theirs == 1 ? "" : "s",
            (unsigned long long)ours);
}

/* Simulations choose for what is left. */
static enum ls_status choose_policy(struct ls_run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  bool goes_on = options->is_resumed || options->repeats_failures;
  if (options->asks_cost && goes_on) {
    enum ls_status status = ls_run_dry_find_rest(run, err);
    if (status != LS_OK) return status;
  }
  /* Inputs that stream are compared as they come; an application may have iterations to come. */
  bool is_known = run->source.stream == NULL && run->user_app == NULL && !options->asks_cost;
  bool chooses = (ls_run_auto_is_asked(options) || options->chooses_prefetch) &&
                 (options->platform != NULL || options->times != NULL || options->history != NULL);
  /* What is wrong with a journal is told where it is opened, which also bears one that was hardly
   * begun. */
  if (is_known && chooses && ls_run_left_read(run, &run->left, NULL) == LS_OK)
    options->left = &run->left;
  return ls_run_policy_choose(&run->policy, options, run->units, err);
}

static int execute(struct ls_run *run) {
  struct ls_error err = {0};
  /* An application may declare its own times. */
  bool has_times = run->options.times != NULL || run->user_app != NULL;
  enum ls_status status = ls_run_policy_check(&run->options, has_times, &err);
  if (status == LS_OK) status = ls_run_drawing_check(&run->options, &err);
  if (status == LS_OK) status = ls_output_options_enter(&run->options.outputs, &err);
  if (status == LS_OK) status = ls_run_labels_begin(&run->options, run->mpi.is_wanted, &err);
  if (status == LS_OK) status = ls_run_mpi_reckon(&run->mpi, &run->options, &err);
  if (status == LS_OK) status = ls_run_slurm_prepare(&run->options, &run->slurm, &err);
  if (status == LS_OK) status = ls_run_ssh_read(&run->ssh, &run->options, &err);
  if (status == LS_OK) status = ls_run_labels_narrow(&run->options, &run->ssh.list, &err);
  if (status == LS_OK && !run->options.has_no_local)
    status = ls_login_options_check_workdir(&run->options.logins, &err);
  if (ls_run_pools_is_remote(&run->options)) ls_program_describe(run->program);
  if (status == LS_OK && !run->options.is_dry) status = assemble(run, &err);
  ls_run_site_describe(&run->options, &run->site_text);
  ls_run_pools_describe(&run->options, &run->pools_text);
  if (status == LS_OK)
    status = run->user_app == NULL ? ls_run_job_read_commands(run, &err)
                                   : ls_run_job_open_app(run, &err);
  if (status == LS_OK) limit_by_tasks(run, run->units);
  if (status == LS_OK) status = find_lines(run, &err);
  run->options.has_needs = run->app.need != NULL;
  if (status == LS_OK) status = ls_run_labels_check(&run->options, &err);
  bool asks_cost = run->options.asks_cost;
  if (status == LS_OK && run->options.is_dry && !asks_cost) return ls_run_dry_print(run);
  if (status == LS_OK) warn_of_history(run);
  if (status == LS_OK) status = choose_policy(run, &err);
  if (status == LS_OK && refuses_price(run)) return LS_EXIT_FAILED;
  if (status == LS_OK && asks_cost) return ls_run_dry_tell_cost(run);
  if (status == LS_OK) ls_run_foresee(run);
  /* Before anything is opened that it would share. */
  const int files[2] = {STDOUT_FILENO, STDERR_FILENO};
  if (status == LS_OK)
    status = ls_writer_open(files, run->options.journal != NULL, &run->writer, &err);
  if (status != LS_OK) return ls_console_fail(run->name, &err);
  run->commands.writer = run->writer;
  ls_run_policy_describe(&run->policy, &run->policy_text);
  say_advice(run);
  status = ls_run_master_serve(run, &err);
  ls_run_blocks_finish(run);
  return ls_run_conclude(run, status, &err);
}

/* Of several processes that get the same wrong command line one tells. */
static int read_options(struct ls_run *run) {
  struct ls_console_hush hush;
  if (!ls_run_mpi_is_follower())
    return ls_run_options_read(&run->options, run->argc, run->argv, run->user_app, run->names);
  ls_console_hush(&hush);
  int result = ls_run_options_read(&run->options, run->argc, run->argv, run->user_app, run->names);
  ls_console_speak(&hush);
  return result < 0 ? result : LS_EXIT_OK;
}

/* The exit status of a rank that is a worker, or of a run that cannot be; -1: go on. */
static int choose_mpi(struct ls_run *run) {
  struct ls_run_mpi *mpi = &run->mpi;
  struct ls_error err = {0};
  enum ls_status status = ls_run_mpi_choose(mpi, &run->options, &err);
  bool is_follower = run->options.transport != LS_RUN_LOCAL && mpi->rank.launcher.rank > 0;
  if (status != LS_OK) return is_follower ? LS_EXIT_OK : ls_console_fail(run->name, &err);
  if (!mpi->is_wanted) return -1;
  if (run->options.is_dry) {
    /* One process shows what would be run, and MPI is not started. */
    *mpi = (struct ls_run_mpi){0};
    return is_follower ? LS_EXIT_OK : -1;
  }
  if (!is_follower) return -1;
  /* Units of an application may do without temporary files. */
  status = ls_output_options_enter(&run->options.outputs, &err);
  if (status == LS_OK || run->user_app != NULL)
    return ls_run_mpi_work(mpi, run->name, run->user_app);
  fprintf(stderr, "%s: rank %u: %s\n", run->name, (unsigned)mpi->rank.launcher.rank, err.text);
  return LS_EXIT_USAGE;
}

/* `run`: as it begins, to be freed here. */
static int run_words(struct ls_run *run, int argc, char **argv, bool *is_counted) {
  const struct ls_app *app = run->user_app;
  run->name = argv[0];
  run->argc = argc;
  run->argv = argv;
  int result = read_options(run);
  if (result < 0) result = choose_mpi(run);
  if (result < 0) result = ls_run_resume_options(&run->resume, &run->options, argc, argv, app);
  if (result < 0) result = execute(run);
  bool is_unread = run->is_unread;
  *is_counted = run->is_counted;
  struct ls_mpi_rank rank = run->mpi.rank;
  free(run->mpi.speeds);
  close_run(run);
  ls_mpi_rank_end(&rank);
  if (is_unread) (void)raise(SIGPIPE);
  return result;
}

static int begin(int argc, char **argv, const struct ls_run *beginning, bool *is_counted) {
  struct ls_run *run = calloc(1, sizeof *run);
  if (run == NULL) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return LS_EXIT_INFRASTRUCTURE;
  }
  run->user_app = beginning->user_app;
  run->names = beginning->names;
  return run_words(run, argc, argv, is_counted);
}

int ls_run_main(int argc, char **argv, const struct ls_app *app) {
  bool is_counted = false;
  return begin(argc, argv, &(struct ls_run){.user_app = app}, &is_counted);
}

int ls_run_dialect_main(int argc, char **argv, bool *is_counted) {
  return begin(argc, argv, &(struct ls_run){.names = LS_RUN_ALL_NAMES}, is_counted);
}
