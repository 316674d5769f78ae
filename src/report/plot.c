#include "report/plot.h"

#include <assert.h>
#include <math.h>

#include "report/text_private.h"

enum { WIDTH = 720, HEIGHT = 440, LEFT = 70, RIGHT = 170, TOP = 46, BOTTOM = 56, LEGEND_ROW = 18 };
enum { TICKS = 8, DECADES_MAX = 400, SHAPES = 4 };

/* Okabe and Ito's colours, which most people can tell apart; shapes tell the rest. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#8A7A00"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* An axis with its limits, and where they lie in the drawing. */
struct scale {
  const struct ls_plot_axis *axis;
  double least, most; /* of the values, or of their logarithms */
  double from, to;    /* pixels */
};

struct drawing {
  const struct ls_plot *plot;
  struct scale x, y;
  struct ls_bytes *out;
};

static bool is_shown(const struct ls_plot_axis *axis, double value) {
  return isfinite(value) && (!axis->is_log || value > 0);
}

static double transform(const struct ls_plot_axis *axis, double value) {
  return axis->is_log ? log10(value) : value;
}

static double place(const struct scale *scale, double value) {
  double share = (transform(scale->axis, value) - scale->least) / (scale->most - scale->least);
  return scale->from + share * (scale->to - scale->from);
}

static bool is_point(const struct drawing *drawing, const struct ls_plot_series *series, size_t i) {
  return is_shown(drawing->x.axis, series->x[i]) && is_shown(drawing->y.axis, series->y[i]);
}

static void widen(struct scale *scale, double value) {
  double at = transform(scale->axis, value);
  if (!(at >= scale->least)) scale->least = at;
  if (!(at <= scale->most)) scale->most = at;
}

/* A little room, so that no value lies on the frame; something to show even without values. */
static void finish_scale(struct scale *scale) {
  if (!(scale->least <= scale->most)) {
    scale->least = 0;
    scale->most = 1;
  }
  if (scale->axis->has_zero && !scale->axis->is_log) {
    scale->least = fmin(scale->least, 0);
    scale->most = fmax(scale->most, 0);
  }
  double room = 0.04 * (scale->most - scale->least);
  if (!(room > 0)) room = fmax(fabs(scale->most) * 0.1, 1e-9);
  bool starts_at_zero = scale->axis->has_zero && !(scale->least < 0);
  if (!starts_at_zero || scale->axis->is_log) scale->least -= room;
  scale->most += room;
}

static void find_scales(struct drawing *drawing) {
  const struct ls_plot *plot = drawing->plot;
  drawing->x = (struct scale){&plot->x, (double)NAN, (double)NAN, LEFT, WIDTH - RIGHT};
  drawing->y = (struct scale){&plot->y, (double)NAN, (double)NAN, HEIGHT - BOTTOM, TOP};
  for (size_t i = 0; i < plot->series_count; i++) {
    const struct ls_plot_series *series = &plot->series[i];
    for (size_t j = 0; j < series->count; j++) {
      if (!is_point(drawing, series, j)) continue;
      widen(&drawing->x, series->x[j]);
      widen(&drawing->y, series->y[j]);
    }
  }
  finish_scale(&drawing->x);
  finish_scale(&drawing->y);
}

