/* mail.c: what workers and master say to each other, beside chunks.
 *
 * A word without load takes the worker's delay.  What a worker says at one instant travels as one
 * frame, and the master hears its frames in their order: what stands behind a request is heard when
 * that request has been served.  So the policy knows at each request what was finished when it was
 * sent, and no more.  But reports that somebody wants (report_every) cost the delay and nothing
 * else: they wait behind no request.  A held result that was fetched is told at once.
 */
#include <stdlib.h>
#include <string.h>

#include "simulate/computing_private.h"
#include "simulate/engine_private.h"
#include "simulate/processor_private.h"

static uint32_t take_mail(struct ls_engine *engine) {
  uint32_t mail = engine->mails_free;
  if (mail != LS_ENGINE_NONE) {
    engine->mails_free = engine->mails[mail].next;
    return mail;
  }
  if (!ls_engine_grow(engine, (void **)&engine->mails, &engine->mails_capacity,
                      (size_t)engine->mails_used + 1, sizeof *engine->mails))
    return LS_ENGINE_NONE;
  mail = engine->mails_used++;
  engine->mails[mail].times = NULL;
  engine->mails[mail].times_capacity = 0;
  return mail;
}

static void leave_mail(struct ls_engine *engine, uint32_t mail) {
  engine->mails[mail].next = engine->mails_free;
  engine->mails_free = mail;
}

static void append(struct ls_engine *engine, struct ls_mail_list *list, uint32_t mail) {
  engine->mails[mail].next = LS_ENGINE_NONE;
  if (list->first == LS_ENGINE_NONE)
    list->first = mail;
  else
    engine->mails[list->last].next = mail;
  list->last = mail;
}

static uint32_t take_first(const struct ls_engine *engine, struct ls_mail_list *list) {
  uint32_t mail = list->first;
  list->first = engine->mails[mail].next;
  return mail;
}

static void write_result(struct ls_engine *engine, uint32_t number,
                         const struct ls_side_result *result) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint32_t index = take_mail(engine);
  if (index == LS_ENGINE_NONE) return;
  struct ls_mail *mail = &engine->mails[index];
  mail->is_request = mail->is_last = false;
  mail->result = *result;
  mail->end_s = ls_engine_last_end_s(engine, number);
  if (result->times_count > 0) {
    if (!ls_engine_grow(engine, (void **)&mail->times, &mail->times_capacity, result->times_count,
                        sizeof *mail->times))
      mail->result.times_count = 0;
    else
      memcpy(mail->times, engine->side_actions.times + result->first_time,
             result->times_count * sizeof *mail->times);
  }
  append(engine, result->is_held ? &worker->held : &worker->said, index);
}

static void write_request(struct ls_engine *engine, struct ls_engine_worker *worker,
                          uint64_t units) {
  uint32_t index = take_mail(engine);
  if (index == LS_ENGINE_NONE) return;
  struct ls_mail *mail = &engine->mails[index];
  mail->is_request = true;
  mail->is_last = false;
  mail->units = units;
  append(engine, &worker->said, index);
}

/* What is held of the chunk is free now. */
static void let_go(struct ls_engine *engine, struct ls_engine_worker *worker, uint64_t chunk) {
  struct ls_mail_list held = worker->held;
  worker->held.first = LS_ENGINE_NONE;
  while (held.first != LS_ENGINE_NONE) {
    uint32_t mail = take_first(engine, &held);
    bool is_free = engine->mails[mail].result.chunk == chunk;
    append(engine, is_free ? &worker->freed : &worker->held, mail);
  }
}

static void tell_result(struct ls_engine *engine, uint32_t number,
                        const struct ls_side_result *result, const double *times, double end_s) {
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = number,
                           .result = {.chunk = result->chunk,
                                      .units = result->units,
                                      .outcome = result->outcome,
                                      .seconds = result->seconds,
                                      .squares = result->squares,
                                      .latest = times,
                                      .latest_count = result->times_count}};
  /* Behind the end nothing counts. */
  uint64_t units = result->units.count, dropped = units;
  if (!engine->is_finished) dropped = ls_engine_master_step(engine, &event);
  if (result->outcome != LS_OUTCOME_DONE) return;
  /* Of a chunk that is not done as a whole a unit may be the last one that counts. */
  if (dropped < units && end_s > engine->makespan_s) engine->makespan_s = end_s;
  if (dropped > 0) ls_computing_take_back(engine, number, result, dropped, end_s);
}

/* Does what the worker says reach the master at once, behind nothing else?  A worker on the master
 * may say something in the middle of it. */
static bool is_heard_at_once(const struct ls_engine *engine,
                             const struct ls_engine_worker *worker) {
  return !(worker->delay_s > 0) && worker->said.first == LS_ENGINE_NONE &&
         worker->held.first == LS_ENGINE_NONE && !worker->is_requesting && !engine->has_on_master;
}

/* May what has arrived be heard, though a request of the worker may stand before it? */
static bool may_hear(const struct ls_engine *engine, const struct ls_engine_worker *worker) {
  if (!worker->is_requesting) return true;
  return engine->side_settings.report_every > 0 && !engine->mails[worker->said.first].is_request;
}

static void tell_at_once(struct ls_engine *engine, uint32_t number,
                         const struct ls_side_result *result) {
  const double *times = engine->side_actions.times;
  tell_result(engine, number, result, times != NULL ? times + result->first_time : NULL,
              ls_engine_last_end_s(engine, number));
}

