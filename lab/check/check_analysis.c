/* check_analysis.c: records of kind analysis: `analysis:NAME`, what a theory says of a platform. */
#include <string.h>

#include "base/bytes.h"
#include "cli/planner_options.h"
#include "lab/check/check.h"
#include "planners/analysis.h"

static enum ls_status find_analysis(const struct ls_check_record *record,
                                    const struct ls_analysis **analysis, struct ls_error *err) {
  const char *colon = strchr(record->algorithm, ':');
  *analysis = ls_analysis_find(colon == NULL ? record->algorithm : colon + 1);
  if (*analysis == NULL)
    return ls_fail(err, LS_EINVAL, "%s: algorithm is %s, expected analysis:NAME", record->id,
                   record->algorithm);
  if (!record->has_platform)
    return ls_fail(err, LS_EINVAL, "%s has no platform, which kind analysis needs", record->id);
  return LS_OK;
}

static enum ls_status describe(const struct ls_findings *findings,
                               const struct ls_planner_reason *why, json_t **got,
                               struct ls_error *err) {
  struct ls_bytes text = {0};
  if (why->text[0] != '\0') {
    *got = json_pack("{s:s, s:s}", "outcome", "not_applicable", "why", why->text);
    return *got != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for a refusal");
  }
  ls_bytes_printf(&text, "{%s}", ls_bytes_text(&findings->json));
  enum ls_status status =
      text.failed ? ls_fail(err, LS_ENOMEM, "no memory for findings")
                  : ls_json_parse((struct ls_text){ls_bytes_text(&text), text.length, "findings"},
                                  got, err);
  ls_bytes_close(&text);
  return status;
}

static enum ls_status evaluate_analysis(const struct ls_check_record *record, json_t **got,
                                        struct ls_error *err) {
  const struct ls_analysis *analysis = NULL;
  struct ls_planner_setup setup = {.platform = &record->platform, .load = record->load};
  struct ls_planner_reason why = {{0}};
  struct ls_findings findings = {0};
  enum ls_status status = find_analysis(record, &analysis, err);
  if (status != LS_OK) return status;
  const struct ls_planner owner = {.name = analysis->name, .parameters = analysis->parameters};
  ls_arguments_init(&setup.arguments, analysis->parameters);
  if (record->arguments.value != NULL)
    status = ls_planner_options_read(&owner, &setup, &record->arguments, err);
  if (status == LS_OK) status = ls_analysis_run(analysis, &setup, &findings, &why, err);
  if (status == LS_OK) status = describe(&findings, &why, got, err);
  ls_findings_close(&findings);
  ls_arguments_close(&setup.arguments);
  return status;
}

const struct ls_check_kind ls_check_kind_analysis = {.name = "analysis",
                                                     .evaluate = evaluate_analysis};
