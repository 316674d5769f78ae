/* report.c: `loadstar report JOURNAL`: shows a run from its journal. */
#include <argp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cli/chart_options.h"
#include "cli/console.h"
#include "cli/failure_end.h"
#include "cli/option_names.h"
#include "cli/report_run.h"
#include "cli/report_slots.h"
#include "cli/subcommands.h"
#include "formats/account_json.h"
#include "formats/timeline_json.h"
#include "model/waits.h"
#include "report/report.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_account.h"
#include "runtime/journal/journal_size_advice.h"
#include "runtime/journal/journal_usage.h"
#include "runtime/journal/past/history.h"
#include "runtime/journal/past/journal_places.h"
#include "runtime/journal/past/journal_sizing.h"

enum { KEY_SPANS = 256, KEY_EXPLAIN, KEY_ITERATIONS };

struct options {
  const char *name, *journal;
  struct ls_journal *source; /* opened */
  bool wants_spans, wants_explanation;
  struct ls_chart_options chart;
  const char *drawing; /* of the iterations; NULL: not wanted */
  const struct ls_places *places;
  const struct ls_journal_usage *usage;
  const struct ls_sizing_course *sizing; /* no rows: the run knows no iterations */
};

static const struct argp_option option_table[] = {
    {"spans", KEY_SPANS, NULL, 0, "With --json: the spans, too", 8},
    {"iterations", KEY_ITERATIONS, "FILE", 0,
     "Draw the workers of each iteration (wanted, granted, at work), their efficiency and their "
     "time",
     8},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "Instead: what became of workers on other machines, and why there were not more", 8},
    {0}};

