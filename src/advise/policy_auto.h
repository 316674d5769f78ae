/* policy_auto.h: "auto" among the policies of a simulation.
 *
 * It stands for the policy and the prefetch that `run --policy auto` chooses where it knows the
 * platform and the law of the tasks: by simulating its candidates in the same world with other
 * seeds.  It knows speeds, mean, deviation and overhead as they are, whatever the arguments tell
 * policies of them.  What it would change while the run goes on is not played.
 */
#ifndef LS_ADVISE_POLICY_AUTO_H
#define LS_ADVISE_POLICY_AUTO_H

#include <stdbool.h>
#include <stdint.h>

#include "advise/advise.h"
#include "base/status.h"
#include "simulate/world.h"

/* Is this the name of a policy, as a user writes it, "auto"? LS_EINVAL: with a value. */
LS_CHECKED enum ls_status ls_policy_auto_read(const char *policy, bool *is_auto,
                                              struct ls_error *err);
/* For the world of the request, whose policy and seed do not count; its draws have the seeds from
 * `seed` on. A prefetch among its arguments is kept. LS_EINVAL as of ls_world_open, and
 * where tasks have needs. */
LS_CHECKED enum ls_status ls_policy_auto_choose(const struct ls_world_request *request,
                                                uint64_t seed, struct ls_candidate *chosen,
                                                struct ls_error *err);
/* Opens the world of the request under the policy that was chosen for it, which knows its facts. */
LS_CHECKED enum ls_status ls_policy_auto_open(const struct ls_world_request *request,
                                              const struct ls_candidate *chosen,
                                              struct ls_world *world, struct ls_error *err);

#endif
