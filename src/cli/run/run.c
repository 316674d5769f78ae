/* run.c: `loadstar run`: from the command line to the exit status. */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advise/run_advise.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/run/run_auto.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"
#include "cli/run/run_rehearse.h"
#include "cli/run/run_situation.h"
#include "cli/subcommands.h"
#include "cli/terms_options.h"
#include "runtime/clock.h"

/* Without a single worker for so long, a run ends. */
static const double WORKERS_PATIENCE_S = 30;
/* To stop at once under a launcher, which gives a second in all. */
static const double LAUNCHER_PATIENCE_S = 0.3;
/* In its first seconds auto learns what its workers cost: from so many results, and from no more
 * than are fitted in an instant. */
static const double LEARNT_AFTER_S = 2;
enum { LEARNT_LEAST = 8, LEARNT_MOST = 20000 };

/* ---- words ---- */

/* Words for the user come after the outputs that were given before, and wait for no reader. */
void ls_run_say(struct ls_run *run, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text - 1, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  if (length > (int)sizeof text - 2) length = (int)sizeof text - 2;
  text[length++] = '\n';
  ls_progress_hide(&run->progress);
  /* A message that cannot be shown is no reason to end the run. */
  if (ls_writer_add(run->writer, LS_WRITER_ERROR, text, (size_t)length, NULL) == LS_OK)
    (void)!ls_writer_attend(run->writer, NULL);
}

/* ---- while the run goes on ---- */

/* With --verbose auto tells once what it has learnt, if that takes no time from the run. */
static void tell_learnt(struct ls_run *run, double now_s) {
  struct ls_run_learnt learnt;
  struct ls_bytes text = {0};
  size_t ended = run->course.course.ended_count;
  if (!run->learns || run->has_told || !run->options.is_verbose || now_s < LEARNT_AFTER_S) return;
  if (ended < LEARNT_LEAST || ended > LEARNT_MOST) return;
  run->has_told = true;
  if (ls_run_learnt_make(&run->course, &learnt, NULL) != LS_OK) return;
  ls_run_learnt_write(&learnt, &text);
  if (text.length > 0)
    ls_run_say(run, "%s: auto: after %.3g s: %.*s", run->name, now_s, (int)text.length - 1,
               ls_bytes_text(&text));
  ls_bytes_close(&text);
  ls_run_learnt_close(&learnt);
}

static void watch(void *context, const struct ls_master_progress *facts) {
  struct ls_run *run = context;
  tell_learnt(run, facts->now_s);
  if (!(run->commands.epoch_s > 0)) run->commands.epoch_s = ls_clock_calendar_s() - facts->now_s;
  ls_run_blocks_attend(run, facts->totals.is_stopping);
  ls_progress_show(&run->progress, facts);
}

static void note_time(void *context, const struct ls_master_timed *timed) {
  struct ls_run *run = context;
  ls_progress_note(&run->progress, timed);
}

/* What earlier sessions settled does not count. */
static enum ls_master_wish ask_halt(void *context, const struct ls_master_report *so_far) {
  struct ls_run *run = context;
  bool counts_tasks = run->commands.bundling != NULL && !(run->options.halt.percent > 0);
  uint64_t done = counts_tasks ? so_far->tasks_done : so_far->units_done;
  uint64_t failed = counts_tasks ? so_far->tasks_failed : so_far->units_failed;
  enum ls_master_wish wish =
      ls_halt_wish(&run->options.halt, run->units, done, failed + so_far->units_given_up);
  if (wish != LS_WISH_GO_ON && !run->is_halted) {
    run->is_halted = true;
    if (!run->options.is_quiet)
      ls_run_say(run, "%s: --halt: %s", run->name,
                 wish == LS_WISH_STOP_NOW ? "stopping now" : "no further task is started");
  }
  return wish;
}

