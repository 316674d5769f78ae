/* facts.h: what the kin of factoring want to know of a unit's seconds. */
#ifndef LS_POLICIES_CHUNKING_FACTS_H
#define LS_POLICIES_CHUNKING_FACTS_H

#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"

/* Both may be unknown (NAN). LS_EINVAL, in the name of the policy: a mean that is not > 0, a
 * deviation that is not >= 0, or one that is infinite. */
static inline enum ls_status ls_facts_check(const struct ls_chunking_setup *setup,
                                            const char *policy, struct ls_error *err) {
  if (setup->mean_seconds <= 0 || isinf(setup->mean_seconds))
    return ls_fail(err, LS_EINVAL, "%s: mean_seconds is %g, expected a finite number > 0", policy,
                   setup->mean_seconds);
  if (setup->deviation_seconds < 0 || isinf(setup->deviation_seconds))
    return ls_fail(err, LS_EINVAL, "%s: deviation_seconds is %g, expected a finite number >= 0",
                   policy, setup->deviation_seconds);
  return LS_OK;
}

/* Both are known. */
static inline bool ls_facts_are_known(const struct ls_chunking_setup *setup) {
  return setup->mean_seconds > 0 && setup->deviation_seconds >= 0;
}

#endif
