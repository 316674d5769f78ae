#include "cli/calibrate/calibrate_roads.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/calibrate/calibrate_check.h"
#include "model/replay.h"

/* So many runs are held out, one after another; a fit may replay so many chunks in all. */
enum { HELD_OUT_MAX = 16, EVALUATIONS_LEAST = 200, EVALUATIONS_MOST = 5000 };
static const double CHUNKS_MOST = 2e7;

struct work {
  const struct ls_roads_setup *setup;
  struct ls_journal_run *runs;
  size_t count; /* read so far */
};

static double find_happened(const struct ls_journal_run *run) {
  return run->to_s - run->from_s;
}

static enum ls_status read_runs(struct work *work, struct ls_error *err) {
  work->runs = calloc(work->setup->count, sizeof *work->runs);
  if (work->runs == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu runs", work->setup->count);
  for (size_t i = 0; i < work->setup->count; i++) {
    enum ls_status status = ls_journal_run_read(work->setup->paths[i], &work->runs[i], err);
    if (status != LS_OK) return status;
    work->count++;
  }
  return LS_OK;
}

/* By measurements of all runs but one. */
static enum ls_status fit_measurements(const struct work *work, size_t without,
                                       struct ls_platform *platform, struct ls_error *err) {
  struct ls_measurements measurements = {.items = NULL};
  struct ls_calibration calibration;
  uint64_t failed = 0;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < work->count && status == LS_OK; i++)
    if (i != without) status = ls_journal_run_measure(&work->runs[i], &measurements, &failed, err);
  if (status == LS_OK)
    status = ls_calibrate(&measurements, work->setup->options, &calibration, err);
  if (status == LS_OK) {
    status =
        ls_calibration_platform(&calibration, &measurements, work->setup->window, platform, err);
    ls_calibration_close(&calibration);
  }
  ls_measurements_close(&measurements);
  return status;
}