static const struct argp_child children[] = {{&ls_chart_options_argp, 0, NULL, 0}, {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct ls_error err = {0};
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->chart;
      return 0;
    case KEY_SPANS:
      options->wants_spans = true;
      return 0;
    case KEY_ITERATIONS:
      options->drawing = argument;
      return 0;
    case KEY_EXPLAIN:
      options->wants_explanation = true;
      return 0;
    case ARGP_KEY_ARG:
      if (options->journal != NULL)
        argp_error(state, "one JOURNAL is expected, not '%s', too (a FILE is given as --csv=FILE)",
                   argument);
      options->journal = argument;
      return 0;
    case ARGP_KEY_END:
      if (options->journal == NULL) argp_error(state, "JOURNAL is missing");
      if (options->wants_spans && !options->chart.wants_json)
        argp_error(state, "--spans is given without --json");
      if (ls_console_check_option("--iterations", options->drawing, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "JOURNAL",
    .children = children,
    .doc =
        "Shows a run from its journal: a summary and a chart of the workers over time. The run may "
        "still go on.\vFILE - is standard output. Examples:\n"
        "  loadstar report run.journal\n"
        "  loadstar report run.journal --html run.html\n"
        "  loadstar report run.journal --svg run.svg --csv=run.csv\n"
        "  loadstar report run.journal --json --spans\n"};

/* A reason that cannot be read is left out: the journal may be written at this moment. */
static void write_reason(struct ls_journal *journal, const struct ls_journal_result *failure,
                         struct ls_bytes *out) {
  struct ls_bytes reason = {0};
  char shown[256];
  if (ls_journal_read_reason(journal, failure->iteration, failure->units.first, &reason, NULL) ==
          LS_OK &&
      reason.length > 0) {
    ls_console_show(ls_bytes_text(&reason), shown, sizeof shown);
    ls_bytes_printf(out, ": %s", shown);
  }
  ls_bytes_close(&reason);
}

static void write_failures(struct ls_journal *journal, const struct ls_history *history,
                           struct ls_bytes *out) {
  const size_t most = 10;
  for (size_t i = 0; i < history->failures_count && i < most; i++) {
    const struct ls_journal_result *failure = &history->failures[i];
    /* Counted from 1, as in the job log and by --results. */
    ls_bytes_printf(out, "  task %llu", (unsigned long long)failure->units.first + 1);
    if (failure->units.count > 1)
      ls_bytes_printf(out, " to %llu",
                      (unsigned long long)(failure->units.first + failure->units.count));
    ls_bytes_append_text(out, ": ");
    ls_failure_end_write(&(struct ls_failure_end){.outcome = failure->outcome,
                                                  .has_timed_out = failure->has_timed_out,
                                                  .exit_code = failure->exit_code,
                                                  .signal = failure->signal,
                                                  .seconds = failure->seconds,
                                                  .compute_s = failure->compute_s,
                                                  .stage_s = failure->stage_s},
                         out);
    write_reason(journal, failure, out);
    ls_bytes_append_char(out, '\n');
  }
  if (history->failures_count > most)
    ls_bytes_printf(out, "  and more; see the results in the journal\n");
}

static enum ls_status write_advice(void *context, const struct ls_journal_advice *advice) {
  char reason[256], policy[64];
  ls_console_show(advice->reason, reason, sizeof reason);
  ls_console_show(advice->policy, policy, sizeof policy);
  ls_bytes_printf(context, "%-12s at %.4g s: %s, %llu workers wanted, prefetch %llu%s%s\n",
                  "advice", advice->time_s, policy, (unsigned long long)advice->workers,
                  (unsigned long long)advice->prefetch, reason[0] == '\0' ? "" : ": ", reason);
  return LS_OK;
}

/* The job, its sessions and its state, which the timeline does not know. */
static void write_facts(const struct options *options, const struct ls_journal_summary *summary,
                        const struct ls_history *history, const struct ls_bytes *advice,
                        struct ls_bytes *out) {
  char command[256], policy[256], state[128];
  ls_console_show(summary->job.command, command, sizeof command);
  ls_console_show(summary->job.policy, policy, sizeof policy);
  ls_console_show(summary->state, state, sizeof state);
  ls_bytes_printf(out, "%-12s %s\n", "command", command);
  bool is_killed = strcmp(summary->state, "died") == 0;
  ls_bytes_printf(out, "%-12s %s", "state", is_killed ? "killed, --resume goes on" : state);
  if (summary->sessions > 1) ls_bytes_printf(out, ", %u sessions", (unsigned)summary->sessions);
  ls_bytes_printf(out, "\n%-12s %s, %zu workers wanted, seed %llu\n", "policy", policy,
                  summary->job.workers, (unsigned long long)summary->job.seed);
  ls_bytes_append(out, advice->data, advice->length);
  ls_bytes_printf(
      out, "%-12s %llu%s: %llu done, %llu failed, %llu abandoned\n",
      options->chart.has_tasks ? "tasks" : "units", (unsigned long long)summary->job.units,
      summary->iteration > 0 ? " in the first iteration" : "",
      (unsigned long long)history->units_done, (unsigned long long)history->units_failed,
      (unsigned long long)history->units_given_up);
  write_failures(options->source, history, out);
}

/* Workers of this machine that were all there throughout are in the table of workers. */
static bool is_worth_showing(const struct ls_places *places) {
  struct ls_places_counts counts = ls_places_at(places, LS_PLACES_ALL, places->end_s);
  bool is_local = places->pools_count == 0 ||
                  (places->pools_count == 1 && strcmp(places->pools[0], "local") == 0);
  return !is_local || counts.suspensions + counts.lost > 0;
}

static void write_places(const struct options *options, struct ls_bytes *out) {
  if (!is_worth_showing(options->places)) return;
  ls_bytes_append_text(out, "places\n");
  ls_report_places(options->places, out);
  ls_bytes_append_char(out, '\n');
}

static void write_sizing(const struct options *options, struct ls_bytes *out) {
  if (options->sizing->count < 2) return;
  ls_bytes_append_text(out, "iterations\n");
  ls_report_sizing(options->sizing, out);
  ls_bytes_append_char(out, '\n');
}

/* Of commands: what their processes used, beside the time that they took. */
static void write_usage(const struct options *options, struct ls_bytes *out) {
  const struct ls_journal_usage *usage = options->usage;
  if (usage->known == 0) return;
  ls_bytes_printf(out, "%-12s %.4g s user, %.4g s system; at most %.4g MB of memory (task %llu)\n",
                  "processor", usage->sum.user_s, usage->sum.system_s,
                  1e-6 * (double)usage->sum.peak_bytes, (unsigned long long)usage->unit + 1);
}

static void write_text(const struct options *options, const struct ls_journal_summary *summary,
                       const struct ls_history *history, const struct ls_bytes *advice,
                       struct ls_bytes *out) {
  const struct ls_chart_options *chart = &options->chart;
  bool is_summary = ls_chart_is_summary(chart) && options->drawing == NULL;
  struct ls_report_options style = ls_chart_style(chart, "");
  struct ls_timeline_extras extras = {
      .has_spans = options->wants_spans,
      .account = chart->account,
      .waits = chart->waits,
      .prediction = chart->comparison,
      .places = options->places,
      .usage = options->usage->known > 0 ? &options->usage->sum : NULL,
      .sizing = options->sizing->count > 0 ? options->sizing : NULL};
  if (is_summary) {
    write_facts(options, summary, history, advice, out);
    write_usage(options, out);
    ls_chart_summary(&history->timeline, style, out);
    ls_bytes_append_char(out, '\n');
    write_places(options, out);
    write_sizing(options, out);
  }
  if (is_summary || chart->wants_gantt) ls_report_gantt.write(&history->timeline, &style, out);
  if (chart->wants_json) ls_timeline_write(&history->timeline, &extras, out);
}

static enum ls_status draw_iterations(const struct options *options, const char *title,
                                      struct ls_error *err) {
  struct ls_bytes drawing = {0};
  if (options->drawing == NULL) return LS_OK;
  if (options->sizing->count == 0)
    return ls_fail(
        err, LS_EINVAL,
        "--iterations: the journal %s tells of no iterations, expected one of a computing "
        "application",
        options->journal);
  ls_report_sizing_plot(options->sizing, title, &drawing);
  enum ls_status status = ls_console_write_file(options->drawing, &drawing, err);
  ls_bytes_close(&drawing);
  return status;
}

static enum ls_status write_reports(const struct options *options,
                                    const struct ls_journal_summary *summary,
                                    const struct ls_history *history, const struct ls_bytes *advice,
                                    struct ls_error *err) {
  struct ls_bytes text = {0};
  char title[200];
  ls_console_show(summary->job.command, title, sizeof title);
  write_text(options, summary, history, advice, &text);
  enum ls_status status = ls_chart_write(&options->chart, &history->timeline, title, &text, err);
  if (status == LS_OK) status = draw_iterations(options, title, err);
  ls_bytes_close(&text);
  return status;
}

/* A file of the user's own for what was read of this journal; so many of them are kept at most. */
enum { KEPT_FILES = 8 };

static const char *find_kept(const char *journal, char *path, size_t path_bytes) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char *whole = realpath(journal, NULL);
  uint64_t digest = whole == NULL ? 0 : ls_digest_add(LS_DIGEST_START, whole, strlen(whole));
  free(whole);
  int length = -1;
  if (cache != NULL && cache[0] == '/')
    length = snprintf(path, path_bytes, "%s/loadstar", cache);
  else if (home != NULL && home[0] == '/')
    length = snprintf(path, path_bytes, "%s/.cache/loadstar", home);
  if (whole == NULL || length < 0 || (size_t)length + 16 > path_bytes) return NULL;
  (void)snprintf(path + length, path_bytes - (size_t)length, "/report-%u",
                 (unsigned)(digest % KEPT_FILES));
  return path;
}

/* What the run itself kept of its prediction; `*has_any`: there is some. */
static enum ls_status read_comparison(struct ls_journal *journal, struct ls_comparison *comparison,
                                      bool *has_any, struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_journal_read_account(journal, &text, err);
  *has_any = status == LS_OK && text.length > 0;
  if (*has_any) {
    struct ls_text source = {ls_bytes_text(&text), text.length, ls_journal_path(journal)};
    status = ls_comparison_read(source, comparison, err);
  }
  ls_bytes_close(&text);
  return status;
}

static enum ls_status write_size_advice(struct ls_journal *journal, struct ls_bytes *out,
                                        struct ls_error *err) {
  struct ls_journal_size_advice kept = {.grant_s = 0};
  char shown[1000];
  enum ls_status status = ls_journal_read_size_advice(journal, &kept, err);
  if (status == LS_OK && kept.words.length > 0) {
    ls_console_show(ls_bytes_text(&kept.words), shown, sizeof shown);
    ls_bytes_printf(out, "perfect: %s\n", shown);
  }
  ls_bytes_close(&kept.words);
  return status;
}

static int explain(const struct options *options) {
  struct ls_journal *journal = NULL;
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  struct ls_journal_request request = {.path = options->journal, .mode = LS_JOURNAL_READ};
  enum ls_status status = ls_journal_open(&request, &journal, &err);
  if (status == LS_OK) status = ls_report_slots_write(journal, &text, &err);
  if (status == LS_OK) status = write_size_advice(journal, &text, &err);
  ls_journal_close(journal);
  if (status == LS_OK) fputs(ls_bytes_text(&text), stdout);
  ls_bytes_close(&text);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(options->name, &err);
}

int ls_report_main(int argc, char **argv, const struct ls_app *app) {
  (void)app; /* a journal says itself what it is of */
  struct options options = {.name = argv[0]};
  argp_err_exit_status = LS_EXIT_USAGE;
  if (ls_option_names_parse(&parser, argc, argv, 0, &options) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  struct ls_journal *journal = NULL;
  struct ls_journal_summary summary;
  struct ls_history history = {0};
  struct ls_bytes advice = {0};
  struct ls_account account;
  struct ls_waits waits;
  struct ls_comparison comparison;
  struct ls_places places = {0};
  struct ls_sizing_course sizing = {0};
  struct ls_journal_usage usage = {0};
  struct ls_report_run_source source = {.failures = NULL};
  bool is_predicted = false;
  char kept[PATH_MAX];
  struct ls_journal_request request = {.path = options.journal, .mode = LS_JOURNAL_READ};
  if (options.wants_explanation) return explain(&options);
  enum ls_status status = ls_journal_open(&request, &journal, &err);
  if (status == LS_OK) status = ls_journal_summary(journal, &summary, &err);
  options.source = journal;
  options.chart.has_tasks = status == LS_OK && strcmp(summary.job.application, "run") == 0;
  if (status == LS_OK) status = ls_journal_each_advice(journal, write_advice, &advice, &err);
  if (status == LS_OK)
    status = (options.chart.files[LS_CHART_HTML] != NULL ? ls_history_read_each : ls_history_read)(
        journal, find_kept(options.journal, kept, sizeof kept), &history, &err);
  if (status == LS_OK) status = ls_history_to_now(journal, &history, &err);
  options.chart.is_running = history.is_running;
  if (status == LS_OK) status = ls_account_of(&history.timeline, NULL, &account, &err);
  if (status == LS_OK) status = ls_waits_of(&history.timeline, &account, &waits, &err);
  options.chart.account = &account;
  options.chart.waits = &waits;
  if (status == LS_OK) status = read_comparison(journal, &comparison, &is_predicted, &err);
  if (is_predicted) options.chart.comparison = &comparison;
  if (status == LS_OK) status = ls_journal_read_places(journal, &places, &err);
  if (status == LS_OK) status = ls_journal_read_sizing(journal, &places, &sizing, &err);
  if (status == LS_OK) status = ls_journal_read_usage(journal, &usage, &err);
  options.usage = &usage;
  options.places = &places;
  options.sizing = &sizing;
  options.chart.is_iterated = sizing.count > 1;
  if (status == LS_OK && options.chart.files[LS_CHART_HTML] != NULL)
    status = ls_report_run_read(journal, &history, &source, &err);
  options.chart.run = &source.run;
  if (status == LS_OK) status = write_reports(&options, &summary, &history, &advice, &err);
  ls_report_run_close(&source);
  ls_bytes_close(&advice);
  ls_places_close(&places);
  free(sizing.rows);
  ls_history_close(&history);
  ls_journal_close(journal);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(options.name, &err);
}
