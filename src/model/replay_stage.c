/* replay_stage.c: the readers of workers, which stage the inputs of chunks beside the processors.
 *
 * A worker's chunks pass its reader in the order of their arrival.  With S, B, E the times at which
 * a chunk begins to be staged, begins at the processor and ends there, a its arrival, s its staging
 * and K chunks ahead:
 *
 *   S_j = max(a_j, S_(j-1) + s_(j-1), B_(j-K)),  K = 0: E_(j-1) for B_(j-K)
 *   B_j = max(S_j + s_j, E_(j-1)).
 */
#include <math.h>
#include <stdlib.h>

#include "model/replay_private.h"

enum ls_status ls_staging_create(const struct ls_platform *platform, struct ls_staging **out,
                                 struct ls_error *err) {
  *out = NULL;
  if (!ls_platform_has_cost(platform, LS_OPERATION_STAGE)) return LS_OK;
  size_t workers = platform->workers_count, ahead = platform->stage_ahead;
  struct ls_staging *staging = calloc(1, sizeof *staging);
  if (staging == NULL) return ls_fail(err, LS_ENOMEM, "no memory to replay readers");
  *staging = (struct ls_staging){.ahead = ahead,
                                 .reader_s = calloc(workers, sizeof(double)),
                                 .begun_s = calloc(workers * ahead + 1, sizeof(double)),
                                 .passed = calloc(workers, sizeof(uint64_t))};
  if (staging->reader_s == NULL || staging->begun_s == NULL || staging->passed == NULL) {
    ls_staging_destroy(staging);
    return ls_fail(err, LS_ENOMEM, "no memory to replay the readers of %zu workers", workers);
  }
  *out = staging;
  return LS_OK;
}

void ls_staging_destroy(struct ls_staging *staging) {
  if (staging == NULL) return;
  free(staging->reader_s);
  free(staging->begun_s);
  free(staging->passed);
  free(staging);
}

/* Where the worker keeps when the chunk `ahead` before this one began. */
static double *find_begun(const struct ls_staging *staging, uint32_t worker) {
  return &staging->begun_s[worker * staging->ahead + staging->passed[worker] % staging->ahead];
}

double ls_reader_ready(const struct ls_stations *stations, const struct ls_plan_chunk *chunk,
                       double arrival_s) {
  const struct ls_staging *staging = stations->staging;
  uint32_t worker = chunk->worker;
  double room_s = staging->ahead > 0 ? *find_begun(staging, worker) : stations->free_s[worker];
  return ls_larger(ls_larger(arrival_s, staging->reader_s[worker]), room_s);
}

double ls_pass_reader(struct ls_stations *stations, const struct ls_cost *costs,
                      const struct ls_plan_chunk *chunk, double arrival_s,
                      struct ls_passage *passage) {
  struct ls_staging *staging = stations->staging;
  uint32_t worker = chunk->worker;
  double ready_s = arrival_s;
  double stage_s = ls_cost_of(&costs[LS_OPERATION_STAGE], chunk->units);
  if (stage_s > 0) {
    double start_s = ls_larger(ls_reader_ready(stations, chunk, arrival_s), staging->place_s);
    ready_s = start_s + stage_s;
    passage->stage_start_s = start_s;
    staging->reader_s[worker] = ready_s;
  }
  if (staging->ahead > 0) {
    *find_begun(staging, worker) = ls_larger(ready_s, stations->free_s[worker]);
    staging->passed[worker]++;
  }
  return ready_s;
}
