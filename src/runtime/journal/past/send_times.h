/* send_times.h: what sending takes a master that follows a plan, by when it was free again.
 *
 * Such a master works in rounds. All that happens in a round has one time: what it hears, and the
 * chunks that it sends while it is free; then it hands them to the network, and begins the next
 * round at once if it may have more to send.  From there to there it was busy with sending, and a
 * chunk takes as long as they do on the average: within a round they are not told apart.
 *
 * Only those rounds count in which
 * - each chunk left because the master was FREE: nothing that was heard had held it up;
 * - the master was FREE again in a later round, and found no end of the plan, no room that was
 *   lacking and nobody missing before: then it waits, and nobody knows when it was done;
 * - nothing but results and heartbeats was heard: else it did more than send;
 * - whoever gets a chunk in this iteration had one in an earlier round: with the first one goes
 *   what the application tells everybody, and until all are there the master may have to wait;
 * - no worker was lost, left or away since the iteration began, and the run was not stopped.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_SEND_TIMES_H
#define LS_RUNTIME_JOURNAL_PAST_SEND_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/action.h"
#include "coordinator/event.h"
#include "model/run_course.h"

/* The latest iteration and round in which a worker got a chunk, counted from 1. */
struct ls_send_worker {
  uint64_t iteration, round;
};

/* Starts as {0}, and anew with each session. */
struct ls_send_times {
  uint64_t iteration, round; /* so many have begun */
  size_t iteration_first;    /* the first item of this iteration */
  bool is_disturbed;         /* nothing of the rest of this iteration counts */
  double other_s;            /* more than results was heard then */
  bool is_open, counts;      /* the round */
  double start_s, units;
  size_t chunks;
  uint32_t *round_workers; /* who got chunks in it, each once */
  size_t round_workers_count, round_workers_capacity;
  struct ls_send_worker *workers; /* by their numbers in the session */
  size_t workers_count, workers_capacity;
};

/* An event of the session with the SENDs that it caused. `course->sends` gets one item for each
 * worker of a round that counts, by its number behind `first_worker`, and loses those of which a
 * later event tells that they do not. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_send_times_step(struct ls_send_times *times, uint32_t first_worker,
                                             const struct ls_event *event,
                                             const struct ls_actions *actions,
                                             struct ls_run_course *course);
void ls_send_times_close(struct ls_send_times *times);

#endif
