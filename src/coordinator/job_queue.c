#include "coordinator/job_queue.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 4 };

void ls_job_queue_close(struct ls_job_queue *queue) {
  free(queue->jobs);
  *queue = (struct ls_job_queue){0};
}

enum ls_status ls_job_queue_reserve(struct ls_job_queue *queue, size_t more) {
  if (more <= queue->capacity - queue->count) return LS_OK;
  if (more > SIZE_MAX / sizeof *queue->jobs / 2 - queue->count) return LS_ENOMEM;
  size_t capacity = queue->capacity > 0 ? queue->capacity : FIRST_CAPACITY;
  while (capacity < queue->count + more) capacity *= 2;
  struct ls_job *jobs = calloc(capacity, sizeof *jobs);
  if (jobs == NULL) return LS_ENOMEM;
  for (size_t i = 0; i < queue->count; i++) jobs[i] = *ls_job_queue_entry(queue, i);
  free(queue->jobs);
  queue->jobs = jobs;
  queue->capacity = capacity;
  queue->head = 0;
  return LS_OK;
}

void ls_job_queue_remove(struct ls_job_queue *queue, uint64_t chunk) {
  size_t kept = 0;
  for (size_t i = 0; i < queue->count; i++) {
    struct ls_job job = *ls_job_queue_entry(queue, i);
    if (job.chunk == chunk)
      queue->units -= job.units.count;
    else
      *ls_job_queue_entry(queue, kept++) = job;
  }
  queue->count = kept;
}

void ls_job_queue_clear(struct ls_job_queue *queue) {
  queue->head = queue->count = 0;
  queue->units = 0;
}
