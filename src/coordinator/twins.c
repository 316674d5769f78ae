/* twins.c: second copies of running units.
 *
 * A twin is a unit that stands in a chunk at two workers while the totals count it once.  Whoever
 * settles it first wins; a copy that comes to nothing leaves the unit to the other, also when it
 * fails and no retry is left.  Such a unit gets no further copy: so none fails while another worker
 * runs it, and none is begun again for ever.  There are never more twins than workers, so that they
 * are looked for one by one.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/coordinator_private.h"

enum ls_status ls_twins_reserve(struct ls_coordinator *c) {
  struct ls_twins *twins = &c->twins;
  size_t room = c->config.workers_max < c->members_seen + (size_t)16 ? c->config.workers_max
                                                                     : c->members_seen + 16;
  assert(twins->count <= twins->capacity);
  if (room > twins->capacity) {
    void *items = twins->items;
    if (ls_array_reserve(&items, &twins->capacity, room, sizeof *twins->items) != LS_OK) {
      return LS_ENOMEM;
    }
    twins->items = items;
  }
  return LS_OK;
}

/* Index of the unit's twin; the count: it has none. */
static size_t find_twin(const struct ls_twins *twins, uint64_t unit) {
  size_t i = 0;
  assert(twins->count <= twins->capacity);
  while (i < twins->count && twins->items[i].unit != unit) i++;
  return i;
}

bool ls_twins_has(const struct ls_coordinator *c, uint64_t unit) {
  assert(unit < c->units);
  return find_twin(&c->twins, unit) < c->twins.count;
}

/* The unit has failed once too often: its next failure decides, and nobody may begin it beside the
 * worker that has it. */
static bool is_exhausted(const struct ls_coordinator *c, uint64_t unit) {
  assert(unit < c->units);
  return c->failures != NULL && c->failures[unit] > c->config.retries;
}

static void forget(struct ls_twins *twins, size_t index) {
  assert(index < twins->count);
  twins->items[index] = twins->items[--twins->count];
}

/* What the tasks are expected to take, for those of which something is known; their number. */
static uint64_t gather_expected(const struct ls_coordinator *c, double *seconds) {
  uint64_t count = 0;
  assert(c->sent == 0);
  for (uint64_t i = 0; i < c->units; i++) {
    if (c->state[i] != LS_UNIT_WAITING) continue;
    double expected = (double)NAN;
    if (c->learning.history != NULL) {
      expected = ls_task_history_predict(c->learning.history, LS_PREDICTOR_CHOSEN, i);
    }
    if (isnan(expected) && i < c->learning.declared_count && c->learning.expected != NULL) {
      expected = c->learning.expected[i];
    }
    if (!isnan(expected)) seconds[count++] = expected;
  }
  return count;
}

/* The first units of the iteration that wait, also of a resumed one; none has been sent yet. */
static void note_due(struct ls_coordinator *c, size_t replicas) {
  struct ls_twins *twins = &c->twins;
  assert(replicas <= twins->due_capacity && replicas <= c->waiting.units);
  for (uint64_t i = 0; twins->due_count < replicas; i++) {
    uint64_t unit = c->waiting.order != NULL ? c->waiting.order[i] : i;
    if (c->state[unit] == LS_UNIT_WAITING) twins->due[twins->due_count++] = unit;
  }
}

void ls_twins_open(struct ls_coordinator *c) {
  struct ls_twins *twins = &c->twins;
  assert(twins->count == 0 && c->config.replication != NULL);
  struct ls_replication_view view = {
      .units = c->waiting.units,
      .workers_wanted = c->wanted > c->config.extra ? c->wanted - c->config.extra : 1,
      .workers_present = c->active > c->wanted ? c->active : c->wanted,
      .loss_rate = ls_learning_loss_rate(c),
      .arguments = c->learning.replication};
  double *seconds = c->config.replication->learns ? calloc(c->units, sizeof *seconds) : NULL;
  /* Without the times of all tasks nothing is expected of any. */
  if (seconds != NULL && gather_expected(c, seconds) == view.units) view.seconds = seconds;
  uint64_t replicas = c->config.replication->replicas(&view);
  free(seconds);
  twins->due_count = 0;
  if (replicas > view.units) replicas = view.units;
  void *due = twins->due;
  /* A copy is a help, not a duty: without memory for the list of copies there are none. */
  if (ls_array_reserve(&due, &twins->due_capacity, (size_t)replicas, sizeof *twins->due) == LS_OK) {
    twins->due = due;
    note_due(c, (size_t)replicas);
  }
}

