#include "coordinator/running.h"

#include <assert.h>
#include <math.h>

#include "coordinator/coordinator_private.h"

bool ls_coordinator_running(const struct ls_coordinator *c, uint32_t worker,
                            struct ls_running *running) {
  if (worker >= c->ledger.slots_count || c->ledger.slots[worker].chunks == 0) return false;
  const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[worker].first];
  uint64_t unit = chunk->range.first;
  *running = (struct ls_running){
      .chunk = chunk->id, .unit = unit, .attempt = ls_ledger_attempt(&c->ledger, unit)};
  return true;
}

uint64_t ls_coordinator_units_sent(const struct ls_coordinator *c, uint32_t worker,
                                   uint64_t chunk) {
  if (worker >= c->ledger.slots_count) return 0;
  uint32_t index = ls_ledger_find(&c->ledger, worker, chunk);
  return index == LS_INDEX_NONE ? 0 : c->ledger.chunks[index].units_sent;
}

uint64_t ls_coordinator_attempt(const struct ls_coordinator *c, struct ls_range units,
                                uint64_t *attempt) {
  const struct ls_ledger *ledger = &c->ledger;
  assert(ls_ledger_has(ledger, &units) && units.count > 0);
  *attempt = ls_ledger_attempt(ledger, units.first);
  if (ledger->failures == NULL && ledger->kills == NULL) return units.count;
  uint64_t count = 1;
  while (count < units.count && ls_ledger_attempt(ledger, units.first + count) == *attempt) count++;
  return count;
}

bool ls_coordinator_has_unit(const struct ls_coordinator *c, uint32_t worker, uint64_t chunk,
                             uint64_t unit) {
  if (worker >= c->ledger.slots_count) return false;
  uint32_t index = ls_ledger_holding(&c->ledger, worker, unit);
  return index != LS_INDEX_NONE && c->ledger.chunks[index].id == chunk;
}

bool ls_coordinator_awaits(const struct ls_coordinator *c, uint32_t worker, uint64_t chunk,
                           struct ls_range units) {
  uint64_t all = c->ledger.units;
  if (units.first >= all || units.count > all - units.first) return false;
  for (uint64_t i = 0; i < units.count; i++) {
    uint64_t unit = units.first + i;
    if (ls_coordinator_has_unit(c, worker, chunk, unit)) return true;
    if (ls_late_has(&c->late, worker, chunk, unit)) return true;
  }
  return false;
}

double ls_coordinator_sent_s(const struct ls_coordinator *c, uint32_t worker, uint64_t chunk) {
  if (worker >= c->ledger.slots_count) return (double)NAN;
  uint32_t index = ls_ledger_find(&c->ledger, worker, chunk);
  return index == LS_INDEX_NONE ? (double)NAN : c->ledger.chunks[index].sent_s;
}

bool ls_coordinator_is_unheard(const struct ls_coordinator *c, uint32_t worker) {
  return ls_roster_is(&c->roster, worker, LS_PRESENCE_SUSPENDED) &&
         c->visits[worker].reason >= LS_AWAY_SILENT;
}

double ls_coordinator_speed(const struct ls_coordinator *c, uint32_t worker) {
  bool is_told = worker < c->config.weights_count && c->config.weights[worker] > 0;
  bool is_shown = worker < c->record.count && c->record.slots[worker].alpha > 0;
  return is_told || is_shown ? ls_step_speed(c, worker) : 0;
}

double ls_coordinator_suspended_s(const struct ls_coordinator *c, uint32_t worker, double until_s) {
  return ls_roster_suspended_s(&c->roster, worker, until_s);
}
