/* validate_storage.c: how far readers are ahead, and how many read at once. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/validate_private.h"
#include "model/windows.h"

static const double TOLERANCE = 1e-9;

/* A chunk begins to count (by 1) or ceases to. */
struct change {
  double time_s;
  int by;
  uint32_t worker; /* 0 where all workers are counted together */
  size_t chunk;
};

/* By worker, then by time; of equal times (but for rounding) what ceases goes first. */
static int compare_changes(const void *left, const void *right) {
  const struct change *a = left, *b = right;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  if (a->by != b->by) return a->by < b->by ? -1 : 1;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

static size_t add_stay(struct change *changes, size_t count, const struct change *begin,
                       double end_s) {
  double early_s = end_s - TOLERANCE * fmax(1, end_s);
  changes[count] = *begin;
  changes[count + 1] = *begin;
  changes[count + 1].by = -1;
  changes[count + 1].time_s = fmax(begin->time_s, early_s);
  return count + 2;
}

static enum ls_status check_changes(struct change *changes, size_t count, uint64_t most,
                                    const char *what, struct ls_error *err) {
  uint64_t now = 0;
  qsort(changes, count, sizeof *changes, compare_changes);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && changes[i].worker != changes[i - 1].worker) now = 0;
    now += (uint64_t)changes[i].by;
    if (now > most && changes[i].by > 0)
      return ls_fail(err, LS_EINVAL, "chunk %zu: with it %llu %s at %.17g s, must be at most %llu",
                     changes[i].chunk, (unsigned long long)now, what, changes[i].time_s,
                     (unsigned long long)most);
  }
  return LS_OK;
}

/* With nothing ahead a chunk is staged when the one before is computed: one at a time, to the end.
 */
static double find_begun_s(const struct ls_plan_chunk *chunk, const struct ls_cost *costs,
                           const struct ls_platform *platform) {
  if (platform->stage_ahead == 0) return chunk->compute_end_s;
  return chunk->compute_start_s - ls_cost_time(&costs[LS_OPERATION_RECEIVE], chunk->units);
}

/* While what is staged waits at its worker; or, of all workers together, while it is read. */
static size_t list_stays(const struct ls_plan *plan, const struct ls_platform *platform,
                         bool is_read, struct change *changes) {
  size_t count = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (isnan(chunk->stage_start_s)) continue;
    const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
    double stage_s = ls_cost_time(&costs[LS_OPERATION_STAGE], chunk->units);
    struct change begin = {chunk->stage_start_s, 1, is_read ? 0 : chunk->worker, i};
    double end_s = is_read ? chunk->stage_start_s + stage_s : find_begun_s(chunk, costs, platform);
    count = add_stay(changes, count, &begin, end_s);
  }
  return count;
}

enum ls_status ls_validate_storage(const struct ls_plan *plan, const struct ls_platform *platform,
                                   struct ls_error *err) {
  if (!ls_platform_has_cost(platform, LS_OPERATION_STAGE)) return LS_OK;
  struct change *changes = calloc(2 * plan->chunks_count + 1, sizeof *changes);
  if (changes == NULL) return ls_fail(err, LS_ENOMEM, "no memory to validate a plan");
  size_t count = list_stays(plan, platform, false, changes);
  assert(count <= 2 * plan->chunks_count);
  uint64_t ahead = platform->stage_ahead > 0 ? platform->stage_ahead : 1;
  enum ls_status status = check_changes(changes, count, ahead, "chunks are staged ahead", err);
  if (status == LS_OK && platform->storage_readers > 0) {
    count = list_stays(plan, platform, true, changes);
    status = check_changes(changes, count, platform->storage_readers, "workers read", err);
  }
  free(changes);
  return status;
}
