#include "cli/run/output_options.h"

#include <stdlib.h>

#include "cli/run/run_options.h"
#include "cli/run/run_pools.h"
#include "runtime/os/temporary.h"

/* Away from those of run_option_table.h and of the other tables. */
enum {
  KEY_TAG = 3840,
  KEY_TAGSTRING,
  KEY_LINE_BUFFER,
  KEY_FILES,
  KEY_TMPDIR,
  KEY_COMPRESS,
  KEY_RESULTS,
  KEY_RETRY_FAILED,
  KEY_JOBLOG_USAGE,
  KEY_JOBLOG,
  KEY_PRINT_COMMANDS,
  KEY_RESULTS_TREE,
  KEY_END
};

const struct argp_option ls_output_options_table[] = {
    {"tag", KEY_TAG, NULL, 0, "Begin each line of output with the inputs of its task and a tab", 8},
    {"tagstring", KEY_TAGSTRING, "TEXT", 0,
     "Begin each line of output with TEXT, such as {#}-{/}, and a tab", 8},
    {"line-buffer", KEY_LINE_BUFFER, NULL, 0,
     "Print whole lines while tasks run; with -k those of the first task that has not ended", 8},
    {"ungroup", 'u', NULL, 0,
     "Let tasks write to standard output and standard error themselves, mixed as it comes", 8},
    {"show-commands", 't', NULL, 0, "Print each command on standard error when it begins", 8},
    {"files", KEY_FILES, NULL, 0, "Leave each output in a file, and print its name", 8},
    {"tmpdir", KEY_TMPDIR, "DIR", 0, "Folder for temporary files, instead of TMPDIR", 8},
    {"results", KEY_RESULTS, "DIR", 0,
     "Also keep outputs, as DIR/SEQ/stdout, stderr, seq, ...; instead print none, and keep them by "
     "replacement strings ({/}.log, {#}/), or in a table (FILE.csv, FILE.tsv, FILE.json)",
     8},
    {"joblog", KEY_JOBLOG, "FILE", 0,
     "Write a line per task, in GNU parallel's format; +FILE: append to FILE", 8},
    {"retry-failed", KEY_RETRY_FAILED, NULL, 0,
     "Run the commands that have failed by the job log again, in a shell", 8},
    {0}};

const struct argp_option ls_output_dialect_table[] = {
    {"print-commands", KEY_PRINT_COMMANDS, NULL, 0, NULL, 8},
    {"results-tree", KEY_RESULTS_TREE, "DIR", 0, NULL, 8},
    {"compress", KEY_COMPRESS, NULL, 0, NULL, 8},
    {"joblog-usage", KEY_JOBLOG_USAGE, NULL, 0, NULL, 8},
    {0}};

bool ls_output_options_has(int key) {
  return key == 'u' || key == 't' || (key >= KEY_TAG && key < KEY_END);
}

static enum ls_status keep_text(const char *field, const char *text, const char **out,
                                struct ls_error *err) {
  if (text[0] == '\0') return ls_fail(err, LS_EINVAL, "%s is empty, expected a value", field);
  *out = text;
  return LS_OK;
}

enum ls_status ls_output_options_read(struct ls_output_options *options, int key, const char *text,
                                      struct ls_error *err) {
  switch (key) {
    case KEY_TAG:
      options->tag = "{}";
      return LS_OK;
    case KEY_TAGSTRING:
      options->tag = text;
      return LS_OK;
    case KEY_LINE_BUFFER:
      options->is_line_buffered = true;
      return LS_OK;
    case 'u':
      options->is_ungrouped = true;
      return LS_OK;
    case 't':
      options->tells_beginnings = true;
      return LS_OK;
    case KEY_PRINT_COMMANDS:
      options->prints_commands = true;
      return LS_OK;
    case KEY_FILES:
      options->leaves_files = true;
      return LS_OK;
    case KEY_TMPDIR:
      return keep_text("--tmpdir", text, &options->tmpdir, err);
    case KEY_COMPRESS:
      options->compresses = true;
      return LS_OK;
    case KEY_JOBLOG_USAGE:
      options->logs_usage = true;
      return LS_OK;
    case KEY_RETRY_FAILED:
      options->retries_failed = true;
      return LS_OK;
    case KEY_RESULTS_TREE:
      options->names_by_inputs = true;
      return keep_text("--results", text, &options->results, err);
    case KEY_RESULTS:
      return keep_text("--results", text, &options->results, err);
    default:
      options->appends_joblog = text[0] == '+';
      return keep_text("--joblog", text + options->appends_joblog, &options->joblog, err);
  }
}

