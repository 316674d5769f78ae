#include "coordinator/running.h"

#include "coordinator/coordinator_private.h"

bool ls_coordinator_running(const struct ls_coordinator *c, uint32_t worker,
                            struct ls_running *running) {
  if (worker >= c->ledger.slots_count || c->ledger.slots[worker].chunks == 0) return false;
  const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[worker].first];
  uint64_t unit = chunk->range.first;
  *running = (struct ls_running){
      .chunk = chunk->id,
      .unit = unit,
      .attempt = 1 + ls_ledger_failures(&c->ledger, unit) + ls_ledger_kills(&c->ledger, unit)};
  return true;
}
