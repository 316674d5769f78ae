/* port_groups.h: workers whose transfers run at once, as one worker of the theory each.
 *
 * Where a master sends to k workers at once, k successive workers are a group: their chunks leave
 * together, share the network and arrive together.  A group is a worker that computes with all of
 * theirs, and to which k^(alpha-1) of the time is sent; so a theory of one transfer at a time plans
 * for groups, and its chunks are then divided among their members.  Exact for equal workers whose
 * number is a multiple of k.
 */
#ifndef LS_PLANNERS_STAR_PORT_GROUPS_H
#define LS_PLANNERS_STAR_PORT_GROUPS_H

#include <stddef.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "planners/star/reduced_star.h"

struct ls_port_groups {
  struct ls_reduced_star star;    /* of groups: their numbers count them */
  struct ls_star_worker *members; /* owned; all workers, by S/B */
  size_t members_count, size;     /* of each group; the last one may have fewer */
};

/* How many transfers the ports let run at once; 1: one after another. */
size_t ls_port_groups_size(const struct ls_platform *platform);
LS_CHECKED enum ls_status ls_port_groups_open(struct ls_port_groups *groups,
                                              const struct ls_platform *platform,
                                              struct ls_error *err);
void ls_port_groups_close(struct ls_port_groups *groups);
/* Each chunk of a group becomes one of each member, which compute it equally long; members that
 * would get less than nothing get none. */
LS_CHECKED enum ls_status ls_port_groups_divide(const struct ls_port_groups *groups,
                                                struct ls_plan *plan, struct ls_error *err);

#endif