/* Names of options that cannot stand beside --ungroup or --line-buffer; NULL: there is none. */
static const char *find_opposite(const struct ls_run_options *options) {
  const struct ls_output_options *outputs = &options->outputs;
  if (!outputs->is_ungrouped) return options->replication != NULL ? "--replication" : NULL;
  if (outputs->is_line_buffered) return "--line-buffer";
  if (options->keeps_order) return "--keep-order";
  if (outputs->tag != NULL) return "--tag";
  if (outputs->leaves_files) return "--files";
  return outputs->results != NULL ? "--results" : NULL;
}

static enum ls_status check_showing(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_output_options *outputs = &options->outputs;
  if (!outputs->is_ungrouped && !outputs->is_line_buffered) return LS_OK;
  const char *opposite = find_opposite(options);
  if (opposite != NULL)
    return ls_fail(err, LS_EINVAL, "%s and %s exclude each other",
                   outputs->is_ungrouped ? "--ungroup" : "--line-buffer", opposite);
  if (outputs->is_line_buffered && outputs->leaves_files)
    return ls_fail(err, LS_EINVAL, "--line-buffer and --files exclude each other");
  if (!outputs->is_ungrouped || !ls_run_pools_is_remote(options)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--ungroup is for workers of this machine, whose commands can write to its "
                 "standard output; --line-buffer shows lines of others, too");
}

static enum ls_status check_joblog(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_output_options *outputs = &options->outputs;
  bool resumes = options->is_resumed || options->repeats_failures;
  if (outputs->logs_usage && outputs->joblog == NULL)
    return ls_fail(err, LS_EINVAL, "--joblog-usage needs --joblog FILE");
  if (!outputs->retries_failed) return LS_OK;
  if (outputs->joblog == NULL) return ls_fail(err, LS_EINVAL, "--retry-failed needs --joblog FILE");
  if (options->words_count > 0 || options->files_count > 0)
    return ls_fail(err, LS_EINVAL,
                   "--retry-failed is given with '%s', expected neither command nor inputs: both "
                   "are in the job log",
                   options->words_count > 0 ? options->words[0] : options->files[0]);
  if (resumes || options->journal != NULL)
    return ls_fail(err, LS_EINVAL, "--retry-failed and %s exclude each other",
                   options->journal != NULL ? "--journal" : "--resume");
  return LS_OK;
}

enum ls_status ls_output_options_check(const struct ls_run_options *options, struct ls_error *err) {
  enum ls_status status = check_showing(options, err);
  return status == LS_OK ? check_joblog(options, err) : status;
}

bool ls_output_options_follow_joblog(const struct ls_run_options *options) {
  bool resumes = options->is_resumed || options->repeats_failures;
  return resumes && options->journal == NULL && options->outputs.joblog != NULL;
}

enum ls_status ls_output_options_enter(const struct ls_output_options *options,
                                       struct ls_error *err) {
  if (options->tmpdir != NULL) return ls_temporary_enter("--tmpdir", options->tmpdir, err);
  return ls_temporary_enter("TMPDIR", getenv("TMPDIR"), err);
}

bool ls_output_options_tell_beginnings(const struct ls_output_options *options) {
  bool mixes = options->is_ungrouped || options->is_line_buffered;
  return options->tells_beginnings || (options->prints_commands && mixes);
}

enum ls_showing ls_output_options_showing(const struct ls_output_options *options) {
  if (options->is_ungrouped)
    return ls_output_options_tell_beginnings(options) ? LS_SHOW_DIRECTLY_TOLD : LS_SHOW_DIRECTLY;
  if (options->is_line_buffered) return LS_SHOW_LINES;
  return options->tells_beginnings ? LS_SHOW_BEGINNINGS : LS_SHOW_NOTHING;
}
