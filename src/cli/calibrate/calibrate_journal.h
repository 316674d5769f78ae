/* calibrate_journal.h: what the journal of a run says of its workers, chunk by chunk.
 *
 * A chunk whose units all ended well at the first attempt is one measurement of compute, of receive
 * where that took time, and of staging where there was some; a result of a single unit is the time
 * of a task.
 */
#ifndef LS_CLI_CALIBRATE_JOURNAL_H
#define LS_CLI_CALIBRATE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/measurement.h"

/* One chunk as it was sent and computed; worker by its place among the names. */
struct ls_journal_chunk {
  uint64_t chunk;
  uint32_t worker;
  uint64_t units;                      /* that ended */
  double compute_s, receive_s, read_s; /* in all */
  double end_s;                        /* of its last unit, by the master's clock */
  bool has_failed;                     /* a unit failed, was lost or was tried again */
};

/* A run: who was there, which chunks were sent in which order, and what became of them. */
struct ls_journal_run {
  char **workers; /* names, by the run's number */
  size_t workers_count, workers_capacity;
  struct ls_journal_chunk *sent; /* in the order of the decisions; units as sent */
  size_t sent_count, sent_capacity;
  struct ls_journal_chunk *ended; /* by chunk, each once */
  size_t ended_count, ended_capacity;
  double *task_seconds; /* of results of one unit that ended well */
  uint32_t *task_workers;
  size_t tasks_count, tasks_capacity, task_workers_capacity;
  double from_s, to_s; /* the first worker joined; the last unit ended */
};

LS_CHECKED enum ls_status ls_journal_run_read(const char *path, struct ls_journal_run *run,
                                              struct ls_error *err);
void ls_journal_run_close(struct ls_journal_run *run);
/* Adds the measurements of a run; `*failed` grows by the chunks that are none. */
LS_CHECKED enum ls_status ls_journal_run_measure(const struct ls_journal_run *run,
                                                 struct ls_measurements *measurements,
                                                 uint64_t *failed, struct ls_error *err);
/* The same of a file. LS_EINVAL: nothing was computed. */
LS_CHECKED enum ls_status ls_calibrate_journal_read(struct ls_measurements *measurements,
                                                    const char *path, uint64_t *failed,
                                                    struct ls_error *err);

#endif
