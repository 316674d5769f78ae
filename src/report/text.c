/* text.c: names, rows and axes that the formats share. */
#include "report/text_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ls_report_worker(const struct ls_timeline *timeline, uint32_t worker,
                             char buffer[LS_REPORT_NAME_BYTES]) {
  if (worker < timeline->workers_count) return timeline->workers[worker].name;
  snprintf(buffer, LS_REPORT_NAME_BYTES, "worker-%u", (unsigned)worker);
  return buffer;
}

enum ls_outcome ls_report_outcome(const struct ls_span *span) {
  if (span->outcome == LS_OUTCOME_DONE) return LS_OUTCOME_DONE;
  return ls_outcome_is_failure(span->outcome) ? LS_OUTCOME_FAILED : LS_OUTCOME_LOST;
}

/* The length of the well-formed, printable UTF-8 character at `text`; 0: there is none. */
static size_t measure_character(const unsigned char *text) {
  if (text[0] < 0x80) return text[0] >= 0x20 && text[0] != 0x7f;
  size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
  if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80) return 0;
  /* Overlong forms, surrogates, numbers beyond Unicode, and the C1 control characters. */
  if (text[0] == 0xe0 && text[1] < 0xa0) return 0;
  if (text[0] == 0xed && text[1] > 0x9f) return 0;
  if (text[0] == 0xf0 && text[1] < 0x90) return 0;
  if (text[0] == 0xf4 && text[1] > 0x8f) return 0;
  if (text[0] == 0xc2 && text[1] < 0xa0) return 0;
  return length;
}

size_t ls_report_clean(const char *text, bool is_ascii, size_t columns, struct ls_bytes *out) {
  size_t written = 0;
  for (const char *c = text; *c != '\0' && (columns == 0 || written < columns); written++) {
    size_t length = measure_character((const unsigned char *)c);
    bool is_shown = length > 0 && !(is_ascii && length > 1);
    if (out != NULL) ls_bytes_append(out, is_shown ? c : "?", is_shown ? length : 1);
    c += length == 0 ? 1 : length;
  }
  return written;
}

void ls_report_pad(const char *text, bool is_ascii, size_t columns, struct ls_bytes *out) {
  size_t written = columns == 0 ? 0 : ls_report_clean(text, is_ascii, columns, out);
  for (; written < columns; written++) ls_bytes_append_char(out, ' ');
}

void ls_report_shorten(const char *text, size_t columns, struct ls_bytes *out) {
  struct ls_bytes clean = {0};
  size_t whole = ls_report_clean(text, false, 0, NULL);
  ls_report_clean(text, false, columns, &clean);
  if (clean.failed) out->failed = true;
  size_t length = clean.length;
  while (whole > columns && length > clean.length / 2 && clean.data[length - 1] != ' ') length--;
  bool has_blank = length > 0 && clean.data[length - 1] == ' ';
  ls_bytes_append(out, ls_bytes_text(&clean), whole > columns && has_blank ? length : clean.length);
  if (whole > columns) ls_bytes_append_text(out, "…");
  ls_bytes_close(&clean);
}

void ls_report_xml(const char *text, struct ls_bytes *out) {
  struct ls_bytes clean = {0};
  ls_report_clean(text, false, 0, &clean);
  if (clean.failed) out->failed = true;
  for (const char *c = ls_bytes_text(&clean); *c != '\0'; c++) {
    const char *escape = *c == '&'    ? "&amp;"
                         : *c == '<'  ? "&lt;"
                         : *c == '>'  ? "&gt;"
                         : *c == '"'  ? "&quot;"
                         : *c == '\'' ? "&#39;"
                                      : NULL;
    if (escape != NULL)
      ls_bytes_append_text(out, escape);
    else
      ls_bytes_append_char(out, *c);
  }
  ls_bytes_close(&clean);
}

