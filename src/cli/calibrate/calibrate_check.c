#include "cli/calibrate/calibrate_check.h"

#include <math.h>

#include "base/json.h"

/* What the prediction is off, in percent of what happened. */
static double find_error(double predicted, double happened) {
  return 100 * (predicted / happened - 1);
}

static void write_row(const char *name, double predicted, double happened, struct ls_bytes *out) {
  ls_bytes_printf(out, "  %-28s %12.5g %12.5g", name, predicted, happened);
  if (happened > 0)
    ls_bytes_printf(out, " %+9.2f %%\n", find_error(predicted, happened));
  else
    ls_bytes_append_text(out, "         -\n");
}

static const char *name_worker(const struct ls_run_course *course, size_t worker) {
  return course->workers[worker] == NULL ? "-" : course->workers[worker];
}

void ls_check_write_text(const struct ls_prediction *prediction, const struct ls_run_course *course,
                         const char *path, struct ls_bytes *out) {
  ls_bytes_printf(
      out, "\n%s: %llu units in %zu chunks, %s\n", path, (unsigned long long)prediction->units,
      prediction->chunks,
      prediction->is_asked ? "sent as their workers asked for them" : "pushed one after another");
  if (prediction->is_by_order)
    ls_bytes_append_text(out,
                         "  the platform has none of its workers by name: they are taken in their "
                         "order\n");
  ls_bytes_printf(out, "  %-28s %12s %12s %11s\n", "", "predicted, s", "happened, s", "error");
  write_row("makespan", prediction->all.end_predicted_s, prediction->all.end_happened_s, out);
  write_row("busy, all workers", prediction->all.busy_predicted_s, prediction->all.busy_happened_s,
            out);
  for (size_t i = 0; i < prediction->workers_count; i++) {
    const struct ls_prediction_times *times = &prediction->workers[i];
    struct ls_bytes label = {0};
    if (!(times->busy_predicted_s > 0) && !(times->busy_happened_s > 0)) continue;
    ls_bytes_printf(&label, "%s busy", name_worker(course, i));
    write_row(ls_bytes_text(&label), times->busy_predicted_s, times->busy_happened_s, out);
    ls_bytes_clear(&label);
    ls_bytes_printf(&label, "%s ends", name_worker(course, i));
    write_row(ls_bytes_text(&label), times->end_predicted_s, times->end_happened_s, out);
    out->failed = out->failed || label.failed;
    ls_bytes_close(&label);
  }
}

static void write_times(const char *name, double predicted, double happened, struct ls_bytes *out) {
  ls_bytes_printf(out, "\"%s\": {\"predicted\": ", name);
  ls_json_write_number(out, predicted);
  ls_bytes_append_text(out, ", \"happened\": ");
  ls_json_write_number(out, happened);
  ls_bytes_append_text(out, ", \"error_percent\": ");
  ls_json_write_number(out, happened > 0 ? find_error(predicted, happened) : (double)NAN);
  ls_bytes_append_char(out, '}');
}

void ls_check_write_json(const struct ls_prediction *prediction, const struct ls_run_course *course,
                         const char *path, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{\"journal\": ");
  ls_json_write_string(out, path);
  ls_bytes_printf(out,
                  ", \"units\": %llu, \"chunks\": %zu, \"chunks_are\": \"%s\", "
                  "\"workers_by\": \"%s\",\n     ",
                  (unsigned long long)prediction->units, prediction->chunks,
                  prediction->is_asked ? "asked" : "pushed",
                  prediction->is_by_order ? "order" : "name");
  write_times("makespan", prediction->all.end_predicted_s, prediction->all.end_happened_s, out);
  ls_bytes_append_text(out, ",\n     \"workers\": [");
  for (size_t i = 0; i < prediction->workers_count; i++) {
    const struct ls_prediction_times *times = &prediction->workers[i];
    ls_bytes_append_text(out, i > 0 ? ",\n      {\"name\": " : "\n      {\"name\": ");
    ls_json_write_string(out, name_worker(course, i));
    ls_bytes_append_text(out, ", ");
    write_times("busy", times->busy_predicted_s, times->busy_happened_s, out);
    ls_bytes_append_text(out, ", ");
    write_times("end", times->end_predicted_s, times->end_happened_s, out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "]}");
}
