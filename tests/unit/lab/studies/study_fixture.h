/* study_fixture.h: runs a study in a test and compares reports. */
#ifndef TEST_STUDY_FIXTURE_H
#define TEST_STUDY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/studies/study.h"

/* A value that stands beside ours says whose it is, and why where it is not judged; a drawing names
 * its source. */
static inline void expect_sound(const char *name, const struct ls_study_report *report) {
  for (size_t i = 0; i < report->figures_count; i++) {
    const struct ls_study_figure *figure = &report->figures[i];
    const struct ls_study_expected *expected = &figure->expected;
    bool has_origin = expected->origin != LS_STUDY_NOBODYS;
    if (has_origin == isnan(expected->value)) fail_msg("%s: %s: whose?", name, figure->name);
    if (has_origin && !ls_study_figure_is_judged(figure) && expected->why_not[0] == '\0')
      fail_msg("%s: %s: why is it not judged?", name, figure->name);
    if (strstr(figure->name, "recomputed)") != NULL)
      fail_msg("%s: %s: the name says whose it is", name, figure->name);
  }
  for (size_t i = 0; i < report->drawings_count; i++) {
    const char *svg = ls_bytes_text(&report->drawings[i].svg);
    bool is_published = strstr(svg, " 200") != NULL &&
                        (strstr(svg, ", Figure") != NULL || strstr(svg, ", Table") != NULL);
    if (!is_published && strstr(svg, "docs/theory/") == NULL)
      fail_msg("%s: %s does not name its source", name, report->drawings[i].name);
  }
}

/* Runs a study that must succeed; the caller closes the report. */
static inline void run_study(const char *name, const struct ls_study_options *options,
                             const char *setting, struct ls_study_report *report) {
  const struct ls_study *study = ls_study_find(name);
  struct ls_study_options copy = *options;
  struct ls_error err = {0};
  assert_non_null(study);
  ls_arguments_init(&copy.arguments, study->parameters);
  if (setting != NULL) {
    char words[64];
    snprintf(words, sizeof words, "%s", setting);
    char *value = strchr(words, '=');
    assert_non_null(value);
    *value++ = '\0';
    assert_int_equal(ls_arguments_set(&copy.arguments, study->parameters, words, value, &err),
                     LS_OK);
  }
  *report = (struct ls_study_report){0};
  if (study->run(&copy, report, &err) != LS_OK) fail_msg("%s: %s", name, err.text);
  assert_int_equal(report->failure.status, LS_OK);
  ls_arguments_close(&copy.arguments);
  expect_sound(name, report);
}

static inline void expect_all_met(const char *name, const struct ls_study_report *report) {
  for (size_t i = 0; i < report->figures_count; i++) {
    const struct ls_study_figure *figure = &report->figures[i];
    if (ls_study_figure_is_judged(figure) && !ls_study_figure_is_met(figure))
      fail_msg("%s: %s: %s %g, ours %.9g, tolerance %g", name, figure->name,
               ls_study_origin_names[figure->expected.origin], figure->expected.value, figure->ours,
               figure->expected.tolerance);
  }
}

static inline void expect_same_reports(const struct ls_study_report *a,
                                       const struct ls_study_report *b) {
  assert_string_equal(ls_bytes_text(&a->text), ls_bytes_text(&b->text));
  assert_int_equal(a->figures_count, b->figures_count);
  for (size_t i = 0; i < a->figures_count; i++) {
    assert_string_equal(a->figures[i].name, b->figures[i].name);
    assert_memory_equal(&a->figures[i].ours, &b->figures[i].ours, sizeof(double));
  }
  assert_int_equal(a->drawings_count, b->drawings_count);
  for (size_t i = 0; i < a->drawings_count; i++)
    assert_string_equal(ls_bytes_text(&a->drawings[i].svg), ls_bytes_text(&b->drawings[i].svg));
}

static inline size_t count_judged(const struct ls_study_report *report) {
  size_t judged = 0;
  for (size_t i = 0; i < report->figures_count; i++)
    judged += ls_study_figure_is_judged(&report->figures[i]);
  return judged;
}

/* The value of ours of this name. */
static inline double find_figure(const struct ls_study_report *report, const char *name) {
  for (size_t i = 0; i < report->figures_count; i++)
    if (strcmp(report->figures[i].name, name) == 0) return report->figures[i].ours;
  fail_msg("no figure %s", name);
  return (double)NAN;
}

#endif
