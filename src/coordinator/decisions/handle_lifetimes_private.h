/* handle_lifetimes_private.h: workers that live for so long only, for the other handlers.
 *
 * Whoever gives units asks here which of them a worker has the time for.
 */
#ifndef LS_COORDINATOR_DECISIONS_HANDLE_LIFETIMES_PRIVATE_H
#define LS_COORDINATOR_DECISIONS_HANDLE_LIFETIMES_PRIVATE_H

#include <math.h>

#include "coordinator/coordinator_private.h"

static inline bool ls_lifetime_is_limited(const struct ls_coordinator *c, uint32_t slot) {
  return isfinite(c->visits[slot].ends_s);
}
/* Does the worker, whose time is limited, live as long as the unit takes? */
bool ls_lifetime_measure_unit(const struct ls_coordinator *c, uint32_t slot, uint64_t unit);
/* The same of any worker. */
static inline bool ls_lifetime_suffices(const struct ls_coordinator *c, uint32_t slot,
                                        uint64_t unit) {
  return !ls_lifetime_is_limited(c, slot) || ls_lifetime_measure_unit(c, slot, unit);
}
/* Waiting units that outlast the worker join the list, and wait no more while it is served; then
 * they wait again, in front. */
void ls_lifetime_set_aside_kept(struct ls_coordinator *c, uint32_t slot,
                                struct ls_piece_list *aside);
static inline void ls_lifetime_set_aside(struct ls_coordinator *c, uint32_t slot,
                                         struct ls_piece_list *aside) {
  if (ls_lifetime_is_limited(c, slot)) ls_lifetime_set_aside_kept(c, slot, aside);
}
/* Does any unit wait that no end of time keeps from the worker? */
bool ls_lifetime_may_have(const struct ls_coordinator *c, uint32_t slot);
/* ... that was at a worker before? */
bool ls_lifetime_may_have_back(const struct ls_coordinator *c, uint32_t slot);
static inline void ls_lifetime_put_back(struct ls_coordinator *c, struct ls_piece_list *aside) {
  if (aside->count > 0) ls_ledger_put_back(&c->ledger, aside);
}
/* A unit that the worker, whose time is limited, has the time for stands in front of those that
 * wait; the most units that the next chunk may have. 0: it has the time for none. */
uint64_t ls_lifetime_choose(struct ls_coordinator *c, uint32_t slot);
/* The same of any worker. */
static inline uint64_t ls_lifetime_prepare(struct ls_coordinator *c, uint32_t slot) {
  return ls_lifetime_is_limited(c, slot) ? ls_lifetime_choose(c, slot) : UINT64_MAX;
}
/* A worker asked and got nothing. One that has worked, and does not live long enough for what
 * waits, goes, unless more may come for it; a fresh one is asked again when nobody lives longer. */
void ls_lifetime_on_refusal(struct ls_coordinator *c, uint32_t slot);
/* Who waits for that is asked again when it is time; when that is to be looked at. */
double ls_lifetime_look(struct ls_coordinator *c);
/* For a policy that pushes: so many units each worker has the time for. */
void ls_lifetime_measure(struct ls_coordinator *c);
/* It has nothing for those that are idle and have the time for no unit: on_refusal. */
void ls_lifetime_refuse_idle(struct ls_coordinator *c);
bool ls_lifetime_is_over(const struct ls_coordinator *c, uint32_t slot);
/* Does the result say that the end of the worker's time stopped its first unit? */
bool ls_lifetime_has_stopped(const struct ls_coordinator *c, uint32_t slot, uint32_t chunk,
                             const struct ls_event_result *result);
/* An end of time stopped the unit; true: it is to be given up. */
bool ls_lifetime_note_end(struct ls_coordinator *c, uint32_t slot, uint64_t unit, double ran_s);

#endif
