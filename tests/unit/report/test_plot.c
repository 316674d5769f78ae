#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot.h"

static size_t count_text(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) count++;
  return count;
}

/* All places of the drawing that this attribute names. */
static void expect_inside(const char *text, const char *attribute, double least, double most) {
  size_t found = 0;
  for (const char *at = strstr(text, attribute); at != NULL; at = strstr(at + 1, attribute)) {
    double value = strtod(at + strlen(attribute), NULL);
    assert_true(value >= least && value <= most);
    found++;
  }
  assert_true(found > 0);
}

static const double xs[] = {1, 2, 3, 4}, ys[] = {10, 40, 20, 30};

static void every_value_is_a_mark_inside_the_frame(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_plot_series series = {.name = "one", .x = xs, .y = ys, .count = 4, .has_points = true};
  struct ls_plot plot = {
      .title = "t", .x = {.label = "x"}, .y = {.label = "y"}, .series = &series, .series_count = 1};
  ls_plot_write(&plot, &out);
  assert_int_equal(count_text(ls_bytes_text(&out), "<circle"), 4 + 1); /* one in the legend */
  assert_int_equal(count_text(ls_bytes_text(&out), "<polyline"), 0);
  expect_inside(ls_bytes_text(&out), "cx=\"", 70, 720);
  expect_inside(ls_bytes_text(&out), "cy=\"", 62, 400);
  assert_null(strstr(ls_bytes_text(&out), "nan"));
  ls_bytes_close(&out);
}

static void larger_values_stand_further_right_and_higher(void **state) {
  (void)state;
  double x[] = {1, 5}, y[] = {2, 9};
  for (int is_log = 0; is_log < 2; is_log++) {
    struct ls_bytes out = {0};
    struct ls_plot_series series = {.name = "", .x = x, .y = y, .count = 2, .has_points = true};
    struct ls_plot plot = {.title = "t",
                           .x = {.label = "x", .is_log = is_log},
                           .y = {.label = "y", .is_log = is_log},
                           .series = &series,
                           .series_count = 1};
    ls_plot_write(&plot, &out);
    const char *first = strstr(ls_bytes_text(&out), "<circle cx=\"");
    assert_non_null(first);
    const char *second = strstr(first + 1, "<circle cx=\"");
    assert_non_null(second);
    assert_true(strtod(first + 12, NULL) < strtod(second + 12, NULL));
    assert_true(strtod(strstr(first, "cy=\"") + 4, NULL) >
                strtod(strstr(second, "cy=\"") + 4, NULL));
    ls_bytes_close(&out);
  }
}

static void a_value_that_cannot_be_shown_breaks_the_line(void **state) {
  (void)state;
  double y[] = {1, (double)NAN, 3, 4};
  struct ls_bytes out = {0};
  struct ls_plot_series series = {.name = "one", .x = xs, .y = y, .count = 4, .has_line = true};
  struct ls_plot plot = {
      .title = "t", .x = {.label = "x"}, .y = {.label = "y"}, .series = &series, .series_count = 1};
  ls_plot_write(&plot, &out);
  assert_int_equal(count_text(ls_bytes_text(&out), "<polyline"), 2);
  ls_bytes_clear(&out);
  /* On a logarithmic axis 0 and below cannot be shown either. */
  y[1] = 0;
  plot.y.is_log = true;
  ls_plot_write(&plot, &out);
  assert_int_equal(count_text(ls_bytes_text(&out), "<polyline"), 2);
  assert_null(strstr(ls_bytes_text(&out), "inf"));
  ls_bytes_close(&out);
}

static void a_plot_of_nothing_is_a_drawing(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_plot plot = {.title = "t", .x = {.label = "x", .is_log = true}, .y = {.label = "y"}};
  ls_plot_write(&plot, &out);
  assert_int_equal(count_text(ls_bytes_text(&out), "</svg>"), 1);
  assert_null(strstr(ls_bytes_text(&out), "nan"));
  /* One value alone has an axis around it, too. */
  double one = 5;
  struct ls_plot_series series = {.name = "", .x = &one, .y = &one, .count = 1, .has_points = true};
  plot.series = &series;
  plot.series_count = 1;
  ls_bytes_clear(&out);
  ls_plot_write(&plot, &out);
  assert_int_equal(count_text(ls_bytes_text(&out), "<circle"), 1);
  assert_null(strstr(ls_bytes_text(&out), "nan"));
  ls_bytes_close(&out);
}

