#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advise/run_advise.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/run/command_words.h"
#include "cli/run/commands.h"
#include "cli/run/failures.h"
#include "cli/run/progress.h"
#include "cli/run/quote.h"
#include "cli/run/run_inputs.h"
#include "cli/run/run_keeper.h"
#include "cli/run/run_options.h"
#include "cli/run/run_policy.h"
#include "cli/run/run_resume.h"
#include "cli/run/run_site.h"
#include "cli/run/run_summary.h"
#include "cli/run/summary_file.h"
#include "cli/subcommands.h"
#include "runtime/clock.h"

/* Without a single worker for so long, a run ends. */
static const double WORKERS_PATIENCE_S = 30;

/* One run, from the command line to the exit status. */
struct run {
  const char *name; /* "loadstar run", for messages */
  int argc;
  char **argv;
  struct ls_run_options options;
  struct ls_run_resume resume;
  const struct ls_app *user_app; /* NULL: command lines */
  struct ls_app app;
  void *state;
  bool is_open;    /* the application has opened that state */
  char **words;    /* of the application, NULL-terminated */
  uint64_t units;  /* of the first iteration */
  uint64_t digest; /* of the inputs */

  struct ls_task_source source;
  struct ls_template compiled;
  struct ls_command_line command;
  struct ls_commands commands;
  struct ls_writer *writer; /* of outputs and of words while the run goes on */
  struct ls_run_policy policy;
  struct ls_progress progress;
  struct ls_failures failures;
  struct ls_master_report report;
  char directory[PATH_MAX];
  struct ls_site site; /* where it happens: the first thing that is known */
  struct ls_bytes command_text, policy_text, site_text;
  struct ls_run_keeper keeper;
  struct ls_bytes advice;               /* the last one of the run, in words */
  struct ls_bytes failed_command;       /* of the first failure, for a shell */
  struct ls_summary_file *summary_file; /* NULL: no JSON is wanted */

  bool is_halted;
  bool is_unread; /* the reader of the output is gone: end as other programs do */
};

/* ---- tasks ---- */

/* The run's name in a journal, so that another run is recognised. */
static void name_command(struct run *run) {
  struct ls_bytes *text = &run->command_text;
  ls_quote_line(run->command.words, run->command.words_count, text);
  if (run->compiled.is_shell)
    ls_bytes_append_text(text,
                         run->command.words_count > 0 ? " (by the shell)" : "(command lines)");
}

static enum ls_status take_recorded(struct run *run, struct ls_error *err) {
  ls_task_source_close(&run->source);
  run->source.is_all_linked = run->options.is_linked;
  return ls_run_resume_inputs(run->options.journal, &run->source, err);
}

/* While the journal is opened: it keeps what a resume needs. */
static enum ls_status agree_with_journal(void *context, struct ls_journal *journal,
                                         struct ls_error *err) {
  struct run *run = context;
  bool is_app = run->user_app != NULL;
  struct ls_bytes words = {0};
  size_t options = 0, command = 0;
  enum ls_status status = ls_journal_read_words(journal, LS_JOURNAL_OPTION, &words, &options, err);
  if (status == LS_OK)
    status = ls_journal_read_words(journal, LS_JOURNAL_COMMAND, &words, &command, err);
  ls_bytes_close(&words);
  if (status == LS_OK && options + command == 0)
    ls_run_resume_record(journal, &run->options,
                         is_app ? run->options.words_count : run->command.words_count);
  return status == LS_OK && !is_app ? ls_run_resume_agree(journal, &run->source, err) : status;
}

