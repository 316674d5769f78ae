#include "advise/time_record.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"

static const double SHORTEST_S = 1e-9;
enum { WORKERS_MOST = 1 << 16 };

static struct ls_time_worker *find_worker(struct ls_time_record *record, uint32_t worker) {
  void *workers = record->workers;
  if (worker >= WORKERS_MOST) return NULL;
  enum ls_status status = ls_array_reserve(&workers, &record->workers_capacity, (size_t)worker + 1,
                                           sizeof *record->workers);
  record->workers = workers;
  if (status != LS_OK) return NULL;
  while (record->workers_count <= worker)
    record->workers[record->workers_count++] = (struct ls_time_worker){0};
  return &record->workers[worker];
}

/* Half of the samples make room, evenly over the run. */
static void thin(struct ls_time_record *record) {
  size_t kept = 0;
  for (size_t i = 0; i < record->count; i += 2) record->samples[kept++] = record->samples[i];
  record->count = kept;
  record->stride *= 2;
}

void ls_time_record_add(struct ls_time_record *record, uint32_t worker, uint64_t units,
                        double seconds, double now_s) {
  struct ls_time_worker *facts = find_worker(record, worker);
  if (facts == NULL || units == 0) return;
  double count = (double)units, unit_s = seconds / count;
  if (!(unit_s > SHORTEST_S) || !isfinite(unit_s)) unit_s = SHORTEST_S;
  const struct ls_time_sample sample = {.worker = worker,
                                        .units = count,
                                        .order = facts->order,
                                        .begin_s = fmax(now_s - unit_s * count, 0),
                                        .log_s = log(unit_s)};
  record->results++;
  record->units += count;
  record->seconds += unit_s * count;
  facts->has_ended = true;
  facts->order = record->units;
  facts->ended_s = now_s;
  facts->units += count;
  facts->seconds += unit_s * count;
  if (record->stride == 0) record->stride = 1;
  if (++record->skipped < record->stride) return;
  record->skipped = 0;
  if (record->count == LS_TIME_SAMPLES) thin(record);
  record->samples[record->count++] = sample;
}

double ls_time_record_order(const struct ls_time_record *record, uint32_t worker) {
  return worker < record->workers_count ? record->workers[worker].order : 0;
}

void ls_time_record_close(struct ls_time_record *record) {
  free(record->workers);
  *record = (struct ls_time_record){.count = 0};
}
