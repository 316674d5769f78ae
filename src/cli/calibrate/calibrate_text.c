#include "cli/calibrate/calibrate_text.h"

#include <math.h>
#include <stdio.h>

enum { NAMES_SHOWN = 8, WORKERS_SHOWN = 40 };

static void write_heading(const struct ls_calibrate_result *result, struct ls_bytes *out) {
  const struct ls_measurements *measurements = &result->sources->measurements;
  ls_bytes_printf(out, "%zu measurement%s of %zu worker%s", measurements->count,
                  measurements->count == 1 ? "" : "s", measurements->workers_count,
                  measurements->workers_count == 1 ? "" : "s");
  if (result->files > 0)
    ls_bytes_printf(out, " in %zu file%s", result->files, result->files == 1 ? "" : "s");
  if (result->probe != NULL)
    ls_bytes_printf(out, ", measured with seed %llu", (unsigned long long)result->probe->seed);
  if (result->sources->failed > 0)
    ls_bytes_printf(out, "; %llu not completed left out",
                    (unsigned long long)result->sources->failed);
  ls_bytes_append_char(out, '\n');
  if (measurements->workers_count == 1) return;
  size_t groups = result->calibration->groups_count;
  if (groups == 1)
    ls_bytes_append_text(out, "The workers are alike");
  else
    ls_bytes_printf(out, "The workers differ, in %zu groups", groups);
  if (isnan(result->tolerance))
    ls_bytes_append_text(out, " (within 5 %, or what noise explains)\n");
  else
    ls_bytes_printf(out, " within TOL %.6g: a group's law is at most (x + 1) %.6g s off\n",
                    result->tolerance, result->tolerance);
}

static void write_group_names(const struct ls_calibrate_result *result, size_t group,
                              struct ls_bytes *out) {
  const struct ls_calibration *calibration = result->calibration;
  size_t shown = 0, all = calibration->groups[group].workers_count;
  for (size_t i = 0; i < calibration->workers_count && shown < NAMES_SHOWN; i++) {
    if (calibration->workers[i].group != group) continue;
    ls_bytes_printf(out, "%s%s", shown > 0 ? ", " : "", result->sources->measurements.workers[i]);
    shown++;
  }
  if (all > shown) ls_bytes_printf(out, " and %zu more", all - shown);
}

static void write_interval(const struct ls_interval *interval, struct ls_bytes *out) {
  char text[64] = "-";
  if (!isnan(interval->least))
    (void)snprintf(text, sizeof text, "%.4g..%.4g", interval->least, interval->most);
  ls_bytes_printf(out, "  %-22s", text);
}

static void write_fit(unsigned measured, const struct ls_affine_fit *fit, struct ls_bytes *out) {
  ls_bytes_printf(out, "    %-9s %11.5g", ls_measured_name(measured), fit->law.latency_s);
  write_interval(&fit->latency_s, out);
  ls_bytes_printf(out, "%11.5g", fit->law.per_unit_s);
  write_interval(&fit->per_unit_s, out);
  ls_bytes_printf(out, "%8zu %8zu\n", fit->count, fit->outliers);
}

/* A raw coefficient below 0 is not in the law. */
static void write_raw(unsigned measured, const struct ls_affine_fit *fit, struct ls_bytes *out) {
  if (fit->count == 0 || (fit->raw.latency_s >= 0 && fit->raw.per_unit_s >= 0)) return;
  ls_bytes_printf(out, "    %s as measured: latency %.6g s, %.6g s a unit; no cost may be < 0\n",
                  ls_measured_name(measured), fit->raw.latency_s, fit->raw.per_unit_s);
}

static void write_next(const struct ls_calibrated_window *window, unsigned measured,
                       struct ls_bytes *out) {
  ls_bytes_append_text(out, "; worth measuring next:");
  for (size_t i = 0; i < LS_CALIBRATED_NEXT; i++)
    ls_bytes_printf(out, "%s %.6g", i > 0 ? "," : "", window->next_units[measured][i]);
  ls_bytes_append_text(out, " units\n");
}

/* What the measurements cannot tell, and which sizes would. */
static void write_doubts(const struct ls_calibrated_window *window, struct ls_bytes *out) {
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
    const struct ls_affine_fit *fit = &window->fits[j];
    if (fit->count == 0) continue;
    if (fit->is_rate_bounded)
      ls_bytes_printf(out, "    %s: larger chunks came at %.6g s a unit or less: half of that\n",
                      ls_measured_name(j), fit->per_unit_s.most);
    if (!fit->is_told_apart) {
      ls_bytes_printf(
          out, "    %s: latency and rate cannot be told apart, all chunks are of %.6g unit%s",
          ls_measured_name(j), fit->units_most, fit->units_most > 1 ? "s" : "");
      write_next(window, j, out);
    } else if (isnan(fit->latency_s.least) ||
               fit->per_unit_s.most - fit->per_unit_s.least > fabs(fit->raw.per_unit_s)) {
      ls_bytes_printf(out, "    %s: the rate is hardly known", ls_measured_name(j));
      write_next(window, j, out);
    }
  }
}

static const char *tell_limits(const struct ls_calibrated_window *window) {
  if (window->is_limited_below && window->is_limited_above) return "; other laws on both sides";
  if (window->is_limited_below) return "; another law below";
  return window->is_limited_above ? "; another law above" : "";
}