/* The worker that has the unit. */
static uint32_t find_holder(const struct ls_coordinator *c, uint64_t unit) {
  assert(c->state[unit] == LS_UNIT_SENT);
  for (uint32_t i = 0; i < c->members_seen; i++) {
    if (c->members[i].chunks > 0 && ls_chunk_holding(c, i, unit) != LS_INDEX_NONE) return i;
  }
  return LS_WORKER_NONE;
}

static bool has_room(const struct ls_coordinator *c) {
  assert(c->chunks_live <= c->chunks_capacity);
  return c->twins.count < c->twins.capacity && c->chunks_live < c->chunks_capacity &&
         c->pieces.live < c->pieces.capacity;
}

static void send_twin(struct ls_coordinator *c, uint64_t unit, uint32_t holder, uint32_t worker,
                      bool is_spare) {
  struct ls_twins *twins = &c->twins;
  assert(holder != worker && twins->count < twins->capacity);
  twins->items[twins->count++] = (struct ls_twin){unit, {holder, worker}, is_spare};
  twins->copies++;
  ls_chunk_send_copy(c, worker, unit);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_COPIED,
                                   .worker = worker,
                                   .chunk = c->next_chunk - 1,
                                   .units = unit,
                                   .extra = holder});
}

/* A copy of the first due unit that another worker has. Units that nobody has yet stay due. */
static bool serve_due(struct ls_coordinator *c, uint32_t worker) {
  struct ls_twins *twins = &c->twins;
  size_t kept = 0;
  bool is_served = false;
  assert(twins->due_count <= twins->due_capacity);
  for (size_t i = 0; i < twins->due_count; i++) {
    uint64_t unit = twins->due[i];
    if (c->state[unit] >= LS_UNIT_DONE || ls_twins_has(c, unit) || is_exhausted(c, unit)) continue;
    if (!is_served && c->state[unit] == LS_UNIT_SENT && has_room(c)) {
      uint32_t holder = find_holder(c, unit);
      if (holder != worker && holder != LS_WORKER_NONE) {
        send_twin(c, unit, holder, worker, false);
        is_served = true;
        continue;
      }
    }
    twins->due[kept++] = unit;
  }
  twins->due_count = kept;
  return is_served;
}

/* What a copy at the worker of the unit that another one runs is worth; <= 0: nothing. */
static double weigh(const struct ls_coordinator *c, uint32_t holder, uint32_t worker,
                    uint64_t *unit) {
  const struct ls_member *member = &c->members[holder];
  assert(holder != worker);
  if (member->chunks == 0) return 0;
  const struct ls_live_chunk *chunk = &c->chunks[member->first_chunk];
  if (chunk->is_cancelled) return 0;
  *unit = c->pieces.items[chunk->pieces.first].units.first;
  if (ls_twins_has(c, *unit) || is_exhausted(c, *unit)) return 0;
  struct ls_replica_facts facts = {.elapsed_s = c->now_s - fmax(chunk->sent_s, member->result_s),
                                   .expected_s = ls_learning_expect(c, *unit, holder),
                                   .copy_s = ls_learning_expect(c, *unit, worker),
                                   .loss_rate = ls_learning_loss_rate(c),
                                   .arguments = c->learning.replication};
  return c->config.replication->worth(&facts);
}

