#include "cli/calibrate/calibrate_roads.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "runtime/journal/past/journal_course.h"

enum ls_status ls_calibrate_roads_read(const char *const *paths, struct ls_roads_setup *setup,
                                       struct ls_platform *platform, struct ls_roads *roads,
                                       struct ls_error *err) {
  struct ls_run_course *courses = calloc(setup->count, sizeof *courses);
  size_t read = 0;
  if (courses == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu runs", setup->count);
  enum ls_status status = LS_OK;
  while (read < setup->count && status == LS_OK) {
    status = ls_journal_course_read(paths[read], &courses[read], err);
    if (status == LS_OK) read++;
  }
  setup->courses = courses;
  if (status == LS_OK) status = ls_roads_compare(setup, platform, roads, err);
  setup->courses = NULL;
  for (size_t i = 0; i < read; i++) ls_run_course_close(&courses[i]);
  free(courses);
  return status;
}

static double find_error(double predicted, double happened) {
  return 100 * (predicted / happened - 1);
}

static void write_prediction(double predicted, double happened, struct ls_bytes *out) {
  if (isnan(predicted))
    ls_bytes_printf(out, " %12s %11s", "-", "-");
  else
    ls_bytes_printf(out, " %12.5g %+9.2f %%", predicted, find_error(predicted, happened));
}

void ls_roads_write_text(const struct ls_roads *roads, const char *const *paths,
                         struct ls_bytes *out) {
  double sums[2] = {0, 0}, counts[2] = {0, 0};
  ls_bytes_printf(out, "\nMakespans, s; %s\n  %-28s %12s %24s %24s\n",
                  roads->is_held_out ? "each run is predicted from the others"
                                     : "there is one run, which both estimators have seen",
                  "", "happened", "by measurements", "by makespans");
  for (size_t i = 0; i < roads->count; i++) {
    const struct ls_roads_run *run = &roads->runs[i];
    const double predicted[] = {run->by_measurements_s, run->by_makespans_s};
    ls_bytes_printf(out, "  %-28s %12.5g", paths[i], run->happened_s);
    for (size_t road = 0; road < 2; road++) {
      write_prediction(predicted[road], run->happened_s, out);
      if (isnan(predicted[road])) continue;
      sums[road] += fabs(find_error(predicted[road], run->happened_s));
      counts[road]++;
    }
    ls_bytes_append_char(out, '\n');
  }
  ls_bytes_printf(out, "  %-28s %12s", "mean error, either way", "");
  for (size_t road = 0; road < 2; road++)
    ls_bytes_printf(out, " %22.2f %%", counts[road] > 0 ? sums[road] / counts[road] : 0);
  ls_bytes_printf(
      out,
      "\nThe platform comes by makespans: a transfer takes %+.4g s a chunk and %+.4g s "
      "a unit,\ncomputing %+.4g s a chunk; rates of computing are multiplied by %.4f%s\n",
      roads->fit.transfer_latency_s, roads->fit.transfer_per_unit_s, roads->fit.compute_latency_s,
      roads->fit.compute_factor, roads->fit.is_stopped ? " (the search was stopped)" : "");
}

void ls_roads_write_json(const struct ls_roads *roads, const char *const *paths,
                         struct ls_bytes *out) {
  ls_bytes_printf(out, "{\"held_out\": %s", roads->is_held_out ? "true" : "false");
  ls_json_write_field(out, ", ", "transfer_latency", roads->fit.transfer_latency_s);
  ls_json_write_field(out, ", ", "transfer_per_unit", roads->fit.transfer_per_unit_s);
  ls_json_write_field(out, ", ", "compute_latency", roads->fit.compute_latency_s);
  ls_json_write_field(out, ", ", "compute_factor", roads->fit.compute_factor);
  ls_json_write_field(out, ", ", "error_before", roads->fit.error_before);
  ls_json_write_field(out, ", ", "error_after", roads->fit.error_after);
  ls_bytes_printf(out, ", \"stopped\": %s,\n    \"runs\": [",
                  roads->fit.is_stopped ? "true" : "false");
  for (size_t i = 0; i < roads->count; i++) {
    const struct ls_roads_run *run = &roads->runs[i];
    ls_bytes_append_text(out, i > 0 ? ",\n     {\"journal\": " : "\n     {\"journal\": ");
    ls_json_write_string(out, paths[i]);
    ls_json_write_field(out, ", ", "happened", run->happened_s);
    ls_json_write_field(out, ", ", "by_measurements", run->by_measurements_s);
    ls_json_write_field(out, ", ", "by_makespans", run->by_makespans_s);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "]}");
}
