/* outside.c: what nobody in the simulation decides: workers that are told to leave, an adviser's
 * advice, a user's stop.
 *
 * A worker that leaves in order says so, ends the unit that runs and goes; the word and the
 * farewell take its delay, as all its words do.
 */
#include "simulate/engine_private.h"
#include "simulate/presence_private.h"
#include "simulate/processor_private.h"

/* What the payload of a DEPART says, above the worker's number. */
enum { TOLD, HEARD, GONE };

static void push_departure(struct ls_engine *engine, double in_s, uint64_t step, uint32_t worker) {
  ls_engine_push(engine, engine->now_s + in_s, LS_ENGINE_DEPART, step << 32 | worker);
}

void ls_outside_open(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  for (size_t i = 0; i < setup->depart_count; i++)
    push_departure(engine, setup->depart[i].time_s, TOLD, setup->depart[i].worker);
  for (size_t i = 0; i < setup->advice_count; i++)
    ls_engine_push(engine, setup->advice[i].time_s, LS_ENGINE_ADVICE, i);
  for (size_t i = 0; i < setup->additions_count; i++)
    ls_engine_push(engine, setup->additions[i].time_s, LS_ENGINE_ADDITION, i);
  if (setup->stop.is_wanted) ls_engine_push(engine, setup->stop.time_s, LS_ENGINE_STOP, 0);
}

static void tell(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present || worker->is_still || worker->side.is_leaving) return;
  push_departure(engine, worker->delay_s, HEARD, number);
  ls_processor_obey(engine, number, &(struct ls_side_event){.kind = LS_SIDE_EVENT_LEAVE});
}

void ls_outside_bye(struct ls_engine *engine, uint32_t number) {
  push_departure(engine, engine->workers[number].delay_s, GONE, number);
}

void ls_outside_depart(struct ls_engine *engine, uint64_t payload) {
  uint32_t number = (uint32_t)(payload & UINT32_MAX);
  uint64_t step = payload >> 32;
  if (step == TOLD) {
    tell(engine, number);
  } else if (engine->workers[number].side.is_leaving && step == HEARD) {
    ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_LEAVING, .worker = number});
  } else if (engine->workers[number].side.is_leaving) {
    ls_presence_leave(engine, number, LS_LOSS_LEFT);
  }
}

void ls_outside_add(struct ls_engine *engine, size_t index) {
  const struct ls_simulation *setup = engine->setup;
  const struct ls_event_added added = {.units = setup->additions[index].units,
                                       .is_last = index + 1 == setup->additions_count};
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_ADDED, .added = added});
  ls_engine_master_wake(engine);
}

void ls_outside_advise(struct ls_engine *engine, size_t index) {
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_ADVICE,
                                                   .advice = engine->setup->advice[index].advice});
  ls_engine_master_wake(engine);
}

/* As a real master does: units that wait at the workers are not begun any more. */
void ls_outside_stop(struct ls_engine *engine) {
  bool is_hard = engine->setup->stop.is_hard;
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_STOP, .is_hard = is_hard});
  for (uint32_t i = 0; i < engine->workers_count && !is_hard; i++)
    if (engine->workers[i].is_present)
      ls_order_send(engine, i, engine->workers[i].delay_s,
                    &(struct ls_side_event){.kind = LS_SIDE_EVENT_RECALL});
}
