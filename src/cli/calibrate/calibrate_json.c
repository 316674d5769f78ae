#include <math.h>

#include "base/json.h"
#include "cli/calibrate/calibrate_text.h"

static void write_pair(const char *name, double first, double second, struct ls_bytes *out) {
  ls_bytes_printf(out, "\"%s\": [", name);
  ls_json_write_number(out, first);
  ls_bytes_append_text(out, ", ");
  ls_json_write_number(out, second);
  ls_bytes_append_char(out, ']');
}

static void write_cost(const struct ls_cost *cost, struct ls_bytes *out) {
  ls_json_write_field(out, "", "latency", cost->latency_s);
  ls_json_write_field(out, ", ", "per_unit", cost->per_unit_s);
}

static void write_fit(const struct ls_calibrated_window *window, unsigned measured,
                      struct ls_bytes *out) {
  const struct ls_affine_fit *fit = &window->fits[measured];
  ls_bytes_printf(out, ",\n       \"%s\": {", ls_measured_name(measured));
  write_cost(&fit->law, out);
  ls_bytes_append_text(out, ", \"raw\": {");
  write_cost(&fit->raw, out);
  ls_bytes_append_text(out, "}, \"interval\": {");
  write_pair("latency", fit->latency_s.least, fit->latency_s.most, out);
  ls_bytes_append_text(out, ", ");
  write_pair("per_unit", fit->per_unit_s.least, fit->per_unit_s.most, out);
  ls_bytes_printf(out, "}, \"points\": %zu, \"outliers\": %zu, \"noise\": {", fit->count,
                  fit->outliers);
  ls_json_write_field(out, "", "constant", fit->noise_s);
  ls_json_write_field(out, ", ", "share", fit->noise_share);
  ls_bytes_printf(out, "}, \"told_apart\": %s, \"next_units\": [",
                  fit->is_told_apart ? "true" : "false");
  for (size_t i = 0; i < LS_CALIBRATED_NEXT; i++) {
    ls_bytes_append_text(out, i > 0 ? ", " : "");
    ls_json_write_number(out, window->next_units[measured][i]);
  }
  ls_bytes_append_text(out, "]}");
}

static void write_window(const struct ls_calibrated_window *window, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{");
  ls_json_write_field(out, "", "from", window->units_from);
  ls_json_write_field(out, ", ", "to", window->units_to);
  ls_bytes_printf(out, ", \"limited_below\": %s, \"limited_above\": %s, \"sizes\": %zu, ",
                  window->is_limited_below ? "true" : "false",
                  window->is_limited_above ? "true" : "false", window->sizes);
  ls_json_write_field(out, "", "outliers", window->outliers);
  ls_json_write_field(out, ", ", "held_out", window->held_out);
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++)
    if (window->fits[j].count > 0) write_fit(window, j, out);
  ls_bytes_append_char(out, '}');
}

static void write_group(const struct ls_calibrate_result *result, size_t number,
                        struct ls_bytes *out) {
  const struct ls_calibrated_group *group = &result->calibration->groups[number];
  const char *separator = "";
  ls_bytes_append_text(out, "{\"workers\": [");
  for (size_t i = 0; i < result->calibration->workers_count; i++) {
    if (result->calibration->workers[i].group != number) continue;
    ls_bytes_append_text(out, separator);
    ls_json_write_string(out, result->sources->measurements.workers[i]);
    separator = ", ";
  }
  ls_bytes_printf(out,
                  "],\n     \"segments\": %zu, \"outside\": %zu, \"best\": %zu, \"windows\": [",
                  group->segments, group->outside, ls_calibrated_group_best(group));
  for (size_t w = 0; w < group->windows_count; w++) {
    ls_bytes_append_text(out, w > 0 ? ",\n      " : "\n      ");
    write_window(&group->windows[w], out);
  }
  ls_bytes_append_text(out, "]}");
}

