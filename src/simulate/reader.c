/* reader.c: workers that read their own input. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "simulate/engine_private.h"
#include "simulate/processor_private.h"

bool ls_reader_open(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  struct ls_reading *reading = &engine->reading;
  if (!ls_platform_has_cost(engine->platform, LS_OPERATION_STAGE)) return true;
  if (ls_platform_shares_storage(engine->platform))
    reading->places = engine->platform->storage_readers;
  reading->ahead = setup->has_stage_ahead ? setup->stage_ahead : engine->platform->stage_ahead;
  reading->readers = calloc(engine->workers_count, sizeof *reading->readers);
  for (size_t i = 0; reading->readers && i < engine->workers_count; i++)
    reading->readers[i].chunk = LS_ENGINE_NONE;
  return reading->readers != NULL;
}

void ls_reader_close(struct ls_engine *engine) {
  ls_heap_close(&engine->reading.line);
  free(engine->reading.readers);
}

static double measure(const struct ls_engine *engine, uint32_t place) {
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  const struct ls_worker_model *model = engine->workers[chunk->worker].model;
  return ls_engine_cost(&ls_worker_costs(model, (double)chunk->units)[LS_OPERATION_STAGE],
                        chunk->units);
}

bool ls_reader_has(const struct ls_engine *engine, uint32_t place) {
  if (engine->reading.readers == NULL || engine->chunks[place].is_staged) return true;
  return !(measure(engine, place) > 0);
}

/* What the reader may take up now; LS_ENGINE_NONE: nothing. */
static uint32_t choose(const struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t ahead = engine->reading.ahead, staged = 0;
  const struct ls_job *job;
  if (worker->phase == LS_PHASE_STAGING) return (uint32_t)worker->side.running.payload;
  for (size_t i = 0; (job = ls_job_queue_at(&worker->side.queue, i)) != NULL; i++) {
    if (!job->is_first) continue;
    if (staged++ == ahead) return LS_ENGINE_NONE;
    if (!ls_reader_has(engine, (uint32_t)job->payload)) return (uint32_t)job->payload;
  }
  return LS_ENGINE_NONE;
}

static void start(struct ls_engine *engine, uint32_t number, uint32_t place) {
  struct ls_engine_reader *reader = &engine->reading.readers[number];
  reader->chunk = place;
  reader->number = engine->chunks[place].number;
  reader->units = engine->chunks[place].units;
  reader->start_s = engine->now_s;
  reader->end_s = engine->now_s + measure(engine, place);
  engine->reading.busy++;
  ls_engine_push(engine, reader->end_s, LS_ENGINE_STAGED, (uint64_t)++reader->stamp << 32 | number);
}

static bool has_room(const struct ls_engine *engine) {
  return engine->reading.busy < engine->reading.places;
}

void ls_reader_take_up(struct ls_engine *engine, uint32_t number) {
  struct ls_reading *reading = &engine->reading;
  struct ls_engine_reader *reader = &reading->readers[number];
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (reader->chunk != LS_ENGINE_NONE || reader->is_in_line) return;
  if (!worker->is_present || worker->is_still) return;
  uint32_t place = choose(engine, number);
  if (place == LS_ENGINE_NONE) return;
  if (reading->places == 0) {
    start(engine, number, place);
    return;
  }
  uint64_t chunk = engine->chunks[place].number;
  enum ls_status status =
      ls_heap_push(&reading->line, engine->now_s, chunk < UINT32_MAX ? (uint32_t)chunk : UINT32_MAX,
                   (uint64_t)++reader->stamp << 32 | number);
  if (status != LS_OK) ls_engine_fail(engine, status);
  reader->is_in_line = true;
  if (has_room(engine)) engine->is_read_due = true;
}

void ls_reader_grant(struct ls_engine *engine) {
  struct ls_reading *reading = &engine->reading;
  struct ls_heap_item item;
  engine->is_read_due = false;
  while (has_room(engine) && ls_heap_pop(&reading->line, &item)) {
    uint32_t number = (uint32_t)(item.payload & UINT32_MAX);
    struct ls_engine_reader *reader = &reading->readers[number];
    if (!reader->is_in_line || reader->stamp != item.payload >> 32) continue;
    reader->is_in_line = false;
    uint32_t place = engine->workers[number].is_still ? LS_ENGINE_NONE : choose(engine, number);
    if (place != LS_ENGINE_NONE) start(engine, number, place);
  }
}

/* The reader has nothing to do with its chunk any more. What was dropped meanwhile may be read
 * beyond the makespan, and is not shown. */
static void leave(struct ls_engine *engine, uint32_t number, enum ls_outcome outcome) {
  struct ls_engine_reader *reader = &engine->reading.readers[number];
  if (outcome != LS_OUTCOME_CANCELLED && ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_READER,
                                                 .operation = LS_OPERATION_STAGE,
                                                 .outcome = outcome,
                                                 .worker = number,
                                                 .chunk = reader->number,
                                                 .units = reader->units,
                                                 .start_s = reader->start_s,
                                                 .end_s = engine->now_s});
  reader->chunk = LS_ENGINE_NONE;
  engine->reading.busy--;
  if (engine->reading.line.count > 0) engine->is_read_due = true;
}

/* Is the chunk of this number still to be computed here? */
static bool is_wanted(const struct ls_engine *engine, uint32_t number, uint64_t chunk) {
  const struct ls_worker_side *side = &engine->workers[number].side;
  const struct ls_job *job;
  if (side->is_running && side->running.chunk == chunk) return true;
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; i++)
    if (job->chunk == chunk) return true;
  return false;
}

void ls_reader_end(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_reader *reader = &engine->reading.readers[number];
  const struct ls_engine_worker *worker = &engine->workers[number];
  uint32_t place = reader->chunk;
  if (reader->stamp != stamp || place == LS_ENGINE_NONE) return;
  bool is_of_use = is_wanted(engine, number, reader->number);
  leave(engine, number, is_of_use ? LS_OUTCOME_DONE : LS_OUTCOME_CANCELLED);
  if (is_of_use) engine->chunks[place].is_staged = true;
  if (is_of_use && worker->phase == LS_PHASE_STAGING && worker->side.running.payload == place)
    ls_processor_staged(engine, number);
  ls_reader_look(engine, number);
}

void ls_reader_clear(struct ls_engine *engine, uint32_t number) {
  if (engine->reading.readers == NULL) return;
  struct ls_engine_reader *reader = &engine->reading.readers[number];
  if (reader->chunk != LS_ENGINE_NONE) leave(engine, number, LS_OUTCOME_LOST);
  reader->is_in_line = false;
  reader->stamp++;
}

void ls_reader_stand(struct ls_engine *engine, uint32_t number) {
  if (engine->reading.readers == NULL) return;
  struct ls_engine_reader *reader = &engine->reading.readers[number];
  if (reader->chunk != LS_ENGINE_NONE) reader->stamp++;
}

void ls_reader_go_on(struct ls_engine *engine, uint32_t number) {
  if (engine->reading.readers == NULL) return;
  struct ls_engine_reader *reader = &engine->reading.readers[number];
  double away_s = engine->now_s - engine->workers[number].paused_s;
  if (reader->chunk == LS_ENGINE_NONE) {
    ls_reader_look(engine, number);
    return;
  }
  /* As if what it did before had been done just before. */
  reader->start_s += away_s;
  reader->end_s += away_s;
  ls_engine_push(engine, reader->end_s, LS_ENGINE_STAGED, (uint64_t)++reader->stamp << 32 | number);
}
