/* chunking_driver.h: asks a chunking policy as the coordinator would, without a coordinator.
 *
 * For tests of policies: a pool that is only a count, workers that ask, join and are lost.
 */
#ifndef LS_TESTS_SUPPORT_CHUNKING_DRIVER_H
#define LS_TESTS_SUPPORT_CHUNKING_DRIVER_H

#include <math.h>
#include <stdlib.h>

#include "policies/chunking.h"

enum { DRIVER_WORKERS_MAX = 16 };

struct driver {
  const struct ls_chunking *policy;
  struct ls_chunking_setup setup;
  struct ls_chunking_view view;
  bool is_present[DRIVER_WORKERS_MAX], is_counted[DRIVER_WORKERS_MAX];
  double weights[DRIVER_WORKERS_MAX]; /* what the policy sees: those of the setup, or 1 */
  struct ls_arena *arena;             /* not here: the policy knows its address */
  void *state;
};

/* The `workers` are the platform's and present; up to DRIVER_WORKERS_MAX may join. */
static inline void driver_prepare(struct driver *driver, const struct ls_chunking *policy,
                                  uint64_t units, size_t workers) {
  *driver = (struct driver){.policy = policy};
  driver->setup.units = units;
  driver->setup.slots = workers;
  driver->setup.mean_seconds = (double)NAN;
  driver->setup.deviation_seconds = (double)NAN;
  driver->setup.overhead_seconds = (double)NAN;
  ls_arguments_init(&driver->setup.arguments, policy->parameters);
  driver->view.units = units;
  driver->view.units_unassigned = units;
  driver->view.workers_present = workers;
  driver->view.slots = workers;
  for (size_t i = 0; i < workers; i++) driver->is_present[i] = driver->is_counted[i] = true;
}

/* A driver may have been copied. */
static inline const struct ls_chunking_view *driver_view(struct driver *driver) {
  driver->view.weights = driver->weights;
  driver->view.is_present = driver->is_present;
  driver->view.is_counted = driver->is_counted;
  return &driver->view;
}

LS_CHECKED static inline enum ls_status driver_set(struct driver *driver, const char *name,
                                                   const char *text) {
  return ls_arguments_set(&driver->setup.arguments, driver->policy->parameters, name, text, NULL);
}

static inline void driver_close(struct driver *driver) {
  if (driver->arena != NULL) ls_arena_close(driver->arena);
  free(driver->arena);
  driver->arena = NULL;
  driver->state = NULL;
}

LS_CHECKED static inline enum ls_status driver_start(struct driver *driver, struct ls_error *err) {
  driver_close(driver);
  driver->arena = calloc(1, sizeof *driver->arena);
  if (driver->arena == NULL) return ls_fail(err, LS_ENOMEM, "no memory for an arena");
  for (size_t i = 0; i < DRIVER_WORKERS_MAX; i++) driver->weights[i] = 1;
  for (size_t i = 0; driver->setup.weights != NULL && i < driver->setup.slots; i++)
    driver->weights[i] = driver->setup.weights[i];
  return ls_chunking_init(driver->policy, driver->arena, &driver->setup, &driver->state, err);
}

/* What the worker gets: the policy's answer, clipped to what waits. */
static inline uint64_t driver_ask(struct driver *driver, uint32_t worker) {
  uint64_t left = driver->view.units_unassigned;
  uint64_t units = driver->policy->next_units(driver->state, driver_view(driver), worker);
  if (units > left) units = left;
  driver->view.units_unassigned -= units;
  return units;
}

/* What a pushed policy sends; false: nothing. */
static inline bool driver_push(struct driver *driver, uint32_t *worker, uint64_t *units) {
  if (!driver->policy->next_send(driver->state, driver_view(driver), worker, units)) return false;
  if (*units > driver->view.units_unassigned) *units = driver->view.units_unassigned;
  driver->view.units_unassigned -= *units;
  return true;
}

static inline void driver_change(struct driver *driver, uint32_t worker,
                                 enum ls_chunking_change change, uint64_t units_back) {
  bool is_here = change != LS_CHUNKING_LOST;
  driver->view.units_unassigned += units_back;
  if (is_here && worker >= driver->view.slots) {
    if (driver->policy->resize != NULL &&
        driver->policy->resize(driver->state, (size_t)worker + 1, NULL) != LS_OK)
      abort();
    driver->view.slots = (size_t)worker + 1;
  }
  driver->view.workers_present += (size_t)(is_here && !driver->is_present[worker]);
  driver->view.workers_present -= (size_t)(!is_here && driver->is_present[worker]);
  driver->is_present[worker] = driver->is_counted[worker] = is_here;
  if (driver->policy->on_worker != NULL) {
    driver->policy->on_worker(driver->state, driver_view(driver), worker, change, units_back);
  }
}

static inline void driver_lose(struct driver *driver, uint32_t worker, uint64_t units_back) {
  driver_change(driver, worker, LS_CHUNKING_LOST, units_back);
}

static inline void driver_join(struct driver *driver, uint32_t worker) {
  driver_change(driver, worker, LS_CHUNKING_JOINED, 0);
}

/* The worker finished units since its previous report, one after another in these times. */
static inline void driver_report_times(struct driver *driver, uint32_t worker, const double *times,
                                       size_t count) {
  uint64_t history = ls_chunking_history(driver->policy, &driver->setup.arguments);
  struct ls_chunking_report report = {.worker = worker, .units = count};
  for (size_t i = 0; i < count; i++) {
    report.seconds += times[i];
    report.squares += times[i] * times[i];
  }
  report.elapsed_s = report.seconds;
  report.latest_count = count < history ? count : (size_t)history;
  report.latest = times + (count - report.latest_count);
  if (driver->policy->on_report == NULL) return;
  driver->policy->on_report(driver->state, driver_view(driver), &report);
}

/* The same with `seconds` for each. */
static inline void driver_report(struct driver *driver, uint32_t worker, uint64_t units,
                                 double seconds) {
  double *times = calloc(units + 1, sizeof *times);
  if (times == NULL) abort();
  for (uint64_t i = 0; i < units; i++) times[i] = seconds;
  driver_report_times(driver, worker, times, (size_t)units);
  free(times);
}

/* So many units that the worker had are not there any more, and not finished. */
static inline void driver_gone(struct driver *driver, uint32_t worker, uint64_t units) {
  struct ls_chunking_report report = {.worker = worker, .units_gone = units};
  if (driver->policy->on_report == NULL) return;
  driver->policy->on_report(driver->state, driver_view(driver), &report);
}

#endif
