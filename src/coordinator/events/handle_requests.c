/* handle_requests.c: workers ask, the policy answers; or the policy pushes.
 *
 * A request that gets nothing is parked.  Parked requests are asked again, in the order of refusal,
 * once units have come back: at once, or one for each FREE where the driver says when the master
 * can send.  No answer is larger than the worker's room: a policy is not asked for a worker without
 * any, and a chunk is cut to what fits.
 */
#include "base/array.h"
#include "coordinator/handlers_private.h"

void ls_request_tell(struct ls_coordinator *c, uint32_t slot, enum ls_chunking_change change,
                     uint64_t units_back) {
  if (c->crews != NULL) {
    ls_lane_tell(c, slot, change);
    return;
  }
  if (c->policy == NULL || c->policy->chunking->on_worker == NULL) return;
  c->policy->chunking->on_worker(c->policy->state, ls_policy_view(c), slot, change, units_back);
}

void ls_request_return(struct ls_coordinator *c, uint64_t units_back) {
  if (c->crews != NULL) {
    ls_lane_tell_returned(c);
    return;
  }
  if (units_back == 0 || c->policy == NULL || c->policy->chunking->on_return == NULL) return;
  c->policy->chunking->on_return(c->policy->state, ls_policy_view(c), units_back);
}

void ls_request_report(struct ls_coordinator *c, uint32_t slot) {
  struct ls_chunking_report report;
  if (!ls_record_take_report(&c->record, slot, c->now_s, &report)) return;
  if (c->crews != NULL) {
    ls_lane_report(c, &report);
    return;
  }
  if (c->policy == NULL || c->policy->chunking->on_report == NULL) return;
  c->policy->chunking->on_report(c->policy->state, ls_policy_view(c), &report);
}

static bool reserve_ranges(struct ls_coordinator *c, size_t count) {
  struct ls_actions *actions = c->actions;
  if (count <= actions->ranges_capacity) return true;
  void *ranges = actions->ranges;
  enum ls_status status =
      ls_array_reserve(&ranges, &actions->ranges_capacity, count, sizeof *actions->ranges);
  actions->ranges = ranges;
  ls_step_fail(c, status);
  return status == LS_OK;
}

/* The ranges of the chunk behind those of the others; false: no memory. */
static bool add_ranges(struct ls_coordinator *c, const struct ls_chunk *chunk) {
  struct ls_actions *actions = c->actions;
  uint32_t cursor = LS_INDEX_NONE;
  struct ls_range range;
  if (!reserve_ranges(c, actions->ranges_count + 1 + chunk->rest.count)) return false;
  if (chunk->rest.count == 0) {
    actions->ranges[actions->ranges_count++] = chunk->range;
    return true;
  }
  while (ls_ledger_next_range(&c->ledger, chunk, &cursor, &range))
    actions->ranges[actions->ranges_count++] = range;
  return true;
}

void ls_request_dispatch(struct ls_coordinator *c, uint32_t index) {
  const struct ls_chunk *chunk = &c->ledger.chunks[index];
  size_t first = c->actions->ranges_count;
  assert(ls_roster_is(&c->roster, chunk->slot, LS_PRESENCE_ACTIVE) && !c->is_stopping);
  if (!add_ranges(c, chunk)) return;
  c->visits[chunk->slot].has_worked = true;
  ls_recall_reconsider(c, chunk->slot);
  ls_start_note(c);
  struct ls_action_send *sent = &ls_step_act(c, LS_ACTION_SEND, chunk->slot)->send;
  sent->chunk = chunk->id;
  sent->units = chunk->units;
  sent->first_range = first;
  sent->ranges_count = c->actions->ranges_count - first;
  sent->way = LS_RESULT_AS_COMPUTED;
  if (!c->actions->wants_notes) return;
  ls_step_write_note(c, &(struct ls_note){.kind = LS_NOTE_SENT,
                                          .worker = chunk->slot,
                                          .chunk = chunk->id,
                                          .units = chunk->units,
                                          .extra = ls_ledger_waiting(&c->ledger)});
}

static bool send(struct ls_coordinator *c, uint32_t slot, uint64_t units, uint32_t *chunk) {
  uint64_t waiting = c->ledger.waiting.units, most = ls_chunking_room(&c->view, slot);
  if (units > waiting) units = waiting;
  if (units > most) units = most;
  if (ls_request_isolates(c)) units = ls_ledger_count_together(&c->ledger, units);
  enum ls_status status = ls_ledger_send(&c->ledger, slot, units, c->now_s, chunk);
  ls_step_fail(c, status);
  if (status != LS_OK) return false;
  c->is_free = false;
  return true;
}

