#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_private.h"

enum { LEFT = 70, INNER = 480, RIGHT_LEAST = 170, TOP = 62, BOTTOM_AT = 400, FOOT = 56 };
enum { NAME_STEP = 20, LEGEND_ROW = 18, LEGEND_TEXT = 40, TITLE_SIZE = 15, MARGIN = 10 };
enum { TICKS = 8, DECADES_MAX = 400, SHAPES = 8 };

/* Most of a font size that a character takes on average, with room to spare: the reader's font is
 * not known. */
static const double CHARACTER_WIDTH = 0.6, BOLD_WIDTH = 0.66, FONT_SIZE = 12;

/* Okabe and Ito's colours, which most people can tell apart, then darker ones for as many lines
 * again and some more; dashes and shapes tell the rest. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                      "#56B4E9", "#000000", "#8A7A00", "#332288", "#882255",
                                      "#117733", "#AA4499", "#994400", "#44AA99", "#777777",
                                      "#666633", "#6699CC", "#CC3311", "#88AA00", "#AA7744"};
enum { COLOURS = sizeof colours / sizeof *colours };
static const char *const dashes[] = {"none", "8 4", "2 3", "10 3 2 3", "5 2"};
enum { DASHES = sizeof dashes / sizeof *dashes };

/* An axis with its limits, and where they lie in the drawing. */
struct scale {
  const struct ls_plot_axis *axis;
  double least, most; /* of the values, or of their logarithms */
  double from, to;    /* pixels */
  double zero;        /* the place of 0 among the logarithms; NAN: there is none */
};

struct drawing {
  const struct ls_plot *plot;
  struct scale x, y;
  int right_at; /* the right side of the frame */
  int width, height;
  struct ls_bytes *out;
};

static bool is_zero_on_log(const struct ls_plot_axis *axis, double value) {
  return axis->is_log && axis->has_zero && !(value < 0) && !(value > 0);
}

static bool is_shown(const struct ls_plot_axis *axis, double value) {
  return isfinite(value) && (!axis->is_log || value > 0 || is_zero_on_log(axis, value));
}

static double transform(const struct scale *scale, double value) {
  if (is_zero_on_log(scale->axis, value)) return scale->zero;
  return scale->axis->is_log ? log10(value) : value;
}

static double place(const struct scale *scale, double value) {
  double share = (transform(scale, value) - scale->least) / (scale->most - scale->least);
  return scale->from + share * (scale->to - scale->from);
}

static bool is_point(const struct drawing *drawing, const struct ls_plot_series *series, size_t i) {
  return is_shown(drawing->x.axis, series->x[i]) && is_shown(drawing->y.axis, series->y[i]);
}

static void widen(struct scale *scale, double value, bool *has_zero) {
  if (is_zero_on_log(scale->axis, value)) {
    *has_zero = true;
    return;
  }
  double at = transform(scale, value);
  if (!(at >= scale->least)) scale->least = at;
  if (!(at <= scale->most)) scale->most = at;
}

/* A little room, so that no value lies on the frame; something to show even without values. */
static void finish_scale(struct scale *scale, bool has_zero) {
  if (!(scale->least <= scale->most)) {
    scale->least = 0;
    scale->most = 1;
  }
  if (has_zero) scale->least = scale->zero = scale->least - log10(2);
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
  const double none = (double)NAN;
  bool has_zero_x = false, has_zero_y = false;
  drawing->x = (struct scale){&plot->x, none, none, LEFT, drawing->right_at, none};
  drawing->y = (struct scale){&plot->y, none, none, BOTTOM_AT, TOP, none};
  for (size_t i = 0; i < plot->series_count; i++) {
    const struct ls_plot_series *series = &plot->series[i];
    for (size_t j = 0; j < series->count; j++) {
      if (!is_point(drawing, series, j)) continue;
      widen(&drawing->x, series->x[j], &has_zero_x);
      widen(&drawing->y, series->y[j], &has_zero_y);
    }
  }
  /* Half a place before the first name and behind the last. */
  if (plot->x.names != NULL) {
    drawing->x.least = 0.5;
    drawing->x.most = (double)plot->x.names_count + 0.5;
    if (plot->x.names_count == 0) drawing->x.most = 1.5;
  } else {
    finish_scale(&drawing->x, has_zero_x);
  }
  finish_scale(&drawing->y, has_zero_y);
}