/* What is lacking for want of memory is lacking in the summary only. */
static void note_failure(void *context, const struct ls_unit_result *result) {
  struct ls_run *run = context;
  struct ls_commands *commands = &run->commands;
  struct ls_failure *failure = ls_failures_note(&run->failures, result);
  uint64_t unit = result->units.first;
  if (failure == NULL || run->user_app != NULL) return;
  const struct ls_range units = {unit, commands->bundling != NULL ? result->units.count : 1};
  if (ls_commands_name_inputs(commands, units, NULL) == LS_OK)
    failure->input = strdup(ls_bytes_text(&commands->line));
  /* By hand it would lack its block. */
  if (commands->blocks != NULL || run->failed_command.length > 0 ||
      ls_commands_describe(commands, units, result->slot > 0 ? result->slot : 1, NULL) != LS_OK)
    return;
  ls_bytes_append(&run->failed_command, commands->line.data, commands->line.length);
}

static void announce(void *context, const char *address, const char *key) {
  const struct ls_run *run = context;
  const char *program = run->user_app == NULL ? "loadstar" : run->user_app->name;
  if (key != NULL) {
    fprintf(stderr, "%s: listens at %s; workers join by: %s worker --key %s\n", run->name, address,
            program, key);
  } else {
    fprintf(stderr, "%s: listens without keys; workers join by: %s worker --connect %s\n",
            run->name, program, address);
  }
}

static void print_note(void *context, const char *text) {
  struct ls_run *run = context;
  ls_run_say(run, "%s", text);
}

static void print_warning(void *context, const char *text) {
  struct ls_run *run = context;
  if (run->writer != NULL) {
    ls_run_say(run, "%s: %s", run->name, text);
  } else {
    fprintf(stderr, "%s: %s\n", run->name, text);
  }
}

/* -j FILE: how many workers it wants by now. */
static uint64_t count_staff(void *context) {
  struct ls_run *run = context;
  struct ls_error err = {0};
  uint64_t tasks = run->app.more == NULL ? run->units : UINT64_MAX;
  if (ls_run_staff_look(&run->staff, tasks, &err) != LS_OK) print_warning(run, err.text);
  return run->staff.wanted;
}

/* What is amiss with a host harms no task. */
static void warn_of_host(void *context, const char *text) {
  const struct ls_run *run = context;
  if (!run->options.is_quiet) print_warning(context, text);
}

/* In a process of its own. */
static bool advise(void *context, const struct ls_adviser_facts *facts,
                   struct ls_adviser_answer *answer) {
  const struct ls_run *run = context;
  struct ls_run_advisable advisable = {.used = &run->policy.config,
                                       .is_remote = ls_run_pools_is_remote(&run->options),
                                       .keeps_prefetch = ls_run_keeps_prefetch(&run->options),
                                       .has_whole_chunks = run->options.has_whole_chunks,
                                       .may_save = run->policy.may_save,
                                       .clock_s = ls_clock_s};
  return ls_run_advise_now(&advisable, facts, answer);
}

/* The user's choices stay; all others may change while the run goes on. */
static bool may_be_advised(const struct ls_run *run) {
  return run->policy.advised.reason.length > 0;
}

static void print_advice(void *context, const char *reason) {
  struct ls_run *run = context;
  ls_bytes_clear(&run->advice);
  ls_bytes_append_text(&run->advice, reason);
  /* The summary says it; while the run goes on only --verbose does. */
  if (run->options.is_verbose) ls_run_say(run, "%s: auto: %s", run->name, reason);
}

static void tell_size(struct ls_run *run, const struct ls_master_report *report) {
  const struct ls_run_options *options = &run->options;
  const struct ls_run_size_facts facts = {.are_alike = !ls_run_pools_is_remote(options) &&
                                                       options->speeds_count == 0 &&
                                                       run->policy.config.weights == NULL,
                                          .seed = run->policy.config.seed};
  ls_run_size_make(&run->size, report, &facts);
}

