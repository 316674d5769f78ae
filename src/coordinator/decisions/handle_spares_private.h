/* handle_spares_private.h: replicas for idle workers, and what is shared with the other replicas.
 */
#ifndef LS_COORDINATOR_DECISIONS_HANDLE_SPARES_PRIVATE_H
#define LS_COORDINATOR_DECISIONS_HANDLE_SPARES_PRIVATE_H

#include "coordinator/coordinator_private.h"

/* ---- handle_spares.c ---- */

/* The unit is stopped at the slot: what began would have lasted longer. */
void ls_spare_learn_stop(struct ls_coordinator *c, uint32_t slot, uint64_t unit);
/* A replica for the worker that asks, of the unit that is worth most to it; false: none is. */
bool ls_spare_serve(struct ls_coordinator *c, uint32_t slot);
/* The same for those that wait in vain; and when time alone makes some replica worth its price. */
void ls_spare_continue(struct ls_coordinator *c);

/* ---- handle_replicas.c ---- */

/* Losses per second and worker, declared or measured. */
double ls_replica_loss_rate(const struct ls_coordinator *c);
void ls_replica_send(struct ls_coordinator *c, const struct ls_replica *replica);
/* May the slot's worker run a replica of the unit, which the holder has?  `is_one_place`: all
 * workers that are there are on one machine. */
bool ls_replica_suits(const struct ls_coordinator *c, uint32_t holder, uint32_t slot, uint64_t unit,
                      bool is_one_place);
/* Are they, as far as machines are known? */
bool ls_replica_is_one_place(const struct ls_coordinator *c);
/* A replica that is due. */
bool ls_replica_serve_due(struct ls_coordinator *c, uint32_t slot);

#endif