/* Do the values of one series lie on those of the other, all of them and to less than a pixel? */
static bool is_covered(const struct drawing *drawing, const struct ls_plot_series *below,
                       const struct ls_plot_series *above) {
  bool has_point = false;
  if (below->count != above->count) return false;
  for (size_t i = 0; i < below->count; i++) {
    if (is_point(drawing, below, i) != is_point(drawing, above, i)) return false;
    if (!is_point(drawing, below, i)) continue;
    has_point = true;
    if (fabs(place(&drawing->x, below->x[i]) - place(&drawing->x, above->x[i])) > 0.75 ||
        fabs(place(&drawing->y, below->y[i]) - place(&drawing->y, above->y[i])) > 0.75)
      return false;
  }
  return has_point;
}

static bool is_named(const struct ls_plot_series *series) {
  return series->name != NULL && series->name[0] != '\0';
}

/* The name of a series, with that of the first one that it covers; how long it is. */
static size_t write_name(const struct drawing *drawing, size_t index, struct ls_bytes *out) {
  const struct ls_plot_series *all = drawing->plot->series;
  size_t length = strlen(all[index].name), below = 0;
  while (below < index && !(is_named(&all[below]) && is_covered(drawing, &all[below], &all[index])))
    below++;
  if (out != NULL) ls_report_xml(all[index].name, out);
  if (below == index) return length;
  if (out != NULL) {
    ls_bytes_append_text(out, " (same as ");
    ls_report_xml(all[below].name, out);
    ls_bytes_append_char(out, ')');
  }
  return length + strlen(" (same as )") + strlen(all[below].name);
}

/* Names begin below their places and go down aslant. */
static const double NAME_ANGLE = 40, RADIANS = 3.14159265358979 / 180;

static double find_name_room(const struct ls_plot_axis *axis) {
  size_t longest = 0;
  for (size_t i = 0; i < axis->names_count; i++)
    if (strlen(axis->names[i]) > longest) longest = strlen(axis->names[i]);
  return FONT_SIZE * CHARACTER_WIDTH * (double)longest;
}

/* Below the frame is room for numbers, or names, and the title of the axis. */
static void find_height(struct drawing *drawing) {
  const struct ls_plot_axis *axis = &drawing->plot->x;
  double below = axis->names != NULL ? find_name_room(axis) * sin(NAME_ANGLE * RADIANS) : 0;
  drawing->height = BOTTOM_AT + FOOT + (int)ceil(below);
}

/* As wide as its longest name and its titles ask for. */
static void find_width(struct drawing *drawing) {
  const struct ls_plot *plot = drawing->plot;
  double right = plot->x.names == NULL
                     ? RIGHT_LEAST
                     : find_name_room(&plot->x) * cos(NAME_ANGLE * RADIANS) + MARGIN;
  double head = TITLE_SIZE * BOLD_WIDTH * (double)strlen(plot->title);
  for (size_t i = 0; i < plot->series_count; i++) {
    if (!is_named(&plot->series[i])) continue;
    double name = FONT_SIZE * CHARACTER_WIDTH * (double)write_name(drawing, i, NULL);
    right = fmax(right, LEGEND_TEXT + name + MARGIN);
  }
  if (plot->subtitle != NULL)
    head = fmax(head, FONT_SIZE * CHARACTER_WIDTH * (double)strlen(plot->subtitle));
  drawing->width = (int)ceil(fmax(drawing->right_at + right, LEFT + head + MARGIN));
}

static void write_text(const char *place, const char *text, struct ls_bytes *out) {
  ls_bytes_printf(out, "<text %s>", place);
  ls_report_xml(text, out);
  ls_bytes_append_text(out, "</text>\n");
}

