#include "durations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FIELDS = 5 };

enum ls_status durations_read_workload(const char *text, struct ls_workload *workload,
                                       struct ls_error *err) {
  static const struct {
    const char *expected;
    double least, most;
    bool is_whole;
  } fields[FIELDS] = {{"TASKS, a whole number from 1 to 1000000", 1, 1e6, true},
                      {"W, a percentage from 0 to 100", 0, 100, false},
                      {"LARGE, 0 or 1", 0, 1, true},
                      {"SMALL, 0 or 1", 0, 1, true},
                      {"TOTAL, seconds > 0", 1e-9, 1e9, false}};
  double values[FIELDS];
  const char *at = text;
  for (int i = 0; i < FIELDS; i++) {
    char *end;
    values[i] = strtod(at, &end);
    bool is_number = end != at && *end == (i + 1 < FIELDS ? ',' : '\0');
    bool is_inside = values[i] >= fields[i].least && values[i] <= fields[i].most;
    if (!is_number || !is_inside || (fields[i].is_whole && values[i] != floor(values[i])))
      return ls_fail(err, LS_EINVAL,
                     "fibonacci: --workload is '%s', expected TASKS,W,LARGE,SMALL,TOTAL, and there "
                     "%s",
                     text, fields[i].expected);
    at = end + 1;
  }
  *workload = (struct ls_workload){.tasks = (size_t)values[0],
                                   .share_percent = values[1],
                                   .large_differ = values[2] > 0,
                                   .small_differ = values[3] > 0,
                                   .total = values[4]};
  return LS_OK;
}

enum ls_status durations_read_list(const char *text, struct durations *durations,
                                   struct ls_error *err) {
  size_t most = 1, count = 0;
  for (const char *at = text; *at != '\0'; at++) most += *at == ',';
  double *list = calloc(most + 1, sizeof *list);
  if (list == NULL) return ls_fail(err, LS_ENOMEM, "fibonacci: no memory for %zu units", most);
  for (const char *at = text; count < most; count++) {
    char *end;
    list[count] = strtod(at, &end);
    bool is_number = end != at && *end == (count + 1 < most ? ',' : '\0');
    if (!is_number || !(list[count] >= 0 && list[count] <= 1e9)) {
      free(list);
      return ls_fail(err, LS_EINVAL,
                     "fibonacci: --each is '%s', expected SECONDS,SECONDS,..., but number %zu "
                     "is not from 0 to 1e9",
                     text, count + 1);
    }
    at = end + 1;
  }
  free(durations->usual);
  durations->usual = list;
  durations->units = most;
  durations->is_listed = true;
  return LS_OK;
}

static double find_even(const struct durations *durations, uint64_t unit) {
  uint64_t units = durations->units;
  double share = units > 1 ? (double)unit / (double)(units - 1) : 0;
  return durations->seconds * (1 + durations->ramp * share);
}

enum ls_status durations_open(struct durations *durations, struct ls_error *err) {
  bool has_workload = durations->workload.tasks > 0;
  if (has_workload) durations->units = durations->workload.tasks;
  if (!has_workload && !durations->is_listed && !(durations->variation > 0)) return LS_OK;
  size_t count = (size_t)durations->units;
  if (!durations->is_listed) durations->usual = calloc(count + 1, sizeof *durations->usual);
  durations->varied = calloc(count + 1, sizeof *durations->varied);
  if (durations->usual == NULL || durations->varied == NULL)
    return ls_fail(err, LS_ENOMEM, "fibonacci: no memory for the durations of %zu units", count);
  if (durations->is_listed) return LS_OK;
  if (has_workload) return ls_workload_make(&durations->workload, durations->usual, err);
  for (size_t i = 0; i < count; i++) durations->usual[i] = find_even(durations, i);
  return LS_OK;
}

void durations_close(struct durations *durations) {
  free(durations->usual);
  free(durations->varied);
}

/* Each iteration takes a draw for each of its units. */
static void enter(struct durations *durations, uint32_t iteration) {
  if (durations->iterations_drawn > (uint64_t)iteration + 1) durations->iterations_drawn = 0;
  if (durations->iterations_drawn == 0)
    ls_random_init(&durations->chance, durations->seed, "workload");
  for (; durations->iterations_drawn <= iteration; durations->iterations_drawn++) {
    for (size_t i = 0; i < durations->units; i++) {
      double chance = ls_random_real(&durations->chance);
      durations->varied[i] = ls_workload_vary(durations->usual[i], durations->variation, chance);
    }
  }
}

double durations_find(struct durations *durations, uint32_t iteration, uint64_t unit) {
  if (durations->usual == NULL) return find_even(durations, unit);
  enter(durations, iteration);
  return durations->varied[unit];
}
