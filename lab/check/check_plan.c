/* check_plan.c: records of kinds plan, replay and largest-remainder. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/planner_options.h"
#include "formats/plan_json.h"
#include "lab/check/check.h"
#include "model/load.h"
#include "model/plan_repeat.h"
#include "model/plan_share.h"
#include "model/replay.h"
#include "model/validate.h"
#include "planners/planner.h"

static json_t *list_units(const struct ls_plan *plan, const struct ls_platform *platform) {
  double *units = calloc(platform->workers_count, sizeof *units);
  json_t *list = json_array();
  if (units != NULL) ls_plan_units(plan, platform->workers_count, units);
  for (size_t i = 0; units != NULL && i < platform->workers_count; i++)
    json_array_append_new(list, json_real(units[i]));
  free(units);
  return list;
}

/* The end of computing by worker. */
static json_t *list_ends(const struct ls_plan *plan, const struct ls_platform *platform) {
  struct ls_plan_share *shares = calloc(platform->workers_count, sizeof *shares);
  json_t *list = json_array();
  if (shares != NULL) ls_plan_shares(plan, platform, shares);
  for (size_t i = 0; shares != NULL && i < platform->workers_count; i++)
    json_array_append_new(list, json_real(shares[i].last_s));
  free(shares);
  return list;
}

/* Workers in the order in which their chunks are sent (`returns` NULL) or return. */
static json_t *list_order(const struct ls_plan *plan, const size_t *returns, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    size_t chunk = returns == NULL ? i : returns[i];
    json_array_append_new(list, json_integer((json_int_t)plan->chunks[chunk].worker));
  }
  return list;
}

/* The plan as `loadstar plan --json` prints it, and the fields that the vectors call by other
 * names. */
static enum ls_status describe_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                                    json_t **got, struct ls_error *err) {
  struct ls_bytes text = {0};
  json_t *document = NULL;
  ls_plan_write(plan, platform, &text);
  enum ls_status status =
      text.failed ? ls_fail(err, LS_ENOMEM, "no memory for a plan")
                  : ls_json_parse((struct ls_text){ls_bytes_text(&text), text.length, "the plan"},
                                  &document, err);
  ls_bytes_close(&text);
  if (status != LS_OK) return status;
  json_object_set_new(document, "units", list_units(plan, platform));
  json_object_set_new(document, "finish", list_ends(plan, platform));
  json_object_set(document, "events", json_object_get(document, "chunks"));
  const json_t *parameters = json_object_get(document, "parameters");
  if (json_object_get(parameters, "send_order") == NULL)
    json_object_set_new(document, "send_order", list_order(plan, NULL, plan->chunks_count));
  if (json_object_get(parameters, "return_order") == NULL && plan->has_returns)
    json_object_set_new(document, "return_order",
                        list_order(plan, plan->returns, plan->returns_count));
  *got = document;
  return LS_OK;
}

/* A platform that no planner can accept is an answer to compare, not a fault of the file. */
static enum ls_status describe_refusal(const struct ls_error *reason, json_t **got,
                                       struct ls_error *err) {
  *got = json_pack("{s:s, s:s}", "outcome", "refused", "why", reason->text);
  return *got != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for a refusal");
}

static enum ls_status need_platform(const struct ls_check_record *record, struct ls_error *err) {
  if (record->has_platform) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s has no platform, which kind %s needs", record->id,
                 record->kind);
}

/* Records list every chunk, whatever repeats. */
static enum ls_status write_out(struct ls_plan *plan, const struct ls_platform *platform,
                                struct ls_error *err) {
  if (!ls_plan_repeats(plan)) return LS_OK;
  enum ls_status status = ls_plan_unfold(plan, err);
  return status == LS_OK ? ls_replay(plan, platform, err) : status;
}

