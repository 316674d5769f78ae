/* worker_side.c: a ring of waiting jobs and the rule of asking. */
#include "coordinator/worker_side.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

static struct ls_job *find_job(const struct ls_worker_side *side, size_t index) {
  assert(index <= side->count && side->capacity > 0);
  size_t place = side->head + index;
  return &side->jobs[place < side->capacity ? place : place - side->capacity];
}

void ls_worker_side_init(struct ls_worker_side *side, uint64_t prefetch) {
  assert(side != NULL);
  *side = (struct ls_worker_side){.prefetch = prefetch};
}

void ls_worker_side_close(struct ls_worker_side *side) {
  assert(side != NULL);
  free(side->jobs);
  *side = (struct ls_worker_side){.prefetch = side->prefetch};
}

/* A larger ring that begins at its first place. */
static enum ls_status grow(struct ls_worker_side *side) {
  assert(side->count == side->capacity);
  size_t capacity = side->capacity > 0 ? 2 * side->capacity : FIRST_CAPACITY;
  if (capacity > SIZE_MAX / sizeof *side->jobs) return LS_ENOMEM;
  struct ls_job *jobs = calloc(capacity, sizeof *jobs);
  if (jobs == NULL) return LS_ENOMEM;
  for (size_t i = 0; i < side->count; i++) jobs[i] = *find_job(side, i);
  free(side->jobs);
  side->jobs = jobs;
  side->capacity = capacity;
  side->head = 0;
  return LS_OK;
}

enum ls_status ls_worker_side_arrive(struct ls_worker_side *side, const struct ls_job *job) {
  assert(job->units.count > 0);
  if (side->count == side->capacity && grow(side) != LS_OK) return LS_ENOMEM;
  side->count++;
  *find_job(side, side->count - 1) = *job;
  side->units_waiting += job->units.count;
  side->is_asking = false;
  return LS_OK;
}

uint64_t ls_worker_side_ask(struct ls_worker_side *side, bool batches) {
  assert((side->units_waiting == 0) == (side->count == 0));
  if (side->is_asking || side->is_released) return 0;
  bool has_room = side->prefetch > 0 ? side->units_waiting < side->prefetch
                                     : side->units_waiting == 0 && !side->is_running;
  if (!has_room) return 0;
  side->is_asking = true;
  if (!batches) return 1;
  /* One unit more than may wait when nothing runs: it starts at once. */
  return side->prefetch - side->units_waiting + (side->is_running ? 0 : 1);
}

bool ls_worker_side_take(struct ls_worker_side *side, uint64_t units_max, struct ls_job *job) {
  assert(units_max > 0 && !side->is_running);
  if (side->count == 0) return false;
  struct ls_job *first = find_job(side, 0);
  *job = *first;
  if (first->units.count > units_max) {
    job->units.count = units_max;
    first->units.first += units_max;
    first->units.count -= units_max;
  } else {
    side->head = side->head + 1 < side->capacity ? side->head + 1 : 0;
    side->count--;
  }
  side->units_waiting -= job->units.count;
  side->is_running = true;
  return true;
}

const struct ls_job *ls_worker_side_peek(const struct ls_worker_side *side, size_t index) {
  return index < side->count ? find_job(side, index) : NULL;
}

void ls_worker_side_end(struct ls_worker_side *side) {
  assert(side->is_running);
  side->is_running = false;
}

uint64_t ls_worker_side_cancel(struct ls_worker_side *side, uint64_t chunk,
                               void (*drop)(void *context, uint64_t payload), void *context) {
  uint64_t removed = 0;
  size_t kept = 0;
  assert(side->count <= side->capacity);
  for (size_t i = 0; i < side->count; i++) {
    struct ls_job job = *find_job(side, i);
    if (job.chunk != chunk) {
      *find_job(side, kept++) = job;
      continue;
    }
    removed += job.units.count;
    if (drop != NULL) drop(context, job.payload);
  }
  side->count = kept;
  side->units_waiting -= removed;
  return removed;
}