static bool serve_spare(struct ls_coordinator *c, uint32_t worker) {
  double most = 0;
  uint64_t unit = 0, best_unit = 0;
  uint32_t best = LS_WORKER_NONE;
  assert(c->members[worker].presence == LS_PRESENCE_ACTIVE);
  if (c->config.replication->worth == NULL || c->members[worker].units > 0) return false;
  if (!c->is_open || !has_room(c)) return false;
  for (uint32_t i = 0; i < c->members_seen; i++) {
    if (i == worker || !c->is_active[i]) continue;
    double worth = weigh(c, i, worker, &unit);
    if (!(worth > most)) continue;
    most = worth;
    best = i;
    best_unit = unit;
  }
  if (best == LS_WORKER_NONE) return false;
  send_twin(c, best_unit, best, worker, true);
  return true;
}

bool ls_twins_serve(struct ls_coordinator *c, uint32_t worker, bool is_idle) {
  assert(c->config.replication != NULL);
  if (is_idle) return serve_spare(c, worker);
  return c->twins.due_count > 0 && serve_due(c, worker);
}

void ls_twins_settle(struct ls_coordinator *c, uint32_t worker, const struct ls_range *range) {
  struct ls_twins *twins = &c->twins;
  size_t i = 0;
  assert(range->count > 0);
  while (i < twins->count) {
    struct ls_twin twin = twins->items[i];
    if (twin.unit < range->first || twin.unit - range->first >= range->count) {
      i++;
      continue;
    }
    bool is_copy = twin.workers[1] == worker;
    forget(twins, i);
    ls_chunk_drop_unit(c, twin.workers[is_copy ? 0 : 1], twin.unit, true);
  }
}

bool ls_twins_withdraw(struct ls_coordinator *c, uint32_t worker, uint64_t unit) {
  size_t index = find_twin(&c->twins, unit);
  if (index == c->twins.count) return false;
  assert(c->twins.items[index].workers[0] == worker || c->twins.items[index].workers[1] == worker);
  forget(&c->twins, index);
  return true;
}

void ls_twins_leave(struct ls_coordinator *c, uint32_t worker) {
  struct ls_twins *twins = &c->twins;
  size_t i = 0;
  assert(c->members[worker].presence != LS_PRESENCE_ACTIVE);
  while (i < twins->count) {
    struct ls_twin twin = twins->items[i];
    if (twin.workers[0] != worker && twin.workers[1] != worker) {
      i++;
      continue;
    }
    forget(twins, i);
    ls_chunk_drop_unit(c, worker, twin.unit, false);
  }
}

/* For each unit that waits and that nobody took, one spare copy is stopped: its worker asks anew.
 */
static void make_room(struct ls_coordinator *c) {
  struct ls_twins *twins = &c->twins;
  uint64_t wanted = c->waiting.units;
  size_t i = 0;
  assert(wanted > 0);
  while (i < twins->count && wanted > 0) {
    struct ls_twin twin = twins->items[i];
    if (!twin.is_spare) {
      i++;
      continue;
    }
    forget(twins, i);
    ls_chunk_drop_unit(c, twin.workers[1], twin.unit, true);
    wanted--;
  }
}

/* Time makes copies worth their price: who waits in vain is looked at again. */
static void serve_parked(struct ls_coordinator *c) {
  uint32_t worker = c->parked_first;
  assert(c->waiting.units == 0);
  while (worker != LS_INDEX_NONE) {
    uint32_t next = c->members[worker].parked_next;
    bool may_serve = !ls_advice_is_surplus(c, worker);
    if (may_serve && (serve_due(c, worker) || serve_spare(c, worker))) ls_request_unpark(c, worker);
    worker = next;
  }
}

void ls_twins_continue(struct ls_coordinator *c) {
  assert(!c->is_stopping && !c->is_finished);
  if (!c->is_open || c->config.chunking->is_pushed) return;
  if (c->waiting.units == 0) {
    if (c->sent > 0) serve_parked(c);
  } else if (c->has_returned && c->twins.count > 0) {
    make_room(c);
  }
}