/* By makespans of all runs but one. */
static enum ls_status fit_makespans(const struct work *work, size_t without,
                                    struct ls_platform *platform, struct ls_makespan_fit *fit,
                                    struct ls_error *err) {
  struct ls_plan *plans = calloc(work->count, sizeof *plans);
  struct ls_makespan_run *items = calloc(work->count, sizeof *items);
  struct ls_makespan_runs runs = {items, 0};
  double chunks = 1;
  enum ls_status status = LS_OK;
  if (plans == NULL || items == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu runs", work->count);
  for (size_t i = 0; i < work->count && status == LS_OK; i++) {
    if (i == without) continue;
    struct ls_plan *plan = &plans[runs.count];
    status = ls_prediction_plan(&work->runs[i], platform, plan, err);
    if (status != LS_OK) break;
    items[runs.count++] = (struct ls_makespan_run){plan, find_happened(&work->runs[i])};
    chunks += (double)plan->chunks_count;
  }
  double evaluations = fmin(fmax(CHUNKS_MOST / chunks, EVALUATIONS_LEAST), EVALUATIONS_MOST);
  struct ls_makespan_limits limits = {.evaluations = (uint64_t)evaluations};
  if (status == LS_OK) status = ls_makespan_fit(&runs, &limits, platform, fit, err);
  for (size_t i = 0; i < runs.count; i++) ls_plan_close(&plans[i]);
  free(plans);
  free(items);
  return status;
}

static enum ls_status predict(const struct ls_journal_run *run, const struct ls_platform *platform,
                              double *makespan_s, struct ls_error *err) {
  struct ls_plan plan;
  enum ls_status status = ls_prediction_plan(run, platform, &plan, err);
  if (status != LS_OK) return status;
  status = ls_replay_makespan(&plan, platform, makespan_s, err);
  ls_plan_close(&plan);
  return status;
}

/* What the others say of one run. Nothing, where its workers are not among theirs. */
static enum ls_status hold_out(const struct work *work, size_t index, struct ls_roads_run *run,
                               struct ls_error *err) {
  struct ls_platform platform;
  struct ls_makespan_fit fit;
  size_t without = work->count > 1 ? index : SIZE_MAX;
  enum ls_status status = fit_measurements(work, without, &platform, err);
  if (status == LS_EINVAL) return LS_OK;
  if (status != LS_OK) return status;
  status = predict(&work->runs[index], &platform, &run->by_measurements_s, err);
  if (status == LS_OK) status = fit_makespans(work, without, &platform, &fit, err);
  if (status == LS_OK) status = predict(&work->runs[index], &platform, &run->by_makespans_s, err);
  ls_platform_close(&platform);
  return status == LS_EINVAL ? LS_OK : status;
}

static void close_work(struct work *work) {
  for (size_t i = 0; i < work->count; i++) ls_journal_run_close(&work->runs[i]);
  free(work->runs);
}

enum ls_status ls_roads_compare(const struct ls_roads_setup *setup, struct ls_platform *platform,
                                struct ls_roads *roads, struct ls_error *err) {
  struct work work = {.setup = setup};
  struct ls_roads made = {.is_held_out = setup->count > 1};
  enum ls_status status = read_runs(&work, err);
  made.runs = calloc(setup->count, sizeof *made.runs);
  if (status == LS_OK && made.runs == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu runs", setup->count);
  for (size_t i = 0; i < setup->count && i < HELD_OUT_MAX && status == LS_OK; i++) {
    made.runs[i] = (struct ls_roads_run){setup->paths[i], find_happened(&work.runs[i]), (double)NAN,
                                         (double)NAN};
    made.count++;
    status = hold_out(&work, i, &made.runs[i], err);
  }
  if (status == LS_OK) status = fit_makespans(&work, SIZE_MAX, platform, &made.fit, err);
  close_work(&work);
  if (status == LS_OK)
    *roads = made;
  else
    ls_roads_close(&made);
  return status;
}

void ls_roads_close(struct ls_roads *roads) {
  free(roads->runs);
  *roads = (struct ls_roads){.runs = NULL};
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

void ls_roads_write_text(const struct ls_roads *roads, struct ls_bytes *out) {
  double sums[2] = {0, 0}, counts[2] = {0, 0};
  ls_bytes_printf(out, "\nMakespans, s; %s\n  %-28s %12s %24s %24s\n",
                  roads->is_held_out ? "each run is predicted from the others"
                                     : "there is one run, which both roads have seen",
                  "", "happened", "by measurements", "by makespans");
  for (size_t i = 0; i < roads->count; i++) {
    const struct ls_roads_run *run = &roads->runs[i];
    const double predicted[] = {run->by_measurements_s, run->by_makespans_s};
    ls_bytes_printf(out, "  %-28s %12.5g", run->path, run->happened_s);
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

static void write_field(const char *name, double number, struct ls_bytes *out) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  ls_json_write_number(out, number);
}

void ls_roads_write_json(const struct ls_roads *roads, struct ls_bytes *out) {
  ls_bytes_printf(out, "{\"held_out\": %s", roads->is_held_out ? "true" : "false");
  write_field("transfer_latency", roads->fit.transfer_latency_s, out);
  write_field("transfer_per_unit", roads->fit.transfer_per_unit_s, out);
  write_field("compute_latency", roads->fit.compute_latency_s, out);
  write_field("compute_factor", roads->fit.compute_factor, out);
  write_field("error_before", roads->fit.error_before, out);
  write_field("error_after", roads->fit.error_after, out);
  ls_bytes_printf(out, ", \"stopped\": %s,\n    \"runs\": [",
                  roads->fit.is_stopped ? "true" : "false");
  for (size_t i = 0; i < roads->count; i++) {
    const struct ls_roads_run *run = &roads->runs[i];
    ls_bytes_append_text(out, i > 0 ? ",\n     {\"journal\": " : "\n     {\"journal\": ");
    ls_json_write_string(out, run->path);
    write_field("happened", run->happened_s, out);
    write_field("by_measurements", run->by_measurements_s, out);
    write_field("by_makespans", run->by_makespans_s, out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "]}");
}
