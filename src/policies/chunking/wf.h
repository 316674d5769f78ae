/* wf.h: the rounds of the thesis' Weighted Factoring, for the policy and for what checks them. */
#ifndef LS_POLICIES_CHUNKING_WF_H
#define LS_POLICIES_CHUNKING_WF_H

#include <stddef.h>
#include <stdint.h>

#include "model/load.h"

enum ls_wf_rounding {
  LS_WF_LARGEST_REMAINDER, /* a quota of max(1, floor(R/2)), one batch each */
  LS_WF_PRINTED            /* as figure 3.2 was printed; see ls_wf_round */
};

struct ls_wf_workers {
  const double *weights; /* finite, >= 0: 1 / seconds per task; 0: gets nothing */
  size_t count;
  enum ls_wf_rounding rounding;
};

/* The batches of the round that opens with `units_unassigned` >= 1, by worker.  `printed`: weights
 * rounded to three decimals of their sum, a quota of ceil(R/2), the fastest first, each
 * min(rest of the quota, max(1, nint(quota * weight))), until the quota is used up.  `batches` and
 * `scratch` have `count` entries; some weight is > 0 (asserted). */
void ls_wf_round(const struct ls_wf_workers *workers, uint64_t units_unassigned,
                 struct ls_load_candidate *scratch, uint64_t *batches);

#endif