static enum ls_status evaluate_plan(const struct ls_check_record *record, json_t **got,
                                    struct ls_error *err) {
  const struct ls_planner *planner = NULL;
  struct ls_planner_setup setup = {.platform = &record->platform};
  struct ls_planner_limits limits = {.load = record->load};
  struct ls_planner_clock clock;
  struct ls_plan plan;
  enum ls_status status = need_platform(record, err);
  if (status == LS_OK) status = ls_planner_parse(record->algorithm, &planner, &setup, err);
  if (status != LS_OK) return status;
  if (record->arguments.value != NULL)
    status = ls_planner_options_read(planner, &setup, &record->arguments, err);
  if (status != LS_OK) {
    ls_arguments_close(&setup.arguments);
    return status;
  }
  ls_planner_limits_apply(&limits, planner, &clock, &setup);
  struct ls_error reason = {0};
  status = ls_planner_run(planner, &setup, record->algorithm, &plan, &reason);
  if (status == LS_EINVAL) {
    status = describe_refusal(&reason, got, err);
  } else if (status != LS_OK) {
    status = ls_fail(err, status, "%s", reason.text);
  } else {
    if (plan.outcome == LS_PLAN_OK) status = write_out(&plan, &record->platform, err);
    if (status == LS_OK && plan.outcome == LS_PLAN_OK)
      status = ls_validate_plan(&plan, &record->platform, err);
    if (status == LS_OK) status = describe_plan(&plan, &record->platform, got, err);
  }
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  return status;
}

/* The arguments but `stage_ahead`, as text; the caller frees it. */
static char *write_chunks(const struct ls_json *arguments) {
  json_t *plan = json_copy((json_t *)arguments->value);
  if (json_is_object(plan)) json_object_del(plan, "stage_ahead");
  char *text = json_dumps(plan, JSON_REAL_PRECISION(17));
  json_decref(plan);
  return text;
}

/* The arguments are a plan: chunks, and perhaps returns; beside them how far readers are ahead. */
static enum ls_status evaluate_replay(const struct ls_check_record *record, json_t **got,
                                      struct ls_error *err) {
  struct ls_plan plan;
  struct ls_platform platform = record->platform;
  struct ls_json place = ls_json_member(&record->arguments, "stage_ahead");
  uint64_t ahead = platform.stage_ahead;
  enum ls_status status = need_platform(record, err);
  if (status == LS_OK && place.value != NULL)
    status = ls_json_whole(&place, 0, LS_STAGE_AHEAD_MOST, &ahead, err);
  if (status != LS_OK) return status;
  platform.stage_ahead = (uint32_t)ahead;
  char *text = write_chunks(&record->arguments);
  if (text == NULL)
    return ls_fail(err, LS_EINVAL, "%s: arguments are missing, expected chunks", record->id);
  status = ls_plan_read(&plan, (struct ls_text){text, strlen(text), record->id}, &platform, err);
  free(text);
  if (status != LS_OK) return status;
  status = describe_plan(&plan, &platform, got, err);
  ls_plan_close(&plan);
  return status;
}

static enum ls_status evaluate_largest_remainder(const struct ls_check_record *record, json_t **got,
                                                 struct ls_error *err) {
  struct ls_json shares = ls_json_member(&record->arguments, "shares");
  size_t count = 0;
  enum ls_status status = ls_json_array(&shares, &count, err);
  const double most = 9007199254740992.0; /* 2^53 */
  if (status == LS_OK && !(record->load <= most))
    status = ls_fail(err, LS_EINVAL, "%s: load is %g, expected at most %g", record->id,
                     record->load, most);
  if (status != LS_OK) return status;
  double *values = calloc(count + 1, sizeof *values);
  uint64_t *units = calloc(count + 1, sizeof *units);
  json_t *list = json_array();
  if (values == NULL || units == NULL || list == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu shares", count);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json share = ls_json_item(&shares, i);
    status = ls_json_real(&share, 0, DBL_MAX, &values[i], err);
  }
  if (status == LS_OK) status = ls_load_round(values, count, (uint64_t)record->load, units, err);
  for (size_t i = 0; i < count && status == LS_OK; i++)
    json_array_append_new(list, json_integer((json_int_t)units[i]));
  if (status == LS_OK) *got = json_pack("{s:O}", "units", list);
  json_decref(list);
  free(units);
  free(values);
  return status;
}

const struct ls_check_kind ls_check_kind_plan = {.name = "plan", .evaluate = evaluate_plan};
const struct ls_check_kind ls_check_kind_replay = {.name = "replay", .evaluate = evaluate_replay};
const struct ls_check_kind ls_check_kind_largest_remainder = {
    .name = "largest-remainder", .evaluate = evaluate_largest_remainder};
