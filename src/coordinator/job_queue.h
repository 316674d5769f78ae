/* job_queue.h: the ranges of units that wait at a worker, in the order in which they came.
 *
 * A ring; `units` is always the sum over its jobs.
 */
#ifndef LS_COORDINATOR_JOB_QUEUE_H
#define LS_COORDINATOR_JOB_QUEUE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"

/* A range of a chunk that waits or runs at a worker. */
struct ls_job {
  uint64_t chunk;
  struct ls_range units;
  uint64_t payload; /* the driver's own word for the input of this range */
  bool is_first;    /* nothing of its chunk has begun before it */
  bool is_held;     /* its results stay here until they are fetched */
};

struct ls_job_queue {
  struct ls_job *jobs; /* the next one to run at `head` */
  size_t head, count, capacity;
  uint64_t units;
};

/* A queue starts as {0}. */
void ls_job_queue_close(struct ls_job_queue *queue);
/* Where the job at `index` stands or would stand; there is room for it. */
static inline struct ls_job *ls_job_queue_entry(const struct ls_job_queue *queue, size_t index) {
  size_t position = queue->head + index;
  return &queue->jobs[position < queue->capacity ? position : position - queue->capacity];
}
/* There is room. */
static inline void ls_job_queue_push(struct ls_job_queue *queue, const struct ls_job *job) {
  assert(queue->count < queue->capacity && job->units.count > 0);
  *ls_job_queue_entry(queue, queue->count++) = *job;
  queue->units += job->units.count;
}
/* Takes at most `units_max` (>= 1) units of the first job, which exists. */
static inline void ls_job_queue_take(struct ls_job_queue *queue, uint64_t units_max,
                                     struct ls_job *job) {
  assert(queue->count > 0 && units_max > 0);
  struct ls_job *first = &queue->jobs[queue->head];
  *job = *first;
  if (first->units.count > units_max) {
    job->units.count = units_max;
    first->units.first += units_max;
    first->units.count -= units_max;
    first->is_first = false;
  } else {
    queue->head = queue->head + 1 < queue->capacity ? queue->head + 1 : 0;
    queue->count--;
  }
  queue->units -= job->units.count;
}
/* Puts back the rest of a job whose first units were taken: it is the next one. There is room. */
static inline void ls_job_queue_put_back(struct ls_job_queue *queue, const struct ls_job *job) {
  assert(queue->count < queue->capacity && job->units.count > 0);
  queue->head = (queue->head > 0 ? queue->head : queue->capacity) - 1;
  queue->jobs[queue->head] = *job;
  queue->jobs[queue->head].is_first = false;
  queue->count++;
  queue->units += job->units.count;
}
/* Room for `more` further jobs. On failure nothing changes. */
LS_CHECKED enum ls_status ls_job_queue_reserve(struct ls_job_queue *queue, size_t more);
/* The job at `index`; NULL: fewer wait. Borrowed until the next change. */
static inline const struct ls_job *ls_job_queue_at(const struct ls_job_queue *queue, size_t index) {
  return index < queue->count ? ls_job_queue_entry(queue, index) : NULL;
}
/* Removes the jobs of a chunk. */
void ls_job_queue_remove(struct ls_job_queue *queue, uint64_t chunk);
void ls_job_queue_clear(struct ls_job_queue *queue);

#endif