/* The prediction before the run, and what happened behind it. */
static void record(void *context, struct ls_journal *journal,
                   const struct ls_master_report *report) {
  struct ls_run *run = context;
  if (report != NULL) {
    ls_run_account_compare(&run->account, report, run->units);
    tell_size(run, report);
    ls_run_size_record(&run->size, report, journal);
  }
  ls_run_account_record(&run->account, journal);
}

/* ---- the run ---- */

/* Ranks of MPI have the first slots, then local workers; the others follow in the order in which
 * they were added. */
static enum ls_status choose_pools(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  const double *kept = run->policy.speeds;
  run->staff = ls_run_staff_of(options, &run->policy);
  struct ls_pool_setup local = {
      .speeds = kept != NULL ? kept : options->speeds,
      .speeds_count = kept != NULL ? run->policy.places : options->speeds_count,
      .slots = ls_run_staff_places(&run->staff, run->policy.places - options->elsewhere.workers),
      .own = run->keeper.keeper};
  size_t count = 0;
  enum ls_status status =
      ls_run_labels_add(&run->labels, options->elsewhere.ranks, options->labels, err);
  if (run->mpi.is_wanted) {
    run->pools[count++] =
        (struct ls_pool_choice){&ls_pool_mpi, {.slots = options->elsewhere.ranks}};
  }
  if (!options->has_no_local) {
    run->pools[count++] = (struct ls_pool_choice){&ls_pool_fork, local};
    if (status == LS_OK)
      status = ls_run_labels_add(&run->labels, local.slots, options->labels, err);
  }
  if (options->has_slurm) {
    run->slurm.program = run->keeper.program;
    run->slurm.directory = run->directory;
    run->slurm.heartbeat_s = run->policy.config.heartbeat_s;
    run->slurm.takes_over = options->is_resumed || options->repeats_failures;
    run->slurm.warn = print_warning;
    run->slurm.context = run;
    run->pools[count++] = (struct ls_pool_choice){
        &ls_pool_slurm, {.slots = ls_run_slurm_workers(&run->slurm), .own = &run->slurm}};
    if (status == LS_OK)
      status = ls_run_labels_add(&run->labels, ls_run_slurm_workers(&run->slurm),
                                 options->slurm.labels, err);
  }
  if (run->ssh.is_open) {
    struct ls_pool_setup there = {.slots = run->ssh.workers, .own = &run->ssh.hosts};
    run->pools[count++] = (struct ls_pool_choice){&ls_pool_ssh, there};
    const struct ls_ssh_hosts *hosts = &run->ssh.hosts;
    for (size_t i = 0; i < hosts->count && status == LS_OK; i++)
      status = ls_run_labels_add(&run->labels, hosts->items[i].workers,
                                 hosts->items[i].facts->labels, err);
  }
  run->site.pools = run->pools;
  run->site.pools_count = count;
  return status;
}

/* Workers that join from elsewhere are to run the commands in this folder. NULL: each where it is.
 */
static const char *choose_directory(const struct ls_run *run, bool has_directory) {
  const struct ls_run_options *options = &run->options;
  bool is_sandboxed = ls_file_options_sandboxing(&options->files_of_tasks) != LS_SANDBOX_NONE;
  if (options->logins.workdir != NULL) return options->logins.workdir;
  return ls_run_pools_is_remote(options) && has_directory && !is_sandboxed ? run->directory : NULL;
}

static struct ls_load_pattern complete_load_pattern(const struct ls_load_pattern *told) {
  struct ls_load_pattern whole = *told;
  if (!(whole.busy > 0)) whole.busy = 0.5;
  if (!(whole.slot_s > 0)) whole.slot_s = 1;
  return whole;
}

/* Seconds for which a run waits that has no worker. */
static double find_patience(const struct ls_run_options *options) {
  if (options->workers_wait_s > 0) return options->workers_wait_s;
  return options->patience_s > 0 ? options->patience_s : WORKERS_PATIENCE_S;
}