static void names_are_escaped_and_ticks_are_round(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_plot_series series = {
      .name = "a < b & c", .x = xs, .y = ys, .count = 4, .has_line = true};
  struct ls_plot plot = {.title = "\"t\" <i>",
                         .x = {.label = "x > y"},
                         .y = {.label = "y", .has_zero = true},
                         .series = &series,
                         .series_count = 1};
  ls_plot_write(&plot, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "a &lt; b &amp; c"));
  assert_non_null(strstr(text, "<title>&quot;t&quot; &lt;i&gt;</title>"));
  assert_non_null(strstr(text, "x &gt; y"));
  assert_null(strstr(text, "<i>"));
  for (int tick = 0; tick <= 40; tick += 10) {
    char label[32];
    snprintf(label, sizeof label, ">%d</text>", tick);
    assert_non_null(strstr(text, label));
  }
  ls_bytes_close(&out);
}

static void a_logarithmic_axis_has_powers_of_ten(void **state) {
  (void)state;
  double x[] = {1, 1000}, y[] = {1, 2};
  struct ls_bytes out = {0};
  struct ls_plot_series series = {.name = "", .x = x, .y = y, .count = 2, .has_line = true};
  struct ls_plot plot = {.title = "t",
                         .x = {.label = "x", .is_log = true},
                         .y = {.label = "y"},
                         .series = &series,
                         .series_count = 1};
  ls_plot_write(&plot, &out);
  for (int tick = 1; tick <= 1000; tick *= 10) {
    char label[32];
    snprintf(label, sizeof label, ">%d</text>", tick);
    assert_non_null(strstr(ls_bytes_text(&out), label));
  }
  ls_bytes_close(&out);
}

/* The width of the drawing. */
static double find_width(const struct ls_bytes *out) {
  const char *width = strstr(ls_bytes_text(out), "width=\"");
  assert_non_null(width);
  return strtod(width + strlen("width=\""), NULL);
}

/* A character of a sans-serif font is about half as wide as it is high. */
static void long_names_and_titles_are_not_cut_off(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_plot_series series = {
      .name = "", .x = xs, .y = ys, .count = 4, .has_line = true, .has_points = true};
  struct ls_plot plot = {
      .title = "t", .x = {.label = "x"}, .y = {.label = "y"}, .series = &series, .series_count = 1};
  static const char sixty[] = "monitor that reports the times of every fourth of its tasks";
  ls_plot_write(&plot, &out);
  double usual = find_width(&out);
  ls_bytes_clear(&out);
  series.name = sixty;
  ls_plot_write(&plot, &out);
  const char *text = strstr(ls_bytes_text(&out), sixty);
  assert_non_null(text);
  while (strncmp(text, "<text x=\"", strlen("<text x=\"")) != 0) text--;
  assert_true(strtod(text + strlen("<text x=\""), NULL) + 0.55 * 12 * 60 < find_width(&out));
  assert_true(find_width(&out) > usual);
  ls_bytes_clear(&out);
  series.name = "";
  plot.title = "Beaumont, Marchal, Robert 2005, Figure 8: how many workers the best FIFO enrols";
  plot.subtitle = "z = 0.8, 100 workers";
  ls_plot_write(&plot, &out);
  assert_true(70 + 0.55 * 15 * (double)strlen(plot.title) < find_width(&out));
  assert_non_null(strstr(ls_bytes_text(&out), ">z = 0.8, 100 workers</text>"));
  ls_bytes_close(&out);
}

/* One-Batch is MI-1 without latencies: the legend says which line lies below. */
static void a_line_that_covers_another_says_so(void **state) {
  (void)state;
  static const double other[] = {10, 40, 20, 31};
  struct ls_bytes out = {0};
  struct ls_plot_series series[] = {
      {.name = "MI-1", .x = xs, .y = ys, .count = 4, .has_line = true},
      {.name = "MI-2", .x = xs, .y = other, .count = 4, .has_line = true},
      {.name = "One-Batch", .x = xs, .y = ys, .count = 4, .has_line = true}};
  struct ls_plot plot = {
      .title = "t", .x = {.label = "x"}, .y = {.label = "y"}, .series = series, .series_count = 3};
  ls_plot_write(&plot, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, ">One-Batch (same as MI-1)</text>"));
  assert_int_equal(count_text(text, "same as"), 1);
  /* No two of them have the same dashes, so that what lies below shows through. */
  assert_int_equal(count_text(text, "stroke-dasharray=\"none\""), 2); /* line and legend */
  assert_int_equal(count_text(text, "stroke-dasharray=\"8 4\""), 2);
  assert_int_equal(count_text(text, "stroke-dasharray=\"2 3\""), 2);
  assert_int_equal(count_text(text, "fill=\"none\""), 1 + 3); /* the frame; no line is filled */
  ls_bytes_close(&out);
}

