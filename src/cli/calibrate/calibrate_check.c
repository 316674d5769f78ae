#include "cli/calibrate/calibrate_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/plan.h"
#include "model/replay.h"

static size_t find_worker(const struct ls_platform *platform, const char *name) {
  for (size_t i = 0; i < platform->workers_count && name != NULL; i++)
    if (strcmp(platform->workers[i].name, name) == 0) return i;
  return SIZE_MAX;
}

/* The platform's worker of each of the run. */
static enum ls_status match_workers(const struct ls_journal_run *run,
                                    const struct ls_platform *platform, size_t *places,
                                    struct ls_error *err) {
  bool has_any = false;
  for (size_t i = 0; i < run->workers_count; i++) {
    places[i] = find_worker(platform, run->workers[i]);
    has_any = has_any || places[i] != SIZE_MAX;
  }
  for (size_t i = 0; i < run->workers_count; i++) {
    if (!has_any && i < platform->workers_count) places[i] = i;
    if (places[i] != SIZE_MAX || run->workers[i] == NULL) continue;
    return ls_fail(err, LS_EINVAL, "worker %s of the run is not on the platform, which has %zu",
                   run->workers[i], platform->workers_count);
  }
  return LS_OK;
}

static enum ls_status add_chunks(const struct ls_journal_run *run, const size_t *places,
                                 struct ls_plan *plan, struct ls_error *err) {
  for (size_t i = 0; i < run->sent_count; i++) {
    const struct ls_journal_chunk *chunk = &run->sent[i];
    if (places[chunk->worker] == SIZE_MAX)
      return ls_fail(err, LS_EINVAL, "chunk %llu was sent to a worker without a name",
                     (unsigned long long)chunk->chunk);
    plan->load += (double)chunk->units;
    ls_plan_add(plan, (uint32_t)places[chunk->worker], 0, (double)chunk->units);
  }
  return ls_plan_finish(plan, err);
}

enum ls_status ls_prediction_plan(const struct ls_journal_run *run,
                                  const struct ls_platform *platform, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct ls_plan made;
  if (run->sent_count == 0 || run->ended_count == 0)
    return ls_fail(err, LS_EINVAL, "the run computed nothing that could be predicted");
  size_t *places = calloc(run->workers_count, sizeof *places);
  if (places == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", run->workers_count);
  ls_plan_init(&made, "run", 0);
  enum ls_status status = match_workers(run, platform, places, err);
  if (status == LS_OK) status = add_chunks(run, places, &made, err);
  free(places);
  if (status == LS_OK)
    *plan = made;
  else
    ls_plan_close(&made);
  return status;
}

static double find_busy(const struct ls_worker_model *worker, double units) {
  return ls_cost_time(&worker->costs[LS_OPERATION_RECEIVE], units) +
         ls_cost_time(&worker->costs[LS_OPERATION_COMPUTE], units);
}

static void take_times(const struct ls_journal_run *run, const struct ls_platform *platform,
                       const struct ls_plan *plan, struct ls_prediction *made) {
  for (size_t i = 0; i < run->sent_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    struct ls_prediction_times *times = &made->workers[run->sent[i].worker];
    times->busy_predicted_s += find_busy(&platform->workers[chunk->worker], chunk->units);
    times->end_predicted_s = fmax(times->end_predicted_s, chunk->compute_end_s);
    made->units += run->sent[i].units;
  }
  for (size_t i = 0; i < run->ended_count; i++) {
    const struct ls_journal_chunk *chunk = &run->ended[i];
    struct ls_prediction_times *times = &made->workers[chunk->worker];
    times->busy_happened_s += chunk->compute_s + chunk->receive_s;
    times->end_happened_s = fmax(times->end_happened_s, chunk->end_s - run->from_s);
  }
  for (size_t i = 0; i < run->workers_count; i++) {
    made->all.busy_predicted_s += made->workers[i].busy_predicted_s;
    made->all.busy_happened_s += made->workers[i].busy_happened_s;
  }
  made->all.end_predicted_s = plan->makespan_s;
  made->all.end_happened_s = run->to_s - run->from_s;
  made->chunks = run->sent_count;
}

enum ls_status ls_prediction_make(const struct ls_journal_run *run,
                                  const struct ls_platform *platform,
                                  struct ls_prediction *prediction, struct ls_error *err) {
  struct ls_prediction made = {.workers_count = run->workers_count};
  struct ls_plan plan;
  enum ls_status status = ls_prediction_plan(run, platform, &plan, err);
  if (status != LS_OK) return status;
  status = ls_replay(&plan, platform, err);
  made.workers = calloc(run->workers_count, sizeof *made.workers);
  if (status == LS_OK && made.workers == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", run->workers_count);
  if (status == LS_OK) take_times(run, platform, &plan, &made);
  ls_plan_close(&plan);
  if (status == LS_OK)
    *prediction = made;
  else
    ls_prediction_close(&made);
  return status;
}

void ls_prediction_close(struct ls_prediction *prediction) {
  free(prediction->workers);
  *prediction = (struct ls_prediction){.workers = NULL};
}

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

static const char *name_worker(const struct ls_journal_run *run, size_t worker) {
  return run->workers[worker] == NULL ? "-" : run->workers[worker];
}

void ls_prediction_write_text(const struct ls_prediction *prediction,
                              const struct ls_journal_run *run, const char *path,
                              struct ls_bytes *out) {
  ls_bytes_printf(out, "\n%s: %llu units in %zu chunks\n  %-28s %12s %12s %11s\n", path,
                  (unsigned long long)prediction->units, prediction->chunks, "", "predicted, s",
                  "happened, s", "error");
  write_row("makespan", prediction->all.end_predicted_s, prediction->all.end_happened_s, out);
  write_row("busy, all workers", prediction->all.busy_predicted_s, prediction->all.busy_happened_s,
            out);
  for (size_t i = 0; i < prediction->workers_count; i++) {
    const struct ls_prediction_times *times = &prediction->workers[i];
    struct ls_bytes label = {0};
    if (!(times->busy_predicted_s > 0) && !(times->busy_happened_s > 0)) continue;
    ls_bytes_printf(&label, "%s busy", name_worker(run, i));
    write_row(ls_bytes_text(&label), times->busy_predicted_s, times->busy_happened_s, out);
    ls_bytes_clear(&label);
    ls_bytes_printf(&label, "%s ends", name_worker(run, i));
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

void ls_prediction_write_json(const struct ls_prediction *prediction,
                              const struct ls_journal_run *run, const char *path,
                              struct ls_bytes *out) {
  ls_bytes_append_text(out, "{\"journal\": ");
  ls_json_write_string(out, path);
  ls_bytes_printf(out, ", \"units\": %llu, \"chunks\": %zu,\n     ",
                  (unsigned long long)prediction->units, prediction->chunks);
  write_times("makespan", prediction->all.end_predicted_s, prediction->all.end_happened_s, out);
  ls_bytes_append_text(out, ",\n     \"workers\": [");
  for (size_t i = 0; i < prediction->workers_count; i++) {
    const struct ls_prediction_times *times = &prediction->workers[i];
    ls_bytes_append_text(out, i > 0 ? ",\n      {\"name\": " : "\n      {\"name\": ");
    ls_json_write_string(out, name_worker(run, i));
    ls_bytes_append_text(out, ", ");
    write_times("busy", times->busy_predicted_s, times->busy_happened_s, out);
    ls_bytes_append_text(out, ", ");
    write_times("end", times->end_predicted_s, times->end_happened_s, out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "]}");
}
