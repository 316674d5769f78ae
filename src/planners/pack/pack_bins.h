/* pack_bins.h: first fit: each size goes into the first bin that has room for it.
 *
 * A tree of the largest rooms finds that bin in O(log bins).
 */
#ifndef LS_PLANNERS_PACK_BINS_H
#define LS_PLANNERS_PACK_BINS_H

#include <stddef.h>

#include "base/status.h"

/* Owned. */
struct ls_pack_bins {
  double *rooms; /* a tree: the bins are its leaves, from `leaves` on; -1 where there is none */
  size_t leaves;
};

/* Room for so many bins, at least one. LS_ENOMEM: there is nothing to close. */
LS_CHECKED enum ls_status ls_pack_bins_init(struct ls_pack_bins *bins, size_t most);
/* All bins are empty, with these rooms; `count` is at most what was asked for. */
void ls_pack_bins_open(struct ls_pack_bins *bins, const double *rooms, size_t count);
/* Puts the size >= 0 into the first bin that has room for it; SIZE_MAX: none has. */
size_t ls_pack_bins_put(struct ls_pack_bins *bins, double size);
void ls_pack_bins_close(struct ls_pack_bins *bins);

#endif
