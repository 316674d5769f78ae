/* output_options.h: options of `loadstar run` about what tasks write, and what is shown of it.
 */
#ifndef LS_CLI_RUN_OUTPUT_OPTIONS_H
#define LS_CLI_RUN_OUTPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/status.h"
#include "runtime/execute/settings.h"

/* Starts as {0}. Texts are borrowed from argv. */
struct ls_output_options {
  bool is_ungrouped, is_line_buffered;
  bool tells_beginnings;        /* -t */
  bool prints_commands;         /* on standard output, before what they write */
  const char *tag;              /* before each line, with replacement strings; NULL: nothing */
  const char *results, *joblog; /* NULL: not said */
  bool names_by_inputs;         /* a plain folder of results has a path of inputs for each task */
  bool appends_joblog;          /* --joblog +FILE; `joblog` is without the sign */
  bool logs_usage;              /* --joblog-usage */
  bool retries_failed;          /* its failed lines are the tasks */
  bool leaves_files, compresses;
  const char *tmpdir; /* NULL: not said */
};

struct ls_run_options;

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_output_options_table[];

/* Of other dialects only. */
extern const struct argp_option ls_output_dialect_table[];

/* Is it one of their keys? */
bool ls_output_options_has(int key);
/* What is seen of commands before they end. */
enum ls_showing ls_output_options_showing(const struct ls_output_options *options);
/* Is each command shown when it begins? With -u and --line-buffer, where outputs mix, it cannot
 * stand before what it writes. */
bool ls_output_options_tell_beginnings(const struct ls_output_options *options);
/* LS_EINVAL names option, value and what was expected. */
LS_CHECKED enum ls_status ls_output_options_read(struct ls_output_options *options, int key,
                                                 const char *text, struct ls_error *err);
/* The folder for temporary files, from now on. LS_EINVAL names it. */
LS_CHECKED enum ls_status ls_output_options_enter(const struct ls_output_options *options,
                                                  struct ls_error *err);
/* Are the tasks that have a line in the job log left out, without a journal? */
bool ls_output_options_follow_joblog(const struct ls_run_options *options);
/* Do they fit together? LS_EINVAL names those that do not. */
LS_CHECKED enum ls_status ls_output_options_check(const struct ls_run_options *options,
                                                  struct ls_error *err);

#endif