static void write_head(const struct drawing *drawing) {
  struct ls_bytes *out = drawing->out;
  ls_bytes_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"sans-serif\" "
                  "font-size=\"12\" fill=\"#222\">\n<title>",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
  ls_report_xml(drawing->plot->title, out);
  ls_bytes_append_text(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#FFF\"/>\n");
  ls_bytes_printf(out, "<text x=\"%d\" y=\"24\" font-size=\"15\" font-weight=\"bold\">", LEFT);
  ls_report_xml(drawing->plot->title, out);
  ls_bytes_append_text(out, "</text>\n");
  ls_bytes_printf(out,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#666\"/>\n",
                  LEFT, TOP, WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP);
}

static void write_tick(const struct drawing *drawing, const struct scale *scale, double value) {
  bool is_x = scale == &drawing->x;
  double at = place(scale, value);
  if (is_x) {
    ls_bytes_printf(drawing->out,
                    "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" stroke=\"#DDD\"/>"
                    "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                    at, TOP, at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, value);
  } else {
    ls_bytes_printf(drawing->out,
                    "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\" stroke=\"#DDD\"/>"
                    "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%.6g</text>\n",
                    LEFT, at, WIDTH - RIGHT, at, LEFT - 6, at + 4, value);
  }
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void write_linear_ticks(const struct drawing *drawing, const struct scale *scale) {
  double step = ls_report_tick(scale->most - scale->least, TICKS);
  double first = ceil(scale->least / step), last = floor(scale->most / step);
  for (double i = first; i <= last && i < first + 2 * TICKS; i++) {
    write_tick(drawing, scale, i * step + 0.0); /* never "-0" */
  }
}

/* Powers of ten; where they are few, 2 and 5 times them as well. */
static void write_log_ticks(const struct drawing *drawing, const struct scale *scale) {
  static const double factors[] = {1, 2, 5};
  double first = floor(scale->least), last = ceil(scale->most), decades = last - first;
  double step = fmax(1, ceil(decades / TICKS));
  size_t count = decades <= 3 ? 3 : 1;
  for (double i = first; i <= last && decades <= DECADES_MAX; i += step) {
    for (size_t j = 0; j < count; j++) {
      double value = factors[j] * pow(10, i), at = log10(value);
      if (at >= scale->least && at <= scale->most) write_tick(drawing, scale, value);
    }
  }
}

static void write_axes(const struct drawing *drawing) {
  const struct scale *scales[] = {&drawing->x, &drawing->y};
  for (size_t i = 0; i < 2; i++) {
    (scales[i]->axis->is_log ? write_log_ticks : write_linear_ticks)(drawing, scales[i]);
  }
  ls_bytes_printf(drawing->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
                  (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14);
  ls_report_xml(drawing->plot->x.label, drawing->out);
  int middle = (TOP + HEIGHT - BOTTOM) / 2;
  ls_bytes_printf(drawing->out,
                  "</text>\n<text x=\"16\" y=\"%d\" text-anchor=\"middle\" "
                  "transform=\"rotate(-90 16 %d)\">",
                  middle, middle);
  ls_report_xml(drawing->plot->y.label, drawing->out);
  ls_bytes_append_text(drawing->out, "</text>\n");
}

static void write_mark(struct ls_bytes *out, double x, double y, size_t index) {
  const char *colour = colours[index % COLOURS];
  switch (index % SHAPES) {
    case 0:
      ls_bytes_printf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n", x, y, colour);
      break;
    case 1:
      ls_bytes_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"6\" height=\"6\" fill=\"%s\"/>\n",
                      x - 3, y - 3, colour);
      break;
    case 2:
      ls_bytes_printf(out, "<path d=\"M%.2f %.2fl4 7h-8z\" fill=\"%s\"/>\n", x, y - 4, colour);
      break;
    default:
      ls_bytes_printf(out, "<path d=\"M%.2f %.2fl4 4l-4 4l-4 -4z\" fill=\"%s\"/>\n", x, y - 4,
                      colour);
      break;
  }
}

/* Consecutive shown values make one line each. */
static void write_line(const struct drawing *drawing, const struct ls_plot_series *series,
                       size_t index) {
  bool is_open = false;
  for (size_t i = 0; i < series->count; i++) {
    bool has_value = is_point(drawing, series, i);
    if (has_value && !is_open) {
      ls_bytes_printf(drawing->out,
                      "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"",
                      colours[index % COLOURS]);
    }
    if (has_value) {
      ls_bytes_printf(drawing->out, "%s%.2f,%.2f", is_open ? " " : "",
                      place(&drawing->x, series->x[i]), place(&drawing->y, series->y[i]));
    } else if (is_open) {
      ls_bytes_append_text(drawing->out, "\"/>\n");
    }
    is_open = has_value;
  }
  if (is_open) ls_bytes_append_text(drawing->out, "\"/>\n");
}

static void write_series(const struct drawing *drawing, size_t index) {
  const struct ls_plot_series *series = &drawing->plot->series[index];
  if (series->has_line) write_line(drawing, series, index);
  for (size_t i = 0; series->has_points && i < series->count; i++) {
    if (!is_point(drawing, series, i)) continue;
    write_mark(drawing->out, place(&drawing->x, series->x[i]), place(&drawing->y, series->y[i]),
               index);
  }
}

static void write_legend(const struct drawing *drawing) {
  int y = TOP + 12;
  for (size_t i = 0; i < drawing->plot->series_count; i++) {
    const struct ls_plot_series *series = &drawing->plot->series[i];
    if (series->name == NULL || series->name[0] == '\0') continue;
    int x = WIDTH - RIGHT + 12;
    if (series->has_line) {
      ls_bytes_printf(drawing->out,
                      "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
                      "stroke-width=\"1.6\"/>\n",
                      x, y - 4, x + 22, y - 4, colours[i % COLOURS]);
    }
    if (series->has_points) write_mark(drawing->out, x + 11, y - 4, i);
    ls_bytes_printf(drawing->out, "<text x=\"%d\" y=\"%d\">", x + 28, y);
    ls_report_xml(series->name, drawing->out);
    ls_bytes_append_text(drawing->out, "</text>\n");
    y += LEGEND_ROW;
  }
}

void ls_plot_write(const struct ls_plot *plot, struct ls_bytes *out) {
  assert(plot->title != NULL && plot->x.label != NULL && plot->y.label != NULL);
  struct drawing drawing = {.plot = plot, .out = out};
  drawing.x.axis = &plot->x;
  drawing.y.axis = &plot->y;
  find_scales(&drawing);
  write_head(&drawing);
  write_axes(&drawing);
  for (size_t i = 0; i < plot->series_count; i++) write_series(&drawing, i);
  write_legend(&drawing);
  ls_bytes_append_text(out, "</svg>\n");
}
