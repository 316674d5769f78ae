#include "planners/analysis.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "model/windows.h"
#include "planners/window_choices.h"

#define LS_ANALYSIS(id) extern const struct ls_analysis ls_analysis_##id;
#include "planners/analyses.h"
#undef LS_ANALYSIS

#define LS_ANALYSIS(id) &ls_analysis_##id,
const struct ls_analysis *const ls_analyses[] = {
#include "planners/analyses.h"
    NULL};
#undef LS_ANALYSIS

const struct ls_analysis *ls_analysis_find(const char *name) {
  for (size_t i = 0; ls_analyses[i] != NULL; i++) {
    if (strcmp(ls_analyses[i]->name, name) == 0) return ls_analyses[i];
  }
  return NULL;
}

void ls_findings_close(struct ls_findings *findings) {
  ls_bytes_close(&findings->lines);
  ls_bytes_close(&findings->json);
}

/* Begins a member; its value follows in the JSON. */
static void begin(struct ls_findings *findings, const char *name) {
  if (findings->json.length > 0) ls_bytes_append_text(&findings->json, ", ");
  ls_json_write_string(&findings->json, name);
  ls_bytes_append_text(&findings->json, ": ");
}

static void add_line(struct ls_findings *findings, const char *name, const char *value,
                     const char *meaning) {
  ls_bytes_printf(&findings->lines, "%-20s %-14s %s\n", name, value, meaning);
}

void ls_findings_number(struct ls_findings *findings, const char *name, double value,
                        const char *meaning) {
  char text[32];
  (void)snprintf(text, sizeof text, "%.6g", value);
  begin(findings, name);
  ls_json_write_number(&findings->json, value);
  add_line(findings, name, isfinite(value) ? text : "-", meaning);
}

void ls_findings_flag(struct ls_findings *findings, const char *name, bool flag,
                      const char *meaning) {
  begin(findings, name);
  ls_bytes_append_text(&findings->json, flag ? "true" : "false");
  add_line(findings, name, flag ? "yes" : "no", meaning);
}

void ls_findings_text(struct ls_findings *findings, const char *name, const char *text,
                      const char *meaning) {
  begin(findings, name);
  ls_json_write_string(&findings->json, text);
  add_line(findings, name, text, meaning);
}

void ls_findings_list(struct ls_findings *findings, const char *name, const uint32_t *items,
                      size_t count, const char *meaning) {
  struct ls_bytes list = {0};
  begin(findings, name);
  for (size_t i = 0; i < count; i++)
    ls_bytes_printf(&list, "%s%u", i > 0 ? ", " : "", (unsigned)items[i]);
  ls_bytes_printf(&findings->json, "[%s]", ls_bytes_text(&list));
  add_line(findings, name, ls_bytes_text(&list), meaning);
  findings->json.failed = findings->json.failed || list.failed;
  ls_bytes_close(&list);
}

void ls_findings_numbers(struct ls_findings *findings, const char *name, const double *values,
                         size_t count, const char *meaning) {
  struct ls_bytes words = {0};
  begin(findings, name);
  ls_bytes_append_char(&findings->json, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ls_bytes_append_text(&findings->json, ", ");
    ls_json_write_number(&findings->json, values[i]);
    ls_bytes_printf(&words, "%s%.6g", i > 0 ? ", " : "", values[i]);
  }
  ls_bytes_append_char(&findings->json, ']');
  add_line(findings, name, ls_bytes_text(&words), meaning);
  findings->lines.failed = findings->lines.failed || words.failed;
  ls_bytes_close(&words);
}

void ls_findings_json(struct ls_findings *findings, const char *name, const char *json,
                      const char *text, const char *meaning) {
  begin(findings, name);
  ls_bytes_append_text(&findings->json, json);
  add_line(findings, name, text, meaning);
}

/* A theory knows one law of each worker. */
static enum ls_status analyse_windows(const struct ls_analysis *analysis,
                                      const struct ls_planner_setup *setup,
                                      struct ls_findings *findings, struct ls_planner_reason *why,
                                      struct ls_error *err) {
  struct ls_planner_setup one = *setup;
  struct ls_one_window left;
  enum ls_status status = ls_one_window_open(&left, setup->platform, err);
  if (status != LS_OK) return status;
  one.platform = &left.platform;
  ls_findings_text(findings, "windows", "least cost",
                   "each worker in the window in which a unit costs least");
  status = ls_analysis_run(analysis, &one, findings, why, err);
  ls_one_window_close(&left);
  return status;
}

enum ls_status ls_analysis_run(const struct ls_analysis *analysis,
                               const struct ls_planner_setup *setup, struct ls_findings *findings,
                               struct ls_planner_reason *why, struct ls_error *err) {
  *why = (struct ls_planner_reason){{0}};
  enum ls_status status = ls_platform_check(setup->platform, err);
  if (status != LS_OK) return status;
  if (analysis->needs_load && !(setup->load > 0 && isfinite(setup->load)))
    return ls_fail(err, LS_EINVAL, "load is %g, analysis %s needs a finite number > 0", setup->load,
                   analysis->name);
  if (ls_platform_has_windows(setup->platform))
    return analyse_windows(analysis, setup, findings, why, err);
  if (!analysis->knows_stage && !ls_planner_sees_no_stage(setup, why)) return LS_OK;
  if (analysis->applicable != NULL && !analysis->applicable(setup, why)) return LS_OK;
  status = analysis->analyse(setup, findings, err);
  if (status == LS_OK && (findings->json.failed || findings->lines.failed))
    status = ls_fail(err, LS_ENOMEM, "no memory for what analysis %s finds", analysis->name);
  return status;
}
