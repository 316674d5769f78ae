/* results.c: what a worker tells of the chunk at its processor: one RESULT for each of its ranges,
 * since nobody looks at them before, or one for each unit where the times of tasks are learnt. */
#include "simulate/engine_private.h"

#include <assert.h>

#include "simulate/processor_private.h"

static void send_units(struct ls_engine *engine, struct ls_event *event, uint32_t number,
                       uint64_t before) {
  struct ls_range range = event->units;
  for (uint64_t i = 0; i < range.count; i++) {
    double begin_s = before + i == 0 ? engine->workers[number].compute_start_s
                                     : ls_processor_end(engine, number, before + i);
    event->units = (struct ls_range){range.first + i, 1};
    event->seconds = ls_processor_end(engine, number, before + i + 1) - begin_s;
    ls_engine_master_step(engine, event);
  }
}

void ls_processor_send_results(struct ls_engine *engine, uint32_t number, uint64_t done,
                               double end_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint32_t index = worker->queue[worker->queue_head];
  double seconds = end_s - worker->compute_start_s;
  worker->computing_s += seconds;
  if (end_s > engine->makespan_s) engine->makespan_s = end_s;
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .outcome = LS_OUTCOME_DONE,
                           .worker = number,
                           .chunk = engine->chunks[index].number};
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_COMPUTE,
                                                 .worker = number,
                                                 .chunk = event.chunk,
                                                 .units = done,
                                                 .start_s = worker->compute_start_s,
                                                 .end_s = end_s});
  for (size_t i = 0; i < engine->chunks[index].pieces_count; i++) {
    struct ls_engine_piece piece = ls_engine_chunk_piece(&engine->chunks[index], i);
    uint64_t before = piece.units_before;
    if (before >= done) break;
    event.units = piece.units;
    if (event.units.count > done - before) event.units.count = done - before;
    if (engine->has_unit_results) {
      send_units(engine, &event, number, before);
    } else {
      double share = seconds * (double)event.units.count / (double)done;
      event.seconds = engine->has_feedback ? (double)NAN : share;
      ls_engine_master_step(engine, &event);
    }
  }
}

void ls_processor_cancel_results(struct ls_engine *engine, uint32_t number, uint32_t index,
                                 uint64_t done) {
  assert(done < engine->chunks[index].units);
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .outcome = LS_OUTCOME_CANCELLED,
                           .worker = number,
                           .chunk = engine->chunks[index].number};
  for (size_t i = 0; i < engine->chunks[index].pieces_count; i++) {
    struct ls_engine_piece piece = ls_engine_chunk_piece(&engine->chunks[index], i);
    uint64_t skipped = done > piece.units_before ? done - piece.units_before : 0;
    if (skipped >= piece.units.count) continue;
    event.units = (struct ls_range){piece.units.first + skipped, piece.units.count - skipped};
    ls_engine_master_step(engine, &event);
  }
}