static void tell_mail(struct ls_engine *engine, uint32_t number, uint32_t index) {
  const struct ls_mail *mail = &engine->mails[index];
  struct ls_side_result result = mail->result;
  const double *times = mail->times;
  double end_s = mail->end_s;
  leave_mail(engine, index);
  tell_result(engine, number, &result, times, end_s);
}

/* Results in a planned order return by the network alone, as FETCH takes no time: a plan knows of
 * no delay on their way. */
static void tell_freed(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  while (worker->freed.first != LS_ENGINE_NONE)
    tell_mail(engine, number, take_first(engine, &worker->freed));
}

/* What the worker said at this instant. */
static void send_frame(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  engine->mails[worker->said.last].is_last = true;
  if (worker->delay_s > 0)
    ls_engine_push(engine, engine->now_s + worker->delay_s, LS_ENGINE_FRAME,
                   (uint64_t)worker->epoch << 32 | number);
  else
    ls_mail_arrive(engine, number);
}

void ls_mail_write(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  bool says = false, is_at_once = is_heard_at_once(engine, worker);
  const struct ls_side_action *action = engine->side_actions.items;
  const struct ls_side_action *end = action + engine->side_actions.count;
  for (; action < end; action++) {
    if (action->kind == LS_SIDE_ACTION_TELL && is_at_once && !action->result.is_held) {
      tell_at_once(engine, number, &action->result);
    } else if (action->kind == LS_SIDE_ACTION_TELL) {
      write_result(engine, number, &action->result);
      says = says || !action->result.is_held;
    } else if (action->kind == LS_SIDE_ACTION_ASK && is_at_once) {
      ls_engine_master_request(engine, number, action->units);
    } else if (action->kind == LS_SIDE_ACTION_ASK) {
      write_request(engine, worker, action->units);
      says = true;
    } else if (action->kind == LS_SIDE_ACTION_LET_GO) {
      let_go(engine, worker, action->let_go.chunk);
    }
  }
  if (engine->status != LS_OK) return;
  if (says) send_frame(engine, number);
  if (worker->freed.first != LS_ENGINE_NONE) tell_freed(engine, number);
}

void ls_mail_hear(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  while (worker->frames_arrived > 0 && engine->status == LS_OK && may_hear(engine, worker)) {
    uint32_t index = take_first(engine, &worker->said);
    const struct ls_mail *mail = &engine->mails[index];
    if (mail->is_last) worker->frames_arrived--;
    if (mail->is_request) {
      ls_engine_master_request(engine, number, mail->units);
      leave_mail(engine, index);
    } else {
      tell_mail(engine, number, index);
    }
  }
}

void ls_mail_arrive(struct ls_engine *engine, uint32_t number) {
  engine->workers[number].frames_arrived++;
  ls_mail_hear(engine, number);
}

void ls_mail_clear(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  while (worker->said.first != LS_ENGINE_NONE) {
    uint32_t index = take_first(engine, &worker->said);
    if (engine->mails[index].is_request)
      leave_mail(engine, index);
    else
      tell_mail(engine, number, index);
  }
  while (worker->held.first != LS_ENGINE_NONE)
    leave_mail(engine, take_first(engine, &worker->held));
  worker->frames_arrived = 0;
  worker->is_requesting = false;
}

static void take_back_list(struct ls_engine *engine, uint32_t number, struct ls_mail_list list) {
  while (list.first != LS_ENGINE_NONE) {
    const struct ls_mail *mail = &engine->mails[take_first(engine, &list)];
    if (!mail->is_request && mail->result.outcome == LS_OUTCOME_DONE)
      ls_computing_take_back(engine, number, &mail->result, mail->result.units.count, mail->end_s);
  }
}

void ls_mail_end(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_side_result *untold = &worker->side.merged;
  take_back_list(engine, number, worker->said);
  take_back_list(engine, number, worker->held);
  if (untold->units.count > 0)
    ls_computing_take_back(engine, number, untold, untold->units.count, worker->last_end_s);
}

void ls_mail_close(struct ls_engine *engine) {
  for (uint32_t i = 0; i < engine->mails_used; i++) free(engine->mails[i].times);
  free(engine->mails);
  free(engine->orders);
}

void ls_order_send(struct ls_engine *engine, uint32_t number, double delay_s,
                   const struct ls_side_event *event) {
  uint32_t index = engine->orders_free;
  if (index != LS_ENGINE_NONE) {
    engine->orders_free = engine->orders[index].next_free;
  } else {
    if (!ls_engine_grow(engine, (void **)&engine->orders, &engine->orders_capacity,
                        (size_t)engine->orders_used + 1, sizeof *engine->orders))
      return;
    index = engine->orders_used++;
  }
  engine->orders[index] =
      (struct ls_order){.worker = number, .epoch = engine->workers[number].epoch, .event = *event};
  ls_engine_push(engine, engine->now_s + delay_s, LS_ENGINE_ORDER, index);
}

void ls_order_arrive(struct ls_engine *engine, uint32_t index) {
  const struct ls_order order = engine->orders[index];
  const struct ls_engine_worker *worker = &engine->workers[order.worker];
  if (worker->is_still && worker->epoch == order.epoch) {
    ls_engine_wait(engine, order.worker, LS_ENGINE_ORDER, index);
    return;
  }
  engine->orders[index].next_free = engine->orders_free;
  engine->orders_free = index;
  if (worker->is_present && worker->epoch == order.epoch)
    ls_processor_obey(engine, order.worker, &order.event);
}
