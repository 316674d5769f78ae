#include "cli/run/run_learnt.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

enum { NAMES_SHOWN = 4, GROUPS_SHOWN = 4 };

enum ls_status ls_run_learnt_make(const struct ls_course_rows *rows, struct ls_run_learnt *learnt,
                                  struct ls_error *err) {
  struct ls_run_learnt made = {.has_laws = false};
  /* As `loadstar calibrate` without options. */
  const struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  *learnt = made;
  if (ls_course_rows_copy(rows, &made.course) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for what was learnt");
  enum ls_status status =
      ls_run_course_measure(&made.course, &made.measurements, &made.failed, err);
  if (status == LS_OK && made.measurements.count > 0) {
    status = ls_calibrate(&made.measurements, &options, &made.calibration, err);
    made.has_laws = status == LS_OK;
  }
  if (status == LS_OK)
    *learnt = made;
  else
    ls_run_learnt_close(&made);
  return status;
}

void ls_run_learnt_close(struct ls_run_learnt *learnt) {
  if (learnt->has_laws) ls_calibration_close(&learnt->calibration);
  ls_measurements_close(&learnt->measurements);
  ls_run_course_close(&learnt->course);
  *learnt = (struct ls_run_learnt){.has_laws = false};
}

static const struct ls_calibrated_window *find_best(const struct ls_calibrated_group *group) {
  return &group->windows[ls_calibrated_group_best(group)];
}

static void write_names(const struct ls_run_learnt *learnt, size_t group, struct ls_bytes *out) {
  const struct ls_calibration *calibration = &learnt->calibration;
  size_t shown = 0, all = calibration->groups[group].workers_count;
  for (size_t i = 0; i < calibration->workers_count && shown < NAMES_SHOWN; i++) {
    if (calibration->workers[i].group != group) continue;
    ls_bytes_printf(out, "%s%s", shown > 0 ? ", " : "", learnt->measurements.workers[i]);
    shown++;
  }
  if (all > shown) ls_bytes_printf(out, " and %zu more", all - shown);
  ls_bytes_append_text(out, ": ");
}

static void write_interval(const struct ls_interval *interval, struct ls_bytes *out) {
  if (isnan(interval->least))
    ls_bytes_append_char(out, '-');
  else
    ls_bytes_printf(out, "%.4g..%.4g", interval->least, interval->most);
}

static void write_law(const struct ls_affine_fit *fit, struct ls_bytes *out) {
  if (fit->is_told_apart) ls_bytes_printf(out, "%.5g s + ", fit->law.latency_s);
  ls_bytes_printf(out, "%.5g s a unit (90 %%: ", fit->law.per_unit_s);
  if (fit->is_told_apart) {
    write_interval(&fit->latency_s, out);
    ls_bytes_append_text(out, " and ");
  }
  write_interval(&fit->per_unit_s, out);
  ls_bytes_append_char(out, ')');
  if (!fit->is_told_apart)
    ls_bytes_printf(out, ", latency not told apart: all chunks are of %.6g", fit->units_most);
}

/* Seconds of the largest chunk. */
static double price(const struct ls_affine_fit *fit) {
  return fit->count > 0 ? ls_cost_time(&fit->law, fit->units_most) : 0;
}

/* What takes less than a thousandth of computing is left to `loadstar calibrate`. */
static bool is_told(const struct ls_calibrated_window *window, unsigned operation) {
  const struct ls_affine_fit *fit = &window->fits[operation];
  double compute_s = price(&window->fits[LS_OPERATION_COMPUTE]);
  return fit->count > 0 && (operation == LS_OPERATION_COMPUTE || price(fit) > 1e-3 * compute_s);
}

void ls_run_learnt_write(const struct ls_run_learnt *learnt, struct ls_bytes *out) {
  if (!learnt->has_laws) return;
  const struct ls_calibration *calibration = &learnt->calibration;
  for (size_t i = 0; i < calibration->groups_count && i < GROUPS_SHOWN; i++) {
    const struct ls_calibrated_window *window = find_best(&calibration->groups[i]);
    size_t laws = 0;
    ls_bytes_printf(out, "%-10s ", i == 0 ? "learnt" : "");
    if (calibration->groups_count > 1) write_names(learnt, i, out);
    for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
      if (!is_told(window, j)) continue;
      ls_bytes_printf(out, "%s%s ", laws++ > 0 ? "; " : "", ls_measured_name(j));
      write_law(&window->fits[j], out);
    }
    ls_bytes_append_char(out, '\n');
  }
  if (calibration->groups_count > GROUPS_SHOWN)
    ls_bytes_printf(out, "           and %zu more groups of workers\n",
                    calibration->groups_count - GROUPS_SHOWN);
}

static void write_number(const char *name, double number, struct ls_bytes *out) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  ls_json_write_number(out, number);
}

static void write_pair(const char *name, const struct ls_interval *pair, struct ls_bytes *out) {
  ls_bytes_printf(out, ", \"%s\": [", name);
  ls_json_write_number(out, pair->least);
  ls_bytes_append_text(out, ", ");
  ls_json_write_number(out, pair->most);
  ls_bytes_append_char(out, ']');
}

void ls_run_learnt_write_json(const struct ls_run_learnt *learnt, struct ls_bytes *out) {
  size_t written = 0;
  ls_bytes_append_char(out, '[');
  for (size_t i = 0; learnt->has_laws && i < learnt->calibration.workers_count; i++) {
    const struct ls_calibrated_window *window =
        find_best(&learnt->calibration.groups[learnt->calibration.workers[i].group]);
    for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
      const struct ls_affine_fit *fit = &window->fits[j];
      if (fit->count == 0) continue;
      ls_bytes_append_text(out, written++ > 0 ? ", {\"worker\": " : "{\"worker\": ");
      ls_json_write_string(out, learnt->measurements.workers[i]);
      ls_bytes_printf(out, ", \"operation\": \"%s\"", ls_measured_name(j));
      write_number("latency", fit->law.latency_s, out);
      write_number("per_unit", fit->law.per_unit_s, out);
      write_pair("latency_90", &fit->latency_s, out);
      write_pair("per_unit_90", &fit->per_unit_s, out);
      ls_bytes_printf(out, ", \"points\": %zu}", fit->count);
    }
  }
  ls_bytes_append_char(out, ']');
}
