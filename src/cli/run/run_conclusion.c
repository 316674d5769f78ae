/* run_conclusion.c: what a run came to: outputs that are left, summary, exit status. */
#include <signal.h>
#include <stdio.h>

#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/run/failure_count.h"
#include "cli/run/quote.h"
#include "cli/run/run_private.h"
#include "cli/run/run_summary.h"
#include "cli/terms_options.h"

/* Outputs that are still held may be printed across gaps only when the run cannot be resumed: a
 * journal keeps them until the turn of these tasks comes. */
static enum ls_status finish_outputs(struct ls_run *run, bool can_flush, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (can_flush && run->commands.delivery != NULL && run->options.journal == NULL)
    status = ls_delivery_flush(run->commands.delivery, err);
  if (status == LS_OK) status = ls_writer_finish(run->writer, ls_interrupts_is_hurried, err);
  return status;
}

/* The journal knows the rest. */
static void write_own_line(const struct ls_run *run, const char *resume, struct ls_bytes *line) {
  ls_bytes_printf(line, "%s %s --journal ", run->name, resume);
  ls_quote_line(&run->options.journal, 1, line);
}

/* What repeats all failures: a journal or a log knows them, else the same command does with their
 * inputs alone. */
static void write_repeat(struct ls_run *run, struct ls_bytes *line) {
  const char *joblog = run->options.outputs.joblog;
  size_t sources = run->source.stream != NULL ? 1 : ls_task_source_shown(&run->source);
  if (run->options.journal != NULL) {
    write_own_line(run, "--resume-failed", line);
  } else if (run->user_app != NULL || run->failures.tasks == 0) {
    return;
  } else if (joblog != NULL && run->commands.blocks == NULL) {
    ls_bytes_printf(line, "%s --retry-failed --joblog ", run->name);
    ls_quote_line(&joblog, 1, line);
  } else if (!ls_repeat_write(&run->repeat, run->name, &run->options, sources, line)) {
    ls_bytes_printf(line, "run it with --journal FILE, then: %s --resume-failed --journal FILE",
                    run->name);
  }
}

