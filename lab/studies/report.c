#include "lab/studies/study.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_study_report_close(struct ls_study_report *report) {
  for (size_t i = 0; i < report->figures_count; i++) free(report->figures[i].name);
  for (size_t i = 0; i < report->drawings_count; i++) {
    free(report->drawings[i].name);
    ls_bytes_close(&report->drawings[i].svg);
  }
  free(report->figures);
  free(report->drawings);
  ls_bytes_close(&report->text);
  *report = (struct ls_study_report){0};
}

static void run_out(struct ls_study_report *report) {
  if (report->failure.status != LS_OK) return;
  (void)ls_fail(&report->failure, LS_ENOMEM, "no memory for the report of a study");
}

void ls_study_print(struct ls_study_report *report, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0) {
    run_out(report);
  } else if ((size_t)length < sizeof line) {
    ls_bytes_append(&report->text, line, (size_t)length);
  } else {
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    if (text == NULL) run_out(report);
    if (text != NULL) ls_bytes_append(&report->text, text, (size_t)length);
    free(text);
  }
  if (report->text.failed) run_out(report);
}

static const char TOO_FEW[] = "too few cases take part";

const char *const ls_study_origin_names[LS_STUDY_ORIGINS] = {"", "printed", "recomputed",
                                                             "specified"};

struct ls_study_expected ls_study_near(enum ls_study_origin origin, double value,
                                       double tolerance) {
  assert(origin != LS_STUDY_NOBODYS && !(tolerance < 0));
  return (struct ls_study_expected){origin, LS_STUDY_NEAR, value, tolerance,
                                    isnan(tolerance) ? TOO_FEW : NULL};
}

struct ls_study_expected ls_study_at_most(enum ls_study_origin origin, double value) {
  assert(origin != LS_STUDY_NOBODYS);
  return (struct ls_study_expected){origin, LS_STUDY_AT_MOST, value, 0, NULL};
}

struct ls_study_expected ls_study_at_least(enum ls_study_origin origin, double value) {
  assert(origin != LS_STUDY_NOBODYS);
  return (struct ls_study_expected){origin, LS_STUDY_AT_LEAST, value, 0, NULL};
}

struct ls_study_expected ls_study_unjudged(enum ls_study_origin origin, double value,
                                           const char *why_not) {
  assert(origin != LS_STUDY_NOBODYS && why_not[0] != '\0');
  return (struct ls_study_expected){origin, LS_STUDY_NEAR, value, (double)NAN, why_not};
}

struct ls_study_expected ls_study_judged_if(bool is_judged, struct ls_study_expected expected) {
  if (!is_judged && expected.why_not == NULL) expected.why_not = TOO_FEW;
  return expected;
}

bool ls_study_compare(struct ls_study_report *report, const char *name,
                      struct ls_study_expected expected, double ours) {
  struct ls_study_figure figure = {.name = strdup(name), .expected = expected, .ours = ours};
  void *items = report->figures;
  enum ls_status status = ls_array_reserve(&items, &report->figures_capacity,
                                           report->figures_count + 1, sizeof *report->figures);
  report->figures = items;
  if (figure.name == NULL || status != LS_OK) {
    free(figure.name);
    run_out(report);
  } else {
    report->figures[report->figures_count++] = figure;
  }
  return !ls_study_figure_is_judged(&figure) || ls_study_figure_is_met(&figure);
}

void ls_study_show(struct ls_study_report *report, const char *name, double ours) {
  (void)ls_study_compare(report, name, (struct ls_study_expected){.value = (double)NAN}, ours);
}

void ls_study_draw(struct ls_study_report *report, const char *name, struct ls_bytes *svg) {
  void *items = report->drawings;
  enum ls_status status = ls_array_reserve(&items, &report->drawings_capacity,
                                           report->drawings_count + 1, sizeof *report->drawings);
  report->drawings = items;
  char *copy = strdup(name);
  if (svg->failed || copy == NULL || status != LS_OK) {
    free(copy);
    ls_bytes_close(svg);
    run_out(report);
    return;
  }
  report->drawings[report->drawings_count++] = (struct ls_study_drawing){.name = copy, .svg = *svg};
  *svg = (struct ls_bytes){0};
}

bool ls_study_figure_is_judged(const struct ls_study_figure *figure) {
  return figure->expected.origin != LS_STUDY_NOBODYS && figure->expected.why_not == NULL;
}

/* Written so that a value of ours that is no number misses; the last digits of a difference that
 * decimal numbers make do not decide. */
bool ls_study_figure_is_met(const struct ls_study_figure *figure) {
  const struct ls_study_expected *expected = &figure->expected;
  double above = figure->ours - expected->value;
  double slack = expected->tolerance + 1e-12 * fabs(expected->value);
  if (expected->relation == LS_STUDY_AT_MOST) return above <= slack;
  return expected->relation == LS_STUDY_AT_LEAST ? above >= -slack : fabs(above) <= slack;
}

size_t ls_study_missed(const struct ls_study_report *report) {
  size_t missed = 0;
  for (size_t i = 0; i < report->figures_count; i++) {
    missed += ls_study_figure_is_judged(&report->figures[i]) &&
              !ls_study_figure_is_met(&report->figures[i]);
  }
  return missed;
}
