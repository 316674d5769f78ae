/* analysis_fixture.h: the findings of an analysis, by name. */
#ifndef LS_TESTS_UNIT_PLANNERS_ANALYSIS_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_ANALYSIS_FIXTURE_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "planners/analysis.h"

/* Parameters as a JSON object. */
static inline void read_analysis_arguments(const struct ls_analysis *analysis, const char *text,
                                           struct ls_arguments *arguments) {
  json_t *object = json_loads(text, 0, NULL), *value;
  struct ls_error err = {0};
  const char *name;
  assert_non_null(object);
  struct ls_json top = ls_json_top(object, "arguments");
  json_object_foreach(object, name, value) {
    struct ls_json member = ls_json_member(&top, name);
    if (ls_arguments_read(arguments, analysis->parameters, &member, name, &err) != LS_OK)
      fail_msg("%s", err.text);
  }
  json_decref(object);
}

/* The findings as JSON, which the caller releases; NULL: not applicable, and `why` says so. */
static inline json_t *analyse_with(const struct ls_platform *platform, double load,
                                   const char *name, const char *arguments,
                                   struct ls_planner_reason *why) {
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  struct ls_findings findings = {0};
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  const struct ls_analysis *analysis = ls_analysis_find(name);
  assert_non_null(analysis);
  ls_arguments_init(&setup.arguments, analysis->parameters);
  read_analysis_arguments(analysis, arguments, &setup.arguments);
  if (ls_analysis_run(analysis, &setup, &findings, why, &err) != LS_OK) fail_msg("%s", err.text);
  ls_bytes_printf(&text, "{%s}", ls_bytes_text(&findings.json));
  json_t *object = why->text[0] == '\0' ? json_loads(ls_bytes_text(&text), 0, NULL) : NULL;
  if (why->text[0] == '\0') assert_non_null(object);
  ls_bytes_close(&text);
  ls_findings_close(&findings);
  ls_arguments_close(&setup.arguments);
  return object;
}

static inline json_t *analyse_platform(const struct ls_platform *platform, double load,
                                       const char *name, struct ls_planner_reason *why) {
  return analyse_with(platform, load, name, "{}", why);
}

static inline void expect_number(const json_t *findings, const char *name, double expected) {
  double got = json_number_value(json_object_get(findings, name));
  if (!(fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("%s is %.17g, expected %.17g", name, got, expected);
}

#endif
