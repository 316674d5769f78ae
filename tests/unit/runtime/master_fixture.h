/* master_fixture.h: a real master, with workers that are threads of this process.
 *
 * The application counts how often each unit is merged, so exactly-once is what every case checks.
 */
#ifndef LS_TESTS_UNIT_RUNTIME_MASTER_FIXTURE_H
#define LS_TESTS_UNIT_RUNTIME_MASTER_FIXTURE_H

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/master/master.h"
#include "runtime/worker/worker.h"

#include "../../support/open_site.h"

enum { UNITS_MAX = 4000, THREADS_MAX = 4 };

/* The application's state at the master. */
struct tally {
  const struct ls_app *app;
  uint64_t units;
  uint32_t iterations;
  uint16_t merged[UNITS_MAX];
  uint16_t failed[UNITS_MAX];
  uint64_t sum, stop_after, settled;
  /* Worker threads, started when the address is known. */
  size_t threads_count;
  pthread_t threads[THREADS_MAX];
  char address[192];
  _Atomic int interrupts;
};

static inline enum ls_status open_app(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argc, (void)argv, (void)err;
  *state = NULL;
  return LS_OK;
}

static inline void close_app(void *state) {
  (void)state;
}

static inline enum ls_status count_units(void *context, uint32_t iteration, uint64_t *units,
                                         struct ls_error *err) {
  struct tally *tally = context;
  (void)err;
  *units = iteration < tally->iterations ? tally->units : 0;
  return LS_OK;
}

static inline enum ls_status merge(void *context, const struct ls_unit_result *result,
                                   struct ls_error *err) {
  struct tally *tally = context;
  (void)err;
  for (uint64_t u = result->units.first; u < result->units.first + result->units.count; ++u) {
    assert_true(u < tally->units);
    if (result->outcome == LS_OUTCOME_DONE) {
      ++tally->merged[u];
    } else {
      ++tally->failed[u];
    }
  }
  tally->settled += result->units.count;
  uint64_t sum = 0;
  if (result->outcome == LS_OUTCOME_DONE) {
    assert_int_equal(result->output.length, sizeof sum);
    memcpy(&sum, result->output.data, sizeof sum);
  }
  tally->sum += sum;
  return LS_OK;
}

/* The answer of a range is the sum of its numbers. */
static inline enum ls_status compute(void *state, const struct ls_work *work,
                                     struct ls_bytes *output, struct ls_error *err) {
  (void)state;
  uint64_t sum = 0;
  for (uint64_t u = work->units.first; u < work->units.first + work->units.count; ++u) sum += u;
  ls_bytes_append(output, &sum, sizeof sum);
  (void)err;
  return LS_OK;
}

static const struct ls_app sound_app = {.name = "tally",
                                        .open = open_app,
                                        .close = close_app,
                                        .units = count_units,
                                        .merge = merge,
                                        .compute = compute};

/* The first unit of each worker waits until all have one: so all join before the run is over. */
static pthread_barrier_t all_have_units;
static _Thread_local bool has_begun;

static inline enum ls_status compute_together(void *state, const struct ls_work *work,
                                              struct ls_bytes *output, struct ls_error *err) {
  if (!has_begun) (void)pthread_barrier_wait(&all_have_units);
  has_begun = true;
  return compute(state, work, output, err);
}

static const struct ls_app joint_app = {.name = "joint",
                                        .open = open_app,
                                        .close = close_app,
                                        .units = count_units,
                                        .merge = merge,
                                        .compute = compute_together};

static inline void *run_worker(void *context) {
  struct tally *tally = context;
  struct ls_worker_options options = {.transport = &ls_transport_zmq,
                                      .address = tally->address,
                                      .name = "thread",
                                      .speed = 1,
                                      .lifeline = -1,
                                      .is_thread = true,
                                      .app = tally->app};
  return (void *)(uintptr_t)ls_worker_run(&options, NULL);
}

static inline void start_threads(void *context, const char *address, const char *key) {
  struct tally *tally = context;
  (void)snprintf(tally->address, sizeof tally->address, "%s", address);
  (void)key;
  for (size_t i = 0; i < tally->threads_count; ++i) {
    assert_int_equal(pthread_create(&tally->threads[i], NULL, run_worker, tally), 0);
  }
}

static inline enum ls_master_wish halt(void *context, const struct ls_master_report *so_far) {
  const struct tally *tally = context;
  (void)so_far;
  return tally->stop_after > 0 && tally->settled >= tally->stop_after ? LS_WISH_STOP
                                                                      : LS_WISH_GO_ON;
}

static inline struct ls_master_options make_options(struct tally *tally, const struct ls_app *app,
                                                    const char *policy) {
  tally->app = app;
  struct ls_master_options options = {
      .app = app,
      .state = tally,
      .prefetch = 1,
      .heartbeat_s = 0.2,
      .site = open_site(&ls_transport_zmq, "inproc://master"),
      .config = {.chunking = ls_chunking_find(policy),
                 .workers = tally->threads_count > 0 ? tally->threads_count : 1,
                 .mean_seconds = (double)NAN,
                 .deviation_seconds = (double)NAN,
                 .overhead_seconds = (double)NAN,
                 .seed = 1,
                 .retries = 2,
                 .kills_max = 3,
                 .silence_s = 10,
                 .is_exact = true},
      .workers_patience_s = 30,
      .interrupts = &tally->interrupts,
      .halt = halt,
      .announce = start_threads,
      .context = tally};
  ls_arguments_init(&options.config.arguments, options.config.chunking->parameters);
  return options;
}

/* Runs, and joins the threads. */
static inline enum ls_status run(const struct ls_master_options *options, struct tally *tally,
                                 struct ls_master_report *report, struct ls_error *err) {
  unsigned threads = tally->threads_count > 0 ? (unsigned)tally->threads_count : 1;
  assert_int_equal(pthread_barrier_init(&all_have_units, NULL, threads), 0);
  enum ls_status status = ls_master_run(options, report, err);
  for (size_t i = 0; i < tally->threads_count && tally->address[0] != 0; ++i) {
    assert_int_equal(pthread_join(tally->threads[i], NULL), 0);
  }
  assert_int_equal(pthread_barrier_destroy(&all_have_units), 0);
  return status;
}

static inline void expect_once(const struct tally *tally, uint16_t times) {
  for (uint64_t u = 0; u < tally->units; ++u) assert_int_equal(tally->merged[u], times);
}

#endif
