/* gantt.c: which worker computed when, as text: one line per resource and worker.
 *
 * Each column stands for an equal stretch of time; its character says how much of the stretch was
 * used, or that the work there failed or was lost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/text_private.h"

enum { COLUMNS_DEFAULT = 80, COLUMNS_MIN = 48, NAME_MAX_COLUMNS = 24, CELLS_MIN = 10 };

/* Seconds of use by outcome within one column of one row, and of messages to and from its worker.
 */
struct cell {
  double seconds[LS_OUTCOME_LOST + 1];
  double sent, returned;
};

struct chart {
  const struct ls_timeline *timeline;
  const struct ls_report_options *options;
  struct ls_report_rows rows;
  struct cell *cells; /* rows.count times `width` */
  size_t names, width;
  double end_s, column_s;
};

/* Glyphs by share of use: a little, under a half, most, all; then failed, lost, idle. */
struct glyphs {
  const char *used[4], *failed, *lost, *idle, *sent, *returned;
};

static const struct glyphs unicode_glyphs = {{"░", "▒", "▓", "█"}, "x", "!", "·", "»", "«"};
static const struct glyphs ascii_glyphs = {{"-", "=", "+", "#"}, "x", "!", ".", ">", "<"};

/* The place of a span's seconds in a cell of its own row, or of its worker's. */
static double *find_place(struct cell *cell, const struct ls_span *span, bool is_message) {
  if (!is_message) return &cell->seconds[ls_report_outcome(span)];
  return span->operation == LS_OPERATION_REPLY ? &cell->returned : &cell->sent;
}

static void fill_row(struct chart *chart, const struct ls_span *span, size_t row, bool is_message) {
  if (row >= chart->rows.count || !(span->end_s > span->start_s) || !(span->start_s >= 0)) return;
  size_t first = (size_t)(span->start_s / chart->column_s);
  size_t last = (size_t)(span->end_s / chart->column_s);
  for (size_t k = first; k <= last && k < chart->width; k++) {
    double from_s = fmax(span->start_s, (double)k * chart->column_s);
    double to_s = fmin(span->end_s, (double)(k + 1) * chart->column_s);
    struct cell *cell = &chart->cells[row * chart->width + k];
    if (to_s > from_s) *find_place(cell, span, is_message) += to_s - from_s;
  }
}

static void fill_cells(struct chart *chart) {
  for (size_t i = 0; i < chart->timeline->spans_count; i++) {
    const struct ls_span *span = &chart->timeline->spans[i];
    fill_row(chart, span, ls_report_row(&chart->rows, span), false);
    fill_row(chart, span, ls_report_message_row(&chart->rows, span), true);
  }
}

/* Was the worker of the row (master and networks always are) there in the middle of the column? */
static bool is_present(const struct chart *chart, size_t row, size_t column) {
  const struct ls_timeline_worker *worker =
      ls_report_row_worker(chart->timeline, &chart->rows, row);
  if (worker == NULL) return true;
  double middle_s = ((double)column + 0.5) * chart->column_s;
  return middle_s >= worker->joined_s && middle_s <= worker->left_s;
}

/* Failed and lost work ("colour" is a number of ANSI, 0 the terminal's own) is shown wherever it is
 * a quarter of what was done there. */
static const char *choose_glyph(const struct chart *chart, size_t row, size_t column, int *colour) {
  const struct glyphs *glyphs = chart->options->is_ascii ? &ascii_glyphs : &unicode_glyphs;
  const struct cell *cell = &chart->cells[row * chart->width + column];
  double failed = cell->seconds[LS_OUTCOME_FAILED], lost = cell->seconds[LS_OUTCOME_LOST];
  double used = cell->seconds[LS_OUTCOME_DONE] + failed + lost;
  *colour = 0;
  double message = fmax(cell->sent, cell->returned);
  if (message > used) {
    *colour = 32;
    return cell->sent > cell->returned ? glyphs->sent : glyphs->returned;
  }
  if (!(used > 0)) return is_present(chart, row, column) ? glyphs->idle : " ";
  if (lost >= used / 4) {
    *colour = 35;
    return glyphs->lost;
  }
  if (failed >= used / 4) {
    *colour = 33;
    return glyphs->failed;
  }
  *colour = 36;
  double share = used / chart->column_s;
  return glyphs->used[share >= 0.875 ? 3 : share >= 0.5 ? 2 : share >= 0.25 ? 1 : 0];
}

static void write_row(const struct chart *chart, size_t row, struct ls_bytes *out) {
  char buffer[LS_REPORT_NAME_BYTES];
  ls_report_pad(ls_report_row_name(chart->timeline, &chart->rows, row, buffer),
                chart->options->is_ascii != 0, chart->names, out);
  ls_bytes_append_text(out, " |");
  int shown = 0;
  for (size_t k = 0; k < chart->width; k++) {
    int colour = 0;
    const char *glyph = choose_glyph(chart, row, k, &colour);
    if (chart->options->has_colour && colour != shown) {
      ls_bytes_printf(out, "\033[%dm", colour);
      shown = colour;
    }
    ls_bytes_append_text(out, glyph);
  }
  if (shown != 0) ls_bytes_append_text(out, "\033[0m");
  ls_bytes_append_text(out, "|\n");
}

