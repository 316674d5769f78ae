/* html_data.c: what the page's script draws, as one element of JSON.
 *
 * Times are whole microseconds.  "rows": [name, worker, from, until, spans] in the order of a
 * chart; spans of all rows follow each other in columns: "gap" is the time since the end of the
 * one before in its row, "time" how long it lasted, "task" differs from the one before by so much;
 * "units", "kind" and "chunk" are pairs of a value and how often it is repeated ("chunk_is" says of
 * what), as "chunk_units", the sizes of all chunks in the order of sending.  "facts" are of some
 * spans, by number: of all of a short run, else of those that failed and the slowest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page_private.h"
#include "report/text_private.h"

enum { FACTS_ALL = 20000, FACTS_SLOWEST = 1000, FACTS_FAILED = 10000, INPUT_BYTES = 200 };
/* Names of workers and resources. */
enum { NAME_BYTES = 200 };

enum kind { COMPUTE, FAILED, WASTED, RUNNING, STAGE, RECEIVE, TRANSFER, PREPARE, SEND, REPLY };

/* A span and where it is drawn. */
struct entry {
  double start_s;
  uint32_t row, span;
};

struct data {
  const struct ls_timeline *timeline;
  const struct ls_report_options *options;
  struct ls_bytes *out;
  struct ls_report_rows rows;
  struct entry *entries; /* row by row, each in time */
  size_t count;
};

static void write_whole(struct ls_bytes *out, int64_t number) {
  char digits[24], *end = digits + sizeof digits, *at = end;
  uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do {
    *--at = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (number < 0) *--at = '-';
  *--at = ',';
  ls_bytes_append(out, at, (size_t)(end - at));
}

static int64_t to_us(double seconds) {
  return isfinite(seconds) ? llround(fmin(seconds, 1e12) * 1e6) : 0;
}

void ls_page_string(const char *text, size_t bytes_max, struct ls_bytes *out) {
  struct ls_bytes clean = {0};
  ls_report_clean(text, false, bytes_max, &clean);
  if (clean.failed) out->failed = true;
  ls_bytes_append_char(out, '"');
  const char *c = ls_bytes_text(&clean);
  for (; *c != '\0'; c++) {
    bool is_separator = strncmp(c, "\xe2\x80\xa8", 3) == 0 || strncmp(c, "\xe2\x80\xa9", 3) == 0;
    if (is_separator) {
      ls_bytes_printf(out, "\\u202%c", c[2] == '\xa8' ? '8' : '9');
      c += 2;
    } else if (*c == '<' || *c == '>' || *c == '&') {
      ls_bytes_printf(out, "\\u%04x", (unsigned)*c);
    } else {
      if (*c == '"' || *c == '\\') ls_bytes_append_char(out, '\\');
      ls_bytes_append_char(out, *c);
    }
  }
  ls_bytes_append_char(out, '"');
  ls_bytes_close(&clean);
}

static enum kind kind_of(const struct ls_span *span) {
  static const enum kind kinds[LS_OPERATION_COUNT] = {
      [LS_OPERATION_PREPARE] = PREPARE,   [LS_OPERATION_SEND] = SEND,
      [LS_OPERATION_TRANSFER] = TRANSFER, [LS_OPERATION_STAGE] = STAGE,
      [LS_OPERATION_RECEIVE] = RECEIVE,   [LS_OPERATION_COMPUTE] = COMPUTE,
      [LS_OPERATION_REPLY] = REPLY};
  if (span->is_running) return RUNNING;
  enum ls_outcome outcome = ls_report_outcome(span);
  if (outcome == LS_OUTCOME_FAILED) return FAILED;
  return outcome == LS_OUTCOME_LOST ? WASTED : kinds[span->operation];
}

/* ---- the order ---- */

static int compare_entries(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  if (a->start_s < b->start_s) return -1;
  if (a->start_s > b->start_s) return 1;
  return a->span < b->span ? -1 : a->span > b->span;
}

static void order_spans(struct data *data) {
  const struct ls_timeline *timeline = data->timeline;
  bool is_ordered = true;
  data->entries = calloc(timeline->spans_count + 1, sizeof *data->entries);
  if (data->entries == NULL) {
    data->out->failed = true;
    return;
  }
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    size_t row = ls_report_row(&data->rows, span);
    if (row >= data->rows.count || !(span->end_s >= span->start_s)) continue;
    struct entry *entry = &data->entries[data->count++];
    *entry = (struct entry){.start_s = span->start_s, .row = (uint32_t)row, .span = (uint32_t)i};
    if (data->count > 1 && compare_entries(entry - 1, entry) > 0) is_ordered = false;
  }
  if (!is_ordered) qsort(data->entries, data->count, sizeof *data->entries, compare_entries);
}

