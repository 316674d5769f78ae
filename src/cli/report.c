/* report.c: `loadstar report JOURNAL`: shows a run from its journal. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/subcommands.h"
#include "report/report.h"
#include "runtime/history.h"
#include "runtime/journal.h"

enum { COLUMNS_MIN = 48, COLUMNS_MAX = 1000, FILE_FORMATS = 3 };
enum { KEY_GANTT = 256, KEY_SVG, KEY_CSV, KEY_TRACE, KEY_JSON, KEY_SPANS, KEY_WIDTH };

struct options {
  const char *name, *journal;
  bool wants_gantt, wants_json, wants_spans;
  uint64_t columns;
  const char *files[FILE_FORMATS]; /* in the order of file_formats; NULL: not wanted */
};

static const struct ls_report_format *const file_formats[FILE_FORMATS] = {
    &ls_report_svg, &ls_report_csv, &ls_report_trace};

static const struct argp_option option_table[] = {
    {"gantt", KEY_GANTT, NULL, 0, "Print who computed when, as text", 0},
    {"svg", KEY_SVG, "FILE", 0, "Write the chart as a drawing", 0},
    {"csv", KEY_CSV, "FILE", OPTION_ARG_OPTIONAL,
     "Write one row per span (to standard output without FILE)", 0},
    {"trace", KEY_TRACE, "FILE", 0, "Write Chrome's trace format, for Perfetto", 0},
    {"json", KEY_JSON, NULL, 0, "Print the timeline as JSON", 0},
    {"spans", KEY_SPANS, NULL, 0, "With --json: the spans, too", 0},
    {"width", KEY_WIDTH, "N", 0, "Columns of text (default: the terminal's, else 80)", 0},
    {0}};

