/* html_outcome.c: did it work, in a sentence and a bar; what failed, and why. */
#include <string.h>

#include "model/metrics.h"
#include "report/page_private.h"
#include "report/text_private.h"

enum { GROUPS_MAX = 50, NAMED_MAX = 3, INPUT_BYTES = 200 };

/* A piece of the bar and of the sentence. */
struct piece {
  uint64_t units;
  const char *word, *fill;
};

static void write_bar(const struct piece *pieces, size_t count, uint64_t units,
                      struct ls_bytes *out) {
  double x = 0;
  if (units == 0) return;
  ls_bytes_append_text(
      out,
      "<svg class=\"bar\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"what became of them\"><defs>"
      "<pattern id=\"p-failed\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#D55E00\"/>"
      "<rect width=\"2\" height=\"6\" fill=\"#FFD9BF\"/></pattern>"
      "<pattern id=\"p-timed\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect width=\"6\" height=\"6\" fill=\"#CC79A7\"/><rect width=\"6\" height=\"2\" "
      "fill=\"#fff\"/></pattern>"
      "<pattern id=\"p-gone\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(-45)\"><rect width=\"6\" height=\"6\" fill=\"#333\"/>"
      "<rect width=\"3\" height=\"6\" fill=\"#BBB\"/></pattern></defs>");
  for (size_t i = 0; i < count; i++) {
    double width = 1000 * (double)pieces[i].units / (double)units;
    if (pieces[i].units == 0) continue;
    if (width < 3) width = 3; /* one failure of a million is seen */
    ls_bytes_printf(out,
                    "<rect x=\"%.1f\" width=\"%.1f\" height=\"24\" fill=\"%s\"><title>%llu %s"
                    "</title></rect>",
                    x + width > 1000 ? 1000 - width : x, width, pieces[i].fill,
                    (unsigned long long)pieces[i].units, pieces[i].word);
    x += width;
  }
  ls_bytes_append_text(out, "</svg>\n");
}

/* "285 done, 15 failed." */
static void write_counts(const struct piece *pieces, size_t count, struct ls_bytes *out) {
  const char *separator = ": ";
  for (size_t i = 0; i < count; i++) {
    if (pieces[i].units == 0 && i > 0) continue;
    ls_bytes_printf(out, "%s<b>%llu</b> %s", separator, (unsigned long long)pieces[i].units,
                    pieces[i].word);
    separator = ", ";
  }
  ls_bytes_append_text(out, ".");
}

static double sum_done(const struct ls_timeline *timeline) {
  double units = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation == LS_OPERATION_COMPUTE && span->outcome == LS_OUTCOME_DONE)
      units += (double)span->units;
  }
  return units;
}

static void write_even(const struct ls_page *page) {
  const struct ls_account *account = page->options->account;
  double even_s = 0;
  if (account == NULL || !(account->workers > 0)) return;
  even_s = account->parts_s[LS_ACCOUNT_WORK] + account->parts_s[LS_ACCOUNT_LATENCY];
  if (!(even_s > 0)) return;
  ls_bytes_append_text(page->out, " Perfectly even, the same work would have taken ");
  ls_report_number(even_s, page->out);
  ls_bytes_printf(page->out, " s on %s%.4g worker%s.", account->workers > 1 ? "these " : "this ",
                  account->workers, account->workers > 1 ? "s" : "");
}

void ls_page_outcome(const struct ls_page *page) {
  const struct ls_report_run *run = page->options->run;
  struct ls_bytes *out = page->out;
  uint64_t done = run != NULL ? run->done : (uint64_t)(sum_done(page->timeline) + 0.5);
  uint64_t units = run != NULL ? run->units : done;
  struct piece pieces[] = {{done, "done", "#0072B2"},
                           {0, "failed", "url(#p-failed)"},
                           {0, "timed out", "url(#p-timed)"},
                           {0, "abandoned", "url(#p-gone)"},
                           {0, "remaining", "#DDD"}};
  size_t count = sizeof pieces / sizeof *pieces;
  if (run != NULL) {
    pieces[1].units = run->failed - run->timed_out;
    pieces[2].units = run->timed_out;
    pieces[3].units = run->abandoned;
    uint64_t settled = done + run->failed + run->abandoned;
    if (units < settled) units = settled; /* of all iterations */
    pieces[4].units = units - settled;
  }
  ls_bytes_printf(out, "<section id=\"outcome\"><p class=\"sentence\">%llu %s%s in ",
                  (unsigned long long)units, page->noun, units == 1 ? "" : "s");
  ls_report_number(page->timeline->makespan_s, out);
  ls_bytes_append_text(out, page->options->is_running ? " s so far, and it goes on" : " s");
  write_counts(pieces, count, out);
  write_even(page);
  ls_bytes_append_text(out, "</p>\n");
  write_bar(pieces, count, units, out);
  ls_bytes_append_text(out, "</section>\n");
}

