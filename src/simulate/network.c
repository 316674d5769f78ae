/* network.c: the ports.
 *
 * Under one-port both ways share port 0; under two-port replies have port 1.  A port carries one
 * chunk at a time, first come first served; at one instant (but for rounding, ls_reply_turn_s) a
 * transfer outwards comes before a reply, and replies go in the order of their chunks.  The next
 * chunk is granted the port after all that becomes ready at the same instant.  What has begun to
 * cross goes on to its end though its worker leaves; what has not begun is dropped.  Under
 * multi-port links.c says who crosses when.
 */
#include "simulate/engine_private.h"
#include "simulate/processor_private.h"

#include <assert.h>

#include "model/replay.h"

static size_t choose_port(const struct ls_engine *engine, bool is_reply) {
  return is_reply && engine->platform->ports != LS_PORTS_ONE ? 1 : 0;
}

static double measure_crossing(const struct ls_engine *engine, uint32_t chunk, bool is_reply) {
  const struct ls_engine_chunk *item = &engine->chunks[chunk];
  const struct ls_worker_model *model = engine->workers[item->worker].model;
  const struct ls_cost *costs = ls_worker_costs(model, (double)item->units);
  return ls_engine_cost(&costs[is_reply ? LS_OPERATION_REPLY : LS_OPERATION_TRANSFER], item->units);
}

static void deliver(struct ls_engine *engine, uint32_t chunk) {
  double delay_s = engine->workers[engine->chunks[chunk].worker].delay_s;
  if (delay_s > 0)
    ls_engine_push(engine, engine->now_s + delay_s, LS_ENGINE_ARRIVED, chunk);
  else
    ls_processor_arrive(engine, chunk);
}

static void carry(struct ls_engine *engine, size_t port, uint32_t chunk, bool is_reply) {
  struct ls_port *state = &engine->ports[port];
  assert(!engine->is_port_busy[port]);
  double seconds = measure_crossing(engine, chunk, is_reply);
  if (!(seconds > 0) && !is_reply) {
    if (state->waiting.count > 0) engine->is_grant_due[port] = true;
    deliver(engine, chunk);
    return;
  }
  engine->is_port_busy[port] = true;
  state->is_reply = is_reply;
  state->chunk = chunk;
  state->start_s = engine->now_s;
  ls_engine_push(engine, engine->now_s + seconds, LS_ENGINE_PORT_END, port);
}

void ls_network_ask(struct ls_engine *engine, uint32_t chunk, bool is_reply) {
  size_t port = choose_port(engine, is_reply);
  struct ls_port *state = &engine->ports[port];
  /* Outwards under two-port nothing else can become ready earlier: no event is needed. */
  if (!is_reply && engine->platform->ports == LS_PORTS_TWO && !engine->is_port_busy[port] &&
      state->waiting.count == 0) {
    carry(engine, port, chunk, false);
    return;
  }
  uint64_t number = engine->chunks[chunk].number;
  uint32_t rank = number < UINT32_MAX - 1 ? (uint32_t)number + 1 : UINT32_MAX;
  /* Those that were held go in the order in which they were fetched. */
  if (engine->chunks[chunk].is_held) rank = 1;
  double turn_s = is_reply ? ls_reply_turn_s(engine->now_s) : engine->now_s;
  if (engine->platform->ports == LS_PORTS_MULTI) {
    ls_links_ask(engine, port, chunk, turn_s);
    return;
  }
  enum ls_status status =
      ls_heap_push(&state->waiting, turn_s, is_reply ? rank : 0, (uint64_t)chunk * 2 + is_reply);
  if (status != LS_OK) ls_engine_fail(engine, status);
  if (!engine->is_port_busy[port]) engine->is_grant_due[port] = true;
}

void ls_network_grant(struct ls_engine *engine, size_t port) {
  struct ls_port *state = &engine->ports[port];
  struct ls_heap_item item;
  if (engine->platform->ports == LS_PORTS_MULTI) {
    ls_links_grant(engine, port);
    return;
  }
  engine->is_grant_due[port] = false;
  while (!engine->is_port_busy[port] && ls_heap_pop(&state->waiting, &item)) {
    uint32_t chunk = (uint32_t)(item.payload / 2);
    if (ls_engine_is_wanted(engine, chunk)) {
      carry(engine, port, chunk, item.payload % 2 == 1);
      return;
    }
    ls_engine_chunk_drop(engine, chunk);
  }
}

void ls_network_deliver(struct ls_engine *engine, size_t port, uint32_t chunk, double start_s) {
  const struct ls_engine_chunk *item = &engine->chunks[chunk];
  bool is_shared = engine->platform->ports == LS_PORTS_ONE;
  bool is_reply = is_shared ? engine->ports[port].is_reply : port == 1;
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(
        engine,
        &(struct ls_span){.resource = port == 1 ? LS_RESOURCE_RETURN : LS_RESOURCE_NETWORK,
                          .operation = is_reply ? LS_OPERATION_REPLY : LS_OPERATION_TRANSFER,
                          .worker = item->worker,
                          .chunk = item->number,
                          .units = item->units,
                          .start_s = start_s,
                          .end_s = engine->now_s});
  if (!is_reply) {
    deliver(engine, chunk);
    return;
  }
  if (engine->now_s > engine->makespan_s) engine->makespan_s = engine->now_s;
  ls_engine_chunk_drop(engine, chunk);
}

void ls_network_end(struct ls_engine *engine, uint64_t payload) {
  size_t port = (size_t)(payload & 1);
  struct ls_port *state = &engine->ports[port];
  if (engine->platform->ports == LS_PORTS_MULTI) {
    ls_links_step(engine, port, (uint32_t)(payload >> 1));
    return;
  }
  assert(engine->is_port_busy[port]);
  engine->is_port_busy[port] = false;
  if (state->waiting.count > 0) engine->is_grant_due[port] = true;
  ls_network_deliver(engine, port, state->chunk, state->start_s);
}
