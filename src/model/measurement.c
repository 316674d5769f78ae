#include "model/measurement.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digest.h"
#include "model/platform_build.h"

const char *ls_measured_name(unsigned measured) {
  assert(measured < LS_MEASURED_COUNT);
  if (measured == LS_MEASURED_TASK) return "task";
  return ls_operation_name((enum ls_operation)measured);
}

static uint64_t hash_name(const char *name, size_t length) {
  uint64_t hash = ls_digest_add(LS_DIGEST_START, name, length);
  return hash ^ hash >> 32;
}

/* Where the name stands in the table, or the empty place that it would take. */
static size_t find_place(const struct ls_measurements *measurements, const char *name,
                         size_t length) {
  size_t mask = measurements->places_count - 1, at = (size_t)hash_name(name, length) & mask;
  for (;; at = (at + 1) & mask) {
    uint32_t place = measurements->places[at];
    if (place == 0) return at;
    const char *known = measurements->workers[place - 1];
    if (strncmp(known, name, length) == 0 && known[length] == '\0') return at;
  }
}

/* At most half of the table is taken, so every search ends. */
static bool grow_table(struct ls_measurements *measurements) {
  if (2 * (measurements->workers_count + 1) <= measurements->places_count) return true;
  size_t count = measurements->places_count == 0 ? 64 : 2 * measurements->places_count;
  uint32_t *places = calloc(count, sizeof *places);
  if (places == NULL) return false;
  free(measurements->places);
  measurements->places = places;
  measurements->places_count = count;
  for (size_t i = 0; i < measurements->workers_count; i++) {
    const char *name = measurements->workers[i];
    places[find_place(measurements, name, strlen(name))] = (uint32_t)i + 1;
  }
  return true;
}

enum ls_status ls_measurements_worker(struct ls_measurements *measurements, const char *name,
                                      size_t length, uint32_t *worker, struct ls_error *err) {
  assert(memchr(name, '\0', length) == NULL);
  if (!grow_table(measurements)) return ls_fail(err, LS_ENOMEM, "no memory for workers");
  size_t at = find_place(measurements, name, length);
  if (measurements->places[at] != 0) {
    *worker = measurements->places[at] - 1;
    return LS_OK;
  }
  if (measurements->workers_count == LS_PLATFORM_WORKERS_MOST)
    return ls_fail(err, LS_EINVAL, "there are more than %d workers", LS_PLATFORM_WORKERS_MOST);
  void *workers = measurements->workers;
  enum ls_status status = ls_array_reserve(&workers, &measurements->workers_capacity,
                                           measurements->workers_count + 1, sizeof(char *));
  measurements->workers = workers;
  char *copy = status == LS_OK ? malloc(length + 1) : NULL;
  if (copy == NULL) return ls_fail(err, LS_ENOMEM, "no memory for workers");
  memcpy(copy, name, length);
  copy[length] = '\0';
  measurements->workers[measurements->workers_count] = copy;
  measurements->places[at] = (uint32_t)++measurements->workers_count;
  *worker = measurements->places[at] - 1;
  return LS_OK;
}

static bool is_within(double number) {
  return number >= LS_MEASUREMENT_LEAST && number <= LS_MEASUREMENT_MOST;
}

enum ls_status ls_measurements_add(struct ls_measurements *measurements,
                                   const struct ls_measurement *measurement, struct ls_error *err) {
  assert(measurement->measured < LS_MEASURED_COUNT);
  bool is_master = measurement->measured == LS_OPERATION_PREPARE;
  assert(is_master || measurement->worker < measurements->workers_count);
  if (!is_within(measurement->units))
    return ls_fail(err, LS_EINVAL, "units is %g, expected a number from 1e-18 to 1e18",
                   measurement->units);
  if (!(measurement->seconds >= 0 && measurement->seconds <= 0) && !is_within(measurement->seconds))
    return ls_fail(err, LS_EINVAL, "seconds is %g, expected 0, or a number from 1e-18 to 1e18",
                   measurement->seconds);
  void *items = measurements->items;
  enum ls_status status = ls_array_reserve(&items, &measurements->capacity, measurements->count + 1,
                                           sizeof *measurements->items);
  measurements->items = items;
  if (status != LS_OK) return ls_fail(err, status, "no memory for measurements");
  measurements->items[measurements->count] = *measurement;
  if (is_master) measurements->items[measurements->count].worker = LS_MEASUREMENT_NO_WORKER;
  measurements->count++;
  return LS_OK;
}

double ls_measurements_rate_most(const struct ls_measurements *measurements, uint32_t worker) {
  if (worker >= measurements->arrivals_count) return (double)INFINITY;
  const struct ls_arrival *arrival = &measurements->arrivals[worker];
  return arrival->units > 0 ? arrival->seconds / arrival->units : (double)INFINITY;
}

enum ls_status ls_measurements_arrived(struct ls_measurements *measurements, uint32_t worker,
                                       const struct ls_arrival *arrival, struct ls_error *err) {
  assert(worker < measurements->workers_count);
  void *arrivals = measurements->arrivals;
  enum ls_status status = ls_array_reserve(&arrivals, &measurements->arrivals_capacity,
                                           (size_t)worker + 1, sizeof *measurements->arrivals);
  measurements->arrivals = arrivals;
  if (status != LS_OK) return ls_fail(err, status, "no memory for measurements");
  while (measurements->arrivals_count <= worker)
    measurements->arrivals[measurements->arrivals_count++] = (struct ls_arrival){0, 0};
  if (!(arrival->units > 0 && arrival->seconds > 0)) return LS_OK;
  if (arrival->seconds / arrival->units < ls_measurements_rate_most(measurements, worker))
    measurements->arrivals[worker] = *arrival;
  return LS_OK;
}

void ls_measurements_close(struct ls_measurements *measurements) {
  for (size_t i = 0; i < measurements->workers_count; i++) free(measurements->workers[i]);
  free(measurements->items);
  free(measurements->arrivals);
  free(measurements->workers);
  free(measurements->places);
  *measurements = (struct ls_measurements){.items = NULL};
}
