/* check_calibrate.c: records of kind calibrate: fits, and affine windows. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/affine_fit.h"
#include "calibrate/affine_window.h"
#include "lab/check/check.h"

/* The points of one operation; owned. */
struct points {
  double *units, *seconds;
  size_t count;
};

static void close_points(struct points *points) {
  free(points->units);
  free(points->seconds);
}

static struct ls_points lend(const struct points *points) {
  return (struct ls_points){points->units, points->seconds, points->count};
}

static enum ls_status read_list(const struct ls_json *list, double least, double *numbers,
                                size_t count, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(list, i);
    status = ls_json_real(&item, least, DBL_MAX, &numbers[i], err);
  }
  return status;
}

/* {"units": [..], "seconds": [..]}, equally long and not empty. */
static enum ls_status read_points(const struct ls_json *place, struct points *points,
                                  struct ls_error *err) {
  static const char *const known[] = {"units", "seconds", NULL};
  struct ls_json units = ls_json_member(place, "units");
  struct ls_json seconds = ls_json_member(place, "seconds");
  size_t count = 0, times = 0;
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = ls_json_array(&units, &count, err);
  if (status == LS_OK) status = ls_json_array(&seconds, &times, err);
  if (status != LS_OK) return status;
  if (count == 0 || count != times)
    return ls_json_refuse(&seconds, "as many numbers as units, and not none", err);
  *points = (struct points){calloc(count, sizeof(double)), calloc(count, sizeof(double)), count};
  if (points->units == NULL || points->seconds == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu measurements", count);
  if (status == LS_OK) status = read_list(&units, DBL_MIN, points->units, count, err);
  if (status == LS_OK) status = read_list(&seconds, 0, points->seconds, count, err);
  return status;
}

static enum ls_status evaluate_fit(const struct ls_check_record *record, json_t **got,
                                   struct ls_error *err) {
  struct points points = {NULL, NULL, 0};
  enum ls_status status = read_points(&record->arguments, &points, err);
  if (status == LS_OK) {
    struct ls_points lent = lend(&points);
    struct ls_cost law = ls_least_squares_nonnegative(&lent, NULL);
    *got = json_pack("{s:f, s:f}", "per_unit", law.per_unit_s, "latency", law.latency_s);
    if (*got == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for an answer");
  }
  close_points(&points);
  return status;
}

/* {"from", "to", "compute_per_unit", ...}: the rate and the constant of each operation. */
static json_t *describe_window(const struct ls_affine_window *window, const char *const *names,
                               size_t count) {
  json_t *object = json_pack("{s:f, s:f}", "from", window->units_from, "to", window->units_to);
  for (size_t j = 0; j < count; j++) {
    char key[80];
    (void)snprintf(key, sizeof key, "%.60s_per_unit", names[j]);
    json_object_set_new(object, key, json_real(window->laws[j].per_unit_s));
    (void)snprintf(key, sizeof key, "%.60s_latency", names[j]);
    json_object_set_new(object, key, json_real(window->laws[j].latency_s));
  }
  return object;
}

static enum ls_status find_windows(const struct ls_points *points, const char *const *names,
                                   size_t count, json_t **got, struct ls_error *err) {
  struct ls_window_grid grid;
  struct ls_affine_windows windows;
  enum ls_status status = ls_window_grid_make(points, count, &grid, err);
  if (status != LS_OK) return status;
  status = ls_affine_windows_find(&grid, &windows, err);
  ls_window_grid_close(&grid);
  if (status != LS_OK) return status;
  json_t *list = json_array();
  for (size_t i = 0; i < windows.count; i++)
    json_array_append_new(list, describe_window(&windows.items[i], names, count));
  ls_affine_windows_close(&windows);
  *got = json_pack("{s:o}", "windows", list);
  return *got == NULL ? ls_fail(err, LS_ENOMEM, "no memory for an answer") : LS_OK;
}

static enum ls_status evaluate_windows(const struct ls_check_record *record, json_t **got,
                                       struct ls_error *err) {
  static const char *const known[] = {"measurements", NULL};
  struct ls_json measured = ls_json_member(&record->arguments, "measurements");
  enum ls_status status = ls_json_object(&record->arguments, known, err);
  size_t count = json_object_size(measured.value), made = 0;
  const char *name;
  json_t *value;
  if (status == LS_OK && count == 0)
    status = ls_json_refuse(&measured, "an object of operations", err);
  if (status != LS_OK) return status;
  struct points *points = calloc(count, sizeof *points);
  struct ls_points *lent = calloc(count, sizeof *lent);
  const char **names = calloc(count, sizeof *names);
  if (points == NULL || lent == NULL || names == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu operations", count);
  json_object_foreach((json_t *)measured.value, name, value) {
    if (status != LS_OK) break;
    struct ls_json place = ls_json_member(&measured, name);
    status = read_points(&place, &points[made], err);
    lent[made] = lend(&points[made]);
    names[made++] = name;
  }
  if (status == LS_OK) status = find_windows(lent, names, count, got, err);
  for (size_t i = 0; i < made; i++) close_points(&points[i]);
  free(points);
  free(lent);
  free(names);
  return status;
}

static enum ls_status evaluate_calibrate(const struct ls_check_record *record, json_t **got,
                                         struct ls_error *err) {
  if (strcmp(record->algorithm, "calibrate:fit") == 0) return evaluate_fit(record, got, err);
  if (strcmp(record->algorithm, "calibrate:windows") == 0)
    return evaluate_windows(record, got, err);
  return ls_fail(err, LS_EINVAL,
                 "%s: algorithm is \"%s\", expected calibrate:fit or calibrate:windows", record->id,
                 record->algorithm);
}

const struct ls_check_kind ls_check_kind_calibrate = {"calibrate", evaluate_calibrate};
