/* trace.c: Chrome's trace format, for chrome://tracing and Perfetto.
 *
 * One thread per resource and worker; complete events ("X") in microseconds.
 */
#include "base/json.h"
#include "report/report.h"
#include "report/text_private.h"

static void write_thread(const char *name, size_t row, struct ls_bytes *out) {
  ls_bytes_printf(out, "{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_name\",", row);
  ls_bytes_append_text(out, "\"args\":{\"name\":");
  ls_json_write_string(out, name);
  ls_bytes_printf(out,
                  "}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_sort_index\","
                  "\"args\":{\"sort_index\":%zu}},\n",
                  row, row);
}

static void write_span(const struct ls_span *span, size_t row, struct ls_bytes *out) {
  const char *outcome = ls_outcome_name(span->outcome);
  ls_bytes_printf(out,
                  ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%zu,\"name\":\"%s%s%s\",\"cat\":\"%s\","
                  "\"ts\":%.17g,\"dur\":%.17g,",
                  row, ls_operation_name(span->operation),
                  span->outcome == LS_OUTCOME_DONE ? "" : " ",
                  span->outcome == LS_OUTCOME_DONE ? "" : outcome, outcome, 1e6 * span->start_s,
                  1e6 * (span->end_s - span->start_s));
  ls_bytes_printf(out, "\"args\":{\"worker\":%u,\"chunk\":%llu,\"units\":%llu",
                  (unsigned)span->worker, (unsigned long long)span->chunk,
                  (unsigned long long)span->units);
  if (span->task > 0)
    ls_bytes_printf(out, ",\"task\":%llu,\"attempt\":%u,\"exit\":%d",
                    (unsigned long long)span->task, (unsigned)span->attempt, (int)span->exit_code);
  if (span->peak_kib > 0) ls_bytes_printf(out, ",\"peak_kib\":%u", (unsigned)span->peak_kib);
  ls_bytes_append_text(out, span->is_running ? ",\"running\":true}}" : "}}");
}

static void write_trace(const struct ls_timeline *timeline, const struct ls_report_options *options,
                        struct ls_bytes *out) {
  struct ls_report_rows rows;
  ls_report_rows(timeline, &rows);
  ls_bytes_append_text(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
  for (size_t row = 0; row < rows.count; row++) {
    char buffer[LS_REPORT_NAME_BYTES];
    write_thread(ls_report_row_name(timeline, &rows, row, buffer), row, out);
  }
  ls_bytes_append_text(
      out, "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":");
  bool has_title = options->title != NULL && options->title[0] != '\0';
  ls_json_write_string(out, has_title ? options->title : "loadstar");
  ls_bytes_append_text(out, "}}");
  for (size_t i = 0; i < timeline->spans_count; i++) {
    size_t row = ls_report_row(&rows, &timeline->spans[i]);
    if (row < rows.count) write_span(&timeline->spans[i], row, out);
  }
  ls_bytes_append_text(out, "\n]}\n");
}

const struct ls_report_format ls_report_trace = {
    .name = "trace",
    .summary = "Chrome's trace format",
    .write = write_trace,
};