static enum ls_status run_master(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  ls_run_job_find_directory(run);
  bool has_directory = run->directory[0] != '\0';
  enum ls_sandboxing sandboxing = ls_file_options_sandboxing(&options->files_of_tasks);
  struct ls_load_pattern load_pattern = complete_load_pattern(&options->load_pattern);
  enum ls_status status = choose_pools(run, err);
  if (status != LS_OK) return status;
  struct ls_master_options master = {
      .app = &run->app,
      .state = run->state,
      .first_units = run->user_app != NULL ? &run->units : NULL,
      .words = run->words,
      .directory = choose_directory(run, has_directory),
      .makes_directory = options->logins.workdir != NULL,
      .config = run->policy.config,
      .times = run->policy.adaptive.times,
      .times_count = run->policy.adaptive.times_count,
      .prices = run->policy.prices,
      .prices_count = run->policy.prices != NULL ? run->policy.config.workers : 0,
      .platform = &run->account.predicted.platform,
      .prefetch = run->policy.prefetch,
      .computes_in_thread = options->computes_in_thread,
      .speeds = run->mpi.speeds,
      .speeds_count = run->mpi.speeds != NULL ? options->elsewhere.ranks : 0,
      .needs = options->needs,
      .labels = run->labels.items,
      .labels_count = run->labels.count,
      .load_pattern = options->has_load_pattern ? &load_pattern : NULL,
      .stage_ahead = options->stage_ahead,
      .timeout_s = options->timeout_s,
      .timeout_percent = options->timeout_percent,
      .ending = options->ending,
      .name_unit = run->user_app == NULL ? ls_run_outputs_name_unit : NULL,
      .showing = ls_output_options_showing(&options->outputs),
      .lines = ls_run_outputs_show,
      .sandboxing = sandboxing,
      .manners = options->limits.is_given ? &options->limits.manners : NULL,
      .files = run->commands.files != NULL ? &run->file_source : NULL,
      .file_target = run->commands.files != NULL ? &run->file_target : NULL,
      .cache_bytes = options->files_of_tasks.cache_bytes,
      .file_sent = ls_run_files_note,
      .heartbeat_s = options->heartbeat_s,
      .site = &run->site,
      .journal = options->journal,
      .journal_mode = options->is_resumed         ? LS_JOURNAL_RESUME
                      : options->repeats_failures ? LS_JOURNAL_RESUME_FAILED
                                                  : LS_JOURNAL_NEW,
      .job = ls_run_job_facts(run),
      .is_synced = options->is_synced,
      .inputs = ls_run_job_agree,
      .interrupts = ls_interrupts_start(run->name, options->is_quiet),
      .questions = ls_interrupts_hear_questions(),
      .workers_patience_s = find_patience(options),
      .begin = ls_run_outputs_open,
      .course = run->learns || options->calibrate != NULL ? &run->course : NULL,
      .tasks = &run->size.tasks,
      .past = {.grant_s = run->policy.history.grant_s,
               .grant_first_s = run->policy.history.grant_first_s,
               .losses = run->policy.history.losses,
               .up_s = run->policy.history.up_s},
      .record = record,
      .watch = watch,
      .timed = note_time,
      .halt = options->halt.reason != LS_HALT_NEVER ? ask_halt : NULL,
      .staff = run->staff.file != NULL ? count_staff : NULL,
      .failed = note_failure,
      .program = ls_run_pools_is_remote(options) ? run->program : NULL,
      .key = options->key,
      .announce = announce,
      .warn = print_warning,
      .note = options->is_verbose ? print_note : NULL,
      .advise = may_be_advised(run) ? advise : NULL,
      .advised = print_advice,
      .context = run};
  if (run->mpi.is_wanted) {
    /* Open MPI's mpirun says SIGTERM at Ctrl-C, and kills all a second later. */
    ls_interrupts_expect_kill();
    master.stop_patience_s = LAUNCHER_PATIENCE_S;
  }
  ls_progress_init(&run->progress, options->wants_progress, run->writer);
  status = ls_master_run(&master, &run->report, err);
  ls_progress_hide(&run->progress);
  ls_interrupts_end();
  if (run->app.more != NULL)
    run->units = run->user_app == NULL ? run->source.tasks : run->report.totals.units;
  if (options->journal == NULL) {
    ls_run_account_compare(&run->account, &run->report, run->units);
    tell_size(run, &run->report);
  }
  return status;
}

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
  ls_bytes_close(&run->failed_command);
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

