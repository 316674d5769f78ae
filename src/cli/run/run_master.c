/* run_master.c: the master of a run, and what it says while the run goes on. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/run_advise.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/run/quote.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"
#include "cli/run/run_situation.h"
#include "runtime/os/clock.h"

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
  text[length] = '\0';
  ls_console_tame(text);
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
  uint64_t failed = counts_tasks ? so_far->tasks_failed + so_far->tasks_given_up
                                 : so_far->units_failed + so_far->units_given_up;
  enum ls_master_wish wish = ls_halt_wish(&run->options.halt, run->units, done, failed);
  if (wish != LS_WISH_GO_ON && !run->is_halted) {
    run->is_halted = true;
    if (!run->options.is_quiet)
      ls_run_say(run, "%s: --halt: %s", run->name,
                 wish == LS_WISH_STOP_NOW ? "stopping now" : "no further task is started");
  }
  return wish;
}

/* The tasks and their inputs, where they are no blocks. */
static void note_repeat(struct ls_run *run, struct ls_range units) {
  struct ls_commands *commands = &run->commands;
  if (commands->blocks != NULL) run->repeat.is_incomplete = true;
  for (uint64_t i = 0; i < units.count && !run->repeat.is_incomplete; i++) {
    struct ls_template_task facts;
    if (ls_task_row_read(&commands->row, commands->source, units.first + i, &facts, NULL) == LS_OK)
      ls_repeat_note(&run->repeat, units.first + i, commands->row.inputs, commands->row.count);
    else
      run->repeat.is_incomplete = true;
  }
}

/* What is lacking for want of memory is lacking in the summary only. */
static void note_failure(void *context, const struct ls_unit_result *result) {
  struct ls_run *run = context;
  struct ls_commands *commands = &run->commands;
  struct ls_failure *failure = ls_failures_note(&run->failures, result);
  if (result->outcome == LS_OUTCOME_DONE || run->user_app != NULL) return;
  const struct ls_range units = {result->units.first,
                                 commands->bundling != NULL ? result->units.count : 1};
  if (failure != NULL && ls_commands_name_inputs(commands, units, NULL) == LS_OK)
    failure->input = strdup(ls_bytes_text(&commands->line));
  note_repeat(run, result->units);
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

void ls_run_warn(void *context, const char *text) {
  struct ls_run *run = context;
  if (run->writer != NULL) {
    ls_run_say(run, "%s: %s", run->name, text);
  } else {
    struct ls_bytes shown = {0};
    ls_bytes_printf(&shown, "%s: %s\n", run->name, text);
    if (shown.data != NULL) ls_console_tame(shown.data);
    fputs(ls_bytes_text(&shown), stderr);
    ls_bytes_close(&shown);
  }
}

/* -j FILE: how many workers it wants by now. */
static uint64_t count_staff(void *context) {
  struct ls_run *run = context;
  struct ls_error err = {0};
  uint64_t tasks = run->app.more == NULL ? run->units : UINT64_MAX;
  if (ls_run_staff_look(&run->staff, tasks, &err) != LS_OK) ls_run_warn(run, err.text);
  return run->staff.wanted;
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

/* What is resumed has less to do than all: how much is known behind it. */
void ls_run_foresee(struct ls_run *run) {
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
    run->slurm.warn = ls_run_warn;
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

/* A command with several inputs dies as a whole. Where only its worker knows how many of a chunk
 * fill its line, what has not begun is not to be blamed: then the first input stands for all. */
static void choose_tasks(const struct ls_run *run, struct ls_coordinator_config *config) {
  const struct ls_bundling *bundling = run->app.bundling;
  if (bundling == NULL) return;
  bool is_known = bundling->line_bytes_max == 0 || run->options.bundles.line_units.count > 0;
  if (is_known) config->task_units_max = bundling->units_max;
  config->isolates_lost = bundling->splits_failed;
}

/* The platform's port model is that of the run; without one a plan is followed as the theories of
 * rounds have it, and for who asks it is found out. */
static size_t find_inputs_at_once(const struct ls_run *run) {
  const struct ls_platform *platform = &run->policy.platform;
  if (platform->workers_count == 0) return run->policy.config.chunking->is_pushed ? 1 : 0;
  if (platform->ports != LS_PORTS_MULTI) return 1;
  return platform->ports_limit > 0 ? (size_t)platform->ports_limit : SIZE_MAX;
}

enum ls_status ls_run_master_serve(struct ls_run *run, struct ls_error *err) {
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
      .inputs_at_once = find_inputs_at_once(run),
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
      .verdict = run->user_app == NULL ? ls_halt_verdict(&options->halt) : LS_VERDICT_NEVER,
      .staff = run->staff.file != NULL ? count_staff : NULL,
      .failed = note_failure,
      .program = ls_run_pools_is_remote(options) ? run->program : NULL,
      .key = options->key,
      .announce = announce,
      .warn = ls_run_warn,
      .note = options->is_verbose ? print_note : NULL,
      .advise = may_be_advised(run) ? advise : NULL,
      .advised = print_advice,
      .context = run};
  choose_tasks(run, &master.config);
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
