/* html.c: the whole report as one page that needs nothing else: where the makespan went, predicted
 * and happened, the summary, the chart.
 */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "report/text_private.h"

static const char *const head =
    "<style>\nbody { font-family: sans-serif; color: #222; margin: 2em; }\n"
    "table { border-collapse: collapse; margin: 1em 0; }\n"
    "th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #ccc; text-align: right; }\n"
    "th:first-child, td:first-child, td:last-child { text-align: left; }\n"
    "svg { max-width: 100%; height: auto; }\n</style>\n</head>\n<body>\n";

static void write_words(const char *label, struct ls_bytes *out) {
  ls_bytes_append_text(out, "<td>");
  ls_report_xml(label, out);
  ls_bytes_append_text(out, "</td>");
}

/* One row: seconds of one account, or of two and their difference. */
static void write_row(const char *label, const char *meaning, double happened_s,
                      const double *predicted_s, struct ls_bytes *out) {
  ls_bytes_append_text(out, "<tr>");
  write_words(label, out);
  if (predicted_s != NULL) ls_bytes_printf(out, "<td>%.6g</td>", *predicted_s);
  ls_bytes_printf(out, "<td>%.6g</td>", happened_s);
  if (predicted_s != NULL) ls_bytes_printf(out, "<td>%+.4g</td>", happened_s - *predicted_s);
  write_words(meaning, out);
  ls_bytes_append_text(out, "</tr>\n");
}

static void write_account(const struct ls_account *happened, const struct ls_account *predicted,
                          struct ls_bytes *out) {
  ls_bytes_append_text(out, "<table>\n<tr><th></th>");
  if (predicted != NULL) ls_bytes_append_text(out, "<th>predicted, s</th>");
  ls_bytes_append_text(
      out, predicted != NULL ? "<th>happened, s</th><th>difference, s</th>" : "<th>s</th>");
  ls_bytes_append_text(out, "<th></th></tr>\n");
  write_row("makespan", "", happened->makespan_s, predicted ? &predicted->makespan_s : NULL, out);
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) {
    enum ls_account_part part = (enum ls_account_part)i;
    const double *before_s = predicted != NULL ? &predicted->parts_s[i] : NULL;
    bool is_nothing = !(happened->parts_s[i] > 0) && (before_s == NULL || !(*before_s > 0));
    if (!is_nothing)
      write_row(ls_account_part_label(part), ls_account_part_meaning(part), happened->parts_s[i],
                before_s, out);
  }
  ls_bytes_append_text(out, "</table>\n");
}

static void write_accounts(const struct ls_report_options *options, struct ls_bytes *out) {
  const struct ls_comparison *comparison = options->comparison;
  if (comparison == NULL && options->account == NULL) return;
  ls_bytes_append_text(out, "<h2>Where the makespan went, mean over the workers</h2>\n");
  if (comparison != NULL) {
    ls_bytes_printf(out, "<p>Predicted: %.6g s by ", comparison->predicted.makespan_s);
    ls_report_xml(comparison->basis, out);
    ls_bytes_append_text(out, "</p>\n");
  }
  if (comparison != NULL && comparison->has_happened)
    write_account(&comparison->happened, &comparison->predicted, out);
  else if (options->account != NULL)
    write_account(options->account, NULL, out);
}

static void write_summary(const struct ls_timeline *timeline,
                          const struct ls_report_options *options, struct ls_bytes *out) {
  struct ls_report_options own = *options;
  struct ls_bytes text = {0};
  own.title = "";
  own.account = NULL;
  own.comparison = NULL;
  own.columns = 100;
  ls_report_summary.write(timeline, &own, &text);
  ls_bytes_append_text(out, "<h2>Summary</h2>\n<pre>");
  for (const char *line = ls_bytes_text(&text), *end; *line != '\0'; line = end) {
    end = line + strcspn(line, "\n");
    struct ls_bytes one = {0};
    ls_bytes_append(&one, line, (size_t)(end - line));
    ls_report_xml(ls_bytes_text(&one), out);
    if (one.failed) out->failed = true;
    ls_bytes_close(&one);
    if (*end == '\n') {
      ls_bytes_append_char(out, '\n');
      end++;
    }
  }
  ls_bytes_append_text(out, "</pre>\n");
  if (text.failed) out->failed = true;
  ls_bytes_close(&text);
}

static void write_html(const struct ls_timeline *timeline, const struct ls_report_options *options,
                       struct ls_bytes *out) {
  const char *title = options->title;
  if (title == NULL || title[0] == '\0') title = "Loadstar timeline";
  ls_bytes_append_text(out,
                       "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<title>");
  ls_report_xml(title, out);
  ls_bytes_append_text(out, "</title>\n");
  ls_bytes_append_text(out, head);
  ls_bytes_append_text(out, "<h1>");
  ls_report_xml(title, out);
  ls_bytes_append_text(out, "</h1>\n");
  write_accounts(options, out);
  write_summary(timeline, options, out);
  ls_bytes_append_text(out, "<h2>Chart</h2>\n");
  ls_report_svg.write(timeline, options, out);
  ls_bytes_append_text(out, "</body>\n</html>\n");
}

const struct ls_report_format ls_report_html = {
    .name = "html",
    .summary = "the whole report as one page, for a browser",
    .write = write_html,
};
