#include "cli/chart_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/help_width.h"
#include "theory/eer.h"

enum { COLUMNS_MIN = 48, COLUMNS_MAX = 1000 };
enum { KEY_GANTT = 0x400, KEY_SVG, KEY_CSV, KEY_TRACE, KEY_HTML, KEY_JSON, KEY_WIDTH };

static const struct ls_report_format *const file_formats[LS_CHART_FILES] = {
    &ls_report_svg, &ls_report_csv, &ls_report_trace, &ls_report_html};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "What is shown", 8},
    {"gantt", KEY_GANTT, NULL, 0, "Print as text which worker computed when", 8},
    {"svg", KEY_SVG, "FILE", 0, "Write the chart as a drawing", 8},
    {"csv", KEY_CSV, "FILE", OPTION_ARG_OPTIONAL,
     "Write one row per span (to standard output without FILE)", 8},
    {"trace", KEY_TRACE, "FILE", 0, "Write Chrome's trace format, for Perfetto", 8},
    {"html", KEY_HTML, "FILE", 0, "Write all of it as one page, for a browser", 8},
    {"json", KEY_JSON, NULL, 0, "Print JSON, for machines", 8},
    {"width", KEY_WIDTH, "N", 0, "Columns of text (default: the terminal's, else 80)", 8},
    {0}};

/* Two formats in one stream would be of no use. */
static bool shares_output(const struct ls_chart_options *options) {
  int count = options->wants_gantt + options->wants_json;
  for (size_t i = 0; i < LS_CHART_FILES; i++)
    count += options->files[i] != NULL && strcmp(options->files[i], "-") == 0;
  return count > 1;
}

static const char *const file_options[LS_CHART_FILES] = {"--svg", "--csv", "--trace", "--html"};

/* Before minutes have gone into what it is to hold. */
static void check_files(const struct ls_chart_options *options, struct argp_state *state) {
  struct ls_error err = {0};
  for (size_t i = 0; i < LS_CHART_FILES; i++) {
    if (ls_console_check_option(file_options[i], options->files[i], &err) != LS_OK)
      argp_error(state, "%s", err.text);
  }
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_chart_options *options = state->input;
  struct ls_error err = {0};
  switch (key) {
    case KEY_GANTT:
      options->wants_gantt = true;
      return 0;
    case KEY_SVG:
    case KEY_CSV:
    case KEY_TRACE:
    case KEY_HTML:
      options->files[key - KEY_SVG] = argument == NULL ? "-" : argument;
      return 0;
    case KEY_JSON:
      options->wants_json = true;
      return 0;
    case KEY_WIDTH:
      if (ls_console_whole("--width", argument, (struct ls_whole_range){COLUMNS_MIN, COLUMNS_MAX},
                           &options->columns, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case ARGP_KEY_END:
      if (shares_output(options))
        argp_error(state, "only one format can go to standard output, the others need a FILE");
      check_files(options, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp ls_chart_options_argp = {.options = option_table, .parser = parse_option};

const char *ls_chart_options_extra(const struct ls_chart_options *options) {
  if (options->wants_gantt) return "--gantt";
  for (size_t i = 0; i < LS_CHART_FILES; i++)
    if (options->files[i] != NULL) return file_options[i];
  return options->columns > 0 ? "--width" : NULL;
}

bool ls_chart_is_summary(const struct ls_chart_options *options) {
  for (size_t i = 0; i < LS_CHART_FILES; i++)
    if (options->files[i] != NULL) return false;
  return !options->wants_gantt && !options->wants_json;
}

bool ls_chart_needs_timeline(const struct ls_chart_options *options) {
  for (size_t i = 0; i < LS_CHART_FILES; i++)
    if (options->files[i] != NULL) return true;
  return options->wants_gantt;
}

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

static int find_columns(const struct ls_chart_options *options) {
  if (options->columns > 0) return (int)options->columns;
  size_t columns = ls_terminal_columns();
  if (columns < COLUMNS_MIN) return 80;
  return columns < COLUMNS_MAX ? (int)columns : COLUMNS_MAX;
}

struct ls_report_options ls_chart_style(const struct ls_chart_options *options, const char *title) {
  const char *terminal = getenv("TERM");
  bool is_plain = is_set("NO_COLOR") || (terminal != NULL && strcmp(terminal, "dumb") == 0);
  return (struct ls_report_options){.title = title,
                                    .has_tasks = options->has_tasks,
                                    .is_running = options->is_running,
                                    .is_iterated = options->is_iterated,
                                    .account = options->account,
                                    .waits = options->waits,
                                    .comparison = options->comparison,
                                    .run = options->run,
                                    .columns = find_columns(options),
                                    .has_colour = isatty(STDOUT_FILENO) && !is_plain,
                                    .is_ascii = !has_unicode()};
}

/* What the theory of batches says of the tasks as one set; false: there was no memory. */
static bool find_crew(const struct ls_timeline *timeline, struct ls_report_options *style) {
  struct ls_eer_crew crew = {0};
  if (!style->is_iterated && ls_eer_crew_of(timeline, &crew, NULL) != LS_OK) return false;
  style->perfect_workers = crew.perfect;
  style->ideal_from = crew.ideal_from;
  style->ideal_to = crew.ideal_to;
  return true;
}

void ls_chart_summary(const struct ls_timeline *timeline, struct ls_report_options style,
                      struct ls_bytes *out) {
  if (find_crew(timeline, &style))
    ls_report_summary.write(timeline, &style, out);
  else
    out->failed = true;
}

enum ls_status ls_chart_write(const struct ls_chart_options *options,
                              const struct ls_timeline *timeline, const char *title,
                              const struct ls_bytes *text, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (text->length > 0 || text->failed) status = ls_console_write_file("-", text, err);
  struct ls_bytes file = {0};
  for (size_t i = 0; status == LS_OK && i < LS_CHART_FILES; i++) {
    if (options->files[i] == NULL) continue;
    struct ls_report_options style = ls_chart_style(options, title);
    ls_bytes_clear(&file);
    if (file_formats[i] == &ls_report_html && !find_crew(timeline, &style)) file.failed = true;
    file_formats[i]->write(timeline, &style, &file);
    status = ls_console_write_file(options->files[i], &file, err);
  }
  ls_bytes_close(&file);
  return status;
}
