/* validate_limits.c: what a worker may be sent at once, and what it may hold.
 *
 * A chunk is at its worker from its arrival (the end of transfer and delay) to the end of its
 * computing; the units there together, the running chunk included, never exceed the room.
 */
#include "model/validate.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/windows.h"

static const double TOLERANCE = 1e-9;

static bool is_within_window(const struct ls_worker_model *worker, double units) {
  struct ls_worker_model roomy = *worker;
  roomy.room_units = (double)INFINITY;
  return ls_worker_takes(&roomy, units);
}

static enum ls_status refuse_size(size_t index, const struct ls_plan_chunk *chunk,
                                  const struct ls_worker_model *worker, struct ls_error *err) {
  struct ls_bytes windows = {0};
  ls_worker_write_windows(worker, &windows);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "chunk %zu: units is %.17g, the window%s of worker %u %s %s", index,
              chunk->units, worker->windows_count > 0 ? "s" : "", chunk->worker,
              worker->windows_count > 0 ? "are" : "is", ls_bytes_text(&windows));
  ls_bytes_close(&windows);
  return status;
}

/* Chunks one by one. What a room holds is a matter of time where that is known (check_rooms); else
 * no chunk is larger than it. */
static enum ls_status check_sizes(const struct ls_plan *plan, const struct ls_platform *platform,
                                  size_t *found, struct ls_error *err) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    const struct ls_worker_model *worker = &platform->workers[chunk->worker];
    bool is_within = is_within_window(worker, chunk->units);
    if (is_within && (isfinite(plan->makespan_s) || ls_worker_takes(worker, chunk->units)))
      continue;
    *found = i;
    if (is_within)
      return ls_fail(err, LS_EINVAL, "chunk %zu: units is %.17g, the room of worker %u is %g", i,
                     chunk->units, chunk->worker, worker->room_units);
    return refuse_size(i, chunk, worker, err);
  }
  return LS_OK;
}

/* Units that come to a worker (> 0) or leave it. */
struct change {
  double time_s, units;
  uint32_t worker;
  size_t chunk;
};

/* By worker, then by time; of equal times (but for rounding) what leaves goes first. */
static int compare_changes(const void *left, const void *right) {
  const struct change *a = left, *b = right;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  if ((a->units < 0) != (b->units < 0)) return a->units < 0 ? -1 : 1;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

/* Only of workers whose room ends somewhere. */
static size_t list_changes(const struct ls_plan *plan, const struct ls_platform *platform,
                           struct change *changes) {
  size_t count = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    const struct ls_worker_model *worker = &platform->workers[chunk->worker];
    if (isinf(worker->room_units)) continue;
    double arrival_s = chunk->transfer_end_s + worker->delay_s;
    /* A chunk that leaves within rounding of an arrival makes room for it. */
    double end_s = chunk->compute_end_s - TOLERANCE * fmax(1, chunk->compute_end_s);
    changes[count++] = (struct change){arrival_s, chunk->units, chunk->worker, i};
    changes[count++] = (struct change){fmax(arrival_s, end_s), -chunk->units, chunk->worker, i};
  }
  return count;
}

/* In the order of time, not of chunks, worker by worker. */
static enum ls_status check_changes(const struct ls_platform *platform,
                                    const struct change *changes, size_t count, size_t *found,
                                    struct ls_error *err) {
  double held = 0;
  for (size_t i = 0; i < count; i++) {
    const struct change *change = &changes[i];
    double room = platform->workers[change->worker].room_units;
    held = i > 0 && changes[i - 1].worker != change->worker ? change->units : held + change->units;
    if (held <= room * (1 + TOLERANCE)) continue;
    *found = change->chunk;
    return ls_fail(err, LS_EINVAL,
                   "chunk %zu: with it worker %u holds %.17g units at %.17g s, its room is %g",
                   change->chunk, change->worker, held, change->time_s, room);
  }
  return LS_OK;
}

static enum ls_status check_rooms(const struct ls_plan *plan, const struct ls_platform *platform,
                                  size_t *found, struct ls_error *err) {
  struct change *changes = calloc(2 * plan->chunks_count + 1, sizeof *changes);
  if (changes == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate a plan");
  size_t count = list_changes(plan, platform, changes);
  qsort(changes, count, sizeof *changes, compare_changes);
  enum ls_status status = check_changes(platform, changes, count, found, err);
  free(changes);
  return status;
}

static bool has_rooms(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++)
    if (!isinf(platform->workers[i].room_units)) return true;
  return false;
}

static bool has_limits(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    if (worker->window_from > 0 || !isinf(ls_worker_chunk_most(worker))) return true;
    if (worker->windows_count > 0) return true;
  }
  return false;
}

/* Room is a matter of every play: the chunks are written out, those of many plays in part. */
static enum ls_status check_repeat(const struct ls_plan *plan, const struct ls_platform *platform,
                                   size_t *found, struct ls_error *err) {
  const uint64_t chunks_most = 1000000;
  size_t from = plan->repeat.from, to = plan->repeat.to, index = SIZE_MAX;
  struct ls_plan flat;
  enum ls_status status = ls_plan_unfolded(plan, chunks_most / (to - from), &flat, err);
  if (status != LS_OK) return status;
  status = ls_replay(&flat, platform, err);
  if (status == LS_OK) status = check_rooms(&flat, platform, &index, err);
  size_t skipped = flat.chunks_count - plan->chunks_count;
  if (index != SIZE_MAX && index >= to)
    index = index >= to + skipped ? index - skipped : from + (index - from) % (to - from);
  if (index != SIZE_MAX) *found = index;
  ls_plan_close(&flat);
  return status;
}

enum ls_status ls_validate_find_outside(const struct ls_plan *plan,
                                        const struct ls_platform *platform, size_t *chunk,
                                        struct ls_error *err) {
  enum ls_status status = has_limits(platform) ? check_sizes(plan, platform, chunk, err) : LS_OK;
  if (status != LS_OK || !has_rooms(platform) || !isfinite(plan->makespan_s)) return status;
  return ls_plan_repeats(plan) ? check_repeat(plan, platform, chunk, err)
                               : check_rooms(plan, platform, chunk, err);
}

enum ls_status ls_validate_limits(const struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_error *err) {
  size_t chunk;
  return ls_validate_find_outside(plan, platform, &chunk, err);
}