/* The command that resumes the run. */
static void say_how_to_resume(const struct ls_run *run) {
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

/* Of this session, as GNU parallel counts them. */
static int count_failures(struct ls_run *run) {
  const struct ls_master_report *report = &run->report;
  const struct ls_task_choice *choice = &run->source.choice;
  /* Those that {choose_k} or {uniq} leave out, too. */
  uint64_t left_out = choice->rule != LS_CHOICE_ALL ? choice->combinations - choice->count : 0;
  bool has_bundles = run->commands.bundling != NULL;
  const struct ls_failure_count count = {
      .failed = left_out + (has_bundles ? report->tasks_failed + report->tasks_given_up
                                        : report->units_failed + report->units_given_up),
      .units = run->units,
      .halt = &run->options.halt,
      .is_halted = run->is_halted,
      .failures = &run->failures};
  run->is_counted = true;
  return ls_failure_count_status(&count);
}

static int choose_exit(struct ls_run *run, const struct ls_run_summary *summary,
                       enum ls_status status) {
  if (run->is_unread) return LS_EXIT_UNREAD;
  if (status != LS_OK) return ls_console_exit(status);
  if (run->report.was_interrupted) return LS_EXIT_INTERRUPTED;
  if (run->names == LS_RUN_ALL_NAMES) return count_failures(run);
  /* A run that was to end at the first success has done its task, whatever failed before. */
  if (run->is_halted && run->options.halt.reason == LS_HALT_SUCCESS) return LS_EXIT_OK;
  return ls_run_summary_failed(summary) > 0 ? LS_EXIT_FAILED : LS_EXIT_OK;
}

static enum ls_status write_json(const struct ls_run *run, const struct ls_run_summary *summary,
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

/* What the run has measured, and the platform that is renewed by it. `words`: how. */
static enum ls_status learn(struct ls_run *run, struct ls_bytes *words, struct ls_error *err) {
  if (!run->learns && run->options.calibrate == NULL) return LS_OK;
  enum ls_status status = ls_run_learnt_make(&run->course, &run->learnt, err);
  if (status != LS_OK) return status;
  return ls_run_calibrate_finish(&run->calibrate, &run->learnt, words, err);
}

/* A run is not finished that has no more than the beginning of its input. */
static enum ls_status check_inputs(const struct ls_run *run, enum ls_status status,
                                   struct ls_error *err) {
  if (status != LS_OK || !run->lacks_inputs || run->is_halted) return status;
  return ls_fail(err, LS_EIO,
                 "%s: the input had not ended: what came after its first %llu tasks is not done; "
                 "give the input again",
                 run->options.journal, (unsigned long long)run->units);
}

/* What fails behind the run is the exit status of one that did not fail. */
static void fail_late(struct ls_run *run, const struct ls_error *err, int *result) {
  int failure = ls_console_fail(run->name, err);
  if (*result != LS_EXIT_OK) return;
  *result = failure;
  run->is_counted = false;
}

int ls_run_conclude(struct ls_run *run, enum ls_status status, struct ls_error *err) {
  bool has_ended = status == LS_OK || status == LS_EINTERRUPTED;
  struct ls_error late = {0};
  enum ls_status flushed = finish_outputs(run, has_ended, &late);
  if (has_ended && flushed != LS_OK) {
    status = flushed;
    *err = late;
  }
  run->is_unread = status == LS_ECLOSED && !is_pipe_ignored();
  status = check_inputs(run, status, err);
  struct ls_bytes repeat = {0};
  write_repeat(run, &repeat);
  struct ls_run_summary summary = {
      .report = &run->report,
      .application = run->app.name,
      .policy = ls_bytes_text(&run->policy_text),
      .listens = ls_bytes_text(&run->site_text),
      .pools = ls_bytes_text(&run->pools_text),
      .order = run->policy.config.ordering->name,
      .reason = ls_bytes_text(&run->policy.advised.reason),
      .has_asked = run->options.policy != NULL || ls_terms_are_given(&run->options.terms),
      .terms = run->options.terms,
      .prefetch_reason = ls_bytes_text(&run->policy.prefetch_reason),
      .expectations = ls_bytes_text(&run->policy.advised.table),
      .advice = ls_bytes_text(&run->advice),
      .failures = &run->failures,
      .repeat = ls_bytes_text(&repeat),
      .tries = run->options.losses,
      .has_foretold = ls_run_account_is_known(&run->account),
      .extra = run->policy.adaptive.extra,
      .has_bundles = run->commands.bundling != NULL,
      .is_brief = !run->options.is_verbose,
      .units = run->units,
      .comparison = run->account.has_comparison ? &run->account.comparison : NULL,
      .excuse = ls_bytes_text(&run->account.excuse),
      .size = run->size.advice.is_known ? &run->size.advice : NULL,
      .prefetch = run->policy.prefetch,
      .seed = run->options.seed};
  struct ls_bytes calibrated = {0};
  struct ls_error unlearnt = {0};
  enum ls_status learning = learn(run, &calibrated, &unlearnt);
  summary.learnt = run->learnt.has_laws ? &run->learnt : NULL;
  summary.calibrated = ls_bytes_text(&calibrated);
  const struct ls_run_adaptive *adaptive = &run->policy.adaptive;
  if (adaptive->sizing != NULL) summary.sizing = adaptive->sizing->name;
  if (adaptive->replication != NULL) summary.replication = adaptive->replication->name;
  int result = choose_exit(run, &summary, status);
  bool has_words = !run->is_unread && status != LS_OK && status != LS_EINTERRUPTED;
  if (has_words) (void)ls_console_fail(run->name, err);
  bool has_run = run->units > 0 && (run->report.workers_count > 0 || run->report.units_before > 0);
  bool is_told = !run->options.is_quiet && run->names == LS_RUN_OWN_NAMES;
  if (is_told && !run->is_unread && has_run) {
    struct ls_bytes text = {0};
    ls_run_summary_write(&summary, &text);
    fputs(ls_bytes_text(&text), stderr);
    ls_bytes_close(&text);
  }
  if (status == LS_OK && run->units == 0 && is_told)
    fprintf(stderr, "%s: no tasks: there was no input\n", run->name);
  if (result == LS_EXIT_INTERRUPTED) say_how_to_resume(run);
  /* In time for the summary to say how all of it ended. */
  if (has_run && has_ended && ls_run_draw(run, err) != LS_OK) {
    fail_late(run, err, &result);
  }
  if (run->summary_file != NULL && (has_run || status == LS_OK)) {
    summary.exit_status = result;
    if (write_json(run, &summary, err) != LS_OK) {
      result = LS_EXIT_OK;
      fail_late(run, err, &result);
    }
  }
  /* A platform that could not be renewed is told last, and fails a run that did not fail. */
  if (learning != LS_OK) {
    fail_late(run, &unlearnt, &result);
  }
  ls_bytes_close(&repeat);
  ls_bytes_close(&calibrated);
  return result;
}