/* What is resumed has less to do than all: how much is known behind it. */
static void foresee(struct ls_run *run) {
  bool goes_on = run->options.is_resumed || run->options.repeats_failures;
  run->account = (struct ls_run_account){
      .options = &run->options, .policy = &run->policy, .runs_commands = run->user_app == NULL};
  run->course.course.from_s = (double)NAN;
  run->course.is_pushed = run->policy.config.chunking->is_pushed;
  /* What was learnt stands in the summary. */
  bool has_summary = !run->options.is_quiet || run->options.wants_json;
  run->learns = has_summary && may_be_advised(run) && !ls_run_account_is_known(&run->account);
  if (!goes_on && run->app.more == NULL) ls_run_account_predict(&run->account, run->units);
}

static int rehearse(struct ls_run *run) {
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
static int tell_cost(struct ls_run *run) {
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

/* --dry-run=cost of what a journal leaves, whose tasks tell how long others take. */
static enum ls_status find_cost_of_rest(struct ls_run *run, struct ls_error *err) {
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
    enum ls_status status = find_cost_of_rest(run, err);
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
  if (status == LS_OK && run->options.is_dry && !asks_cost) return rehearse(run);
  if (status == LS_OK) warn_of_history(run);
  if (status == LS_OK) status = choose_policy(run, &err);
  if (status == LS_OK && refuses_price(run)) return LS_EXIT_FAILED;
  if (status == LS_OK && asks_cost) return tell_cost(run);
  if (status == LS_OK) foresee(run);
  /* Before anything is opened that it would share. */
  if (status == LS_OK) status = ls_writer_open(STDOUT_FILENO, STDERR_FILENO, &run->writer, &err);
  if (status != LS_OK) return ls_console_fail(run->name, &err);
  run->commands.writer = run->writer;
  ls_run_policy_describe(&run->policy, &run->policy_text);
  say_advice(run);
  status = run_master(run, &err);
  ls_run_blocks_finish(run);
  return ls_run_conclude(run, status, &err);
}

/* Of several processes that get the same wrong command line one tells. */
static int read_options(struct ls_run *run) {
  struct ls_console_hush hush;
  if (!ls_run_mpi_is_follower())
    return ls_run_options_read(&run->options, run->argc, run->argv, run->user_app);
  ls_console_hush(&hush);
  int result = ls_run_options_read(&run->options, run->argc, run->argv, run->user_app);
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

int ls_run_main(int argc, char **argv, const struct ls_app *app) {
  struct ls_run *run = calloc(1, sizeof *run);
  if (run == NULL) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return LS_EXIT_INFRASTRUCTURE;
  }
  run->name = argv[0];
  run->argc = argc;
  run->argv = argv;
  run->user_app = app;
  int result = read_options(run);
  if (result < 0) result = choose_mpi(run);
  if (result < 0) result = ls_run_resume_options(&run->resume, &run->options, argc, argv, app);
  if (result < 0) result = execute(run);
  bool is_unread = run->is_unread;
  struct ls_mpi_rank rank = run->mpi.rank;
  free(run->mpi.speeds);
  close_run(run);
  ls_mpi_rank_end(&rank);
  if (is_unread) (void)raise(SIGPIPE);
  return result;
}
