/* check_self_adjust.c: records of kind self-adjust: one step of the self-adjusting rule. */
#include <float.h>
#include <stdlib.h>

#include "lab/check/check_numbers.h"
#include "lab/check/check_tasks.h"
#include "policies/sizing.h"

static enum ls_status read_facts(const struct ls_check_record *record, struct ls_task_facts *facts,
                                 struct ls_error *err) {
  struct ls_json place = ls_json_member(&record->arguments, "task_seconds");
  size_t count = 0;
  enum ls_status status = ls_json_array(&place, &count, err);
  if (status == LS_OK && count == 0) status = ls_json_refuse(&place, "seconds of tasks", err);
  if (status != LS_OK) return status;
  double *seconds = calloc(count, sizeof *seconds);
  if (seconds == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu tasks", count);
  status = ls_check_numbers(&place, count, false, seconds, err);
  if (status == LS_OK) status = ls_task_facts(seconds, count, facts, err);
  free(seconds);
  return status;
}

static enum ls_status read_figures(const struct ls_check_record *record, struct ls_self_step *step,
                                   struct ls_error *err) {
  uint64_t wanted = 0, current = 0;
  struct ls_json seconds = ls_json_member(&record->arguments, "iteration_seconds");
  struct ls_json efficiency = ls_json_member(&record->arguments, "efficiency");
  struct ls_json is_first = ls_json_member(&record->arguments, "first");
  struct ls_json is_literal = ls_json_member(&record->arguments, "literal");
  enum ls_status status = ls_check_whole(record, "wanted", 1, &wanted, err);
  if (status == LS_OK) status = ls_check_whole(record, "current", 1, &current, err);
  if (status == LS_OK) status = ls_json_real(&seconds, 0, DBL_MAX, &step->iteration_seconds, err);
  if (status == LS_OK) status = ls_json_real(&efficiency, 0, DBL_MAX, &step->efficiency, err);
  if (status == LS_OK && is_first.value != NULL)
    status = ls_json_bool(&is_first, &step->is_first, err);
  if (status == LS_OK && is_literal.value != NULL)
    status = ls_json_bool(&is_literal, &step->is_literal, err);
  step->wanted = (size_t)wanted;
  step->current = (size_t)current;
  return status;
}

static enum ls_status evaluate_self_adjust(const struct ls_check_record *record, json_t **got,
                                           struct ls_error *err) {
  static const char *const known[] = {"wanted",     "current", "task_seconds", "iteration_seconds",
                                      "efficiency", "first",   "literal",      NULL};
  struct ls_self_step step = {.slack = 0.15, .efficiency_least = 0.8};
  enum ls_status status = ls_json_object(&record->arguments, known, err);
  if (status == LS_OK) status = read_facts(record, &step.tasks, err);
  if (status == LS_OK) status = read_figures(record, &step, err);
  if (status != LS_OK) return status;
  size_t tasks = step.tasks.tasks;
  size_t wanted = ls_sizing_clamp(ls_sizing_self_step(&step), tasks, tasks);
  *got = json_pack("{s:I}", "wanted", (json_int_t)wanted);
  return *got != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for an answer");
}

const struct ls_check_kind ls_check_kind_self_adjust = {"self-adjust", evaluate_self_adjust};