static enum ls_status prepare_commands(struct run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  size_t words = ls_run_inputs_mark(options);
  run->command =
      (struct ls_command_line){(const char *const *)options->words, words, options->is_shell};
  enum ls_status status = ls_command_words_check(&run->command, err);
  if (status == LS_OK && !run->resume.takes_tasks)
    status = ls_run_inputs_read(options, run->name, &run->source, err);
  /* No command lines at standard input either: the journal has them. */
  if (status == LS_OK && run->resume.words != NULL && run->source.tasks == 0)
    status = take_recorded(run, err);
  if (status != LS_OK) return status;
  status = ls_template_init(&run->compiled, &run->command, run->source.lists_count, err);
  if (status != LS_OK) return status;
  run->units = run->source.tasks;
  const struct ls_input_stream *stream = run->source.stream;
  if (stream == NULL) run->digest = ls_task_source_digest(&run->source);
  run->commands = (struct ls_commands){.compiled = &run->compiled, .source = &run->source};
  run->app = ls_commands_app;
  if (stream == NULL || ls_input_stream_is_ended(stream)) run->app.more = NULL;
  run->state = &run->commands;
  run->commands.is_hurried = ls_interrupts_is_hurried;
  name_command(run);
  return ls_commands_init(&run->commands, err);
}

