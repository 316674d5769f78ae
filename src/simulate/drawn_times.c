#include "simulate/drawn_times_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "simulate/engine_private.h"

bool ls_drawn_times_open(struct ls_engine *engine) {
  for (uint32_t i = 0; i < engine->workers_count; i++) {
    struct ls_engine_worker *worker = &engine->workers[i];
    char stream[32];
    double error = engine->setup->chunk_error;
    if (!(worker->model->unit_variation > 0 || error > 0)) continue;
    struct ls_drawn_times *drawn = calloc(1, sizeof *drawn);
    if (drawn == NULL) return false;
    (void)snprintf(stream, sizeof stream, "task_seconds-%" PRIu32, i);
    drawn->times = ls_task_times_of(worker->model);
    ls_random_init(&drawn->chance, engine->setup->config.seed, stream);
    (void)snprintf(stream, sizeof stream, "chunk_error-%" PRIu32, i);
    drawn->errors = (struct ls_task_times){error > 0 ? LS_TASK_NORMAL : LS_TASK_CONSTANT, 1, error};
    ls_random_init(&drawn->error_chance, engine->setup->config.seed, stream);
    worker->drawn = drawn;
  }
  return true;
}

void ls_drawn_times_close(struct ls_engine *engine) {
  for (size_t i = 0; engine->workers != NULL && i < engine->workers_count; i++) {
    struct ls_drawn_times *drawn = engine->workers[i].drawn;
    if (drawn != NULL) free(drawn->before);
    free(drawn);
  }
}

bool ls_drawn_times_draw(struct ls_engine *engine, uint32_t number, uint64_t units) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  struct ls_drawn_times *drawn = worker->drawn;
  const double *before =
      engine->work_before != NULL ? ls_engine_work_sums(engine, worker->job_iteration) : NULL;
  struct ls_sum sum = {0};
  assert(units > 0);
  if (!ls_engine_grow(engine, (void **)&drawn->before, &drawn->capacity, (size_t)units + 1,
                      sizeof *drawn->before))
    return false;
  if (worker->side.running.is_first)
    drawn->error = ls_task_times_next(&drawn->errors, &drawn->error_chance);
  drawn->before[0] = 0;
  for (uint64_t i = 0; i < units; i++) {
    uint64_t unit = worker->first + i;
    double work = before != NULL ? before[unit + 1] - before[unit] : 1;
    ls_sum_add(&sum, work * drawn->error * ls_task_times_next(&drawn->times, &drawn->chance));
    drawn->before[i + 1] = ls_sum_value(&sum);
  }
  return true;
}
