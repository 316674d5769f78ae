/* report_run.h: what the page says of a run beside its timeline, from its journal. */
#ifndef LS_CLI_REPORT_RUN_H
#define LS_CLI_REPORT_RUN_H

#include "base/bytes.h"
#include "base/status.h"
#include "cli/report_inputs.h"
#include "report/report.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/past/history.h"

enum { LS_REPORT_RUN_FACTS = 12 };

/* Starts as {0}; `run` borrows from the rest, so it is not copied. */
struct ls_report_run_source {
  struct ls_report_run run;
  struct ls_report_inputs inputs;
  struct ls_report_failure *failures;
  char **texts; /* of failures and facts, owned */
  size_t texts_count, texts_capacity;
  struct ls_report_fact facts[LS_REPORT_RUN_FACTS];
  struct ls_bytes repeat, advice;
};

/* The caller closes it in any case. */
LS_CHECKED enum ls_status ls_report_run_read(struct ls_journal *journal,
                                             const struct ls_history *history,
                                             struct ls_report_run_source *source,
                                             struct ls_error *err);
void ls_report_run_close(struct ls_report_run_source *source);

#endif
