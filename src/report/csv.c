/* csv.c: one row per span, for spreadsheets and scripts (RFC 4180 quoting, lines end in \n). */
#include <string.h>

#include "report/report.h"
#include "report/text_private.h"

static void write_quoted(const char *name, struct ls_bytes *out) {
  struct ls_bytes clean = {0};
  ls_report_clean(name, false, 0, &clean);
  if (clean.failed) out->failed = true;
  const char *text = ls_bytes_text(&clean);
  bool is_quoted = strpbrk(text, "\",") != NULL;
  if (is_quoted) ls_bytes_append_char(out, '"');
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"') ls_bytes_append_char(out, '"');
    ls_bytes_append_char(out, *c);
  }
  if (is_quoted) ls_bytes_append_char(out, '"');
  ls_bytes_close(&clean);
}

/* What is not known is left empty. */
static void write_task(const struct ls_span *span, struct ls_bytes *out) {
  if (span->task == 0) {
    ls_bytes_append_text(out, ",,,,,0\n");
    return;
  }
  ls_bytes_printf(out, ",%llu,%u,%d,", (unsigned long long)span->task, (unsigned)span->attempt,
                  (int)span->exit_code);
  if (span->peak_kib > 0) ls_bytes_printf(out, "%u", (unsigned)span->peak_kib);
  ls_bytes_printf(out, ",%d\n", (int)span->is_running);
}

static void write_csv(const struct ls_timeline *timeline, const struct ls_report_options *options,
                      struct ls_bytes *out) {
  (void)options; /* a table for machines has neither title nor width */
  ls_bytes_append_text(out,
                       "resource,operation,outcome,worker,name,chunk,units,start_s,end_s,task,"
                       "attempt,exit,peak_kib,running\n");
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    char buffer[LS_REPORT_NAME_BYTES];
    ls_bytes_printf(out, "%s,%s,%s,%u,", ls_resource_name(span->resource),
                    ls_operation_name(span->operation), ls_outcome_name(span->outcome),
                    (unsigned)span->worker);
    write_quoted(ls_report_worker(timeline, span->worker, buffer), out);
    ls_bytes_printf(out, ",%llu,%llu,%.17g,%.17g", (unsigned long long)span->chunk,
                    (unsigned long long)span->units, span->start_s, span->end_s);
    write_task(span, out);
  }
}

const struct ls_report_format ls_report_csv = {
    .name = "csv",
    .summary = "one row per span, for machines",
    .write = write_csv,
};
