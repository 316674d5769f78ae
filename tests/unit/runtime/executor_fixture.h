/* executor_fixture.h: drives an executor as a worker's loop does. */
#ifndef LS_TEST_EXECUTOR_FIXTURE_H
#define LS_TEST_EXECUTOR_FIXTURE_H

#include <math.h>
#include <poll.h>
#include <unistd.h>

#include "coordinator/event.h"
#include "runtime/execute/executor.h"

/* Waits for the descriptor or the patience, whichever is first, until something has ended. */
static inline struct ls_execution await_end(const struct ls_executor_kind *kind,
                                            struct ls_executor *executor) {
  struct ls_execution execution;
  while (!kind->finished(executor, &execution)) {
    double seconds = kind->patience_s(executor);
    struct pollfd looks[1 + LS_EXECUTOR_STREAMS] = {{.fd = kind->file(executor), .events = POLLIN}};
    int streams[LS_EXECUTOR_STREAMS];
    size_t streams_count = kind->streams != NULL ? kind->streams(executor, streams) : 0;
    for (size_t i = 0; i < streams_count; ++i)
      looks[1 + i] = (struct pollfd){.fd = streams[i], .events = POLLIN};
    int milliseconds = isfinite(seconds) ? (int)ceil(seconds * 1e3) : 60000;
    if (looks[0].fd < 0 && !isfinite(seconds)) fail_msg("nothing to wait for");
    int count = poll(looks, 1 + streams_count, milliseconds);
    if (count == 0 && !isfinite(seconds)) fail_msg("nothing ended within a minute");
  }
  return execution;
}

static inline struct ls_work make_work(struct ls_range units, struct ls_range packed,
                                       const void *input, size_t length) {
  return (struct ls_work){.units = units, .packed = packed, .input = input, .length = length};
}

static inline enum ls_status start_work(const struct ls_executor_kind *kind,
                                        struct ls_executor *executor, struct ls_work work,
                                        struct ls_error *err) {
  return kind->start(executor, &(struct ls_upcoming){.work = work}, err);
}

static inline struct ls_executor *make_executor(const struct ls_executor_kind *kind,
                                                struct ls_executor_setup setup) {
  struct ls_executor *executor = NULL;
  struct ls_error err = {0};
  if (!(setup.speed > 0)) setup.speed = 1;
  if (kind->create(&setup, &executor, &err) != LS_OK) fail_msg("%s", err.text);
  return executor;
}

#endif
