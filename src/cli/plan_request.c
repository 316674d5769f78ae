#include "cli/plan_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "cli/console.h"
#include "planners/analysis.h"

static enum ls_status read_arguments(const struct ls_planner *planner, const char *path,
                                     struct ls_planner_setup *setup, struct ls_error *err) {
  json_t *document = NULL;
  enum ls_status status = ls_console_read_json(path, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, path);
  status = ls_planner_options_read(planner, setup, &top, err);
  json_decref(document);
  return status;
}

static enum ls_status apply_setting(const struct ls_plan_setting *setting,
                                    const struct ls_planner *planner,
                                    struct ls_planner_setup *setup, struct ls_error *err) {
  size_t length = (size_t)(setting->value - setting->text) - 1;
  char *name = setting->name != NULL ? strdup(setting->name) : strndup(setting->text, length);
  if (name == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", setting->option);
  enum ls_status status = ls_planner_options_set(planner, setup, name, setting->value, err);
  free(name);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s", setting->option);
}

enum ls_status ls_plan_settings_apply(const struct ls_plan_request *request,
                                      const struct ls_planner *planner,
                                      struct ls_planner_setup *setup, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (request->arguments != NULL) status = read_arguments(planner, request->arguments, setup, err);
  for (size_t i = 0; i < request->settings_count && status == LS_OK; i++)
    status = apply_setting(&request->settings[i], planner, setup, err);
  return status;
}

/* One finding a line, or one object. */
static enum ls_status write_findings(const struct ls_plan_request *request, const char *why,
                                     const struct ls_findings *findings, struct ls_error *err) {
  struct ls_bytes text = {0};
  if (request->wants_json) {
    ls_bytes_printf(&text,
                    "{\"analysis\": \"%s\", \"outcome\": \"%s\", \"why\": ", request->analysis,
                    why[0] == '\0' ? "ok" : "not_applicable");
    ls_json_write_string(&text, why);
    ls_bytes_printf(&text, ", \"findings\": {%s}}\n", ls_bytes_text(&findings->json));
  } else if (why[0] != '\0') {
    ls_bytes_printf(&text, "%s: not applicable: %s\n", request->analysis, why);
  } else {
    ls_bytes_append_text(&text, ls_bytes_text(&findings->lines));
  }
  enum ls_status status = ls_console_write_file("-", &text, err);
  ls_bytes_close(&text);
  return status;
}

enum ls_status ls_plan_analyse(const struct ls_plan_request *request,
                               const struct ls_platform *platform, int *exit_status,
                               struct ls_error *err) {
  const struct ls_analysis *analysis = ls_analysis_find(request->analysis);
  /* Its parameters are read as those of a planner are. */
  const struct ls_planner owner = {.name = analysis->name, .parameters = analysis->parameters};
  struct ls_planner_setup setup = {.platform = platform, .load = request->limits.load};
  struct ls_planner_clock clock;
  struct ls_findings findings = {0};
  struct ls_planner_reason why = {{0}};
  ls_arguments_init(&setup.arguments, analysis->parameters);
  enum ls_status status = ls_plan_settings_apply(request, &owner, &setup, err);
  ls_planner_limits_apply(&request->limits, &owner, &clock, &setup);
  if (status == LS_OK) status = ls_analysis_run(analysis, &setup, &findings, &why, err);
  if (status == LS_OK) status = write_findings(request, why.text, &findings, err);
  if (status == LS_OK && why.text[0] != '\0') *exit_status = LS_EXIT_FAILED;
  ls_findings_close(&findings);
  ls_arguments_close(&setup.arguments);
  return status;
}
