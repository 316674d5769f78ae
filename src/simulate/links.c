/* links.c: several transfers at once.
 *
 * As in the replay (model/replay_share.c) k transfers that move data run at 1/k^alpha of their
 * rate, and latencies use no bandwidth.  A worker has one link, which carries one chunk at a time
 * in each direction, as in a run: what is ready for a busy one waits there, and lets others pass.
 * Outwards the earlier decision goes first where there is a limit.
 */
#include "simulate/engine_private.h"

#include <math.h>
#include <stdlib.h>

#include "model/replay.h"

bool ls_links_open(struct ls_engine *engine) {
  for (size_t port = 0; port < 2; port++) {
    struct ls_port *state = &engine->ports[port];
    state->links = calloc(engine->workers_count + 1, sizeof *state->links);
    if (state->links == NULL) return false;
    for (size_t i = 0; i < engine->workers_count; i++)
      state->links[i].first = state->links[i].last = LS_ENGINE_NONE;
  }
  return true;
}

void ls_links_close(struct ls_engine *engine) {
  for (size_t port = 0; port < 2; port++) {
    free(engine->ports[port].links);
    ls_heap_close(&engine->ports[port].latencies);
    ls_heap_close(&engine->ports[port].data);
  }
}

/* Virtual seconds pass at 1/k^alpha. */
static double find_slowdown(const struct ls_engine *engine, const struct ls_port *state) {
  return pow((double)state->data.count, engine->platform->ports_alpha);
}

static void advance(struct ls_engine *engine, struct ls_port *state) {
  if (state->data.count > 0)
    state->virtual_s += (engine->now_s - state->at_s) / find_slowdown(engine, state);
  else
    state->virtual_s = 0;
  state->at_s = engine->now_s;
}

/* Whatever was to happen next is void. */
static void plan_next(struct ls_engine *engine, size_t port) {
  struct ls_port *state = &engine->ports[port];
  const struct ls_heap_item *latency = ls_heap_first(&state->latencies);
  const struct ls_heap_item *data = ls_heap_first(&state->data);
  double latency_s = latency == NULL ? (double)INFINITY : latency->time_s;
  double data_s = data == NULL ? (double)INFINITY
                               : engine->now_s + fmax(0, data->time_s - state->virtual_s) *
                                                     find_slowdown(engine, state);
  state->stamp++;
  state->is_data_next = data_s <= latency_s;
  double next_s = fmax(engine->now_s, fmin(data_s, latency_s));
  engine->is_port_busy[port] = state->in_progress > 0;
  if (isfinite(next_s))
    ls_engine_push(engine, next_s, LS_ENGINE_PORT_END, (uint64_t)state->stamp << 1 | port);
}

static void start(struct ls_engine *engine, size_t port, uint32_t chunk) {
  struct ls_port *state = &engine->ports[port];
  const struct ls_engine_chunk *item = &engine->chunks[chunk];
  const struct ls_cost *costs =
      ls_worker_costs(engine->workers[item->worker].model, (double)item->units);
  const struct ls_cost *cost = &costs[port == 1 ? LS_OPERATION_REPLY : LS_OPERATION_TRANSFER];
  state->links[item->worker].is_busy = true;
  state->links[item->worker].start_s = engine->now_s;
  state->in_progress++;
  enum ls_status status =
      ls_heap_push(&state->latencies, engine->now_s + cost->latency_s, 0, chunk);
  if (status != LS_OK) ls_engine_fail(engine, status);
}

static void wait_for_link(struct ls_engine *engine, struct ls_link *link, uint32_t chunk) {
  engine->chunks[chunk].next_free = LS_ENGINE_NONE;
  if (link->first == LS_ENGINE_NONE)
    link->first = chunk;
  else
    engine->chunks[link->last].next_free = chunk;
  link->last = chunk;
}

/* Outwards by the order of decisions; replies by the time at which they are ready. */
void ls_links_ask(struct ls_engine *engine, size_t port, uint32_t chunk, double turn_s) {
  uint64_t number = engine->chunks[chunk].number;
  double key = port == 0 ? (double)number : turn_s;
  uint32_t rank = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
  enum ls_status status = ls_heap_push(&engine->ports[port].waiting, key, rank, chunk);
  if (status != LS_OK) ls_engine_fail(engine, status);
  engine->is_grant_due[port] = true;
}

void ls_links_grant(struct ls_engine *engine, size_t port) {
  struct ls_port *state = &engine->ports[port];
  uint64_t limit = engine->platform->ports_limit;
  struct ls_heap_item item;
  engine->is_grant_due[port] = false;
  advance(engine, state);
  while ((limit == 0 || state->in_progress < limit) && ls_heap_pop(&state->waiting, &item)) {
    uint32_t chunk = (uint32_t)item.payload;
    struct ls_link *link = &state->links[engine->chunks[chunk].worker];
    if (!ls_engine_is_wanted(engine, chunk))
      ls_engine_chunk_drop(engine, chunk);
    else if (link->is_busy)
      wait_for_link(engine, link, chunk);
    else
      start(engine, port, chunk);
  }
  plan_next(engine, port);
}

/* The link of the transfer is free for what waits for it. */
static void end_transfer(struct ls_engine *engine, size_t port, const struct ls_heap_item *item) {
  struct ls_port *state = &engine->ports[port];
  uint32_t chunk = (uint32_t)item->payload;
  struct ls_link *link = &state->links[engine->chunks[chunk].worker];
  uint32_t next = link->first;
  state->virtual_s = item->time_s;
  state->in_progress--;
  link->is_busy = false;
  if (next != LS_ENGINE_NONE) {
    link->first = engine->chunks[next].next_free;
    ls_links_ask(engine, port, next, ls_reply_turn_s(engine->now_s));
  }
  if (state->waiting.count > 0) engine->is_grant_due[port] = true;
  plan_next(engine, port);
  ls_network_deliver(engine, port, chunk, link->start_s);
}

void ls_links_step(struct ls_engine *engine, size_t port, uint32_t stamp) {
  struct ls_port *state = &engine->ports[port];
  struct ls_heap_item item;
  if (stamp != state->stamp) return;
  advance(engine, state);
  if (state->is_data_next) {
    if (ls_heap_pop(&state->data, &item)) end_transfer(engine, port, &item);
    return;
  }
  if (!ls_heap_pop(&state->latencies, &item)) return;
  const struct ls_engine_chunk *chunk = &engine->chunks[item.payload];
  const struct ls_cost *costs =
      ls_worker_costs(engine->workers[chunk->worker].model, (double)chunk->units);
  double work_s = costs[port == 1 ? LS_OPERATION_REPLY : LS_OPERATION_TRANSFER].per_unit_s *
                  (double)chunk->units;
  enum ls_status status = ls_heap_push(&state->data, state->virtual_s + work_s, 0, item.payload);
  if (status != LS_OK) ls_engine_fail(engine, status);
  plan_next(engine, port);
}
