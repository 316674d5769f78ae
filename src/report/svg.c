/* svg.c: the same chart as a drawing: one self-contained file, bounded in size.
 *
 * Colours are those of Okabe and Ito, which the colour-blind tell apart; failed and lost work also
 * differs by its pattern.  Every rectangle says in its <title> what it is.
 */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/text_private.h"

enum {
  RECTANGLES_MAX = 20000, /* of all rows together; a row gets at least one */
  PLOT_WIDTH = 1000,
  ROW_HEIGHT = 22,
  BAR_HEIGHT = 16,
  TOP = 64,
  BOTTOM = 44,
  LABEL_MAX_CHARACTERS = 28,
  TITLE_MAX_CHARACTERS = 100
};

struct drawing {
  const struct ls_timeline *timeline;
  const struct ls_report_options *options;
  struct ls_report_rows rows;
  struct ls_bytes *out;
  double end_s;
  int left;      /* where the plot begins, behind the labels */
  size_t budget; /* rectangles per row */
};

static const char *const operation_colours[LS_OPERATION_COUNT] = {
    [LS_OPERATION_PREPARE] = "#E69F00",  [LS_OPERATION_SEND] = "#F0E442",
    [LS_OPERATION_TRANSFER] = "#009E73", [LS_OPERATION_STAGE] = "#A65628",
    [LS_OPERATION_RECEIVE] = "#56B4E9",  [LS_OPERATION_COMPUTE] = "#0072B2",
    [LS_OPERATION_REPLY] = "#CC79A7",
};

static const char *choose_fill(enum ls_operation operation, enum ls_outcome outcome) {
  if (outcome == LS_OUTCOME_FAILED) return "url(#failed)";
  return outcome == LS_OUTCOME_LOST ? "url(#lost)" : operation_colours[operation];
}

static double place_x(const struct drawing *drawing, double time_s) {
  return drawing->left + PLOT_WIDTH * time_s / drawing->end_s;
}

static double place_y(size_t row) {
  return TOP + (double)row * ROW_HEIGHT;
}

static void write_head(const struct drawing *drawing) {
  struct ls_bytes *out = drawing->out;
  int width = drawing->left + PLOT_WIDTH + 30;
  double height = place_y(drawing->rows.count) + BOTTOM;
  const char *title = drawing->options->title;
  if (title == NULL || title[0] == '\0') title = "Loadstar timeline";
  struct ls_bytes brief = {0};
  ls_report_shorten(title, TITLE_MAX_CHARACTERS, &brief);
  ls_bytes_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                  "viewBox=\"0 0 %d %.0f\" role=\"img\" font-family=\"sans-serif\" "
                  "font-size=\"12\" fill=\"#222\">\n<title>",
                  width, height, width, height);
  ls_report_xml(ls_bytes_text(&brief), out);
  ls_bytes_append_text(
      out,
      "</title>\n<defs>\n"
      "<pattern id=\"failed\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#D55E00\"/>"
      "<rect width=\"2\" height=\"6\" fill=\"#FFD9BF\"/></pattern>\n"
      "<pattern id=\"lost\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(-45)\"><rect width=\"6\" height=\"6\" fill=\"#333\"/>"
      "<rect width=\"3\" height=\"6\" fill=\"#BBB\"/></pattern>\n</defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#FFF\"/>\n");
  ls_bytes_printf(out, "<text x=\"10\" y=\"24\" font-size=\"16\" font-weight=\"bold\">");
  ls_report_xml(ls_bytes_text(&brief), out);
  ls_bytes_append_text(out, "</text>\n");
  if (brief.failed) out->failed = true;
  ls_bytes_close(&brief);
}

static int write_key(struct ls_bytes *out, int x, const char *fill, const char *word) {
  ls_bytes_printf(out,
                  "<rect x=\"%d\" y=\"38\" width=\"14\" height=\"12\" fill=\"%s\"/>"
                  "<text x=\"%d\" y=\"48\">%s</text>\n",
                  x, fill, x + 19, word);
  return x + 100;
}

static void write_legend(const struct drawing *drawing) {
  bool operations[LS_OPERATION_COUNT] = {false}, marks[LS_OUTCOME_LOST + 1] = {false};
  for (size_t i = 0; i < drawing->timeline->spans_count; i++) {
    const struct ls_span *span = &drawing->timeline->spans[i];
    marks[ls_report_outcome(span)] = true;
    if (span->outcome == LS_OUTCOME_DONE) operations[span->operation] = true;
  }
  int x = drawing->left;
  for (unsigned i = 0; i < LS_OPERATION_COUNT; i++)
    if (operations[i])
      x = write_key(drawing->out, x, operation_colours[i], ls_operation_name((enum ls_operation)i));
  if (marks[LS_OUTCOME_FAILED]) x = write_key(drawing->out, x, "url(#failed)", "failed");
  if (marks[LS_OUTCOME_LOST]) x = write_key(drawing->out, x, "url(#lost)", "lost");
  write_key(drawing->out, x, "#E8E8E8", "idle");
}