/* Parked, still to be served, and without a unit.  Counted when first asked for: that takes a look
 * at each of them. */
static uint64_t count_idle(struct ls_coordinator *c) {
  if (c->is_idle_counted) return c->idle;
  uint32_t slot = c->config.spares_newcomers ? c->roster.due : LS_WORKER_NONE;
  c->is_idle_counted = true;
  c->idle = 0;
  for (; slot != LS_WORKER_NONE; slot = c->roster.slots[slot].parked_next)
    c->idle += c->ledger.slots[slot].units == 0;
  return c->idle;
}

/* Before a unit has ended: somebody is there, or granted, who has not asked yet. Who comes later,
 * or never, holds nobody up. */
static bool awaits_first_requests(const struct ls_coordinator *c) {
  return c->config.spares_newcomers && !c->has_results &&
         c->roster.newcomers + c->roster.expected > 0;
}

/* Each idle worker gets its first chunk before any gets its second one: tasks begin in their order.
 * Who got less than it asked for asks again. */
static bool must_share(struct ls_coordinator *c) {
  return awaits_first_requests(c) || count_idle(c) > 0;
}

/* What would wait at a busy worker is better kept for one that is idle, or on its way: granted, or
 * asked of a pool that replaces who is lost.  What one that is away may have is for idle ones only:
 * it may be done by now. */
static bool may_send_ahead(struct ls_coordinator *c, uint32_t slot) {
  size_t coming = c->roster.expected + (c->config.grant_s > 0 ? c->roster.requested : 0);
  uint64_t sure = ls_ledger_count_sure(&c->ledger);
  if (c->ledger.slots[slot].units == 0) return true;
  if (sure == 0 || !c->config.spares_newcomers) return sure > 0;
  if (awaits_first_requests(c)) return false;
  if (c->crews != NULL) return sure > (c->ledger.lane == 0 ? coming : 0) + ls_lane_count_eager(c);
  uint64_t others = coming + c->roster.newcomers;
  if (sure <= others) return false;
  uint64_t spare = sure - others;
  return spare > ls_roster_active(&c->roster) || count_idle(c) < spare;
}

/* The most that the slot may get.  Of what came back an idle worker leaves a share for the one that
 * gave it back and asks anew: else the next one that is idle would have to recall nearly all of it.
 * A busy one leaves shares for those that are idle and still to be served. */
static uint64_t find_share(struct ls_coordinator *c, uint32_t slot) {
  uint64_t waiting = c->ledger.waiting.units;
  if (!c->config.recalls || !ls_ledger_is_all_back(&c->ledger)) return UINT64_MAX;
  uint64_t idle = count_idle(c);
  if (c->ledger.slots[slot].units == 0) return (waiting + idle + 1) / (idle + 2);
  return idle > 0 ? waiting / (idle + 1) : UINT64_MAX;
}

/* So much of a chunk that goes beyond the units that nobody may have, of which `sure` wait.  What
 * an end of time stopped may be kept from the worker, and was not set aside. */
static uint64_t limit_doubtful(const struct ls_coordinator *c, uint64_t units, uint64_t sure) {
  if (sure > 0) return sure;
  return units > 1 && c->expiries.count > 0 ? 1 : units;
}

/* Chunks for the worker until `wanted` units are given or the policy gives nothing; the units. What
 * it will not live for is set aside, anew behind each chunk: it is no fresh one any more. */
static uint64_t give_some(struct ls_coordinator *c, uint32_t slot, uint64_t wanted,
                          struct ls_piece_list *aside) {
  const struct ls_chunking *chunking = c->policy->chunking;
  uint64_t given = 0, most = find_share(c, slot);
  ls_request_report(c, slot);
  ls_weight_renew(c);
  for (int i = 0; i < LS_REQUEST_CHUNKS_MAX && given < wanted && given < most; i++) {
    uint32_t chunk;
    ls_lifetime_set_aside(c, slot, aside);
    if (c->ledger.waiting.units == 0 || c->has_failed || !may_send_ahead(c, slot)) break;
    if (given > 0 && must_share(c)) break;
    if (!ls_start_is_free(c)) break;
    if (!ls_request_has_room(c, slot)) break;
    uint64_t lasting = ls_lifetime_prepare(c, slot);
    if (lasting == 0) break;
    uint64_t sure = ls_ledger_count_sure(&c->ledger);
    const struct ls_chunking_view *view = ls_policy_view(c);
    uint64_t units = chunking->next_units(c->policy->state, view, ls_lane_seat(c, slot));
    if (units > most - given) units = most - given;
    if (units > lasting) units = lasting;
    if (units > sure) units = limit_doubtful(c, units, sure);
    if (units == 0 || !send(c, slot, units, &chunk)) break;
    given += c->ledger.chunks[chunk].units;
    ls_request_dispatch(c, chunk);
  }
  return given;
}