/* Two formats in one stream would be of use to nobody. */
static bool shares_output(const struct options *options) {
  int count = options->wants_gantt + options->wants_json;
  for (size_t i = 0; i < FILE_FORMATS; i++)
    count += options->files[i] != NULL && strcmp(options->files[i], "-") == 0;
  return count > 1;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct ls_error err = {0};
  switch (key) {
    case KEY_GANTT:
      options->wants_gantt = true;
      return 0;
    case KEY_SVG:
    case KEY_CSV:
    case KEY_TRACE:
      options->files[key - KEY_SVG] = argument == NULL ? "-" : argument;
      return 0;
    case KEY_JSON:
      options->wants_json = true;
      return 0;
    case KEY_SPANS:
      options->wants_spans = true;
      return 0;
    case KEY_WIDTH:
      if (ls_console_whole("--width", argument, COLUMNS_MIN, COLUMNS_MAX, &options->columns,
                           &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case ARGP_KEY_ARG:
      if (options->journal != NULL)
        argp_error(state, "one JOURNAL is expected, not '%s', too (a FILE is given as --csv=FILE)",
                   argument);
      options->journal = argument;
      return 0;
    case ARGP_KEY_END:
      if (options->journal == NULL) argp_error(state, "JOURNAL is missing");
      if (options->wants_spans && !options->wants_json)
        argp_error(state, "--spans is given without --json");
      if (shares_output(options))
        argp_error(state, "only one format can go to standard output, the others need a FILE");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "JOURNAL",
    .doc =
        "Shows a run from its journal: a summary and a chart of who computed when. The run may "
        "still go on.\vFILE - is standard output. Examples:\n"
        "  loadstar report run.journal\n"
        "  loadstar report run.journal --svg run.svg --csv=run.csv\n"
        "  loadstar report run.journal --json --spans\n"};

static bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value != NULL && value[0] != '\0';
}

/* Blocks are drawn only where the locale says that the terminal understands UTF-8. */
static bool has_unicode(void) {
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (is_set(variables[i])) {
      const char *value = getenv(variables[i]);
      return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
  return false;
}

static int find_columns(const struct options *options) {
  struct winsize window;
  if (options->columns > 0) return (int)options->columns;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 &&
      window.ws_col >= COLUMNS_MIN)
    return window.ws_col < COLUMNS_MAX ? window.ws_col : COLUMNS_MAX;
  return 80;
}

static struct ls_report_options choose_style(const struct options *options, const char *title) {
  const char *terminal = getenv("TERM");
  bool is_plain = is_set("NO_COLOR") || (terminal != NULL && strcmp(terminal, "dumb") == 0);
  return (struct ls_report_options){.title = title,
                                    .columns = find_columns(options),
                                    .has_colour = isatty(STDOUT_FILENO) && !is_plain,
                                    .is_ascii = !has_unicode()};
}

/* Writes to FILE, or to standard output for "-". */
static enum ls_status write_file(const char *path, const struct ls_bytes *text,
                                 struct ls_error *err) {
  if (text->failed) return ls_fail(err, LS_ENOMEM, "no memory for the report");
  bool is_output = strcmp(path, "-") == 0;
  int file = is_output ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool is_written = file >= 0 && ls_console_write(file, ls_bytes_text(text), text->length);
  int reason = errno;
  if (!is_output && file >= 0 && close(file) != 0 && is_written) {
    is_written = false;
    reason = errno;
  }
  if (is_written) return LS_OK;
  return ls_fail(err, LS_EIO, "%s: cannot be written: %s", is_output ? "standard output" : path,
                 strerror(reason));
}

static void write_failures(const struct ls_history *history, struct ls_bytes *out) {
  const size_t most = 10;
  for (size_t i = 0; i < history->failures_count && i < most; i++) {
    const struct ls_journal_result *failure = &history->failures[i];
    ls_bytes_printf(out, "  unit %llu", (unsigned long long)failure->units.first);
    if (failure->units.count > 1)
      ls_bytes_printf(out, " to %llu",
                      (unsigned long long)(failure->units.first + failure->units.count - 1));
    if (failure->verdict == LS_VERDICT_GIVEN_UP)
      ls_bytes_append_text(out, ": given up, it lost its worker too often\n");
    else if (failure->has_timed_out)
      ls_bytes_printf(out, ": timed out after %.4g s\n", failure->seconds);
    else if (failure->signal != 0)
      ls_bytes_printf(out, ": killed by signal %d\n", failure->signal);
    else
      ls_bytes_printf(out, ": exit code %d\n", failure->exit_code);
  }
  if (history->failures_count > most)
    ls_bytes_printf(out, "  and more; see the results in the journal\n");
}

/* What the timeline does not know: the job, its sessions and its state. */
static void write_facts(const struct ls_journal_summary *summary, const struct ls_history *history,
                        struct ls_bytes *out) {
  char command[256];
  ls_console_show(summary->job.command, command, sizeof command);
  ls_bytes_printf(out, "%-12s %s\n", "command", command);
  ls_bytes_printf(out, "%-12s %s", "state", summary->state);
  if (summary->sessions > 1) ls_bytes_printf(out, ", %u sessions", (unsigned)summary->sessions);
  ls_bytes_printf(out, "\n%-12s %s, %zu workers wanted, seed %llu\n", "policy", summary->job.policy,
                  summary->job.workers, (unsigned long long)summary->job.seed);
  ls_bytes_printf(out, "%-12s %llu%s: %llu done, %llu failed, %llu given up\n", "units",
                  (unsigned long long)summary->job.units,
                  summary->iteration > 0 ? " in the first iteration" : "",
                  (unsigned long long)history->units_done,
                  (unsigned long long)history->units_failed,
                  (unsigned long long)history->units_given_up);
  write_failures(history, out);
}

static void write_text(const struct options *options, const struct ls_journal_summary *summary,
                       const struct ls_history *history, struct ls_bytes *out) {
  bool has_file = false;
  for (size_t i = 0; i < FILE_FORMATS; i++) has_file |= options->files[i] != NULL;
  bool is_default = !options->wants_gantt && !options->wants_json && !has_file;
  struct ls_report_options style = choose_style(options, "");
  if (is_default) {
    write_facts(summary, history, out);
    ls_report_summary.write(&history->timeline, &style, out);
    ls_bytes_append_char(out, '\n');
  }
  if (is_default || options->wants_gantt) ls_report_gantt.write(&history->timeline, &style, out);
  if (options->wants_json) ls_timeline_write(&history->timeline, options->wants_spans, 0, out);
}

static enum ls_status write_reports(const struct options *options,
                                    const struct ls_journal_summary *summary,
                                    const struct ls_history *history, struct ls_error *err) {
  struct ls_bytes text = {0};
  char title[200];
  ls_console_show(summary->job.command, title, sizeof title);
  write_text(options, summary, history, &text);
  enum ls_status status = text.length > 0 || text.failed ? write_file("-", &text, err) : LS_OK;
  for (size_t i = 0; status == LS_OK && i < FILE_FORMATS; i++) {
    if (options->files[i] == NULL) continue;
    struct ls_report_options style = choose_style(options, title);
    ls_bytes_clear(&text);
    file_formats[i]->write(&history->timeline, &style, &text);
    status = write_file(options->files[i], &text, err);
  }
  ls_bytes_close(&text);
  return status;
}

int ls_report_main(int argc, char **argv, const struct ls_app *app) {
  (void)app; /* a journal says itself what it is of */
  struct options options = {.name = argv[0]};
  argp_err_exit_status = LS_EXIT_USAGE;
  if (argp_parse(&parser, argc, argv, 0, NULL, &options) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  struct ls_journal *journal = NULL;
  struct ls_journal_summary summary;
  struct ls_history history = {0};
  struct ls_journal_request request = {.path = options.journal, .mode = LS_JOURNAL_READ};
  enum ls_status status = ls_journal_open(&request, &journal, &err);
  if (status == LS_OK) status = ls_journal_summary(journal, &summary, &err);
  if (status == LS_OK) status = ls_history_read(journal, &history, &err);
  if (status == LS_OK) status = write_reports(&options, &summary, &history, &err);
  ls_history_close(&history);
  ls_journal_close(journal);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(options.name, &err);
}