/* The label of a row, and a pale bar for the time in which its worker was there. */
static void write_row(const struct drawing *drawing, size_t row) {
  char buffer[LS_REPORT_NAME_BYTES];
  struct ls_bytes label = {0}, *out = drawing->out;
  const char *name = ls_report_row_name(drawing->timeline, &drawing->rows, row, buffer);
  const struct ls_timeline_worker *worker =
      ls_report_row_worker(drawing->timeline, &drawing->rows, row);
  double from_s = worker == NULL ? 0 : fmin(worker->joined_s, drawing->end_s);
  double to_s = worker == NULL ? drawing->end_s : fmin(worker->left_s, drawing->end_s);
  double y = place_y(row), x = place_x(drawing, from_s);
  ls_report_shorten(name, LABEL_MAX_CHARACTERS, &label);
  ls_bytes_printf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">", drawing->left - 8,
                  y + BAR_HEIGHT - 4);
  ls_report_xml(ls_bytes_text(&label), out);
  ls_bytes_append_text(out, "</text>\n");
  if (label.failed) out->failed = true;
  ls_bytes_close(&label);
  ls_bytes_printf(out,
                  "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"#E8E8E8\">"
                  "<title>",
                  x, y, place_x(drawing, to_s) - x, BAR_HEIGHT);
  ls_report_xml(name, out);
  ls_bytes_printf(out, ": there from %.4g to %.4g s</title></rect>\n", from_s, to_s);
}

static void write_axis(const struct drawing *drawing) {
  double tick_s = ls_report_tick(drawing->end_s, 10), bottom = place_y(drawing->rows.count);
  size_t count = (size_t)(drawing->end_s / tick_s + 1e-9);
  for (size_t i = 0; i <= count; i++) {
    double x = place_x(drawing, (double)i * tick_s);
    ls_bytes_printf(drawing->out,
                    "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%.0f\" stroke=\"#999\" "
                    "stroke-opacity=\"0.4\"/><text x=\"%.2f\" y=\"%.0f\" "
                    "text-anchor=\"middle\">%.6g</text>\n",
                    x, TOP - 6, x, bottom, x, bottom + 16, (double)i * tick_s);
  }
  ls_bytes_printf(drawing->out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"middle\">time, s</text>\n",
                  drawing->left + PLOT_WIDTH / 2, bottom + 34);
}

/* A rectangle; narrow ones keep a hair's breadth so that they can be seen. */
static void write_rectangle(const struct drawing *drawing, const struct ls_span *span, size_t row) {
  double x = place_x(drawing, span->start_s);
  double width = fmax(place_x(drawing, span->end_s) - x, 0.2);
  ls_bytes_printf(
      drawing->out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>",
      x, place_y(row), width, BAR_HEIGHT, choose_fill(span->operation, ls_report_outcome(span)));
}

static void write_span(const struct drawing *drawing, const struct ls_span *span, size_t row) {
  char buffer[LS_REPORT_NAME_BYTES];
  write_rectangle(drawing, span, row);
  ls_report_xml(ls_report_worker(drawing->timeline, span->worker, buffer), drawing->out);
  ls_bytes_printf(drawing->out, ": %s", ls_operation_name(span->operation));
  if (span->task > 0)
    ls_bytes_printf(drawing->out, ", %s %llu", drawing->options->has_tasks ? "task" : "unit",
                    (unsigned long long)span->task);
  ls_bytes_printf(drawing->out, ", chunk %llu", (unsigned long long)span->chunk);
  if (span->units > 0 && (span->task == 0 || span->units > 1))
    ls_bytes_printf(drawing->out, ", %llu %s%s", (unsigned long long)span->units,
                    drawing->options->has_tasks ? "task" : "unit", span->units == 1 ? "" : "s");
  const char *end = span->is_running                   ? "still running"
                    : span->outcome == LS_OUTCOME_DONE ? ""
                                                       : ls_outcome_name(span->outcome);
  ls_bytes_printf(drawing->out, ", %.4g to %.4g s%s%s</title></rect>\n", span->start_s, span->end_s,
                  end[0] == '\0' ? "" : ", ", end);
}

/* Seconds by operation and outcome of one of the equal stretches of a crowded row. */
struct stretch {
  double seconds[LS_OPERATION_COUNT][LS_OUTCOME_LOST + 1];
  size_t spans;
};

static void add_to_stretches(const struct drawing *drawing, const struct ls_span *span,
                             struct stretch *stretches) {
  double stretch_s = drawing->end_s / (double)drawing->budget;
  size_t first = (size_t)(span->start_s / stretch_s), last = (size_t)(span->end_s / stretch_s);
  for (size_t k = first; k <= last && k < drawing->budget; k++) {
    double from_s = fmax(span->start_s, (double)k * stretch_s);
    double to_s = fmin(span->end_s, (double)(k + 1) * stretch_s);
    stretches[k].spans++;
    if (to_s > from_s)
      stretches[k].seconds[span->operation][ls_report_outcome(span)] += to_s - from_s;
  }
}

