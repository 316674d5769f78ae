/* html.c: the whole report as one page that needs nothing else: what became of the run, what
 * failed, where the time went, who computed what when, the tasks, the workers, what to do next.
 *
 * Without script all but the charts of lines is there, and the chart of the workers as a drawing.
 */
#include <stdio.h>
#include <string.h>

#include "report/page_assets.h"
#include "report/page_private.h"
#include "report/report.h"
#include "report/text_private.h"

enum { TITLE_COLUMNS = 70, DRAWING_RECTANGLES = 250 };

static void write_head(const struct ls_page *page, const char *title) {
  struct ls_bytes *out = page->out;
  ls_bytes_printf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
                  ls_page_policy);
  ls_report_xml(title, out);
  ls_bytes_append_text(out, "</title>\n<style>\n");
  ls_bytes_append_text(out, ls_page_style);
  ls_bytes_append_text(out, "</style>\n</head>\n<body>\n<h1>");
  ls_report_xml(title, out);
  ls_bytes_append_text(out, "</h1>\n");
}

/* The script fills these; who has none sees the drawing. */
static void write_charts(const struct ls_page *page) {
  ls_bytes_append_text(page->out,
                       "<section id=\"gantt\"><h2>Who computed what, when</h2>\n"
                       "<div class=\"scripted\"></div>\n<noscript>\n");
  ls_report_svg_brief(page->timeline, page->options, DRAWING_RECTANGLES, page->out);
  ls_bytes_printf(page->out,
                  "</noscript></section>\n"
                  "<section id=\"course\" class=\"scripted\"><h2>Over time</h2></section>\n"
                  "<section id=\"chunks\" class=\"scripted\"><h2>Chunk sizes, in the order of "
                  "sending</h2></section>\n"
                  "<section id=\"times\" class=\"scripted\"><h2>How long the %ss took</h2>"
                  "</section>\n",
                  page->noun);
}

static void write_lines(const char *text, struct ls_bytes *out) {
  for (const char *line = text, *end; *line != '\0'; line = *end == '\n' ? end + 1 : end) {
    struct ls_bytes one = {0};
    end = line + strcspn(line, "\n");
    ls_bytes_append(&one, line, (size_t)(end - line));
    ls_bytes_append_text(out, "<p>");
    ls_report_xml(ls_bytes_text(&one), out);
    ls_bytes_append_text(out, "</p>\n");
    if (one.failed) out->failed = true;
    ls_bytes_close(&one);
  }
}

static void write_advice(const struct ls_page *page) {
  const struct ls_report_options *options = page->options;
  const char *advice = options->run != NULL ? options->run->advice : NULL;
  struct ls_bytes *out = page->out;
  if (options->perfect_workers == 0 && (advice == NULL || advice[0] == '\0')) return;
  ls_bytes_append_text(out, "<section id=\"advice\"><h2>What to do next time</h2>\n");
  if (options->perfect_workers > 0) {
    ls_bytes_printf(out, "<p>Workers that would pay: <b>%zu</b>", options->perfect_workers);
    if (options->ideal_from < options->ideal_to)
      ls_bytes_printf(out, " (%zu to %zu nearly as good)", options->ideal_from, options->ideal_to);
    ls_bytes_printf(out, ", if %ss take as long as these did.</p>\n", page->noun);
  }
  if (advice != NULL) write_lines(advice, out);
  ls_bytes_append_text(out, "</section>\n");
}

static void write_fact(const struct ls_page *page, const char *label, const char *value) {
  ls_bytes_printf(page->out, "<dt>%s</dt><dd>", label);
  ls_report_xml(value, page->out);
  ls_bytes_append_text(page->out, "</dd>\n");
}

static void write_facts(const struct ls_page *page) {
  const struct ls_report_run *run = page->options->run;
  char seed[32];
  ls_bytes_append_text(page->out, "<section id=\"facts\"><h2>How it ran</h2>\n<dl>\n");
  write_fact(page, "Loadstar", LS_VERSION);
  for (size_t i = 0; run != NULL && i < run->facts_count; i++)
    write_fact(page, run->facts[i].label, run->facts[i].value);
  (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)page->timeline->seed);
  write_fact(page, "seed", seed);
  ls_bytes_append_text(page->out, "</dl>\n<p class=\"scripted\" id=\"save\"></p></section>\n");
}

static void write_html(const struct ls_timeline *timeline, const struct ls_report_options *options,
                       struct ls_bytes *out) {
  const struct ls_page page = {.timeline = timeline,
                               .options = options,
                               .out = out,
                               .noun = options->has_tasks ? "task" : "unit"};
  struct ls_bytes title = {0};
  bool has_title = options->title != NULL && options->title[0] != '\0';
  ls_report_shorten(has_title ? options->title : "Loadstar timeline", TITLE_COLUMNS, &title);
  write_head(&page, ls_bytes_text(&title));
  ls_page_outcome(&page);
  ls_page_failures(&page);
  ls_page_account(&page);
  write_charts(&page);
  ls_page_workers(&page);
  write_advice(&page);
  write_facts(&page);
  ls_page_data(&page);
  ls_bytes_append_text(out, "<script>");
  ls_bytes_append_text(out, ls_page_script);
  ls_bytes_append_text(out, "</script>\n</body>\n</html>\n");
  if (title.failed) out->failed = true;
  ls_bytes_close(&title);
}

const struct ls_report_format ls_report_html = {
    .name = "html",
    .summary = "the whole report as one page, for a browser",
    .write = write_html,
};
