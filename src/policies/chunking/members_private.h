/* members_private.h: p, the number of workers in the formulas, as workers come and go.
 *
 * p starts as the number of workers of the platform, present or not yet.  It never falls: the
 * published formulas know no leaving.  It grows when a newcomer joins and nobody's place is free;
 * a newcomer that replaces a lost worker takes the lost one's place and p stays.
 * The flags live at the end of the policy's own state, which may therefore be copied.
 */
#ifndef LS_POLICIES_CHUNKING_MEMBERS_PRIVATE_H
#define LS_POLICIES_CHUNKING_MEMBERS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "policies/chunking.h"

struct ls_members {
  size_t places; /* p */
  size_t count;  /* members now: of the platform and not lost, or joined later and not lost */
};

/* `is_member`: setup->workers_max flags. */
void ls_members_init(struct ls_members *members, bool *is_member,
                     const struct ls_chunking_setup *setup);
/* A worker joined or was lost; true when p has grown: `is_member` then holds exactly p workers. */
bool ls_members_change(struct ls_members *members, bool *is_member, uint32_t worker,
                       enum ls_chunking_change change);
/* Who counts in a sum over p workers: the members, and who was lost as long as no newcomer has
 * taken its place, the first ones being replaced first.  To be called after ls_members_change; as
 * many flags as `is_member`, which at the start equal it. */
void ls_members_recount(const struct ls_members *members, const bool *is_member, bool *is_counted,
                        size_t workers_max);
/* LS_EINVAL unless every weight is finite and >= 0 (no weights at all are fine). */
LS_CHECKED enum ls_status ls_members_check_weights(const struct ls_chunking_setup *setup,
                                                   struct ls_error *err);

#endif
