/* check_monitor.c: records of kind monitor: the shares of a phase, or Figure 3.2 phase by phase. */
#include <math.h>
#include <stdlib.h>

#include "lab/check/check.h"
#include "lab/check/check_numbers.h"
#include "model/load.h"
#include "policies/chunking/monitor.h"

static const double SECONDS_LEAST = 1e-9;

/* One entry per worker each. */
struct phases {
  size_t count;
  double *seconds, *waiting, *reals;
  uint64_t *units;
};

static void close_phases(struct phases *phases) {
  free(phases->seconds);
  free(phases->waiting);
  free(phases->reals);
  free(phases->units);
}

static enum ls_status open_phases(const struct ls_check_record *record, struct phases *phases,
                                  struct ls_error *err) {
  size_t count = record->platform.workers_count;
  *phases = (struct phases){.count = count};
  if (!record->has_platform || count == 0)
    return ls_fail(err, LS_EINVAL, "%s has no platform, which kind monitor needs", record->id);
  if (!(record->load >= 0 && record->load <= 0x1p53) || floor(record->load) < record->load)
    return ls_fail(err, LS_EINVAL, "%s: load is %g, expected a whole number >= 0", record->id,
                   record->load);
  phases->seconds = calloc(count, sizeof *phases->seconds);
  phases->waiting = calloc(count, sizeof *phases->waiting);
  phases->reals = calloc(count, sizeof *phases->reals);
  phases->units = calloc(count, sizeof *phases->units);
  if (!phases->seconds || !phases->waiting || !phases->reals || !phases->units)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  struct ls_json waiting = ls_json_member(&record->arguments, "waiting");
  if (waiting.value == NULL) return LS_OK;
  return ls_check_numbers(&waiting, count, false, phases->waiting, err);
}

/* Times are raised as the policy does it; null stays unknown. */
static enum ls_status read_seconds(const struct ls_json *place, struct phases *phases,
                                   struct ls_error *err) {
  enum ls_status status = ls_check_numbers(place, phases->count, true, phases->seconds, err);
  bool is_any_known = false;
  for (size_t i = 0; i < phases->count && status == LS_OK; i++) {
    if (isnan(phases->seconds[i])) continue;
    is_any_known = true;
    phases->seconds[i] = fmax(phases->seconds[i], SECONDS_LEAST);
  }
  if (status == LS_OK && !is_any_known) return ls_json_refuse(place, "a known time", err);
  return status;
}

static enum ls_status fail_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "no memory for an answer");
}

/* Real shares into `reals`, whole ones into `units`. */
static enum ls_status solve(struct phases *phases, uint64_t quota, struct ls_error *err) {
  ls_monitor_solve(phases->seconds, phases->waiting, phases->count, (double)quota, phases->reals);
  return ls_load_round(phases->reals, phases->count, quota, phases->units, err);
}

static enum ls_status describe_shares(const struct ls_check_record *record, struct phases *phases,
                                      json_t *got, struct ls_error *err) {
  struct ls_json allot = ls_json_member(&record->arguments, "allot");
  struct ls_json seconds = ls_json_member(&record->arguments, "seconds_per_task");
  uint64_t quota = ls_monitor_quota((uint64_t)record->load, phases->count);
  enum ls_status status = read_seconds(&seconds, phases, err);
  if (status == LS_OK && allot.value != NULL)
    status = ls_json_whole(&allot, 0, (uint64_t)1 << 53, &quota, err);
  if (status == LS_OK) status = solve(phases, quota, err);
  if (status != LS_OK) return status;
  json_t *shares = json_array(), *batches = json_array();
  bool is_whole = true;
  for (size_t i = 0; i < phases->count; i++) {
    is_whole &= json_array_append_new(shares, json_real(phases->reals[i])) == 0;
    is_whole &= json_array_append_new(batches, json_integer((json_int_t)phases->units[i])) == 0;
  }
  is_whole &= json_object_set_new(got, "shares", shares) == 0;
  is_whole &= json_object_set_new(got, "batches", batches) == 0;
  return is_whole ? LS_OK : fail_memory(err);
}

/* Single units first; then phase k with the times of column k, the last one as often as needed. */
static enum ls_status describe_figure(const struct ls_check_record *record,
                                      const struct ls_json *columns, struct phases *phases,
                                      json_t *by_worker, struct ls_error *err) {
  struct ls_json tasks = ls_json_member(&record->arguments, "benchmark_tasks");
  uint64_t rest = (uint64_t)record->load, singles = 1;
  size_t columns_count = 0;
  enum ls_status status = ls_json_array(columns, &columns_count, err);
  if (status == LS_OK && columns_count == 0)
    return ls_json_refuse(columns, "the times of a phase", err);
  if (status == LS_OK && tasks.value != NULL)
    status = ls_json_whole(&tasks, 0, 1000000, &singles, err);
  if (status == LS_OK && singles * phases->count > rest)
    return ls_fail(err, LS_EINVAL, "%s: load is %g, expected at least the %llu units of the start",
                   record->id, record->load, (unsigned long long)(singles * phases->count));
  bool is_whole = true;
  for (size_t i = 0; i < phases->count; i++)
    is_whole &= json_array_append_new(by_worker, json_array()) == 0;
  for (uint64_t k = 0; k < singles && status == LS_OK; k++)
    for (size_t i = 0; i < phases->count; i++, rest--)
      is_whole &= json_array_append_new(json_array_get(by_worker, i), json_integer(1)) == 0;
  for (size_t phase = 0; rest > 0 && status == LS_OK; phase++) {
    struct ls_json column =
        ls_json_item(columns, phase < columns_count ? phase : columns_count - 1);
    status = read_seconds(&column, phases, err);
    if (status == LS_OK) status = solve(phases, ls_monitor_quota(rest, phases->count), err);
    for (size_t i = 0; i < phases->count && status == LS_OK; i++) {
      if (phases->units[i] == 0) continue;
      json_t *units = json_integer((json_int_t)phases->units[i]);
      is_whole &= json_array_append_new(json_array_get(by_worker, i), units) == 0;
      rest -= phases->units[i];
    }
  }
  return status == LS_OK && !is_whole ? fail_memory(err) : status;
}

static enum ls_status evaluate_monitor(const struct ls_check_record *record, json_t **got,
                                       struct ls_error *err) {
  static const char *const known[] = {
      "seconds_per_task", "seconds_per_task_by_phase", "waiting", "allot", "benchmark_tasks", NULL};
  struct phases phases = {0};
  json_t *made = json_object(), *by_worker = json_array();
  enum ls_status status = made != NULL && by_worker != NULL
                              ? ls_json_object(&record->arguments, known, err)
                              : fail_memory(err);
  if (status == LS_OK) status = open_phases(record, &phases, err);
  if (status != LS_OK) goto done;
  struct ls_json columns = ls_json_member(&record->arguments, "seconds_per_task_by_phase");
  status = columns.value != NULL ? describe_figure(record, &columns, &phases, by_worker, err)
                                 : describe_shares(record, &phases, made, err);
  if (status != LS_OK) goto done;
  if (columns.value != NULL && json_object_set(made, "batches_by_worker", by_worker) != 0) {
    status = fail_memory(err);
    goto done;
  }
  *got = json_incref(made);
done:
  close_phases(&phases);
  json_decref(by_worker);
  json_decref(made);
  return status;
}

const struct ls_check_kind ls_check_kind_monitor = {"monitor", evaluate_monitor};