static bool is_alike(const struct ls_report_failure *a, const struct ls_report_failure *b) {
  return strcmp(a->end, b->end) == 0 && strcmp(a->reason, b->reason) == 0;
}

/* Its number, and the input. */
static void write_task(const struct ls_page *page, const struct ls_report_failure *failure) {
  const struct ls_report_run *run = page->options->run;
  struct ls_bytes input = {0};
  ls_bytes_printf(page->out, "%llu", (unsigned long long)failure->task);
  if (failure->count > 1)
    ls_bytes_printf(page->out, " to %llu",
                    (unsigned long long)(failure->task + failure->count - 1));
  if (run->describe != NULL) run->describe(run->context, failure->task, &input);
  if (input.length > 0) {
    ls_bytes_append_text(page->out, " <code>");
    struct ls_bytes brief = {0};
    ls_report_shorten(ls_bytes_text(&input), INPUT_BYTES, &brief);
    ls_report_xml(ls_bytes_text(&brief), page->out);
    ls_bytes_append_text(page->out, "</code>");
    ls_bytes_close(&brief);
  }
  ls_bytes_close(&input);
}

static void write_group(const struct ls_page *page, size_t first) {
  const struct ls_report_run *run = page->options->run;
  const struct ls_report_failure *leader = &run->failures[first];
  uint64_t units = 0;
  size_t named = 0;
  for (size_t i = first; i < run->failures_count; i++)
    if (is_alike(leader, &run->failures[i])) units += run->failures[i].count;
  ls_bytes_append_text(page->out, "<tr>");
  ls_page_number(page, (double)units);
  ls_page_cell(page, leader->end);
  ls_page_cell(page, leader->reason);
  ls_bytes_append_text(page->out, "<td>");
  for (size_t i = first; i < run->failures_count && named < NAMED_MAX; i++) {
    if (!is_alike(leader, &run->failures[i])) continue;
    if (named++ > 0) ls_bytes_append_text(page->out, "<br>");
    write_task(page, &run->failures[i]);
  }
  if (named == NAMED_MAX && units > NAMED_MAX) ls_bytes_append_text(page->out, "<br>and more");
  ls_bytes_append_text(page->out, "</td></tr>\n");
}

void ls_page_failures(const struct ls_page *page) {
  const struct ls_report_run *run = page->options->run;
  size_t leaders[GROUPS_MAX], groups = 0;
  if (run == NULL || run->failures_count == 0) return;
  ls_bytes_printf(page->out,
                  "<section id=\"failures\"><h2>What failed, and why</h2>\n<table><thead><tr>"
                  "<th>%ss</th><th>how it ended</th><th>its error output, first line</th>"
                  "<th>which</th></tr></thead><tbody>\n",
                  page->noun);
  for (size_t i = 0; i < run->failures_count && groups < GROUPS_MAX; i++) {
    bool is_known = false;
    for (size_t k = 0; k < groups && !is_known; k++)
      is_known = is_alike(&run->failures[leaders[k]], &run->failures[i]);
    if (is_known) continue;
    write_group(page, i);
    leaders[groups++] = i;
  }
  ls_bytes_append_text(page->out, "</tbody></table>\n");
  if (groups == GROUPS_MAX) ls_bytes_append_text(page->out, "<p>There are more kinds.</p>\n");
  if (run->repeat != NULL) {
    ls_bytes_append_text(page->out, "<p>To repeat them: <code>");
    ls_report_xml(run->repeat, page->out);
    ls_bytes_append_text(page->out, "</code></p>\n");
  }
  ls_bytes_append_text(page->out, "</section>\n");
}