static const struct ls_span *span_of(const struct data *data, size_t i) {
  return &data->timeline->spans[data->entries[i].span];
}

/* ---- columns ---- */

static void begin(const struct data *data, const char *name) {
  ls_bytes_printf(data->out, ",\n\"%s\":[", name);
}

/* Numbers are each written with a comma before them. */
static void end(const struct data *data, size_t from) {
  struct ls_bytes *out = data->out;
  if (!out->failed && out->length > from) out->data[from] = ' ';
  ls_bytes_append_char(out, ']');
}

static void write_times(const struct data *data) {
  int64_t last_us = 0;
  begin(data, "gap");
  size_t from = data->out->length;
  for (size_t i = 0; i < data->count; i++) {
    const struct ls_span *span = span_of(data, i);
    if (i > 0 && data->entries[i - 1].row != data->entries[i].row) last_us = 0;
    write_whole(data->out, to_us(span->start_s) - last_us);
    last_us = to_us(span->end_s);
  }
  end(data, from);
  begin(data, "time");
  from = data->out->length;
  for (size_t i = 0; i < data->count; i++) {
    const struct ls_span *span = span_of(data, i);
    write_whole(data->out, to_us(span->end_s) - to_us(span->start_s));
  }
  end(data, from);
}

enum column { TASK, UNITS, KIND, CHUNK_AFTER_TASK };

static int64_t read_column(const struct ls_span *span, enum column column) {
  if (column == TASK) return (int64_t)span->task;
  if (column == CHUNK_AFTER_TASK) return (int64_t)(span->chunk - span->task);
  return column == UNITS ? (int64_t)span->units : (int64_t)kind_of(span);
}

static void write_tasks(const struct data *data) {
  int64_t last = 0;
  begin(data, "task");
  size_t from = data->out->length;
  for (size_t i = 0; i < data->count; i++) {
    int64_t value = read_column(span_of(data, i), TASK);
    write_whole(data->out, value - last);
    last = value;
  }
  end(data, from);
}

static void write_repeats(const struct data *data, const char *name, enum column column) {
  begin(data, name);
  size_t from = data->out->length;
  for (size_t i = 0, next; i < data->count; i = next) {
    int64_t value = read_column(span_of(data, i), column);
    for (next = i + 1; next < data->count; next++)
      if (read_column(span_of(data, next), column) != value) break;
    write_whole(data->out, value);
    write_whole(data->out, (int64_t)(next - i));
  }
  end(data, from);
}

/* ---- facts ---- */

static int compare_numbers(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? 1 : a > b ? -1 : 0;
}

/* Spans that take at least so long are among the slowest; 0: all are. */
static double find_slowest(const struct data *data) {
  if (data->count <= FACTS_ALL) return 0;
  double *seconds = calloc(data->count, sizeof *seconds);
  if (seconds == NULL) return (double)INFINITY;
  for (size_t i = 0; i < data->count; i++) {
    const struct ls_span *span = span_of(data, i);
    seconds[i] = span->end_s - span->start_s;
  }
  qsort(seconds, data->count, sizeof *seconds, compare_numbers);
  double least_s = seconds[FACTS_SLOWEST - 1];
  free(seconds);
  return least_s;
}

static void write_input(const struct data *data, const struct ls_span *span) {
  const struct ls_report_run *run = data->options->run;
  struct ls_bytes input = {0};
  if (run != NULL && run->describe != NULL && span->task > 0)
    run->describe(run->context, span->task, &input);
  ls_page_string(ls_bytes_text(&input), INPUT_BYTES, data->out);
  ls_bytes_close(&input);
}

/* [span, exit, attempt, KiB, input], for each. */
static void write_facts(const struct data *data) {
  double least_s = find_slowest(data);
  size_t slowest = 0, failed = 0;
  const char *separator = "";
  begin(data, "facts");
  for (size_t i = 0; i < data->count; i++) {
    const struct ls_span *span = span_of(data, i);
    bool is_slow = span->end_s - span->start_s >= least_s;
    bool is_bad = span->outcome != LS_OUTCOME_DONE || span->is_running;
    if (span->task == 0) continue;
    if (data->count > FACTS_ALL && !(is_bad && failed < FACTS_FAILED) &&
        !(is_slow && slowest < FACTS_SLOWEST))
      continue;
    if (is_bad)
      failed++;
    else
      slowest++;
    ls_bytes_printf(data->out, "%s[%zu,%d,%u,%u,", separator, i, (int)span->exit_code,
                    (unsigned)span->attempt, (unsigned)span->peak_kib);
    write_input(data, span);
    ls_bytes_append_char(data->out, ']');
    separator = ",";
  }
  ls_bytes_append_char(data->out, ']');
}

