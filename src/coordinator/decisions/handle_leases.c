/* handle_leases.c: workers whose machines cost are released when nothing is left for them.
 *
 * A lease is what costs as long as one of its workers is there, a job for example: its workers go
 * together, when all of them are idle.  The end of a bag is known, so nobody waits for a time-out:
 * nothing waits, nothing that is sent can come back from where it is but by a loss, and no
 * iteration follows.
 */
#include "coordinator/handlers_private.h"

/* So many leases are looked at in a step, lest one of thousands take long. */
enum { LEASES_MAX = 16 };

/* Every unit runs, each at a worker that is there: none waits behind another one. */
static bool is_all_running(const struct ls_coordinator *c) {
  for (uint32_t i = 0; i < c->roster.count; i++) {
    uint64_t units = c->ledger.slots[i].units;
    if (units > 1 || (units == 1 && !c->roster.is_present[i])) return false;
  }
  return true;
}

static bool is_idle(const struct ls_coordinator *c, uint32_t slot) {
  return c->roster.slots[slot].is_parked && c->ledger.slots[slot].chunks == 0;
}

static bool is_of(const struct ls_coordinator *c, uint32_t slot, uint64_t lease) {
  return c->visits[slot].lease == lease && (ls_roster_is(&c->roster, slot, LS_PRESENCE_ACTIVE) ||
                                            ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED));
}

static bool is_lease_idle(const struct ls_coordinator *c, uint64_t lease) {
  for (uint32_t i = 0; i < c->roster.count; i++)
    if (is_of(c, i, lease) && !is_idle(c, i)) return false;
  return true;
}

static void release(struct ls_coordinator *c, uint64_t lease) {
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!is_of(c, i, lease)) continue;
    ls_worker_release(c, i);
    ls_request_tell(c, i, LS_CHUNKING_LOST, 0);
    if (c->roster.wanted > 1) c->roster.wanted--;
  }
}

void ls_lease_look_for(struct ls_coordinator *c) {
  const struct ls_coordinator_config *config = &c->config;
  uint32_t next = c->roster.parked_first;
  bool may = config->is_single && c->is_open && !c->is_stopping && !c->is_finished &&
             !c->is_incomplete && !config->chunking->is_pushed && config->replication == NULL;
  if (!may || next == LS_SLOT_NONE || ls_ledger_waiting(&c->ledger) > 0 || c->ledger.sent == 0)
    return;
  if (c->ledger.paused > 0) return;
  if (!is_all_running(c)) return;
  for (int i = 0; i < LEASES_MAX && next != LS_SLOT_NONE; i++) {
    uint32_t slot = next;
    uint64_t lease = c->visits[slot].lease;
    next = c->roster.slots[slot].parked_next;
    if (lease == 0 || !is_lease_idle(c, lease)) continue;
    release(c, lease);
    next = c->roster.parked_first; /* the list has changed */
  }
}
