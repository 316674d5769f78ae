/* thread_job.h: a real run whose workers are threads of the test. */
#ifndef LS_TESTS_PARITY_THREAD_JOB_H
#define LS_TESTS_PARITY_THREAD_JOB_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/master/master.h"
#include "runtime/worker/worker.h"

#include "../support/open_site.h"

enum { THREADS = 3 };

struct job_member {
  const struct job *job;
  uint32_t number;        /* not the master's: that is given in the order of arrival */
  _Atomic int interrupts; /* 1: it leaves in order */
  pthread_t thread;
};

struct job {
  const struct ls_app *app;
  char address[192];
  struct job_member members[THREADS];
  uint64_t merged;             /* units */
  const char *labels[THREADS]; /* of the members; NULL: none */
};

/* Who computes here. */
static _Thread_local struct job_member *job_member;

static inline enum ls_status job_open(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argc, (void)argv, (void)err;
  *state = NULL;
  return LS_OK;
}

static inline enum ls_status job_merge(void *state, const struct ls_unit_result *result,
                                       struct ls_error *err) {
  struct job *job = state;
  (void)err;
  job->merged += result->units.count;
  return LS_OK;
}

static inline void *job_run_worker(void *context) {
  job_member = context;
  const struct job *job = job_member->job;
  struct ls_worker_options options = {.transport = &ls_transport_zmq,
                                      .address = job->address,
                                      .name = "thread",
                                      .speed = 1,
                                      .labels = job->labels[job_member->number],
                                      .lifeline = -1,
                                      .is_thread = true,
                                      .interrupts = &job_member->interrupts,
                                      .app = job->app};
  return (void *)(uintptr_t)ls_worker_run(&options, NULL);
}

/* For `announce` of the master's options; the job is their context. */
static inline void job_start_threads(void *context, const char *address, const char *key) {
  struct job *job = context;
  (void)key;
  (void)snprintf(job->address, sizeof job->address, "%s", address);
  for (uint32_t i = 0; i < THREADS; ++i) {
    struct job_member *member = &job->members[i];
    member->job = job;
    member->number = i;
    assert_int_equal(pthread_create(&member->thread, NULL, job_run_worker, member), 0);
  }
}

static inline void job_join_threads(struct job *job) {
  for (size_t i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_join(job->members[i].thread, NULL), 0);
}

#endif