/* ---- the rest ---- */

static void write_rows(const struct data *data) {
  const struct ls_timeline *timeline = data->timeline;
  size_t at = 0;
  begin(data, "rows");
  for (size_t row = 0; row < data->rows.count; row++) {
    char buffer[LS_REPORT_NAME_BYTES];
    size_t first = at;
    while (at < data->count && data->entries[at].row == row) at++;
    const struct ls_timeline_worker *worker = ls_report_row_worker(timeline, &data->rows, row);
    double until_s =
        worker == NULL ? timeline->makespan_s : fmin(worker->left_s, timeline->makespan_s);
    ls_bytes_append_text(data->out, row > 0 ? ",\n[" : "[");
    ls_page_string(ls_report_row_name(timeline, &data->rows, row, buffer), NAME_BYTES, data->out);
    bool is_reader =
        worker != NULL && data->rows.per_worker == 2 && (row - data->rows.resources_count) % 2 == 0;
    write_whole(data->out, worker == NULL || is_reader ? -1 : worker - timeline->workers);
    write_whole(data->out, worker == NULL ? 0 : to_us(worker->joined_s));
    write_whole(data->out, to_us(until_s));
    write_whole(data->out, (int64_t)(at - first));
    ls_bytes_append_char(data->out, ']');
  }
  ls_bytes_append_char(data->out, ']');
}

/* [chunk, spans of it that follow each other], as a difference to the chunk before. */
static void write_chunk_runs(const struct data *data) {
  int64_t last = 0;
  begin(data, "chunk");
  size_t from = data->out->length;
  for (size_t i = 0, next; i < data->count; i = next) {
    int64_t chunk = (int64_t)span_of(data, i)->chunk;
    for (next = i + 1; next < data->count; next++)
      if ((int64_t)span_of(data, next)->chunk != chunk) break;
    write_whole(data->out, chunk - last);
    write_whole(data->out, (int64_t)(next - i));
    last = chunk;
  }
  end(data, from);
}

/* Where each task is a chunk their numbers are as far apart nearly everywhere; else tasks of a
 * chunk follow each other. */
static void write_chunk_of(const struct data *data) {
  bool is_fine = data->count > data->timeline->decisions_count * 2;
  ls_bytes_printf(data->out, ",\n\"chunk_is\":\"%s\"", is_fine ? "repeated" : "after task");
  if (is_fine)
    write_chunk_runs(data);
  else
    write_repeats(data, "chunk", CHUNK_AFTER_TASK);
}

static void write_chunk_units(const struct data *data) {
  const struct ls_timeline *timeline = data->timeline;
  begin(data, "chunk_units");
  size_t from = data->out->length;
  for (size_t i = 0, next; i < timeline->decisions_count; i = next) {
    double units = timeline->decisions[i].units;
    for (next = i + 1; next < timeline->decisions_count; next++)
      if (fabs(timeline->decisions[next].units - units) > 0) break;
    ls_bytes_printf(data->out, ",%.6g,%zu", units, next - i);
  }
  end(data, from);
}

static void write_absences(const struct data *data) {
  begin(data, "away");
  size_t from = data->out->length;
  for (size_t i = 0; i < data->timeline->absences_count; i++) {
    const struct ls_absence *absence = &data->timeline->absences[i];
    write_whole(data->out, absence->worker);
    write_whole(data->out, to_us(absence->from_s));
    write_whole(data->out, to_us(absence->until_s));
  }
  end(data, from);
}

void ls_page_data(const struct ls_page *page) {
  const struct ls_report_run *run = page->options->run;
  struct data data = {.timeline = page->timeline, .options = page->options, .out = page->out};
  ls_report_rows(page->timeline, &data.rows);
  order_spans(&data);
  if (data.entries == NULL) return;
  ls_bytes_append_text(page->out, "<script type=\"application/json\" id=\"data\">\n");
  ls_bytes_printf(page->out, "{\"noun\":\"%s\",\"end\":%lld,\"total\":%llu", page->noun,
                  (long long)to_us(page->timeline->makespan_s),
                  (unsigned long long)(run != NULL ? run->units : 0));
  write_rows(&data);
  write_times(&data);
  write_tasks(&data);
  write_chunk_of(&data);
  write_repeats(&data, "units", UNITS);
  write_repeats(&data, "kind", KIND);
  write_facts(&data);
  write_chunk_units(&data);
  write_absences(&data);
  ls_bytes_append_text(page->out, "}\n</script>\n");
  free(data.entries);
}