/* One rectangle for a stretch: as wide as the time used in it, in the colour of what used most. */
static void write_stretch(const struct drawing *drawing, const struct stretch *stretch, size_t k,
                          size_t row) {
  double used_s = 0, most_s = 0, stretch_s = drawing->end_s / (double)drawing->budget;
  struct ls_span span = {.start_s = (double)k * stretch_s};
  for (unsigned i = 0; i < LS_OPERATION_COUNT; i++)
    for (unsigned j = 0; j <= LS_OUTCOME_LOST; j++) {
      used_s += stretch->seconds[i][j];
      if (stretch->seconds[i][j] <= most_s) continue;
      most_s = stretch->seconds[i][j];
      span.operation = (enum ls_operation)i;
      span.outcome = (enum ls_outcome)j;
    }
  if (!(most_s > 0)) return;
  span.end_s = span.start_s + fmin(used_s, stretch_s);
  write_rectangle(drawing, &span, row);
  ls_bytes_printf(drawing->out, "%zu spans, mostly %s (%s), %.4g of %.4g s used</title></rect>\n",
                  stretch->spans, ls_operation_name(span.operation), ls_outcome_name(span.outcome),
                  used_s, stretch_s);
}

/* Rows with few spans are drawn span by span, crowded ones stretch by stretch. `stretches` has room
 * for the budget of every crowded row, `places` numbers the crowded rows. */
static void write_spans(const struct drawing *drawing, const size_t *counts, const size_t *places,
                        struct stretch *stretches) {
  const struct ls_timeline *timeline = drawing->timeline;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    size_t row = ls_report_row(&drawing->rows, span);
    if (row >= drawing->rows.count || !(span->start_s >= 0) || !(span->end_s >= span->start_s))
      continue;
    if (counts[row] <= drawing->budget)
      write_span(drawing, span, row);
    else
      add_to_stretches(drawing, span, stretches + places[row] * drawing->budget);
    row = ls_report_message_row(&drawing->rows, span);
    if (row < drawing->rows.count) write_span(drawing, span, row);
  }
  for (size_t row = 0; row < drawing->rows.count; row++)
    for (size_t k = 0; counts[row] > drawing->budget && k < drawing->budget; k++)
      write_stretch(drawing, &stretches[places[row] * drawing->budget + k], k, row);
}

static void write_plot(const struct drawing *drawing) {
  size_t rows = drawing->rows.count, crowded = 0;
  size_t *counts = calloc(2 * rows + 1, sizeof *counts);
  size_t *places = counts != NULL ? counts + rows : NULL;
  for (size_t i = 0; counts != NULL && i < drawing->timeline->spans_count; i++) {
    size_t row = ls_report_row(&drawing->rows, &drawing->timeline->spans[i]);
    if (row < rows) counts[row]++;
  }
  for (size_t row = 0; counts != NULL && row < rows; row++)
    if (counts[row] > drawing->budget) places[row] = crowded++;
  struct stretch *stretches = calloc(crowded * drawing->budget + 1, sizeof *stretches);
  if (counts != NULL && stretches != NULL)
    write_spans(drawing, counts, places, stretches);
  else
    drawing->out->failed = true;
  free(stretches);
  free(counts);
}

static int measure_labels(const struct drawing *drawing) {
  size_t widest = 6;
  for (size_t row = 0; row < drawing->rows.count; row++) {
    char buffer[LS_REPORT_NAME_BYTES];
    const char *name = ls_report_row_name(drawing->timeline, &drawing->rows, row, buffer);
    size_t width = ls_report_clean(name, false, LABEL_MAX_CHARACTERS + 1, NULL);
    if (width > widest) widest = width;
  }
  return 20 + 8 * (int)widest;
}

void ls_report_svg_brief(const struct ls_timeline *timeline,
                         const struct ls_report_options *options, size_t rectangles,
                         struct ls_bytes *out) {
  struct drawing drawing = {
      .timeline = timeline, .options = options, .out = out, .end_s = ls_report_end(timeline)};
  ls_report_rows(timeline, &drawing.rows);
  drawing.left = measure_labels(&drawing);
  drawing.budget = rectangles / (drawing.rows.count > 0 ? drawing.rows.count : 1);
  if (drawing.budget < 1) drawing.budget = 1;
  if (drawing.budget > 2 * PLOT_WIDTH) drawing.budget = 2 * PLOT_WIDTH;
  write_head(&drawing);
  write_legend(&drawing);
  for (size_t row = 0; row < drawing.rows.count; row++) write_row(&drawing, row);
  write_axis(&drawing);
  write_plot(&drawing);
  ls_bytes_append_text(out, "</svg>\n");
}

static void write_svg(const struct ls_timeline *timeline, const struct ls_report_options *options,
                      struct ls_bytes *out) {
  ls_report_svg_brief(timeline, options, RECTANGLES_MAX, out);
}

const struct ls_report_format ls_report_svg = {
    .name = "svg",
    .summary = "which worker computed when, as a drawing",
    .write = write_svg,
};
