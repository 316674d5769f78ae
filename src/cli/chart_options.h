/* chart_options.h: the options and the output that all commands with a timeline share: --gantt,
 * --svg, --csv, --trace, --html, --json, --width.
 */
#ifndef LS_CLI_CHART_OPTIONS_H
#define LS_CLI_CHART_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "model/timeline.h"
#include "report/report.h"

enum { LS_CHART_HTML = 3, LS_CHART_FILES = 4 };

/* Filled by ls_chart_options_argp, a child parser: its input. Starts as {0}. */
struct ls_chart_options {
  bool wants_gantt, wants_json;
  uint64_t columns;
  bool is_running; /* the timeline ends when it was looked at */
  bool has_tasks;  /* the timeline is of commands; the command says so */
  /* Of the timeline, for what is written of it; the command sets them. NULL: none. */
  bool is_iterated; /* the tasks are of several sets, one after the other */
  const struct ls_account *account;
  const struct ls_waits *waits;
  const struct ls_comparison *comparison;
  const struct ls_report_run *run;
  const char *files[LS_CHART_FILES]; /* of svg, csv, trace, html; NULL: not wanted */
};

/* Refuses, at the end, two formats that would share standard output. */
extern const struct argp ls_chart_options_argp;

/* One of the options given beside --json, all of which concern charts; NULL: none. */
const char *ls_chart_options_extra(const struct ls_chart_options *options);

/* Nothing special was asked for: people want a summary. */
bool ls_chart_is_summary(const struct ls_chart_options *options);
/* Charts are drawn of a timeline; a plan's text and JSON are not. */
bool ls_chart_needs_timeline(const struct ls_chart_options *options);
/* The summary, with what the theory of batches says of its tasks. */
void ls_chart_summary(const struct ls_timeline *timeline, struct ls_report_options style,
                      struct ls_bytes *out);
/* Width, alphabet and colours as the terminal has them. */
struct ls_report_options ls_chart_style(const struct ls_chart_options *options, const char *title);
/* Prints `text`, unless it is empty, and writes the files that were asked for; fails as
 * ls_console_write_file does. `title`: of the drawing. */
LS_CHECKED enum ls_status ls_chart_write(const struct ls_chart_options *options,
                                         const struct ls_timeline *timeline, const char *title,
                                         const struct ls_bytes *text, struct ls_error *err);

#endif