/* One that is idle got nothing of what waits, though some of that was at a worker before: what
 * nobody had yet may be kept for another one, and is to be recalled from that one as from any. */
static void note_refusal(struct ls_coordinator *c, uint32_t slot) {
  bool is_refused = c->ledger.slots[slot].units == 0 && ls_ledger_count_back(&c->ledger) > 0;
  c->visits[slot].refused_by = is_refused ? c->policies : 0;
}

/* What the worker will not live for waits on, in front: nobody refused it that. */
static uint64_t give_of_lane(struct ls_coordinator *c, uint32_t slot, uint64_t wanted) {
  struct ls_piece_list aside;
  ls_piece_list_init(&aside);
  uint64_t given = give_some(c, slot, wanted, &aside);
  note_refusal(c, slot);
  ls_lifetime_put_back(c, &aside);
  return given;
}

static uint64_t give(struct ls_coordinator *c, uint32_t slot, uint64_t wanted) {
  uint32_t lanes[LS_LANES_MAX], focus = c->ledger.lane;
  uint64_t given = 0;
  if (c->crews == NULL) return give_of_lane(c, slot, wanted);
  size_t count = ls_lane_list(c, slot, lanes);
  for (size_t i = 0; i < count && given < wanted && !c->has_failed; i++) {
    if (given > 0 && must_share(c)) break;
    (void)ls_lane_focus(c, lanes[i]);
    given += give_of_lane(c, slot, wanted - given);
  }
  (void)ls_lane_focus(c, focus);
  return given;
}

static void park(struct ls_coordinator *c, uint32_t slot, uint64_t units) {
  ls_recall_reconsider(c, slot);
  ls_roster_park(&c->roster, slot, units);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_ASKED_NOTHING,
                                    .worker = slot,
                                    .units = units,
                                    .extra = ls_ledger_waiting(&c->ledger)});
}

/* Nothing waits for it: what runs elsewhere runs here, too, where that is worth it. */
static bool serve_again(struct ls_coordinator *c, uint32_t slot) {
  bool is_replicated = c->config.replication != NULL && ls_replica_serve(c, slot, true);
  return is_replicated || ls_replica_serve_forsaken(c, slot);
}

void ls_request_on_ready(struct ls_coordinator *c, uint32_t slot, uint64_t units) {
  uint64_t wanted = units > 1 ? units : 1;
  c->requests++;
  c->visits[slot].refused_by = 0;
  /* Nothing need be kept for it any more once it has its answer. */
  if (ls_roster_greet(&c->roster, slot)) {
    ls_patience_come(&c->patience, c->now_s - c->visits[slot].asked_for_s);
    c->visits[slot].asked_for_s = (double)NAN;
    if (c->config.spares_newcomers) c->has_returned = true;
  }
  if (c->config.chunking->is_pushed) return;
  bool is_surplus = ls_advice_is_surplus(c, slot);
  bool may_serve = !is_surplus && !c->is_stopping && ls_worker_are_enough(c);
  if (may_serve && !ls_start_is_free(c)) {
    c->awaits_start = true;
    may_serve = false;
  }
  bool may_replicate = may_serve && c->config.replication != NULL;
  if ((may_replicate && ls_replica_serve(c, slot, false)) ||
      (may_serve && ls_ledger_waiting(&c->ledger) > 0 && give(c, slot, wanted) > 0) ||
      (may_serve && !ls_lifetime_may_have(c, slot) && !ls_recall_may_help(c, slot) &&
       serve_again(c, slot))) {
    ls_roster_unpark(&c->roster, slot);
    return;
  }
  /* Reports travel with every request, also with one that gets nothing. */
  ls_request_report(c, slot);
  park(c, slot, wanted);
  if (ls_start_is_free(c)) ls_lifetime_on_refusal(c, slot);
}

