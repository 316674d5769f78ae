#include "policies/chunking/members_private.h"

#include <assert.h>
#include <math.h>

void ls_members_init(struct ls_members *members, bool *is_member,
                     const struct ls_chunking_setup *setup) {
  assert(setup->workers >= 1 && setup->workers <= setup->workers_max);
  members->places = setup->workers;
  members->count = setup->workers;
  for (size_t i = 0; i < setup->workers_max; i++) is_member[i] = i < setup->workers;
}

bool ls_members_change(struct ls_members *members, bool *is_member, uint32_t worker,
                       enum ls_chunking_change change) {
  bool is_joined = change == LS_CHUNKING_JOINED;
  /* A worker of the platform is a member before it joins; a lost one may be declared lost twice. */
  if (is_member[worker] == is_joined) return false;
  is_member[worker] = is_joined;
  if (!is_joined) {
    members->count--;
    return false;
  }
  members->count++;
  if (members->count <= members->places) return false;
  members->places = members->count;
  return true;
}

void ls_members_recount(const struct ls_members *members, const bool *is_member, bool *is_counted,
                        size_t workers_max) {
  size_t counted = 0;
  for (size_t i = 0; i < workers_max; i++) {
    if (is_member[i]) is_counted[i] = true;
    counted += is_counted[i];
  }
  for (size_t i = 0; i < workers_max && counted > members->places; i++) {
    if (is_member[i] || !is_counted[i]) continue;
    is_counted[i] = false;
    counted--;
  }
}

enum ls_status ls_members_check_weights(const struct ls_chunking_setup *setup,
                                        struct ls_error *err) {
  for (size_t i = 0; setup->weights != NULL && i < setup->workers_max; i++) {
    if (!(setup->weights[i] >= 0) || !isfinite(setup->weights[i])) {
      return ls_fail(err, LS_EINVAL, "worker %zu: weight is %g, expected a finite number >= 0", i,
                     setup->weights[i]);
    }
  }
  return LS_OK;
}