static void zero_has_a_place_on_a_logarithmic_axis_that_asks_for_it(void **state) {
  (void)state;
  static const double x[] = {0, 1, 2, 128}, y[] = {1, 2, 3, 4};
  struct ls_bytes out = {0};
  struct ls_plot_series series = {.name = "", .x = x, .y = y, .count = 4, .has_points = true};
  struct ls_plot plot = {.title = "t",
                         .x = {.label = "x", .is_log = true, .has_zero = true},
                         .y = {.label = "y"},
                         .series = &series,
                         .series_count = 1};
  ls_plot_write(&plot, &out);
  assert_int_equal(count_text(ls_bytes_text(&out), "<circle"), 4);
  const char *first = strstr(ls_bytes_text(&out), "<circle cx=\"");
  const char *second = strstr(first + 1, "<circle cx=\"");
  assert_true(strtod(first + 12, NULL) + 10 < strtod(second + 12, NULL));
  assert_non_null(strstr(ls_bytes_text(&out), ">0</text>"));
  assert_non_null(strstr(ls_bytes_text(&out), ">50</text>"));
  assert_null(strstr(ls_bytes_text(&out), ">0.5</text>"));
  ls_bytes_close(&out);
}

static void many_lines_differ_and_many_names_have_room(void **state) {
  (void)state;
  static struct ls_plot_series series[60];
  static const char *names[60];
  static char strokes[60][64];
  struct ls_bytes out = {0};
  for (size_t i = 0; i < 60; i++) {
    names[i] = "policy";
    series[i] = (struct ls_plot_series){.name = "", .x = xs, .y = ys, .count = 4, .has_line = true};
  }
  struct ls_plot plot = {.title = "t",
                         .x = {.label = "", .names = names, .names_count = 60},
                         .y = {.label = "y"},
                         .series = series,
                         .series_count = 60};
  ls_plot_write(&plot, &out);
  const char *at = ls_bytes_text(&out);
  assert_true(strtod(strstr(at, "width=\"") + 7, NULL) > 70 + 60 * 19);
  for (size_t i = 0; i < 60; i++) {
    at = strstr(at, "<polyline");
    assert_non_null(at);
    at = strstr(at, "stroke=");
    snprintf(strokes[i], sizeof strokes[i], "%.*s", (int)(strstr(at, " points") - at), at);
    for (size_t k = 0; k < i; k++) assert_string_not_equal(strokes[i], strokes[k]);
  }
  ls_bytes_close(&out);
}

/* Each name stands at its place, escaped; no number does. */
static void names_stand_on_the_axis(void **state) {
  (void)state;
  static const char *const names[] = {"gss", "a<b, with many words behind it", "ss"};
  struct ls_bytes out = {0}, plain = {0};
  struct ls_plot_series series = {.name = "", .x = xs, .y = ys, .count = 3, .has_points = true};
  struct ls_plot plot = {.title = "t",
                         .x = {.label = "", .names = names, .names_count = 3},
                         .y = {.label = "y"},
                         .series = &series,
                         .series_count = 1};
  ls_plot_write(&plot, &out);
  const char *text = ls_bytes_text(&out);
  assert_int_equal(count_text(text, "rotate(40"), 3);
  assert_non_null(strstr(text, ">gss</text>"));
  assert_non_null(strstr(text, ">a&lt;b, with many words behind it</text>"));
  assert_null(strstr(text, "text-anchor=\"middle\">2</text>"));
  expect_inside(text, "cx=\"", 70, 550);
  /* The marks stand in the middle of three equal parts. */
  assert_true(fabs(strtod(strstr(text, "<circle cx=\"") + 12, NULL) - (70 + 480 / 6.0)) < 0.01);
  plot.x = (struct ls_plot_axis){.label = "x"};
  ls_plot_write(&plot, &plain);
  assert_true(strtod(strstr(text, "height=\"") + 8, NULL) >
              strtod(strstr(ls_bytes_text(&plain), "height=\"") + 8, NULL));
  ls_bytes_close(&out);
  ls_bytes_close(&plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_is_a_mark_inside_the_frame),
      cmocka_unit_test(larger_values_stand_further_right_and_higher),
      cmocka_unit_test(a_value_that_cannot_be_shown_breaks_the_line),
      cmocka_unit_test(a_plot_of_nothing_is_a_drawing),
      cmocka_unit_test(names_are_escaped_and_ticks_are_round),
      cmocka_unit_test(a_logarithmic_axis_has_powers_of_ten),
      cmocka_unit_test(long_names_and_titles_are_not_cut_off),
      cmocka_unit_test(a_line_that_covers_another_says_so),
      cmocka_unit_test(names_stand_on_the_axis),
      cmocka_unit_test(many_lines_differ_and_many_names_have_room),
      cmocka_unit_test(zero_has_a_place_on_a_logarithmic_axis_that_asks_for_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
