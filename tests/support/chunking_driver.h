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
  bool is_present[DRIVER_WORKERS_MAX];
  void *state;
};

/* Room for DRIVER_WORKERS_MAX workers; the first `workers` are the platform's and present. */
static inline void driver_prepare(struct driver *driver, const struct ls_chunking *policy,
                                  uint64_t units, size_t workers) {
  *driver = (struct driver){.policy = policy};
  driver->setup.units = units;
  driver->setup.workers = workers;
  driver->setup.workers_max = DRIVER_WORKERS_MAX;
  driver->setup.mean_seconds = (double)NAN;
  driver->setup.deviation_seconds = (double)NAN;
  driver->setup.overhead_seconds = (double)NAN;
  ls_arguments_init(&driver->setup.arguments, policy->parameters);
  driver->view.units = units;
  driver->view.units_unassigned = units;
  driver->view.workers_present = workers;
  driver->view.is_present = driver->is_present;
  for (size_t i = 0; i < workers; i++) driver->is_present[i] = true;
}

LS_CHECKED static inline enum ls_status driver_set(struct driver *driver, const char *name,
                                                   const char *text) {
  return ls_arguments_set(&driver->setup.arguments, driver->policy->parameters, name, text, NULL);
}

LS_CHECKED static inline enum ls_status driver_start(struct driver *driver, struct ls_error *err) {
  size_t bytes = driver->policy->state_bytes(&driver->setup);
  free(driver->state);
  driver->state = calloc(1, bytes > 0 ? bytes : 1);
  if (driver->state == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a policy's state");
  return driver->policy->init(driver->state, &driver->setup, err);
}

/* What the worker gets: the policy's answer, clipped to what waits. */
static inline uint64_t driver_ask(struct driver *driver, uint32_t worker) {
  uint64_t left = driver->view.units_unassigned;
  driver->view.is_present = driver->is_present; /* a driver may have been copied */
  uint64_t units = driver->policy->next_units(driver->state, &driver->view, worker);
  if (units > left) units = left;
  driver->view.units_unassigned -= units;
  return units;
}

/* What a pushed policy sends; false: nothing. */
static inline bool driver_push(struct driver *driver, uint32_t *worker, uint64_t *units) {
  driver->view.is_present = driver->is_present;
  if (!driver->policy->next_send(driver->state, &driver->view, worker, units)) return false;
  if (*units > driver->view.units_unassigned) *units = driver->view.units_unassigned;
  driver->view.units_unassigned -= *units;
  return true;
}

static inline void driver_change(struct driver *driver, uint32_t worker,
                                 enum ls_chunking_change change, uint64_t units_back) {
  bool is_joined = change == LS_CHUNKING_JOINED;
  driver->view.units_unassigned += units_back;
  driver->view.workers_present += (size_t)(is_joined && !driver->is_present[worker]);
  driver->view.workers_present -= (size_t)(!is_joined && driver->is_present[worker]);
  driver->is_present[worker] = is_joined;
  driver->view.is_present = driver->is_present;
  if (driver->policy->on_worker != NULL) {
    driver->policy->on_worker(driver->state, &driver->view, worker, change, units_back);
  }
}

static inline void driver_lose(struct driver *driver, uint32_t worker, uint64_t units_back) {
  driver_change(driver, worker, LS_CHUNKING_LOST, units_back);
}

static inline void driver_join(struct driver *driver, uint32_t worker) {
  driver_change(driver, worker, LS_CHUNKING_JOINED, 0);
}

/* The worker finished `units` since its previous report, in `seconds` each. */
static inline void driver_report(struct driver *driver, uint32_t worker, uint64_t units,
                                 double seconds) {
  struct ls_chunking_report report = {.worker = worker,
                                      .units = units,
                                      .seconds = (double)units * seconds,
                                      .squares = (double)units * seconds * seconds,
                                      .elapsed_s = (double)units * seconds,
                                      .last_seconds = seconds};
  driver->view.is_present = driver->is_present;
  if (driver->policy->on_report == NULL) return;
  driver->policy->on_report(driver->state, &driver->view, &report);
}

static inline void driver_close(struct driver *driver) {
  free(driver->state);
  driver->state = NULL;
}

#endif