static void add_to_digest(struct run *run, const char *data, size_t length) {
  for (size_t i = 0; i < length; i++)
    run->digest = (run->digest ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
}

/* What the results depend on beside the words. */
static enum ls_status add_fingerprint(struct run *run, struct ls_error *err) {
  struct ls_bytes bytes = {0};
  if (run->app.fingerprint == NULL) return LS_OK;
  enum ls_status status = run->app.fingerprint(run->state, &bytes, err);
  if (status == LS_OK && bytes.failed) status = ls_fail(err, LS_ENOMEM, "out of memory");
  if (status == LS_OK) add_to_digest(run, bytes.data, bytes.length);
  ls_bytes_close(&bytes);
  return status;
}

static enum ls_status prepare_app(struct run *run, struct ls_error *err) {
  struct ls_run_options *options = &run->options;
  run->app = *run->user_app;
  size_t words_count = options->words_count + 1;
  run->words = calloc(words_count + 1, sizeof *run->words);
  if (run->words == NULL) return ls_fail(err, LS_ENOMEM, "out of memory");
  run->words[0] = (char *)run->app.name;
  for (size_t i = 1; i < words_count; i++) run->words[i] = options->words[i - 1];
  ls_quote_line((const char *const *)run->words, words_count, &run->command_text);
  run->digest = UINT64_C(0xcbf29ce484222325);
  add_to_digest(run, ls_bytes_text(&run->command_text), run->command_text.length);
  enum ls_status status = run->app.open((int)words_count, run->words, &run->state, err);
  if (status != LS_OK) return status;
  run->is_open = true;
  status = add_fingerprint(run, err);
  return status == LS_OK ? run->app.units(run->state, 0, &run->units, err) : status;
}

/* ---- outputs ---- */

static void hide_progress(void *context) {
  ls_progress_hide(context);
}

/* Once the journal is held: a start that it refuses leaves these files as they were. */
static enum ls_status open_outputs(void *context, struct ls_error *err) {
  struct run *run = context;
  const struct ls_run_options *options = &run->options;
  bool goes_on = options->is_resumed || options->repeats_failures;
  struct ls_delivery_setup delivery = {.keeps_order = options->keeps_order,
                                       .writer = run->writer,
                                       .prepare = hide_progress,
                                       .context = &run->progress};
  struct ls_joblog_setup joblog = {.path = options->joblog,
                                   .mode = options->repeats_failures ? LS_JOBLOG_RESUME_FAILED
                                           : goes_on                 ? LS_JOBLOG_RESUME
                                                                     : LS_JOBLOG_NEW,
                                   .tasks = run->app.more == NULL ? run->units : UINT64_MAX,
                                   .is_synced = options->is_synced};
  enum ls_status status = LS_OK;
  if (options->wants_json) status = ls_summary_file_open(options->json, &run->summary_file, err);
  if (status != LS_OK || run->user_app != NULL) return status;
  status = ls_delivery_create(&delivery, &run->commands.delivery, err);
  if (status == LS_OK && options->results != NULL)
    status = ls_results_open(options->results, options->is_synced, &run->commands.results, err);
  if (status == LS_OK && options->joblog != NULL)
    status = ls_joblog_open(&joblog, &run->commands.joblog, err);
  return status;
}

/* Outputs that are still held may be printed across gaps only when the run cannot be resumed: a
 * journal keeps them until the turn of these tasks comes. */
static enum ls_status finish_outputs(struct run *run, bool can_flush, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (can_flush && run->commands.delivery != NULL && run->options.journal == NULL)
    status = ls_delivery_flush(run->commands.delivery, err);
  if (status == LS_OK) status = ls_writer_finish(run->writer, ls_interrupts_is_hurried, err);
  return status;
}

/* Words for the user come after the outputs that were given before, and wait for no reader. */
static void say(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct run *run, const char *format, ...) {
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

static int print_commands(struct run *run) {
  struct ls_error err = {0};
  for (uint64_t unit = 0; unit < run->units; unit++) {
    if (ls_commands_describe(&run->commands, unit, 1, &err) != LS_OK)
      return ls_console_fail(run->name, &err);
    const struct ls_bytes *line = &run->commands.line;
    if (fwrite(line->data, 1, line->length, stdout) != line->length || putchar('\n') == EOF) break;
  }
  if (fflush(stdout) == 0 && ferror(stdout) == 0) return LS_EXIT_OK;
  fprintf(stderr, "%s: standard output: %s\n", run->name, strerror(errno));
  return LS_EXIT_INFRASTRUCTURE;
}

/* ---- while the run goes on ---- */

static void watch(void *context, const struct ls_master_progress *facts) {
  struct run *run = context;
  if (!(run->commands.epoch_s > 0)) run->commands.epoch_s = ls_clock_calendar_s() - facts->now_s;
  ls_progress_show(&run->progress, facts);
}

/* What earlier sessions settled does not count. */
static enum ls_master_wish ask_halt(void *context, const struct ls_master_report *so_far) {
  struct run *run = context;
  enum ls_master_wish wish = ls_halt_wish(&run->options.halt, run->units, so_far->units_done,
                                          so_far->units_failed + so_far->units_given_up);
  if (wish != LS_WISH_GO_ON && !run->is_halted) {
    run->is_halted = true;
    if (!run->options.is_quiet)
      say(run, "%s: --halt: %s", run->name,
          wish == LS_WISH_STOP_NOW ? "stopping now" : "no further task is started");
  }
  return wish;
}

/* What is lacking for want of memory is lacking in the summary only. */
static void note_failure(void *context, const struct ls_unit_result *result) {
  struct run *run = context;
  struct ls_commands *commands = &run->commands;
  struct ls_failure *failure = ls_failures_note(&run->failures, result);
  uint64_t unit = result->units.first;
  if (failure == NULL || run->user_app != NULL) return;
  if (ls_commands_name_input(commands, unit, NULL) == LS_OK)
    failure->input = strdup(ls_bytes_text(&commands->line));
  if (run->failed_command.length > 0 ||
      ls_commands_describe(commands, unit, result->slot > 0 ? result->slot : 1, NULL) != LS_OK)
    return;
  ls_bytes_append(&run->failed_command, commands->line.data, commands->line.length);
}

static void announce(void *context, const char *address, const char *token) {
  const struct run *run = context;
  fprintf(stderr, "%s: workers join by: LOADSTAR_TOKEN=%s %s worker --connect %s\n", run->name,
          token, run->user_app == NULL ? "loadstar" : run->user_app->name, address);
}

static void print_note(void *context, const char *text) {
  struct run *run = context;
  say(run, "%s", text);
}

static void print_warning(void *context, const char *text) {
  struct run *run = context;
  say(run, "%s: %s", run->name, text);
}

/* In a process of its own. */
static bool advise(void *context, const struct ls_adviser_facts *facts,
                   struct ls_adviser_answer *answer) {
  const struct run *run = context;
  struct ls_run_advisable advisable = {
      .used = &run->policy.config,
      .is_remote = run->options.listen != NULL,
      .keeps_prefetch = run->options.has_prefetch && run->options.policy == NULL,
      .may_save = run->policy.may_save,
      .clock_s = ls_clock_s};
  return ls_run_advise_now(&advisable, facts, answer);
}

/* The user's choices stay; all others may change while the run goes on. */
static bool may_be_advised(const struct run *run) {
  return run->policy.advised.reason.length > 0;
}

static void print_advice(void *context, const char *reason) {
  struct run *run = context;
  ls_bytes_clear(&run->advice);
  ls_bytes_append_text(&run->advice, reason);
  /* The summary says it; while the run goes on only --verbose does. */
  if (run->options.is_verbose) say(run, "%s: auto: %s", run->name, reason);
}

/* ---- the run ---- */

static enum ls_status run_master(struct run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  const double *kept = run->policy.speeds;
  bool has_directory = getcwd(run->directory, sizeof run->directory) != NULL;
  ls_run_policy_describe(&run->policy, &run->policy_text);
  struct ls_pool_choice pool = {
      .kind = &ls_pool_fork,
      .setup = {.speeds = kept != NULL ? kept : options->speeds,
                .speeds_count = kept != NULL ? run->policy.places : options->speeds_count,
                .slots = run->policy.places,
                .own = run->keeper.keeper}};
  struct ls_master_options master = {
      .app = &run->app,
      .state = run->state,
      .first_units = run->user_app != NULL ? &run->units : NULL,
      .words = run->words,
      /* Workers that join from elsewhere are to run the commands in this folder. */
      .directory = options->listen != NULL && has_directory ? run->directory : NULL,
      .config = run->policy.config,
      .times = run->policy.adaptive.times,
      .times_count = run->policy.adaptive.times_count,
      .prices = run->policy.prices,
      .prices_count = run->policy.prices != NULL ? run->policy.config.workers : 0,
      .prefetch = run->policy.prefetch,
      .stage_ahead = options->stage_ahead,
      .timeout_s = options->timeout_s,
      .heartbeat_s = run->policy.config.heartbeat_s,
      .site = &run->site,
      .pools = &pool,
      .pools_count = 1,
      .journal = options->journal,
      .journal_mode = options->is_resumed         ? LS_JOURNAL_RESUME
                      : options->repeats_failures ? LS_JOURNAL_RESUME_FAILED
                                                  : LS_JOURNAL_NEW,
      .job = {.application = run->app.name,
              .command = ls_bytes_text(&run->command_text),
              .directory = has_directory ? run->directory : "",
              .input_digest = run->digest,
              .has_inputs = run->user_app == NULL,
              .units = run->units,
              .policy = ls_bytes_text(&run->policy_text),
              .listens = run->site_text.length > 0 ? ls_bytes_text(&run->site_text) : NULL,
              .seed = options->seed,
              .workers = run->policy.config.workers},
      .is_synced = options->is_synced,
      .inputs = agree_with_journal,
      .interrupts = ls_interrupts_start(run->name, options->is_quiet),
      .workers_patience_s = options->patience_s > 0 ? options->patience_s : WORKERS_PATIENCE_S,
      .begin = open_outputs,
      .watch = watch,
      .halt = options->halt.reason != LS_HALT_NEVER ? ask_halt : NULL,
      .failed = note_failure,
      .announce = announce,
      .warn = print_warning,
      .note = options->is_verbose ? print_note : NULL,
      .advise = may_be_advised(run) ? advise : NULL,
      .advised = print_advice,
      .context = run};
  ls_progress_init(&run->progress, options->wants_progress, run->writer);
  enum ls_status status = ls_master_run(&master, &run->report, err);
  ls_progress_hide(&run->progress);
  ls_interrupts_end();
  if (run->source.stream != NULL) run->units = run->source.tasks;
  return status;
}

/* The journal knows the rest. */
static void write_own_line(const struct run *run, const char *resume, struct ls_bytes *line) {
  ls_bytes_printf(line, "%s %s --journal ", run->name, resume);
  ls_quote_line(&run->options.journal, 1, line);
}

/* What repeats the failures: all of them where a journal knows them, else the first. */
static void write_repeat(const struct run *run, struct ls_bytes *line) {
  if (run->options.journal != NULL)
    write_own_line(run, "--resume-failed", line);
  else
    ls_bytes_append_text(line, ls_bytes_text(&run->failed_command));
}

/* The command that resumes the run. */
static void say_how_to_resume(const struct run *run) {
  const struct ls_run_options *options = &run->options;
  if (options->is_quiet) return;
  if (options->journal == NULL) {
    fprintf(stderr, "%s: nothing was recorded (--journal FILE would have)\n", run->name);
    return;
  }
  struct ls_bytes line = {0};
  write_own_line(run, options->repeats_failures ? "--resume-failed" : "--resume", &line);
  fprintf(stderr, "%s: to go on: %s\n", run->name, ls_bytes_text(&line));
  ls_bytes_close(&line);
}

static int choose_exit(const struct run *run, const struct ls_run_summary *summary,
                       enum ls_status status) {
  if (run->is_unread) return LS_EXIT_UNREAD;
  if (status != LS_OK) return ls_console_exit(status);
  if (run->report.was_interrupted) return LS_EXIT_INTERRUPTED;
  /* A run that was to end at the first success has done its task, whatever failed before. */
  if (run->is_halted && run->options.halt.reason == LS_HALT_SUCCESS) return LS_EXIT_OK;
  return ls_run_summary_failed(summary) > 0 ? LS_EXIT_FAILED : LS_EXIT_OK;
}

static enum ls_status write_json(const struct run *run, const struct ls_run_summary *summary,
                                 struct ls_error *err) {
  struct ls_bytes text = {0};
  ls_run_summary_write_json(summary, &text);
  enum ls_status status = ls_summary_file_write(run->summary_file, &text, err);
  ls_bytes_close(&text);
  return status;
}

/* Whoever started the program wants an error in words then. */
static bool is_pipe_ignored(void) {
  struct sigaction action;
  return sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static int conclude(struct run *run, enum ls_status status, struct ls_error *err) {
  bool has_ended = status == LS_OK || status == LS_EINTERRUPTED;
  struct ls_error late = {0};
  enum ls_status flushed = finish_outputs(run, has_ended, &late);
  if (has_ended && flushed != LS_OK) {
    status = flushed;
    *err = late;
  }
  run->is_unread = status == LS_ECLOSED && !is_pipe_ignored();
  struct ls_bytes repeat = {0};
  write_repeat(run, &repeat);
  struct ls_run_summary summary = {.report = &run->report,
                                   .application = run->app.name,
                                   .policy = ls_bytes_text(&run->policy_text),
                                   .listens = ls_bytes_text(&run->site_text),
                                   .order = run->policy.config.ordering->name,
                                   .reason = ls_bytes_text(&run->policy.advised.reason),
                                   .expectations = ls_bytes_text(&run->policy.advised.table),
                                   .advice = ls_bytes_text(&run->advice),
                                   .failures = &run->failures,
                                   .repeat = ls_bytes_text(&repeat),
                                   .extra = run->options.extra,
                                   .units = run->units,
                                   .prefetch = run->policy.prefetch,
                                   .seed = run->options.seed};
  const struct ls_run_adaptive *adaptive = &run->policy.adaptive;
  if (adaptive->sizing != NULL) summary.sizing = adaptive->sizing->name;
  if (adaptive->replication != NULL) summary.replication = adaptive->replication->name;
  int result = choose_exit(run, &summary, status);
  bool has_words = !run->is_unread && status != LS_OK && status != LS_EINTERRUPTED;
  if (has_words) (void)ls_console_fail(run->name, err);
  bool has_run = run->units > 0 && (run->report.workers_count > 0 || run->report.units_before > 0);
  if (!run->options.is_quiet && !run->is_unread && has_run) {
    struct ls_bytes text = {0};
    ls_run_summary_write(&summary, &text);
    fputs(ls_bytes_text(&text), stderr);
    ls_bytes_close(&text);
  }
  if (status == LS_OK && run->units == 0 && !run->options.is_quiet)
    fprintf(stderr, "%s: no tasks: there was no input\n", run->name);
  if (result == LS_EXIT_INTERRUPTED) say_how_to_resume(run);
  if (run->summary_file != NULL && (has_run || status == LS_OK)) {
    summary.exit_status = result;
    if (write_json(run, &summary, err) != LS_OK) result = ls_console_fail(run->name, err);
  }
  ls_bytes_close(&repeat);
  return result;
}

static void close_run(struct run *run) {
  ls_run_keeper_close(&run->keeper);
  if (run->is_open && run->app.close != NULL) run->app.close(run->state);
  ls_master_report_close(&run->report);
  ls_delivery_destroy(run->commands.delivery);
  ls_writer_close(run->writer);
  ls_results_close(run->commands.results);
  ls_joblog_close(run->commands.joblog);
  ls_summary_file_close(run->summary_file);
  ls_commands_close(&run->commands);
  ls_template_close(&run->compiled);
  ls_task_source_close(&run->source);
  ls_run_policy_close(&run->policy);
  ls_run_options_close(&run->options);
  ls_run_resume_close(&run->resume);
  ls_bytes_close(&run->command_text);
  ls_bytes_close(&run->policy_text);
  ls_bytes_close(&run->site_text);
  ls_bytes_close(&run->advice);
  ls_bytes_close(&run->failed_command);
  ls_failures_close(&run->failures);
  free(run->words);
  free(run);
}

/* The reason of auto's choice, and its expectation of each candidate: before the run only with
 * --verbose; the summary says it in any case. */
static void say_advice(const struct run *run) {
  const struct ls_run_advised *advised = &run->policy.advised;
  if (advised->reason.length == 0 || !run->options.is_verbose) return;
  fputs(ls_bytes_text(&advised->table), stderr);
  fprintf(stderr, "%s: auto: %s\n", run->name, ls_bytes_text(&advised->reason));
}

static int execute(struct run *run) {
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  if (!run->options.is_dry) status = ls_run_site_assemble(&run->options, &run->site, &err);
  ls_run_site_describe(&run->options, &run->site_text);
  if (status == LS_OK && !run->options.is_dry)
    status = ls_run_site_limit_workers(&run->options, run->name, &err);
  if (status == LS_OK && !run->options.is_dry)
    status = ls_run_keeper_start(&run->keeper, run->name, run->user_app, &err);
  if (status == LS_OK)
    status = run->user_app == NULL ? prepare_commands(run, &err) : prepare_app(run, &err);
  if (status == LS_OK && run->options.is_dry) return print_commands(run);
  if (status == LS_OK) status = ls_run_policy_choose(&run->policy, &run->options, run->units, &err);
  /* Before anything is opened that it would share. */
  if (status == LS_OK) status = ls_writer_open(STDOUT_FILENO, STDERR_FILENO, &run->writer, &err);
  if (status != LS_OK) return ls_console_fail(run->name, &err);
  run->commands.writer = run->writer;
  say_advice(run);
  status = run_master(run, &err);
  return conclude(run, status, &err);
}

int ls_run_main(int argc, char **argv, const struct ls_app *app) {
  struct run *run = calloc(1, sizeof *run);
  if (run == NULL) {
    fprintf(stderr, "%s: out of memory\n", argv[0]);
    return LS_EXIT_INFRASTRUCTURE;
  }
  run->name = argv[0];
  run->argc = argc;
  run->argv = argv;
  run->user_app = app;
  int result = ls_run_options_read(&run->options, argc, argv, app);
  if (result < 0) result = ls_run_resume_options(&run->resume, &run->options, argc, argv, app);
  if (result < 0) result = execute(run);
  bool is_unread = run->is_unread;
  close_run(run);
  if (is_unread) (void)raise(SIGPIPE);
  return result;
}