/* A label stands below its mark, or ends at the right edge; none touches another. */
static void write_label(const struct chart *chart, size_t column, double time_s,
                        struct ls_bytes *labels) {
  char text[32];
  size_t length = (size_t)snprintf(text, sizeof text, "%.6g", time_s);
  if (column + length > chart->width) column = chart->width - length;
  if (labels->length > 0 && column < labels->length + 1) return;
  while (labels->length < column && !labels->failed) ls_bytes_append_char(labels, ' ');
  ls_bytes_append_text(labels, text);
}

/* Two lines: marks under the rows, and their times in seconds. */
static void write_axis(const struct chart *chart, struct ls_bytes *out) {
  double tick_s = ls_report_tick(chart->end_s, chart->width / 10);
  struct ls_bytes marks = {0}, labels = {0};
  size_t count = (size_t)(chart->end_s / tick_s + 1e-9);
  for (size_t i = 0; i <= count; i++) {
    size_t column = (size_t)lround((double)i * tick_s / chart->column_s);
    if (column > chart->width) column = chart->width;
    while (marks.length < column && !marks.failed) ls_bytes_append_char(&marks, '-');
    ls_bytes_append_char(&marks, '+');
    write_label(chart, column, (double)i * tick_s, &labels);
  }
  while (marks.length <= chart->width && !marks.failed) ls_bytes_append_char(&marks, '-');
  ls_bytes_printf(out, "%*s %s\n%*s %s s\n", (int)chart->names, "", ls_bytes_text(&marks),
                  (int)chart->names, "", ls_bytes_text(&labels));
  if (marks.failed || labels.failed) out->failed = true;
  ls_bytes_close(&marks);
  ls_bytes_close(&labels);
}

static void write_legend(const struct chart *chart, struct ls_bytes *out) {
  const struct glyphs *glyphs = chart->options->is_ascii ? &ascii_glyphs : &unicode_glyphs;
  bool has[LS_OUTCOME_LOST + 1] = {false};
  for (size_t i = 0; i < chart->timeline->spans_count; i++)
    has[ls_report_outcome(&chart->timeline->spans[i])] = true;
  ls_bytes_printf(out, "%s busy  %s%s%s partly", glyphs->used[3], glyphs->used[0], glyphs->used[1],
                  glyphs->used[2]);
  if (chart->rows.has_messages) {
    ls_bytes_printf(out, "  %s sent  %s returned", glyphs->sent, glyphs->returned);
  }
  if (has[LS_OUTCOME_FAILED]) ls_bytes_printf(out, "  %s failed", glyphs->failed);
  if (has[LS_OUTCOME_LOST]) ls_bytes_printf(out, "  %s lost", glyphs->lost);
  bool is_narrow = chart->names + 3 + chart->width < (chart->rows.has_messages ? 92 : 72);
  ls_bytes_printf(out, "  %s idle%sone column: %.3g s\n", glyphs->idle, is_narrow ? "\n" : "  ",
                  chart->column_s);
}

static size_t measure_names(const struct chart *chart) {
  size_t widest = 4;
  for (size_t row = 0; row < chart->rows.count; row++) {
    char buffer[LS_REPORT_NAME_BYTES];
    size_t width = ls_report_clean(ls_report_row_name(chart->timeline, &chart->rows, row, buffer),
                                   false, 0, NULL);
    if (width > widest) widest = width;
  }
  return widest;
}

/* Narrow terminals get short names rather than broken lines. */
static void share_columns(struct chart *chart) {
  size_t columns = chart->options->columns > 0 ? (size_t)chart->options->columns : COLUMNS_DEFAULT;
  if (columns < COLUMNS_MIN) columns = COLUMNS_MIN;
  chart->names = measure_names(chart);
  if (chart->names > NAME_MAX_COLUMNS) chart->names = NAME_MAX_COLUMNS;
  if (chart->names + 3 + CELLS_MIN > columns) chart->names = columns - 3 - CELLS_MIN;
  chart->width = columns - chart->names - 3;
}

static void write_gantt(const struct ls_timeline *timeline, const struct ls_report_options *options,
                        struct ls_bytes *out) {
  struct chart chart = {.timeline = timeline, .options = options, .end_s = ls_report_end(timeline)};
  ls_report_rows(timeline, &chart.rows);
  share_columns(&chart);
  chart.column_s = chart.end_s / (double)chart.width;
  chart.cells = calloc(chart.rows.count * chart.width + 1, sizeof *chart.cells);
  if (chart.cells == NULL) {
    out->failed = true;
    return;
  }
  fill_cells(&chart);
  if (options->title != NULL && options->title[0] != '\0') {
    ls_report_clean(options->title, options->is_ascii != 0, 0, out);
    ls_bytes_append_char(out, '\n');
  }
  for (size_t row = 0; row < chart.rows.count; row++) write_row(&chart, row, out);
  write_axis(&chart, out);
  write_legend(&chart, out);
  free(chart.cells);
}

const struct ls_report_format ls_report_gantt = {
    .name = "gantt",
    .summary = "which worker computed when, as text",
    .write = write_gantt,
};