/* What was recalled behind the end of a plan: a share for who is idle, and one for each other one
 * and for who gave it back. */
static void push_share(struct ls_coordinator *c) {
  struct ls_piece_list aside;
  size_t idle;
  uint32_t chunk, slot = ls_recall_find_idle(c, &idle);
  if (slot == LS_WORKER_NONE) return;
  ls_piece_list_init(&aside);
  ls_lifetime_set_aside(c, slot, &aside);
  uint64_t waiting = c->ledger.waiting.units, units = (waiting + idle) / (idle + 1);
  bool is_sent = waiting > 0 && !c->has_failed && send(c, slot, units, &chunk);
  ls_lifetime_put_back(c, &aside);
  if (is_sent) ls_request_dispatch(c, chunk);
}

static void push(struct ls_coordinator *c) {
  uint32_t slot = LS_WORKER_NONE, chunk;
  uint64_t units = 0;
  for (uint32_t i = 0; i < c->rooms.slots; i++) (void)ls_request_has_room(c, i);
  ls_lifetime_measure(c);
  if (!c->policy->chunking->next_send(c->policy->state, ls_policy_view(c), &slot, &units)) {
    if (ls_rooms_are_limited(&c->rooms)) ls_return_make_room(c);
    ls_lifetime_refuse_idle(c);
    return;
  }
  assert(ls_roster_is(&c->roster, slot, LS_PRESENCE_ACTIVE) && units > 0);
  assert(ls_chunking_room(&c->view, slot) > 0);
  struct ls_piece_list aside;
  ls_piece_list_init(&aside);
  ls_lifetime_set_aside(c, slot, &aside);
  bool is_sent = !c->has_failed && send(c, slot, units, &chunk);
  ls_lifetime_put_back(c, &aside);
  if (!is_sent) return;
  enum ls_result_way way = ls_return_on_push(c, &c->ledger.chunks[chunk], units);
  size_t at = c->actions->count;
  ls_request_dispatch(c, chunk);
  if (c->actions->count > at) c->actions->items[at].send.way = way;
}

/* The next parked request is asked again when the master is free for it. */
static void await_free(struct ls_coordinator *c) {
  if (c->awaits_free) return;
  c->awaits_free = true;
  (void)ls_step_act(c, LS_ACTION_AWAIT_FREE, c->roster.due);
}

/* All that are parked are to be asked again. */
static void begin_serving(struct ls_coordinator *c) {
  if (ls_start_is_free(c)) c->awaits_start = false;
  c->roster.due = c->roster.parked_first;
  c->is_idle_counted = false;
}

/* It may leave, as it has no time left; then one that was passed over as surplus is so no more. */
static void refuse(struct ls_coordinator *c, uint32_t slot) {
  bool was_crowded = ls_roster_active(&c->roster) > c->roster.most;
  ls_lifetime_on_refusal(c, slot);
  if (was_crowded && !c->roster.is_present[slot]) begin_serving(c);
}

void ls_request_serve_due(struct ls_coordinator *c) {
  assert(!c->is_stopping && !c->is_finished);
  if (c->config.chunking->is_pushed) {
    bool is_recalled = c->recalls.count > 0 && ls_ledger_is_all_back(&c->ledger);
    if (!c->is_free || c->ledger.waiting.units == 0) return;
    if (is_recalled)
      push_share(c);
    else
      push(c);
    return;
  }
  if (c->has_returned || (c->awaits_start && ls_start_is_free(c))) begin_serving(c);
  while (c->roster.due != LS_WORKER_NONE && ls_ledger_waiting(&c->ledger) > 0) {
    if (!ls_start_is_free(c)) {
      c->awaits_start = true;
      break;
    }
    if (c->config.is_paced && !c->is_free) {
      await_free(c);
      return;
    }
    uint32_t slot = c->roster.due;
    const struct ls_roster_slot *at = &c->roster.slots[slot];
    c->roster.due = at->parked_next;
    if (c->is_idle_counted && c->idle > 0 && c->ledger.slots[slot].units == 0) c->idle--;
    if (!ls_advice_is_surplus(c, slot) && give(c, slot, at->parked_units) > 0) {
      ls_roster_unpark(&c->roster, slot);
    } else {
      refuse(c, slot);
    }
  }
  c->roster.due = LS_WORKER_NONE;
  c->is_idle_counted = false;
}