static void write_worker(const struct ls_calibrated_worker *worker, const char *name,
                         struct ls_bytes *out) {
  ls_bytes_append_text(out, "{\"name\": ");
  ls_json_write_string(out, name);
  ls_bytes_printf(out, ", \"group\": %u, ", (unsigned)worker->group);
  ls_json_write_field(out, "", "factor", worker->factor);
  ls_bytes_append_text(out, ", \"task_seconds\": ");
  if (worker->tasks.count == 0) {
    ls_bytes_append_text(out, "null}");
    return;
  }
  ls_bytes_printf(out, "{\"law\": \"%s\", ", ls_duration_law_name(worker->tasks.law));
  ls_json_write_field(out, "", "mean", worker->tasks.mean_s);
  ls_json_write_field(out, ", ", "deviation", worker->tasks.deviation_s);
  ls_bytes_printf(out, ", \"count\": %zu, ", worker->tasks.count);
  ls_json_write_field(out, "", "plausibility", worker->tasks.plausibility);
  ls_bytes_append_text(out, "}}");
}

static void write_in_transfer(const struct ls_measurements *measurements, struct ls_bytes *out) {
  const char *separator = "";
  ls_bytes_append_text(out, "\"in_transfer\": [");
  for (unsigned j = 0; j < LS_OPERATION_COUNT; j++) {
    if ((measurements->in_transfer >> j & 1) == 0) continue;
    ls_bytes_printf(out, "%s\"%s\"", separator, ls_measured_name(j));
    separator = ", ";
  }
  ls_bytes_append_text(out, "], ");
}

static const char *or_else(const char *text, const char *otherwise) {
  return text == NULL ? otherwise : text;
}

void ls_calibrate_write_json(const struct ls_calibrate_result *result,
                             const struct ls_calibrate_parts *parts, struct ls_bytes *out) {
  static const char *const links[] = {[LS_LINKS_UNKNOWN] = "null",
                                      [LS_LINKS_SEPARATE] = "\"separate\"",
                                      [LS_LINKS_SHARED] = "\"shared\""};
  const struct ls_calibration *calibration = result->calibration;
  const struct ls_measurements *measurements = &result->sources->measurements;
  ls_bytes_printf(out, "{ \"measurements\": %zu, \"failed\": %llu, ", measurements->count,
                  (unsigned long long)result->sources->failed);
  if (result->probe != NULL)
    ls_bytes_printf(out, "\"seed\": %llu, ", (unsigned long long)result->probe->seed);
  write_in_transfer(measurements, out);
  ls_bytes_printf(out, "\"transfers_timed\": %zu, \"links\": %s, ", measurements->timed,
                  links[measurements->links]);
  ls_json_write_field(out, "", "tolerance", result->tolerance);
  ls_json_write_field(out, ", ", "factor_units", calibration->factor_units);
  ls_bytes_append_text(out, ",\n  \"groups\": [");
  for (size_t i = 0; i < calibration->groups_count; i++) {
    ls_bytes_append_text(out, i > 0 ? ",\n    " : "\n    ");
    write_group(result, i, out);
  }
  ls_bytes_append_text(out, "],\n  \"workers\": [");
  for (size_t i = 0; i < calibration->workers_count; i++) {
    ls_bytes_append_text(out, i > 0 ? ",\n    " : "\n    ");
    write_worker(&calibration->workers[i], measurements->workers[i], out);
  }
  ls_bytes_append_text(out, "],\n  \"platform\": ");
  ls_bytes_append_text(out, or_else(parts->platform, "null"));
  if (result->no_platform != NULL) {
    ls_bytes_append_text(out, ",\n  \"no_platform\": ");
    ls_json_write_string(out, result->no_platform);
  }
  ls_bytes_printf(out, ",\n  \"makespan_fit\": %s,\n  \"checks\": [%s] }\n",
                  or_else(parts->roads, "null"), or_else(parts->checks, ""));
}