static void write_window(const struct ls_calibrated_window *window, bool is_best,
                         struct ls_bytes *out) {
  if (isinf(window->units_from)) {
    ls_bytes_append_text(out, "  no operation was measured, only tasks\n");
    return;
  }
  ls_bytes_printf(out, "  %.6g to %.6g units", window->units_from, window->units_to);
  if (window->sizes > 0)
    ls_bytes_printf(out, ", an affine window: %zu sizes, %.2g %% outliers, %.2g %% held out",
                    window->sizes, 100 * window->outliers, 100 * window->held_out);
  else
    ls_bytes_append_text(out, ", taken as one law");
  ls_bytes_printf(out, "%s%s\n", tell_limits(window), is_best ? "; of least cost" : "");
  ls_bytes_printf(out, "    %-9s %11s  %-22s%11s  %-22s%8s %8s\n", "operation", "latency, s",
                  "90 %", "per unit, s", "90 %", "points", "outliers");
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++)
    if (window->fits[j].count > 0) write_fit(j, &window->fits[j], out);
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) write_raw(j, &window->fits[j], out);
  write_doubts(window, out);
}

static bool is_measured(const struct ls_calibrated_group *group, unsigned measured) {
  for (size_t w = 0; w < group->windows_count; w++)
    if (group->windows[w].fits[measured].count > 0) return true;
  return false;
}

/* What has no measurement of its own: it is in that of transfers, or stays free on a platform. Who
 * staged nothing has nothing to measure. */
static void write_unmeasured(const struct ls_measurements *measurements,
                             const struct ls_calibrated_group *group, bool is_in_transfer,
                             struct ls_bytes *out) {
  size_t missing = 0;
  bool has_transfer = is_measured(group, LS_OPERATION_TRANSFER);
  for (unsigned j = 0; j < LS_OPERATION_COUNT; j++) {
    bool is_part = has_transfer && (measurements->in_transfer >> j & 1) != 0;
    if (is_part != is_in_transfer || is_measured(group, j) || j == LS_OPERATION_STAGE) continue;
    ls_bytes_append_text(out, missing > 0      ? ", "
                              : is_in_transfer ? "  in transfer, a run does not tell them apart: "
                                               : "  not measured, so without a cost: ");
    ls_bytes_append_text(out, ls_measured_name(j));
    missing++;
  }
  if (missing > 0) ls_bytes_append_char(out, '\n');
}

static void write_groups(const struct ls_calibrate_result *result, struct ls_bytes *out) {
  for (size_t i = 0; i < result->calibration->groups_count; i++) {
    const struct ls_calibrated_group *group = &result->calibration->groups[i];
    size_t best = ls_calibrated_group_best(group);
    ls_bytes_append_char(out, '\n');
    write_group_names(result, i, out);
    ls_bytes_append_char(out, '\n');
    for (size_t w = 0; w < group->windows_count; w++)
      write_window(&group->windows[w], group->windows_count > 1 && w == best, out);
    if (group->segments > group->windows_count)
      ls_bytes_printf(out, "  %zu of %zu stretches of sizes keep to no law: transitions\n",
                      group->segments - group->windows_count, group->segments);
    if (group->outside > 0)
      ls_bytes_printf(out, "  %zu measurement%s of sizes in no window; no law is fitted to %s\n",
                      group->outside, group->outside == 1 ? "" : "s",
                      group->outside == 1 ? "it" : "them");
    write_unmeasured(&result->sources->measurements, group, true, out);
    write_unmeasured(&result->sources->measurements, group, false, out);
  }
}

/* What transfers that met on their way said. */
static void write_links(const struct ls_measurements *measurements, struct ls_bytes *out) {
  static const char *const texts[] = {
      [LS_LINKS_UNKNOWN] =
          "too few were on their way together to tell whether workers share an "
          "uplink; the platform has two ports, as if they did",
      [LS_LINKS_SEPARATE] =
          "together they take as long as alone, so each worker has a link of its "
          "own; the platform is multi-port",
      [LS_LINKS_SHARED] =
          "together they take longer, so workers share an uplink; the platform has "
          "two ports, and the times are those of a transfer alone"};
  if (measurements->timed == 0) return;
  ls_bytes_printf(out, "\n%zu transfers were timed: %s\n", measurements->timed,
                  texts[measurements->links]);
}

static void write_workers(const struct ls_calibrate_result *result, struct ls_bytes *out) {
  const struct ls_calibration *calibration = result->calibration;
  ls_bytes_printf(out, "\n%-20s %8s %8s %11s %11s  %-12s %s\n", "worker", "factor", "tasks",
                  "mean, s", "deviation", "law", "plausible");
  for (size_t i = 0; i < calibration->workers_count && i < WORKERS_SHOWN; i++) {
    const struct ls_calibrated_worker *worker = &calibration->workers[i];
    ls_bytes_printf(out, "%-20s", result->sources->measurements.workers[i]);
    if (isnan(worker->factor))
      ls_bytes_printf(out, " %8s", "-");
    else
      ls_bytes_printf(out, " %8.4f", worker->factor);
    ls_bytes_printf(out, " %8zu", worker->tasks.count);
    if (worker->tasks.count > 0) {
      ls_bytes_printf(out, " %11.5g %11.5g  %-12s", worker->tasks.mean_s, worker->tasks.deviation_s,
                      ls_duration_law_name(worker->tasks.law));
      if (isnan(worker->tasks.plausibility))
        ls_bytes_append_text(out, " -");
      else
        ls_bytes_printf(out, " %.3g", worker->tasks.plausibility);
    }
    ls_bytes_append_char(out, '\n');
  }
  if (calibration->workers_count > WORKERS_SHOWN)
    ls_bytes_printf(out, "and %zu more\n", calibration->workers_count - WORKERS_SHOWN);
}

void ls_calibrate_write_text(const struct ls_calibrate_result *result, struct ls_bytes *out) {
  write_heading(result, out);
  write_groups(result, out);
  write_links(&result->sources->measurements, out);
  write_workers(result, out);
  if (result->no_platform != NULL)
    ls_bytes_printf(out, "\nThis makes no platform: %s\n", result->no_platform);
}
