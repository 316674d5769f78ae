/* waits.h: what workers waited for before and between their chunks: the start-up and the port waits
 * of an account (account.h), by cause, as far as a timeline has inputs on their way.
 */
#ifndef LS_MODEL_WAITS_H
#define LS_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/account.h"
#include "model/measurement.h"
#include "model/timeline.h"

/* Seconds are means over the workers of the account; they add up to its start-up and port waits. */
struct ls_waits {
  double own_s;   /* the worker's own input travelled */
  double port_s;  /* it had not left yet: inputs of others travelled */
  double other_s; /* asking, deciding, packing, computing elsewhere */
  bool has_transfers;
  enum ls_links links; /* as the times of transfers tell them */
  bool has_slow;       /* a worker whose link is much slower than those of the others */
  uint32_t slow;       /* that worker */
  double slow_rate;    /* its rate, in parts of the median one */
};

/* LS_ENOMEM. */
LS_CHECKED enum ls_status ls_waits_of(const struct ls_timeline *timeline,
                                      const struct ls_account *account, struct ls_waits *waits,
                                      struct ls_error *err);

#endif