static void write_head(const struct drawing *drawing) {
  struct ls_bytes *out = drawing->out;
  char at[96];
  ls_bytes_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"sans-serif\" "
                  "font-size=\"12\" fill=\"#222\">\n<title>",
                  drawing->width, drawing->height, drawing->width, drawing->height);
  ls_report_xml(drawing->plot->title, out);
  ls_bytes_append_text(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#FFF\"/>\n");
  (void)snprintf(at, sizeof at, "x=\"%d\" y=\"24\" font-size=\"%d\" font-weight=\"bold\"", LEFT,
                 TITLE_SIZE);
  write_text(at, drawing->plot->title, out);
  (void)snprintf(at, sizeof at, "x=\"%d\" y=\"44\" fill=\"#555\"", LEFT);
  if (drawing->plot->subtitle != NULL) write_text(at, drawing->plot->subtitle, out);
  ls_bytes_printf(out,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#666\"/>\n",
                  LEFT, TOP, drawing->right_at - LEFT, BOTTOM_AT - TOP);
}

static void write_tick(const struct drawing *drawing, const struct scale *scale, double value) {
  bool is_x = scale == &drawing->x;
  double at = place(scale, value);
  if (is_x) {
    ls_bytes_printf(drawing->out,
                    "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" stroke=\"#DDD\"/>"
                    "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                    at, TOP, at, BOTTOM_AT, at, BOTTOM_AT + 16, value);
  } else {
    ls_bytes_printf(drawing->out,
                    "<line x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\" stroke=\"#DDD\"/>"
                    "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%.6g</text>\n",
                    LEFT, at, drawing->right_at, at, LEFT - 6, at + 4, value);
  }
}

static void write_names(const struct drawing *drawing) {
  const struct ls_plot_axis *axis = drawing->x.axis;
  for (size_t i = 0; i < axis->names_count; i++) {
    double at = place(&drawing->x, (double)(i + 1));
    char words[160];
    ls_bytes_printf(drawing->out,
                    "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" stroke=\"#DDD\"/>", at, TOP,
                    at, BOTTOM_AT);
    (void)snprintf(words, sizeof words, "x=\"%.2f\" y=\"%d\" transform=\"rotate(%g %.2f %d)\"",
                   at - 4, BOTTOM_AT + 14, NAME_ANGLE, at - 4, BOTTOM_AT + 14);
    write_text(words, axis->names[i], drawing->out);
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
  bool has_zero = !isnan(scale->zero);
  double from = has_zero ? scale->zero + log10(2) : scale->least;
  if (has_zero) write_tick(drawing, scale, 0);
  double first = floor(from + 1e-9), last = ceil(scale->most), decades = last - first;
  double step = fmax(1, ceil(decades / TICKS));
  size_t count = decades <= 3 ? 3 : 1;
  for (double i = first; i <= last && decades <= DECADES_MAX; i += step) {
    for (size_t j = 0; j < count; j++) {
      double value = factors[j] * pow(10, i), at = log10(value);
      if (at >= from - 1e-9 && at <= scale->most) write_tick(drawing, scale, value);
    }
  }
}

static void write_axes(const struct drawing *drawing) {
  const struct scale *scales[] = {&drawing->x, &drawing->y};
  for (size_t i = 0; i < 2; i++) {
    if (scales[i]->axis->names != NULL) {
      write_names(drawing);
      continue;
    }
    (scales[i]->axis->is_log ? write_log_ticks : write_linear_ticks)(drawing, scales[i]);
  }
  char at[96];
  int middle = (TOP + BOTTOM_AT) / 2;
  (void)snprintf(at, sizeof at, "x=\"%d\" y=\"%d\" text-anchor=\"middle\"",
                 (LEFT + drawing->right_at) / 2, drawing->height - 14);
  write_text(at, drawing->plot->x.label, drawing->out);
  (void)snprintf(at, sizeof at,
                 "x=\"16\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\"", middle,
                 middle);
  write_text(at, drawing->plot->y.label, drawing->out);
}

/* Hollow, so that what lies below shows through. */
static void write_mark(struct ls_bytes *out, double x, double y, size_t index) {
  static const char *const paths[SHAPES] = {NULL,
                                            "m-3.5 -3.5h7v7h-7z",
                                            "m0 -4.5l4 7h-8z",
                                            "m0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z",
                                            "m-4.5 0h9m-4.5 -4.5v9",
                                            "m-3.5 -3.5l7 7m0 -7l-7 7",
                                            "m0 4.5l4 -7h-8z",
                                            "m-4 0h8"};
  const char *colour = colours[index % COLOURS], *path = paths[index % SHAPES];
  if (path == NULL)
    ls_bytes_printf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"none\" stroke=\"%s\"/>\n",
                    x, y, colour);
  else
    ls_bytes_printf(out, "<path d=\"M%.2f %.2f%s\" fill=\"none\" stroke=\"%s\"/>\n", x, y, path,
                    colour);
}

static void write_stroke(struct ls_bytes *out, size_t index) {
  ls_bytes_printf(out, " stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"%s\"",
                  colours[index % COLOURS], dashes[(index + index / COLOURS) % DASHES]);
}

/* Consecutive shown values make one line each. */
static void write_line(const struct drawing *drawing, const struct ls_plot_series *series,
                       size_t index) {
  bool is_open = false;
  for (size_t i = 0; i < series->count; i++) {
    bool has_value = is_point(drawing, series, i);
    if (has_value && !is_open) {
      ls_bytes_append_text(drawing->out, "<polyline fill=\"none\"");
      write_stroke(drawing->out, index);
      ls_bytes_append_text(drawing->out, " points=\"");
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
  struct ls_bytes *out = drawing->out;
  int y = TOP + 12, x = drawing->right_at + 12;
  for (size_t i = 0; i < drawing->plot->series_count; i++) {
    const struct ls_plot_series *series = &drawing->plot->series[i];
    if (!is_named(series)) continue;
    if (series->has_line) {
      ls_bytes_printf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"", x, y - 4, x + 22,
                      y - 4);
      write_stroke(out, i);
      ls_bytes_append_text(out, "/>\n");
    }
    if (series->has_points) write_mark(out, x + 11, y - 4, i);
    ls_bytes_printf(out, "<text x=\"%d\" y=\"%d\">", drawing->right_at + LEGEND_TEXT, y);
    (void)write_name(drawing, i, out);
    ls_bytes_append_text(out, "</text>\n");
    y += LEGEND_ROW;
  }
}

static struct drawing lay_out(const struct ls_plot *plot, struct ls_bytes *out) {
  struct drawing drawing = {.plot = plot, .out = out};
  drawing.x.axis = &plot->x;
  drawing.y.axis = &plot->y;
  /* Names that stand aslant need room beside each other. */
  drawing.right_at = LEFT + INNER;
  if (plot->x.names_count * NAME_STEP > INNER)
    drawing.right_at = LEFT + (int)plot->x.names_count * NAME_STEP;
  find_scales(&drawing);
  find_width(&drawing);
  find_height(&drawing);
  return drawing;
}

void ls_plot_write(const struct ls_plot *plot, struct ls_bytes *out) {
  struct drawing drawing = lay_out(plot, out);
  write_head(&drawing);
  write_axes(&drawing);
  for (size_t i = 0; i < plot->series_count; i++) write_series(&drawing, i);
  write_legend(&drawing);
  ls_bytes_append_text(out, "</svg>\n");
}

void ls_plot_write_panels(const struct ls_plot *plots, size_t count, struct ls_bytes *out) {
  int width = 0, height = 0;
  for (size_t i = 0; i < count; i++) {
    struct drawing drawing = lay_out(&plots[i], out);
    if (drawing.width > width) width = drawing.width;
    height += drawing.height;
  }
  ls_bytes_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\">\n",
                  width, height, width, height);
  for (size_t i = 0, top = 0; i < count; i++) {
    ls_bytes_printf(out, "<g transform=\"translate(0 %zu)\">\n", top);
    ls_plot_write(&plots[i], out);
    ls_bytes_append_text(out, "</g>\n");
    top += (size_t)lay_out(&plots[i], out).height;
  }
  ls_bytes_append_text(out, "</svg>\n");
}