void ls_report_rows(const struct ls_timeline *timeline, struct ls_report_rows *rows) {
  size_t transfers = 0, replies = 0;
  *rows = (struct ls_report_rows){.per_worker = 1};
  for (size_t i = 0; i < timeline->spans_count; i++) {
    enum ls_resource resource = timeline->spans[i].resource;
    if (resource < LS_RESOURCE_WORKER) rows->has[resource] = true;
    if (resource == LS_RESOURCE_READER) rows->per_worker = 2;
    if (timeline->spans[i].operation == LS_OPERATION_TRANSFER) transfers++;
    if (timeline->spans[i].operation == LS_OPERATION_REPLY) replies++;
  }
  rows->has_messages =
      replies > 0 && replies <= timeline->workers_count && transfers <= timeline->workers_count;
  for (size_t i = 0; i < LS_RESOURCE_WORKER; i++) rows->resources_count += rows->has[i];
  rows->count = rows->resources_count + rows->per_worker * timeline->workers_count;
}

/* Its last row. */
static size_t find_worker_row(const struct ls_report_rows *rows, uint32_t worker) {
  size_t row = rows->resources_count + rows->per_worker * ((size_t)worker + 1) - 1;
  return row < rows->count ? row : rows->count;
}

size_t ls_report_row(const struct ls_report_rows *rows, const struct ls_span *span) {
  size_t own = find_worker_row(rows, span->worker);
  if (span->resource == LS_RESOURCE_WORKER) return own;
  if (span->resource == LS_RESOURCE_READER) return own < rows->count ? own - 1 : own;
  size_t row = 0;
  for (size_t i = 0; i < (size_t)span->resource; i++) row += rows->has[i];
  return row;
}

size_t ls_report_message_row(const struct ls_report_rows *rows, const struct ls_span *span) {
  bool is_message =
      span->operation == LS_OPERATION_TRANSFER || span->operation == LS_OPERATION_REPLY;
  return rows->has_messages && is_message ? find_worker_row(rows, span->worker) : rows->count;
}

const struct ls_timeline_worker *ls_report_row_worker(const struct ls_timeline *timeline,
                                                      const struct ls_report_rows *rows,
                                                      size_t row) {
  assert(row < rows->count);
  if (row < rows->resources_count) return NULL;
  return &timeline->workers[(row - rows->resources_count) / rows->per_worker];
}

const char *ls_report_row_name(const struct ls_timeline *timeline,
                               const struct ls_report_rows *rows, size_t row,
                               char buffer[LS_REPORT_NAME_BYTES]) {
  if (row >= rows->resources_count) {
    size_t place = row - rows->resources_count;
    const char *name = timeline->workers[place / rows->per_worker].name;
    if (place % rows->per_worker + 1 == rows->per_worker) return name;
    snprintf(buffer, LS_REPORT_NAME_BYTES, "%.50s %s", name, ls_resource_name(LS_RESOURCE_READER));
    return buffer;
  }
  size_t resource = 0;
  for (size_t seen = 0; resource < LS_RESOURCE_WORKER; resource++)
    if (rows->has[resource] && seen++ == row) break;
  return ls_resource_name((enum ls_resource)resource);
}

void ls_report_number(double number, struct ls_bytes *out) {
  ls_bytes_printf(out, fabs(number) >= 1000 && fabs(number) < 1e15 ? "%.0f" : "%.4g", number);
}

double ls_report_end(const struct ls_timeline *timeline) {
  double end_s = timeline->makespan_s;
  for (size_t i = 0; i < timeline->spans_count; i++)
    if (timeline->spans[i].end_s > end_s) end_s = timeline->spans[i].end_s;
  return end_s > 1e-9 && isfinite(end_s) ? end_s : 1e-9;
}

double ls_report_tick(double end_s, size_t count) {
  double least = end_s / (double)(count > 0 ? count : 1);
  double power = pow(10, floor(log10(least)));
  for (int i = 1; i <= 10; i++)
    if ((i == 1 || i == 2 || i == 5 || i == 10) && power * i >= least * (1 - 1e-9))
      return power * i;
  return power * 10;
}
