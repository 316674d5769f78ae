/* run_drawing.c: --svg: which worker computed when, drawn of the journal behind the run. */
#include "cli/chart_options.h"
#include "cli/console.h"
#include "cli/run/run_private.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/past/history.h"

/* A folder that is not there may come: by --results, or by a task. */
enum ls_status ls_run_drawing_check(const struct ls_run_options *options, struct ls_error *err) {
  if (options->drawing == NULL) return LS_OK;
  enum ls_status status = ls_console_check_file(options->drawing, true, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--svg");
}

static enum ls_status draw(const struct ls_run *run, struct ls_journal *journal,
                           struct ls_error *err) {
  const struct ls_bytes no_text = {0};
  struct ls_chart_options chart = {.files = {run->options.drawing},
                                   .has_tasks = run->user_app == NULL};
  struct ls_history history = {0};
  struct ls_account account;
  char title[200];
  ls_console_show(ls_bytes_text(&run->command_text), title, sizeof title);
  enum ls_status status = ls_history_read(journal, NULL, &history, err);
  if (status == LS_OK) status = ls_account_of(&history.timeline, NULL, &account, err);
  chart.account = &account;
  if (run->account.has_comparison) chart.comparison = &run->account.comparison;
  if (status == LS_OK) status = ls_chart_write(&chart, &history.timeline, title, &no_text, err);
  ls_history_close(&history);
  return status;
}

enum ls_status ls_run_draw(const struct ls_run *run, struct ls_error *err) {
  struct ls_journal_request request = {.path = run->options.journal, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  if (run->options.drawing == NULL) return LS_OK;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = draw(run, journal, err);
  ls_journal_close(journal);
  /* The command line was not wrong, whatever the file is: all tasks have run. */
  return status == LS_OK ? LS_OK : ls_fail_while(err, LS_EIO, "--svg");
}
